//! An iteration space in row-major order, and the iterators of its operands, which locate a block's
//! elements in memory.
//!
//! The dimensions are coalesced once, so most spaces have one or two. A block is any range of
//! linear positions and may cross rows. A bounded index without a divisor adds to an operand's
//! strides like any dimension and only limits its reads. So within a row the elements in bounds are
//! one run, which is found without a test for each element.

use super::run::{Bound, Run, plain};
use crate::{buffer::Shared, half::Half};
use bytemuck::Pod;
use lanthorn_ir::{
    Layout, Shape,
    expr::Constant,
    kernel::{AffineIndex, BoundedIndex, Operand},
};
use std::ops::Range;

/// The order of an operand's elements over the whole space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// Consecutive: a block is a slice of the buffer.
    Contiguous,
    /// One element everywhere.
    Uniform,
    /// One row, repeated.
    Repeated,
    /// Anything else.
    Strided,
}

/// The iterator of one operand over a space.
#[derive(Clone, Debug)]
pub(crate) struct OperandIterator {
    pub strides: Vec<isize>,
    pub offset: isize,
    pub pattern: Pattern,
    /// The bounded indices of its reads; see [`plain`].
    bounded: Vec<BoundedIndex>,
    /// The bytes of an out-of-bounds element.
    outside: u64,
}

/// An iteration space and the iterators of its operands.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    dims: Vec<usize>,
    pub operands: Vec<OperandIterator>,
}

/// The part of one row that is in a block.
struct Piece<'a> {
    /// The position of the first element in the block.
    done: usize,
    length: usize,
    /// The offset of the first element, without bounded indices that have divisors.
    offset: isize,
    stride: isize,
    /// The index of the first element in the space.
    index: &'a [usize],
    column: usize,
}

/// Rows shorter than this are read by columns, if there are many.
const SHORT_ROW: usize = 8;

/// Consecutive rows of a block: the range of their elements in the block, and their offsets in the
/// buffer.
struct Bundle {
    elements: Range<usize>,
    /// The length of a row.
    row: usize,
    /// The offset of the first element.
    offset: isize,
    /// The distance between two rows.
    step: isize,
    /// The distance between elements of a row.
    stride: isize,
}

impl OperandIterator {
    fn new(layout: &Layout, start: isize, bounded: Vec<BoundedIndex>, outside: u64) -> OperandIterator {
        let strides = layout.strides().to_vec();
        let rows_repeat = strides.iter().rev().skip(1).all(|&stride| stride == 0);
        let pattern = if !bounded.is_empty() {
            Pattern::Strided
        } else if strides.iter().all(|&stride| stride == 0) {
            Pattern::Uniform
        } else if layout.is_contiguous() {
            Pattern::Contiguous
        } else if rows_repeat {
            Pattern::Repeated
        } else {
            Pattern::Strided
        };
        OperandIterator { strides, offset: layout.offset() as isize + start, pattern, bounded, outside }
    }

    /// The elements of a piece that are in bounds.
    fn run(&self, piece: &Piece) -> Run {
        let mut run = Run { first: 0, every: 1, count: piece.length, offset: piece.offset, stride: piece.stride };
        for bound in &self.bounded {
            let along = bound.steps.last().copied().unwrap_or(0);
            let across: isize = bound.steps.iter().zip(piece.index).map(|(step, &index)| step * index as isize).sum();
            run.clip(&Bound::of(bound), bound.start + across + along * piece.column as isize, along);
        }
        run
    }
}

/// The bits of an operand's out-of-bounds element.
fn outside(operand: &Operand) -> u64 {
    match operand.outside {
        Constant::F32(value) if operand.dtype().is_half() => {
            let mut bits = [0];
            Half::of(operand.dtype()).into_iter().for_each(|half| half.narrow(&[f32::from_bits(value)], &mut bits));
            u64::from(bits[0])
        }
        Constant::Bool(value) => u64::from(value),
        Constant::U8(value) => u64::from(value),
        Constant::I32(value) => u64::from(value as u32),
        Constant::U32(value) | Constant::F32(value) => u64::from(value),
        Constant::I64(value) => value as u64,
        Constant::F64(value) => value,
    }
}

