//! The layout of a tensor in its storage: shape, strides and offset; and the views, which change
//! only these.

use crate::{
    Error, Result, Shape,
    number::{Convert, Number},
};
use std::{
    hash::{Hash, Hasher},
    sync::Arc,
};

/// A strided view of a storage. Strides and offset count elements, not bytes; a stride of 0 repeats
/// an element.
///
/// ```
/// use lanthorn_ir::{Layout, Shape};
/// let rows = Layout::contiguous(Shape::from_dims([2, 3]));
/// let columns = rows.permute(&[1, 0]);
/// assert_eq!(columns.strides(), [1, 3]);
/// assert_eq!(columns.offsets().collect::<Vec<_>>(), [0, 3, 1, 4, 2, 5]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout<N: Number = usize> {
    shape: Shape<N>,
    strides: Arc<[N::Signed]>,
    offset: N,
}

impl<N: Number> Hash for Layout<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.shape.hash(state);
        self.strides.hash(state);
        self.offset.hash(state);
    }
}

impl<N: Number> Layout<N> {
    /// The row-major layout that starts at offset 0.
    pub fn contiguous(shape: Shape<N>) -> Layout<N> {
        let strides = shape.contiguous_strides().into();
        Layout { shape, strides, offset: N::constant(0) }
    }

    /// A layout from its parts. The caller ensures that it stays within the storage.
    pub fn new(shape: Shape<N>, strides: impl IntoIterator<Item = N::Signed>, offset: N) -> Layout<N> {
        let strides: Arc<[N::Signed]> = strides.into_iter().collect();
        debug_assert_eq!(strides.len(), shape.rank());
        Layout { shape, strides, offset }
    }

    /// The shape.
    pub fn shape(&self) -> &Shape<N> {
        &self.shape
    }

    /// The distance between neighbours in each dimension, in elements.
    pub fn strides(&self) -> &[N::Signed] {
        &self.strides
    }

    /// The offset of the first element.
    pub fn offset(&self) -> N {
        self.offset
    }

    /// Whether the elements are adjacent, in row-major order, from any offset.
    pub fn is_contiguous(&self) -> bool {
        let mut expected = N::constant(1).to_signed();
        for (&size, &stride) in self.shape.iter().zip(&*self.strides).rev() {
            if size != 1 && stride != expected && self.shape.elements() != 0 {
                return false;
            }
            expected = expected * size.or_one().to_signed();
        }
        true
    }

    /// Whether the layout covers a storage of `elements` in order.
    pub fn covers(&self, elements: N) -> bool {
        self.offset == 0 && self.is_contiguous() && self.shape.elements() == elements
    }

    /// The layout with its dimensions reordered; `order` is a permutation of `0..rank`.
    pub fn permute(&self, order: &[usize]) -> Layout<N> {
        let shape = Shape::from_dims(order.iter().map(|&d| self.shape[d]));
        Layout::new(shape, order.iter().map(|&d| self.strides[d]), self.offset)
    }

    /// The same offsets in the same order, with as few dimensions as possible: dimensions of size 1
    /// are dropped and adjacent ones merged.
    ///
    /// All `layouts` have the same shape; a dimension is merged only if every one of them allows
    /// it.
    pub fn coalesce(layouts: &[&Layout<N>]) -> Vec<Layout<N>> {
        let shape = &layouts[0].shape;
        let mut dims: Vec<N> = Vec::new();
        let mut strides: Vec<Vec<N::Signed>> = vec![Vec::new(); layouts.len()];
        for d in (0..shape.rank()).filter(|&d| shape[d] != 1) {
            let merges = dims.last().is_some()
                && layouts
                    .iter()
                    .zip(&strides)
                    .all(|(layout, strides)| strides.last() == Some(&(layout.strides[d] * shape[d].to_signed())));
            if merges {
                if let Some(last) = dims.last_mut() {
                    *last = *last * shape[d];
                }
            } else {
                dims.push(shape[d]);
            }
            for (layout, strides) in layouts.iter().zip(&mut strides) {
                if merges {
                    strides.pop();
                }
                strides.push(layout.strides[d]);
            }
        }
        let shape = Shape::from_dims(dims);
        let parts = layouts.iter().zip(strides);
        parts.map(|(layout, strides)| Layout::new(shape.clone(), strides, layout.offset)).collect()
    }

