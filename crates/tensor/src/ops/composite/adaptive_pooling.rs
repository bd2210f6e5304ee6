//! Adaptive pooling: windows whose number is given. Window `o` of `n` covers the positions from
//! `floor(o * size / n)` up to, but excluding, `ceil((o + 1) * size / n)`.
//!
//! If `n` divides the size, these are ordinary windows. Otherwise they differ in length and
//! overlap, which the strides of an operand cannot express. A mean is then a sum for each
//! dimension over the elements that a window covers, and a maximum is taken over gathered
//! elements, with the last element of a short window repeated. Rejected: products with a matrix of
//! weights, in which an infinity outside of a window makes its mean NaN.

use super::pooling::avg_pool;
use crate::{
    Error, Ints, PartialInts, Result, Tensor,
    ops::{
        Op,
        leaf::{
            pooling::{
                Pool,
                max::{Laid, check_asked, max_pool_with_indices, positions},
            },
            sliding_window::{batched, batched_pair, per_dimension},
        },
    },
    samples::{self, Sample},
};
use lanthorn_ir::expr::Expr;
use lanthorn_macros::op;

/// The means of the windows along dimension `dim`. An element outside of a window does not count,
/// not even as 0 times infinity.
fn averages(x: &Tensor, dim: usize, output: usize) -> Result<Tensor> {
    let (input, output, dim) = (x.shape()[dim] as i64, output as i64, dim as i64);
    let range = |count: i64| Tensor::arange_with(0, count, 1, None, Some(x.device()));
    let (first, position) = (range(output)?.mul(input)?.unsqueeze(1)?, range(input)?.mul(output)?);
    let belongs = position.gt(first.sub(output)?)?.logical_and(&position.lt(first.add(input)?)?)?;
    let sums = Tensor::r#where(&belongs, x.transpose(dim, -1)?.unsqueeze(-2)?, 0)?.sum(-1, false)?;
    sums.div(belongs.sum(1, false)?)?.transpose(dim, -1)
}

/// The kernel size of ordinary windows with the same result, if they exist.
fn regular(input: &[usize], output: &[usize]) -> Option<Ints> {
    let fits =
        input.iter().zip(output).all(|(&input, &output)| output > 0 && input > 0 && input.is_multiple_of(output));
    let kernel = || input.iter().zip(output).map(|(input, output)| (input / output) as i64).collect::<Vec<_>>().into();
    fits.then(kernel)
}

