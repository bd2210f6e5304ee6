//! Functions that add or multiply random numbers: the rest of the dropout family, and activations.
//!
//! The numbers come from the generator of the device.

use super::dropout::check_probability;
use crate::{
    DType, Error, Result, Scalar, Tensor,
    autograd::no_grad,
    ops::Op,
    samples::{self, Sample},
};
use lanthorn_macros::op;

/// A mask of `1 / (1 - p)` for kept elements and 0 for dropped ones: of one number for the last
/// `shared` dimensions.
fn noise(op: &str, x: &Tensor, p: f64, shared: usize) -> Result<Tensor> {
    check_probability(op, x, p)?;
    let kept = x.rank().saturating_sub(shared);
    let size = |(dim, &size): (usize, &usize)| if dim < kept { size as i64 } else { 1 };
    let sizes: Vec<i64> = x.shape().iter().enumerate().map(size).collect();
    no_grad(|| Tensor::ones_with(sizes, x.dtype(), Some(x.device()))?.dropout(p, true))
}

/// `x`, or in training `x` with channels of `shared` dimensions dropped.
fn channels(op: &str, x: &Tensor, p: f64, training: bool, shared: usize) -> Result<Tensor> {
    check_probability(op, x, p)?;
    if !training || p == 0.0 {
        return Ok(x.clone());
    }
    x.mul(&noise(op, x, p, shared)?)
}

/// Refuses a tensor that is no image with `spatial` dimensions, with or without a batch.
fn check_rank(op: &str, x: &Tensor, spatial: usize) -> Result<()> {
    if x.rank() == spatial + 1 || x.rank() == spatial + 2 {
        return Ok(());
    }
    let message = format!("takes an input of {} or {} dimensions, not shape {}", spatial + 1, spatial + 2, x.shape());
    Err(Error::shape(op, message))
}

/// Dropout that keeps mean and variance of normally distributed inputs: dropped elements take the
/// limit of SELU activations, then all are scaled and shifted.
fn alpha(op: &str, x: &Tensor, p: f64, training: bool, shared: usize) -> Result<Tensor> {
    const ALPHA: f64 = 1.758_099_340_847_376_6;
    check_probability(op, x, p)?;
    if !training || p == 0.0 {
        return Ok(x.clone());
    }
    if p == 1.0 {
        return x.mul(0.0);
    }
    let kept = no_grad(|| noise(op, x, p, shared)?.mul(1.0 - p))?;
    let scale = 1.0 / ((ALPHA * ALPHA * p + 1.0) * (1.0 - p)).sqrt();
    let dropped = no_grad(|| kept.sub(1.0)?.mul(ALPHA * scale)?.add(ALPHA * scale * p))?;
    x.mul(&kept.mul(scale)?)?.add(&dropped)
}

/// Samples of an input with its probability, in training and outside of it.
fn in_training(shape: &[i64]) -> Vec<Sample> {
    let x = || samples::real(shape, -2.0, 2.0);
    samples::calls([
        vec![x(), samples::float(0.5), samples::flag(true)],
        vec![x(), samples::float(1.0), samples::flag(true)],
        vec![x(), samples::float(0.3), samples::flag(false)],
    ])
}

/// In training, each channel is set to 0 with probability `p` and otherwise divided by `1 - p`, as
/// `torch.nn.functional.dropout1d`.
///
/// Shapes: `self: [N, C, L]` or `[C, L]`.
///
/// Errors: `shape` for another number of dimensions; `argument` if `p` is not from 0 to 1; `dtype`
/// if `self` is not floating point.
#[op(composite, "dropout1d(Tensor self, float p=0.5, bool training=True) -> Tensor", in_place, samples = || in_training(&[3, 4, 5]))]
fn dropout1d(x: &Tensor, p: f64, training: bool) -> Result<Tensor> {
    check_rank("dropout1d", x, 1)?;
    channels("dropout1d", x, p, training, 1)
}

/// [`dropout1d`](Tensor::dropout1d) of images, `[N, C, H, W]` or `[C, H, W]`.
///
/// Errors: as of `dropout1d`.
#[op(composite, "dropout2d(Tensor self, float p=0.5, bool training=True) -> Tensor", in_place, samples = || in_training(&[2, 3, 4, 5]))]
fn dropout2d(x: &Tensor, p: f64, training: bool) -> Result<Tensor> {
    check_rank("dropout2d", x, 2)?;
    channels("dropout2d", x, p, training, 2)
}

