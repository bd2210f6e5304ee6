//! Dropout as a module.

use crate::{
    Module,
    table::{Built, ModuleSpec},
};
use lanthorn_tensor::{Error, Result, Tensor};
use std::cell::Cell;

/// [`Tensor::dropout`] as a module: in training only.
pub struct Dropout {
    p: f64,
    training: Cell<bool>,
}

impl Dropout {
    /// A module that drops elements with probability `p`.
    pub fn new(p: f64) -> Result<Dropout> {
        if !(0.0..=1.0).contains(&p) {
            return Err(Error::argument("Dropout", format!("p is a probability from 0 to 1, not {p}")));
        }
        Ok(Dropout { p, training: Cell::new(true) })
    }
}

impl Module for Dropout {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.dropout(self.p, self.training.get())
    }

    fn train(&self, mode: bool) {
        self.training.set(mode);
    }
}

pub(crate) static DROPOUT: ModuleSpec = ModuleSpec {
    text: "Dropout(float p=0.5) -> Module",
    doc: "In training, each element 0 with probability `p` and otherwise divided by `1 - p`.",
    build: |args| Ok(Built::Module(Box::new(Dropout::new(args.float(0))?))),
};
