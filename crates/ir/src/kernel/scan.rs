//! Running results along one dimension.

use super::{AffineIndex, KernelKind, Operand, affine::convert_indices, extents_around, operand::convert_all};
use crate::{
    DType, Shape,
    expr::{Program, Type},
    number::{Convert, Number},
};

/// How a scan combines the elements up to each position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanOp {
    /// The sum, computed in blocks or in float64, never as one long chain of float32 additions;
    /// integers wrap.
    Sum,
    /// The product; integers wrap.
    Prod,
    /// The maximum so far, and the position of the last element equal to it. If any element so far
    /// is NaN, the maximum is NaN and the position is the last NaN's.
    Max,
    /// The minimum so far, with the same rule for positions.
    Min,
    /// The linear recurrence `y[j] = factor[j] * y[j - 1] + addend[j]` of floats, from
    /// `y[0] = addend[0]`. The prologue computes the factor and the addend.
    Recurrence,
}

impl ScanOp {
    /// Whether the positions of the results are a second output.
    pub const fn has_positions(self) -> bool {
        matches!(self, ScanOp::Max | ScanOp::Min)
    }
}

/// `outputs[0][i] = op over j up to i[dim] of prologue(inputs[..][i with i[dim] replaced by j])`.
///
/// A maximum or minimum has a second output: positions along `dim`, int32.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scan<N: Number = usize> {
    /// The iteration space, of at least one dimension.
    pub shape: Shape<N>,
    /// The dimension that is scanned.
    pub dim: usize,
    /// Whether the scan runs from the last element to the first.
    pub reverse: bool,
    /// The operands that the input slots read.
    pub inputs: Vec<Operand<N>>,
    /// The affine indices of the scanned expression, over `shape`.
    pub indices: Vec<AffineIndex<N>>,
    /// The types of the parameter slots.
    pub params: Vec<Type>,
    /// The scanned expression: one output, or two for a recurrence.
    pub prologue: Program,
    /// How elements are combined.
    pub op: ScanOp,
    /// The element type of the values, which the prologue's outputs have. It is not a half type.
    pub dtype: DType,
}

impl<N: Number> Scan<N> {
    /// `shape` as three dimensions: the elements before, along and after `dim`.
    pub fn extents(&self) -> [N; 3] {
        extents_around(&self.shape, self.dim)
    }

    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Scan<M> {
        let shape = self.shape.convert(convert);
        Scan {
            inputs: convert_all(&self.inputs, &shape, convert),
            indices: convert_indices(&self.indices, convert),
            shape,
            dim: self.dim,
            reverse: self.reverse,
            params: self.params.clone(),
            prologue: self.prologue.clone(),
            op: self.op,
            dtype: self.dtype,
        }
    }
}

impl<N: Number> KernelKind<N> for Scan<N> {
    fn name(&self) -> &'static str {
        "scan"
    }

    fn results(&self) -> Vec<(DType, Shape<N>)> {
        let positions = self.op.has_positions().then_some(DType::I32);
        [self.dtype].into_iter().chain(positions).map(|dtype| (dtype, self.shape.clone())).collect()
    }

    fn operands(&self) -> Vec<&Operand<N>> {
        self.inputs.iter().collect()
    }

    fn params(&self) -> &[Type] {
        &self.params
    }

    fn programs(&self) -> Vec<&Program> {
        vec![&self.prologue]
    }

    fn listing(&self) -> Vec<String> {
        let from = if self.reverse { " from the end" } else { "" };
        vec![format!("{:?} along dimension {}{from} of {}", self.op, self.dim, self.prologue)]
    }
}
