//! The operations that a function calls, noted while it runs. Programs are exported from them.
//!
//! A trace intercepts the calls of ops: every method of a tensor then calls its op by name, and the
//! trace notes the call. The calls inside of a noted op are not noted. A composite that cannot be
//! exported runs as the ops that it is written in.
//!
//! ```
//! # use lanthorn_tensor as lanthorn;
//! # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
//! use lanthorn::{Tensor, trace};
//! let x = Tensor::from_slice(&[-1.0f32, 2.0], [2], &device)?;
//! let (result, calls) = trace::trace(|_, _, _| true, || x.relu()?.add(1))?;
//! assert_eq!(calls.iter().map(|call| call.name).collect::<Vec<_>>(), ["relu", "add"]);
//! assert!(calls[1].results.tensors()[0].is(&result));
//! # Ok::<(), lanthorn::Error>(())
//! ```

use crate::{
    Error, Result, Tensor,
    autograd::is_grad_enabled,
    ops::{
        Arg, Args, InPlace, Op, OpKind, Output,
        dispatch::{self, Interceptor},
        in_place,
    },
    storage::Storage,
};
use std::cell::RefCell;

/// A call of an op in a traced function.
#[derive(Clone, Debug)]
pub struct Call {
    /// The name of the op with its overload, or `copy` or `detach`, which are none.
    pub name: &'static str,
    /// The arguments in the schema's order; missing ones have their defaults.
    pub args: Vec<Arg>,
    /// Whether the first argument took the result.
    pub in_place: bool,
    /// Whether operations were recorded for gradients.
    pub grad_enabled: bool,
    /// The results. The traced calls keep all tensors alive, so that their ids stay theirs.
    pub results: Output,
}

