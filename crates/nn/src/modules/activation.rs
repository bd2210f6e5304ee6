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
    /// [`Tensor::silu`] as a module.
    SiLU SILU silu "SiLU() -> Module" "`x * sigmoid(x)`, elementwise.";
    /// [`Tensor::gelu`] as a module.
    GELU GELU_SPEC gelu "GELU() -> Module" "Gaussian error linear unit, elementwise.";
}

macro_rules! along_a_dim {
    ($($(#[$doc:meta])* $name:ident $row:ident $method:ident $text:literal $about:literal;)*) => { $(
        $(#[$doc])*
        pub struct $name {
            dim: i64,
        }

        impl $name {
            /// The function along dimension `dim`.
            pub fn new(dim: i64) -> $name {
                $name { dim }
            }
        }

        impl Module for $name {
            fn forward(&self, input: &Tensor) -> Result<Tensor> {
                input.$method(self.dim)
            }
        }

        pub(crate) static $row: ModuleSpec =
            ModuleSpec { text: $text, doc: $about, build: |args| Ok(Built::Module(Box::new($name::new(args.int(0))))) };
    )* };
}

along_a_dim! {
    /// [`Tensor::softmax`] as a module.
    Softmax SOFTMAX softmax "Softmax(int dim) -> Module" "`exp(x) / sum(exp(x))` along `dim`.";
    /// [`Tensor::log_softmax`] as a module.
    LogSoftmax LOG_SOFTMAX log_softmax "LogSoftmax(int dim) -> Module" "The logarithm of the softmax along `dim`.";
}

/// [`Tensor::leaky_relu`] as a module.
pub struct LeakyReLU {
    negative_slope: f64,
}

impl LeakyReLU {
    /// The function with a slope for negative numbers; PyTorch's default is 0.01.
    pub fn new(negative_slope: f64) -> LeakyReLU {
        LeakyReLU { negative_slope }
    }
}

impl Module for LeakyReLU {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.leaky_relu(self.negative_slope)
    }
}

pub(crate) static LEAKY_RELU: ModuleSpec = ModuleSpec {
    text: "LeakyReLU(float negative_slope=0.01) -> Module",
    doc: "`x` where it is positive, else `negativeSlope * x`.",
    build: |args| Ok(Built::Module(Box::new(LeakyReLU::new(args.float(0))))),
};
