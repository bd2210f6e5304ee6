//! The operands and parameters of a fused kernel, collected from several nodes.

use super::super::graph::Node;
use crate::plan::traced::{Layout, Operand, Traced};
use lanthorn_ir::expr::{BinaryOp, Expr, Instruction, Program, Type};

/// Operands and parameters of several nodes, each once.
#[derive(Clone, Default)]
pub(super) struct FusedInputs {
    pub operands: Vec<Operand>,
    /// The value of each operand.
    pub values: Vec<usize>,
    /// The index of each parameter among those of the segment.
    pub params: Vec<usize>,
    pub types: Vec<Type>,
}

impl FusedInputs {
    /// An operand over `value` as an expression.
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

    /// Adds the parameters of a node and returns the slot of the first.
    pub fn params(&mut self, node: &Node) -> usize {
        let first = self.params.len();
        self.params.extend(&node.params);
        self.types.extend(node.kernel.params());
        first
    }
}

/// The linear index of the element that a view of a contiguous tensor reads, as an expression of
/// the view's own linear index: for programs that use the index.
pub(super) fn linear_index(walk: &Layout) -> Expr {
    // The program holds these numbers, so the plan is for them alone.
    let constant = |value: Traced| Expr::constant(f64::from(value.pinned() as u32), Type::U32);
    let merged = Layout::coalesce(&[&Layout::contiguous(walk.shape().clone()), walk]);
    let (sizes, below, steps) = (merged[0].shape(), merged[0].strides(), merged[1].strides());
    let mut sum = constant(walk.offset());
    for d in (0..sizes.rank()).filter(|&d| steps[d] != 0) {
        let beyond = if below[d] == 1 { Expr::index() } else { Expr::index() / constant(below[d]) };
        let coordinate = if d == 0 { beyond } else { beyond.binary(BinaryOp::Rem, constant(sizes[d])) };
        sum = sum + if steps[d] == 1 { coordinate } else { coordinate * constant(steps[d]) };
    }
    sum.simplify()
}

/// The op that a fused kernel is named after in errors and profiles: the first that checks an
/// index, since only that one can fail at run time; otherwise the last.
pub(super) fn name<'a>(nodes: impl DoubleEndedIterator<Item = &'a Node> + Clone) -> &'static str {
    let checks = |node: &&Node| node.kernel.programs().into_iter().any(checks_index);
    nodes.clone().find(checks).or_else(|| nodes.clone().next_back()).map_or("", |node| node.op)
}

/// Whether a program can fail at run time.
pub(super) fn checks_index(program: &Program) -> bool {
    program.instructions.iter().any(|(instruction, _)| matches!(instruction, Instruction::Binary(BinaryOp::CheckIndex, ..)))
}
