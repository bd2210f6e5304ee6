//! RAdam.

use crate::{
    group::Update,
    options::optimizer,
    table::{non_negative, rates},
};
use lanthorn_tensor::{Result, SymFloat};

optimizer! {
    /// Adam whose adaptive rate starts once its variance is known (Liu et al., 2020), as
    /// `torch.optim.RAdam`.
    "RAdam" as RAdam, row RADAM, check |options, _| check(options), update update;
    RAdamOptions as RAdamValues {
        /// The learning rate.
        lr: f64 = 1e-3,
        /// The decay rates of the means of the gradient and of its square.
        betas: (f64, f64) = (0.9, 0.999),
        /// Added to the square root of the mean square, for numerical stability.
        eps: f64 = 1e-8,
        /// Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient.
        weight_decay: f64 = 0.0,
        /// Decouple the weight decay, as in AdamW.
        decoupled_weight_decay: bool = false,
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
    }
}

fn check(options: &RAdamOptions) -> Result<()> {
    non_negative("RAdam", &[("lr", options.lr), ("eps", options.eps), ("weight_decay", options.weight_decay)])?;
    rates("RAdam", options.betas)
}

/// The rectification of the rate, if the variance of the mean square is tractable.
fn rectification(step: SymFloat, beta: SymFloat) -> Option<SymFloat> {
    let longest = 2.0 / (1.0 - beta) - 1.0;
    let length = longest - 2.0 * step * beta.powf(step) / (1.0 - beta.powf(step));
    let ratio = (length - 4.0) * (length - 2.0) * longest / ((longest - 4.0) * (longest - 2.0) * length);
    (length > 5.0).then(|| ratio.sqrt())
}

fn update(options: &RAdamValues, mut update: Update<'_>) -> Result<()> {
    let &RAdamValues { lr, betas, eps, weight_decay, decoupled_weight_decay, maximize } = options;
    let parameter = update.parameter;
    let shrinks = decoupled_weight_decay && weight_decay != 0.0;
    let shrunk = if shrinks { &parameter.mul(1.0 - lr * weight_decay)? } else { parameter };
    let grad = update.decayed_grad(maximize, if shrinks { 0.0.into() } else { weight_decay })?;
    let step = update.state.count();
    let mean = update.mean("exp_avg", &grad, betas.0)?;
    let square = update.mean_square("exp_avg_sq", &grad, betas.1)?;
    let (mean_correction, square_correction) = (1.0 - betas.0.powf(step), 1.0 - betas.1.powf(step));
    let changed = match rectification(step, betas.1) {
        Some(factor) => {
            let root = square.sqrt()?.add(eps)?;
            shrunk.sub_with(&mean.div(&root)?, lr * factor * square_correction.sqrt() / mean_correction)?
        }
        None => shrunk.sub_with(&mean, lr / mean_correction)?,
    };
    parameter.copy_(&changed)
}
