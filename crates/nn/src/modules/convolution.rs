//! Convolutional layers.

use crate::{
    Layer, Module, Parameter, VarBuilder, init,
    table::{Constructor, ModuleSpec, documentation, tensors},
};
use lanthorn_macros::Builder;
use lanthorn_tensor::{Error, Ints, PadMode, Padding, PaddingMode, Result, Tensor};

/// Element `dim` of a list that may be one number for all dimensions.
fn at(list: &[i64], dim: usize) -> i64 {
    if list.len() == 1 { list[0] } else { list[dim] }
}

/// A weight `[outer, inner, *kernel]` and a bias of `out` numbers, both uniform within the square
/// root of `1 / (inner * number of kernel taps)`.
fn parameters<const D: usize>(
    name: &str,
    channels: [i64; 2],
    kernel_size: &Ints,
    groups: i64,
    bias: bool,
    outer: i64,
    vars: &mut VarBuilder<'_>,
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
    let sizes = (0..D).map(|dim| at(kernel_size, dim));
    let weight =
        vars.parameter("weight", || init::weight([outer, inner].into_iter().chain(sizes).collect::<Vec<_>>()))?;
    let bias = vars.optional("bias", bias, || init::bias(&weight, outputs))?;
    Ok((weight, bias))
}

/// A convolution along `D` dimensions: [`Conv1d`], [`Conv2d`], [`Conv3d`].
///
/// Parameters: `weight: [out_channels, in_channels / groups, *kernel_size]`,
/// `bias: [out_channels]`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Conv2d, Layer};
/// use lanthorn::Tensor;
/// let layer = Conv2d::builder(3, 8, 3).stride(2).padding(1).build()?;
/// assert_eq!(layer.forward(&Tensor::zeros([2, 3, 8, 8])?)?.shape().to_vec(), [2, 8, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module, Builder)]
#[builder(
    "Conv(int in_channels, int out_channels, int[] kernel_size, int[] stride=1, int[]|str{valid|same} padding=0, int[] dilation=1, int groups=1, bool bias=True, str{zeros|reflect|replicate|circular} padding_mode=\"zeros\") -> Module",
    names = ["Conv1d", "Conv2d", "Conv3d"],
    stride = "The distance of the windows of neighbouring outputs, one number or one for each dimension.",
    padding = "The padding at both ends: numbers or a rule.",
    dilation = "The distance of neighbouring kernel taps.",
    groups = "The number of groups of channels that are convolved separately.",
    bias = "Whether there is a bias.",
    padding_mode = "The values of the padding."
)]
pub struct Conv<const D: usize> {
    weight: Parameter,
    bias: Option<Parameter>,
    options: ConvBuilder<D>,
    /// The padding that is added to the input first if it is not zeros, the last dimension first.
    around: Option<(Vec<i64>, PadMode)>,
}

/// [`Tensor::conv1d`] with parameters. `x: [N, in_channels, L]`.
pub type Conv1d = Conv<1>;
/// [`Tensor::conv2d`] with parameters. `x: [N, in_channels, H, W]`.
pub type Conv2d = Conv<2>;
/// [`Tensor::conv3d`] with parameters. `x: [N, in_channels, D, H, W]`.
pub type Conv3d = Conv<3>;

impl<const D: usize> Conv<D> {
    fn make(options: ConvBuilder<D>, vars: &mut VarBuilder<'_>) -> Result<Conv<D>> {
        let name = format!("Conv{D}d");
        let channels = [options.in_channels, options.out_channels];
        let (weight, bias) = parameters::<D>(
            &name,
            channels,
            &options.kernel_size,
            options.groups,
            options.bias,
            options.out_channels,
            vars,
        )?;
        let around = Conv::<D>::around(&name, &options)?;
        Ok(Conv { weight, bias, options, around })
    }

