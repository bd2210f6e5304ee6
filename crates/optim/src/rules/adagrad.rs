//! Adagrad.

use crate::{group::Update, options::optimizer, table::non_negative};
use lanthorn_tensor::Result;

optimizer! {
    /// Adagrad (Duchi et al., 2011), as `torch.optim.Adagrad`.
    "Adagrad" as Adagrad, row ADAGRAD, check |options, _| check(options), update update;
    AdagradOptions as AdagradValues {
        /// The learning rate.
        lr: f64 = 1e-2,
        /// The decay of the learning rate.
        lr_decay: f64 = 0.0,
        /// Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient.
        weight_decay: f64 = 0.0,
        /// The initial value of the sum of squares.
        initial_accumulator_value: f64 = 0.0,
        /// Added to the square root of the sum, for numerical stability.
        eps: f64 = 1e-10,
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
    }
}

fn check(options: &AdagradOptions) -> Result<()> {
    let &AdagradOptions { lr, lr_decay, weight_decay, initial_accumulator_value: start, eps, .. } = options;
    let numbers = [
        ("lr", lr),
        ("lr_decay", lr_decay),
        ("weight_decay", weight_decay),
        ("initial_accumulator_value", start),
        ("eps", eps),
    ];
    non_negative("Adagrad", &numbers)
}

fn update(options: &AdagradValues, update: Update<'_>) -> Result<()> {
    let &AdagradValues { lr, lr_decay, weight_decay, initial_accumulator_value, eps, maximize } = options;
    let parameter = update.parameter;
    let grad = update.decayed_grad(maximize, weight_decay)?;
    let step = update.state.count();
    let start = || parameter.detach().full_like(initial_accumulator_value);
    let sum = update.state.tensor("sum", start)?.add(&grad.square()?)?;
    update.state.set_tensor("sum", &sum)?;
    let rate = lr / (1.0 + (step - 1.0) * lr_decay);
    parameter.copy_(&parameter.sub_with(&grad.div(&sum.sqrt()?.add(eps)?)?, rate)?)
}
