//! Pointwise kernels.

use super::{AffineIndex, KernelKind, Operand, affine::convert_indices, operand::convert_all};
use crate::{
    DType, Shape,
    expr::{Program, Type},
    number::{Convert, Number},
};

/// `outputs[j][i] = program.outputs[j]` for every point `i` of `shape`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map<N: Number = usize> {
    /// The iteration space.
    pub shape: Shape<N>,
    /// The operands that the input slots read.
    pub inputs: Vec<Operand<N>>,
    /// The affine indices of the program, over `shape`.
    pub indices: Vec<AffineIndex<N>>,
    /// The types of the parameter slots.
    pub params: Vec<Type>,
    /// The expressions, one output per entry of `dtypes`; each is converted to that type when
    /// stored.
    pub program: Program,
    /// The element types of the outputs.
    pub dtypes: Vec<DType>,
}

impl<N: Number> Map<N> {
    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Map<M> {
        let shape = self.shape.convert(convert);
        let inputs = convert_all(&self.inputs, &shape, convert);
        let indices = convert_indices(&self.indices, convert);
        Map {
            shape,
            inputs,
            indices,
            params: self.params.clone(),
            program: self.program.clone(),
            dtypes: self.dtypes.clone(),
        }
    }
}

impl<N: Number> KernelKind<N> for Map<N> {
    fn name(&self) -> &'static str {
        "map"
    }

    fn results(&self) -> Vec<(DType, Shape<N>)> {
        self.dtypes.iter().map(|&dtype| (dtype, self.shape.clone())).collect()
    }

    fn operands(&self) -> Vec<&Operand<N>> {
        self.inputs.iter().collect()
    }

    fn params(&self) -> &[Type] {
        &self.params
    }

    fn programs(&self) -> Vec<&Program> {
        vec![&self.program]
    }

    fn elementwise_operand(&self, input: usize, _output: usize) -> Option<&Operand<N>> {
        self.inputs.get(input)
    }

    fn listing(&self) -> Vec<String> {
        vec![self.program.to_string()]
    }
}
