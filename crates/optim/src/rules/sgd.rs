//! Stochastic gradient descent.

use crate::{group::Update, options::optimizer, state::Entry, table::non_negative};
use lanthorn_tensor::{Error, Result};

optimizer! {
    /// Stochastic gradient descent with momentum, as `torch.optim.SGD` (Sutskever et al., 2013, in
    /// PyTorch's form).
    ///
    /// `v = momentum * v + (1 - dampening) * g` (the first step takes `v = g`), `p = p - lr * v`.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::optim::{Sgd, SgdOptions};
    /// use lanthorn::Tensor;
    /// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
    /// let optimizer = Sgd::new(vec![w.clone()], SgdOptions { lr: 0.25, ..Default::default() })?;
    /// w.square()?.backward()?;
    /// optimizer.step()?;
    /// assert_eq!(pollster::block_on(w.item())?, 0.5);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    "SGD" as Sgd, row SGD, check |options, _| check(options), update update;
    SgdOptions as SgdValues {
        /// The learning rate.
        lr: f64 = 1e-3,
        /// The momentum factor.
        momentum: f64 = 0.0,
        /// The dampening of the momentum: the gradient has weight `1 - dampening`.
        dampening: f64 = 0.0,
        /// Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient.
        weight_decay: f64 = 0.0,
        /// Use Nesterov momentum.
        nesterov: bool = false,
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
    }
}

fn check(options: &SgdOptions) -> Result<()> {
    let &SgdOptions { lr, momentum, dampening, weight_decay, nesterov, .. } = options;
    non_negative("SGD", &[("lr", lr), ("momentum", momentum), ("weight_decay", weight_decay)])?;
    if nesterov && (momentum <= 0.0 || dampening != 0.0) {
        return Err(Error::argument("SGD", "Nesterov's momentum needs a momentum above 0 and no dampening"));
    }
    Ok(())
}

fn update(options: &SgdValues, update: Update<'_>) -> Result<()> {
    let &SgdValues { lr, momentum, dampening, weight_decay, nesterov, maximize } = options;
    let grad = update.decayed_grad(maximize, weight_decay)?;
    let mut direction = grad.clone();
    if momentum != 0.0 {
        let velocity = match update.state.get("momentum_buffer") {
            Some(Entry::Tensor(velocity)) => velocity.mul(momentum)?.add_with(&grad, 1.0 - dampening)?,
            // A copy, because the caller may change the gradient.
            _ => grad.clone_tensor()?,
        };
        direction = if nesterov { grad.add_with(&velocity, momentum)? } else { velocity.clone() };
        update.state.set_tensor("momentum_buffer", &velocity)?;
    }
    update.parameter.copy_(&update.parameter.sub_with(&direction, lr)?)
}