    /// The sizes of padding that is not zeros.
    fn around(name: &str, options: &ConvBuilder<D>) -> Result<Option<(Vec<i64>, PadMode)>> {
        let mode = match options.padding_mode {
            PaddingMode::Zeros => return Ok(None),
            PaddingMode::Reflect => PadMode::Reflect,
            PaddingMode::Replicate => PadMode::Replicate,
            PaddingMode::Circular => PadMode::Circular,
        };
        let ends = |dim: usize| match &options.padding {
            Padding::Sizes(sizes) if [1, D].contains(&sizes.len()) => Ok([at(sizes, dim); 2]),
            Padding::Valid => Ok([0; 2]),
            Padding::Same => {
                let total =
                    at(&options.dilation, dim.min(options.dilation.len() - 1)) * (at(&options.kernel_size, dim) - 1);
                Ok([total / 2, total - total / 2])
            }
            Padding::Sizes(sizes) => {
                let message = format!("padding takes one number, {D}, \"same\" or \"valid\", not {:?}", &sizes[..]);
                Err(Error::argument(name, message))
            }
        };
        let ends = (0..D).rev().map(ends).collect::<Result<Vec<_>>>()?;
        Ok(Some((ends.concat(), mode)))
    }
}

impl<const D: usize> Layer for Conv<D> {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let ConvBuilder { stride, padding, dilation, groups, .. } = &self.options;
        let (weight, bias) = (&self.weight, self.bias.as_ref());
        let pad = |(around, mode): &(Vec<i64>, PadMode)| input.pad(&around[..], *mode, None);
        let padded = self.around.as_ref().map(pad).transpose()?;
        let none = Padding::from(0);
        let (input, padding) = padded.as_ref().map_or((input, padding), |padded| (padded, &none));
        match D {
            1 => input.conv1d(weight, bias, stride, padding, dilation, *groups),
            2 => input.conv2d(weight, bias, stride, padding, dilation, *groups),
            _ => input.conv3d(weight, bias, stride, padding, dilation, *groups),
        }
    }
}

/// A transposed convolution, the gradient of a convolution with respect to its input:
/// [`ConvTranspose1d`], [`ConvTranspose2d`], [`ConvTranspose3d`].
///
/// Parameters: `weight: [in_channels, out_channels / groups, *kernel_size]`,
/// `bias: [out_channels]`.
#[derive(Module, Builder)]
#[builder(
    "ConvTranspose(int in_channels, int out_channels, int[] kernel_size, int[] stride=1, int[] padding=0, int[] output_padding=0, int groups=1, bool bias=True, int[] dilation=1, str{zeros} padding_mode=\"zeros\") -> Module",
    names = ["ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"],
    stride = "The distance of the windows of neighbouring inputs, one number or one for each dimension.",
    padding = "The number of elements removed at both ends of the result.",
    output_padding = "The number of elements added at the end of the result.",
    groups = "The number of groups of channels that are convolved separately.",
    bias = "Whether there is a bias.",
    dilation = "The distance of neighbouring kernel taps."
)]
#[module("forward_to(Tensor input, int[]? output_size=None) -> Tensor")]
pub struct ConvTranspose<const D: usize> {
    weight: Parameter,
    bias: Option<Parameter>,
    options: ConvTransposeBuilder<D>,
}

/// [`Tensor::conv_transpose1d`] with parameters. `x: [N, in_channels, L]`.
pub type ConvTranspose1d = ConvTranspose<1>;
/// [`Tensor::conv_transpose2d`] with parameters. `x: [N, in_channels, H, W]`.
pub type ConvTranspose2d = ConvTranspose<2>;
/// [`Tensor::conv_transpose3d`] with parameters. `x: [N, in_channels, D, H, W]`.
pub type ConvTranspose3d = ConvTranspose<3>;

impl<const D: usize> ConvTranspose<D> {
    fn make(options: ConvTransposeBuilder<D>, vars: &mut VarBuilder<'_>) -> Result<ConvTranspose<D>> {
        let name = format!("ConvTranspose{D}d");
        let channels = [options.in_channels, options.out_channels];
        let (weight, bias) = parameters::<D>(
            &name,
            channels,
            &options.kernel_size,
            options.groups,
            options.bias,
            options.in_channels,
            vars,
        )?;
        Ok(ConvTranspose { weight, bias, options })
    }

