//! Products whose right operand has bounded indices, such as a convolution's image: the image is
//! copied once, with zeros around it, and never packed.
//!
//! In the copy, the elements of a column have the same distances for every column. The micro-kernel
//! therefore loads vectors of consecutive columns from the copy itself, with a table of distances.
//! For a 3 x 3 kernel, this copies a ninth of the elements that panels would hold. Positions that
//! are one stride apart are adjacent in the copy. Columns are numbered along the rows of the copy,
//! so some of them fall into the gap between two rows. Their results are dropped.
//!
//! Rejected: padded images in device buffers. Every other kernel that reads them would have to
//! support the padding.

use super::{
    Contract, Dims, Launch,
    axis::{Axis, Cursor, affine_strides, origin},
    blocked::{ROWS, Right, deep, part, tiles},
    packing::copy_short,
    panels::Whole,
    real::Real,
};
use crate::{
    block::{Bound, Run, merge_bounds},
    buffer::Buffer,
    parallel,
};
use lanthorn_ir::{
    Layout, Result, Shape,
    expr::Type,
    kernel::{self, BoundedIndex, Operand},
};

/// Maximum number of elements of a strip of a copy, and of its results. Both then fit in the
/// second-level cache.
const MAX_STRIP: usize = 1 << 16;
/// Minimum number of multiplications of a strip. Strips are made smaller than the cache to occupy
/// all threads.
const MIN_MULTIPLICATIONS: usize = 1 << 20;
/// The cost of packing an element, in multiplications. It is an estimate: a convolution of 64
/// channels spent 38 % of its time on packing its images (`docs/performance/log-2026-11.md`).
const PACKING_COST: usize = 32;

/// How images are copied strip by strip. A strip is a range of the outermost dimension of the
/// columns.
pub(super) struct Images {
    /// The start of the image of each matrix of the batch.
    batch: Axis,
    bounds: Vec<Bound>,
    channels: Axis,
    /// The elements of a strip of one channel, in the order of the copy.
    plane: Axis,
    /// For each depth, the distance of its elements from the elements of depth 0.
    distances: Vec<u32>,
    /// The step between strips, the number of strips, and the spans of each.
    step: Cursor,
    strips: usize,
    spans: Spans,
}

/// Spans of columns that have results.
struct Spans {
    starts: Vec<usize>,
    /// The number of results of each span.
    length: usize,
}

/// The coordinates of one bounded index of an image.
#[derive(Clone, Copy)]
struct Window {
    /// The number of columns along it, and the step between two of them.
    positions: usize,
    stride: usize,
    /// The lowest coordinate over the depth, and the number of coordinates up to the highest one.
    low: isize,
    reach: usize,
}

impl Window {
    /// The number of elements of the copy along it, for each remainder by the stride.
    fn extent(&self) -> usize {
        ((self.positions - 1) * self.stride + self.reach).div_ceil(self.stride)
    }
}

