//! NAdam.

use crate::{
    group::Update,
    options::optimizer,
    table::{non_negative, rates},
};
use lanthorn_tensor::{Result, SymFloat};

optimizer! {
    /// Adam with Nesterov's momentum (Dozat, 2016), as `torch.optim.NAdam`.
    "NAdam" as NAdam, row NADAM, check |options, _| check(options), update update;
    NAdamOptions as NAdamValues {
        /// The learning rate.
        lr: f64 = 2e-3,
        /// The decay rates of the means of the gradient and of its square.
        betas: (f64, f64) = (0.9, 0.999),
        /// Added to the square root of the mean square, for numerical stability.
        eps: f64 = 1e-8,
        /// Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient.
        weight_decay: f64 = 0.0,
        /// The decay of the momentum schedule.
        momentum_decay: f64 = 4e-3,
        /// Decouple the weight decay, as in AdamW.
        decoupled_weight_decay: bool = false,
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
    }
}

fn check(options: &NAdamOptions) -> Result<()> {
    let &NAdamOptions { lr, eps, weight_decay, momentum_decay, betas, .. } = options;
    let numbers = [("lr", lr), ("eps", eps), ("weight_decay", weight_decay), ("momentum_decay", momentum_decay)];
    non_negative("NAdam", &numbers)?;
    rates("NAdam", betas)
}

fn update(options: &NAdamValues, mut update: Update<'_>) -> Result<()> {
    let &NAdamValues { lr, betas, eps, weight_decay, momentum_decay, decoupled_weight_decay, maximize } = options;
    let parameter = update.parameter;
    let shrinks = decoupled_weight_decay && weight_decay != 0.0;
    let shrunk = if shrinks { &parameter.mul(1.0 - lr * weight_decay)? } else { parameter };
    let grad = update.decayed_grad(maximize, if shrinks { 0.0.into() } else { weight_decay })?;
    let step = update.state.count();
    let momentum = |step: SymFloat| betas.0 * (1.0 - 0.5 * SymFloat::from(0.96).powf(step * momentum_decay));
    let (now, next) = (momentum(step), momentum(step + 1.0));
    update.state.set_number("mu_product", update.state.number("mu_product", 1.0) * now);
    let product = update.state.number("mu_product", 1.0);
    let mean = update.mean("exp_avg", &grad, betas.0)?;
    let square = update.mean_square("exp_avg_sq", &grad, betas.1)?;
    let root = square.div(1.0 - betas.1.powf(step))?.sqrt()?.add(eps)?;
    let by_gradient = shrunk.sub_with(&grad.div(&root)?, lr * (1.0 - now) / (1.0 - product))?;
    parameter.copy_(&by_gradient.sub_with(&mean.div(&root)?, lr * next / (1.0 - product * next))?)
}
