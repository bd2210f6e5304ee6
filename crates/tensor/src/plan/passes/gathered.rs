//! Operands, parameters and formulas brought together from several works.

use super::super::graph::Work;
use lanthorn_ir::{
    Layout,
    expr::{BinaryOp, Expr, Instruction, Program, Type},
    kernel::Operand,
};

/// Operands and parameters gathered from several works, each once.
#[derive(Clone, Default)]
pub(super) struct Gathered {
    pub operands: Vec<Operand>,
    /// The value that each operand reads.
    pub values: Vec<usize>,
    /// Where each parameter stands among those of the window.
    pub params: Vec<usize>,
    pub types: Vec<Type>,
}

impl Gathered {
    /// What input `operand` reads of `value`, as an expression.
    pub fn operand(&mut self, operand: Operand, value: usize) -> Expr {
        let ty = operand.dtype.into();
        let known = self.operands.iter().zip(&self.values).position(|known| known == (&operand, &value));
        let slot = known.unwrap_or_else(|| {
            self.operands.push(operand);
            self.values.push(value);
            self.values.len() - 1
        });
        Expr::input(slot, ty)
    }

    /// The slots of a work's parameters, of which the first is given.
    pub fn params(&mut self, work: &Work) -> usize {
        let first = self.params.len();
        self.params.extend(&work.params);
        self.types.extend(work.kernel.params());
        first
    }
}

/// The index of the element that a walk of a contiguous tensor is at, from the index of the walk: for formulas
/// that ask where they are.
pub(super) fn place(walk: &Layout) -> Expr {
    let constant = |value: isize| Expr::constant(f64::from(value as u32), Type::U32);
    let merged = Layout::coalesce(&[&Layout::contiguous(walk.shape().clone()), walk]);
    let (sizes, below, steps) = (merged[0].shape(), merged[0].strides(), merged[1].strides());
    let mut sum = constant(walk.offset() as isize);
    for d in (0..sizes.rank()).filter(|&d| steps[d] != 0) {
        let beyond = if below[d] == 1 { Expr::index() } else { Expr::index() / constant(below[d]) };
        let coordinate = if d == 0 { beyond } else { beyond.binary(BinaryOp::Rem, constant(sizes[d] as isize)) };
        sum = sum + if steps[d] == 1 { coordinate } else { coordinate * constant(steps[d]) };
    }
    sum.simplify()
}

/// The op that a kernel made of `works` is named after in errors and profiles: the first that checks an index, which alone can fail
/// while it runs; else the last.
pub(super) fn name<'a>(works: impl DoubleEndedIterator<Item = &'a Work> + Clone) -> &'static str {
    let checks = |work: &&Work| work.kernel.programs().into_iter().any(checks_index);
    works.clone().find(checks).or_else(|| works.clone().next_back()).map_or("", |work| work.op)
}

/// Whether a program can fail while it runs.
pub(super) fn checks_index(program: &Program) -> bool {
    program.instructions.iter().any(|(instruction, _)| matches!(instruction, Instruction::Binary(BinaryOp::CheckIndex, ..)))
}
