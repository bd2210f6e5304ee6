//! Shapes as modules.

use crate::{
    Module,
    table::{Built, ModuleSpec},
};
use lanthorn_tensor::{Result, Tensor};

/// Makes dimensions `start_dim` to `end_dim` one; by default all but the batch.
pub struct Flatten {
    start_dim: i64,
    end_dim: i64,
}

impl Flatten {
    /// A module that flattens these dimensions.
    pub fn new(start_dim: i64, end_dim: i64) -> Flatten {
        Flatten { start_dim, end_dim }
    }
}

impl Module for Flatten {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.flatten(self.start_dim, self.end_dim)
    }
}

pub(crate) static FLATTEN: ModuleSpec = ModuleSpec {
    text: "Flatten(int start_dim=1, int end_dim=-1) -> Module",
    doc: "Makes dimensions `start_dim` to `end_dim` one; by default all but the batch.",
    build: |args| Ok(Built::Module(Box::new(Flatten::new(args.int(0), args.int(1))))),
};

/// Gives back its input.
pub struct Identity;

impl Module for Identity {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        Ok(input.clone())
    }
}

pub(crate) static IDENTITY: ModuleSpec =
    ModuleSpec { text: "Identity() -> Module", doc: "Gives back its input.", build: |_| Ok(Built::Module(Box::new(Identity))) };
