//! Sums of products over any dimensions, with fused prologues and epilogue.
//!
//! A [`Prologue`] is evaluated while an operand is read, and an [`Epilogue`] before a result is
//! stored, so neither the maps before a product nor the maps after it need a launch. The operand of
//! a factor stays the same with a prologue, so properties that a backend derives from it (the
//! contiguous dimension, the bounded indices) hold for all inputs of the prologue.

use super::{BoundedIndex, Epilogue, KernelKind, Operand, Reduce, ReduceOp, concat, operand::convert_all};
use crate::{
    DType, Error, Layout, Result, Shape,
    expr::{Expr, Instruction, Node, Program, Type},
    number::{Convert, Number},
};
use std::ops::Range;

/// The expression that computes one factor of a product from its operand.
///
/// Outside of the operand's bounds the factor is 0, whatever the value of the expression there,
/// because a convolution pads its input after the prologue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Prologue<N: Number = usize> {
    /// The operands of input slots 1..; slot 0 is the factor's operand. They have its dimensions
    /// and its bounded indices, and differ from it only in strides. Their buffers follow the two
    /// operands of the product, the left factor's first.
    pub inputs: Vec<Operand<N>>,
    /// The expression. It has one result, of the type in which the product is computed. It does not
    /// read the index.
    pub program: Program,
}

impl<N: Number> Prologue<N> {
    /// Whether the expression is 0 wherever its inputs are out of bounds, so that a backend need
    /// not mask it.
    pub fn keeps_zero(&self, operand: &Operand<N>) -> bool {
        let outside = |read: &Operand<N>| Expr::from_node(Node::Constant(read.outside), read.encoding.into());
        let inputs: Vec<Expr> = std::iter::once(operand).chain(&self.inputs).map(outside).collect();
        let results = self.program.over(&inputs, 0, &Expr::index());
        results
            .iter()
            .all(|result| matches!(result.simplify().node(), Node::Constant(constant) if constant.to_f64() == 0.0))
    }

    /// Checks the prologue of `operand` in a product of type `ty`.
    fn check(&self, operand: &Operand<N>, ty: Type) -> Result<()> {
        let same = |(own, other): (&BoundedIndex<N>, &BoundedIndex<N>)| {
            BoundedIndex { stride: own.stride, ..other.clone() } == *own
        };
        let fits = |input: &Operand<N>| {
            let bounded = &input.bounded;
            input.shape() == operand.shape()
                && bounded.len() == operand.bounded.len()
                && operand.bounded.iter().zip(bounded).all(same)
        };
        let count = self.inputs.len() + 1;
        let reads = |(instruction, _): &(Instruction, Type)| match instruction {
            Instruction::Input(slot) => *slot < count,
            Instruction::Index | Instruction::Affine(_) => false,
            _ => true,
        };
        let reason = match &self.program.outputs[..] {
            [output] if self.program.ty(*output) == ty => {
                if !self.inputs.iter().all(fits) {
                    "inputs whose dimensions or bounded indices are not those of the operand"
                } else if !self.program.instructions.iter().all(reads) {
                    "an expression of the index, or of an input that it does not have"
                } else {
                    return Ok(());
                }
            }
            _ => "an expression of another type than the product's, or with several results",
        };
        Err(Error::kernel("contract", format!("a prologue with {reason}")))
    }
}

/// `outputs[j][b, m, n] = epilogue(sum over k of a[b, m, k] * b[b, k, n])`, where prologues may
/// compute `a` and `b`. Each of `b`, `m`, `n` and `k` stands for any number of dimensions. The
/// outputs are contiguous over `batch`, `m`, `n`.
///
/// A convolution is a contraction whose right operand has bounded indices: m are the output
/// channels, n the output positions, k the input channels and the kernel taps (an implicit GEMM).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Contract<N: Number = usize> {
    /// The dimensions that both operands and the output have.
    pub batch: Shape<N>,
    /// The dimensions of the left operand and the output.
    pub m: Shape<N>,
    /// The dimensions of the right operand and the output.
    pub n: Shape<N>,
    /// The dimensions that are summed over.
    pub k: Shape<N>,
    /// The left operand, over `batch`, `m`, `k`: floating point, and 0 out of bounds. With a
    /// prologue, of any type.
    pub a: Operand<N>,
    /// The right operand, over `batch`, `k`, `n`: of the same type, or of one that is computed in
    /// the same type. With a prologue, of any type.
    pub b: Operand<N>,
    /// The prologues of `a` and `b`; `None` if the operand itself is the factor.
    pub prologues: [Option<Box<Prologue<N>>>; 2],
    /// The types of the parameter slots, shared by prologues and epilogue.
    pub params: Vec<Type>,
    /// The map that is applied to the sum, over `batch`, `m`, `n`. Its slot 0 has the type that the
    /// product is computed in.
    pub epilogue: Epilogue<N>,
}

