//! Functions of a set of operators: how they are declared and found, and how they call operations.

use super::{Args, table_call};
use crate::{Dispatch, Error, Result, Value};
use lanthorn_io::DType;

/// Declares the functions of a set by modules: those whose results are there at once (`ready`), and
/// those that wait for elements (`pending`). Defines `NAMES`, the names as lines of operators have
/// them, and `run`, which calls a function by the index of its name.
#[macro_export]
macro_rules! functions {
    (ready { $($module:ident: $($name:ident)*;)* } pending { $($reader:ident: $($read:ident)*;)* }) => {
        /// The names of the functions.
        pub(super) const NAMES: &[&str] = &[$($(stringify!($name),)*)* $($(stringify!($read),)*)*];

        /// Runs a function by the index of its name.
        pub(super) fn run<'d, D: $crate::Dispatch>(
            index: usize,
            dispatch: &'d D,
            args: $crate::operators::Args<D::Tensor>,
        ) -> $crate::Result<$crate::Outcome<'d, D::Tensor>> {
            type Ready<D> = fn(
                &D,
                $crate::operators::Args<<D as $crate::Dispatch>::Tensor>,
            ) -> $crate::Result<$crate::Value<<D as $crate::Dispatch>::Tensor>>;
            let ready: &[Ready<D>] = &[$($($module::$name,)*)*];
            let pending = [$($($reader::$read as fn(&'d D, _) -> _,)*)*];
            match ready.get(index) {
                Some(function) => function(dispatch, args).map($crate::Outcome::Ready),
                None => pending[index - ready.len()](dispatch, args),
            }
        }
    };
}

/// The arguments of a function.
pub type Given<D> = Args<<D as Dispatch>::Tensor>;
/// The result of a function.
pub type Output<D> = Result<Value<<D as Dispatch>::Tensor>>;

/// Calls an operation of the table that returns one tensor.
///
/// # Errors
///
/// See [`table_call`]; [`Error::Argument`] if it returns anything else.
pub fn tensor<D: Dispatch>(
    dispatch: &D,
    name: &str,
    args: impl IntoIterator<Item = Value<D::Tensor>>,
) -> Result<D::Tensor> {
    with(dispatch, name, args, &[])
}

/// [`tensor`] with named arguments.
///
/// # Errors
///
/// See [`tensor`].
pub fn with<D: Dispatch>(
    dispatch: &D,
    name: &str,
    args: impl IntoIterator<Item = Value<D::Tensor>>,
    named: &[(&str, Value<D::Tensor>)],
) -> Result<D::Tensor> {
    match table_call(dispatch, name, args.into_iter().collect(), named)?.ready(name)? {
        Value::Tensor(tensor) => Ok(tensor),
        _ => Err(Error::argument(name, "does not give one tensor")),
    }
}

/// Calls an operation of the table that returns several tensors.
///
/// # Errors
///
/// See [`tensor`].
pub fn tensors<D: Dispatch>(
    dispatch: &D,
    name: &str,
    args: impl IntoIterator<Item = Value<D::Tensor>>,
) -> Result<Vec<D::Tensor>> {
    match table_call(dispatch, name, args.into_iter().collect(), &[])?.ready(name)? {
        Value::List(values) | Value::Tuple(values) => {
            Ok(values.into_iter().filter_map(|value| value.as_tensor().cloned()).collect())
        }
        _ => Err(Error::argument(name, "does not give tensors")),
    }
}

/// Calls an operation of the table on one tensor.
///
/// # Errors
///
/// See [`tensor`].
pub fn unary<D: Dispatch>(dispatch: &D, name: &str, x: &D::Tensor) -> Result<D::Tensor> {
    tensor(dispatch, name, [arg(x)])
}

/// Calls an operation of the table on two tensors.
///
/// # Errors
///
/// See [`tensor`].
pub fn binary<D: Dispatch>(dispatch: &D, name: &str, a: &D::Tensor, b: &D::Tensor) -> Result<D::Tensor> {
    tensor(dispatch, name, [arg(a), arg(b)])
}

/// Calls an operation of the table on a tensor and a number.
///
/// # Errors
///
/// See [`tensor`].
pub fn by_number<D: Dispatch>(dispatch: &D, name: &str, x: &D::Tensor, number: f64) -> Result<D::Tensor> {
    tensor(dispatch, name, [arg(x), Value::Float(number)])
}

/// A tensor as an argument.
pub fn arg<T: Clone>(tensor: &T) -> Value<T> {
    Value::Tensor(tensor.clone())
}

/// A string as an argument.
pub fn text<T>(text: &str) -> Value<T> {
    Value::Str(text.to_string())
}

/// An element type as an argument.
pub fn of_type<T>(dtype: DType) -> Value<T> {
    text(dtype.name())
}
