//! Products whose right operand is seen through windows, as a convolution's image is: the image is copied once, with the zeros around it, and never
//! packed.
//!
//! In the copy, a column's elements of all depths lie at distances that are the same for every column. So the micro-kernel reads vectors of
//! neighbouring columns from where they are, by a table of distances: for a kernel of 3 x 3 a ninth of what panels would take. Places that are a stride apart
//! are neighbours in it. Columns are counted along the copy's rows, so that some stand for the gap between two rows; their results are left out.
//!
//! Rejected: images with zeros around them in the device's buffers, of which every other kernel that reads them would have to know.

use super::{
    Contract, Dims, Launch,
    blocked::{ROWS, Right, deep, part, tiles},
    lay::short,
    real::Real,
    walk::{Axis, Place, origin, walks},
};
use crate::{
    block::{Bound, Run, merged},
    buffer::{Buffer, Shared, elements_mut},
    parallel,
};
use lanthorn_ir::{
    Layout, Result, Shape,
    kernel::{self, BoundedIndex, Operand},
};

/// The most elements of a strip of a copy, and of its results: both stay in the second-level cache.
const STRIP: usize = 1 << 16;
/// Multiplications of a strip that is not cut further so that every thread has one.
const FEWEST: usize = 1 << 20;
/// The most left operands, each of which is packed once.
const LEFTS: usize = 64;

/// How images are copied and read: strip by strip, of some places of the outermost dimension of the columns.
pub(super) struct Images {
    /// Where the image of each matrix of the batch begins.
    batch: Axis,
    bounds: Vec<Bound>,
    channels: Axis,
    /// The elements of a strip of a channel, in the order of the copy.
    plane: Axis,
    /// How far an element of each depth is from the one of the first.
    distances: Vec<u32>,
    /// From a strip to the next, how many there are, and how many lines each has.
    step: Place,
    strips: usize,
    lines: Lines,
    /// Where left operands begin, and which of them each matrix has.
    lefts: Vec<Place>,
    left: Vec<usize>,
}

/// Lines of columns that have results.
struct Lines {
    starts: Vec<usize>,
    /// Results of each.
    length: usize,
}

/// How an image is seen along one window.
#[derive(Clone, Copy)]
struct Sight {
    /// The columns along it, and the steps from one to the next.
    places: usize,
    stride: usize,
    /// The lowest coordinate of a depth, and how many there are from there to the highest.
    low: isize,
    reach: usize,
}

impl Sight {
    /// Elements of the copy along it for each rest by the stride.
    fn extent(&self) -> usize {
        ((self.places - 1) * self.stride + self.reach).div_ceil(self.stride)
    }
}

/// The indices of a shape, in order.
fn indices(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..sizes.iter().product()).map(move |mut number: usize| {
        let mut index = vec![0; sizes.len()];
        for (index, size) in index.iter_mut().zip(sizes).rev() {
            (*index, number) = (number % size, number / size);
        }
        index
    })
}

impl Images {
    /// How the right operand is seen along each window, if it is an image: each dimension of the columns moves one window, in their order, and
    /// nothing else; those of the depth move windows or are channels.
    fn sights(kernel: &kernel::Contract, dims: &Dims) -> Option<Vec<Sight>> {
        let (b, windows) = (&kernel.b, &kernel.b.bounded);
        let strides = b.layout.strides();
        let moves = |d: usize| windows.iter().any(|window| window.steps[d] != 0);
        let plain = windows.iter().all(|window| window.divisor == 1) && dims.k[1].iter().all(|&d| strides[d] == 0 || !moves(d));
        let several = dims.k[1].iter().any(|&d| moves(d) && b.shape()[d] > 1);
        if !plain || !several || windows.len() < 2 || windows.len() != dims.n.len() {
            return None;
        }
        let sight = |(number, (window, &d)): (usize, (&BoundedIndex, &usize))| {
            let others = windows.iter().enumerate().any(|(other, window)| other != number && window.steps[d] != 0);
            let stride = usize::try_from(window.steps[d]).ok().filter(|&stride| stride > 0)?;
            let ends = dims.k[1].iter().map(|&d| window.steps[d] * (b.shape()[d] as isize - 1));
            let (low, high) = ends.fold((0, 0), |(low, high), end| (low + end.min(0), high + end.max(0)));
            let sight = Sight { places: b.shape()[d], stride, low, reach: (high - low) as usize + 1 };
            (!others && strides[d] == 0).then_some(sight)
        };
        windows.iter().zip(&dims.n).enumerate().map(sight).collect()
    }

