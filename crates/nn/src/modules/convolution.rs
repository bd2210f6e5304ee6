//! Convolutional layers.

use crate::{
    Layer, Module, Parameter, init,
    table::{Make, ModuleSpec},
};
use lanthorn_tensor::{Error, Ints, Padding, Result, Tensor, ops::Args};

/// What a convolution takes beside its channels and its kernel's size.
#[derive(Clone, Debug)]
pub struct ConvOptions {
    /// The distance of neighbouring outputs' windows, one number or one a dimension.
    pub stride: Ints,
    /// Zeros at both ends: numbers, `"same"` or `"valid"`.
    pub padding: Padding,
    /// The distance of neighbouring places of the kernel.
    pub dilation: Ints,
    /// Groups of channels that are convolved on their own.
    pub groups: i64,
    /// Whether a number a channel is added.
    pub bias: bool,
}

impl Default for ConvOptions {
    /// A stride of 1, no padding, no dilation, one group, a bias.
    fn default() -> ConvOptions {
        ConvOptions { stride: 1.into(), padding: 0.into(), dilation: 1.into(), groups: 1, bias: true }
    }
}

/// A weight `[outer, inner, *kernel]` and a bias of `out` numbers, both uniform within the square root of `1 / (inner * places of the kernel)`.
fn parameters<const D: usize>(
    name: &str,
    channels: [i64; 2],
    kernel_size: &Ints,
    groups: i64,
    bias: Option<i64>,
    outer: i64,
) -> Result<(Parameter, Option<Parameter>)> {
    let [inputs, outputs] = channels;
    if inputs <= 0 || outputs <= 0 || groups <= 0 || inputs % groups != 0 || outputs % groups != 0 {
        let message = format!("groups must divide both channels: groups {groups}, channels {inputs} and {outputs}");
        return Err(Error::argument(name, message));
    }
    if ![1, D].contains(&kernel_size.len()) || kernel_size.iter().any(|&size| size < 1) {
        let message = format!("kernel_size takes one positive number or {D}, not {:?}", &kernel_size[..]);
        return Err(Error::argument(name, message));
    }
    let inner = inputs * outputs / outer / groups;
    let places = (0..D).map(|d| kernel_size[if kernel_size.len() == 1 { 0 } else { d }]);
    let weight = init::weight([outer, inner].into_iter().chain(places).collect::<Vec<_>>())?;
    let bias = bias.map(|count| init::bias(&weight, count)).transpose()?;
    Ok((weight, bias))
}

/// A convolution along `D` dimensions: [`Conv1d`], [`Conv2d`].
///
/// Parameters: `weight: [out_channels, in_channels / groups, *kernel_size]`, `bias: [out_channels]`.
#[derive(Module)]
pub struct Conv<const D: usize> {
    weight: Parameter,
    bias: Option<Parameter>,
    options: ConvOptions,
}

/// [`Tensor::conv1d`] with parameters. `x: [N, in_channels, L]`.
pub type Conv1d = Conv<1>;
/// [`Tensor::conv2d`] with parameters. `x: [N, in_channels, H, W]`.
pub type Conv2d = Conv<2>;

impl<const D: usize> Conv<D> {
    /// A layer with fresh parameters on the default device.
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// use lanthorn_nn::{Conv2d, ConvOptions, Layer};
    /// use lanthorn_tensor::Tensor;
    /// let layer = Conv2d::new(3, 8, 3, ConvOptions { stride: 2.into(), padding: 1.into(), ..ConvOptions::default() })?;
    /// assert_eq!(layer.forward(&Tensor::zeros([2, 3, 8, 8])?)?.shape().to_vec(), [2, 8, 4, 4]);
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn new(in_channels: i64, out_channels: i64, kernel_size: impl Into<Ints>, options: ConvOptions) -> Result<Conv<D>> {
        let bias = options.bias.then_some(out_channels);
        let channels = [in_channels, out_channels];
        let (weight, bias) = parameters::<D>("Conv", channels, &kernel_size.into(), options.groups, bias, out_channels)?;
        Ok(Conv { weight, bias, options })
    }

