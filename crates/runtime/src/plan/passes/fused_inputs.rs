//! The operands, affine indices and parameters of a fused kernel, collected from several nodes.

use super::super::graph::Node;
use crate::plan::traced::{AffineIndex, Operand};
use lanthorn_ir::expr::{BinaryOp, Expr, Instruction, Program, Type};

/// Operands, affine indices and parameters of several nodes, without duplicates.
#[derive(Clone, Default)]
pub(super) struct FusedInputs {
    pub operands: Vec<Operand>,
    /// The value of each operand.
    pub values: Vec<usize>,
    pub indices: Vec<AffineIndex>,
    /// The index of each parameter among the parameters of the segment.
    pub params: Vec<usize>,
    pub types: Vec<Type>,
}

impl FusedInputs {
    /// An operand over `value` as an expression.
    pub fn operand(&mut self, operand: Operand, value: usize) -> Expr {
        let ty = operand.encoding.into();
        let known = self.operands.iter().zip(&self.values).position(|known| known == (&operand, &value));
        let slot = known.unwrap_or_else(|| {
            self.operands.push(operand);
            self.values.push(value);
            self.values.len() - 1
        });
        Expr::input(slot, ty)
    }

    /// An affine index as an expression.
    pub fn index(&mut self, index: AffineIndex) -> Expr {
        let known = self.indices.iter().position(|known| *known == index);
        Expr::affine(known.unwrap_or_else(|| {
            self.indices.push(index);
            self.indices.len() - 1
        }))
    }

    /// Adds the parameters of a node and returns the slot of the first.
    pub fn params(&mut self, node: &Node) -> usize {
        let first = self.params.len();
        self.params.extend(&node.params);
        self.types.extend(node.kernel.params());
        first
    }
}

/// The op that names a fused kernel in errors and profiles: the first op that checks an index,
/// because only that one can fail at run time; otherwise the last op.
pub(super) fn name<'a>(nodes: impl DoubleEndedIterator<Item = &'a Node> + Clone) -> &'static str {
    let checks = |node: &&Node| node.kernel.programs().into_iter().any(checks_index);
    nodes.clone().find(checks).or_else(|| nodes.clone().next_back()).map_or("", |node| node.op)
}

/// Whether a program can fail at run time.
pub(super) fn checks_index(program: &Program) -> bool {
    program
        .instructions
        .iter()
        .any(|(instruction, _)| matches!(instruction, Instruction::Binary(BinaryOp::CheckIndex, ..)))
}