impl<N: Number> Contract<N> {
    /// The product of two batches of matrices: `a` is over batch dimensions, m, k, and `b` over the
    /// same batch dimensions, k, n.
    pub fn matrices(dtype: DType, a: Layout<N>, b: Layout<N>) -> Contract<N> {
        let rank = a.shape().rank() - 2;
        let (m, k, n) = (a.shape()[rank], a.shape()[rank + 1], b.shape()[rank + 1]);
        Contract {
            batch: Shape::from_dims(a.shape()[..rank].iter().copied()),
            m: Shape::from_dims([m]),
            n: Shape::from_dims([n]),
            k: Shape::from_dims([k]),
            a: Operand::new(dtype, a),
            b: Operand::new(dtype, b),
            prologues: [None, None],
            params: vec![],
            epilogue: Epilogue::store(dtype.into(), dtype),
        }
    }

    /// The number of elements of batch, m, n and k.
    pub fn extents(&self) -> [N; 4] {
        [&self.batch, &self.m, &self.n, &self.k].map(|shape| shape.elements())
    }

    /// The shape of the output: batch, m and n.
    pub fn output(&self) -> Shape<N> {
        Shape::from_dims([&self.batch, &self.m, &self.n].into_iter().flat_map(|shape| shape.iter().copied()))
    }

    /// The type in which the product is computed, which both factors have.
    pub fn ty(&self) -> Type {
        self.factor_type(0)
    }

    /// The type of factor 0 (the left one) or factor 1.
    pub fn factor_type(&self, factor: usize) -> Type {
        match &self.prologues[factor] {
            Some(prologue) => prologue.program.ty(prologue.program.outputs[0]),
            None => [&self.a, &self.b][factor].encoding.into(),
        }
    }

    /// The operands of a factor: its own, and the operands of slots 1.. of its prologue.
    pub fn factor_operands(&self, factor: usize) -> Vec<&Operand<N>> {
        let others = self.prologues[factor].iter().flat_map(|prologue| &prologue.inputs);
        std::iter::once([&self.a, &self.b][factor]).chain(others).collect()
    }

    /// The inputs of the kernel that slots 1.. of a factor's prologue read.
    pub fn prologue_inputs(&self, factor: usize) -> Range<usize> {
        let count = |factor: usize| self.prologues[factor].as_ref().map_or(0, |prologue| prologue.inputs.len());
        let start = if factor == 0 { 2 } else { 2 + count(0) };
        start..start + count(factor)
    }

    /// The first input of the kernel that the epilogue reads.
    pub fn epilogue_start(&self) -> usize {
        self.prologue_inputs(1).end
    }

    /// All operands of the factors, in the order of the kernel's inputs, over all of batch, m, n
    /// and k. Along the group that a factor does not have, its operands have stride 0.
    pub fn factors_over_product(&self) -> Vec<Operand<N>> {
        let own = [(0, &self.a), (1, &self.b)].into_iter();
        let beside = self.prologues.iter().enumerate().flat_map(|(factor, prologue)| {
            prologue.iter().flat_map(move |prologue| prologue.inputs.iter().map(move |input| (factor, input)))
        });
        own.chain(beside).map(|(factor, operand)| self.over_product(factor, operand)).collect()
    }

