//! User-defined kernels: a host function over whole tensors.
//!
//! In native builds, a function that panics makes its launch fail. In WebAssembly a panic ends the
//! program, so functions return errors there.

use crate::{
    block::Input,
    kernel::{CpuKernel, data},
};
use lanthorn_ir::{
    Error, Result,
    expr::Constant,
    kernel::{self, HostCall},
};

/// A prepared use of a kernel.
pub(crate) struct Custom(kernel::Custom);

impl Custom {
    pub fn new(op: &str, kernel: &kernel::Custom) -> Result<Custom> {
        match kernel.kernel.0.cpu {
            Some(_) => Ok(Custom(kernel.clone())),
            None => Err(Error::kernel(op, "has no kernel for the CPU")),
        }
    }
}

impl CpuKernel for Custom {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        // `new` returns an error for a kernel without a function.
        let Some(function) = &self.0.kernel.0.cpu else { return Ok(()) };
        let sizes = self.0.inputs().map(|(dtype, shape)| dtype.size() * shape.elements());
        let inputs = inputs.iter().zip(sizes).map(|(input, bytes)| &data(input)[..bytes]).collect();
        let mut call = HostCall::new(&self.0, inputs, outputs, params);
        let outcome = catch_panic(op, || function(&mut call));
        outcome.map_err(|error| match error.is_kernel() && error.op() == op {
            true => error,
            false => Error::kernel(op, format!("its CPU kernel failed: {error}")),
        })
    }
}

#[cfg(panic = "unwind")]
fn catch_panic(op: &str, run: impl FnOnce() -> Result<()>) -> Result<()> {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    // The outputs may be incomplete. No caller reads them, because their values have failed.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let text =
            payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Err(Error::kernel(op, format!("its CPU kernel panicked: {}", text.unwrap_or("without a message"))))
    })
}

#[cfg(not(panic = "unwind"))]
fn catch_panic(_op: &str, run: impl FnOnce() -> Result<()>) -> Result<()> {
    run()
}
