//! Histograms.

use crate::{
    DType, Error, Operand, Result, Scalar, Tensor,
    ops::{Op, composite::like::floating},
    samples,
};
use lanthorn_macros::op;

/// The number of elements in each of `bins` bins of equal width from `min` to `max`, as
/// `torch.histc`. If `min` equals `max`, the range is the range of the elements. The last bin
/// includes its upper edge; elements outside of the range and NaN are not counted.
///
/// Shapes: `self: [*]`, `result: [bins]` in the type of `self`, or float32 for integers.
///
/// Errors: `argument` if `bins` is not positive, `min` is larger than `max`, or one of them is not
/// finite.
///
/// Gradient: none.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 1.0, 3.0], [4], &device)?;
/// assert_eq!(pollster::block_on(x.histc(3, 1, 4)?.to_vec::<f32>())?, [2.0, 1.0, 1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[40], -2.0, 2.0), samples::int(7)],
        vec![samples::real(&[5, 8], -2.0, 2.0), samples::int(3), samples::float(-1.0), samples::float(1.0)],
        vec![samples::real(&[0], -2.0, 2.0), samples::int(3)],
    ])
)]
fn histc(x: &Tensor, bins: i64, min: Scalar, max: Scalar) -> Result<Tensor> {
    let (min, max) = (min.to_f64(), max.to_f64());
    if bins <= 0 {
        return Err(Error::argument("histc", format!("bins must be > 0, but got {bins}")));
    }
    if min > max || !min.is_finite() || !max.is_finite() {
        return Err(Error::argument(
            "histc",
            format!("the range from {min} to {max} is not one of finite numbers in order"),
        ));
    }
    let x = floating(&x.detach().reshape([-1])?)?;
    let counts = Tensor::zeros_with([bins], DType::I32, Some(x.device()))?;
    if x.numel() == 0 {
        return counts.to(x.dtype());
    }
    let number = |value: f64| Tensor::full_with([], value, x.dtype(), Some(x.device()));
    let (low, high) = if min < max {
        (number(min)?, number(max)?)
    } else {
        let (low, high) = (x.amin((), false)?, x.amax((), false)?);
        // If all elements are equal, the range is widened around them.
        let margin = low.eq(&high)?.to(x.dtype())?;
        (low.sub(&margin)?, high.add(&margin)?)
    };
    let inside = x.ge(&low)?.logical_and(&x.le(&high)?)?;
    let position = x.sub(&low)?.mul(bins as f64)?.div(high.sub(&low)?)?;
    let position = Tensor::r#where(&inside, position, 0.0)?.to(DType::I32)?.clamp_max(bins - 1)?;
    counts.scatter_add(0, &position, &inside.to(DType::I32)?)?.to(x.dtype())
}

