//! Convolutions and transposed convolutions: checked arguments as of `torch.nn.functional`, one
//! contraction, and a bias.

use crate::{
    Error, Ints, Padding, Result, Tensor,
    ops::{
        Op,
        leaf::{
            convolution::{Geometry, Part, correlate},
            sliding_window::{Slide, batched, per_dimension},
        },
    },
    samples::{self, Sample},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// The arguments of a convolution or transposed convolution, except its input.
struct Kernel<'a> {
    op: &'static str,
    weight: &'a Tensor,
    bias: Option<&'a Tensor>,
    stride: Vec<usize>,
    dilation: Vec<usize>,
    groups: usize,
}

impl<'a> Kernel<'a> {
    /// Checks everything that does not depend on the shape of the input, for `spatial` convolved
    /// dimensions.
    fn new(
        op: &'static str,
        (weight, bias): (&'a Tensor, Option<&'a Tensor>),
        spatial: usize,
        (stride, dilation): (&Ints, &Ints),
        groups: i64,
    ) -> Result<Kernel<'a>> {
        if weight.rank() != spatial + 2 || weight.shape()[2..].contains(&0) {
            let message = format!(
                "expected a weight of {} dimensions and a kernel with elements, not shape {}",
                spatial + 2,
                weight.shape()
            );
            return Err(Error::shape(op, message));
        }
        let stride = per_dimension(op, "stride", stride, spatial, 1)?;
        let dilation = per_dimension(op, "dilation", dilation, spatial, 1)?;
        let leading = weight.shape()[0];
        match usize::try_from(groups) {
            Ok(groups) if groups > 0 && leading.is_multiple_of(groups) => {
                Ok(Kernel { op, weight, bias, stride, dilation, groups })
            }
            _ => Err(Error::argument(
                op,
                format!("groups must divide the weight's leading {leading} channels, not {groups}"),
            )),
        }
    }

    fn spatial(&self) -> usize {
        self.stride.len()
    }

    /// The number of taps along a dimension.
    fn positions(&self, d: usize) -> usize {
        self.weight.shape()[2 + d]
    }

    /// The extent of the kernel along a dimension.
    fn reach(&self, d: usize) -> usize {
        self.dilation[d] * (self.positions(d) - 1) + 1
    }

    /// Checks that the input has the type of the weight, and `channels` channels.
    fn check_input(&self, x: &Tensor, channels: usize) -> Result<()> {
        let (weight, groups) = (self.weight, self.groups);
        if x.dtype() != weight.dtype() || !x.dtype().is_floating_point() {
            let message = format!(
                "takes an input and a weight of one floating-point type, not {} and {}",
                x.dtype(),
                weight.dtype()
            );
            return Err(Error::dtype(self.op, message));
        }
        if x.shape()[1] == channels {
            return Ok(());
        }
        let got = x.shape()[1];
        let message = format!(
            "with groups {groups}, a weight of shape {} takes an input of {channels} channels, but shape {} has {got}",
            weight.shape(),
            x.shape()
        );
        Err(Error::shape(self.op, message))
    }

    /// `y` with the bias, one number a channel.
    fn add_bias(&self, y: Tensor) -> Result<Tensor> {
        let Some(bias) = self.bias else { return Ok(y) };
        let channels = y.shape()[1];
        if bias.shape()[..] != [channels] || bias.dtype() != y.dtype() {
            let (shape, dtype) = (bias.shape(), bias.dtype());
            return Err(Error::shape(
                self.op,
                format!("the bias must be {} of shape [{channels}], not {dtype} of {shape}", y.dtype()),
            ));
        }
        let mut column = vec![1; self.spatial() + 1];
        column[0] = -1;
        y.add(bias.reshape(column)?).map_err(|error| error.in_op(self.op))
    }

    /// The padding before the input, and the sum of the padding on both sides.
    fn padding(&self, padding: &Padding) -> Result<(Vec<usize>, Vec<usize>)> {
        let dims = 0..self.spatial();
        match padding {
            Padding::Sizes(sizes) => {
                let sizes = per_dimension(self.op, "padding", sizes, self.spatial(), 0)?;
                let both = sizes.iter().map(|size| 2 * size).collect();
                Ok((sizes, both))
            }
            Padding::Same if self.stride.iter().any(|&stride| stride != 1) => {
                Err(Error::argument(self.op, "padding \"same\" needs a stride of 1"))
            }
            Padding::Same => {
                Ok((dims.clone().map(|d| (self.reach(d) - 1) / 2).collect(), dims.map(|d| self.reach(d) - 1).collect()))
            }
            Padding::Valid => Ok((vec![0; self.spatial()], vec![0; self.spatial()])),
        }
    }

    /// Part `wanted` of the convolution whose other parts are `x` and the weight, with the bias.
    fn correlate_part(&self, x: &Tensor, wanted: Part, slides: Vec<Slide>) -> Result<Tensor> {
        let (leading, inputs) = (self.weight.shape()[0], self.weight.shape()[1]);
        let (batch, groups) = (x.shape()[0], self.groups);
        let geometry = Geometry { batch, groups, inputs, outputs: leading / groups, slides };
        self.add_bias(correlate(self.op, &Rc::new(geometry), wanted, self.weight, x)?)
    }

    fn convolve(&self, x: &Tensor, padding: &Padding) -> Result<Tensor> {
        let (op, weight) = (self.op, self.weight);
        let (before, both) = self.padding(padding)?;
        batched(op, x, self.spatial(), |x| {
            self.check_input(x, weight.shape()[1] * self.groups)?;
            let slides = (0..self.spatial()).map(|d| {
                let (input, reach) = (x.shape()[2 + d], self.reach(d));
                let Some(room) = (input + both[d]).checked_sub(reach) else {
                    let (padded, shape) = (input + both[d], x.shape());
                    let message =
                        format!("a kernel that reaches {reach} positions is larger than the padded input, {padded}, of shape {shape}");
                    return Err(Error::shape(op, message));
                };
                let (stride, dilation) = (self.stride[d], self.dilation[d]);
                Ok(Slide { input, kernel: self.positions(d), output: room / stride + 1, stride, padding: before[d], dilation })
            });
            self.correlate_part(x, Part::Output, slides.collect::<Result<_>>()?)
        })
    }

    /// The transposed convolution: `x` has the shape of a convolution's output, and the result has
    /// the shape of its input.
    fn transpose(&self, x: &Tensor, padding: &Ints, output_padding: &Ints) -> Result<Tensor> {
        let (op, weight) = (self.op, self.weight);
        let padding = per_dimension(op, "padding", padding, self.spatial(), 0)?;
        let extra = per_dimension(op, "output_padding", output_padding, self.spatial(), 0)?;
        batched(op, x, self.spatial(), |x| {
            self.check_input(x, weight.shape()[0])?;
            let slides = (0..self.spatial()).map(|d| {
                let (output, stride, dilation) = (x.shape()[2 + d], self.stride[d], self.dilation[d]);
                if extra[d] >= stride.max(dilation) {
                    let message = format!("output_padding must be smaller than stride or dilation, not {}", extra[d]);
                    return Err(Error::argument(op, message));
                }
                let reached = output.saturating_sub(1) * stride + self.reach(d) + extra[d];
                match reached.checked_sub(2 * padding[d]) {
                    Some(input) if input > 0 && output > 0 => {
                        Ok(Slide { input, kernel: self.positions(d), output, stride, padding: padding[d], dilation })
                    }
                    _ => Err(Error::shape(
                        op,
                        format!("padding {} leaves nothing of an input of shape {}", padding[d], x.shape()),
                    )),
                }
            });
            self.correlate_part(x, Part::Input, slides.collect::<Result<_>>()?)
        })
    }
}

