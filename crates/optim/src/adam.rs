//! Adam.

use crate::{Optimizer, flush};
use lanthorn_tensor::{Error, Result, Tensor, no_grad};
use serde::Deserialize;

/// The numbers of [`Adam`], by PyTorch's names.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct AdamOptions {
    /// The learning rate.
    pub lr: f64,
    /// How slowly the mean and the mean square of the gradients change.
    pub betas: (f64, f64),
    /// Added to the root of the mean square.
    pub eps: f64,
    /// The weight of the squared parameters in the loss, times two.
    pub weight_decay: f64,
    /// Climb instead of descending.
    pub maximize: bool,
}

impl Default for AdamOptions {
    fn default() -> AdamOptions {
        AdamOptions { lr: 1e-3, betas: (0.9, 0.999), eps: 1e-8, weight_decay: 0.0, maximize: false }
    }
}

/// What Adam remembers of a parameter.
struct State {
    step: i32,
    mean: Tensor,
    square: Tensor,
}

/// Adam (Kingma and Ba, 2015), as `torch.optim.Adam`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_optim::{Adam, AdamOptions, Optimizer};
/// use lanthorn_tensor::Tensor;
/// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
/// let mut optimizer = Adam::new(vec![w.clone()], AdamOptions { lr: 0.1, ..Default::default() })?;
/// w.square()?.backward()?;
/// optimizer.step()?;
/// assert!((pollster::block_on(w.item())? - 0.9).abs() < 1e-6); // the first step has the size lr
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub struct Adam {
    parameters: Vec<Tensor>,
    options: AdamOptions,
    state: Vec<Option<State>>,
}

impl Adam {
    /// An optimizer of these parameters: at least one, all of them leaves that require gradients.
    pub fn new(parameters: Vec<Tensor>, options: AdamOptions) -> Result<Adam> {
        let AdamOptions { lr, betas, eps, weight_decay, .. } = options;
        crate::table::check_parameters("Adam", &parameters)?;
        crate::table::non_negative("Adam", &[("lr", lr), ("eps", eps), ("weight_decay", weight_decay)])?;
        if !(0.0..1.0).contains(&betas.0) || !(0.0..1.0).contains(&betas.1) {
            return Err(Error::argument("Adam", format!("betas must be from 0 up to 1: {betas:?}")));
        }
        let state = parameters.iter().map(|_| None).collect();
        Ok(Adam { parameters, options, state })
    }

    fn update(&mut self, place: usize) -> Result<()> {
        let AdamOptions { lr, betas, eps, weight_decay, maximize } = self.options;
        let parameter = &self.parameters[place];
        let Some(mut grad) = parameter.grad() else { return Ok(()) };
        if maximize {
            grad = grad.neg()?;
        }
        if weight_decay != 0.0 {
            grad = grad.add_with(parameter, weight_decay)?;
        }
        let State { step, mean, square } = match self.state[place].take() {
            Some(state) => state,
            None => State { step: 0, mean: parameter.detach().zeros_like()?, square: parameter.detach().zeros_like()? },
        };
        let step = step + 1;
        let mean = mean.lerp(&grad, 1.0 - betas.0)?;
        let square = square.mul(betas.1)?.add_with(&grad.square()?, 1.0 - betas.1)?;
        let (mean_correction, square_correction) = (1.0 - betas.0.powi(step), 1.0 - betas.1.powi(step));
        let root = square.sqrt()?.div(square_correction.sqrt())?.add(eps)?;
        parameter.copy_(&parameter.sub_with(&mean.div(&root)?, lr / mean_correction)?)?;
        self.state[place] = Some(State { step, mean, square });
        Ok(())
    }
}

impl Optimizer for Adam {
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
