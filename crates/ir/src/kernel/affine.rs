//! Affine indices: affine functions of the coordinates of an iteration space, as numbers that a
//! program computes with.
//!
//! A program that depends on the position of an element (the triangle of a matrix, the parts of a
//! concatenation, the class of a column) reads an affine index. Steps and start belong to the
//! kernel, as strides and offsets do. A backend therefore keeps them as data, and one compiled
//! program serves every shape. An index whose steps are all 0 is a number that depends on the shape
//! only.
//!
//! Rejected: the linear index divided by sizes that are constants of the program, which compiles a
//! program for every shape; and sizes as launch parameters, which cost a division per element and
//! do not compose with views.

use crate::{
    Layout, Shape,
    number::{Convert, Number},
};
use std::ops::Range;

/// The int32 number `start + sum over d of steps[d] * i[d]` at the point `i` of an iteration space.
///
/// ```
/// use lanthorn_ir::{Shape, kernel::AffineIndex};
/// // Column minus row: 0 on the diagonal of a matrix.
/// let diagonal = AffineIndex { steps: vec![-1, 1], start: 0 };
/// assert_eq!(diagonal.values(&Shape::from_dims([2, 3])).collect::<Vec<_>>(), [0, 1, 2, -1, 0, 1]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AffineIndex<N: Number = usize> {
    /// The change of the number with one step along each dimension.
    pub steps: Vec<N::Signed>,
    /// The number at the first point.
    pub start: N::Signed,
}

impl<N: Number> AffineIndex<N> {
    /// The coordinate along dimension `dim` of a space of `rank` dimensions.
    pub fn coordinate(rank: usize, dim: usize) -> AffineIndex<N> {
        let step = |d: usize| N::constant(usize::from(d == dim)).to_signed();
        AffineIndex { steps: (0..rank).map(step).collect(), start: N::constant(0).to_signed() }
    }

    /// A number that is the same at every point: a size, an offset.
    pub fn number(rank: usize, value: N) -> AffineIndex<N> {
        AffineIndex { steps: vec![N::constant(0).to_signed(); rank], start: value.to_signed() }
    }

    /// The offset of each element of `layout`.
    pub fn offset(layout: &Layout<N>) -> AffineIndex<N> {
        AffineIndex { steps: layout.strides().to_vec(), start: layout.offset().to_signed() }
    }

    /// The steps as the strides of a layout over `shape`, without the start.
    pub fn layout(&self, shape: &Shape<N>) -> Layout<N> {
        Layout::new(shape.clone(), self.steps.iter().copied(), N::constant(0))
    }

    /// The index with its dimensions in another order; `order` is a permutation.
    pub fn permute(&self, order: &[usize]) -> AffineIndex<N> {
        AffineIndex { steps: order.iter().map(|&d| self.steps[d]).collect(), start: self.start }
    }

    /// Whether the number changes along some of the dimensions `dims` of `shape`.
    pub fn varies(&self, shape: &Shape<N>, mut dims: Range<usize>) -> bool {
        dims.any(|d| self.steps[d] != 0 && shape[d] > N::constant(1))
    }

    /// The index with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> AffineIndex<M> {
        let steps = self.steps.iter().map(|&step| convert.to_signed(step)).collect();
        AffineIndex { steps, start: convert.to_signed(self.start) }
    }
}

/// Indices with numbers of another type.
pub(super) fn convert_indices<N: Number, M: Number>(
    indices: &[AffineIndex<N>],
    convert: &mut dyn Convert<N, M>,
) -> Vec<AffineIndex<M>> {
    indices.iter().map(|index| index.convert(convert)).collect()
}

impl AffineIndex {
    /// The number at every point of `shape` in row-major order: the definition that backends are
    /// tested against.
    pub fn values(&self, shape: &Shape) -> impl Iterator<Item = i32> + use<> {
        // Offsets below zero wrap around, and the addition wraps them back.
        let (start, offsets) = (self.start, self.layout(shape).offsets().collect::<Vec<_>>());
        offsets.into_iter().map(move |offset| (offset as isize + start) as i32)
    }
}