/// The number of occurrences of each integer from 0 to the largest element, as `torch.bincount`.
/// With `weights`, the sum of the weights of the occurrences. The result has at least `minlength`
/// elements.
///
/// Shapes: `self: [n]`, `weights: [n]`, `result: [k]` with
/// `k = max(largest element + 1, minlength)`. Without `weights` it is int32 (PyTorch: int64), with
/// floating-point ones of their type, and with integer ones float64, or float32 on a device without
/// float64. The largest element is read on the host, so the result is awaited.
///
/// Errors: `argument` if `self` is not a vector of integers, has a negative element, or `minlength`
/// is negative; `shape` if `weights` has another shape.
///
/// Gradient: none.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1, 3, 1], [3], &device)?;
/// assert_eq!(pollster::block_on(pollster::block_on(x.bincount(None, 0))?.to_vec::<i32>())?, [0, 2, 0, 1]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor",
    samples = || samples::calls([
        vec![samples::index(&[40], 7)],
        vec![samples::index(&[40], 7), samples::real(&[40], -2.0, 2.0), samples::int(9)],
        vec![samples::index(&[0], 7), samples::NONE, samples::int(3)],
    ])
)]
async fn bincount(x: &Tensor, weights: Option<&Tensor>, minlength: i64) -> Result<Tensor> {
    if x.rank() != 1 || x.dtype().is_floating_point() || x.dtype() == DType::Bool {
        let message =
            format!("only supports 1-d non-negative integral inputs, not {} of shape {}", x.dtype(), x.shape());
        return Err(Error::argument("bincount", message));
    }
    if minlength < 0 {
        return Err(Error::argument("bincount", "minlength should be >= 0"));
    }
    if let Some(weights) = weights.filter(|weights| weights.shape() != x.shape()) {
        return Err(Error::shape(
            "bincount",
            format!("weights of shape {} for numbers of shape {}", weights.shape(), x.shape()),
        ));
    }
    let x = x.to(DType::I32)?;
    let weights = match weights {
        None => x.full_like(1)?,
        Some(weights) if weights.dtype().is_floating_point() => weights.detach(),
        Some(weights) => {
            let wide = x.device().capabilities().dtypes.contains(&DType::F64);
            weights.to(if wide { DType::F64 } else { DType::F32 })?
        }
    };
    let mut size = minlength;
    if x.numel() > 0 {
        let extremes = Tensor::stack(&[x.amin((), false)?, x.amax((), false)?], 0)?.to_vec::<i32>().await?;
        if extremes[0] < 0 {
            return Err(Error::argument(
                "bincount",
                format!("only supports 1-d non-negative integral inputs, not {}", extremes[0]),
            ));
        }
        size = size.max(i64::from(extremes[1]) + 1);
    }
    Tensor::zeros_with([size], weights.dtype(), Some(x.device()))?.scatter_add(0, &x, &weights)
}

/// The number of elements in each of `bins` bins of equal width, and the edges of the bins, as
/// `torch.histogram`. `range` has the first and the last edge; by default it is the range of the
/// elements. A bin includes its lower edge, and the last one also its upper edge; elements outside
/// of the range and NaN are not counted.
///
/// Shapes: `self: [*]`, `hist: [bins]`, `bin_edges: [bins + 1]`, both in the type of `self`. With
/// `weight`, in the shape and type of `self`, the result has sums of weights instead of numbers.
/// `density` divides by the total and by the width of the bin.
///
/// Errors: `dtype` if `self` is not floating point; `argument` if `bins` is not positive or `range`
/// is not two finite numbers in order; `shape` if `weight` does not fit or has another type.
///
/// Gradient: none.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 1.0], [3], &device)?;
/// let (counts, edges) = x.histogram_with(4, Some(&[0.0, 3.0]), None, false)?;
/// assert_eq!(pollster::block_on(counts.to_vec::<f32>())?, [0.0, 2.0, 1.0, 0.0]);
/// assert_eq!(pollster::block_on(edges.to_vec::<f32>())?, [0.0, 0.75, 1.5, 2.25, 3.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "histogram(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
    samples = || samples::calls([
        vec![samples::real(&[40], -2.0, 2.0), samples::int(7)],
        vec![samples::real(&[5, 8], -2.0, 2.0), samples::int(3), samples::floats(&[-1.0, 1.5]), samples::real(&[5, 8], 0.0, 1.0), samples::flag(true)],
        vec![samples::real(&[0], -2.0, 2.0), samples::int(3)],
    ])
)]
fn histogram(
    x: &Tensor,
    bins: i64,
    range: Option<&[f64]>,
    weight: Option<&Tensor>,
    density: bool,
) -> Result<(Tensor, Tensor)> {
    let op = "histogram";
    if bins <= 0 {
        return Err(Error::argument(op, format!("bins must be positive, not {bins}")));
    }
    let x = require_float(op, x)?;
    let [low, high]: [Operand; 2] = match range {
        Some(&[low, high]) if low <= high && (high - low).is_finite() => {
            let margin = if low == high { 0.5 } else { 0.0 };
            [Operand::from(low - margin), Operand::from(high + margin)]
        }
        Some(range) => return Err(Error::argument(op, format!("range is two finite numbers in order, not {range:?}"))),
        None if x.numel() == 0 => [Operand::from(0.0), Operand::from(1.0)],
        None => {
            let (low, high) = (x.amin((), false)?, x.amax((), false)?);
            // If all elements are equal, the range is widened around them.
            let margin = low.eq(&high)?.to(x.dtype())?.mul(0.5)?;
            [low.sub(&margin)?.into(), high.add(&margin)?.into()]
        }
    };
    let edges = Tensor::linspace_with(low, high, bins.saturating_add(1), x.dtype(), Some(x.device()))?;
    count(op, &x, edges, weight, density)
}