    /// The images of a product that is not empty, with the left operand's matrices; `None` if they are none, or a copy does not pay.
    pub fn new(kernel: &kernel::Contract, dims: &Dims, left: &Axis) -> Option<Images> {
        let mut sights = Images::sights(kernel, dims)?;
        let (b, start) = merged(&kernel.b);
        let windows = &kernel.b.bounded;
        let free = dims.k[1].iter().filter(|&&d| windows.iter().all(|window| window.steps[d] == 0)).copied().collect::<Vec<_>>();
        let channels = Axis::new(&walks(&b, &free));
        let mut lefts: Vec<Place> = vec![];
        let left: Vec<usize> = (0..left.length)
            .map(|matrix| {
                let place = left.at(matrix);
                lefts.iter().position(|held| *held == place).unwrap_or_else(|| {
                    lefts.push(place);
                    lefts.len() - 1
                })
            })
            .collect();
        let (m, k, places) = (kernel.m.elements(), kernel.k.elements(), sights[0].places);
        // The copy's sizes: first the rests by strides, then the places, of each window.
        let sizes = |sights: &[Sight]| -> Vec<usize> {
            sights.iter().map(|sight| sight.stride).chain(sights.iter().map(Sight::extent)).collect()
        };
        let columns = |sights: &[Sight]| sights.iter().fold(0, |columns, sight| columns * sight.extent() + sight.places - 1) + 1;
        if 2 * columns(&sights) > 3 * kernel.n.elements() || lefts.len() > LEFTS {
            return None;
        }
        let mut strips = 1;
        while sights[0].places > 1 {
            let (copy, columns) = (channels.length * sizes(&sights).iter().product::<usize>(), columns(&sights));
            let few = strips * left.len() < 2 * parallel::threads() && m * k * columns > FEWEST;
            if copy <= STRIP && m.min(ROWS) * columns <= STRIP && !few {
                break;
            }
            sights[0].places = places.div_ceil(strips + 1);
            strips = places.div_ceil(sights[0].places).max(strips + 1);
        }
        strips = places.div_ceil(sights[0].places);
        let sizes = sizes(&sights);
        let dense = Layout::contiguous(Shape::from_dims(sizes.iter().copied()));
        let (rests, extents) = dense.strides().split_at(sights.len());
        let of_plane = |(number, window): (usize, &BoundedIndex)| {
            let step =
                |d: usize| if d == number { 1 } else { isize::from(d == number + sights.len()) * sights[number].stride as isize };
            BoundedIndex { steps: (0..sizes.len()).map(step).collect(), ..window.clone() }
        };
        let plane = Operand {
            bounded: windows.iter().enumerate().map(of_plane).collect(),
            ..Operand::new(b.dtype, Layout::new(dense.shape().clone(), sizes.iter().map(|_| 0), 0))
        };
        let plane = Axis::new(&walks(&merged(&plane).0, &(0..sizes.len()).collect::<Vec<_>>()));
        let inner = |index: &[usize], d: usize| index[d - dims.k[1][0]] as isize;
        let distance = |index: Vec<usize>| {
            let channel = free.iter().fold(0, |channel, &d| channel * b.shape()[d] + index[d - dims.k[1][0]]);
            let along = windows.iter().zip(&sights).zip(rests.iter().zip(extents)).map(|((window, sight), (rest, extent))| {
                let at = dims.k[1].iter().map(|&d| window.steps[d] * inner(&index, d)).sum::<isize>() - sight.low;
                let stride = sight.stride as isize;
                at % stride * rest + at / stride * extent
            });
            (channel * plane.length) as isize + along.sum::<isize>()
        };
        let distances = indices(&kernel.k).map(distance).map(u32::try_from).collect::<Result<_, _>>().ok()?;
        // From the first column's first depth on.
        let lowest = |place: Place, by: &dyn Fn(usize) -> isize| {
            let mut place = place;
            for (number, window) in windows.iter().enumerate() {
                place.address += window.stride * by(number);
                place.coordinates[number] += by(number);
            }
            place
        };
        let batch = Axis::new(&walks(&b, &dims.batch)).from(lowest(origin(&b, start), &|number| sights[number].low));
        let down = (sights[0].places * sights[0].stride) as isize;
        let step = lowest(Place::default(), &|number| if number == 0 { down } else { 0 });
        let (last, outer) = sights.split_last()?;
        let outer: Vec<usize> = outer.iter().map(|sight| sight.places).collect();
        let starts =
            indices(&outer).map(|index| index.iter().zip(extents).map(|(&i, &extent)| i * extent as usize).sum()).collect();
        let lines = Lines { starts, length: last.places };
        let bounds = windows.iter().map(Bound::of).collect();
        Some(Images { batch, bounds, channels, plane, distances, step, strips, lines, lefts, left })
    }

