//! Average and power-average pooling: sums over windows, divided by the number of elements of each.

use crate::{
    Error, Ints, Result, Tensor,
    ops::{
        Op,
        leaf::{
            pooling::{Direction, Pool, Windows, sum_windows},
            sliding_window::{Slide, batched, per_dimension},
        },
    },
    samples::{self, Sample},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// The number of positions of each window in the input, or in the padded input, as a tensor that
/// broadcasts to the result.
fn counts(windows: &Windows, padded: bool, like: &Tensor) -> Result<Tensor> {
    let whole = |slide: &Slide| match padded {
        true => Slide { input: slide.input + 2 * slide.padding, padding: 0, ..*slide },
        false => *slide,
    };
    let windows = Windows { slides: windows.slides.iter().map(whole).collect() };
    let shape: Vec<i64> = [1, 1].into_iter().chain(windows.slides.iter().map(|slide| slide.input as i64)).collect();
    let ones = Tensor::ones_with(shape, like.dtype(), Some(like.device()))?;
    Ok(sum_windows("avg_pool", &ones, &Rc::new(windows), None, Direction::Gather))
}

pub(super) fn avg_pool(
    op: &'static str,
    spatial: usize,
    x: &Tensor,
    pool: &Pool<'_>,
    count_include_pad: bool,
    divisor_override: Option<i64>,
) -> Result<Tensor> {
    if !x.dtype().is_floating_point() {
        return Err(Error::dtype(op, format!("the mean of {} is not defined; convert with to()", x.dtype())));
    }
    if divisor_override == Some(0) {
        return Err(Error::argument(op, "divisor_override must not be 0"));
    }
    batched(op, x, spatial, |x| {
        let windows = pool.windows(op, &x.shape()[2..])?;
        let sums = sum_windows(op, x, &windows, None, Direction::Gather);
        let unpadded = windows.slides.iter().all(|slide| slide.padding == 0);
        match divisor_override {
            Some(divisor) => sums.div(divisor),
            // Every window lies inside of the counted region, so all have the same number of
            // elements.
            None if !pool.ceil_mode && (count_include_pad || unpadded) => {
                sums.div(windows.slides.iter().map(|slide| slide.kernel).product::<usize>() as f64)
            }
            None => sums.div(counts(&windows, count_include_pad, x)?),
        }
    })
}

/// Samples of pooling over an input with these spatial sizes.
fn pools(input: &[i64]) -> Vec<Sample> {
    let x = |lead: &[i64]| samples::real(&[lead, input].concat(), -2.0, 2.0);
    let yes = || samples::flag(true);
    let no = || samples::flag(false);
    samples::calls([
        vec![x(&[2, 3]), samples::int(2)],
        vec![x(&[3]), samples::int(3), samples::int(2), samples::int(1)],
        vec![x(&[2, 2]), samples::int(3), samples::int(2), samples::int(1), no(), no()],
        vec![x(&[1, 2]), samples::int(3), samples::int(2), samples::int(1), yes(), yes()],
        vec![x(&[1, 2]), samples::int(3), samples::int(2), samples::int(1), yes(), no()],
    ])
}

/// Average pooling of a signal, as `torch.nn.functional.avg_pool1d`.
///
/// `self: [N, C, L]` or `[C, L]`; the result is `[N, C, L_out]` or `[C, L_out]`. The formula of
/// `L_out`, the options and the errors are as in [`avg_pool2d`](Tensor::avg_pool2d).
#[op(
    composite,
    "avg_pool1d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor",
    opmath,
    samples = || pools(&[8])
)]
fn avg_pool1d(
    x: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    ceil_mode: bool,
    count_include_pad: bool,
) -> Result<Tensor> {
    let pool = Pool { kernel: kernel_size, stride, padding, dilation: &1.into(), ceil_mode };
    avg_pool("avg_pool1d", 1, x, &pool, count_include_pad, None)
}

