//! Elements combined into an output at the positions that an index tensor names.

use super::{KernelKind, ReduceOp};
use crate::{DType, Layout, Shape};

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
/// Input 0 is the source, input 1 the index; the output buffer is updated in place. The order in
/// which values for one element are combined is fixed, so that the same launch gives the same bits.
/// An index outside the output's size along `dim` is an error of the launch and writes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scatter {
    /// The iteration space: the shape of index and source.
    pub shape: Shape,
    /// The dimension along which the index selects positions.
    pub dim: usize,
    /// The element type of source and output.
    pub dtype: DType,
    /// How values are combined.
    pub op: ScatterOp,
    /// Input 0: the values.
    pub source: Layout,
    /// Input 1: the index of each value, int32.
    pub index: Layout,
    /// The shape of the output, which is contiguous; no smaller than `shape` except along `dim`.
    pub output: Shape,
}

impl KernelKind for Scatter {
    fn name(&self) -> &'static str {
        "scatter"
    }

    fn results(&self) -> Vec<(DType, Shape)> {
        vec![(self.dtype, self.output.clone())]
    }

    fn input_count(&self) -> usize {
        2
    }

    fn updates(&self) -> bool {
        true
    }
}