/// [`histogram`](Tensor::histogram) with the edges of the bins in the vector `bins`, in ascending
/// order, which is not checked.
///
/// Shapes: `bins: [k]`, `hist: [k - 1]`, `bin_edges: [k]`.
///
/// Errors: `argument` if `bins` is not a vector of the type of `self`, or is empty; otherwise as of
/// [`histogram`](Tensor::histogram).
#[op(
    composite,
    "histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
    samples = || {
        let edges = samples::SampleArg::Tensor(samples::spec(&[4], DType::F32, -1.0, 1.0));
        samples::calls([vec![samples::real(&[40], -2.0, 2.0), edges]])
    }
)]
fn histogram_bins_tensor(
    x: &Tensor,
    bins: &Tensor,
    weight: Option<&Tensor>,
    density: bool,
) -> Result<(Tensor, Tensor)> {
    let op = "histogram";
    let x = require_float(op, x)?;
    if bins.rank() != 1 || bins.numel() == 0 || bins.dtype() != x.dtype() {
        let message =
            format!("bins is a vector of edges of type {}, not {} of shape {}", x.dtype(), bins.dtype(), bins.shape());
        return Err(Error::argument(op, message));
    }
    count(op, &x, bins.detach(), weight, density)
}

/// The elements, detached from the graph.
fn require_float(op: &str, x: &Tensor) -> Result<Tensor> {
    if x.dtype().is_floating_point() {
        return x.detach().reshape([-1]);
    }
    Err(Error::dtype(op, format!("takes a floating-point tensor, not {}", x.dtype())))
}

/// The weights of the elements between neighbouring `edges`, and `edges`.
fn count(op: &str, x: &Tensor, edges: Tensor, weight: Option<&Tensor>, density: bool) -> Result<(Tensor, Tensor)> {
    let bins = edges.numel() as i64 - 1;
    let weight = match weight {
        None => x.ones_like()?,
        Some(weight) if weight.numel() == x.numel() && weight.dtype() == x.dtype() => weight.detach().reshape([-1])?,
        Some(weight) => {
            let message = format!(
                "weight is as self: {} {} for {} elements of {}",
                weight.dtype(),
                weight.shape(),
                x.numel(),
                x.dtype()
            );
            return Err(Error::shape(op, message));
        }
    };
    let mut counts = Tensor::zeros_with([bins], x.dtype(), Some(x.device()))?;
    if bins > 0 {
        let inside = x.ge(edges.select(0, 0)?)?.logical_and(&x.le(edges.select(0, -1)?)?)?;
        let position = x.bucketize_with(&edges, false, true)?.sub(1)?.clamp_max(bins - 1)?.clamp_min(0)?;
        counts = counts.scatter_add(0, &position, &Tensor::r#where(&inside, weight, 0.0)?)?;
    }
    if density {
        counts = counts.div(counts.sum((), false)?)?.div(edges.diff(1, -1, None, None)?)?;
    }
    Ok((counts, edges))
}

pub(crate) static OPS: &[&Op] = &[&HISTC, &HISTOGRAM, &HISTOGRAM_BINS_TENSOR, &BINCOUNT];
