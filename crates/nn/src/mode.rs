//! Training or evaluation mode.

use lanthorn_tensor::compile::capture;
use std::{cell::Cell, rc::Rc};

/// Whether a module is in training mode. A compiled function that reads it is recorded again when
/// it changes.
///
/// `#[derive(Module)]` sets a field of this type and of the name `training` with the module's mode.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Layer, Module, TrainingFlag};
/// use lanthorn::{Result, Tensor};
///
/// #[derive(Module)]
/// struct Noise {
///     training: TrainingFlag,
/// }
///
/// impl Layer for Noise {
///     fn forward(&self, input: &Tensor) -> Result<Tensor> {
///         if self.training.get() { input.add(input.randn_like()?) } else { Ok(input.clone()) }
///     }
/// }
///
/// let noise = Noise { training: TrainingFlag::default() };
/// noise.train(false);
/// assert!(!noise.training.get());
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Debug)]
pub struct TrainingFlag(Rc<Cell<bool>>);

impl Default for TrainingFlag {
    /// Training mode, as of a new module.
    fn default() -> TrainingFlag {
        TrainingFlag(Rc::new(Cell::new(true)))
    }
}

impl TrainingFlag {
    /// Whether it is training mode.
    pub fn get(&self) -> bool {
        let mode = self.0.get();
        if capture::is_active() {
            let flag = self.0.clone();
            capture::guard(move || flag.get() == mode);
        }
        mode
    }

    /// Sets training or evaluation mode.
    pub fn set(&self, mode: bool) {
        self.0.set(mode);
    }
}
