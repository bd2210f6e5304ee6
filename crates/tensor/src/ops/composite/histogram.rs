//! How many elements fall where.

use crate::{
    DType, Error, Result, Scalar, Tensor,
    ops::{Op, composite::like::floating},
    samples,
};
use lanthorn_macros::op;

/// How many elements fall into each of `bins` of equal width from `min` to `max`, which is in the last one; from the smallest to the largest element where both are the
/// same. What lies outside, and NaN, counts nowhere.
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
        return Err(Error::argument("histc", format!("the range from {min} to {max} is not one of finite numbers in order")));
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
        // Where all elements are equal they are in the middle.
        let margin = low.eq(&high)?.to(x.dtype())?;
        (low.sub(&margin)?, high.add(&margin)?)
    };
    let inside = x.ge(&low)?.logical_and(&x.le(&high)?)?;
    let place = x.sub(&low)?.mul(bins as f64)?.div(high.sub(&low)?)?;
    let place = Tensor::r#where(&inside, place, 0.0)?.to(DType::I32)?.clamp_max(bins - 1)?;
    counts.scatter_add(0, &place, &inside.to(DType::I32)?)?.to(x.dtype())
}

/// How often each number from 0 on occurs in a vector of them, up to the largest or `minlength` numbers; with `weights` the sum of their weights. int32
/// (PyTorch: int64) without weights; with weights of integers float64 where the device has it, else float32. Reads the largest.
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
        let message = format!("only supports 1-d non-negative integral inputs, not {} of shape {}", x.dtype(), x.shape());
        return Err(Error::argument("bincount", message));
    }
    if minlength < 0 {
        return Err(Error::argument("bincount", "minlength should be >= 0"));
    }
    if let Some(weights) = weights.filter(|weights| weights.shape() != x.shape()) {
        return Err(Error::shape("bincount", format!("weights of shape {} for numbers of shape {}", weights.shape(), x.shape())));
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

pub(crate) static OPS: &[&Op] = &[&HISTC, &BINCOUNT];
