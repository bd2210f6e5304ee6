//! Max pooling, with the indices of the largest values on request.

use super::{Direction, Pool, Windows, sum_windows};
use crate::{
    DType, Error, Ints, Result, Tensor,
    autograd::{Derivative, attach},
    ops::{
        Op,
        leaf::sliding_window::{Slide, batched},
        pointwise::launch,
    },
    samples::{self, Sample},
};
use lanthorn_ir::{
    expr::{Constant, Expr, Type},
    kernel::ReduceOp,
};
use lanthorn_macros::op;
use std::rc::Rc;

fn max_pool(op: &'static str, spatial: usize, x: &Tensor, pool: &Pool<'_>) -> Result<Tensor> {
    batched(op, x, spatial, |x| {
        if x.shape()[1] == 0 {
            return Err(Error::shape(op, format!("an input of shape {} has no channels", x.shape())));
        }
        let windows = pool.windows(op, &x.shape()[2..])?;
        let output = windows.largest_values(op, x);
        let derivative: Derivative = Rc::new(move |grad, saved| {
            let index = taps("max_pool_backward", &saved[0], &windows)?;
            Ok(vec![Some(sum_windows("max_pool_backward", grad, &windows, Some(&index), Direction::Spread))])
        });
        attach(op, &output, &[x], &[x], derivative);
        Ok(output)
    })
}

/// The windows of one spatial dimension, as the computation of the indices needs them.
pub(crate) struct Laid {
    /// The size of the input.
    pub input: usize,
    /// The number of taps.
    pub kernel: usize,
    /// The number of windows.
    pub output: usize,
}

/// The int32 indices into the flattened input for the taps `local`. `along` returns for dimension
/// `d` the input position of tap `k` of window `o`, all int32. Its last argument, a function, turns
/// sizes into kernel parameters, so that shaders do not depend on them.
pub(crate) fn positions(
    op: &'static str,
    local: &Tensor,
    laid: &[Laid],
    along: impl Fn(usize, Expr, Expr, &mut dyn FnMut(usize) -> Expr) -> Expr,
) -> Result<Tensor> {
    let mut params = Vec::new();
    let mut number = |value: usize| {
        params.push(Constant::I32(value as i32).into());
        Expr::param(params.len() - 1, Type::I32)
    };
    let (mut window, mut within) = (Expr::index().cast(Type::I32), Expr::input(0, Type::I32));
    let (mut position, mut below) = (None, 1);
    for (d, laid) in laid.iter().enumerate().rev() {
        let (outputs, kernel) = (number(laid.output), number(laid.kernel));
        let (o, k) = (window.remainder(&outputs), within.remainder(&kernel));
        (window, within) = (window / outputs, within / kernel);
        let here = along(d, o, k, &mut number);
        position = Some(match position {
            Some(position) => here * number(below) + position,
            None => here,
        });
        below *= laid.input;
    }
    let position = position.unwrap_or(within).simplify();
    launch(op, &position, std::slice::from_ref(local), &params, DType::I32, local.shape(), local.device())
}

/// The number of the tap with the first largest value of each window. Where all elements are the
/// least number of their type, the reduction names the first tap, also in the padding: the result
/// is then the first tap inside.
fn taps(op: &'static str, x: &Tensor, windows: &Windows) -> Result<Tensor> {
    let local = windows.largest(op, x, ReduceOp::ArgMax);
    let slides = &windows.slides;
    if slides.iter().all(|slide| slide.padding == 0) {
        return Ok(local);
    }
    positions(op, &local, &lay(slides, |slide| slide.kernel), |d, o, k, number| {
        let slide = &slides[d];
        let outside = number(slide.padding) - o * number(slide.stride);
        let dilation = number(slide.dilation);
        let first = (outside + &dilation - 1.0) / dilation;
        k.lt(&first).select(first, &k)
    })
}

/// The slides as [`positions`] takes them, with positions in lines of `size`.
fn lay(slides: &[Slide], size: impl Fn(&Slide) -> usize) -> Vec<Laid> {
    slides.iter().map(|slide| Laid { input: size(slide), kernel: slide.kernel, output: slide.output }).collect()
}