/// Average pooling of an image, as `torch.nn.functional.avg_pool2d`.
///
/// `self: [N, C, H, W]` or `[C, H, W]`; the result is `[N, C, H_out, W_out]` or `[C, H_out, W_out]`
/// with `H_out = floor((H + 2 * padding - kernel_size) / stride) + 1`, and `W_out` alike. With
/// `ceil_mode` the quotient is rounded up, but no window starts in the padding after the input.
/// `kernel_size`, `stride` and `padding` are one number or one for each dimension; `stride` is
/// `kernel_size` where it is empty. The mean counts padding as zeros, or without
/// `count_include_pad` only elements of the input; `divisor_override` is a divisor in place of
/// their number.
///
/// Errors: `dtype` if `self` is not floating point; `shape` if it has another number of dimensions
/// or the result would be empty; `argument` if `kernel_size` or `stride` is below 1, `padding`
/// negative or more than half of `kernel_size`, a list of the wrong length, or `divisor_override`
/// is 0.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::arange(0.0, 16.0, 1)?.reshape([1, 1, 4, 4])?;
/// let y = x.avg_pool2d(2, [], 0, false, true, None)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [2.5, 4.5, 10.5, 12.5]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "avg_pool2d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    opmath,
    samples = || {
        let mut all = pools(&[8, 7]);
        let x = samples::real(&[1, 2, 5, 6], -2.0, 2.0);
        all.extend(samples::calls([vec![
            x,
            samples::ints(&[3, 2]),
            samples::ints(&[1, 2]),
            samples::ints(&[1, 0]),
            samples::flag(false),
            samples::flag(true),
            samples::int(5),
        ]]));
        all
    }
)]
fn avg_pool2d(
    x: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Option<i64>,
) -> Result<Tensor> {
    let pool = Pool { kernel: kernel_size, stride, padding, dilation: &1.into(), ceil_mode };
    avg_pool("avg_pool2d", 2, x, &pool, count_include_pad, divisor_override)
}

/// Average pooling of a volume, as `torch.nn.functional.avg_pool3d`.
///
/// `self: [N, C, D, H, W]` or `[C, D, H, W]`; the result is `[N, C, D_out, H_out, W_out]` or the
/// same without `N`. The formula of the sizes, the options and the errors are as in
/// [`avg_pool2d`](Tensor::avg_pool2d).
#[op(
    composite,
    "avg_pool3d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    opmath,
    samples = || pools(&[4, 5, 4])
)]
fn avg_pool3d(
    x: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Option<i64>,
) -> Result<Tensor> {
    let pool = Pool { kernel: kernel_size, stride, padding, dilation: &1.into(), ceil_mode };
    avg_pool("avg_pool3d", 3, x, &pool, count_include_pad, divisor_override)
}

/// `sum(x^p)^(1 / p)` over each window, from its mean.
fn lp_pool(op: &'static str, spatial: usize, x: &Tensor, norm_type: f64, pool: &Pool<'_>) -> Result<Tensor> {
    let kernel_size = per_dimension(op, "kernel_size", pool.kernel, spatial, 1)?;
    if norm_type == 0.0 || norm_type.is_nan() {
        return Err(Error::argument(op, format!("norm_type must be a number other than 0, not {norm_type}")));
    }
    let (kernel, stride, ceil_mode) = (pool.kernel, pool.stride, pool.ceil_mode);
    // Operations and not kernels, so that an exported program has them.
    let largest = |x: &Tensor| match spatial {
        1 => x.max_pool1d(kernel, stride, 0, 1, ceil_mode),
        2 => x.max_pool2d(kernel, stride, 0, 1, ceil_mode),
        _ => x.max_pool3d(kernel, stride, 0, 1, ceil_mode),
    };
    let mean = |x: &Tensor| match spatial {
        1 => x.avg_pool1d(kernel, stride, 0, ceil_mode, true),
        2 => x.avg_pool2d(kernel, stride, 0, ceil_mode, true, None),
        _ => x.avg_pool3d(kernel, stride, 0, ceil_mode, true, None),
    };
    let named = |error: Error| error.in_op(op);
    if norm_type.is_infinite() {
        let sizes = x.abs()?;
        return match norm_type > 0.0 {
            true => largest(&sizes).map_err(named),
            false => largest(&sizes.neg()?).map_err(named)?.neg(),
        };
    }
    let means = mean(&x.pow(norm_type)?).map_err(named)?;
    // The derivative of `relu` at 0 makes the gradient of a sum of 0 0.
    let elements = kernel_size.iter().product::<usize>() as f64;
    means.sign()?.mul(means.abs()?.relu()?)?.mul(elements)?.pow(1.0 / norm_type)
}

