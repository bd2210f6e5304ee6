//! The loop of each step, chosen by its function and type.

use super::{
    Machine, binary, cast,
    code::{Action, Step, size_of_type},
    deviates, unary,
};
use crate::buffer::elements_mut;
use lanthorn_ir::expr::{BinaryOp, Type, UnaryOp};

impl Machine<'_> {
    /// Computes the current block of a step.
    pub(super) fn compute(&self, step: &Step, target: &mut [u8]) {
        match step.action {
            Action::Unary(UnaryOp::IsNan, a) => match step.from {
                Type::F32 => unary::is_nan_f32(target, self.operand(a)),
                Type::F64 => unary::is_nan_f64(target, self.operand(a)),
                _ => target.fill(0),
            },
            Action::Unary(op, a) => match step.from {
                Type::F32 => unary::float32(op, elements_mut(target), self.operand(a)),
                Type::F64 => unary::float64(op, elements_mut(target), self.operand(a)),
                Type::I32 => unary::int32(op, elements_mut(target), self.operand(a)),
                Type::I64 => unary::int64(op, elements_mut(target), self.operand(a)),
                Type::U32 => unary::uint32(op, elements_mut(target), self.operand(a)),
                Type::U8 => unary::uint8(op, target, self.operand(a)),
                Type::Bool => unary::boolean(op, target, self.operand(a)),
            },
            Action::Binary(op, a, b) if op.is_comparison() => match step.from {
                Type::F32 => binary::compare_f32(op, target, self.operand(a), self.operand(b)),
                Type::F64 => binary::compare_f64(op, target, self.operand(a), self.operand(b)),
                Type::I32 => binary::compare_i32(op, target, self.operand(a), self.operand(b)),
                Type::I64 => binary::compare_i64(op, target, self.operand(a), self.operand(b)),
                Type::U32 => binary::compare_u32(op, target, self.operand(a), self.operand(b)),
                Type::U8 | Type::Bool => binary::compare_u8(op, target, self.operand(a), self.operand(b)),
            },
            Action::Binary(BinaryOp::Normal, a, b) => {
                deviates::normal(elements_mut(target), self.operand(a), self.operand(b));
            }
            Action::Binary(BinaryOp::CheckIndex, a, b) => {
                let wrong = binary::check_index(elements_mut(target), self.operand(a), self.operand(b));
                self.wrong.set(self.wrong.get().or(wrong));
            }
            Action::Binary(op, a, b) => match step.from {
                Type::F32 => binary::float32(op, elements_mut(target), self.operand(a), self.operand(b)),
                Type::F64 => binary::float64(op, elements_mut(target), self.operand(a), self.operand(b)),
                Type::I32 => binary::int32(op, elements_mut(target), self.operand(a), self.operand(b)),
                Type::I64 => binary::int64(op, elements_mut(target), self.operand(a), self.operand(b)),
                Type::U32 => binary::uint32(op, elements_mut(target), self.operand(a), self.operand(b)),
                Type::U8 => binary::uint8(op, target, self.operand(a), self.operand(b)),
                Type::Bool => binary::boolean(op, target, self.operand(a), self.operand(b)),
            },
            Action::Select(c, a, b) => {
                let size = size_of_type(step.to);
                cast::select(size, target, self.operand(c), self.bytes(a, size), self.bytes(b, size));
            }
            Action::Cast(a) => cast::cast(step.from, step.to, target, self.bytes(a, size_of_type(step.from))),
            Action::Threefry(words) => cast::threefry(elements_mut(target), words.map(|word| self.operand(word))),
            Action::Move(a) => target.copy_from_slice(self.bytes(a, size_of_type(step.to))),
        }
    }
}
