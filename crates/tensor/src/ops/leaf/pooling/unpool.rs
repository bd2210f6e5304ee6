//! The partial inverse of max pooling: values scattered to the positions that they came from.

use crate::{
    Error, Ints, Result, Tensor,
    autograd::{Derivative, attach},
    ops::{
        Op,
        leaf::{
            index::{as_index, scattered},
            sliding_window::{batched, per_dimension},
        },
        pointwise::common_device,
    },
    samples::{self, Sample},
    scalar::OptionalInts,
};
use lanthorn_ir::{Shape, kernel::ScatterOp};
use lanthorn_macros::op;
use std::rc::Rc;

/// Zeros of the unpooled size with the values at their indices.
fn max_unpool(
    op: &'static str,
    spatial: usize,
    (x, indices): (&Tensor, &Tensor),
    [kernel, stride, padding]: [&Ints; 3],
    output_size: &OptionalInts,
) -> Result<Tensor> {
    let indices = &as_index(op, indices)?;
    if indices.shape() != x.shape() {
        return Err(Error::shape(
            op,
            format!("indices of shape {} for an input of shape {}", indices.shape(), x.shape()),
        ));
    }
    common_device(op, &[x.clone(), indices.clone()])?;
    batched(op, x, spatial, |x| {
        let kernel = per_dimension(op, "kernel_size", kernel, spatial, 1)?;
        let stride = if stride.is_empty() { kernel.clone() } else { per_dimension(op, "stride", stride, spatial, 1)? };
        let padding = per_dimension(op, "padding", padding, spatial, 0)?;
        let input = &x.shape()[2..];
        let natural = |d: usize| (input[d] as i64 - 1) * stride[d] as i64 - 2 * padding[d] as i64 + kernel[d] as i64;
        let given = output_size.as_slice().map(|sizes| &sizes[sizes.len().saturating_sub(spatial)..]);
        let sizes: Vec<i64> = match given {
            Some(sizes) => sizes.to_vec(),
            None => (0..spatial).map(natural).collect(),
        };
        let near = |d: usize| sizes[d] > 0 && (sizes[d] - natural(d)).abs() < stride[d] as i64;
        if sizes.len() != spatial || !(0..spatial).all(|d| near(d) || (given.is_none() && sizes[d] > 0)) {
            let message = format!("an input of shape {} is not pooled from spatial sizes {sizes:?}", x.shape());
            return Err(Error::shape(op, message));
        }
        let lead = [x.shape()[0] as i64, x.shape()[1] as i64];
        let count = input.iter().product::<usize>() as i64;
        let flat = Shape::new(op, &[lead[0], lead[1], sizes.iter().product()])?;
        let values = x.reshape([lead[0], lead[1], count])?;
        let output = set_along(op, &values, &indices.reshape([lead[0], lead[1], count])?, &flat)?;
        output.reshape([&lead[..], &sizes].concat())
    })
}

/// Zeros of a shape with `src` written at `index` along dimension 2. Of several elements for one
/// position the last one remains, and all of them get its gradient, as in PyTorch.
fn set_along(op: &'static str, src: &Tensor, index: &Tensor, shape: &Shape) -> Result<Tensor> {
    let zeros = Tensor::zeros_with(shape, src.dtype(), Some(src.device()))?;
    let output = scattered(op, &zeros, 2, index, src, ScatterOp::Set)?;
    let derivative: Derivative = Rc::new(move |grad, saved| Ok(vec![Some(grad.gather(2, &saved[0])?)]));
    attach(op, &output, &[src], &[index], derivative);
    Ok(output)
}

/// A value for each channel, and its index in one or more dimensions with `size` positions.
fn unpoolings(spatial: usize, size: i64) -> Vec<Sample> {
    let shape = [&[2, 3][..], &vec![1; spatial]].concat();
    samples::calls([vec![samples::real(&shape, -2.0, 2.0), samples::index(&shape, size), samples::int(2)]])
}