    /// An operand of factor 0 or 1 over all of batch, m, n and k.
    fn over_product(&self, factor: usize, operand: &Operand<N>) -> Operand<N> {
        let groups = [&self.batch, &self.m, &self.n, &self.k];
        // The numbers of the groups that the operand is over.
        let own = if factor == 0 { [0, 1, 3] } else { [0, 3, 2] };
        // The first of the operand's dimensions in each group.
        let begins = |group: usize| {
            let at = own.iter().position(|&other| other == group)?;
            Some(own[..at].iter().map(|&other| groups[other].rank()).sum::<usize>())
        };
        let spread = |steps: &[N::Signed]| -> Vec<N::Signed> {
            let step = |group: usize, d: usize| begins(group).map_or(N::Signed::from(0), |start| steps[start + d]);
            (0..groups.len())
                .flat_map(|group| (0..groups[group].rank()).map(move |d| (group, d)))
                .map(|(group, d)| step(group, d))
                .collect()
        };
        let bound = |bound: &BoundedIndex<N>| BoundedIndex { steps: spread(&bound.steps), ..bound.clone() };
        Operand {
            layout: Layout::new(concat(groups), spread(operand.layout.strides()), operand.layout.offset()),
            bounded: operand.bounded.iter().map(bound).collect(),
            ..operand.clone()
        }
    }

    /// The product as a sum over k of the product of two expanded factors. Factors with bounded
    /// indices must be 0 out of bounds without a mask.
    pub fn as_reduction(&self) -> Reduce<N> {
        let inputs = self.factors_over_product();
        let value = |factor: usize| {
            let slot = |at: usize| Expr::input(at, inputs[at].encoding.into());
            let slots: Vec<Expr> = std::iter::once(factor).chain(self.prologue_inputs(factor)).map(slot).collect();
            match &self.prologues[factor] {
                Some(prologue) => prologue.program.over(&slots, 0, &Expr::index()).swap_remove(0),
                None => slots[0].clone(),
            }
        };
        Reduce {
            indices: vec![],
            outer: self.output(),
            inner: self.k.clone(),
            params: self.params.clone(),
            prologue: Program::new(&[value(0) * value(1)]),
            op: ReduceOp::Sum,
            epilogue: self.epilogue.clone(),
            inputs,
        }
    }

    /// Checks that the prologues fit their operands.
    ///
    /// # Errors
    /// A kernel error that names the mismatch.
    pub fn check_prologues(&self) -> Result<()> {
        let ty = self.ty();
        let pairs = self.prologues.iter().zip([&self.a, &self.b]);
        pairs
            .filter_map(|(prologue, operand)| Some((prologue.as_ref()?, operand)))
            .try_for_each(|(prologue, operand)| prologue.check(operand, ty))
    }

    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Contract<M> {
        let [batch, m, n, k] = [&self.batch, &self.m, &self.n, &self.k].map(|shape| shape.convert(convert));
        let spaces = [concat([&batch, &m, &k]), concat([&batch, &k, &n])];
        let a = self.a.convert_over(spaces[0].clone(), convert);
        let b = self.b.convert_over(spaces[1].clone(), convert);
        let mut prologue = |factor: usize| {
            let prologue = self.prologues[factor].as_ref()?;
            let inputs = convert_all(&prologue.inputs, &spaces[factor], convert);
            Some(Box::new(Prologue { inputs, program: prologue.program.clone() }))
        };
        let prologues = [prologue(0), prologue(1)];
        let epilogue = self.epilogue.convert(&concat([&batch, &m, &n]), convert);
        Contract { batch, m, n, k, a, b, prologues, params: self.params.clone(), epilogue }
    }
}

