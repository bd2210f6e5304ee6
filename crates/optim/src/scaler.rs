//! Losses scaled up, so that gradients of float16 do not vanish.

use crate::{Optimizer, clip::any_nonfinite};
use lanthorn_tensor::{Error, Result, Tensor, no_grad};
use std::{cell::RefCell, rc::Rc};

/// The options of [`GradScaler`], by PyTorch's names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradScalerOptions {
    /// The scale to begin with.
    pub init_scale: f64,
    /// By what the scale grows after a while without infinite gradients.
    pub growth_factor: f64,
    /// By what it shrinks when there are some.
    pub backoff_factor: f64,
    /// How long that while is, in steps.
    pub growth_interval: u64,
    /// Whether anything is scaled at all.
    pub enabled: bool,
}

impl Default for GradScalerOptions {
    fn default() -> GradScalerOptions {
        GradScalerOptions { init_scale: 65536.0, growth_factor: 2.0, backoff_factor: 0.5, growth_interval: 2000, enabled: true }
    }
}

/// What the scaler knows of an optimizer since the last update.
struct Seen {
    optimizer: Optimizer,
    /// 1 where a gradient is not finite.
    found_inf: Tensor,
    /// The same, once it was read.
    skipped: Option<bool>,
}

/// What changes from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradScalerState {
    /// The scale.
    pub scale: f64,
    /// The steps since it changed.
    pub growth_tracker: u64,
}

/// Scales losses so that gradients of float16 do not vanish, and skips steps whose gradients are not finite, as `torch.amp.GradScaler`.
///
/// Whether a step is skipped is known once it was read: one number a step, which `update` takes from there. So it is in PyTorch, but for its fused
/// optimizers. The count of the steps taken stands in Adam's corrections, NAdam's product and ASGD's rate, and a skipped one must not count; rules keep it on the
/// host, as a number of the recorded work. Rejected: the count as a tensor of every parameter, with a `where` over parameters and states. Every step
/// would pay for it, with a scaler or without, and a power of float32 has not the digits of the corrections that PyTorch computes in float64.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_optim::{GradScaler, GradScalerOptions, Sgd, SgdOptions};
/// use lanthorn_tensor::Tensor;
/// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
/// let optimizer = Sgd::new(vec![w.clone()], SgdOptions { lr: 0.25, ..Default::default() })?;
/// let scaler = GradScaler::new(GradScalerOptions { init_scale: 8.0, ..Default::default() })?;
/// scaler.scale(&w.square()?)?.backward()?;
/// assert!(pollster::block_on(scaler.step(&optimizer))?);
/// pollster::block_on(scaler.update())?;
/// assert_eq!(pollster::block_on(w.item())?, 0.5);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub struct GradScaler {
    options: GradScalerOptions,
    state: RefCell<GradScalerState>,
    seen: RefCell<Vec<Seen>>,
}

impl GradScaler {
    /// A scaler at the beginning.
    pub fn new(options: GradScalerOptions) -> Result<GradScaler> {
        let GradScalerOptions { init_scale, growth_factor, backoff_factor, growth_interval, .. } = options;
        let refused = |message: String| Err(Error::argument("GradScaler", message));
        if !(init_scale > 0.0 && init_scale.is_finite()) {
            return refused(format!("init_scale must be above 0: {init_scale}"));
        }
        if growth_factor.is_nan() || growth_factor <= 1.0 {
            return refused(format!("growth_factor must be above 1: {growth_factor}"));
        }
        if backoff_factor.is_nan() || backoff_factor >= 1.0 {
            return refused(format!("backoff_factor must be below 1: {backoff_factor}"));
        }
        if growth_interval == 0 {
            return refused("growth_interval must be above 0".into());
        }
        let state = GradScalerState { scale: init_scale, growth_tracker: 0 };
        Ok(GradScaler { options, state: RefCell::new(state), seen: RefCell::default() })
    }

