//! Activations as modules.

use crate::{
    Module,
    table::{Built, ModuleSpec},
};
use lanthorn_tensor::{Result, Tensor};

macro_rules! activations {
    ($($(#[$doc:meta])* $name:ident $row:ident $method:ident $text:literal $about:literal;)*) => { $(
        $(#[$doc])*
        pub struct $name;

        impl Module for $name {
            fn forward(&self, input: &Tensor) -> Result<Tensor> {
                input.$method()
            }
        }

        pub(crate) static $row: ModuleSpec =
            ModuleSpec { text: $text, doc: $about, build: |_| Ok(Built::Module(Box::new($name))) };
    )* };
}

activations! {
    /// [`Tensor::relu`] as a module.
    ReLU RELU relu "ReLU() -> Module" "`max(x, 0)`, elementwise.";
    /// [`Tensor::sigmoid`] as a module.
    Sigmoid SIGMOID sigmoid "Sigmoid() -> Module" "`1 / (1 + exp(-x))`, elementwise.";
    /// [`Tensor::tanh`] as a module.
    Tanh TANH tanh "Tanh() -> Module" "The hyperbolic tangent, elementwise.";
    /// [`Tensor::gelu`] as a module.
    GELU GELU_SPEC gelu "GELU() -> Module" "Gaussian error linear unit, elementwise.";
}
