//! Convolutional layers.

use crate::{
    Layer, Module, Parameter, VarBuilder, init,
    table::{Constructor, ModuleSpec, documentation, tensors},
};
use lanthorn_tensor::{Error, Ints, Padding, Result, Tensor, ops::Args};

/// The options of a convolution, with PyTorch's defaults.
#[derive(Clone, Debug)]
pub struct ConvOptions {
    /// The distance of the windows of neighbouring outputs, one number or one for each dimension.
    pub stride: Ints,
    /// The padding at both ends: numbers, `"same"` or `"valid"`.
    pub padding: Padding,
    /// The distance of neighbouring kernel taps.
    pub dilation: Ints,
    /// The number of groups of channels that are convolved separately.
    pub groups: i64,
    /// Whether there is a bias.
    pub bias: bool,
    /// The kind of padding: `"zeros"`, `"reflect"`, `"replicate"` or `"circular"`.
    pub padding_mode: String,
}

impl Default for ConvOptions {
    /// Stride 1, no padding, no dilation, one group, a bias.
    fn default() -> ConvOptions {
        let one = Ints::from(1);
        ConvOptions {
            stride: one.clone(),
            padding: 0.into(),
            dilation: one,
            groups: 1,
            bias: true,
            padding_mode: "zeros".into(),
        }
    }
}

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
#[derive(Module)]
pub struct Conv<const D: usize> {
    weight: Parameter,
    bias: Option<Parameter>,
    options: ConvOptions,
    /// The padding that is added to the input first if it is not zeros, the last dimension first.
    around: Option<Vec<i64>>,
}

/// [`Tensor::conv1d`] with parameters. `x: [N, in_channels, L]`.
pub type Conv1d = Conv<1>;
/// [`Tensor::conv2d`] with parameters. `x: [N, in_channels, H, W]`.
pub type Conv2d = Conv<2>;
/// [`Tensor::conv3d`] with parameters. `x: [N, in_channels, D, H, W]`.
pub type Conv3d = Conv<3>;

impl<const D: usize> Conv<D> {
    /// A layer with fresh parameters on the default device.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::{Conv2d, ConvOptions, Layer};
    /// use lanthorn::Tensor;
    /// let layer = Conv2d::new(3, 8, 3, ConvOptions { stride: 2.into(), padding: 1.into(), ..ConvOptions::default() })?;
    /// assert_eq!(layer.forward(&Tensor::zeros([2, 3, 8, 8])?)?.shape().to_vec(), [2, 8, 4, 4]);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn new(
        in_channels: i64,
        out_channels: i64,
        kernel_size: impl Into<Ints>,
        options: ConvOptions,
    ) -> Result<Conv<D>> {
        Conv::make([in_channels, out_channels], kernel_size.into(), options, &mut VarBuilder::new())
    }

    fn make(channels: [i64; 2], kernel_size: Ints, options: ConvOptions, vars: &mut VarBuilder<'_>) -> Result<Conv<D>> {
        let name = format!("Conv{D}d");
        let (weight, bias) =
            parameters::<D>(&name, channels, &kernel_size, options.groups, options.bias, channels[1], vars)?;
        let around = Conv::<D>::around(&name, &kernel_size, &options)?;
        Ok(Conv { weight, bias, options, around })
    }

    /// The sizes of padding that is not zeros.
    fn around(name: &str, kernel_size: &Ints, options: &ConvOptions) -> Result<Option<Vec<i64>>> {
        match options.padding_mode.as_str() {
            "zeros" => return Ok(None),
            "reflect" | "replicate" | "circular" => {}
            mode => {
                let message = format!("padding_mode is zeros, reflect, replicate or circular, not {mode:?}");
                return Err(Error::argument(name, message));
            }
        }
        let ends = |dim: usize| match &options.padding {
            Padding::Sizes(sizes) if [1, D].contains(&sizes.len()) => Ok([at(sizes, dim); 2]),
            Padding::Named(rule) if rule == "valid" => Ok([0; 2]),
            Padding::Named(rule) if rule == "same" => {
                let total = at(&options.dilation, dim.min(options.dilation.len() - 1)) * (at(kernel_size, dim) - 1);
                Ok([total / 2, total - total / 2])
            }
            other => Err(Error::argument(
                name,
                format!("padding takes one number, {D}, \"same\" or \"valid\", not {other:?}"),
            )),
        };
        let ends = (0..D).rev().map(ends).collect::<Result<Vec<_>>>()?;
        Ok(Some(ends.concat()))
    }

    fn build(args: &Args<'_>, vars: &mut VarBuilder<'_>) -> Result<Box<dyn Module>> {
        let options = ConvOptions {
            stride: args.ints(3),
            padding: args.padding(4),
            dilation: args.ints(5),
            groups: args.int(6),
            bias: args.bool(7),
            padding_mode: args.str(8).to_string(),
        };
        Ok(Box::new(Conv::<D>::make([args.int(0), args.int(1)], args.ints(2), options, vars)?))
    }
}

