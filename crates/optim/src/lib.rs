//! Optimizers, with `torch.optim`'s names, defaults and arithmetic.
//!
//! A step is written in tensor ops under `no_grad`, so that the engine fuses it; every number that changes from step to step (the
//! learning rate, Adam's bias corrections) is data of the recorded work and never part of a kernel.

mod adam;
mod sgd;
pub mod table;

pub use adam::{Adam, AdamOptions};
pub use sgd::{Sgd, SgdOptions};

use lanthorn_tensor::{Result, Tensor};

/// Changes parameters by their gradients, as `torch.optim.Optimizer`.
pub trait Optimizer {
    /// The parameters, in the order given.
    fn parameters(&self) -> &[Tensor];

    /// The learning rate.
    fn learning_rate(&self) -> f64;

    /// Changes the learning rate; nothing is recompiled by it.
    fn set_learning_rate(&mut self, lr: f64);

    /// Changes every parameter that has a gradient, and runs what is recorded without waiting for it.
    fn step(&mut self) -> Result<()>;

    /// Drops the gradients, as `zero_grad(set_to_none=True)`.
    fn zero_grad(&self) -> Result<()> {
        self.parameters().iter().try_for_each(|parameter| parameter.set_grad(None))
    }
}

/// Runs what the step recorded: it ends a window of work.
fn flush(parameters: &[Tensor]) {
    if let Some(parameter) = parameters.first() {
        parameter.device().flush();
    }
}