    fn build(args: &Args<'_>) -> Result<Box<dyn Module>> {
        let options = ConvOptions {
            stride: args.ints(3).clone(),
            padding: args.padding(4).clone(),
            dilation: args.ints(5).clone(),
            groups: args.int(6),
            bias: args.bool(7),
        };
        Ok(Box::new(Conv::<D>::new(args.int(0), args.int(1), args.ints(2).clone(), options)?))
    }
}

impl<const D: usize> Layer for Conv<D> {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let ConvOptions { stride, padding, dilation, groups, .. } = &self.options;
        let bias = self.bias.as_ref();
        match D {
            1 => input.conv1d(&self.weight, bias, stride, padding, dilation, *groups),
            _ => input.conv2d(&self.weight, bias, stride, padding, dilation, *groups),
        }
    }
}

/// [`Tensor::conv_transpose2d`] with parameters. `x: [N, in_channels, H, W]`.
///
/// Parameters: `weight: [in_channels, out_channels / groups, *kernel_size]`, `bias: [out_channels]`.
#[derive(Module)]
pub struct ConvTranspose2d {
    weight: Parameter,
    bias: Option<Parameter>,
    stride: Ints,
    padding: Ints,
    output_padding: Ints,
    groups: i64,
    dilation: Ints,
}

impl ConvTranspose2d {
    fn build(args: &Args<'_>) -> Result<Box<dyn Module>> {
        let (inputs, outputs, groups) = (args.int(0), args.int(1), args.int(6));
        let bias = args.bool(7).then_some(outputs);
        let (weight, bias) = parameters::<2>("ConvTranspose2d", [inputs, outputs], args.ints(2), groups, bias, inputs)?;
        let (stride, padding, output_padding) = (args.ints(3).clone(), args.ints(4).clone(), args.ints(5).clone());
        let layer = ConvTranspose2d { weight, bias, stride, padding, output_padding, groups, dilation: args.ints(8).clone() };
        Ok(Box::new(layer))
    }
}

impl Layer for ConvTranspose2d {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let ConvTranspose2d { stride, padding, output_padding, groups, dilation, .. } = self;
        input.conv_transpose2d(&self.weight, self.bias.as_ref(), stride, padding, output_padding, *groups, dilation)
    }
}

pub(crate) static MODULES: &[ModuleSpec] = &[
    ModuleSpec {
        text: "Conv1d(int in_channels, int out_channels, int[] kernel_size, int[] stride=1, int[]|str padding=0, int[] dilation=1, int groups=1, bool bias=True) -> Module",
        forward: Conv1d::FORWARD,
        doc: "A convolution along one dimension. `x: [N, in_channels, L]`.",
        make: Make::Type(Conv1d::build),
    },
    ModuleSpec {
        text: "Conv2d(int in_channels, int out_channels, int[] kernel_size, int[] stride=1, int[]|str padding=0, int[] dilation=1, int groups=1, bool bias=True) -> Module",
        forward: Conv2d::FORWARD,
        doc: "A convolution of images. `x: [N, in_channels, H, W]`; `padding` may be `\"same\"` or `\"valid\"`.",
        make: Make::Type(Conv2d::build),
    },
    ModuleSpec {
        text: "ConvTranspose2d(int in_channels, int out_channels, int[] kernel_size, int[] stride=1, int[] padding=0, int[] output_padding=0, int groups=1, bool bias=True, int[] dilation=1) -> Module",
        forward: ConvTranspose2d::FORWARD,
        doc: "The gradient of a convolution by its input, as a layer: it makes images larger. `x: [N, in_channels, H, W]`.",
        make: Make::Type(ConvTranspose2d::build),
    },
];
