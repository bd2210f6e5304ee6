//! Several kernels of one kind in one launch (horizontal fusion).

use super::{Contract, KernelKind, Operand};
use crate::{
    DType, Shape,
    expr::{Program, Type},
    number::Number,
};

/// A kind whose kernels can share a launch.
pub trait Fusible<N: Number>: KernelKind<N> {
    /// The name of several in one launch.
    const NAME: &'static str;

    /// The numbers of input buffers and of outputs.
    fn buffers(&self) -> [usize; 2];
}

impl<N: Number> Fusible<N> for Contract<N> {
    const NAME: &'static str = "contracts";

    fn buffers(&self) -> [usize; 2] {
        [self.epilogue_start() + self.epilogue.inputs.len(), self.epilogue.dtypes.len()]
    }
}

/// Kernels of one kind, each over its own shape, that do not read one another's results. The
/// inputs, outputs and parameters of the launch are the concatenated ones of the parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Horizontal<K> {
    /// The kernels.
    pub parts: Vec<K>,
    /// The types of all parts' parameters.
    pub params: Vec<Type>,
}

impl<K> Horizontal<K> {
    /// One launch of all `parts`.
    pub fn new<N: Number>(parts: Vec<K>) -> Horizontal<K>
    where
        K: KernelKind<N>,
    {
        let params = parts.iter().flat_map(|part| part.params().iter().copied()).collect();
        Horizontal { parts, params }
    }

    /// One launch of other parts with the same parameters.
    pub(super) fn with_parts<L>(&self, part: impl FnMut(&K) -> L) -> Horizontal<L> {
        Horizontal { parts: self.parts.iter().map(part).collect(), params: self.params.clone() }
    }
}

impl<N: Number, K: Fusible<N>> KernelKind<N> for Horizontal<K> {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn results(&self) -> Vec<(DType, Shape<N>)> {
        self.parts.iter().flat_map(K::results).collect()
    }

    fn operands(&self) -> Vec<&Operand<N>> {
        self.parts.iter().flat_map(K::operands).collect()
    }

    fn params(&self) -> &[Type] {
        &self.params
    }

    fn programs(&self) -> Vec<&Program> {
        self.parts.iter().flat_map(K::programs).collect()
    }

    fn updates(&self) -> bool {
        self.parts.iter().any(K::updates)
    }

    /// Both must belong to the same part, because the parts run in no particular order.
    fn elementwise_operand(&self, mut input: usize, mut output: usize) -> Option<&Operand<N>> {
        for part in &self.parts {
            let [inputs, outputs] = part.buffers();
            match (input < inputs, output < outputs) {
                (true, true) => return part.elementwise_operand(input, output),
                (false, false) => {}
                _ => return None,
            }
            input -= inputs;
            output -= outputs;
        }
        None
    }

    fn listing(&self) -> Vec<String> {
        self.parts.iter().flat_map(K::listing).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Kernel, Layout,
        expr::Expr,
        kernel::{Map, identity},
    };

    fn replaceable(kernel: &Kernel) -> Vec<(usize, usize)> {
        let outputs = kernel.outputs().len();
        let pairs = (0..kernel.input_count()).flat_map(|input| (0..outputs).map(move |output| (input, output)));
        pairs.filter(|&(input, output)| kernel.can_replace(input, output)).collect()
    }

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
        let maps = Kernel::Maps(Horizontal::of_maps([map(2, 1), map(0, 1), map(1, 2)]));
        assert_eq!(replaceable(&maps), [(0, 0), (1, 0), (2, 2), (2, 3)]);
    }

    #[test]
    fn an_output_replaces_inputs_of_its_own_epilogue_only() {
        let layout = |rows: usize, columns: usize| Layout::contiguous(Shape::from_dims([rows, columns]));
        let mut product = Contract::matrices(DType::F32, layout(1, 3), layout(3, 4));
        let added = Operand::new(DType::F32, layout(1, 4));
        product.epilogue.inputs.push(added);
        product.epilogue.program = Program::new(&[Expr::input(0, Type::F32) + Expr::input(1, Type::F32)]);
        assert_eq!(replaceable(&Kernel::Contracts(Horizontal::new(vec![product.clone(), product]))), [(2, 0), (5, 1)]);
    }
}