    /// The scale.
    pub fn get_scale(&self) -> f64 {
        if self.options.enabled { self.state.borrow().scale } else { 1.0 }
    }

    /// A loss, or other outputs, times the scale.
    pub fn scale(&self, outputs: &Tensor) -> Result<Tensor> {
        if self.options.enabled { outputs.mul(self.get_scale()) } else { Ok(outputs.clone()) }
    }

    /// Divides the gradients of an optimizer's parameters by the scale, so that they can be clipped; at most once before its step.
    pub fn unscale_(&self, optimizer: &Optimizer) -> Result<()> {
        if !self.options.enabled {
            return Ok(());
        }
        if self.seen.borrow().iter().any(|seen| Rc::ptr_eq(&seen.optimizer.0, &optimizer.0)) {
            return Err(Error::argument("GradScaler", "the gradients are unscaled already, since the last update"));
        }
        let grads: Vec<Tensor> = optimizer.parameters().iter().filter_map(Tensor::grad).collect();
        if grads.is_empty() {
            return Err(Error::argument("GradScaler", "the optimizer's parameters have no gradients"));
        }
        let factor = 1.0 / self.get_scale();
        let found_inf = no_grad(|| {
            let found = any_nonfinite(&grads)?;
            grads.iter().try_for_each(|grad| grad.mul_(factor))?;
            Ok(found)
        })?;
        self.seen.borrow_mut().push(Seen { optimizer: optimizer.clone(), found_inf, skipped: None });
        Ok(())
    }

    fn found(&self, optimizer: &Optimizer) -> Option<Tensor> {
        let seen = self.seen.borrow();
        seen.iter().find(|seen| Rc::ptr_eq(&seen.optimizer.0, &optimizer.0)).map(|seen| seen.found_inf.clone())
    }

    /// The optimizer's step with unscaled gradients, if they are all finite; whether it was taken.
    pub async fn step(&self, optimizer: &Optimizer) -> Result<bool> {
        if self.options.enabled {
            if self.found(optimizer).is_none() {
                self.unscale_(optimizer)?;
            }
            if let Some(found) = self.found(optimizer) {
                let skipped = found.item().await? != 0.0;
                let mut seen = self.seen.borrow_mut();
                if let Some(seen) = seen.iter_mut().find(|seen| Rc::ptr_eq(&seen.optimizer.0, &optimizer.0)) {
                    seen.skipped = Some(skipped);
                }
                if skipped {
                    return Ok(false);
                }
            }
        }
        optimizer.step()?;
        Ok(true)
    }

    /// Changes the scale after the steps of an iteration: smaller if a gradient was not finite, else larger from time to time.
    pub async fn update(&self) -> Result<()> {
        let seen = self.seen.take();
        if !self.options.enabled {
            return Ok(());
        }
        if seen.is_empty() {
            return Err(Error::argument("GradScaler", "nothing was unscaled since the last update"));
        }
        let mut found = false;
        for Seen { found_inf, skipped, .. } in seen {
            found |= match skipped {
                Some(skipped) => skipped,
                // Unscaled, but without a step.
                None => found_inf.item().await? != 0.0,
            };
        }
        let mut state = self.state.borrow_mut();
        if found {
            *state = GradScalerState { scale: state.scale * self.options.backoff_factor, growth_tracker: 0 };
            return Ok(());
        }
        state.growth_tracker += 1;
        if state.growth_tracker == self.options.growth_interval {
            let grown = state.scale * self.options.growth_factor;
            // The scale must stay a number of float32.
            let scale = if grown <= f64::from(f32::MAX) { grown } else { state.scale };
            *state = GradScalerState { scale, growth_tracker: 0 };
        }
        Ok(())
    }

    /// What is to be kept with a checkpoint.
    pub fn state_dict(&self) -> GradScalerState {
        *self.state.borrow()
    }

    /// Goes on from a checkpoint.
    pub fn load_state_dict(&self, state: GradScalerState) {
        self.state.replace(state);
    }
}