    /// The layout with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Layout<M> {
        let shape = self.shape.convert(convert);
        self.convert_over(shape, convert)
    }

    /// The layout with numbers of another type. `shape` is the converted shape.
    pub fn convert_over<M: Number>(&self, shape: Shape<M>, convert: &mut dyn Convert<N, M>) -> Layout<M> {
        debug_assert_eq!(shape.rank(), self.shape.rank());
        let strides = self.strides.iter().map(|&stride| convert.to_signed(stride)).collect();
        Layout { shape, strides, offset: convert.number(self.offset) }
    }
}

impl Layout {
    /// Whether two indices may name the same element, as in an expanded dimension or in overlapping
    /// windows. Strides that interleave without meeting, which no slicing produces, count as
    /// overlapping.
    pub fn overlaps_itself(&self) -> bool {
        let sides = self.strides.iter().zip(self.shape.iter()).filter(|(_, size)| **size > 1);
        let mut sides: Vec<(usize, usize)> = sides.map(|(stride, &size)| (stride.unsigned_abs(), size)).collect();
        sides.sort_unstable();
        let mut reach = 0;
        let mut overlaps = |(stride, size): (usize, usize)| {
            let meets = stride <= reach;
            reach += stride * (size - 1);
            meets
        };
        self.shape.elements() > 0 && sides.into_iter().any(&mut overlaps)
    }

    /// The layout broadcast to a larger shape, with stride 0 in dimensions of size 1 and in new
    /// leading dimensions.
    ///
    /// # Errors
    /// A shape error, in the name of `op`, if the shapes do not broadcast.
    pub fn expand(&self, op: &str, shape: &Shape) -> Result<Layout> {
        let lead = shape.rank().checked_sub(self.shape.rank());
        let fits =
            lead.is_some_and(|lead| self.shape.iter().zip(&shape[lead..]).all(|(&from, &to)| from == to || from == 1));
        let Some(lead) = lead.filter(|_| fits) else {
            return Err(Error::shape(op, format!("shape {} does not expand to {shape}", self.shape)));
        };
        let strides = (0..shape.rank()).map(|d| match d.checked_sub(lead) {
            Some(d) if self.shape[d] == shape[d + lead] => self.strides[d],
            _ => 0,
        });
        Ok(Layout::new(shape.clone(), strides, self.offset))
    }

    /// `length` indices of dimension `dim`, from `start` in steps of `step`.
    pub fn slice(&self, dim: usize, start: usize, length: usize, step: usize) -> Layout {
        let (mut sizes, mut strides) = (self.shape.to_vec(), self.strides.to_vec());
        sizes[dim] = length;
        strides[dim] *= step as isize;
        let moved = if length > 0 { self.strides[dim] * start as isize } else { 0 };
        Layout::new(Shape::from_dims(sizes), strides, (self.offset as isize + moved) as usize)
    }

    /// The layout at `index` of dimension `dim`, without that dimension.
    pub fn select(&self, dim: usize, index: usize) -> Layout {
        let (mut sizes, mut strides) = (self.shape.to_vec(), self.strides.to_vec());
        sizes.remove(dim);
        let moved = strides.remove(dim) * index as isize;
        Layout::new(Shape::from_dims(sizes), strides, (self.offset as isize + moved) as usize)
    }