/// A tensor of two leading sizes and the sizes `positions`.
fn x(lead: [i64; 2], positions: &[i64]) -> samples::SampleArg {
    samples::real(&[&lead[..], positions].concat(), -1.0, 1.0)
}

fn bias(channels: i64) -> samples::SampleArg {
    samples::real(&[channels], -1.0, 1.0)
}

/// Samples in as many dimensions as `input` and `kernel` have: plain; strided, padded and dilated;
/// in groups; with named padding.
fn convolutions(input: &[i64], kernel: &[i64]) -> Vec<Sample> {
    let mut all = samples::calls([
        vec![x([2, 3], input), x([4, 3], kernel), bias(4)],
        vec![x([2, 2], input), x([3, 2], kernel), samples::NONE, samples::int(2), samples::int(1), samples::int(2)],
        vec![
            x([1, 4], input),
            x([6, 2], kernel),
            bias(6),
            samples::int(1),
            samples::int(2),
            samples::int(1),
            samples::int(2),
        ],
        vec![
            x([2, 3], input),
            x([3, 1], kernel),
            samples::NONE,
            samples::int(3),
            samples::int(1),
            samples::int(1),
            samples::int(3),
        ],
        vec![
            x([1, 2], input),
            x([2, 2], kernel),
            samples::NONE,
            samples::int(1),
            samples::text("same"),
            samples::int(2),
        ],
    ]);
    all.push(Sample { args: vec![samples::real(&[&[3][..], input].concat(), -1.0, 1.0), x([2, 3], kernel)] });
    all
}