/// The partial inverse of [`max_pool1d`](Tensor::max_pool1d), as
/// `torch.nn.functional.max_unpool1d`.
///
/// Shapes: `self` and `indices`: `[N, C, L]` or `[C, L]`, `result: [N, C, L_out]` or `[C, L_out]`
/// with `L_out` as of [`max_unpool2d`](Tensor::max_unpool2d).
///
/// Arguments and errors: as of [`max_unpool2d`](Tensor::max_unpool2d).
#[op(
    composite,
    "max_unpool1d(Tensor self, Tensor indices, int[] kernel_size, int[] stride=[], int[] padding=0, int[]? output_size=None) -> Tensor",
    samples = || unpoolings(1, 2)
)]
fn max_unpool1d(
    x: &Tensor,
    indices: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    output_size: &OptionalInts,
) -> Result<Tensor> {
    // A signal is an image of one row.
    let in_row = |sizes: &[i64], row: i64| [&[row], sizes].concat();
    let output = output_size.as_slice().map(|sizes| in_row(&sizes[sizes.len().saturating_sub(1)..], 1));
    let stride = if stride.is_empty() { vec![] } else { in_row(stride, 1) };
    let (rows, indices) = (x.unsqueeze(-2)?, indices.unsqueeze(-2)?);
    let unpooled = rows.max_unpool2d(&indices, in_row(kernel_size, 1), stride, in_row(padding, 0), output.as_deref());
    unpooled.map_err(|error| error.in_op("max_unpool1d"))?.squeeze(-2)
}

/// The partial inverse of [`max_pool2d`](Tensor::max_pool2d), as
/// `torch.nn.functional.max_unpool2d`: zeros with the elements of `self` at their `indices`.
///
/// Shapes: `self` and `indices`: `[N, C, H, W]` or `[C, H, W]`, `result: [N, C, H_out, W_out]` or
/// `[C, H_out, W_out]` with `H_out = (H - 1) stride - 2 padding + kernel_size`, and `W_out`
/// likewise. Several input sizes pool to one output size; `output_size`, the spatial sizes or a
/// whole shape, selects one that differs by less than `stride`. `stride` is `kernel_size` by
/// default.
///
/// Errors: `shape` if `indices` and `self` differ in shape, `self` has another number of
/// dimensions, or `output_size` does not fit; `dtype` if `indices` is not an integer tensor;
/// `argument` if an argument has another number of elements or one that is too small; `index` when
/// the result is read if an index is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 4.0, 3.0, 2.0], [1, 2, 2], &device)?;
/// let (values, indices) = x.max_pool2d_with_indices(2, [], 0, 1, false, true)?;
/// let y = values.max_unpool2d(&indices, 2, [], 0, ())?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [0.0, 4.0, 0.0, 0.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "max_unpool2d(Tensor self, Tensor indices, int[] kernel_size, int[] stride=[], int[] padding=0, int[]? output_size=None) -> Tensor",
    samples = || unpoolings(2, 4)
)]
fn max_unpool2d(
    x: &Tensor,
    indices: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    output_size: &OptionalInts,
) -> Result<Tensor> {
    max_unpool("max_unpool2d", 2, (x, indices), [kernel_size, stride, padding], output_size)
}

/// The partial inverse of [`max_pool3d`](Tensor::max_pool3d), as
/// `torch.nn.functional.max_unpool3d`.
///
/// Shapes: `self` and `indices`: `[N, C, D, H, W]` or `[C, D, H, W]`,
/// `result: [N, C, D_out, H_out, W_out]` or without `N`, with sizes as of
/// [`max_unpool2d`](Tensor::max_unpool2d).
///
/// Arguments and errors: as of [`max_unpool2d`](Tensor::max_unpool2d).
#[op(
    composite,
    "max_unpool3d(Tensor self, Tensor indices, int[] kernel_size, int[] stride=[], int[] padding=0, int[]? output_size=None) -> Tensor",
    samples = || unpoolings(3, 8)
)]
fn max_unpool3d(
    x: &Tensor,
    indices: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    output_size: &OptionalInts,
) -> Result<Tensor> {
    max_unpool("max_unpool3d", 3, (x, indices), [kernel_size, stride, padding], output_size)
}

pub(crate) static OPS: &[&Op] = &[&MAX_UNPOOL1D, &MAX_UNPOOL2D, &MAX_UNPOOL3D];