/// [`dropout1d`](Tensor::dropout1d) of volumes, `[N, C, D, H, W]` or `[C, D, H, W]`.
///
/// Errors: as of `dropout1d`.
#[op(composite, "dropout3d(Tensor self, float p=0.5, bool training=True) -> Tensor", in_place, samples = || in_training(&[2, 3, 2, 2, 3]))]
fn dropout3d(x: &Tensor, p: f64, training: bool) -> Result<Tensor> {
    check_rank("dropout3d", x, 3)?;
    channels("dropout3d", x, p, training, 3)
}

/// In training, each channel is set to 0 with probability `p` and otherwise divided by `1 - p`, as
/// `torch.feature_dropout`.
///
/// Shapes: `self: [N, C, *]`.
///
/// Errors: `argument` if `p` is not from 0 to 1; `dtype` if `self` is not floating point.
#[op(composite, "feature_dropout(Tensor self, float p, bool train) -> Tensor", in_place, samples = || in_training(&[3, 4, 5]))]
fn feature_dropout(x: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    channels("feature_dropout", x, p, train, x.rank().saturating_sub(2))
}

/// Dropout that keeps mean and variance of normally distributed inputs, as
/// `torch.nn.functional.alpha_dropout`: while `training`, elements are set to the limit of SELU
/// activations with probability `p`, and all are scaled and shifted.
///
/// Errors: `argument` if `p` is not from 0 to 1; `dtype` if `self` is not floating point.
///
/// Source: Klambauer et al., "Self-Normalizing Neural Networks" (2017).
#[op(composite, "alpha_dropout(Tensor self, float p=0.5, bool training=False) -> Tensor", in_place, samples = || in_training(&[5, 7]))]
fn alpha_dropout(x: &Tensor, p: f64, training: bool) -> Result<Tensor> {
    alpha("alpha_dropout", x, p, training, 0)
}

/// [`alpha_dropout`](Tensor::alpha_dropout) of whole channels, as
/// `torch.nn.functional.feature_alpha_dropout`.
///
/// Shapes: `self: [N, C, *]`.
///
/// Errors: as of `alpha_dropout`.
#[op(composite, "feature_alpha_dropout(Tensor self, float p=0.5, bool training=False) -> Tensor", in_place, samples = || in_training(&[3, 4, 5]))]
fn feature_alpha_dropout(x: &Tensor, p: f64, training: bool) -> Result<Tensor> {
    alpha("feature_alpha_dropout", x, p, training, x.rank().saturating_sub(2))
}

/// A leaky ReLU of random slope, as `torch.nn.functional.rrelu`: while `training`, an element that
/// is not positive is multiplied by a uniform number from `lower` to `upper`, and otherwise by
/// their mean.
///
/// Errors: `argument` if `lower` is larger than `upper`; `dtype` if `self` is not floating point.
///
/// Source: Xu et al., "Empirical Evaluation of Rectified Activations in Convolution Network"
/// (2015).
#[op(
    composite,
    "rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -2.0, 2.0)],
        vec![samples::real(&[40], -2.0, 2.0), samples::float(0.1), samples::float(0.9), samples::flag(true)],
    ])
)]
fn rrelu(x: &Tensor, lower: Scalar, upper: Scalar, training: bool) -> Result<Tensor> {
    let (lower, upper) = (lower.to_f64(), upper.to_f64());
    if lower > upper {
        return Err(Error::argument("rrelu", format!("lower must not be larger than upper: {lower} and {upper}")));
    }
    if !x.dtype().is_floating_point() {
        return Err(Error::dtype("rrelu", format!("the input must be floating point, not {}", x.dtype())));
    }
    if !training {
        return x.leaky_relu(f64::midpoint(lower, upper));
    }
    let slopes = no_grad(|| x.detach().uniform(lower, upper))?;
    Tensor::r#where(&x.gt(0)?, x, &x.mul(&slopes)?)
}

