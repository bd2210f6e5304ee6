//! A smooth ReLU (Barron, "Squareplus: A Softplus-Like Algebraic Rectifier", 2021) as a formula in text.

use lanthorn::{
    Result,
    custom::{CustomOp, pointwise},
    samples::{Sample, float, real},
};

/// `0.5 * (x + sqrt(x² + b))`. `b` is a number that travels with the launch: another one compiles nothing.
pub fn register() -> Result<CustomOp> {
    pointwise("example::squareplus", "x, b=4.0 -> 0.5 * (x + sqrt(x * x + b))")
}

/// Calls to check it on.
pub fn samples() -> Vec<Sample> {
    vec![
        Sample::new([real(&[5, 7], -3.0, 3.0)]),
        Sample::new([real(&[2, 1, 3], -3.0, 3.0), float(0.5)]),
        Sample::new([real(&[0], -1.0, 1.0)]),
    ]
}
