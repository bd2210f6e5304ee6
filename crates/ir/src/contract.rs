//! Sums of products over any dimensions, and the formulas before and behind them.
//!
//! A [`Prologue`] is computed while an operand is read, an [`Epilogue`] before a result is stored; neither what comes before nor what follows needs a launch of its own
//! then. A prologue keeps the operand in its place, so that what a backend decides by it (which dimension is contiguous, which windows there are) holds for all
//! that the formula reads.

use crate::{
    Error, Layout, Result, Shape,
    dtype::DType,
    expr::{Expr, Instruction, Node, Program, Type},
    kernel::{Epilogue, Operand, Window},
};
use std::ops::Range;

/// How an element of one of a product's factors is computed from what is stored.
///
/// Outside of the operand's windows the factor is 0, whatever the formula makes of the values there: what a convolution pads is what it is given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Prologue {
    /// What input slots 1.. read, over the operand's dimensions and with its windows, whose strides alone may differ; slot 0 is the operand. Their buffers come
    /// after the two operands', those of the left one's first.
    pub inputs: Vec<Operand>,
    /// The formula: one result, of the type that the product is computed in. It asks for no index.
    pub program: Program,
}

impl Prologue {
    /// Whether the formula itself gives 0 for what its inputs read outside of their windows.
    pub fn keeps_zero(&self, operand: &Operand) -> bool {
        let outside = |read: &Operand| Expr::from_node(Node::Constant(read.outside), read.dtype.into());
        let inputs: Vec<Expr> = std::iter::once(operand).chain(&self.inputs).map(outside).collect();
        let results = self.program.over(&inputs, 0, &Expr::index());
        results.iter().all(|result| matches!(result.simplify().node(), Node::Constant(constant) if constant.to_f64() == 0.0))
    }

    /// What is wrong with the prologue of an operand in a product of this type.
    fn check(&self, operand: &Operand, ty: Type) -> Result<()> {
        let same = |(own, other): (&Window, &Window)| Window { stride: own.stride, ..other.clone() } == *own;
        let fits = |input: &Operand| {
            let windows = &input.windows;
            input.shape() == operand.shape()
                && windows.len() == operand.windows.len()
                && operand.windows.iter().zip(windows).all(same)
        };
        let count = self.inputs.len() + 1;
        let reads = |(instruction, _): &(Instruction, Type)| match instruction {
            Instruction::Input(slot) => *slot < count,
            Instruction::Index => false,
            _ => true,
        };
        let reason = match &self.program.outputs[..] {
            [output] if self.program.ty(*output) == ty => {
                if !self.inputs.iter().all(fits) {
                    "inputs that do not walk the operand's dimensions and windows"
                } else if !self.program.instructions.iter().all(reads) {
                    "a formula of the index, or of an input that it does not have"
                } else {
                    return Ok(());
                }
            }
            _ => "a formula of another type than the product's, or of several results",
        };
        Err(Error::kernel("contract", format!("a prologue with {reason}")))
    }
}

/// `outputs[j][b, m, n] = epilogue(sum over k of a[b, m, k] * b[b, k, n])`, where prologues may have made `a` and `b`; each of `b`, `m`, `n` and `k` may be several
/// dimensions. The outputs are contiguous over `batch`, `m`, `n`.
///
/// A convolution is one whose right operand has windows: m are the output channels, n the places of the output, k the input channels and the
/// places of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Contract {
    /// The dimensions that both operands and the output have.
    pub batch: Shape,
    /// The dimensions of the left operand and the output.
    pub m: Shape,
    /// The dimensions of the right operand and the output.
    pub n: Shape,
    /// The dimensions that are summed over.
    pub k: Shape,
    /// Over `batch`, `m`, `k`; floating point, 0 outside of windows. With a prologue, of any type.
    pub a: Operand,
    /// Over `batch`, `k`, `n`; of the same type, or of one that is computed with as the same. With a prologue, of any type.
    pub b: Operand,
    /// What the factors are computed by from the operands `a` and `b`; `None` where an operand is the factor.
    pub prologues: [Option<Box<Prologue>>; 2],
    /// The types of the parameters, shared by prologues and epilogue.
    pub params: Vec<Type>,
    /// What becomes of the sum, which has the type that operands are computed with, over `batch`, `m`, `n`.
    pub epilogue: Epilogue,
}