    /// The same elements in another shape, without moving them; `None` if the strides do not allow
    /// it. Both shapes have the same number of elements.
    pub fn reshape(&self, shape: &Shape) -> Option<Layout> {
        debug_assert_eq!(shape.elements(), self.shape.elements());
        if shape.elements() == 0 {
            return Some(Layout { offset: self.offset, ..Layout::contiguous(shape.clone()) });
        }
        // Both shapes are traversed from the last dimension. Each maximal run of old dimensions
        // that are contiguous with one another must be split exactly by a run of new ones.
        let mut strides = vec![0isize; shape.rank()];
        let mut new = shape.rank();
        let mut old = self.shape.rank();
        while old > 0 {
            let inner = self.strides[old - 1];
            let mut run = self.shape[old - 1];
            old -= 1;
            while old > 0 && (self.shape[old - 1] == 1 || run == 1 || self.strides[old - 1] == inner * run as isize) {
                if run == 1 {
                    break;
                }
                run *= self.shape[old - 1];
                old -= 1;
            }
            if run == 1 {
                continue;
            }
            let mut stride = inner;
            while run > 1 {
                new = new.checked_sub(1)?;
                if !run.is_multiple_of(shape[new]) {
                    return None;
                }
                strides[new] = stride;
                stride *= shape[new] as isize;
                run /= shape[new];
            }
        }
        // A dimension of size 1 gets the same stride as in PyTorch: the stride of a contiguous
        // layout of the dimensions after it.
        for d in (0..shape.rank()).rev().filter(|&d| shape[d] == 1) {
            strides[d] = if d + 1 < shape.rank() { strides[d + 1] * shape[d + 1] as isize } else { 1 };
        }
        Some(Layout::new(shape.clone(), strides, self.offset))
    }

    /// The offset of every element, in row-major order.
    pub fn offsets(&self) -> impl Iterator<Item = usize> + '_ {
        let mut index = vec![0usize; self.shape.rank()];
        let mut offset = self.offset as isize;
        (0..self.shape.elements()).map(move |_| {
            let here = offset as usize;
            for d in (0..index.len()).rev() {
                index[d] += 1;
                offset += self.strides[d];
                if index[d] < self.shape[d] {
                    break;
                }
                offset -= self.strides[d] * self.shape[d] as isize;
                index[d] = 0;
            }
            here
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn contiguous(dims: &[usize]) -> Layout {
        Layout::contiguous(Shape::from_dims(dims.iter().copied()))
    }

    #[test]
    fn a_transposed_matrix_has_no_flat_view() {
        let t = contiguous(&[2, 3]).permute(&[1, 0]);
        assert!(t.reshape(&Shape::from_dims([6])).is_none());
        assert!(!t.is_contiguous());
    }

    #[test]
    fn windows_overlap_where_their_step_is_shorter_than_they_are() {
        let windows = |step, size| Layout::new(Shape::from_dims([3, size]), [step, 1], 0).overlaps_itself();
        assert!(windows(1, 2) && windows(2, 3) && windows(0, 1));
        assert!(!windows(2, 2) && !windows(3, 2) && !windows(1, 1) && !windows(0, 0));
        assert!(!contiguous(&[2, 3, 4]).permute(&[1, 2, 0]).slice(0, 0, 2, 2).overlaps_itself());
    }

    #[test]
    fn splitting_and_inserting_ones_is_a_view() {
        let t = contiguous(&[4, 6]).permute(&[1, 0]);
        let split = t.reshape(&Shape::from_dims([2, 3, 1, 4, 1])).unwrap();
        assert_eq!(split.offsets().collect::<Vec<_>>(), t.offsets().collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn reshape_and_coalesce_keep_all_offsets(
            dims in prop::collection::vec(1usize..4, 0..5),
            seed in any::<u64>(),
        ) {
            let mut order: Vec<usize> = (0..dims.len()).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, (seed >> (i * 7)) as usize % (i + 1));
            }
            let mut layout = contiguous(&dims).permute(&order);
            if let Some(d) = (0..layout.shape().rank()).find(|&d| layout.shape()[d] > 1) && seed.is_multiple_of(2) {
                layout = layout.slice(d, 1, layout.shape()[d] - 1, 1);
            }
            let offsets: Vec<_> = layout.offsets().collect();
            prop_assert_eq!(&Layout::coalesce(&[&layout])[0].offsets().collect::<Vec<_>>(), &offsets);
            let flat = Shape::from_dims([layout.shape().elements()]);
            match layout.reshape(&flat) {
                Some(view) => prop_assert_eq!(view.offsets().collect::<Vec<_>>(), offsets),
                None => prop_assert!(!layout.is_contiguous()),
            }
        }
    }
}
