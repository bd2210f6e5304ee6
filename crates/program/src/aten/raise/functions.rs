//! Operations that are raised by a function, because an operator's function lowers them.

use super::Wanted;
use crate::Value;
use lanthorn_schema::Schema;

/// The arguments of an operation, by its schema.
pub(super) struct Given<'a, T: 'static> {
    pub schema: &'a Schema,
    pub args: &'a [Value<T>],
}

/// The index of the function for an operation.
pub(super) fn find(_name: &str) -> Option<usize> {
    None
}

/// The operator and its arguments.
pub(super) fn run<T: Clone>(_function: usize, _given: &Given<'_, T>) -> Option<(&'static str, Wanted<T>)> {
    None
}
