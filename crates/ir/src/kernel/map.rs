//! Pointwise kernels.

use super::{AffineIndex, KernelKind, Operand};
use crate::{
    DType, Shape,
    expr::{Program, Type},
};

/// `outputs[j][i] = program.outputs[j]` for every point `i` of `shape`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map {
    /// The iteration space.
    pub shape: Shape,
    /// The operands that the input slots read.
    pub inputs: Vec<Operand>,
    /// The affine indices of the program, over `shape`.
    pub indices: Vec<AffineIndex>,
    /// The types of the parameter slots.
    pub params: Vec<Type>,
    /// The expressions, one output per entry of `dtypes`; each is converted to that type when
    /// stored.
    pub program: Program,
    /// The element types of the outputs.
    pub dtypes: Vec<DType>,
}

impl KernelKind for Map {
    fn name(&self) -> &'static str {
        "map"
    }

    fn results(&self) -> Vec<(DType, Shape)> {
        self.dtypes.iter().map(|&dtype| (dtype, self.shape.clone())).collect()
    }

    fn operands(&self) -> Vec<&Operand> {
        self.inputs.iter().collect()
    }

    fn params(&self) -> &[Type] {
        &self.params
    }

    fn programs(&self) -> Vec<&Program> {
        vec![&self.program]
    }

    fn elementwise_operand(&self, input: usize, _output: usize) -> Option<&Operand> {
        self.inputs.get(input)
    }

    fn listing(&self) -> Vec<String> {
        vec![self.program.to_string()]
    }
}