/// The largest values and their indices in the flattened input.
pub(crate) fn max_pool_with_indices(
    op: &'static str,
    spatial: usize,
    x: &Tensor,
    pool: &Pool<'_>,
) -> Result<(Tensor, Tensor)> {
    let values = max_pool(op, spatial, x, pool)?;
    let indices = batched(op, x, spatial, |x| {
        let windows = pool.windows(op, &x.shape()[2..])?;
        let local = taps(op, &x.detach(), &windows)?;
        let slides = &windows.slides;
        positions(op, &local, &lay(slides, |slide| slide.input), |d, o, k, number| {
            let slide = &slides[d];
            o * number(slide.stride) + k * number(slide.dilation) - number(slide.padding)
        })
    })?;
    Ok((values, indices))
}

/// Samples of poolings over an input of these spatial sizes.
fn pools(input: &[i64]) -> Vec<Sample> {
    let x = |lead: &[i64]| samples::real(&[lead, input].concat(), -2.0, 2.0);
    samples::calls([
        vec![x(&[2, 3]), samples::int(2)],
        vec![x(&[3]), samples::int(3), samples::int(2), samples::int(1)],
        vec![x(&[2, 2]), samples::int(2), samples::int(1), samples::int(1), samples::int(2)],
        vec![x(&[1, 2]), samples::int(3), samples::int(2), samples::int(0), samples::int(1), samples::flag(true)],
    ])
}

/// The largest value of each window along one dimension, as `torch.nn.functional.max_pool1d`.
///
/// Shapes: `self: [N, C, L]` or `[C, L]`, `result: [N, C, L_out]` or `[C, L_out]` with `L_out` as
/// of [`max_pool2d`](Tensor::max_pool2d).
///
/// Arguments, errors and gradient: as of [`max_pool2d`](Tensor::max_pool2d).
#[op(
    composite,
    "max_pool1d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False) -> Tensor",
    samples = || pools(&[8])
)]
fn max_pool1d(
    x: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    dilation: &Ints,
    ceil_mode: bool,
) -> Result<Tensor> {
    max_pool("max_pool1d", 1, x, &Pool { kernel: kernel_size, stride, padding, dilation, ceil_mode })
}

/// The largest value of each window of an image, as `torch.nn.functional.max_pool2d`; NaN if a
/// window contains NaN.
///
/// Shapes: `self: [N, C, H, W]` or `[C, H, W]`, `result: [N, C, H_out, W_out]` or
/// `[C, H_out, W_out]` with
/// `H_out = floor((H + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1`, and `W_out`
/// likewise. `ceil_mode` rounds up instead, without windows that begin in the padding on the right.
/// Each argument is one number or one a dimension; `stride` is `kernel_size` by default. Padding
/// never is the largest value.
///
/// Errors: `shape` if `self` has another number of dimensions, no channels, or is smaller than the
/// window; `argument` if an argument has another number of elements or one that is too small
/// (`padding` below 0, the others below 1), or if `padding` is larger than half of the window.
///
/// Gradient: to the first largest element of each window.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::arange(0.0, 16.0, 1)?.reshape([1, 1, 4, 4])?;
/// let y = x.max_pool2d(2, [], 0, 1, false)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [5.0, 7.0, 13.0, 15.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "max_pool2d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False) -> Tensor",
    samples = || {
        let mut all = pools(&[8, 7]);
        all.extend(samples::calls([
            vec![samples::tensor(&[2, 2, 5, 6], DType::I32, -9.0, 9.0), samples::ints(&[3, 2]), samples::ints(&[1, 2]), samples::ints(&[1, 0])],
            vec![samples::tensor(&[1, 2, 4, 4], DType::U8, 0.0, 9.0), samples::int(2), samples::int(1), samples::int(1)],
        ]));
        all
    }
)]
fn max_pool2d(
    x: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    dilation: &Ints,
    ceil_mode: bool,
) -> Result<Tensor> {
    max_pool("max_pool2d", 2, x, &Pool { kernel: kernel_size, stride, padding, dilation, ceil_mode })
}

