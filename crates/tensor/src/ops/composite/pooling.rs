//! Average pooling: sums over windows, divided by how many elements each has.

use crate::{
    Error, Ints, Result, Tensor,
    ops::{
        Op,
        leaf::{
            pooling::{Direction, Pool, Windows, sum_windows},
            slide::{Slide, batched, per_dimension},
        },
    },
    samples::{self, Sample},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// How many places of each window count, as a tensor that broadcasts to the result: those inside of the input, or of the padded input.
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

fn avg_pool(
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
            // Every window lies inside of what counts, so all have the same number of elements.
            None if !pool.ceil_mode && (count_include_pad || unpadded) => {
                sums.div(windows.slides.iter().map(|slide| slide.kernel).product::<usize>() as f64)
            }
            None => sums.div(counts(&windows, count_include_pad, x)?),
        }
    })
}

/// Samples of poolings over an input of these spatial sizes.
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

/// The mean of each window along one dimension, as `torch.nn.functional.avg_pool1d`; see [`avg_pool2d`](Tensor::avg_pool2d).
///
/// `x: [N, C, L]` or `[C, L]`.
#[op(
    composite,
    "avg_pool1d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor",
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

/// The mean of each window of an image, as `torch.nn.functional.avg_pool2d`.
///
/// `x: [N, C, H, W]` or `[C, H, W]`; the result is `[N, C, H', W']` with `H' = (H + 2 padding - kernel_size) / stride + 1`, rounded up with `ceil_mode`. Padding
/// counts as zeros unless `count_include_pad` is false; `divisor_override` divides in place of the number of elements.
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

/// The matrix `[output, input]` that averages: output `o` is the mean of the inputs from `floor(o * input / output)` up to `ceil((o + 1) * input / output)`.
fn averages(input: usize, output: usize, like: &Tensor) -> Result<Tensor> {
    let (input, output) = (input as i64, output as i64);
    let range = |count: i64| Tensor::arange_with(0, count, 1, None, Some(like.device()));
    let (first, place) = (range(output)?.mul(input)?.unsqueeze(1)?, range(input)?.mul(output)?);
    let belongs = place.gt(first.sub(output)?)?.logical_and(&place.lt(first.add(input)?)?)?.to(like.dtype())?;
    belongs.div(belongs.sum(1, true)?)
}

/// Means of windows that are laid so that the result has `output_size`, as `torch.nn.functional.adaptive_avg_pool2d`.
///
/// `x: [N, C, H, W]` or `[C, H, W]`; `output_size` is one number or one a dimension. Output `o` of `n` is the mean of the places from
/// `floor(o * size / n)` up to `ceil((o + 1) * size / n)`.
#[op(
    composite,
    "adaptive_avg_pool2d(Tensor self, int[] output_size) -> Tensor",
    samples = || {
        let x = || samples::real(&[2, 3, 6, 8], -2.0, 2.0);
        samples::calls([
            vec![x(), samples::int(1)],
            vec![x(), samples::ints(&[3, 2])],
            vec![x(), samples::ints(&[4, 5])],
            vec![samples::real(&[3, 4, 4], -2.0, 2.0), samples::int(2)],
        ])
    }
)]
fn adaptive_avg_pool2d(x: &Tensor, output_size: &Ints) -> Result<Tensor> {
    let op = "adaptive_avg_pool2d";
    let output = per_dimension(op, "output_size", output_size, 2, 1)?;
    batched(op, x, 2, |x| {
        let input = [x.shape()[2], x.shape()[3]];
        if (0..2).all(|d| input[d] > 0 && input[d].is_multiple_of(output[d])) {
            let kernel: Vec<i64> = (0..2).map(|d| (input[d] / output[d]) as i64).collect();
            return x.avg_pool2d(kernel, [], 0, false, true, None).map_err(|error| error.in_op(op));
        }
        if input.contains(&0) {
            return Err(Error::shape(op, format!("an input of shape {} has no mean", x.shape())));
        }
        let along = |d: usize| averages(input[d], output[d], x);
        along(0)?.matmul(x).and_then(|rows| rows.matmul(&along(1)?.transpose(0, 1)?)).map_err(|error| error.in_op(op))
    })
}

pub(crate) static OPS: &[&Op] = &[&AVG_POOL1D, &AVG_POOL2D, &ADAPTIVE_AVG_POOL2D];