/// The multi-indices of a shape, in order.
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
    /// The coordinates of each bounded index, if the right operand is an image. In an image, each
    /// dimension of the columns moves one bounded index, in their order, and nothing else. The
    /// dimensions of the depth move bounded indices or are channels.
    fn windows(kernel: &kernel::Contract, dims: &Dims) -> Option<Vec<Window>> {
        let (b, bounded) = (&kernel.b, &kernel.b.bounded);
        let strides = b.layout.strides();
        let moves = |d: usize| bounded.iter().any(|bound| bound.steps[d] != 0);
        let plain =
            bounded.iter().all(|bound| bound.divisor == 1) && dims.k[1].iter().all(|&d| strides[d] == 0 || !moves(d));
        let several = dims.k[1].iter().any(|&d| moves(d) && b.shape()[d] > 1);
        if !plain || !several || bounded.len() < 2 || bounded.len() != dims.n.len() {
            return None;
        }
        let window = |(number, (bound, &d)): (usize, (&BoundedIndex, &usize))| {
            let others = bounded.iter().enumerate().any(|(other, bound)| other != number && bound.steps[d] != 0);
            let stride = usize::try_from(bound.steps[d]).ok().filter(|&stride| stride > 0)?;
            let ends = dims.k[1].iter().map(|&d| bound.steps[d] * (b.shape()[d] as isize - 1));
            let (low, high) = ends.fold((0, 0), |(low, high), end| (low + end.min(0), high + end.max(0)));
            let window = Window { positions: b.shape()[d], stride, low, reach: (high - low) as usize + 1 };
            (!others && strides[d] == 0).then_some(window)
        };
        bounded.iter().zip(&dims.n).enumerate().map(window).collect()
    }

    /// The images of a product that is not empty and has `lefts()` left operands. `None` if the
    /// right operand is not an image, or if a copy does not pay.
    pub fn new(kernel: &kernel::Contract, dims: &Dims, lefts: impl FnOnce() -> usize) -> Option<Images> {
        let mut windows = Images::windows(kernel, dims)?;
        let (b, start) = merge_bounds(&kernel.b);
        let bounded = &kernel.b.bounded;
        let free =
            dims.k[1].iter().filter(|&&d| bounded.iter().all(|bound| bound.steps[d] == 0)).copied().collect::<Vec<_>>();
        let channels = Axis::new(&affine_strides(&b, &free));
        let (m, k, positions) = (kernel.m.elements(), kernel.k.elements(), windows[0].positions);
        // The sizes of the copy: the remainders by the strides of all bounded indices, then their
        // positions.
        let sizes = |windows: &[Window]| -> Vec<usize> {
            windows.iter().map(|window| window.stride).chain(windows.iter().map(Window::extent)).collect()
        };
        let columns = |windows: &[Window]| {
            windows.iter().fold(0, |columns, window| columns * window.extent() + window.positions - 1) + 1
        };
        let width = match kernel.ty() {
            Type::F64 => f64::micro([m, kernel.n.elements()]).columns,
            _ => f32::micro([m, kernel.n.elements()]).columns,
        };
        // A copy computes products for its gaps, and panels have to be packed. Counts the
        // multiplications of each depth, in whole tiles. Images with the same left operand share
        // panels.
        let (n, images) = (kernel.n.elements(), kernel.batch.elements());
        let products = if lefts() == 1 { 1 } else { images };
        let of_copies = images * m * columns(&windows).next_multiple_of(width);
        let of_panels = products * m * (images / products * n).next_multiple_of(width);
        let packing = images * n * PACKING_COST * m.div_ceil(ROWS);
        if of_panels + packing < of_copies {
            return None;
        }
        let mut strips = 1;
        while windows[0].positions > 1 {
            let copy = channels.length * sizes(&windows).iter().product::<usize>();
            let columns = columns(&windows);
            let few = strips * images < 2 * parallel::threads() && m * k * columns > MIN_MULTIPLICATIONS;
            let fits = copy <= MAX_STRIP && m.min(ROWS) * columns <= MAX_STRIP;
            // Strips of few columns would repeat most of the copy, and leave vectors empty.
            if (fits || columns < 4 * width) && !few {
                break;
            }
            windows[0].positions = positions.div_ceil(strips + 1);
            strips = positions.div_ceil(windows[0].positions).max(strips + 1);
        }
        strips = positions.div_ceil(windows[0].positions);
        let sizes = sizes(&windows);
        let dense = Layout::contiguous(Shape::from_dims(sizes.iter().copied()));
        let (rests, extents) = dense.strides().split_at(windows.len());
        let of_plane = |(number, bound): (usize, &BoundedIndex)| {
            let step = |d: usize| {
                if d == number { 1 } else { isize::from(d == number + windows.len()) * windows[number].stride as isize }
            };
            BoundedIndex { steps: (0..sizes.len()).map(step).collect(), ..bound.clone() }
        };
        let plane = Operand {
            bounded: bounded.iter().enumerate().map(of_plane).collect(),
            ..Operand::new(b.encoding, Layout::new(dense.shape().clone(), sizes.iter().map(|_| 0), 0))
        };
        let plane = Axis::new(&affine_strides(&merge_bounds(&plane).0, &(0..sizes.len()).collect::<Vec<_>>()));
        let inner = |index: &[usize], d: usize| index[d - dims.k[1][0]] as isize;
        let distance = |index: Vec<usize>| {
            let channel = free.iter().fold(0, |channel, &d| channel * b.shape()[d] + index[d - dims.k[1][0]]);
            let along =
                bounded.iter().zip(&windows).zip(rests.iter().zip(extents)).map(|((bound, window), (rest, extent))| {
                    let at = dims.k[1].iter().map(|&d| bound.steps[d] * inner(&index, d)).sum::<isize>() - window.low;
                    let stride = window.stride as isize;
                    at % stride * rest + at / stride * extent
                });
            (channel * plane.length) as isize + along.sum::<isize>()
        };
        let distances = indices(&kernel.k).map(distance).map(u32::try_from).collect::<Result<_, _>>().ok()?;
        // Relative to depth 0 of the first column.
        let lowest = |cursor: Cursor, by: &dyn Fn(usize) -> isize| {
            let mut cursor = cursor;
            for (number, bound) in bounded.iter().enumerate() {
                cursor.address += bound.stride * by(number);
                cursor.coordinates[number] += by(number);
            }
            cursor
        };
        let batch =
            Axis::new(&affine_strides(&b, &dims.batch)).from(lowest(origin(&b, start), &|number| windows[number].low));
        let down = (windows[0].positions * windows[0].stride) as isize;
        let step = lowest(Cursor::default(), &|number| if number == 0 { down } else { 0 });
        let (last, outer) = windows.split_last()?;
        let outer: Vec<usize> = outer.iter().map(|window| window.positions).collect();
        let starts = indices(&outer)
            .map(|index| index.iter().zip(extents).map(|(&i, &extent)| i * extent as usize).sum())
            .collect();
        let spans = Spans { starts, length: last.positions };
        let bounds = bounded.iter().map(Bound::of).collect();
        Some(Images { batch, bounds, channels, plane, distances, step, strips, spans })
    }

    /// The number of columns of a strip, including the columns in gaps.
    pub fn columns(&self) -> usize {
        self.spans.starts.last().map_or(0, |start| start + self.spans.length)
    }

    /// Copies a strip of an image.
    fn copy<T: Real>(&self, data: &[T], matrix: usize, strip: usize, copy: &mut [T]) {
        let first = self.batch.at(matrix).advance(strip as isize, &self.step);
        let step = &self.plane.step;
        self.plane.for_each_span(0..self.plane.length, |at, length, cursor| {
            let cursor = cursor.advance(1, &first);
            let mut run = Run { first: 0, every: 1, count: length, offset: cursor.address, stride: step.address };
            for (number, bound) in self.bounds.iter().enumerate() {
                run.clip(bound, cursor.coordinates[number], step.coordinates[number]);
            }
            self.channels.for_each_span(0..self.channels.length, |channel, count, cursor| {
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
    /// Multiplies images: all left operands are packed once, then strips are copied and multiplied
    /// in parallel.
    pub(super) fn with_images<T: Real>(&self, images: &Images, left: &Whole, launch: &Launch<T>) -> Result<()> {
        let [batch, m, n, k] = self.extents;
        let (spans, columns) = (&images.spans, images.columns());
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
        let (down, whole) = (m.div_ceil(rows), n / spans.length);
        parallel::split(batch * images.strips * down, &[batch, m, n, k], |tasks| {
            let buffer = |elements: usize| Buffer::new(launch.op, elements * size_of::<T>(), 0);
            // The last tile may extend past the end of the copy, for columns without results.
            let mut copy = buffer(images.channels.length * images.plane.length + micro.columns)?;
            let (mut sums, mut results) = (buffer(rows * columns)?, buffer(rows * spans.starts.len() * spans.length)?);
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
                let first = strip * spans.starts.len();
                let starts = &spans.starts[..spans.starts.len().min(whole - first)];
                let wide = starts.len() * spans.length;
                let results = &mut results.elements_mut::<T>()[..rows * wide];
                for (sums, results) in sums.chunks_exact(columns).zip(results.chunks_exact_mut(wide)) {
                    for (&start, results) in starts.iter().zip(results.chunks_exact_mut(spans.length)) {
                        copy_short(&sums[start..start + spans.length], results);
                    }
                }
                let at = |row: usize| (matrix * m + row) * n + first * spans.length;
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
