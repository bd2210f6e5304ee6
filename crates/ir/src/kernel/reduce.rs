//! Reductions over one or more dimensions.

use super::{AffineIndex, Epilogue, KernelKind, Operand, affine::convert_indices, concat, operand::convert_all};
use crate::{
    DType, Shape,
    expr::{Program, Type},
    number::{Convert, Number},
};

/// How a reduction combines values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// The sum, computed pairwise or in blocks, never as one long chain of float32 additions. The
    /// empty sum is 0.
    Sum,
    /// The product. The empty product is 1.
    Prod,
    /// The maximum; NaN if any value is NaN. Of bool: "any". Of no values: the lowest value of the
    /// type (false for bool).
    Max,
    /// The minimum; NaN if any value is NaN. Of bool: "all". Of no values: the highest value of the
    /// type (true for bool).
    Min,
    /// The position of the first maximum (or first NaN), as int32.
    ArgMax,
    /// The position of the first minimum (or first NaN), as int32.
    ArgMin,
}

impl ReduceOp {
    /// Whether the result is a position rather than a value.
    pub const fn is_index(self) -> bool {
        matches!(self, ReduceOp::ArgMax | ReduceOp::ArgMin)
    }

    /// The type of the result of reducing the one output of `program`.
    pub(super) fn result(self, program: &Program) -> Type {
        if self.is_index() { Type::I32 } else { program.ty(program.outputs[0]) }
    }
}

/// `outputs[j][o] = epilogue(op over i of prologue(inputs[..][o, i]))`, over `outer`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reduce<N: Number = usize> {
    /// The dimensions that remain. Operands have shape `outer` followed by `inner`.
    pub outer: Shape<N>,
    /// The dimensions that are reduced. A position ([`ReduceOp::ArgMax`]) is the linear index over
    /// them.
    pub inner: Shape<N>,
    /// The operands that the input slots of the prologue read.
    pub inputs: Vec<Operand<N>>,
    /// The affine indices of the prologue, over `outer` followed by `inner`. The epilogue has none.
    pub indices: Vec<AffineIndex<N>>,
    /// The types of the parameter slots, shared by prologue and epilogue.
    pub params: Vec<Type>,
    /// The reduced expression; one output.
    pub prologue: Program,
    /// How values are combined.
    pub op: ReduceOp,
    /// The map that is applied to the result (of type [`Type::I32`] for a position), over `outer`.
    pub epilogue: Epilogue<N>,
}

impl<N: Number> Reduce<N> {
    /// The type of the epilogue's slot 0: the type of the reduced value, or of a position.
    pub fn result(&self) -> Type {
        self.op.result(&self.prologue)
    }

    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Reduce<M> {
        let (outer, inner) = (self.outer.convert(convert), self.inner.convert(convert));
        let inputs = convert_all(&self.inputs, &concat([&outer, &inner]), convert);
        let epilogue = self.epilogue.convert(&outer, convert);
        Reduce {
            outer,
            inner,
            inputs,
            indices: convert_indices(&self.indices, convert),
            params: self.params.clone(),
            prologue: self.prologue.clone(),
            op: self.op,
            epilogue,
        }
    }
}

impl<N: Number> KernelKind<N> for Reduce<N> {
    fn name(&self) -> &'static str {
        "reduce"
    }

    fn results(&self) -> Vec<(DType, Shape<N>)> {
        self.epilogue.dtypes.iter().map(|&dtype| (dtype, self.outer.clone())).collect()
    }

    fn operands(&self) -> Vec<&Operand<N>> {
        self.inputs.iter().chain(&self.epilogue.inputs).collect()
    }

    fn params(&self) -> &[Type] {
        &self.params
    }

    fn programs(&self) -> Vec<&Program> {
        vec![&self.prologue, &self.epilogue.program]
    }

    fn elementwise_operand(&self, input: usize, _output: usize) -> Option<&Operand<N>> {
        self.epilogue.inputs.get(input.checked_sub(self.inputs.len())?)
    }

    fn listing(&self) -> Vec<String> {
        let reduction = format!("{:?} over {:?} of {}", self.op, self.inner, self.prologue);
        [reduction].into_iter().chain(self.epilogue.listing()).collect()
    }
}
