//! RMSprop.

use crate::{group::Update, options::optimizer, table::non_negative};
use lanthorn_tensor::Result;

optimizer! {
    /// RMSprop (Hinton, 2012; centered: Graves, 2013), as `torch.optim.RMSprop`.
    "RMSprop" as RmsProp, row RMSPROP, check |options, _| check(options), update update;
    RmsPropOptions {
        /// The learning rate.
        lr: f64 = 1e-2,
        /// How slowly the mean square of the gradients changes.
        alpha: f64 = 0.99,
        /// Added to the root of the mean square.
        eps: f64 = 1e-8,
        /// The weight of the squared parameters in the loss, times two.
        weight_decay: f64 = 0.0,
        /// How much of the last step's direction stays.
        momentum: f64 = 0.0,
        /// Divide by the deviation from the mean instead of the size.
        centered: bool = false,
        /// Climb instead of descending.
        maximize: bool = false,
    }
}

fn check(options: &RmsPropOptions) -> Result<()> {
    let &RmsPropOptions { lr, alpha, eps, weight_decay, momentum, .. } = options;
    let numbers = [("lr", lr), ("eps", eps), ("momentum", momentum), ("weight_decay", weight_decay), ("alpha", alpha)];
    non_negative("RMSprop", &numbers)
}

fn update(options: &RmsPropOptions, mut update: Update<'_>) -> Result<()> {
    let &RmsPropOptions { lr, alpha, eps, weight_decay, momentum, centered, maximize } = options;
    let grad = update.decayed(maximize, weight_decay)?;
    update.state.count();
    let mut square = update.mean_square("square_avg", &grad, alpha)?;
    if centered {
        let mean = update.mean("grad_avg", &grad, alpha)?;
        square = square.sub(&mean.square()?)?;
    }
    let mut direction = grad.div(&square.sqrt()?.add(eps)?)?;
    if momentum > 0.0 {
        direction = update.zeros("momentum_buffer")?.mul(momentum)?.add(&direction)?;
        update.state.set_tensor("momentum_buffer", &direction);
    }
    update.parameter.copy_(&update.parameter.sub_with(&direction, lr)?)
}