/// Runs a pooling with windows that tile the input.
fn with_windows<T>(kernel: &Ints, run: impl FnOnce(&Pool<'_>) -> T) -> T {
    run(&Pool { kernel, stride: &Ints::default(), padding: &0.into(), dilation: &1.into(), ceil_mode: false })
}

/// The spatial sizes of the input, which must not be 0, and of the result.
fn sizes(op: &str, x: &Tensor, output_size: &PartialInts) -> Result<(Vec<usize>, Vec<usize>)> {
    let input = x.shape()[2..].to_vec();
    let output = per_dimension(op, "output_size", &output_size.or(&input), input.len(), 0)?;
    if input.contains(&0) {
        return Err(Error::shape(op, format!("an input of shape {} has no positions", x.shape())));
    }
    Ok((input, output))
}

fn mean(op: &'static str, spatial: usize, x: &Tensor, output_size: &PartialInts) -> Result<Tensor> {
    if !x.dtype().is_floating_point() {
        return Err(Error::dtype(op, format!("the mean of {} is not defined; convert with to()", x.dtype())));
    }
    batched(op, x, spatial, |x| {
        let (input, output) = sizes(op, x, output_size)?;
        if let Some(kernel) = regular(&input, &output) {
            return with_windows(&kernel, |pool| avg_pool(op, spatial, x, pool, true, None));
        }
        (0..spatial).filter(|&d| input[d] != output[d]).try_fold(x.clone(), |x, d| averages(&x, 2 + d, output[d]))
    })
}

/// The first position of window `o`.
fn start(input: usize, output: usize, o: usize) -> usize {
    o * input / output
}

/// The position after the last one of window `o`.
fn end(input: usize, output: usize, o: usize) -> usize {
    ((o + 1) * input).div_ceil(output)
}

fn max(op: &'static str, spatial: usize, x: &Tensor, output_size: &PartialInts) -> Result<(Tensor, Tensor)> {
    batched_pair(op, x, spatial, |x| {
        let (input, output) = sizes(op, x, output_size)?;
        if let Some(kernel) = regular(&input, &output) {
            return with_windows(&kernel, |pool| max_pool_with_indices(op, spatial, x, pool));
        }
        let mut laid = Vec::with_capacity(spatial);
        let mut picked = x.detach();
        for (d, (&input, &output)) in input.iter().zip(&output).enumerate() {
            let kernel = (0..output).map(|o| end(input, output, o) - start(input, output, o)).max().unwrap_or(1);
            let last = |o: usize, k: usize| (start(input, output, o) + k).min(end(input, output, o) - 1) as i32;
            let index: Vec<i32> = (0..output).flat_map(|o| (0..kernel).map(move |k| last(o, k))).collect();
            if kernel > 1 || output != input {
                let index = Tensor::from_slice(&index, [index.len() as i64], x.device())?;
                picked = picked.index_select(2 + d as i64, &index)?;
            }
            laid.push(Laid { input, kernel, output });
        }
        let lead = x.shape().to_i64()[..2].to_vec();
        let apart = laid.iter().flat_map(|laid| [laid.output as i64, laid.kernel as i64]);
        let order = [0, 1]
            .into_iter()
            .chain((0..spatial as i64).map(|d| 2 + 2 * d))
            .chain((0..spatial as i64).map(|d| 3 + 2 * d));
        let whole = lead.iter().copied().chain(output.iter().map(|&size| size as i64));
        let (shape, window) = (whole.collect::<Vec<i64>>(), laid.iter().map(|laid| laid.kernel as i64).product());
        let picked = picked
            .reshape(lead.iter().copied().chain(apart).collect::<Vec<_>>())?
            .permute(order.collect::<Vec<_>>())?;
        let local = picked.reshape([&shape[..], &[window]].concat())?.argmax(-1, false)?;
        let indices = positions(op, &local, &laid, |d, o, k, number| {
            let (input, output) = (number(laid[d].input), number(laid[d].output));
            let start = &o * &input / &output;
            let end = ((o + 1.0) * input + &output - 1.0) / output;
            let position: Expr = start + k;
            position.lt(&end).select(&position, end - 1.0)
        })?;
        let count = output.iter().product::<usize>() as i64;
        let size = input.iter().product::<usize>() as i64;
        let values = x.reshape([lead[0], lead[1], size])?.gather(2, &indices.reshape([lead[0], lead[1], count])?)?;
        Ok((values.reshape(shape)?, indices))
    })
}

/// An input of these spatial sizes, with result sizes that divide it, that are smaller, and that
/// are larger.
fn sizes_of(input: &[i64]) -> Vec<Sample> {
    let x = |lead: &[i64]| samples::real(&[lead, input].concat(), -2.0, 2.0);
    let first = input[0];
    samples::calls([
        vec![x(&[2, 3]), samples::int(first / 2)],
        vec![x(&[2, 3]), samples::int(first - 1)],
        vec![x(&[3]), samples::int(first + 1)],
    ])
}

/// Means of `output_size` windows along one dimension, as
/// `torch.nn.functional.adaptive_avg_pool1d`.
///
/// Shapes: `self: [N, C, L]` or `[C, L]`, `result: [N, C, L_out]` or `[C, L_out]` with
/// `L_out = output_size`.
///
/// Windows and errors: as of [`adaptive_avg_pool2d`](Tensor::adaptive_avg_pool2d).
#[op(composite, "adaptive_avg_pool1d(Tensor self, int[] output_size) -> Tensor", opmath, samples = || sizes_of(&[8]))]
fn adaptive_avg_pool1d(x: &Tensor, output_size: &Ints) -> Result<Tensor> {
    mean("adaptive_avg_pool1d", 1, x, &output_size.into())
}

/// Means of `output_size` windows of an image, as `torch.nn.functional.adaptive_avg_pool2d`.
///
/// Shapes: `self: [N, C, H, W]` or `[C, H, W]`, `result: [N, C, H_out, W_out]` or
/// `[C, H_out, W_out]`. `output_size` is one number or one a dimension; `None` keeps the size of
/// the input. Window `o` covers the rows from `floor(o * H / H_out)` up to, but excluding,
/// `ceil((o + 1) * H / H_out)`, and columns likewise.
///
/// Errors: `dtype` if `self` is not floating point; `shape` if it has another number of dimensions,
/// or a spatial size of 0; `argument` if `output_size` has another number of elements, or a
/// negative one.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::arange(0.0, 5.0, 1)?.reshape([1, 1, 5])?;
/// let y = x.adaptive_avg_pool1d(2)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [1.0, 3.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "adaptive_avg_pool2d(Tensor self, int?[] output_size) -> Tensor",
    opmath,
    samples = || {
        let x = || samples::real(&[2, 3, 6, 8], -2.0, 2.0);
        samples::calls([
            vec![x(), samples::int(1)],
            vec![x(), samples::ints(&[3, 2])],
            vec![x(), samples::ints(&[4, 5])],
            vec![x(), samples::partial_ints(&[None, Some(3)])],
            vec![samples::real(&[3, 4, 4], -2.0, 2.0), samples::int(2)],
        ])
    }
)]
fn adaptive_avg_pool2d(x: &Tensor, output_size: &PartialInts) -> Result<Tensor> {
    mean("adaptive_avg_pool2d", 2, x, output_size)
}

