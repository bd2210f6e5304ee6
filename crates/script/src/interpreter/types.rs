//! Tests of types.

use super::Machine;
use crate::{code::ClassKind, compiler::Type, context::Budget, value::Value};
use lanthorn_program::Dispatch;

impl<D: Dispatch> Machine<'_, D> {
    /// Whether a value is an instance of a type, including the items of containers.
    pub(super) fn is_instance(&self, value: &Value<D::Tensor>, ty: &Type, depth: usize, budget: &Budget) -> bool {
        if depth > 16 || budget.spend().is_err() {
            return false;
        }
        let is = |value: &Value<D::Tensor>, ty: &Type| self.is_instance(value, ty, depth + 1, budget);
        match (ty, value) {
            (Type::Any, _) => true,
            (Type::None, Value::None)
            | (Type::Bool, Value::Bool(_))
            | (Type::Int, Value::Int(_))
            | (Type::Float, Value::Float(_))
            | (Type::Number, Value::Int(_) | Value::Float(_) | Value::Bool(_))
            | (Type::Str, Value::Str(_))
            | (Type::Device, Value::Device(_))
            | (Type::Tensor, Value::Tensor(_) | Value::Complex(_) | Value::Scalar(_)) => true,
            (Type::List(item), Value::List(list)) => {
                item.as_ref().is_none_or(|item| list.items.borrow().iter().all(|value| is(value, item)))
            }
            (Type::Dict(entry), Value::Dict(dict)) => entry.as_ref().is_none_or(|entry| {
                dict.entries.borrow().iter().all(|(key, value)| is(key, &entry.0) && is(value, &entry.1))
            }),
            (Type::Tuple(items), Value::Tuple(tuple)) => items.as_ref().is_none_or(|items| {
                items.len() == tuple.items.len() && items.iter().zip(&tuple.items).all(|(ty, value)| is(value, ty))
            }),
            (Type::Union(types), value) => types.iter().any(|ty| is(value, ty)),
            (Type::Class(path), Value::Object(object)) => {
                object.class.name == *path || object.class.bases.contains(path)
            }
            (Type::Class(path), Value::Tuple(tuple)) => tuple.class.as_ref().is_some_and(|class| class.name == *path),
            (Type::Class(path), Value::Member(member)) => {
                member.class.kind == ClassKind::Enum && member.class.name == *path
            }
            _ => false,
        }
    }
}