/// Samples of a relaxed categorical distribution, as `torch.nn.functional.gumbel_softmax`: the
/// softmax along `dim` of the logits plus Gumbel noise, divided by `tau`.
///
/// With `hard`, the result is one-hot and has the gradient of the soft samples. `eps` has no
/// effect, as in PyTorch.
///
/// Errors: `dtype` if `self` is not floating point; `index` if `dim` is out of range.
///
/// Source: Jang, Gu and Poole, "Categorical Reparameterization with Gumbel-Softmax" (2017).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let y = Tensor::zeros([2, 3])?.gumbel_softmax(0.5, true, 1e-10, -1)?;
/// assert_eq!(pollster::block_on(y.sum(1, false)?.to_vec::<f32>())?, [1.0, 1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "gumbel_softmax(Tensor self, float tau=1.0, bool hard=False, float eps=1e-10, int dim=-1) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -2.0, 2.0)],
        vec![samples::real(&[5, 7], -2.0, 2.0), samples::float(0.7), samples::flag(false), samples::float(1e-10), samples::int(0)],
    ])
)]
fn gumbel_softmax(logits: &Tensor, tau: f64, hard: bool, _eps: f64, dim: i64) -> Result<Tensor> {
    let noise = no_grad(|| logits.detach().exponential(1.0)?.log()?.neg())?;
    let soft = logits.add(&noise)?.div(tau)?.softmax(dim)?;
    if !hard {
        return Ok(soft);
    }
    let index = soft.detach().argmax(dim, true)?;
    let one_hot = soft.zeros_like()?.detach().scatter(dim, &index, 1.0)?;
    one_hot.sub(soft.detach())?.add(&soft)
}

/// The largest number of `random_` of a type: every whole number up to it is exact.
fn most(dtype: DType) -> i64 {
    match dtype {
        DType::Bool => 1,
        DType::U8 => 255,
        DType::F16 => 1 << 11,
        DType::BF16 => 1 << 8,
        DType::F32 => 1 << 24,
        _ => i64::from(i32::MAX),
    }
}

/// Uniform random integers in the shape and type of `self`: from 0 to the largest up to which the
/// type has every one, and to 2^31 - 1 at most. `random_` fills `self` with them.
#[op(
    composite,
    "random(Tensor self) -> Tensor",
    in_place,
    samples = || samples::calls([vec![samples::real(&[13, 17], -2.0, 2.0)], vec![samples::tensor(&[40], DType::U8, 0.0, 9.0)]])
)]
fn random(x: &Tensor) -> Result<Tensor> {
    random_from(x, 0, Some(most(x.dtype()) + 1))
}

/// Uniform random integers from 0 up to `to`, which is excluded, in the shape and type of `self`.
///
/// Errors: `argument` if `to` is not from 1 to 2^31.
#[op(
    composite,
    "random.to(Tensor self, int to) -> Tensor",
    in_place,
    samples = || samples::calls([vec![samples::real(&[13, 17], -2.0, 2.0), samples::int(9)]])
)]
fn random_to(x: &Tensor, to: i64) -> Result<Tensor> {
    random_from(x, 0, Some(to))
}

/// Uniform random integers from `from` up to `to`, which is excluded, in the shape and type of
/// `self`; without `to`, up to the largest as of `random`.
///
/// Errors: `argument` if the range is empty or exceeds int32.
#[op(
    composite,
    "random.from(Tensor self, int from, int? to) -> Tensor",
    in_place,
    samples = || samples::calls([vec![samples::tensor(&[13, 17], DType::I32, -2.0, 2.0), samples::int(-3), samples::int(9)]])
)]
fn random_from(x: &Tensor, from: i64, to: Option<i64>) -> Result<Tensor> {
    let to = to.unwrap_or_else(|| most(x.dtype()) + 1);
    Tensor::randint_low_with(from, to, x.shape(), Some(x.dtype()), Some(x.device()))
        .map_err(|error| error.in_op("random"))
}

pub(crate) static OPS: &[&Op] = &[
    &DROPOUT1D,
    &DROPOUT2D,
    &DROPOUT3D,
    &FEATURE_DROPOUT,
    &ALPHA_DROPOUT,
    &FEATURE_ALPHA_DROPOUT,
    &RRELU,
    &GUMBEL_SOFTMAX,
    &RANDOM,
    &RANDOM_TO,
    &RANDOM_FROM,
];