/// The lowest bytes of a word, as an element of up to eight bytes.
fn element<T: Pod>(word: u64) -> T {
    bytemuck::pod_read_unaligned(&word.to_le_bytes()[..size_of::<T>()])
}

impl Space {
    /// The space of layouts, which all have its shape. There is at least one.
    pub fn new(layouts: &[&Layout]) -> Space {
        Space::with_operands(&[], layouts)
    }

    /// The space of `operands` and then `layouts`. There is at least one layout.
    pub fn with_operands(operands: &[&Operand], layouts: &[&Layout]) -> Space {
        let (operands, starts): (Vec<Operand>, Vec<isize>) = operands.iter().map(|operand| plain(operand)).unzip();
        // The steps of a bounded index coalesce like strides.
        let bound = |bound: &BoundedIndex| Layout::new(layouts[0].shape().clone(), bound.steps.iter().copied(), 0);
        let bounded: Vec<Layout> = operands.iter().flat_map(|operand| operand.bounded.iter().map(bound)).collect();
        let walks: Vec<&Layout> =
            operands.iter().map(|operand| &operand.layout).chain(layouts.iter().copied()).chain(&bounded).collect();
        let coalesced = Layout::coalesce(&walks);
        let (walks, mut steps) = coalesced.split_at(operands.len() + layouts.len());
        let of_operand = |((operand, start), walk): ((&Operand, &isize), &Layout)| {
            let (own, rest) = steps.split_at(operand.bounded.len());
            steps = rest;
            let bounded = operand.bounded.iter().zip(own);
            let bounded = bounded.map(|(bound, walk)| BoundedIndex { steps: walk.strides().to_vec(), ..bound.clone() });
            OperandIterator::new(walk, *start, bounded.collect(), outside(operand))
        };
        let mut operands: Vec<OperandIterator> = operands.iter().zip(&starts).zip(walks).map(of_operand).collect();
        operands.extend(walks[operands.len()..].iter().map(|walk| OperandIterator::new(walk, 0, vec![], 0)));
        Space { dims: walks[0].shape().to_vec(), operands }
    }

    /// Adds the starts of affine indices to the operands from number `first` on.
    pub fn shift(&mut self, first: usize, indices: &[AffineIndex]) {
        let operands = self.operands[first..].iter_mut().zip(indices);
        operands.for_each(|(operand, index)| operand.offset += index.start);
    }

    /// The size of the last dimension.
    pub fn row(&self) -> usize {
        self.dims.last().copied().unwrap_or(1)
    }

    /// The sizes of the other dimensions.
    pub fn outer(&self) -> &[usize] {
        self.dims.split_last().map_or(&[], |(_, outer)| outer)
    }

    pub fn elements(&self) -> usize {
        self.dims.iter().product()
    }

    /// Calls `f` for each piece of a row in the block.
    #[inline(always)]
    fn pieces(&self, operand: &OperandIterator, start: usize, n: usize, mut f: impl FnMut(Piece)) {
        let Some((&row, outer)) = self.dims.split_last() else {
            return f(Piece { done: 0, length: n, offset: operand.offset, stride: 0, index: &[], column: 0 });
        };
        let (&stride, outer_strides) = operand.strides.split_last().unwrap_or((&0, &[]));
        walk(Rows { outer, outer_strides, row, stride }, operand.offset, start, n, f);
    }

    /// The index in the buffer of the block's first element, if the block's elements are
    /// consecutive there.
    pub fn slice(&self, operand: &OperandIterator, start: usize, n: usize) -> Option<usize> {
        if operand.pattern == Pattern::Contiguous {
            return Some(operand.offset as usize + start);
        }
        if operand.strides.last() != Some(&1) || start % self.row() + n > self.row() {
            return None;
        }
        let mut at = None;
        self.pieces(operand, start, n, |piece| {
            let run = operand.run(&piece);
            if (run.count, run.stride) == (n, 1) {
                at = Some(run.offset as usize);
            }
        });
        at
    }