/// The largest value of each window of a volume, as `torch.nn.functional.max_pool3d`.
///
/// Shapes: `self: [N, C, D, H, W]` or `[C, D, H, W]`, `result: [N, C, D_out, H_out, W_out]` or
/// without `N`, with sizes as of [`max_pool2d`](Tensor::max_pool2d).
///
/// Arguments, errors and gradient: as of [`max_pool2d`](Tensor::max_pool2d).
#[op(
    composite,
    "max_pool3d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False) -> Tensor",
    samples = || pools(&[4, 5, 4])
)]
fn max_pool3d(
    x: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    dilation: &Ints,
    ceil_mode: bool,
) -> Result<Tensor> {
    max_pool("max_pool3d", 3, x, &Pool { kernel: kernel_size, stride, padding, dilation, ceil_mode })
}

/// Refuses `return_indices=False`: this overload is selected by the argument.
pub(crate) fn check_asked(op: &str, return_indices: bool) -> Result<()> {
    if return_indices {
        return Ok(());
    }
    Err(Error::argument(op, "return_indices is true here; leave it out for the values alone"))
}

/// [`max_pool1d`](Tensor::max_pool1d) with the int32 indices of the values along the dimension
/// (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one shape.
///
/// Errors: `argument` if `return_indices` is false; otherwise as of
/// [`max_pool2d`](Tensor::max_pool2d).
#[op(
    composite,
    "max_pool1d.with_indices(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False, bool return_indices=True) -> (Tensor values, Tensor indices)",
    samples = || pools(&[8])
)]
fn max_pool1d_with_indices(
    x: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    dilation: &Ints,
    ceil_mode: bool,
    return_indices: bool,
) -> Result<(Tensor, Tensor)> {
    check_asked("max_pool1d", return_indices)?;
    max_pool_with_indices("max_pool1d", 1, x, &Pool { kernel: kernel_size, stride, padding, dilation, ceil_mode })
}

/// [`max_pool2d`](Tensor::max_pool2d) with the int32 indices of the values in the flattened image
/// (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one shape.
///
/// Errors: `argument` if `return_indices` is false; otherwise as of
/// [`max_pool2d`](Tensor::max_pool2d).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::arange(0.0, 16.0, 1)?.reshape([1, 1, 4, 4])?;
/// let (_, indices) = x.max_pool2d_with_indices(2, [], 0, 1, false, true)?;
/// assert_eq!(pollster::block_on(indices.to_vec::<i32>())?, [5, 7, 13, 15]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "max_pool2d.with_indices(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False, bool return_indices=True) -> (Tensor values, Tensor indices)",
    samples = || pools(&[8, 7])
)]
fn max_pool2d_with_indices(
    x: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    dilation: &Ints,
    ceil_mode: bool,
    return_indices: bool,
) -> Result<(Tensor, Tensor)> {
    check_asked("max_pool2d", return_indices)?;
    max_pool_with_indices("max_pool2d", 2, x, &Pool { kernel: kernel_size, stride, padding, dilation, ceil_mode })
}

/// [`max_pool3d`](Tensor::max_pool3d) with the int32 indices of the values in the flattened volume
/// (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one shape.
///
/// Errors: `argument` if `return_indices` is false; otherwise as of
/// [`max_pool2d`](Tensor::max_pool2d).
#[op(
    composite,
    "max_pool3d.with_indices(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False, bool return_indices=True) -> (Tensor values, Tensor indices)",
    samples = || pools(&[4, 5, 4])
)]
fn max_pool3d_with_indices(
    x: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    dilation: &Ints,
    ceil_mode: bool,
    return_indices: bool,
) -> Result<(Tensor, Tensor)> {
    check_asked("max_pool3d", return_indices)?;
    max_pool_with_indices("max_pool3d", 3, x, &Pool { kernel: kernel_size, stride, padding, dilation, ceil_mode })
}

pub(crate) static OPS: &[&Op] = &[
    &MAX_POOL1D,
    &MAX_POOL2D,
    &MAX_POOL3D,
    &MAX_POOL1D_WITH_INDICES,
    &MAX_POOL2D_WITH_INDICES,
    &MAX_POOL3D_WITH_INDICES,
];
