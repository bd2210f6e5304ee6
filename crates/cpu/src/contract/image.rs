//! Products whose right operand has bounded indices, such as a convolution's image: the image is
//! copied once, with the zeros around it, and never packed.
//!
//! In the copy, the elements of a column have the same distances for every column. The micro-kernel
//! therefore loads vectors of consecutive columns from the copy itself, by a table of distances:
//! for a 3 x 3 kernel this copies a ninth of the elements that panels would hold. Positions one
//! stride apart are adjacent in the copy. Columns are numbered along the copy's rows, so some of
//! them fall into the gap between two rows; their results are dropped.
//!
//! Rejected: padded images in device buffers, of which every other kernel that reads them would
//! have to know.

use super::{
    Contract, Dims, Launch,
    axis::{Axis, Cursor, affine_strides, origin},
    blocked::{ROWS, Right, deep, part, tiles},
    packing::copy_short,
    panels::Whole,
    real::Real,
};
use crate::{
    block::{Bound, Run, merged},
    buffer::Buffer,
    parallel,
};
use lanthorn_ir::{
    Layout, Result, Shape,
    expr::Type,
    kernel::{self, BoundedIndex, Operand},
};

/// The largest number of elements of a strip of a copy, and of its results: both stay in the
/// second-level cache.
const MAX_STRIP: usize = 1 << 16;
/// The smallest number of multiplications of a strip that is cut to occupy all threads.
const MIN_MULTIPLICATIONS: usize = 1 << 20;
/// The cost of packing an element, in multiplications. It is an estimate: a convolution of 64
/// channels spent 38 % of its time on packing its images (`docs/performance/log-2026-11.md`).
const PACKING: usize = 32;

/// The plan of copying images strip by strip; a strip is a range of the outermost dimension of the
/// columns.
pub(super) struct Images {
    /// Where the image of each matrix of the batch begins.
    batch: Axis,
    bounds: Vec<Bound>,
    channels: Axis,
    /// The elements of a strip of a channel, in the order of the copy.
    plane: Axis,
    /// The distance of an element of each depth from the one of the first.
    distances: Vec<u32>,
    /// The movement from a strip to the next, the number of strips, and the segments of each.
    step: Cursor,
    strips: usize,
    segments: Segments,
}

/// Segments of columns that have results.
struct Segments {
    starts: Vec<usize>,
    /// Results of each.
    length: usize,
}

/// The movement of one bounded index of an image.
#[derive(Clone, Copy)]
struct Sight {
    /// The number of columns along it, and the step from one to the next.
    positions: usize,
    stride: usize,
    /// The lowest coordinate over the depth, and the number of coordinates from there to the
    /// highest.
    low: isize,
    reach: usize,
}

