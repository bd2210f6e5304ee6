//! Training or evaluation mode.

use lanthorn_tensor::compile::capture;
use std::{cell::Cell, rc::Rc};

/// Whether a module is in training mode. A compiled function that reads it is recorded again when
/// it changes.
#[derive(Debug)]
pub(crate) struct TrainingFlag(Rc<Cell<bool>>);

impl Default for TrainingFlag {
    /// Training mode, as of a new module.
    fn default() -> TrainingFlag {
        TrainingFlag(Rc::new(Cell::new(true)))
    }
}

impl TrainingFlag {
    pub fn get(&self) -> bool {
        let mode = self.0.get();
        if capture::is_active() {
            let flag = self.0.clone();
            capture::guard(move || flag.get() == mode);
        }
        mode
    }

    pub fn set(&self, mode: bool) {
        self.0.set(mode);
    }
}
