//! Deformable convolution: the taps of each window are moved, and read between the elements.

use super::grid::{Axis, interpolate_at};
use crate::{
    Error, GridMode, GridPadding, Ints, Result, Tensor,
    ops::{Op, leaf::sliding_window::per_dimension},
    samples,
};
use lanthorn_macros::op;

/// The positions along dimension `d` that the taps of each window have before they are moved, in a
/// shape that broadcasts to `[N, groups, KH, KW, OH, OW]`.
fn taps(like: &Tensor, d: usize, windows: &Windows) -> Result<Tensor> {
    let range = |count: i64, dim: usize| -> Result<Tensor> {
        let mut shape = [1; 6];
        shape[dim] = count;
        Tensor::arange_with(0, count, 1, Some(like.dtype()), Some(like.device()))?.reshape(shape)
    };
    let start = range(windows.output[d], 4 + d)?.mul(windows.stride[d])?.sub(windows.padding[d])?;
    start.add(&range(windows.kernel[d], 2 + d)?.mul(windows.dilation[d])?)
}

/// The windows of a convolution of images.
struct Windows {
    kernel: [i64; 2],
    stride: [i64; 2],
    padding: [i64; 2],
    dilation: [i64; 2],
    output: [i64; 2],
}

/// A convolution of images whose taps are moved by `offset` and weighed by `mask`, as
/// `torchvision.ops.deform_conv2d`.
///
/// Shapes: `self: [N, C, H, W]`, `offset: [N, 2 G KH KW, OH, OW]`, `weight: [O, C / groups, KH,
/// KW]`, `bias: [O]`, `mask: [N, G KH KW, OH, OW]`, `result: [N, O, OH, OW]`. `G` groups of
/// channels have offsets of their own: for each tap the distance down and then the one to the
/// right. An element outside of the input is 0, and between elements the input is interpolated
/// bilinearly. `OH` and `OW` are as in [`conv2d`](Tensor::conv2d); `groups` follows from the
/// shapes.
///
/// Errors: `shape` if the shapes do not fit; `argument` if a stride or a dilation is not positive
/// or a padding is negative; `dtype` if the tensors do not have one floating-point type.
///
/// Source: Zhu et al., "Deformable ConvNets v2" (2018); without `mask`, Dai et al., "Deformable
/// Convolutional Networks" (2017).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [1, 1, 1, 3], &device)?;
/// // Half an element to the right.
/// let offset = Tensor::from_slice(&[0.0f32, 0.0, 0.0, 0.5, 0.5, 0.5], [1, 2, 1, 3], &device)?;
/// let y = x.deform_conv2d(&offset, &Tensor::ones([1, 1, 1, 1])?, None, 1, 0, 1, None)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [1.5, 2.5, 1.5]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "deform_conv2d(Tensor self, Tensor offset, Tensor weight, Tensor? bias=None, int[] stride=1, int[] padding=0, int[] dilation=1, Tensor? mask=None) -> Tensor",
    opmath,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
        let moved = |shape: &[i64]| samples::real(shape, -1.4, 1.4);
        samples::calls([
            vec![x(&[2, 2, 4, 5]), moved(&[2, 8, 3, 4]), x(&[3, 2, 2, 2])],
            vec![
                x(&[1, 4, 5, 4]), moved(&[1, 36, 3, 2]), x(&[2, 2, 3, 3]), x(&[2]), samples::int(2), samples::int(1), samples::int(1),
                samples::real(&[1, 18, 3, 2], 0.0, 1.0),
            ],
            vec![x(&[1, 1, 5, 5]), moved(&[1, 8, 3, 3]), x(&[1, 1, 2, 2]), samples::NONE, samples::int(1), samples::int(0), samples::int(2)],
        ])
    }
)]
#[allow(clippy::too_many_arguments)]
fn deform_conv2d(
    x: &Tensor,
    offset: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    stride: &Ints,
    padding: &Ints,
    dilation: &Ints,
    mask: Option<&Tensor>,
) -> Result<Tensor> {
    let op = "deform_conv2d";
    let others = [Some(offset), Some(weight), bias, mask];
    if !x.dtype().is_floating_point() || others.into_iter().flatten().any(|other| other.dtype() != x.dtype()) {
        return Err(Error::dtype(op, "the input, the offsets, the weight, the bias and the mask need one float type"));
    }
    let shapes = || {
        let mask = mask.map_or(String::new(), |mask| format!(", a mask {}", mask.shape()));
        format!("an input {}, offsets {}, a weight {}{mask}", x.shape(), offset.shape(), weight.shape())
    };
    let misfit = || Error::shape(op, format!("{} do not fit", shapes()));
    let dims = |x: &Tensor| <[i64; 4]>::try_from(&x.shape().to_i64()[..]).map_err(|_| misfit());
    let ([batch, channels, height, width], [out, own, kh, kw]) = (dims(x)?, dims(weight)?);
    let [offsets, pairs, oh, ow] = dims(offset)?;
    let list = |name: &str, list: &Ints, least: i64| -> Result<[i64; 2]> {
        let list = per_dimension(op, name, list, 2, least)?;
        Ok([0, 1].map(|d| list[d] as i64))
    };
    let (stride, padding, dilation) =
        (list("stride", stride, 1)?, list("padding", padding, 0)?, list("dilation", dilation, 1)?);
    let windows = Windows { kernel: [kh, kw], stride, padding, dilation, output: [oh, ow] };
    let size = |d: usize, size: i64| {
        (size + 2 * padding[d] - dilation[d] * (windows.kernel[d] - 1) - 1).div_euclid(stride[d]) + 1
    };
    let taps_each = kh * kw;
    let fits = own > 0
        && channels % own == 0
        && taps_each > 0
        && pairs > 0
        && pairs % (2 * taps_each) == 0
        && offsets == batch
        && [oh, ow] == [size(0, height), size(1, width)];
    if !fits {
        return Err(misfit());
    }
    let (groups, moved) = (channels / own, pairs / (2 * taps_each));
    let fits = out % groups == 0
        && channels % moved == 0
        && mask.is_none_or(|mask| mask.shape().to_i64() == [batch, moved * taps_each, oh, ow])
        && bias.is_none_or(|bias| bias.shape().to_i64() == [out]);
    if !fits {
        return Err(misfit());
    }
    let spots = taps_each * oh * ow;
    let distances = offset.reshape([batch, moved, kh, kw, 2, oh, ow])?;
    let axes = [height, width].map(|size| Axis {
        size: size as usize,
        mode: GridMode::Bilinear,
        padding: GridPadding::Zeros,
        align_corners: true,
    });
    let at = |d: usize| taps(x, d, &windows)?.add(&distances.select(4, d as i64)?)?.reshape([batch * moved, spots]);
    let images = x.reshape([batch * moved, channels / moved, height, width])?;
    let mut columns = interpolate_at(&images, &axes, &[at(0)?, at(1)?])?;
    if let Some(mask) = mask {
        columns = columns.mul(&mask.reshape([batch * moved, 1, spots])?)?;
    }
    let columns = columns.reshape([batch, groups, own * taps_each, oh * ow])?;
    let product =
        weight.reshape([groups, out / groups, own * taps_each])?.matmul(&columns)?.reshape([batch, out, oh, ow])?;
    match bias {
        Some(bias) => product.add(&bias.reshape([1, out, 1, 1])?),
        None => Ok(product),
    }
}

pub(crate) static OPS: &[&Op] = &[&DEFORM_CONV2D];
