//! Adamax.

use crate::{
    group::Update,
    options::optimizer,
    table::{non_negative, rates},
};
use lanthorn_tensor::Result;

optimizer! {
    /// Adamax, Adam with the infinity norm (Kingma and Ba, 2015), as `torch.optim.Adamax`.
    "Adamax" as Adamax, row ADAMAX, check |options, _| check(options), update update;
    AdamaxOptions as AdamaxValues {
        /// The learning rate.
        lr: f64 = 2e-3,
        /// The decay rates of the mean and of the infinity norm of the gradients.
        betas: (f64, f64) = (0.9, 0.999),
        /// Added to the infinity norm, for numerical stability.
        eps: f64 = 1e-8,
        /// Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient.
        weight_decay: f64 = 0.0,
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
    }
}

fn check(options: &AdamaxOptions) -> Result<()> {
    non_negative("Adamax", &[("lr", options.lr), ("eps", options.eps), ("weight_decay", options.weight_decay)])?;
    rates("Adamax", options.betas)
}

fn update(options: &AdamaxValues, mut update: Update<'_>) -> Result<()> {
    let &AdamaxValues { lr, betas, eps, weight_decay, maximize } = options;
    let grad = update.decayed_grad(maximize, weight_decay)?;
    let step = update.state.count();
    let mean = update.mean("exp_avg", &grad, betas.0)?;
    let norm = update.zeros("exp_inf")?.mul(betas.1)?.maximum(&grad.abs()?.add(eps)?)?;
    update.state.set_tensor("exp_inf", &norm)?;
    let rate = lr / (1.0 - betas.0.powf(step));
    update.parameter.copy_(&update.parameter.sub_with(&mean.div(&norm)?, rate)?)
}