    /// Calls `f` for each bundle of short rows, or of rows that are adjacent in the buffer, if the
    /// block consists of such rows: a transposed operand, one that repeats each element, or one
    /// that interleaves two. Processing a piece of a row costs as much as several elements.
    fn bundles(&self, operand: &OperandIterator, start: usize, n: usize, mut f: impl FnMut(Bundle)) -> bool {
        let (&[ref outer @ .., across, row], &[ref outer_strides @ .., step, stride]) =
            (self.dims.as_slice(), operand.strides.as_slice())
        else {
            return false;
        };
        let whole = row > 0 && start.is_multiple_of(row) && n.is_multiple_of(row);
        // A row of one repeated element is filled, as for the bias of an image's channels.
        let transposed = step == 1 && stride.abs() > 1;
        let pays = across > 1 && (transposed || row < SHORT_ROW && across > row);
        if !whole || !pays || !operand.bounded.is_empty() {
            return false;
        }
        walk(Rows { outer, outer_strides, row: across * row, stride: 0 }, operand.offset, start, n, |piece| {
            let offset = piece.offset + (piece.column / row) as isize * step;
            f(Bundle { elements: piece.done..piece.done + piece.length, row, offset, step, stride });
        });
        true
    }

    /// Copies the elements of a block into a register.
    pub fn load<T: Pod>(&self, operand: &OperandIterator, data: &[T], start: usize, target: &mut [T]) {
        let bundled = self.bundles(operand, start, target.len(), |bundle| {
            let target = &mut target[bundle.elements.clone()];
            for column in 0..bundle.row {
                let at = bundle.offset + column as isize * bundle.stride;
                let target = target[column..].iter_mut().step_by(bundle.row);
                match bundle.step {
                    0 => target.for_each(|target| *target = data[at as usize]),
                    step @ 1.. => {
                        let source = data[at as usize..].iter().step_by(step as usize);
                        target.zip(source).for_each(|(target, &element)| *target = element);
                    }
                    step => target.zip(0..).for_each(|(target, i)| *target = data[(at + i * step) as usize]),
                }
            }
        });
        if bundled {
            return;
        }
        let n = target.len();
        self.pieces(operand, start, n, |piece| {
            let target = &mut target[piece.done..piece.done + piece.length];
            let run = operand.run(&piece);
            if run.count < target.len() {
                target.fill(element(operand.outside));
            }
            if run.count > 0 {
                run.copy(data, target);
            }
        });
    }

    /// Copies a register to the elements of a block of an operand without bounded indices.
    ///
    /// # Safety
    ///
    /// No other thread may use these elements of `data` during the call.
    pub unsafe fn store<T: Pod>(&self, operand: &OperandIterator, data: Shared, start: usize, source: &[T]) {
        let bundled = self.bundles(operand, start, source.len(), |bundle| {
            let source = &source[bundle.elements.clone()];
            for column in 0..bundle.row {
                let mut at = bundle.offset + column as isize * bundle.stride;
                for &element in source[column..].iter().step_by(bundle.row) {
                    // SAFETY: the caller's condition.
                    unsafe { data.set(at as usize, element) };
                    at += bundle.step;
                }
            }
        });
        if bundled {
            return;
        }
        self.pieces(operand, start, source.len(), |piece| {
            let mut at = piece.offset;
            for &element in &source[piece.done..piece.done + piece.length] {
                // SAFETY: the caller's condition.
                unsafe { data.set(at as usize, element) };
                at += piece.stride;
            }
        });
    }

    /// Writes the offsets themselves, as u32. They are the values of an index.
    pub fn offsets(&self, operand: &OperandIterator, start: usize, target: &mut [u32]) {
        let n = target.len();
        self.pieces(operand, start, n, |piece| {
            let (first, step) = (piece.offset as u32, piece.stride as u32);
            for (i, element) in target[piece.done..piece.done + piece.length].iter_mut().enumerate() {
                *element = first.wrapping_add(step.wrapping_mul(i as u32));
            }
        });
    }
}