/// Samples of transposed convolutions.
fn transposed(input: &[i64], kernel: &[i64]) -> Vec<Sample> {
    samples::calls([
        vec![x([2, 3], input), x([3, 4], kernel), bias(4)],
        vec![x([2, 2], input), x([2, 3], kernel), samples::NONE, samples::int(2), samples::int(1), samples::int(1)],
        vec![
            x([1, 4], input),
            x([4, 3], kernel),
            bias(6),
            samples::int(3),
            samples::int(0),
            samples::int(2),
            samples::int(2),
            samples::int(2),
        ],
    ])
}

/// A convolution along one dimension, as `torch.nn.functional.conv1d`.
///
/// Shapes: `self: [N, C_in, L]` or `[C_in, L]`, `weight: [C_out, C_in / groups, K]`,
/// `bias: [C_out]`, `result: [N, C_out, L_out]` or `[C_out, L_out]` with
/// `L_out = floor((L + 2 padding - dilation (K - 1) - 1) / stride) + 1`.
///
/// Arguments and errors: as of [`conv2d`](Tensor::conv2d).
#[op(
    composite,
    "conv1d(Tensor self, Tensor weight, Tensor? bias=None, int[] stride=1, int[]|str{valid|same} padding=0, int[] dilation=1, int groups=1) -> Tensor",
    autocast = lower,
    samples = || convolutions(&[9], &[3])
)]
fn conv1d(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    stride: &Ints,
    padding: &Padding,
    dilation: &Ints,
    groups: i64,
) -> Result<Tensor> {
    Kernel::new("conv1d", (weight, bias), 1, (stride, dilation), groups)?.convolve(x, padding)
}

