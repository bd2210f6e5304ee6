//! Adadelta.

use crate::{group::Update, options::optimizer, table::non_negative};
use lanthorn_tensor::{Error, Result};

optimizer! {
    /// Adadelta (Zeiler, 2012), as `torch.optim.Adadelta`.
    "Adadelta" as Adadelta, row ADADELTA, check |options, _| check(options), update update;
    AdadeltaOptions as AdadeltaValues {
        /// The learning rate.
        lr: f64 = 1.0,
        /// The decay rate of the mean squares.
        rho: f64 = 0.9,
        /// Added to the mean squares, for numerical stability.
        eps: f64 = 1e-6,
        /// Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient.
        weight_decay: f64 = 0.0,
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
    }
}

fn check(options: &AdadeltaOptions) -> Result<()> {
    let &AdadeltaOptions { lr, rho, eps, weight_decay, .. } = options;
    non_negative("Adadelta", &[("lr", lr), ("eps", eps), ("weight_decay", weight_decay)])?;
    match (0.0..=1.0).contains(&rho) {
        true => Ok(()),
        false => Err(Error::argument("Adadelta", format!("rho must be from 0 to 1: {rho}"))),
    }
}

fn update(options: &AdadeltaValues, mut update: Update<'_>) -> Result<()> {
    let &AdadeltaValues { lr, rho, eps, weight_decay, maximize } = options;
    let grad = update.decayed_grad(maximize, weight_decay)?;
    update.state.count();
    let deviation = update.mean_square("square_avg", &grad, rho)?.add(eps)?.sqrt()?;
    let delta = update.zeros("acc_delta")?.add(eps)?.sqrt()?.div(&deviation)?.mul(&grad)?;
    update.mean_square("acc_delta", &delta, rho)?;
    update.parameter.copy_(&update.parameter.sub_with(&delta, lr)?)
}
