//! The parts that several models share, and the initialization of their parameters.

use lanthorn_nn::{
    AdaptiveAvgPool2d, BatchNorm2d, Conv2d, Dropout, GELU, Hardsigmoid, Hardswish, Layer, Linear, Module, ReLU, ReLU6,
    Sequential, SiLU, Sigmoid, TrainingFlag,
    init::{self, FanMode, GainOf},
};
use lanthorn_tensor::{Error, Result, Tensor};

/// An elementwise function of a block.
#[derive(Clone, Copy)]
pub(crate) enum BlockActivation {
    Hardswish,
    Relu,
    Relu6,
    Silu,
}

/// A module of an activation.
pub(crate) fn activation_layer(kind: BlockActivation) -> Result<Box<dyn Layer>> {
    match kind {
        BlockActivation::Hardswish => Ok(Box::new(Hardswish)),
        BlockActivation::Relu => Ok(Box::new(ReLU)),
        BlockActivation::Relu6 => Ok(Box::new(ReLU6)),
        BlockActivation::Silu => Ok(Box::new(SiLU)),
    }
}

/// A convolution without a bias, a batch norm and an activation. The padding keeps the size of the
/// picture where the stride is 1.
#[derive(Clone)]
pub(crate) struct ConvNorm {
    pub inputs: i64,
    pub outputs: i64,
    pub kernel: i64,
    pub stride: i64,
    pub groups: i64,
    pub dilation: i64,
    pub eps: f64,
    pub momentum: f64,
    pub activation: Option<BlockActivation>,
}

impl ConvNorm {
    /// With a rectifier, and otherwise PyTorch's defaults.
    pub(crate) fn new(inputs: i64, outputs: i64, kernel: i64) -> ConvNorm {
        ConvNorm {
            inputs,
            outputs,
            kernel,
            stride: 1,
            groups: 1,
            dilation: 1,
            eps: 1e-5,
            momentum: 0.1,
            activation: Some(BlockActivation::Relu),
        }
    }

    /// The modules: `0` is the convolution, `1` the norm.
    pub(crate) fn layers(&self) -> Result<Sequential> {
        let conv = Conv2d::builder(self.inputs, self.outputs, self.kernel)
            .stride(self.stride)
            .padding((self.kernel - 1) / 2 * self.dilation)
            .dilation(self.dilation)
            .groups(self.groups)
            .bias(false)
            .build()?;
        let norm = BatchNorm2d::builder(self.outputs).eps(self.eps).momentum(self.momentum).build()?;
        let mut layers: Vec<Box<dyn Layer>> = vec![Box::new(conv), Box::new(norm)];
        if let Some(kind) = self.activation {
            layers.push(activation_layer(kind)?);
        }
        Ok(Sequential::new(layers))
    }
}

/// A convolution without a bias, a batch norm and a rectifier, as the networks of Inception have
/// it.
#[derive(Module)]
pub struct BasicConv {
    /// The convolution.
    pub conv: Conv2d,
    /// The norm.
    pub bn: BatchNorm2d,
}

impl BasicConv {
    /// A block with sizes for the height and the width.
    pub(crate) fn new(
        inputs: i64,
        outputs: i64,
        kernel: [i64; 2],
        stride: i64,
        padding: [i64; 2],
    ) -> Result<BasicConv> {
        Ok(BasicConv {
            conv: Conv2d::builder(inputs, outputs, kernel).stride(stride).padding(padding).bias(false).build()?,
            bn: BatchNorm2d::builder(outputs).eps(0.001).build()?,
        })
    }
}

impl Layer for BasicConv {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        self.bn.forward(&self.conv.forward(input)?)?.relu()
    }
}

/// A [`BasicConv`] with a square kernel.
pub(crate) fn basic_conv(inputs: i64, outputs: i64, kernel: i64, stride: i64, padding: i64) -> Result<BasicConv> {
    BasicConv::new(inputs, outputs, [kernel, kernel], stride, [padding, padding])
}

/// Channels scaled by numbers that follow from their means (Hu et al., 2017).
#[derive(Module)]
pub struct SqueezeExcite {
    avgpool: AdaptiveAvgPool2d,
    fc1: Conv2d,
    fc2: Conv2d,
    activation: Box<dyn Layer>,
    scale_activation: Box<dyn Layer>,
}

impl SqueezeExcite {
    /// A block with `squeezed` channels inside. The scales are a sigmoid, or a hard one.
    pub(crate) fn new(
        channels: i64,
        squeezed: i64,
        activation: BlockActivation,
        is_hard: bool,
    ) -> Result<SqueezeExcite> {
        let mut scale_activation: Box<dyn Layer> = Box::new(Sigmoid);
        if is_hard {
            scale_activation = Box::new(Hardsigmoid);
        }
        Ok(SqueezeExcite {
            avgpool: AdaptiveAvgPool2d::new([1, 1])?,
            fc1: Conv2d::new(channels, squeezed, 1)?,
            fc2: Conv2d::new(squeezed, channels, 1)?,
            activation: activation_layer(activation)?,
            scale_activation,
        })
    }
}

impl Layer for SqueezeExcite {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let squeezed = self.activation.forward(&self.fc1.forward(&self.avgpool.forward(input)?)?)?;
        input * self.scale_activation.forward(&self.fc2.forward(&squeezed)?)?
    }
}