/// The rows of a space, for one operand.
#[derive(Clone, Copy)]
struct Rows<'a> {
    outer: &'a [usize],
    outer_strides: &'a [isize],
    row: usize,
    stride: isize,
}

/// Calls `f` for each piece of a row in a block.
#[inline(always)]
fn walk(
    Rows { outer, outer_strides, row, stride }: Rows,
    mut offset: isize,
    start: usize,
    n: usize,
    mut f: impl FnMut(Piece),
) {
    let (mut column, mut rest) = (start % row, start / row);
    let mut index = [0usize; Shape::MAX_RANK * 2];
    for d in (0..outer.len()).rev() {
        index[d] = rest % outer[d];
        rest /= outer[d];
        offset += index[d] as isize * outer_strides[d];
    }
    let mut done = 0;
    loop {
        let length = (row - column).min(n - done);
        let offset_here = offset + column as isize * stride;
        f(Piece { done, length, offset: offset_here, stride, index: &index[..outer.len()], column });
        done += length;
        if done == n {
            return;
        }
        column = 0;
        for d in (0..outer.len()).rev() {
            index[d] += 1;
            offset += outer_strides[d];
            if index[d] < outer[d] {
                break;
            }
            offset -= outer_strides[d] * outer[d] as isize;
            index[d] = 0;
        }
    }
}

/// The number of elements of the smallest buffer that holds every point of a layout; `None` if a
/// point is before its start.
pub(crate) fn extent(layout: &Layout) -> Option<usize> {
    if layout.shape().elements() == 0 {
        return Some(0);
    }
    let (mut lowest, mut highest) = (layout.offset() as i128, layout.offset() as i128);
    for (&size, &stride) in layout.shape().iter().zip(layout.strides()) {
        let reach = (size as i128 - 1) * stride as i128;
        if reach < 0 { lowest += reach } else { highest += reach }
    }
    if lowest < 0 { None } else { usize::try_from(highest + 1).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_ir::Shape;
    use proptest::prelude::*;

    pub(crate) fn layouts() -> impl Strategy<Value = Layout> {
        (prop::collection::vec((1usize..6, 0isize..4), 0..4), 0usize..3).prop_map(|(dims, offset)| {
            let shape = Shape::from_dims(dims.iter().map(|d| d.0));
            Layout::new(shape, dims.iter().map(|d| d.1 * 7 % 5), offset)
        })
    }

    proptest! {
        #[test]
        fn any_block_reads_what_the_layout_names(layout in layouts(), start in 0usize..50, n in 1usize..50) {
            let expected: Vec<u32> = layout.offsets().map(|o| o as u32).collect();
            let (start, n) = (start % expected.len(), n);
            let n = n.min(expected.len() - start);
            let space = Space::new(&[&layout]);
            prop_assert_eq!(space.elements(), expected.len());
            let data: Vec<u32> = (0..extent(&layout).unwrap() as u32).collect();
            let mut loaded = vec![0u32; n];
            space.load(&space.operands[0], &data, start, &mut loaded);
            prop_assert_eq!(&loaded, &expected[start..start + n]);
            space.offsets(&space.operands[0], start, &mut loaded);
            prop_assert_eq!(&loaded, &expected[start..start + n]);
            if let Some(at) = space.slice(&space.operands[0], start, n) {
                prop_assert_eq!(&data[at..at + n], &expected[start..start + n]);
            }
        }
    }

    #[test]
    fn extents() {
        let layout = |strides: [isize; 2], offset| Layout::new(Shape::from_dims([3, 4]), strides, offset);
        assert_eq!(extent(&layout([4, 1], 2)), Some(14));
        assert_eq!(extent(&layout([-4, 1], 8)), Some(12));
        assert_eq!(extent(&layout([-4, 1], 7)), None);
        assert_eq!(extent(&Layout::new(Shape::from_dims([0, 4]), [4, 1], 100)), Some(0));
    }
}