impl<const D: usize> Layer for Conv<D> {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let ConvOptions { stride, padding, dilation, groups, padding_mode, .. } = &self.options;
        let (weight, bias) = (&self.weight, self.bias.as_ref());
        let padded = self.around.as_ref().map(|around| input.pad(&around[..], padding_mode, None)).transpose()?;
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
#[derive(Module)]
#[module("forward_to(Tensor input, int[]? output_size=None) -> Tensor")]
pub struct ConvTranspose<const D: usize> {
    weight: Parameter,
    bias: Option<Parameter>,
    options: ConvTransposeOptions,
}

/// [`Tensor::conv_transpose1d`] with parameters. `x: [N, in_channels, L]`.
pub type ConvTranspose1d = ConvTranspose<1>;
/// [`Tensor::conv_transpose2d`] with parameters. `x: [N, in_channels, H, W]`.
pub type ConvTranspose2d = ConvTranspose<2>;
/// [`Tensor::conv_transpose3d`] with parameters. `x: [N, in_channels, D, H, W]`.
pub type ConvTranspose3d = ConvTranspose<3>;

/// The options of a transposed convolution, with PyTorch's defaults.
#[derive(Clone, Debug)]
pub struct ConvTransposeOptions {
    /// The distance of the windows of neighbouring inputs, one number or one for each dimension.
    pub stride: Ints,
    /// The number of elements removed at both ends of the result.
    pub padding: Ints,
    /// The number of elements added at the end of the result.
    pub output_padding: Ints,
    /// The number of groups of channels that are convolved separately.
    pub groups: i64,
    /// Whether there is a bias.
    pub bias: bool,
    /// The distance of neighbouring kernel taps.
    pub dilation: Ints,
}

impl Default for ConvTransposeOptions {
    /// Stride 1, no padding, no dilation, one group, a bias.
    fn default() -> ConvTransposeOptions {
        let (one, none) = (Ints::from(1), Ints::from(0));
        ConvTransposeOptions {
            stride: one.clone(),
            padding: none.clone(),
            output_padding: none,
            groups: 1,
            bias: true,
            dilation: one,
        }
    }
}

impl<const D: usize> ConvTranspose<D> {
    /// A layer with fresh parameters on the default device.
    pub fn new(
        in_channels: i64,
        out_channels: i64,
        kernel_size: impl Into<Ints>,
        options: ConvTransposeOptions,
    ) -> Result<ConvTranspose<D>> {
        ConvTranspose::make([in_channels, out_channels], &kernel_size.into(), options, &mut VarBuilder::new())
    }

    fn make(
        channels: [i64; 2],
        kernel_size: &Ints,
        options: ConvTransposeOptions,
        vars: &mut VarBuilder<'_>,
    ) -> Result<ConvTranspose<D>> {
        let name = format!("ConvTranspose{D}d");
        let (weight, bias) =
            parameters::<D>(&name, channels, kernel_size, options.groups, options.bias, channels[0], vars)?;
        Ok(ConvTranspose { weight, bias, options })
    }

    fn build(args: &Args<'_>, vars: &mut VarBuilder<'_>) -> Result<Box<dyn Module>> {
        if args.str(9) != "zeros" {
            let message = format!("padding_mode can only be zeros, not {:?}", args.str(9));
            return Err(Error::argument(format!("ConvTranspose{D}d"), message));
        }
        let options = ConvTransposeOptions {
            stride: args.ints(3),
            padding: args.ints(4),
            output_padding: args.ints(5),
            groups: args.int(6),
            bias: args.bool(7),
            dilation: args.ints(8),
        };
        Ok(Box::new(ConvTranspose::<D>::make([args.int(0), args.int(1)], &args.ints(2), options, vars)?))
    }

    /// The layer's result with `output_size` as its last dimensions, which must be one of the sizes
    /// that the stride allows.
    pub fn forward_to(&self, input: &Tensor, output_size: &lanthorn_tensor::OptionalInts) -> Result<Tensor> {
        let ConvTransposeOptions { stride, padding, output_padding, groups, dilation, .. } = &self.options;
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
        let ConvTransposeOptions { stride, padding, dilation, .. } = &self.options;
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
    ($($dim:literal $name:literal $transposed:literal $shape:literal;)*) => {
        &[$(
            ModuleSpec {
                text: concat!(
                    $name,
                    "(int in_channels, int out_channels, int[] kernel_size, int[] stride=1, int[]|str{valid|same} padding=0, int[] dilation=1, ",
                    "int groups=1, bool bias=True, str{zeros|reflect|replicate|circular} padding_mode=\"zeros\") -> Module"
                ),
                forward: Conv::<$dim>::FORWARD,
                tensors: tensors(Conv::<$dim>::TENSORS),
                doc: documentation(concat!("A convolution. `x: ", $shape, "`; `padding` may be `\"same\"` or `\"valid\"`.")),
                make: Constructor::Type(Conv::<$dim>::build),
            },
            ModuleSpec {
                text: concat!(
                    $transposed,
                    "(int in_channels, int out_channels, int[] kernel_size, int[] stride=1, int[] padding=0, int[] output_padding=0, ",
                    "int groups=1, bool bias=True, int[] dilation=1, str{zeros} padding_mode=\"zeros\") -> Module"
                ),
                forward: ConvTranspose::<$dim>::FORWARD,
                tensors: tensors(ConvTranspose::<$dim>::TENSORS),
                doc: documentation(concat!("A transposed convolution, the gradient of a convolution with respect to its input. `x: ", $shape, "`.")),
                make: Constructor::Type(ConvTranspose::<$dim>::build),
            },
        )*]
    };
}

pub(crate) static MODULES: &[ModuleSpec] = rows! {
    1 "Conv1d" "ConvTranspose1d" "[N, in_channels, L]";
    2 "Conv2d" "ConvTranspose2d" "[N, in_channels, H, W]";
    3 "Conv3d" "ConvTranspose3d" "[N, in_channels, D, H, W]";
};