/// In training, sets each sample to 0 with probability `p`, and divides the others by `1 - p`
/// (Huang et al., 2016).
#[derive(Module)]
pub struct StochasticDepth {
    p: f64,
    training: TrainingFlag,
}

impl StochasticDepth {
    /// With a probability from 0 to 1.
    pub(crate) fn new(p: f64) -> Result<StochasticDepth> {
        if !(0.0..=1.0).contains(&p) {
            return Err(Error::argument("StochasticDepth", format!("p is a probability from 0 to 1, not {p}")));
        }
        Ok(StochasticDepth { p, training: TrainingFlag::default() })
    }
}

impl Layer for StochasticDepth {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        if self.p == 0.0 || !self.training.get() {
            return Ok(input.clone());
        }
        let mut size = vec![1; input.rank()];
        size[0] = input.shape()[0] as i64;
        let kept = Tensor::full_with(size, 1.0 - self.p, Some(input.dtype()), Some(input.device()))?.bernoulli()?;
        let scale = if self.p < 1.0 { 1.0 / (1.0 - self.p) } else { 1.0 };
        input * (kept * scale)?
    }
}

/// A view with the dimensions in another order.
#[derive(Module)]
pub struct PermuteLayer {
    dims: Vec<i64>,
}

impl PermuteLayer {
    /// The dimensions of the input in the order of the result.
    pub(crate) fn new(dims: &[i64]) -> PermuteLayer {
        PermuteLayer { dims: dims.to_vec() }
    }
}

impl Layer for PermuteLayer {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.permute(&self.dims[..])
    }
}

/// Two linear layers with GELU between them, of a transformer.
pub(crate) fn mlp_layers(channels: i64, hidden: i64, dropout: f64) -> Result<Sequential> {
    let layers = Sequential::new(vec![
        Box::new(Linear::new(channels, hidden)?),
        Box::new(GELU::builder().build()?),
        Box::new(Dropout::new(dropout)?),
        Box::new(Linear::new(hidden, channels)?),
        Box::new(Dropout::new(dropout)?),
    ]);
    for (_, parameter) in layers.named_parameters() {
        if parameter.rank() == 2 {
            init::xavier_uniform_(&parameter, 1.0)?;
        } else {
            init::normal_(&parameter, 0.0, 1e-6)?;
        }
    }
    Ok(layers)
}

/// The multiple of `divisor` that is nearest to `value`, at most a tenth below it.
pub(crate) fn make_divisible(value: f64, divisor: i64) -> i64 {
    let nearest = ((value + divisor as f64 / 2.0) as i64 / divisor * divisor).max(divisor);
    if (nearest as f64) < 0.9 * value { nearest + divisor } else { nearest }
}

/// The input as networks that were trained by TensorFlow take it: from the normalization of
/// ImageNet's mean and deviation to numbers from -1 to 1.
pub(crate) fn transform_channels(input: &Tensor) -> Result<Tensor> {
    let red = transform_channel(input, 0, 0.485, 0.229)?;
    let green = transform_channel(input, 1, 0.456, 0.224)?;
    let blue = transform_channel(input, 2, 0.406, 0.225)?;
    Tensor::cat(&[red, green, blue], 1)
}

/// A channel that is normalized by a mean and a deviation, as numbers from -1 to 1.
fn transform_channel(input: &Tensor, index: i64, mean: f64, std: f64) -> Result<Tensor> {
    (input.narrow(1, index, 1)? * (std / 0.5))? + (mean - 0.5) / 0.5
}

/// An error unless the input is a batch of pictures.
pub(crate) fn check_pictures(op: &str, input: &Tensor) -> Result<()> {
    if input.rank() != 4 {
        let message = format!("takes pictures of the shape [n, channels, height, width], not {:?}", input.shape());
        return Err(Error::shape(op, message));
    }
    Ok(())
}

/// Fills the weights of convolutions with normal numbers that keep the variance of gradients.
pub(crate) fn init_convolutions(model: &dyn Module) -> Result<()> {
    for (_, parameter) in model.named_parameters() {
        if parameter.rank() == 4 {
            init::kaiming_normal_(&parameter, 0.0, FanMode::FanOut, GainOf::Relu)?;
        }
    }
    Ok(())
}

/// Fills the weights of convolutions and linear layers with normal numbers from -2 to 2.
pub(crate) fn init_truncated(model: &dyn Module, std: f64) -> Result<()> {
    for (name, parameter) in model.named_parameters() {
        if name.ends_with(".weight") && parameter.rank() >= 2 {
            init::trunc_normal_(&parameter, 0.0, std, -2.0, 2.0)?;
        }
    }
    Ok(())
}

/// Fills the weights of linear layers with normal numbers of this standard deviation.
pub(crate) fn init_linears(model: &dyn Module, std: f64) -> Result<()> {
    for (_, parameter) in model.named_parameters() {
        if parameter.rank() == 2 {
            init::normal_(&parameter, 0.0, std)?;
        }
    }
    Ok(())
}

/// Fills the biases whose names end in a text with zeros.
pub(crate) fn init_biases(model: &dyn Module, suffix: &str) -> Result<()> {
    for (name, parameter) in model.named_parameters() {
        if name.ends_with(suffix) {
            init::zeros_(&parameter)?;
        }
    }
    Ok(())
}