    /// Copies a strip of an image.
    fn copy<T: Real>(&self, data: &[T], matrix: usize, strip: usize, copy: &mut [T]) {
        let first = self.batch.at(matrix).moved(strip as isize, &self.step);
        let step = &self.plane.step;
        self.plane.segments(0..self.plane.length, |at, length, place| {
            let place = place.moved(1, &first);
            let mut run = Run { first: 0, every: 1, count: length, offset: place.address, stride: step.address };
            for (number, bound) in self.bounds.iter().enumerate() {
                run.clip(bound, place.coordinates[number], step.coordinates[number]);
            }
            self.channels.segments(0..self.channels.length, |channel, count, place| {
                for number in 0..count {
                    let from = place.address + number as isize * self.channels.step.address;
                    let piece = &mut copy[(channel + number) * self.plane.length + at..][..length];
                    if run.count < length {
                        piece.fill(T::ZERO);
                    }
                    if run.count > 0 {
                        Run { offset: run.offset + from, ..run }.copy(data, piece);
                    }
                }
            });
        });
    }
}

impl Contract {
    /// Products with images: the left operands are packed once for all, and then strips are copied and multiplied side by side.
    pub(super) fn with_images<T: Real>(&self, images: &Images, launch: &Launch<T>) -> Result<()> {
        let [batch, m, n, k] = self.extents;
        let lines = &images.lines;
        let columns = lines.starts.last().map_or(0, |start| start + lines.length);
        let (micro, deep) = (T::micro([m, columns]), deep::<T>(k));
        let (tall, parts) = (m.next_multiple_of(micro.rows), k.div_ceil(deep));
        let mut packed = Buffer::new(launch.op, images.lefts.len() * tall * k * size_of::<T>(), 0)?;
        let shared = Shared::new(packed.bytes_mut());
        parallel::split(images.lefts.len() * parts, images.lefts.len() * m * k, |tasks| {
            for (left, from) in tasks.map(|task| (task / parts, task % parts * deep)) {
                let depth = from..k.min(from + deep);
                let place = [depth.start, depth.end].map(|depth| (left * k + depth) * tall * size_of::<T>());
                // SAFETY: each depth of each left operand is packed by one task.
                let target = unsafe { shared.part(place[0]..place[1]) };
                self.sides[0].pack(launch.data[0], images.lefts[left], 0..m, depth, micro.rows, elements_mut(target));
            }
            Ok(())
        })?;
        let packed = &*packed.elements_mut::<T>();
        let rows = part(m, ROWS, micro.rows);
        let (down, whole) = (m.div_ceil(rows), n / lines.length);
        parallel::split(batch * images.strips * down, batch * m * n * k, |tasks| {
            let buffer = |elements: usize| Buffer::new(launch.op, elements * size_of::<T>(), 0);
            // The last tile may reach beyond the copy, for columns that nobody has.
            let mut copy = buffer(images.channels.length * images.plane.length + micro.columns)?;
            let (mut sums, mut results) = (buffer(rows * columns)?, buffer(rows * lines.starts.len() * lines.length)?);
            let mut store = self.store(launch)?;
            let mut held = None;
            for task in tasks {
                let (image, row) = (task / down, task % down * rows);
                let (matrix, strip) = (image / images.strips, image % images.strips);
                if held.replace(image) != Some(image) {
                    images.copy(launch.data[1], matrix, strip, copy.elements_mut());
                }
                let rows = rows.min(m - row);
                let (left, sums) = (images.left[matrix] * k, &mut sums.elements_mut::<T>()[..rows * columns]);
                for from in (0..k).step_by(deep) {
                    let distances = &images.distances[from..k.min(from + deep)];
                    let a = &packed[(left + from) * tall + row * distances.len()..];
                    let a = &a[..rows.next_multiple_of(micro.rows) * distances.len()];
                    let right = Right {
                        elements: copy.elements_mut(),
                        pitch: micro.columns,
                        depth: distances.len(),
                        distances: Some(distances),
                    };
                    tiles(&micro, a, right, columns, from > 0, sums);
                }
                let first = strip * lines.starts.len();
                let starts = &lines.starts[..lines.starts.len().min(whole - first)];
                let wide = starts.len() * lines.length;
                let results = &mut results.elements_mut::<T>()[..rows * wide];
                for (sums, results) in sums.chunks_exact(columns).zip(results.chunks_exact_mut(wide)) {
                    for (&start, results) in starts.iter().zip(results.chunks_exact_mut(lines.length)) {
                        short(&sums[start..start + lines.length], results);
                    }
                }
                let at = |row: usize| (matrix * m + row) * n + first * lines.length;
                if wide == n {
                    store.results(at(row), bytemuck::cast_slice(results));
                } else {
                    for (row, results) in (row..).zip(results.chunks_exact(wide)) {
                        store.results(at(row), bytemuck::cast_slice(results));
                    }
                }
            }
            store.finish()
        })
    }
}