/// A convolution of images, that is a cross-correlation, as `torch.nn.functional.conv2d`.
///
/// Shapes: `self: [N, C_in, H, W]` or `[C_in, H, W]`, `weight: [C_out, C_in / groups, KH, KW]`,
/// `bias: [C_out]`, `result: [N, C_out, H_out, W_out]` or `[C_out, H_out, W_out]` with
/// `H_out = floor((H + 2 padding - dilation (KH - 1) - 1) / stride) + 1`, and `W_out` likewise.
///
/// `stride`, `padding` and `dilation` are one number, or one a dimension. `padding` may also be
/// `"valid"` (none) or `"same"` (the result has the size of the input). The channels are split into
/// `groups` that are convolved separately.
///
/// Errors: `shape` if the number of dimensions, the channels or the bias do not fit, or the kernel
/// is larger than the padded input; `dtype` if `self` and `weight` do not have one floating-point
/// type; `argument` if `groups` does not divide `C_out`, a list has another number of elements,
/// `stride` or `dilation` is below 1 or `padding` below 0, or `padding` is `"same"` with a stride
/// above 1.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let (x, weight) = (Tensor::ones([1, 1, 3, 3])?, Tensor::ones([1, 1, 3, 3])?);
/// let y = x.conv2d(&weight, None, 1, 1, 1, 1)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [4.0, 6.0, 4.0, 6.0, 9.0, 6.0, 4.0, 6.0, 4.0]);
/// let error = x.conv2d(&Tensor::ones([1, 2, 3, 3])?, None, 1, 0, 1, 1).unwrap_err();
/// assert!(error.is_shape());
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "conv2d(Tensor self, Tensor weight, Tensor? bias=None, int[] stride=1, int[]|str{valid|same} padding=0, int[] dilation=1, int groups=1) -> Tensor",
    autocast = lower,
    samples = || {
        let mut all = convolutions(&[7, 6], &[3, 2]);
        all.extend(samples::calls([
            // More channels and positions than a tile of any backend has, and different sizes in
            // each dimension.
            vec![x([2, 17], &[12, 11]), x([35, 17], &[3, 3]), bias(35), samples::int(1), samples::int(1)],
            vec![
                x([1, 2], &[8, 9]),
                x([2, 2], &[2, 3]),
                samples::NONE,
                samples::ints(&[2, 1]),
                samples::ints(&[0, 2]),
                samples::ints(&[3, 1]),
            ],
            vec![x([2, 5], &[4, 4]), x([3, 5], &[1, 1])],
        ]));
        all
    }
)]
fn conv2d(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    stride: &Ints,
    padding: &Padding,
    dilation: &Ints,
    groups: i64,
) -> Result<Tensor> {
    Kernel::new("conv2d", (weight, bias), 2, (stride, dilation), groups)?.convolve(x, padding)
}

/// A convolution of volumes, as `torch.nn.functional.conv3d`.
///
/// Shapes: `self: [N, C_in, D, H, W]` or `[C_in, D, H, W]`,
/// `weight: [C_out, C_in / groups, KD, KH, KW]`, `bias: [C_out]`,
/// `result: [N, C_out, D_out, H_out, W_out]` or without `N`, with sizes as of
/// [`conv2d`](Tensor::conv2d).
///
/// Arguments and errors: as of [`conv2d`](Tensor::conv2d).
#[op(
    composite,
    "conv3d(Tensor self, Tensor weight, Tensor? bias=None, int[] stride=1, int[]|str{valid|same} padding=0, int[] dilation=1, int groups=1) -> Tensor",
    autocast = lower,
    samples = || convolutions(&[4, 5, 4], &[2, 3, 2])
)]
fn conv3d(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    stride: &Ints,
    padding: &Padding,
    dilation: &Ints,
    groups: i64,
) -> Result<Tensor> {
    Kernel::new("conv3d", (weight, bias), 3, (stride, dilation), groups)?.convolve(x, padding)
}

/// The transposed convolution along one dimension, as `torch.nn.functional.conv_transpose1d`: the
/// gradient of [`conv1d`](Tensor::conv1d) with respect to its input.
///
/// Shapes: `self: [N, C_in, L]` or `[C_in, L]`, `weight: [C_in, C_out / groups, K]`,
/// `bias: [C_out]`, `result: [N, C_out, L_out]` or `[C_out, L_out]` with
/// `L_out = (L - 1) stride - 2 padding + dilation (K - 1) + output_padding + 1`.
///
/// Errors: as of [`conv_transpose2d`](Tensor::conv_transpose2d).
#[op(
    composite,
    "conv_transpose1d(Tensor self, Tensor weight, Tensor? bias=None, int[] stride=1, int[] padding=0, int[] output_padding=0, int groups=1, int[] dilation=1) -> Tensor",
    autocast = lower,
    samples = || transposed(&[5], &[3])
)]
fn conv_transpose1d(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    stride: &Ints,
    padding: &Ints,
    output_padding: &Ints,
    groups: i64,
    dilation: &Ints,
) -> Result<Tensor> {
    Kernel::new("conv_transpose1d", (weight, bias), 1, (stride, dilation), groups)?.transpose(
        x,
        padding,
        output_padding,
    )
}

