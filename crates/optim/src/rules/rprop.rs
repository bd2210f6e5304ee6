//! Rprop.

use crate::{group::Update, options::optimizer, table::non_negative};
use lanthorn_tensor::{Error, Result, Tensor};

optimizer! {
    /// Resilient backpropagation (Riedmiller and Braun, 1993), as `torch.optim.Rprop`: for
    /// full-batch gradients.
    "Rprop" as Rprop, row RPROP, check |options, _| check(options), update update;
    RpropOptions as RpropValues {
        /// The size of the first step.
        lr: f64 = 1e-2,
        /// The factors of the step size: the first if the gradient changed sign, the second if it
        /// did not.
        etas: (f64, f64) = (0.5, 1.2),
        /// The minimum and maximum step size.
        step_sizes: (f64, f64) = (1e-6, 50.0),
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
    }
}

fn check(options: &RpropOptions) -> Result<()> {
    non_negative("Rprop", &[("lr", options.lr)])?;
    let (shrink, grow) = options.etas;
    match 0.0 < shrink && shrink < 1.0 && 1.0 < grow {
        true => Ok(()),
        false => Err(Error::argument("Rprop", format!("etas must be on the two sides of 1: {shrink}, {grow}"))),
    }
}

fn update(options: &RpropValues, update: Update<'_>) -> Result<()> {
    let &RpropValues { lr, etas: (shrink, grow), step_sizes: (smallest, largest), maximize } = options;
    let parameter = update.parameter;
    let grad = update.signed_grad(maximize)?;
    update.state.count();
    let agreement = grad.mul(&update.zeros("prev")?)?;
    let (turned, kept) = (agreement.lt(0.0)?, agreement.gt(0.0)?);
    let factor = Tensor::r#where(&kept, grow, Tensor::r#where(&turned, shrink, parameter.detach().ones_like()?)?)?;
    let start = || parameter.detach().full_like(lr);
    let size = update.state.tensor("step_size", start)?.mul(factor)?.clamp_min(smallest)?.clamp_max(largest)?;
    update.state.set_tensor("step_size", &size)?;
    let grad = Tensor::r#where(&turned, 0.0, &grad)?;
    update.state.set_tensor("prev", &grad)?;
    parameter.copy_(&parameter.sub(grad.sign()?.mul(size)?)?)
}
