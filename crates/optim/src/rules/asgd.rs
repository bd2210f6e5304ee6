//! Averaged stochastic gradient descent.

use crate::{group::Update, options::optimizer, table::non_negative};
use lanthorn_tensor::Result;

optimizer! {
    /// Averaged stochastic gradient descent (Polyak and Juditsky, 1992), as `torch.optim.ASGD`.
    "ASGD" as Asgd, row ASGD, check |options, _| check(options), update update;
    AsgdOptions as AsgdValues {
        /// The learning rate.
        lr: f64 = 1e-2,
        /// The decay of the parameters.
        lambd: f64 = 1e-4,
        /// The exponent of the learning rate's decay.
        alpha: f64 = 0.75,
        /// The step at which averaging begins.
        t0: f64 = 1e6,
        /// Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient.
        weight_decay: f64 = 0.0,
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
    }
}

fn check(options: &AsgdOptions) -> Result<()> {
    let &AsgdOptions { lr, lambd, alpha, weight_decay, .. } = options;
    non_negative("ASGD", &[("lr", lr), ("lambd", lambd), ("alpha", alpha), ("weight_decay", weight_decay)])
}

fn update(options: &AsgdValues, update: Update<'_>) -> Result<()> {
    let &AsgdValues { lr, lambd, alpha, t0, weight_decay, maximize } = options;
    let (parameter, state) = (update.parameter, &update.state);
    let grad = update.decayed_grad(maximize, weight_decay)?;
    let (rate, weight) = (state.number("eta", lr.rounded()), state.number("mu", 1.0));
    let changed = parameter.mul(1.0 - lambd * rate)?.sub_with(&grad, rate)?;
    let average = match weight == 1.0 {
        true => changed.clone_tensor()?,
        false => update.zeros("ax")?.lerp(&changed, weight)?,
    };
    let step = update.state.count();
    update.state.set_number("eta", lr / (1.0 + lambd * lr * step).powf(alpha));
    update.state.set_number("mu", 1.0 / (step - t0).max(1.0));
    update.state.set_tensor("ax", &average)?;
    parameter.copy_(&changed)
}
