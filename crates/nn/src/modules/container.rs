//! Modules made of modules.

use crate::Module;
use lanthorn_tensor::{Result, Tensor};

/// Modules applied one after another; their names are their places: `0`, `1`.
///
/// JavaScript has its own, since it holds modules written there.
pub struct Sequential {
    modules: Vec<Box<dyn Module>>,
}

impl Sequential {
    /// The modules in order.
    pub fn new(modules: Vec<Box<dyn Module>>) -> Sequential {
        Sequential { modules }
    }
}

impl Module for Sequential {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        self.modules.iter().try_fold(input.clone(), |value, module| module.forward(&value))
    }

    fn children(&self) -> Vec<(String, &dyn Module)> {
        self.modules.iter().enumerate().map(|(place, module)| (place.to_string(), &**module)).collect()
    }
}