/// Which calls of ops a trace notes.
type IsExported = Box<dyn Fn(&'static Op, &[Arg], bool) -> bool>;

struct Trace {
    is_exported: IsExported,
    calls: Vec<Call>,
    /// The storages with this number and later ones were made by the traced function.
    first_storage: u64,
    /// The numbers of the storages of data that the traced function brought from the host.
    uploads: Vec<u64>,
}

thread_local! {
    static TRACE: RefCell<Option<Trace>> = const { RefCell::new(None) };
}

/// Begins a trace of the calls of ops for which `is_exported` holds: of an op, its complete
/// arguments, and whether it is the in-place form.
///
/// # Errors
///
/// `argument` if one is under way.
pub fn start(is_exported: impl Fn(&'static Op, &[Arg], bool) -> bool + 'static) -> Result<()> {
    if TRACE.with_borrow(Option::is_some) {
        return Err(Error::argument("trace", "another function is being traced"));
    }
    let trace =
        Trace { is_exported: Box::new(is_exported), calls: vec![], first_storage: Storage::made(), uploads: vec![] };
    TRACE.set(Some(trace));
    dispatch::intercept(Some(&INTERCEPTOR));
    Ok(())
}

/// Ends the current trace, and returns its calls.
///
/// # Errors
///
/// `argument` if a call took a tensor that the function made by something that is no op: its value
/// would be taken for a constant.
pub fn finish() -> Result<Vec<Call>> {
    dispatch::intercept(None);
    let Some(trace) = TRACE.take() else { return Err(Error::argument("trace", "no function is being traced")) };
    let mut made: rustc_hash::FxHashSet<u64> = trace.uploads.iter().copied().collect();
    for call in &trace.calls {
        for tensor in call.args.iter().flat_map(Arg::tensors) {
            let serial = tensor.0.storage.serial;
            if serial >= trace.first_storage && !made.contains(&serial) {
                let message = format!("takes a tensor that {} made outside of an operation", tensor.origin());
                return Err(Error::argument(call.name, message));
            }
        }
        made.extend(call.results.tensors().iter().map(|tensor| tensor.0.storage.serial));
    }
    Ok(trace.calls)
}

/// Ends the trace under way, if there is one, and drops its calls.
pub fn abort() {
    dispatch::intercept(None);
    TRACE.set(None);
}

/// Runs a function and returns its result with the ops that it called.
///
/// # Errors
///
/// The errors of [`start`], of the function, and of [`finish`].
pub fn trace<T>(
    is_exported: impl Fn(&'static Op, &[Arg], bool) -> bool + 'static,
    function: impl FnOnce() -> Result<T>,
) -> Result<(T, Vec<Call>)> {
    start(is_exported)?;
    match function() {
        Ok(result) => Ok((result, finish()?)),
        Err(error) => {
            abort();
            Err(error)
        }
    }
}

/// Whether the next call of an op is noted.
pub fn is_active() -> bool {
    dispatch::is_intercepted() && is_under_way()
}

fn is_under_way() -> bool {
    TRACE.with_borrow(Option::is_some)
}

/// Refuses what cannot be part of an exported program, while a function is traced.
///
/// # Errors
///
/// `argument` with the op and the reason.
pub fn refuse(op: &str, reason: &str) -> Result<()> {
    if is_active() { Err(Error::argument(op, format!("cannot be exported: {reason}"))) } else { Ok(()) }
}

/// Notes data that the function brings from the host, which is a constant of the program.
fn note_upload(tensor: &Tensor) {
    TRACE.with_borrow_mut(|trace| {
        if let Some(trace) = trace {
            trace.uploads.push(tensor.0.storage.serial);
        }
    });
}

/// Notes that a tensor took the elements of another by something that is no op.
fn note_copy(target: &Tensor, source: &Tensor) {
    let args = [Arg::from(target), Arg::from(source)];
    note("copy", &args, true, Output::Tensor(target.clone()));
}

/// Notes that a tensor was taken out of the autograd graph.
fn note_detach(tensor: &Tensor, detached: &Tensor) {
    note("detach", &[Arg::from(tensor)], false, Output::Tensor(detached.clone()));
}

/// Notes a call while a function is traced.
fn note(name: &'static str, args: &[Arg], in_place: bool, results: Output) {
    let call = Call { name, args: args.to_vec(), in_place, grad_enabled: is_grad_enabled(), results };
    TRACE.with_borrow_mut(|trace| {
        if let Some(trace) = trace {
            trace.calls.push(call);
        }
    });
}

fn is_exported(op: &'static Op, args: &[Arg], in_place: bool) -> bool {
    TRACE.with_borrow(|trace| trace.as_ref().is_some_and(|trace| (trace.is_exported)(op, args, in_place)))
}

/// The trace as the interceptor of the thread's calls.
static INTERCEPTOR: Interceptor =
    Interceptor { run, run_in_place, note_copy, note_detach, note_upload, is_active: is_under_way };

/// Runs an op on the arguments that it was bound to, and notes the call.
fn run(op: &'static Op, bound: &Args<'_>) -> Result<Output> {
    let args = bound.to_vec();
    if is_exported(op, &args, false) {
        let output = dispatch::quietly(|| op.run_bound(bound))?;
        note(op.name(), &args, false, output.clone());
        return Ok(output);
    }
    if op.kind != OpKind::Composite {
        refuse(op.name(), "there is no such operator in ATen")?;
    }
    op.run_bound(bound)
}

/// Runs the in-place form of an op, and notes the call.
fn run_in_place(op: &'static Op, args: &[Arg]) -> Result<Tensor> {
    // A view replaces a handle; no elements are written.
    let writes = op.in_place != Some(InPlace::View);
    if is_exported(op, args, writes) {
        let written = dispatch::quietly(|| op.write_in_place(args, in_place::before))?;
        note(op.name(), args, writes, Output::Tensor(written.clone()));
        return Ok(written);
    }
    // The ops that a composite is written in are noted as calls on the tensor itself.
    op.write_in_place(args, Tensor::clone)
}