/// Means of `output_size` windows of a volume, as `torch.nn.functional.adaptive_avg_pool3d`.
///
/// Shapes: `self: [N, C, D, H, W]` or `[C, D, H, W]`, `result: [N, C, D_out, H_out, W_out]` or
/// without `N`.
///
/// Windows and errors: as of [`adaptive_avg_pool2d`](Tensor::adaptive_avg_pool2d).
#[op(composite, "adaptive_avg_pool3d(Tensor self, int?[] output_size) -> Tensor", opmath, samples = || sizes_of(&[4, 5, 4]))]
fn adaptive_avg_pool3d(x: &Tensor, output_size: &PartialInts) -> Result<Tensor> {
    mean("adaptive_avg_pool3d", 3, x, output_size)
}

/// The largest values of `output_size` windows along one dimension, as
/// `torch.nn.functional.adaptive_max_pool1d`.
///
/// Shapes: `self: [N, C, L]` or `[C, L]`, `result: [N, C, L_out]` or `[C, L_out]` with
/// `L_out = output_size`.
///
/// Windows, errors and gradient: as of [`adaptive_max_pool2d`](Tensor::adaptive_max_pool2d).
#[op(composite, "adaptive_max_pool1d(Tensor self, int[] output_size) -> Tensor", samples = || sizes_of(&[8]))]
fn adaptive_max_pool1d(x: &Tensor, output_size: &Ints) -> Result<Tensor> {
    Ok(x.adaptive_max_pool1d_with_indices(output_size, true)?.0)
}

/// The largest values of `output_size` windows of an image, as
/// `torch.nn.functional.adaptive_max_pool2d`.
///
/// Shapes and windows: as of [`adaptive_avg_pool2d`](Tensor::adaptive_avg_pool2d).
///
/// Errors: `shape` if `self` has another number of dimensions, or a spatial size of 0; `argument`
/// if `output_size` has another number of elements, or a negative one.
///
/// Gradient: to the first largest element of each window.
#[op(composite, "adaptive_max_pool2d(Tensor self, int?[] output_size) -> Tensor", samples = || sizes_of(&[5, 4]))]
fn adaptive_max_pool2d(x: &Tensor, output_size: &PartialInts) -> Result<Tensor> {
    Ok(x.adaptive_max_pool2d_with_indices(output_size, true)?.0)
}