impl<N: Number> KernelKind<N> for Contract<N> {
    fn name(&self) -> &'static str {
        "contract"
    }

    fn results(&self) -> Vec<(DType, Shape<N>)> {
        let shape = self.output();
        self.epilogue.dtypes.iter().map(|&dtype| (dtype, shape.clone())).collect()
    }

    /// `a`, `b`, and the inputs of the prologues and the epilogue.
    fn operands(&self) -> Vec<&Operand<N>> {
        let prologues = self.prologues.iter().flatten().flat_map(|prologue| &prologue.inputs);
        [&self.a, &self.b].into_iter().chain(prologues).chain(&self.epilogue.inputs).collect()
    }

    fn params(&self) -> &[Type] {
        &self.params
    }

    fn programs(&self) -> Vec<&Program> {
        let prologues = self.prologues.iter().flatten().map(|prologue| &prologue.program);
        prologues.chain([&self.epilogue.program]).collect()
    }

    fn elementwise_operand(&self, input: usize, _output: usize) -> Option<&Operand<N>> {
        self.epilogue.inputs.get(input.checked_sub(self.epilogue_start())?)
    }

    fn listing(&self) -> Vec<String> {
        let sum = format!("m {:?}, n {:?}, k {:?}", self.m, self.n, self.k);
        let factors = ["a", "b"].into_iter().zip(&self.prologues);
        let factors = factors.filter_map(|(name, prologue)| Some(format!("{name} of {}", prologue.as_ref()?.program)));
        [sum].into_iter().chain(factors).chain(self.epilogue.listing()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(prologue: Prologue) -> Contract {
        let whole = Layout::contiguous(Shape::from_dims([4, 4]));
        Contract { prologues: [Some(Box::new(prologue)), None], ..Contract::matrices(DType::F32, whole.clone(), whole) }
    }

    fn operand(dtype: DType) -> Operand {
        Operand::new(dtype, Layout::contiguous(Shape::from_dims([4, 4])))
    }

    fn x(slot: usize) -> Expr {
        Expr::input(slot, Type::F32)
    }

    #[test]
    fn prologue_inputs_lie_between_operands_and_epilogue() {
        let scaled = Prologue { inputs: vec![operand(DType::F32)], program: Program::new(&[x(0) * x(1)]) };
        let mut contract = product(scaled.clone());
        contract.check_prologues().unwrap();
        assert_eq!(
            (contract.prologue_inputs(0), contract.prologue_inputs(1), contract.epilogue_start()),
            (2..3, 3..3, 3)
        );
        contract.prologues[1] =
            Some(Box::new(Prologue { inputs: vec![operand(DType::F32), operand(DType::F32)], ..scaled }));
        assert_eq!((contract.prologue_inputs(1), contract.operands().len()), (3..5, 5));
    }

    #[test]
    fn the_prologue_gives_the_type_of_its_factor() {
        let flags = Prologue { inputs: vec![], program: Program::new(&[Expr::input(0, Type::Bool).cast(Type::F32)]) };
        let contract = Contract { a: operand(DType::Bool), ..product(flags) };
        assert_eq!(contract.ty(), Type::F32);
        contract.check_prologues().unwrap();
    }

    #[test]
    fn prologues_that_do_not_fit_are_refused() {
        let narrow = Operand::new(DType::F32, Layout::contiguous(Shape::from_dims([4])));
        let bounded = BoundedIndex { steps: vec![1, 0], start: -1, divisor: 1, size: 4, stride: 1 };
        let padded = Operand { bounded: vec![bounded], ..operand(DType::F32) };
        for (inputs, results) in [
            (vec![narrow], vec![x(0) * x(1)]),
            (vec![padded], vec![x(0) * x(1)]),
            (vec![], vec![x(0) * x(1)]),
            (vec![], vec![x(0) * Expr::index().cast(Type::F32)]),
            (vec![], vec![x(0), x(0)]),
        ] {
            let error = product(Prologue { inputs, program: Program::new(&results) }).check_prologues().unwrap_err();
            assert!(error.is_kernel() && error.to_string().contains("prologue"), "{error}");
        }
        let other = Prologue { inputs: vec![], program: Program::new(&[x(0).cast(Type::F64)]) };
        let contract = Contract {
            prologues: [None, Some(Box::new(other))],
            ..product(Prologue { inputs: vec![], program: Program::new(&[x(0)]) })
        };
        assert!(contract.check_prologues().is_err());
    }

    #[test]
    fn prologues_that_map_zero_to_zero_keep_it() {
        let keeps = |result: Expr| {
            Prologue { inputs: vec![operand(DType::F32)], program: Program::new(&[result]) }
                .keeps_zero(&operand(DType::F32))
        };
        assert!(keeps(x(0).le(0.0).select(0.0, x(0))) && keeps(x(0) * x(1)));
        assert!(!keeps(x(0) + 1.0) && !keeps(x(0).cos()) && !keeps(x(0) + Expr::param(0, Type::F32)));
    }
}
