//! Elements combined into an output at the positions that an index tensor contains.

use super::{KernelKind, ReduceOp};
use crate::{
    DType, Layout, Shape,
    number::{Convert, Number},
};

/// How a scatter combines a value with the element at its destination.
///
/// For half types only [`ScatterOp::Set`] exists: other ops run in float32, so that a result is
/// rounded once and not at each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScatterOp {
    /// The value is added.
    Add,
    /// The element is multiplied by the value.
    Mul,
    /// The maximum of both; NaN if either is.
    Max,
    /// The minimum of both; NaN if either is.
    Min,
    /// The value replaces the element. Of several values for one element, the last in row-major
    /// order wins.
    Set,
}

impl ScatterOp {
    /// The reduction over an element and all values scattered to it; `None` for [`ScatterOp::Set`].
    pub const fn reduction(self) -> Option<ReduceOp> {
        match self {
            ScatterOp::Add => Some(ReduceOp::Sum),
            ScatterOp::Mul => Some(ReduceOp::Prod),
            ScatterOp::Max => Some(ReduceOp::Max),
            ScatterOp::Min => Some(ReduceOp::Min),
            ScatterOp::Set => None,
        }
    }
}

/// `output[i with i[dim] replaced by index[i]] op= source[i]` over `shape`, onto an output that
/// already holds the base.
///
/// Input 0 is the source, input 1 the index; the output buffer is updated in place. Values for one
/// element are combined in a fixed order, so that the same launch returns the same bits. An index
/// outside of the output's size along `dim` is an error of the launch, and its value is not
/// written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scatter<N: Number = usize> {
    /// The iteration space: the shape of index and source.
    pub shape: Shape<N>,
    /// The dimension along which the index selects positions.
    pub dim: usize,
    /// The element type of source and output.
    pub dtype: DType,
    /// How values are combined.
    pub op: ScatterOp,
    /// Input 0: the values.
    pub source: Layout<N>,
    /// Input 1: the index of each value, int32.
    pub index: Layout<N>,
    /// The shape of the output, which is contiguous; no smaller than `shape` except along `dim`.
    pub output: Shape<N>,
}

impl<N: Number> Scatter<N> {
    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Scatter<M> {
        let shape = self.shape.convert(convert);
        let source = self.source.convert_over(shape.clone(), convert);
        let index = self.index.convert_over(shape.clone(), convert);
        let output = self.output.convert(convert);
        Scatter { shape, dim: self.dim, dtype: self.dtype, op: self.op, source, index, output }
    }
}

impl<N: Number> KernelKind<N> for Scatter<N> {
    fn name(&self) -> &'static str {
        "scatter"
    }

    fn results(&self) -> Vec<(DType, Shape<N>)> {
        vec![(self.dtype, self.output.clone())]
    }

    fn sources(&self) -> Vec<(DType, Layout<N>)> {
        vec![(self.dtype, self.source.clone()), (DType::I32, self.index.clone())]
    }

    fn updates(&self) -> bool {
        true
    }
}
