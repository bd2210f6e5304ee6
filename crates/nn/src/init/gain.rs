//! The gains of nonlinearities, which initializers keep the variance by.

use lanthorn_tensor::choices;

choices! {
    /// A function with a recommended gain.
    GainOf {
        /// A linear layer.
        Linear = "linear",
        /// A convolution along one dimension.
        Conv1d = "conv1d",
        /// A convolution along two dimensions.
        Conv2d = "conv2d",
        /// A convolution along three dimensions.
        Conv3d = "conv3d",
        /// A transposed convolution along one dimension.
        ConvTranspose1d = "conv_transpose1d",
        /// A transposed convolution along two dimensions.
        ConvTranspose2d = "conv_transpose2d",
        /// A transposed convolution along three dimensions.
        ConvTranspose3d = "conv_transpose3d",
        /// The logistic function.
        Sigmoid = "sigmoid",
        /// The hyperbolic tangent.
        Tanh = "tanh",
        /// The rectifier.
        Relu = "relu",
        /// The rectifier with a slope for negative numbers.
        LeakyRelu = "leaky_relu",
        /// The scaled exponential linear unit.
        Selu = "selu",
    }

    /// The number of connections that [`kaiming_uniform_`] keeps the variance of.
    FanMode {
        /// The inputs of an output.
        FanIn = "fan_in",
        /// The outputs of an input.
        FanOut = "fan_out",
    }
}

/// The strings of [`GainOf`] in a schema.
macro_rules! nonlinearities {
    () => {
        "linear|conv1d|conv2d|conv3d|conv_transpose1d|conv_transpose2d|conv_transpose3d|sigmoid|tanh|relu|leaky_relu|selu"
    };
}

/// The signature of [`calculate_gain`].
pub const CALCULATE_GAIN: &str =
    concat!("calculate_gain(str{", nonlinearities!(), "} nonlinearity, float? param=None) -> float");

/// The recommended gain of a nonlinearity: the square root of 2 for a rectifier, of
/// `2 / (1 + param^2)` for a leaky one with slope `param`.
///
/// ```
/// use lanthorn::nn::init::{GainOf, calculate_gain};
/// assert_eq!(calculate_gain(GainOf::Relu, None), 2f64.sqrt());
/// ```
pub fn calculate_gain(nonlinearity: GainOf, param: Option<f64>) -> f64 {
    let slope = param.unwrap_or(0.01);
    match nonlinearity {
        GainOf::Linear | GainOf::Conv1d | GainOf::Conv2d | GainOf::Conv3d | GainOf::Sigmoid => 1.0,
        GainOf::ConvTranspose1d | GainOf::ConvTranspose2d | GainOf::ConvTranspose3d => 1.0,
        GainOf::Tanh => 5.0 / 3.0,
        GainOf::Relu => 2f64.sqrt(),
        GainOf::LeakyRelu => (2.0 / (1.0 + slope * slope)).sqrt(),
        GainOf::Selu => 0.75,
    }
}
