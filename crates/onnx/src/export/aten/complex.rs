//! Fourier transforms. Complex tensors are pairs of numbers in a last dimension, here as in ONNX.

use super::Functions;

pub const FUNCTIONS: Functions = &[];
