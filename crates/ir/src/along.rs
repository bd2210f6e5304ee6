//! Kernels whose results depend on all elements along one dimension: running results, and elements in order.

use crate::{
    DType, Layout, Shape,
    expr::{Program, Type},
    kernel::Operand,
};

/// How the elements up to each place are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanOp {
    /// The sum, by blocks or in float64, never one long chain of float32 additions; integers wrap.
    Sum,
    /// The product; integers wrap.
    Prod,
    /// The largest so far, and the position of the last of those that are equal; NaN if any is NaN, and then the position of the last one.
    Max,
    /// The smallest so far, in the same way.
    Min,
    /// `y[j] = factor[j] * y[j - 1] + addend[j]` of floats, from `y[0] = addend[0]`. The prologue gives the factor and the addend.
    Recurrence,
}

impl ScanOp {
    /// Whether the positions of the results are an output too.
    pub const fn has_positions(self) -> bool {
        matches!(self, ScanOp::Max | ScanOp::Min)
    }
}

/// `outputs[0][i] = op over j up to i[dim] of prologue(inputs[..][i with i[dim] replaced by j])`; the outputs are contiguous.
///
/// The second output of a maximum or minimum are positions along `dim`, int32.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scan {
    /// The iteration space, of one dimension or more.
    pub shape: Shape,
    /// The dimension along which results run.
    pub dim: usize,
    /// Whether they run from the last element to the first.
    pub reverse: bool,
    /// What input slots read.
    pub inputs: Vec<Operand>,
    /// The types of the parameter slots.
    pub params: Vec<Type>,
    /// What is combined: one output, or two for a recurrence.
    pub prologue: Program,
    /// How.
    pub op: ScanOp,
    /// The element type of the values, which is that of the prologue's outputs and no half type.
    pub dtype: DType,
}

impl Scan {
    /// The elements before, along and after the dimension: `shape` as three dimensions.
    pub fn extents(&self) -> [usize; 3] {
        extents(&self.shape, self.dim)
    }
}

/// Rows along a dimension, each sorted by itself: `outputs[0]` are the elements, `outputs[1]` the int32 positions along `dim` that they come from. Both
/// are contiguous.
///
/// Equal elements stay in their order. NaN is larger than everything, and 0 and -0 are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sort {
    /// The element type; a sort moves elements as they are.
    pub dtype: DType,
    /// Input 0: what is sorted, of one dimension or more. Its shape is the iteration space.
    pub source: Layout,
    /// The dimension along which elements are put in order.
    pub dim: usize,
    /// Whether the largest comes first.
    pub descending: bool,
}

impl Sort {
    /// The elements before, along and after the dimension: the shape as three dimensions.
    pub fn extents(&self) -> [usize; 3] {
        extents(self.source.shape(), self.dim)
    }
}

fn extents(shape: &Shape, dim: usize) -> [usize; 3] {
    let product = |sizes: &[usize]| sizes.iter().product();
    [product(&shape[..dim]), shape[dim], product(&shape[dim + 1..])]
}
