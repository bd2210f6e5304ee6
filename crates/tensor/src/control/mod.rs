//! Control flow whose functions are compiled once for any number of steps: [`scan`],
//! [`associative_scan`], [`while_loop`] and [`cond`], as `torch._higher_order_ops` has them.
//!
//! A scan calls its function twice, however many steps there are: once to learn the shapes and
//! which tensors the function captures, and once to record the kernels of a step. Every step
//! replays that recording, as a call of a [compiled](crate::compile) function does. The backward
//! pass of a scan is a scan in the other direction, of the function's derivative, so that it too
//! is recorded once and has a derivative itself. It computes each step again from the carry that
//! the step began with; only these carries are kept.
//!
//! A step reads its slices, and writes its outputs, at a position that is a tensor on the device.
//! Rejected: a view for each slice, because each offset would be another kernel. Rejected: a list
//! of outputs that is stacked at the end, whose plan would grow with the number of steps.
//!
//! Within [`func::vmap`](crate::func::vmap) and while a program is traced for export, the steps are
//! ordinary operations, one after another. A [compiled](crate::compile) function that runs a scan
//! or a loop is called each time, because its recording would grow with every step; the steps are
//! replayed.

mod associative;
mod branch;
mod derivative;
mod loops;
mod scan;
mod steps;

pub use associative::{AssociativeScanOptions, CombineMode, associative_scan};
pub use branch::{branch, cond};
pub use loops::{Loop, while_loop};
pub use scan::{ScanOptions, scan};

use crate::{Error, Result, Tensor, batch, ops::dispatch};

/// Whether steps are ordinary operations here: within `vmap`, and where operations are noted.
fn runs_plainly(tensors: &[Tensor]) -> bool {
    batch::is_active() || dispatch::is_intercepted() || tensors.iter().any(|tensor| !tensor.batch().is_empty())
}

/// Checks that tensors have the shapes and types of others. `what` was returned, and `like` is the
/// name of the others.
fn check_alike(op: &'static str, (what, like): (&str, &str), given: &[Tensor], of: &[Tensor]) -> Result<()> {
    if given.len() != of.len() {
        let message = format!("{what} has {} tensors, {like} has {}", given.len(), of.len());
        return Err(Error::argument(op, message));
    }
    for (index, (given, of)) in given.iter().zip(of).enumerate() {
        if given.shape() != of.shape() || given.dtype() != of.dtype() {
            let (found, wanted) = (format!("{} {}", given.dtype(), given.shape()), of.shape());
            let message =
                format!("tensor {index} of {what} is {found}, tensor {index} of {like} is {} {wanted}", of.dtype());
            return Err(if given.shape() != of.shape() {
                Error::shape(op, message)
            } else {
                Error::dtype(op, message)
            });
        }
    }
    Ok(())
}