/// The transposed convolution of images, as `torch.nn.functional.conv_transpose2d`: the gradient of
/// [`conv2d`](Tensor::conv2d) with respect to its input.
///
/// Shapes: `self: [N, C_in, H, W]` or `[C_in, H, W]`, `weight: [C_in, C_out / groups, KH, KW]`,
/// `bias: [C_out]`, `result: [N, C_out, H_out, W_out]` or `[C_out, H_out, W_out]` with
/// `H_out = (H - 1) stride - 2 padding + dilation (KH - 1) + output_padding + 1`, and `W_out`
/// likewise. Several input sizes of a strided convolution give one output size; `output_padding`
/// selects one of them.
///
/// Errors: `shape` if the number of dimensions, the channels or the bias do not fit, or the result
/// has no elements; `dtype` if `self` and `weight` do not have one floating-point type; `argument`
/// if `groups` does not divide `C_in`, a list has another number of elements, an argument is too
/// small, or `output_padding` is at least both `stride` and `dilation`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let (x, weight) = (Tensor::ones([1, 1, 2, 2])?, Tensor::ones([1, 1, 2, 2])?);
/// let y = x.conv_transpose2d(&weight, None, 1, 0, 0, 1, 1)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "conv_transpose2d(Tensor self, Tensor weight, Tensor? bias=None, int[] stride=1, int[] padding=0, int[] output_padding=0, int groups=1, int[] dilation=1) -> Tensor",
    autocast = lower,
    samples = || transposed(&[4, 3], &[3, 2])
)]
fn conv_transpose2d(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    stride: &Ints,
    padding: &Ints,
    output_padding: &Ints,
    groups: i64,
    dilation: &Ints,
) -> Result<Tensor> {
    Kernel::new("conv_transpose2d", (weight, bias), 2, (stride, dilation), groups)?.transpose(
        x,
        padding,
        output_padding,
    )
}

/// The transposed convolution of volumes, as `torch.nn.functional.conv_transpose3d`: the gradient
/// of [`conv3d`](Tensor::conv3d) with respect to its input.
///
/// Shapes: `self: [N, C_in, D, H, W]` or `[C_in, D, H, W]`,
/// `weight: [C_in, C_out / groups, KD, KH, KW]`, `bias: [C_out]`,
/// `result: [N, C_out, D_out, H_out, W_out]` or without `N`, with sizes as of
/// [`conv_transpose2d`](Tensor::conv_transpose2d).
///
/// Errors: as of [`conv_transpose2d`](Tensor::conv_transpose2d).
#[op(
    composite,
    "conv_transpose3d(Tensor self, Tensor weight, Tensor? bias=None, int[] stride=1, int[] padding=0, int[] output_padding=0, int groups=1, int[] dilation=1) -> Tensor",
    autocast = lower,
    samples = || transposed(&[2, 3, 3], &[2, 3, 2])
)]
fn conv_transpose3d(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    stride: &Ints,
    padding: &Ints,
    output_padding: &Ints,
    groups: i64,
    dilation: &Ints,
) -> Result<Tensor> {
    Kernel::new("conv_transpose3d", (weight, bias), 3, (stride, dilation), groups)?.transpose(
        x,
        padding,
        output_padding,
    )
}

pub(crate) static OPS: &[&Op] = &[&CONV1D, &CONV2D, &CONV3D, &CONV_TRANSPOSE1D, &CONV_TRANSPOSE2D, &CONV_TRANSPOSE3D];
