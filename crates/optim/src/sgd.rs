//! Stochastic gradient descent.

use crate::{Optimizer, flush};
use lanthorn_tensor::{Error, Result, Tensor, no_grad};
use serde::Deserialize;

/// The numbers of [`Sgd`], by PyTorch's names.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SgdOptions {
    /// The learning rate.
    pub lr: f64,
    /// How much of the last step's direction stays.
    pub momentum: f64,
    /// How little of the gradient enters the direction.
    pub dampening: f64,
    /// The weight of the squared parameters in the loss, times two.
    pub weight_decay: f64,
    /// Nesterov's momentum.
    pub nesterov: bool,
    /// Climb instead of descending.
    pub maximize: bool,
}

impl Default for SgdOptions {
    fn default() -> SgdOptions {
        SgdOptions { lr: 1e-3, momentum: 0.0, dampening: 0.0, weight_decay: 0.0, nesterov: false, maximize: false }
    }
}

/// Stochastic gradient descent with momentum, as `torch.optim.SGD` (Sutskever et al., 2013, in PyTorch's form).
///
/// `v = momentum * v + (1 - dampening) * g` (the first step takes `v = g`), `p = p - lr * v`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_optim::{Optimizer, Sgd, SgdOptions};
/// use lanthorn_tensor::Tensor;
/// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
/// let mut optimizer = Sgd::new(vec![w.clone()], SgdOptions { lr: 0.25, ..Default::default() })?;
/// w.square()?.backward()?;
/// optimizer.step()?;
/// assert_eq!(pollster::block_on(w.item())?, 0.5);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub struct Sgd {
    parameters: Vec<Tensor>,
    options: SgdOptions,
    momentum: Vec<Option<Tensor>>,
}

impl Sgd {
    /// An optimizer of these parameters: at least one, all of them leaves that require gradients.
    pub fn new(parameters: Vec<Tensor>, options: SgdOptions) -> Result<Sgd> {
        let SgdOptions { lr, momentum, dampening, weight_decay, nesterov, .. } = options;
        crate::table::check_parameters("SGD", &parameters)?;
        crate::table::non_negative("SGD", &[("lr", lr), ("momentum", momentum), ("weight_decay", weight_decay)])?;
        if nesterov && (momentum <= 0.0 || dampening != 0.0) {
            return Err(Error::argument("SGD", "Nesterov's momentum needs a momentum above 0 and no dampening"));
        }
        let momentum = vec![None; parameters.len()];
        Ok(Sgd { parameters, options, momentum })
    }

    fn update(&mut self, place: usize) -> Result<()> {
        let SgdOptions { lr, momentum, dampening, weight_decay, nesterov, maximize } = self.options;
        let parameter = &self.parameters[place];
        let Some(mut grad) = parameter.grad() else { return Ok(()) };
        if maximize {
            grad = grad.neg()?;
        }
        if weight_decay != 0.0 {
            grad = grad.add_with(parameter, weight_decay)?;
        }
        let mut direction = grad.clone();
        if momentum != 0.0 {
            let velocity = match self.momentum[place].take() {
                Some(velocity) => velocity.mul(momentum)?.add_with(&grad, 1.0 - dampening)?,
                // A copy: the gradient is the caller's to change.
                None => direction.clone_tensor()?,
            };
            direction = if nesterov { grad.add_with(&velocity, momentum)? } else { velocity.clone() };
            self.momentum[place] = Some(velocity);
        }
        parameter.copy_(&parameter.sub_with(&direction, lr)?)
    }
}

impl Optimizer for Sgd {
    fn parameters(&self) -> &[Tensor] {
        &self.parameters
    }

    fn learning_rate(&self) -> f64 {
        self.options.lr
    }

    fn set_learning_rate(&mut self, lr: f64) {
        self.options.lr = lr;
    }

    fn step(&mut self) -> Result<()> {
        no_grad(|| (0..self.parameters.len()).try_for_each(|place| self.update(place)))?;
        flush(&self.parameters);
        Ok(())
    }
}
