//! Where the elements of a block lie: an iteration space walked in row-major order, and the operands' strides in it.
//!
//! The dimensions are coalesced once, so that most spaces have one or two. A block is any run of linear positions; it may cross rows.

use bytemuck::Pod;
use lanthorn_ir::Layout;

/// How an operand's elements follow one another over the whole space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// One after another: a block is a slice of the buffer.
    Contiguous,
    /// One element everywhere.
    Uniform,
    /// The same row again and again.
    Repeated,
    /// Anything else.
    Strided,
}

/// One operand's way through a space.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub strides: Vec<isize>,
    pub offset: isize,
    pub pattern: Pattern,
}

/// An iteration space and the ways of its operands through it.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    dims: Vec<usize>,
    pub streams: Vec<Stream>,
}

impl Space {
    /// The space that all `layouts` have as their shape; at least one.
    pub fn new(layouts: &[&Layout]) -> Space {
        let coalesced = Layout::coalesce(layouts);
        let dims = coalesced[0].shape().to_vec();
        let streams = coalesced.iter().map(|layout| {
            let strides = layout.strides().to_vec();
            let rows_repeat = strides.iter().rev().skip(1).all(|&stride| stride == 0);
            let pattern = if strides.iter().all(|&stride| stride == 0) {
                Pattern::Uniform
            } else if layout.is_contiguous() {
                Pattern::Contiguous
            } else if rows_repeat {
                Pattern::Repeated
            } else {
                Pattern::Strided
            };
            Stream { strides, offset: layout.offset() as isize, pattern }
        });
        Space { streams: streams.collect(), dims }
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

    /// Calls `f` with (position in the block, length, offset of the first element, stride) for each piece of a row in the block.
    #[inline(always)]
    pub fn pieces(&self, stream: &Stream, start: usize, n: usize, mut f: impl FnMut(usize, usize, isize, isize)) {
        let Some((&row, outer)) = self.dims.split_last() else { return f(0, n, stream.offset, 0) };
        let (&stride, outer_strides) = stream.strides.split_last().unwrap_or((&0, &[]));
        let (mut column, mut rest) = (start % row, start / row);
        let mut index = [0usize; lanthorn_ir::Shape::MAX_RANK * 2];
        let mut offset = stream.offset;
        for d in (0..outer.len()).rev() {
            index[d] = rest % outer[d];
            rest /= outer[d];
            offset += index[d] as isize * outer_strides[d];
        }
        let mut done = 0;
        loop {
            let length = (row - column).min(n - done);
            f(done, length, offset + column as isize * stride, stride);
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

    /// Where the block begins in the buffer, if its elements follow one another there.
    pub fn slice(&self, stream: &Stream, start: usize, n: usize) -> Option<usize> {
        if stream.pattern == Pattern::Contiguous {
            return Some(stream.offset as usize + start);
        }
        if stream.strides.last() != Some(&1) || start % self.row() + n > self.row() {
            return None;
        }
        let mut at = None;
        self.pieces(stream, start, n, |_, _, offset, _| at = Some(offset as usize));
        at
    }

    /// Copies the elements of a block into a register.
    pub fn load<T: Pod>(&self, stream: &Stream, data: &[T], start: usize, target: &mut [T]) {
        let n = target.len();
        self.pieces(stream, start, n, |done, length, offset, stride| {
            let (target, offset) = (&mut target[done..done + length], offset as usize);
            match stride {
                1 if length < 16 => target.iter_mut().zip(&data[offset..]).for_each(|(t, &s)| *t = s),
                1 => target.copy_from_slice(&data[offset..offset + length]),
                0 => target.fill(data[offset]),
                _ => {
                    let mut at = offset as isize;
                    for element in target {
                        *element = data[at as usize];
                        at += stride;
                    }
                }
            }
        });
    }

    /// Writes the offsets themselves, as u32: how the index of an element is computed.
    pub fn offsets(&self, stream: &Stream, start: usize, target: &mut [u32]) {
        let n = target.len();
        self.pieces(stream, start, n, |done, length, offset, stride| {
            let (first, step) = (offset as u32, stride as u32);
            for (i, element) in target[done..done + length].iter_mut().enumerate() {
                *element = first.wrapping_add(step.wrapping_mul(i as u32));
            }
        });
    }
}

/// How many elements a buffer must have for every point of a layout to lie in it; `None` if one lies before its start.
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
            space.load(&space.streams[0], &data, start, &mut loaded);
            prop_assert_eq!(&loaded, &expected[start..start + n]);
            space.offsets(&space.streams[0], start, &mut loaded);
            prop_assert_eq!(&loaded, &expected[start..start + n]);
            if let Some(at) = space.slice(&space.streams[0], start, n) {
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
