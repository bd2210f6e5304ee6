//! Lion.

use crate::{
    group::Update,
    options::optimizer,
    table::{non_negative, rates},
};
use lanthorn_tensor::Result;

optimizer! {
    /// Lion, whose update is the sign of the momentum (Chen et al., 2023).
    "Lion" as Lion, row LION, check |options, _| check(options), update update;
    LionOptions as LionValues {
        /// The learning rate.
        lr: f64 = 1e-4,
        /// The weight of the momentum in the update, and its decay rate.
        betas: (f64, f64) = (0.9, 0.99),
        /// Decoupled weight decay: a step subtracts `lr * weight_decay * parameter`.
        weight_decay: f64 = 0.0,
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
    }
}

fn check(options: &LionOptions) -> Result<()> {
    non_negative("Lion", &[("lr", options.lr), ("weight_decay", options.weight_decay)])?;
    rates("Lion", options.betas)
}

fn update(options: &LionValues, mut update: Update<'_>) -> Result<()> {
    let &LionValues { lr, betas, weight_decay, maximize } = options;
    let parameter = update.parameter;
    let grad = update.signed_grad(maximize)?;
    let direction = update.zeros("exp_avg")?.lerp(&grad, 1.0 - betas.0)?.sign()?;
    update.mean("exp_avg", &grad, betas.1)?;
    let shrunk = if weight_decay != 0.0 { &parameter.mul(1.0 - lr * weight_decay)? } else { parameter };
    parameter.copy_(&shrunk.sub_with(&direction, lr)?)
}