/// The largest values of `output_size` windows of a volume, as
/// `torch.nn.functional.adaptive_max_pool3d`.
///
/// Shapes: `self: [N, C, D, H, W]` or `[C, D, H, W]`, `result: [N, C, D_out, H_out, W_out]` or
/// without `N`.
///
/// Windows, errors and gradient: as of [`adaptive_max_pool2d`](Tensor::adaptive_max_pool2d).
#[op(composite, "adaptive_max_pool3d(Tensor self, int?[] output_size) -> Tensor", samples = || sizes_of(&[4, 5, 4]))]
fn adaptive_max_pool3d(x: &Tensor, output_size: &PartialInts) -> Result<Tensor> {
    Ok(x.adaptive_max_pool3d_with_indices(output_size, true)?.0)
}

/// [`adaptive_max_pool1d`](Tensor::adaptive_max_pool1d) with the int32 indices of the values along
/// the dimension (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one shape.
///
/// Errors: `argument` if `return_indices` is false; otherwise as of
/// [`adaptive_max_pool2d`](Tensor::adaptive_max_pool2d).
#[op(
    composite,
    "adaptive_max_pool1d.with_indices(Tensor self, int[] output_size, bool return_indices=True) -> (Tensor values, Tensor indices)",
    samples = || sizes_of(&[8])
)]
fn adaptive_max_pool1d_with_indices(x: &Tensor, output_size: &Ints, return_indices: bool) -> Result<(Tensor, Tensor)> {
    check_asked("adaptive_max_pool1d", return_indices)?;
    max("adaptive_max_pool1d", 1, x, &output_size.into())
}

/// [`adaptive_max_pool2d`](Tensor::adaptive_max_pool2d) with the int32 indices of the values in the
/// flattened image (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one shape.
///
/// Errors: `argument` if `return_indices` is false; otherwise as of
/// [`adaptive_max_pool2d`](Tensor::adaptive_max_pool2d).
#[op(
    composite,
    "adaptive_max_pool2d.with_indices(Tensor self, int?[] output_size, bool return_indices=True) -> (Tensor values, Tensor indices)",
    samples = || sizes_of(&[5, 4])
)]
fn adaptive_max_pool2d_with_indices(
    x: &Tensor,
    output_size: &PartialInts,
    return_indices: bool,
) -> Result<(Tensor, Tensor)> {
    check_asked("adaptive_max_pool2d", return_indices)?;
    max("adaptive_max_pool2d", 2, x, output_size)
}

/// [`adaptive_max_pool3d`](Tensor::adaptive_max_pool3d) with the int32 indices of the values in the
/// flattened volume (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one shape.
///
/// Errors: `argument` if `return_indices` is false; otherwise as of
/// [`adaptive_max_pool2d`](Tensor::adaptive_max_pool2d).
#[op(
    composite,
    "adaptive_max_pool3d.with_indices(Tensor self, int?[] output_size, bool return_indices=True) -> (Tensor values, Tensor indices)",
    samples = || sizes_of(&[4, 5, 4])
)]
fn adaptive_max_pool3d_with_indices(
    x: &Tensor,
    output_size: &PartialInts,
    return_indices: bool,
) -> Result<(Tensor, Tensor)> {
    check_asked("adaptive_max_pool3d", return_indices)?;
    max("adaptive_max_pool3d", 3, x, output_size)
}

pub(crate) static OPS: &[&Op] = &[
    &ADAPTIVE_AVG_POOL1D,
    &ADAPTIVE_AVG_POOL2D,
    &ADAPTIVE_AVG_POOL3D,
    &ADAPTIVE_MAX_POOL1D,
    &ADAPTIVE_MAX_POOL2D,
    &ADAPTIVE_MAX_POOL3D,
    &ADAPTIVE_MAX_POOL1D_WITH_INDICES,
    &ADAPTIVE_MAX_POOL2D_WITH_INDICES,
    &ADAPTIVE_MAX_POOL3D_WITH_INDICES,
];
