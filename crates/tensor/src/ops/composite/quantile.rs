//! Quantiles: interpolation between sorted elements.

use crate::{
    DType, Error, QuantileInterpolation, Result, Tensor,
    ops::{Op, pointwise::common_device},
    samples::{self, Sample},
};
use lanthorn_macros::op;

/// The options of a quantile.
#[derive(Clone, Copy)]
struct Wanted {
    dim: Option<i64>,
    keepdim: bool,
    interpolation: QuantileInterpolation,
    ignore_nan: bool,
}

/// The quantiles `q` of `x`, as PyTorch computes them: the rank `q * (n - 1)` lies between two
/// sorted elements.
///
/// A vector of quantiles is the first dimension of the result.
fn quantiles(op: &'static str, x: &Tensor, q: &Tensor, wanted: Wanted) -> Result<Tensor> {
    common_device(op, &[x.clone(), q.clone()])?;
    if !x.dtype().is_floating_point() || q.dtype() != x.dtype() {
        let message =
            format!("takes floating-point numbers and quantiles of the same type, not {} and {}", x.dtype(), q.dtype());
        return Err(Error::dtype(op, message));
    }
    if q.rank() > 1 {
        return Err(Error::shape(op, format!("q must be a scalar or a vector, not of shape {}", q.shape())));
    }
    if x.numel() == 0 {
        return Err(Error::shape(op, format!("input of shape {} has no elements, and so no quantiles", x.shape())));
    }
    // The dimension is moved to the end.
    let axis = wanted.dim.map(|dim| x.shape().dim(op, dim)).transpose()?;
    let rows = match axis {
        Some(axis) if x.rank() > 0 => x.movedim(axis as i64, -1)?,
        _ => x.reshape([-1])?,
    };
    let sorted = rows.sort(-1, false)?.0;
    let numbers = sorted.isnan()?.logical_not()?.sum(-1, true)?;
    let last = (sorted.shape()[sorted.rank() - 1] - 1) as i64;
    let spread = q.reshape([-1])?;
    let ranks = if wanted.ignore_nan {
        spread.mul(numbers.sub(1)?.to(x.dtype())?)?.clamp_min(0.0)?
    } else {
        // NaN is sorted to the end, and is the quantile of its row.
        Tensor::r#where(&numbers.eq(last + 1)?, spread.mul(last as f64)?, last as f64)?
    };
    let at = |ranks: &Tensor| sorted.gather(-1, &ranks.detach().to(DType::I32)?);
    let values = match wanted.interpolation {
        QuantileInterpolation::Lower => at(&ranks.floor()?)?,
        QuantileInterpolation::Higher => at(&ranks.ceil()?)?,
        QuantileInterpolation::Nearest => at(&ranks.round()?)?,
        QuantileInterpolation::Linear | QuantileInterpolation::Midpoint => {
            let (below, above) = (ranks.floor()?.detach(), ranks.ceil()?);
            let is_midpoint = wanted.interpolation == QuantileInterpolation::Midpoint;
            let weight = if is_midpoint { below.full_like(0.5)? } else { ranks.sub(&below)? };
            at(&below)?.lerp(&at(&above)?, weight)?
        }
    };
    // The quantiles are the last dimension. A vector of them is moved to the front, a single one is
    // squeezed.
    let rank = x.rank() as i64;
    let values = match (wanted.keepdim, axis) {
        (true, Some(axis)) if rank > 0 => values.unsqueeze(axis as i64)?,
        (true, _) => values.reshape(vec![1; x.rank()].into_iter().chain([-1]).collect::<Vec<i64>>())?,
        (false, _) => values,
    };
    if q.rank() == 0 { values.squeeze(-1) } else { values.movedim(-1, 0) }
}

/// A quantile given as a number.
fn one(op: &'static str, x: &Tensor, q: f64, wanted: Wanted) -> Result<Tensor> {
    if !(0.0..=1.0).contains(&q) {
        return Err(Error::argument(op, format!("q must be in the range [0, 1] but got {q}")));
    }
    quantiles(op, x, &Tensor::full_with([], q, x.dtype(), Some(x.device()))?, wanted)
}

fn vectors() -> Vec<Sample> {
    samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::real(&[3], 0.1, 0.9), samples::int(1)],
        vec![
            samples::real(&[2, 3, 4], -2.0, 2.0),
            samples::real(&[2], 0.1, 0.9),
            samples::int(0),
            samples::flag(true),
            samples::text("midpoint"),
        ],
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::real(&[2], 0.1, 0.9), samples::NONE, samples::flag(true)],
    ])
}

