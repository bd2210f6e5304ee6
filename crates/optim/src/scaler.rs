//! Loss scaling, so that gradients in float16 do not underflow.

use crate::{Optimizer, clip::any_nonfinite};
use lanthorn_tensor::{Error, Result, Tensor, no_grad};
use std::{cell::RefCell, rc::Rc};

/// The options of [`GradScaler`], by PyTorch's names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradScalerOptions {
    /// The initial scale.
    pub init_scale: f64,
    /// The factor by which the scale grows after `growth_interval` steps with finite gradients.
    pub growth_factor: f64,
    /// The factor by which the scale shrinks after a gradient that is not finite.
    pub backoff_factor: f64,
    /// The number of steps with finite gradients after which the scale grows.
    pub growth_interval: u64,
    /// Whether the scaler is enabled; otherwise it passes everything through.
    pub enabled: bool,
}

impl Default for GradScalerOptions {
    fn default() -> GradScalerOptions {
        GradScalerOptions {
            init_scale: 65536.0,
            growth_factor: 2.0,
            backoff_factor: 0.5,
            growth_interval: 2000,
            enabled: true,
        }
    }
}

/// The state of an optimizer since the last update.
struct Seen {
    optimizer: Optimizer,
    /// 1 where a gradient is not finite.
    found_inf: Tensor,
    /// The same, once it was read.
    skipped: Option<bool>,
}

/// The state of a [`GradScaler`] for a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradScalerState {
    /// The current scale.
    pub scale: f64,
    /// The number of steps since the scale changed.
    pub growth_tracker: u64,
}

/// Scales losses so that gradients in float16 do not underflow, and skips steps whose gradients are
/// not finite, as `torch.amp.GradScaler` (Micikevicius et al., 2018).
///
/// `step` reads one number to decide whether the step is skipped, and `update` uses it again;
/// PyTorch reads it too, except for its fused optimizers. The number of steps is part of Adam's
/// corrections, NAdam's product and ASGD's rate, and a skipped step must not count, so that the
/// update rules keep it on the host. Rejected: the count as a tensor of every parameter, with a
/// `where` over parameters and states. Every step would pay for it, with or without a scaler, and a
/// power in float32 has fewer digits than the corrections that PyTorch computes in float64.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::optim::{GradScaler, GradScalerOptions, Sgd, SgdOptions};
/// use lanthorn::Tensor;
/// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
/// let optimizer = Sgd::new(vec![w.clone()], SgdOptions { lr: 0.25, ..Default::default() })?;
/// let scaler = GradScaler::new(GradScalerOptions { init_scale: 8.0, ..Default::default() })?;
/// scaler.scale(&w.square()?)?.backward()?;
/// assert!(pollster::block_on(scaler.step(&optimizer))?);
/// pollster::block_on(scaler.update())?;
/// assert_eq!(pollster::block_on(w.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct GradScaler {
    options: GradScalerOptions,
    state: RefCell<GradScalerState>,
    seen: RefCell<Vec<Seen>>,
}

impl GradScaler {
    /// A scaler with the initial scale.
    ///
    /// # Errors
    ///
    /// `argument` if `init_scale` is not positive and finite, `growth_factor` not above 1,
    /// `backoff_factor` not below 1, or `growth_interval` 0.
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

    /// The current scale.
    pub fn get_scale(&self) -> f64 {
        if self.options.enabled { self.state.borrow().scale } else { 1.0 }
    }

    /// A loss, or another output, multiplied by the scale.
    ///
    /// # Errors
    ///
    /// The error of the multiplication: a device that failed.
    pub fn scale(&self, outputs: &Tensor) -> Result<Tensor> {
        if self.options.enabled { outputs.mul(self.get_scale()) } else { Ok(outputs.clone()) }
    }

    /// Divides the gradients of an optimizer's parameters by the scale, so that they can be
    /// clipped.
    ///
    /// # Errors
    ///
    /// `argument` if this was done since the last update, or no parameter has a gradient.
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

    fn found_inf(&self, optimizer: &Optimizer) -> Option<Tensor> {
        let seen = self.seen.borrow();
        seen.iter().find(|seen| Rc::ptr_eq(&seen.optimizer.0, &optimizer.0)).map(|seen| seen.found_inf.clone())
    }

    /// Takes the optimizer's step with unscaled gradients if all of them are finite, and returns
    /// whether it was taken.
    ///
    /// # Errors
    ///
    /// The errors of [`GradScaler::unscale_`], which it calls if needed, and of
    /// [`Optimizer::step`].
    pub async fn step(&self, optimizer: &Optimizer) -> Result<bool> {
        let takes = self.takes_step(optimizer).await?;
        if takes {
            optimizer.step()?;
        }
        Ok(takes)
    }

    /// [`GradScaler::step`] without the step itself, for an optimizer whose step the program
    /// computes: whether the program is to take the step.
    ///
    /// # Errors
    ///
    /// The errors of [`GradScaler::unscale_`].
    pub async fn takes_step(&self, optimizer: &Optimizer) -> Result<bool> {
        if self.options.enabled {
            if self.found_inf(optimizer).is_none() {
                self.unscale_(optimizer)?;
            }
            if let Some(found) = self.found_inf(optimizer) {
                let skipped = found.item().await? != 0.0;
                let mut seen = self.seen.borrow_mut();
                if let Some(seen) = seen.iter_mut().find(|seen| Rc::ptr_eq(&seen.optimizer.0, &optimizer.0)) {
                    seen.skipped = Some(skipped);
                }
                return Ok(!skipped);
            }
        }
        Ok(true)
    }

    /// Updates the scale after the steps of an iteration: it shrinks if a gradient was not finite,
    /// and grows after `growth_interval` iterations with finite gradients.
    ///
    /// # Errors
    ///
    /// `argument` if no gradients were unscaled since the last update.
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

    /// The state to save in a checkpoint.
    pub fn state_dict(&self) -> GradScalerState {
        *self.state.borrow()
    }

    /// Restores the state of a checkpoint.
    pub fn load_state_dict(&self, state: GradScalerState) {
        self.state.replace(state);
    }
}
