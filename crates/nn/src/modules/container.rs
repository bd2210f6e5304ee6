//! Modules made of modules.

use crate::{Layer, Module};
use lanthorn_tensor::{Result, Tensor};

/// Modules applied one after another; their names are their places: `0`, `1`.
///
/// JavaScript has its own, since it holds modules written there.
#[derive(Module)]
pub struct Sequential {
    #[module(flatten)]
    modules: Vec<Box<dyn Layer>>,
}

impl Sequential {
    /// The modules in order.
    pub fn new(modules: Vec<Box<dyn Layer>>) -> Sequential {
        Sequential { modules }
    }
}

impl Layer for Sequential {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        self.modules.iter().try_fold(input.clone(), |value, module| module.forward(&value))
    }
}
