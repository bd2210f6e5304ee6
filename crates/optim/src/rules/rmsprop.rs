//! RMSprop.

use crate::{group::Update, options::optimizer, table::non_negative};
use lanthorn_tensor::Result;

optimizer! {
    /// RMSprop (Hinton, 2012; centered: Graves, 2013), as `torch.optim.RMSprop`.
    "RMSprop" as RmsProp, row RMSPROP, check |options, _| check(options), update update;
    RmsPropOptions as RmsPropValues {
        /// The learning rate.
        lr: f64 = 1e-2,
        /// The decay rate of the mean squares.
        alpha: f64 = 0.99,
        /// Added to the square root of the mean square, for numerical stability.
        eps: f64 = 1e-8,
        /// Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient.
        weight_decay: f64 = 0.0,
        /// The momentum factor.
        momentum: f64 = 0.0,
        /// Centered: divide by the standard deviation instead of the root mean square.
        centered: bool = false,
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
    }
}

fn check(options: &RmsPropOptions) -> Result<()> {
    let &RmsPropOptions { lr, alpha, eps, weight_decay, momentum, .. } = options;
    let numbers = [("lr", lr), ("eps", eps), ("momentum", momentum), ("weight_decay", weight_decay), ("alpha", alpha)];
    non_negative("RMSprop", &numbers)
}

fn update(options: &RmsPropValues, mut update: Update<'_>) -> Result<()> {
    let &RmsPropValues { lr, alpha, eps, weight_decay, momentum, centered, maximize } = options;
    let grad = update.decayed_grad(maximize, weight_decay)?;
    update.state.count();
    let mut square = update.mean_square("square_avg", &grad, alpha)?;
    if centered {
        let mean = update.mean("grad_avg", &grad, alpha)?;
        square = square.sub(&mean.square()?)?;
    }
    let mut direction = grad.div(&square.sqrt()?.add(eps)?)?;
    if momentum > 0.0 {
        direction = update.zeros("momentum_buffer")?.mul(momentum)?.add(&direction)?;
        update.state.set_tensor("momentum_buffer", &direction)?;
    }
    update.parameter.copy_(&update.parameter.sub_with(&direction, lr)?)
}