impl Contract {
    /// The product of two batches of matrices: `a` is over batch dimensions, m, k, and `b` over the same batch, k, n.
    pub fn matrices(dtype: DType, a: Layout, b: Layout) -> Contract {
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

    /// The extents: the elements of batch, m, n and k.
    pub fn extents(&self) -> [usize; 4] {
        [&self.batch, &self.m, &self.n, &self.k].map(|shape| shape.elements())
    }

    /// The shape of the output: batch, m and n.
    pub fn output(&self) -> Shape {
        Shape::from_dims([&self.batch, &self.m, &self.n].into_iter().flat_map(|shape| shape.iter().copied()))
    }

    /// The type that the product is computed in: that of both factors.
    pub fn ty(&self) -> Type {
        self.factor_type(0)
    }

    /// The type of factor 0, which is the left one, or of factor 1.
    pub fn factor_type(&self, factor: usize) -> Type {
        match &self.prologues[factor] {
            Some(prologue) => prologue.program.ty(prologue.program.outputs[0]),
            None => [&self.a, &self.b][factor].dtype.into(),
        }
    }

    /// What a factor is computed from: the operand, and what slots 1.. of its prologue read.
    pub fn factor_operands(&self, factor: usize) -> Vec<&Operand> {
        let others = self.prologues[factor].iter().flat_map(|prologue| &prologue.inputs);
        std::iter::once([&self.a, &self.b][factor]).chain(others).collect()
    }

    /// The operands: `a`, `b`, and those of the prologues and the epilogue, in the order of their buffers.
    pub fn operands(&self) -> Vec<&Operand> {
        let prologues = self.prologues.iter().flatten().flat_map(|prologue| &prologue.inputs);
        [&self.a, &self.b].into_iter().chain(prologues).chain(&self.epilogue.inputs).collect()
    }

    /// The inputs that slots 1.. of the prologue of `a`, which is factor 0, or of `b`, which is factor 1, read.
    pub fn prologue_inputs(&self, factor: usize) -> Range<usize> {
        let count = |factor: usize| self.prologues[factor].as_ref().map_or(0, |prologue| prologue.inputs.len());
        let start = if factor == 0 { 2 } else { 2 + count(0) };
        start..start + count(factor)
    }

    /// The first input that the epilogue reads.
    pub fn epilogue_start(&self) -> usize {
        self.prologue_inputs(1).end
    }

    /// Refuses prologues that do not fit their operands.
    ///
    /// # Errors
    /// A kernel error that says what does not fit.
    pub fn check_prologues(&self) -> Result<()> {
        let ty = self.ty();
        let pairs = self.prologues.iter().zip([&self.a, &self.b]);
        pairs
            .filter_map(|(prologue, operand)| Some((prologue.as_ref()?, operand)))
            .try_for_each(|(prologue, operand)| prologue.check(operand, ty))
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
    fn inputs_stand_between_operands_and_epilogue() {
        let scaled = Prologue { inputs: vec![operand(DType::F32)], program: Program::new(&[x(0) * x(1)]) };
        let mut contract = product(scaled.clone());
        contract.check_prologues().unwrap();
        assert_eq!((contract.prologue_inputs(0), contract.prologue_inputs(1), contract.epilogue_start()), (2..3, 3..3, 3));
        contract.prologues[1] = Some(Box::new(Prologue { inputs: vec![operand(DType::F32), operand(DType::F32)], ..scaled }));
        assert_eq!((contract.prologue_inputs(1), contract.operands().len()), (3..5, 5));
    }

    #[test]
    fn a_type_is_that_of_the_formula() {
        let flags = Prologue { inputs: vec![], program: Program::new(&[Expr::input(0, Type::Bool).cast(Type::F32)]) };
        let contract = Contract { a: operand(DType::Bool), ..product(flags) };
        assert_eq!(contract.ty(), Type::F32);
        contract.check_prologues().unwrap();
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let narrow = Operand::new(DType::F32, Layout::contiguous(Shape::from_dims([4])));
        let window = Window { steps: vec![1, 0], start: -1, divisor: 1, size: 4, stride: 1 };
        let windowed = Operand { windows: vec![window], ..operand(DType::F32) };
        for (inputs, results) in [
            (vec![narrow], vec![x(0) * x(1)]),
            (vec![windowed], vec![x(0) * x(1)]),
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
    fn what_a_formula_makes_of_zeros() {
        let keeps = |result: Expr| {
            Prologue { inputs: vec![operand(DType::F32)], program: Program::new(&[result]) }.keeps_zero(&operand(DType::F32))
        };
        assert!(keeps(x(0).le(0.0).select(0.0, x(0))) && keeps(x(0) * x(1)));
        assert!(!keeps(x(0) + 1.0) && !keeps(x(0).cos()) && !keeps(x(0) + Expr::param(0, Type::F32)));
    }
}