fn numbers() -> Vec<Sample> {
    samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::float(0.3)],
        vec![
            samples::real(&[4, 5], -2.0, 2.0),
            samples::float(0.6),
            samples::int(0),
            samples::flag(false),
            samples::text("lower"),
        ],
        vec![
            samples::real(&[4, 5], -2.0, 2.0),
            samples::float(0.6),
            samples::int(-1),
            samples::flag(true),
            samples::text("higher"),
        ],
        vec![
            samples::real(&[4, 5], -2.0, 2.0),
            samples::float(0.6),
            samples::int(0),
            samples::flag(false),
            samples::text("nearest"),
        ],
    ])
}

/// The quantiles `q` of the elements along `dim`, or of all elements, as `torch.quantile`.
///
/// `self: [*, n, *]`, `q: []` or `[Q]` with numbers from 0 to 1; the result is `[*]` or `[Q, *]`,
/// with `keepdim` a size of 1 in place of `n`. A row that contains NaN has NaN as its quantile. The
/// quantile is at position `q * (n - 1)` of the sorted elements (Hyndman and Fan, 1996, definition
/// 7); `interpolation` is the rule between two elements: `"linear"`, `"lower"`, `"higher"`,
/// `"midpoint"` or `"nearest"`.
///
/// Errors: `dtype` if `self` is not floating point or `q` has another type; `shape` if `q` has more
/// than one dimension or `self` has no elements; `argument` if `interpolation` is unknown; `index`
/// if `dim` is out of range, or, when the result is read, if an element of `q` is not from 0 to 1.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[4.0f32, 1.0, 3.0, 2.0], [4], &device)?;
/// let q = Tensor::from_slice(&[0.0f32, 0.5], [2], &device)?;
/// assert_eq!(pollster::block_on(x.quantile(&q, None, false)?.to_vec::<f32>())?, [1.0, 2.5]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str{linear|lower|higher|midpoint|nearest} interpolation=\"linear\") -> Tensor",
    samples = vectors
)]
fn quantile(
    x: &Tensor,
    q: &Tensor,
    dim: Option<i64>,
    keepdim: bool,
    interpolation: QuantileInterpolation,
) -> Result<Tensor> {
    quantiles("quantile", x, q, Wanted { dim, keepdim, interpolation, ignore_nan: false })
}

/// [`quantile`](Tensor::quantile) for one number `q`.
///
/// Errors: as of `quantile`, and `argument` if `q` is not from 0 to 1.
#[op(
    composite,
    "quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str{linear|lower|higher|midpoint|nearest} interpolation=\"linear\") -> Tensor",
    samples = numbers
)]
fn quantile_scalar(
    x: &Tensor,
    q: f64,
    dim: Option<i64>,
    keepdim: bool,
    interpolation: QuantileInterpolation,
) -> Result<Tensor> {
    one("quantile", x, q, Wanted { dim, keepdim, interpolation, ignore_nan: false })
}

/// [`quantile`](Tensor::quantile) that ignores NaN, as `torch.nanquantile`; NaN for a row of
/// nothing but NaN.
#[op(
    composite,
    "nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str{linear|lower|higher|midpoint|nearest} interpolation=\"linear\") -> Tensor",
    samples = vectors
)]
fn nanquantile(
    x: &Tensor,
    q: &Tensor,
    dim: Option<i64>,
    keepdim: bool,
    interpolation: QuantileInterpolation,
) -> Result<Tensor> {
    quantiles("nanquantile", x, q, Wanted { dim, keepdim, interpolation, ignore_nan: true })
}

/// [`nanquantile`](Tensor::nanquantile) for one number `q`.
///
/// Errors: as of `quantile`, and `argument` if `q` is not from 0 to 1.
#[op(
    composite,
    "nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str{linear|lower|higher|midpoint|nearest} interpolation=\"linear\") -> Tensor",
    samples = numbers
)]
fn nanquantile_scalar(
    x: &Tensor,
    q: f64,
    dim: Option<i64>,
    keepdim: bool,
    interpolation: QuantileInterpolation,
) -> Result<Tensor> {
    one("nanquantile", x, q, Wanted { dim, keepdim, interpolation, ignore_nan: true })
}

pub(crate) static OPS: &[&Op] = &[&QUANTILE, &QUANTILE_SCALAR, &NANQUANTILE, &NANQUANTILE_SCALAR];
