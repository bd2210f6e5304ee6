//! The way from a call of an op to its function: through the thread's interceptor, if there is one.
//!
//! A trace is an interceptor ([`crate::trace`]). The ops and their methods know only that there may
//! be one. Rejected: a question about the trace in each function that runs an op.

use super::{Arg, Args, Op, Output, in_place};
use crate::{DType, Error, Result, Tensor};
use std::cell::Cell;

/// The functions that run an op in place of the op itself.
pub(crate) struct Interceptor {
    /// Runs an op on its bound arguments.
    pub run: fn(&'static Op, &Args<'_>) -> Result<Output>,
    /// Runs the in-place form of an op.
    pub run_in_place: fn(&'static Op, &[Arg]) -> Result<Tensor>,
    /// Notes that a tensor takes the elements of another by something that is no op.
    pub note_copy: fn(&Tensor, &Tensor),
    /// Notes that a tensor was taken out of the autograd graph.
    pub note_detach: fn(&Tensor, &Tensor),
    /// Notes a tensor of data that comes from the host.
    pub note_upload: fn(&Tensor),
    /// Whether the interceptor still notes calls.
    pub is_active: fn() -> bool,
}

thread_local! {
    static CURRENT: Cell<Option<&'static Interceptor>> = const { Cell::new(None) };
}

/// Whether calls go through an interceptor. Tensors' methods call their ops by name then.
pub(crate) fn is_intercepted() -> bool {
    CURRENT.get().is_some()
}

/// Replaces the thread's interceptor, and returns the one before.
pub(crate) fn intercept(interceptor: Option<&'static Interceptor>) -> Option<&'static Interceptor> {
    CURRENT.replace(interceptor)
}

/// Runs something whose ops are not intercepted.
pub(crate) fn quietly<T>(run: impl FnOnce() -> T) -> T {
    let before = intercept(None);
    let result = run();
    // The function may have ended the notes.
    intercept(before.filter(|interceptor| (interceptor.is_active)()));
    result
}

/// Notes that a tensor takes the elements of another by something that is no op.
pub(crate) fn note_copy(target: &Tensor, source: &Tensor) {
    if let Some(interceptor) = CURRENT.get() {
        (interceptor.note_copy)(target, source);
    }
}

/// Notes that a tensor was taken out of the autograd graph.
pub(crate) fn note_detach(tensor: &Tensor, detached: &Tensor) {
    if let Some(interceptor) = CURRENT.get() {
        (interceptor.note_detach)(tensor, detached);
    }
}

/// Notes a tensor of data that comes from the host.
pub(crate) fn note_upload(tensor: &Tensor) {
    if let Some(interceptor) = CURRENT.get() {
        (interceptor.note_upload)(tensor);
    }
}

/// Runs an op on dynamic arguments.
pub(super) fn run(op: &'static Op, args: &[Arg]) -> Result<Output> {
    let args = Args::bind(op.schema(), args)?;
    match CURRENT.get() {
        None => op.run_bound(&args),
        Some(interceptor) => (interceptor.run)(op, &args),
    }
}

/// Runs the in-place form of an op on dynamic arguments.
pub(super) fn run_in_place(op: &'static Op, args: &[Arg]) -> Result<Tensor> {
    match CURRENT.get() {
        None => op.write_in_place(args, in_place::before),
        Some(interceptor) => (interceptor.run_in_place)(op, &Args::bind(op.schema(), args)?.to_vec()),
    }
}

/// Runs the op of a tensor's method.
pub(crate) fn method<T: FromOutput>(op: &'static Op, args: &[Arg]) -> Result<T> {
    T::from_output(run(op, args)?).ok_or_else(|| Error::argument(op.name(), "gives another kind of result"))
}

/// The result of a method, from the result of its op.
pub(crate) trait FromOutput: Sized {
    fn from_output(output: Output) -> Option<Self>;
}

macro_rules! from_output {
    ($($ty:ty: $output:pat => $value:expr,)*) => { $(
        impl FromOutput for $ty {
            fn from_output(output: Output) -> Option<$ty> {
                if let $output = output { $value } else { None }
            }
        }
    )* };
}

from_output! {
    Tensor: Output::Tensor(tensor) => Some(tensor),
    Vec<Tensor>: Output::Tensors(tensors) => Some(tensors),
    (Tensor, Tensor): Output::Tensors(tensors) => <[Tensor; 2]>::try_from(tensors).ok().map(Into::into),
    (Tensor, Tensor, Tensor): Output::Tensors(tensors) => <[Tensor; 3]>::try_from(tensors).ok().map(Into::into),
    (Tensor, Tensor, Tensor, Tensor): Output::Tensors(tensors) => <[Tensor; 4]>::try_from(tensors).ok().map(Into::into),
    (Tensor, Option<Tensor>): Output::Tensors(tensors) => {
        let mut tensors = tensors.into_iter();
        tensors.next().map(|first| (first, tensors.next()))
    },
    Vec<i64>: Output::Ints(values) => Some(values),
    bool: Output::Bool(value) => Some(value),
    DType: Output::DType(dtype) => Some(dtype),
}
