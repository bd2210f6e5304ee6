//! Several pointwise kernels in one launch (horizontal fusion).

use super::{KernelKind, Map, Operand};
use crate::{
    DType, Shape,
    expr::{Program, Type},
    number::{Convert, Number},
};

/// Pointwise kernels that do not read one another's results, each over its own shape. The inputs,
/// outputs and parameters of the launch are those of the parts, concatenated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Maps<N: Number = usize> {
    /// The kernels.
    pub parts: Vec<Map<N>>,
    /// The types of all parts' parameters.
    pub params: Vec<Type>,
}

impl<N: Number> Maps<N> {
    /// One launch of all `parts`.
    pub fn new(parts: Vec<Map<N>>) -> Maps<N> {
        let params = parts.iter().flat_map(|part| part.params.iter().copied()).collect();
        Maps { parts, params }
    }

    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Maps<M> {
        Maps { parts: self.parts.iter().map(|part| part.convert(convert)).collect(), params: self.params.clone() }
    }
}

impl<N: Number> KernelKind<N> for Maps<N> {
    fn name(&self) -> &'static str {
        "maps"
    }

    fn results(&self) -> Vec<(DType, Shape<N>)> {
        self.parts.iter().flat_map(Map::results).collect()
    }

    fn operands(&self) -> Vec<&Operand<N>> {
        self.parts.iter().flat_map(|part| &part.inputs).collect()
    }

    fn params(&self) -> &[Type] {
        &self.params
    }

    fn programs(&self) -> Vec<&Program> {
        self.parts.iter().map(|part| &part.program).collect()
    }

    /// The two must belong to the same part: nothing orders the parts among themselves.
    fn elementwise_operand(&self, mut input: usize, mut output: usize) -> Option<&Operand<N>> {
        for part in &self.parts {
            match (part.inputs.get(input), output < part.dtypes.len()) {
                (Some(operand), true) => return Some(operand),
                (None, false) => {}
                _ => return None,
            }
            input -= part.inputs.len();
            output -= part.dtypes.len();
        }
        None
    }

    fn listing(&self) -> Vec<String> {
        self.parts.iter().map(|part| part.program.to_string()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kernel, Layout, expr::Expr, kernel::identity};

    #[test]
    fn an_output_replaces_inputs_of_its_own_part_only() {
        let map = |inputs: usize, outputs: usize| Map {
            indices: vec![],
            shape: Shape::from_dims([3]),
            inputs: vec![Operand::new(DType::F32, Layout::contiguous(Shape::from_dims([3]))); inputs],
            params: vec![],
            program: if inputs > 0 { identity(Type::F32) } else { Program::new(&[Expr::constant(0.0, Type::F32)]) },
            dtypes: vec![DType::F32; outputs],
        };
        let maps = Kernel::Maps(Maps::new(vec![map(2, 1), map(0, 1), map(1, 2)]));
        let replaced: Vec<(usize, usize)> = (0..5)
            .flat_map(|input| (0..4).map(move |output| (input, output)))
            .filter(|&(i, o)| maps.can_replace(i, o))
            .collect();
        assert_eq!(replaced, [(0, 0), (1, 0), (2, 2), (2, 3)]);
    }
}
