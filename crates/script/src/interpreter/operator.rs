//! Applies the operators of the language.

use super::{Machine, call::Called};
use crate::{
    Result,
    ast::{BinaryOp, CompareOp, UnaryOp},
    builtins::{Builtin, numbers, truth},
    value::Value,
};
use lanthorn_program::Dispatch;

/// Returns the names of an operator's function, and of the method that a class defines for it.
fn names(op: BinaryOp) -> (&'static str, &'static str) {
    match op {
        BinaryOp::Add => ("add", "__add__"),
        BinaryOp::Sub => ("sub", "__sub__"),
        BinaryOp::Mul => ("mul", "__mul__"),
        BinaryOp::Div => ("div", "__truediv__"),
        BinaryOp::FloorDiv => ("floor_divide", "__floordiv__"),
        BinaryOp::Mod => ("remainder", "__mod__"),
        BinaryOp::Pow => ("pow", "__pow__"),
        BinaryOp::MatMul => ("matmul", "__matmul__"),
        BinaryOp::And => ("__and__", "__and__"),
        BinaryOp::Or => ("__or__", "__or__"),
        BinaryOp::Xor => ("__xor__", "__xor__"),
        BinaryOp::LeftShift => ("__lshift__", "__lshift__"),
        BinaryOp::RightShift => ("__rshift__", "__rshift__"),
    }
}

/// Returns the in-place form of an operator on tensors.
fn in_place(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Add => "add_",
        BinaryOp::Sub => "sub_",
        BinaryOp::Mul => "mul_",
        BinaryOp::Div => "div_",
        BinaryOp::FloorDiv => "floor_divide_",
        BinaryOp::Mod => "remainder_",
        BinaryOp::Pow => "pow_",
        _ => return None,
    })
}

impl<D: Dispatch> Machine<'_, D> {
    /// Whether a value is true.
    pub(super) async fn truth(&mut self, value: &Value<D::Tensor>) -> Result<bool> {
        match truth(value) {
            Some(truth) => Ok(truth),
            None => Ok(self.number(value).await?.truth()),
        }
    }

    pub(super) async fn unary(&mut self, op: UnaryOp, value: Value<D::Tensor>) -> Called<D::Tensor> {
        let name = match op {
            UnaryOp::Not => {
                let truth = self.truth(&value).await?;
                return Ok(Some(Value::Bool(!truth)));
            }
            UnaryOp::Neg => "neg",
            UnaryOp::Pos => return Ok(Some(value)),
            UnaryOp::Invert => match value {
                Value::Int(value) => return Ok(Some(Value::Int(!value))),
                Value::Object(_) => "__invert__",
                _ => "bitwise_not",
            },
        };
        self.builtin(&Builtin::by_name(name, false), vec![value], vec![]).await
    }

    pub(super) async fn binary(
        &mut self,
        op: BinaryOp,
        a: Value<D::Tensor>,
        b: Value<D::Tensor>,
        augmented: bool,
    ) -> Called<D::Tensor> {
        if let Some(value) = numbers(op, &a, &b)? {
            return Ok(Some(value));
        }
        let (mut name, method) = names(op);
        if let Value::Object(object) = &a
            && let Some(function) = object.class.methods.get(method).cloned()
        {
            return self.enter_function(function, vec![a, b], vec![], None);
        }
        if let (Value::Str(_), BinaryOp::Mod) = (&a, op) {
            return self.builtin(&Builtin::by_name("percentFormat", false), vec![a, b], vec![]).await;
        }
        if augmented
            && (matches!(a, Value::Tensor(_)) || matches!(a, Value::List(_)))
            && let Some(name) = in_place(op)
        {
            return self.builtin(&Builtin::by_name(name, false), vec![a, b], vec![]).await;
        }
        let (mut a, mut b) = (a, b);
        if b.is_tensor() && !a.is_tensor() && a.number().is_some() {
            match op {
                BinaryOp::Add | BinaryOp::Mul => std::mem::swap(&mut a, &mut b),
                BinaryOp::Sub => {
                    std::mem::swap(&mut a, &mut b);
                    name = "rsub";
                }
                _ => a = self.wrap(&a)?,
            }
        }
        self.builtin(&Builtin::by_name(name, false), vec![a, b], vec![]).await
    }

    pub(super) async fn compare(
        &mut self,
        op: CompareOp,
        a: Value<D::Tensor>,
        b: Value<D::Tensor>,
    ) -> Called<D::Tensor> {
        let (name, method, mirrored) = match op {
            CompareOp::Eq => ("eq", "__eq__", "eq"),
            CompareOp::Ne => ("ne", "__ne__", "ne"),
            CompareOp::Lt => ("lt", "__lt__", "gt"),
            CompareOp::Le => ("le", "__le__", "ge"),
            CompareOp::Gt => ("gt", "__gt__", "lt"),
            CompareOp::Ge => ("ge", "__ge__", "le"),
            CompareOp::Is | CompareOp::IsNot => {
                let is = crate::builtins::identical(self.context.dispatch, &a, &b);
                return Ok(Some(Value::Bool(is == (op == CompareOp::Is))));
            }
            CompareOp::In | CompareOp::NotIn => {
                if let Value::Object(object) = &b
                    && let Some(function) = object.class.methods.get("__contains__").cloned()
                    && op == CompareOp::In
                {
                    return self.enter_function(function, vec![b, a], vec![], None);
                }
                let found = crate::builtins::has(&mut self.context, &b, &a)?;
                let Some(found) = found else {
                    return Err(crate::builtins::exception("TypeError", format!("`in` of a {}", b.type_name())));
                };
                return Ok(Some(Value::Bool(found == (op == CompareOp::In))));
            }
        };
        if let Value::Object(object) = &a
            && let Some(function) = object.class.methods.get(method).cloned()
        {
            return self.enter_function(function, vec![a, b], vec![], None);
        }
        if b.is_tensor() && !a.is_tensor() && a.number().is_some() {
            return self.builtin(&Builtin::by_name(mirrored, false), vec![b, a], vec![]).await;
        }
        self.builtin(&Builtin::by_name(name, false), vec![a, b], vec![]).await
    }
}