impl Sight {
    /// The copy's elements along it for each remainder by the stride.
    fn extent(&self) -> usize {
        ((self.positions - 1) * self.stride + self.reach).div_ceil(self.stride)
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
    /// The movement of each bounded index, if the right operand is an image: each dimension of the
    /// columns moves one bounded index, in their order, and nothing else; those of the depth move
    /// bounded indices or are channels.
    fn sights(kernel: &kernel::Contract, dims: &Dims) -> Option<Vec<Sight>> {
        let (b, bounded) = (&kernel.b, &kernel.b.bounded);
        let strides = b.layout.strides();
        let moves = |d: usize| bounded.iter().any(|bound| bound.steps[d] != 0);
        let plain =
            bounded.iter().all(|bound| bound.divisor == 1) && dims.k[1].iter().all(|&d| strides[d] == 0 || !moves(d));
        let several = dims.k[1].iter().any(|&d| moves(d) && b.shape()[d] > 1);
        if !plain || !several || bounded.len() < 2 || bounded.len() != dims.n.len() {
            return None;
        }
        let sight = |(number, (bound, &d)): (usize, (&BoundedIndex, &usize))| {
            let others = bounded.iter().enumerate().any(|(other, bound)| other != number && bound.steps[d] != 0);
            let stride = usize::try_from(bound.steps[d]).ok().filter(|&stride| stride > 0)?;
            let ends = dims.k[1].iter().map(|&d| bound.steps[d] * (b.shape()[d] as isize - 1));
            let (low, high) = ends.fold((0, 0), |(low, high), end| (low + end.min(0), high + end.max(0)));
            let sight = Sight { positions: b.shape()[d], stride, low, reach: (high - low) as usize + 1 };
            (!others && strides[d] == 0).then_some(sight)
        };
        bounded.iter().zip(&dims.n).enumerate().map(sight).collect()
    }

    /// The images of a product that is not empty and has as many left operands as `lefts` says; `None` if the
    /// operand is no image or a copy does not pay.
    pub fn new(kernel: &kernel::Contract, dims: &Dims, lefts: impl FnOnce() -> usize) -> Option<Images> {
        let mut sights = Images::sights(kernel, dims)?;
        let (b, start) = merged(&kernel.b);
        let bounded = &kernel.b.bounded;
        let free =
            dims.k[1].iter().filter(|&&d| bounded.iter().all(|bound| bound.steps[d] == 0)).copied().collect::<Vec<_>>();
        let channels = Axis::new(&affine_strides(&b, &free));
        let (m, k, positions) = (kernel.m.elements(), kernel.k.elements(), sights[0].positions);
        // The copy's sizes: first the remainders by the strides, then the positions, of each
        // bounded index.
        let sizes = |sights: &[Sight]| -> Vec<usize> {
            sights.iter().map(|sight| sight.stride).chain(sights.iter().map(Sight::extent)).collect()
        };
        let columns = |sights: &[Sight]| {
            sights.iter().fold(0, |columns, sight| columns * sight.extent() + sight.positions - 1) + 1
        };
        let width = match kernel.ty() {
            Type::F64 => f64::micro([m, kernel.n.elements()]).columns,
            _ => f32::micro([m, kernel.n.elements()]).columns,
        };
        // A copy has products in its gaps, panels have to be packed. Multiplications of each depth, in whole tiles;
        // images with the same left operand share panels.
        let (n, images) = (kernel.n.elements(), kernel.batch.elements());
        let products = if lefts() == 1 { 1 } else { images };
        let of_copies = images * m * columns(&sights).next_multiple_of(width);
        let of_panels = products * m * (images / products * n).next_multiple_of(width);
        let packing = images * n * PACKING * m.div_ceil(ROWS);
        if of_panels + packing < of_copies {
            return None;
        }
        let mut strips = 1;
        while sights[0].positions > 1 {
            let (copy, columns) = (channels.length * sizes(&sights).iter().product::<usize>(), columns(&sights));
            let few = strips * images < 2 * parallel::threads() && m * k * columns > MIN_MULTIPLICATIONS;
            if copy <= MAX_STRIP && m.min(ROWS) * columns <= MAX_STRIP && !few {
                break;
            }
            sights[0].positions = positions.div_ceil(strips + 1);
            strips = positions.div_ceil(sights[0].positions).max(strips + 1);
        }
        strips = positions.div_ceil(sights[0].positions);
        let sizes = sizes(&sights);
        let dense = Layout::contiguous(Shape::from_dims(sizes.iter().copied()));
        let (rests, extents) = dense.strides().split_at(sights.len());
        let of_plane = |(number, bound): (usize, &BoundedIndex)| {
            let step = |d: usize| {
                if d == number { 1 } else { isize::from(d == number + sights.len()) * sights[number].stride as isize }
            };
            BoundedIndex { steps: (0..sizes.len()).map(step).collect(), ..bound.clone() }
        };
        let plane = Operand {
            bounded: bounded.iter().enumerate().map(of_plane).collect(),
            ..Operand::new(b.encoding, Layout::new(dense.shape().clone(), sizes.iter().map(|_| 0), 0))
        };
        let plane = Axis::new(&affine_strides(&merged(&plane).0, &(0..sizes.len()).collect::<Vec<_>>()));
        let inner = |index: &[usize], d: usize| index[d - dims.k[1][0]] as isize;
        let distance = |index: Vec<usize>| {
            let channel = free.iter().fold(0, |channel, &d| channel * b.shape()[d] + index[d - dims.k[1][0]]);
            let along =
                bounded.iter().zip(&sights).zip(rests.iter().zip(extents)).map(|((bound, sight), (rest, extent))| {
                    let at = dims.k[1].iter().map(|&d| bound.steps[d] * inner(&index, d)).sum::<isize>() - sight.low;
                    let stride = sight.stride as isize;
                    at % stride * rest + at / stride * extent
                });
            (channel * plane.length) as isize + along.sum::<isize>()
        };
        let distances = indices(&kernel.k).map(distance).map(u32::try_from).collect::<Result<_, _>>().ok()?;
        // From the first column's first depth on.
        let lowest = |cursor: Cursor, by: &dyn Fn(usize) -> isize| {
            let mut cursor = cursor;
            for (number, bound) in bounded.iter().enumerate() {
                cursor.address += bound.stride * by(number);
                cursor.coordinates[number] += by(number);
            }
            cursor
        };
        let batch =
            Axis::new(&affine_strides(&b, &dims.batch)).from(lowest(origin(&b, start), &|number| sights[number].low));
        let down = (sights[0].positions * sights[0].stride) as isize;
        let step = lowest(Cursor::default(), &|number| if number == 0 { down } else { 0 });
        let (last, outer) = sights.split_last()?;
        let outer: Vec<usize> = outer.iter().map(|sight| sight.positions).collect();
        let starts = indices(&outer)
            .map(|index| index.iter().zip(extents).map(|(&i, &extent)| i * extent as usize).sum())
            .collect();
        let segments = Segments { starts, length: last.positions };
        let bounds = bounded.iter().map(Bound::of).collect();
        Some(Images { batch, bounds, channels, plane, distances, step, strips, segments })
    }

    /// The columns of a strip, with those in gaps.
    pub fn columns(&self) -> usize {
        self.segments.starts.last().map_or(0, |start| start + self.segments.length)
    }

    /// Copies a strip of an image.
    fn copy<T: Real>(&self, data: &[T], matrix: usize, strip: usize, copy: &mut [T]) {
        let first = self.batch.at(matrix).moved(strip as isize, &self.step);
        let step = &self.plane.step;
        self.plane.segments(0..self.plane.length, |at, length, cursor| {
            let cursor = cursor.moved(1, &first);
            let mut run = Run { first: 0, every: 1, count: length, offset: cursor.address, stride: step.address };
            for (number, bound) in self.bounds.iter().enumerate() {
                run.clip(bound, cursor.coordinates[number], step.coordinates[number]);
            }
            self.channels.segments(0..self.channels.length, |channel, count, cursor| {
                for number in 0..count {
                    let from = cursor.address + number as isize * self.channels.step.address;
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
    /// Products with images: all left operands are packed once, and then strips are copied and
    /// multiplied in parallel.
    pub(super) fn with_images<T: Real>(&self, images: &Images, left: &Whole, launch: &Launch<T>) -> Result<()> {
        let [batch, m, n, k] = self.extents;
        let (segments, columns) = (&images.segments, images.columns());
        let (micro, deep) = (T::micro([m, columns]), deep::<T>(self.extents));
        let packed;
        let lefts = match launch.panels[0] {
            Some(panels) => left.panels::<T>(panels),
            None => {
                packed = left.packing.pack_elements(launch.op, launch.data[0])?;
                left.panels(packed.bytes())
            }
        };
        let rows = part(m, ROWS, micro.rows);
        let (down, whole) = (m.div_ceil(rows), n / segments.length);
        parallel::split(batch * images.strips * down, &[batch, m, n, k], |tasks| {
            let buffer = |elements: usize| Buffer::new(launch.op, elements * size_of::<T>(), 0);
            // The last tile may reach past the end of the copy, for columns without results.
            let mut copy = buffer(images.channels.length * images.plane.length + micro.columns)?;
            let (mut sums, mut results) =
                (buffer(rows * columns)?, buffer(rows * segments.starts.len() * segments.length)?);
            let mut store = self.store(launch)?;
            let mut held = None;
            for task in tasks {
                let (image, row) = (task / down, task % down * rows);
                let (matrix, strip) = (image / images.strips, image % images.strips);
                if held.replace(image) != Some(image) {
                    images.copy(launch.data[1], matrix, strip, copy.elements_mut());
                }
                let rows = rows.min(m - row);
                let sums = &mut sums.elements_mut::<T>()[..rows * columns];
                for from in (0..k).step_by(deep) {
                    let distances = &images.distances[from..k.min(from + deep)];
                    let a = lefts.of(matrix, row..row + rows, from..from + distances.len());
                    let right = Right {
                        elements: copy.elements_mut(),
                        pitch: micro.columns,
                        depth: distances.len(),
                        distances: Some(distances),
                    };
                    tiles(&micro, a, right, columns, from > 0, sums);
                }
                let first = strip * segments.starts.len();
                let starts = &segments.starts[..segments.starts.len().min(whole - first)];
                let wide = starts.len() * segments.length;
                let results = &mut results.elements_mut::<T>()[..rows * wide];
                for (sums, results) in sums.chunks_exact(columns).zip(results.chunks_exact_mut(wide)) {
                    for (&start, results) in starts.iter().zip(results.chunks_exact_mut(segments.length)) {
                        copy_short(&sums[start..start + segments.length], results);
                    }
                }
                let at = |row: usize| (matrix * m + row) * n + first * segments.length;
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