/// Power-average pooling of a signal, as `torch.nn.functional.lp_pool1d`: `sum(x^p)^(1 / p)` over
/// each window, where `p` is `norm_type`.
///
/// `self: [N, C, L]` or `[C, L]`; the result is `[N, C, L_out]` or `[C, L_out]`, with `L_out`,
/// `stride` and `ceil_mode` as in [`avg_pool2d`](Tensor::avg_pool2d) without padding. The result of
/// a negative sum, which is possible for an odd `p`, is NaN. An infinite `p` takes the largest
/// magnitude of each window, and a negative infinite one the smallest. The gradient of a sum of 0
/// is 0.
///
/// Integers are converted to float32.
///
/// Errors: `shape` if `self` has another number of dimensions or the result would be empty;
/// `argument` if `norm_type` is 0, or if `kernel_size` or `stride` is below 1 or has the wrong
/// length.
#[op(
    composite,
    "lp_pool1d(Tensor self, float norm_type, int[] kernel_size, int[] stride=[], bool ceil_mode=False) -> Tensor",
    opmath,
    samples = || samples::calls([
        vec![samples::real(&[2, 3, 8], 0.2, 2.0), samples::float(2.0), samples::int(2)],
        vec![samples::real(&[3, 8], 0.2, 2.0), samples::float(3.0), samples::int(3), samples::int(2), samples::flag(true)],
    ])
)]
fn lp_pool1d(x: &Tensor, norm_type: f64, kernel_size: &Ints, stride: &Ints, ceil_mode: bool) -> Result<Tensor> {
    lp_pool(
        "lp_pool1d",
        1,
        x,
        norm_type,
        &Pool { kernel: kernel_size, stride, padding: &0.into(), dilation: &1.into(), ceil_mode },
    )
}

/// Power-average pooling of an image, as `torch.nn.functional.lp_pool2d`; see
/// [`lp_pool1d`](Tensor::lp_pool1d), which has the formula and the errors.
///
/// `self: [N, C, H, W]` or `[C, H, W]`; the result is `[N, C, H_out, W_out]` or
/// `[C, H_out, W_out]`.
#[op(
    composite,
    "lp_pool2d(Tensor self, float norm_type, int[] kernel_size, int[] stride=[], bool ceil_mode=False) -> Tensor",
    opmath,
    samples = || samples::calls([
        vec![samples::real(&[2, 3, 5, 4], 0.2, 2.0), samples::float(2.0), samples::int(2)],
        vec![samples::real(&[2, 5, 4], 0.2, 2.0), samples::float(3.0), samples::ints(&[3, 2]), samples::int(1)],
    ])
)]
fn lp_pool2d(x: &Tensor, norm_type: f64, kernel_size: &Ints, stride: &Ints, ceil_mode: bool) -> Result<Tensor> {
    lp_pool(
        "lp_pool2d",
        2,
        x,
        norm_type,
        &Pool { kernel: kernel_size, stride, padding: &0.into(), dilation: &1.into(), ceil_mode },
    )
}

/// Power-average pooling of a volume, as `torch.nn.functional.lp_pool3d`; see
/// [`lp_pool1d`](Tensor::lp_pool1d), which has the formula and the errors.
///
/// `self: [N, C, D, H, W]` or `[C, D, H, W]`; the result is `[N, C, D_out, H_out, W_out]` or the
/// same without `N`.
#[op(
    composite,
    "lp_pool3d(Tensor self, float norm_type, int[] kernel_size, int[] stride=[], bool ceil_mode=False) -> Tensor",
    opmath,
    samples = || samples::calls([
        vec![samples::real(&[2, 3, 4, 5, 4], 0.2, 2.0), samples::float(2.0), samples::int(2)],
        vec![samples::real(&[2, 3, 5, 4], 0.2, 2.0), samples::float(3.0), samples::ints(&[2, 3, 2]), samples::int(1)],
    ])
)]
fn lp_pool3d(x: &Tensor, norm_type: f64, kernel_size: &Ints, stride: &Ints, ceil_mode: bool) -> Result<Tensor> {
    lp_pool(
        "lp_pool3d",
        3,
        x,
        norm_type,
        &Pool { kernel: kernel_size, stride, padding: &0.into(), dilation: &1.into(), ceil_mode },
    )
}

pub(crate) static OPS: &[&Op] = &[&AVG_POOL1D, &AVG_POOL2D, &AVG_POOL3D, &LP_POOL1D, &LP_POOL2D, &LP_POOL3D];