    /// The layer's result with `output_size` as its last dimensions, which must be one of the sizes
    /// that the stride allows.
    ///
    /// # Errors
    ///
    /// `shape` for an input of other channels, and for a size that the stride does not allow.
    pub fn forward_to(&self, input: &Tensor, output_size: &lanthorn_tensor::OptionalInts) -> Result<Tensor> {
        let ConvTransposeBuilder { stride, padding, output_padding, groups, dilation, .. } = &self.options;
        let output_padding = match output_size.as_slice() {
            Some(wanted) => &self.output_padding(input, wanted)?,
            None => output_padding,
        };
        let (weight, bias) = (&self.weight, self.bias.as_ref());
        match D {
            1 => input.conv_transpose1d(weight, bias, stride, padding, output_padding, *groups, dilation),
            2 => input.conv_transpose2d(weight, bias, stride, padding, output_padding, *groups, dilation),
            _ => input.conv_transpose3d(weight, bias, stride, padding, output_padding, *groups, dilation),
        }
    }

    /// The output padding with which the result has the size `wanted`.
    fn output_padding(&self, input: &Tensor, wanted: &[i64]) -> Result<Ints> {
        let ConvTransposeBuilder { stride, padding, dilation, .. } = &self.options;
        let name = format!("ConvTranspose{D}d");
        if wanted.len() < D || input.rank() < D {
            let message =
                format!("output_size takes {D} numbers, not {wanted:?}, for an input of shape {}", input.shape());
            return Err(Error::shape(name, message));
        }
        let wanted = &wanted[wanted.len() - D..];
        let of_dim = |dim: usize| {
            let (size, kernel) = (input.shape()[input.rank() - D + dim] as i64, self.weight.shape()[2 + dim] as i64);
            let step = at(stride, dim);
            let least = (size - 1) * step - 2 * at(padding, dim) + at(dilation, dim) * (kernel - 1) + 1;
            match wanted[dim] - least {
                more if (0..step.max(1)).contains(&more) => Ok(more),
                _ => {
                    let message = format!(
                        "output_size {wanted:?} has {} where {least} to {} can be",
                        wanted[dim],
                        least + step - 1
                    );
                    Err(Error::shape(&name, message))
                }
            }
        };
        Ok((0..D).map(of_dim).collect::<Result<Vec<_>>>()?.into())
    }
}

impl<const D: usize> Layer for ConvTranspose<D> {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        self.forward_to(input, &().into())
    }
}

macro_rules! rows {
    ($($dim:literal $shape:literal;)*) => {
        &[$(
            ModuleSpec {
                text: Conv::<$dim>::SCHEMAS[$dim - 1],
                forward: Conv::<$dim>::FORWARD,
                tensors: tensors(Conv::<$dim>::TENSORS),
                doc: documentation(concat!("A convolution. `x: ", $shape, "`; `padding` may be `\"same\"` or `\"valid\"`.")),
                make: Constructor::Type(Conv::<$dim>::from_args),
            },
            ModuleSpec {
                text: ConvTranspose::<$dim>::SCHEMAS[$dim - 1],
                forward: ConvTranspose::<$dim>::FORWARD,
                tensors: tensors(ConvTranspose::<$dim>::TENSORS),
                doc: documentation(concat!("A transposed convolution, the gradient of a convolution with respect to its input. `x: ", $shape, "`.")),
                make: Constructor::Type(ConvTranspose::<$dim>::from_args),
            },
        )*]
    };
}

pub(crate) static MODULES: &[ModuleSpec] = rows! {
    1 "[N, in_channels, L]";
    2 "[N, in_channels, H, W]";
    3 "[N, in_channels, D, H, W]";
};
