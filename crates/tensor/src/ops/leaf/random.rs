//! Random tensors. All results that are made of integers have the same bits for a seed on every
//! backend; see [`lanthorn_ir::random`].
//!
//! The numbers come from the generator of the device, and the results carry no gradient.

use super::create::{device_or_default, fill};
use crate::{
    DType, Device, Error, Operand, Result, Tensor, batch,
    compile::capture,
    default_dtype,
    ops::{Op, pointwise},
    samples,
    scalar::Ints,
};
use lanthorn_ir::{
    Requirement, Shape,
    expr::{Constant, Expr, Type},
    random, require_all,
};
use lanthorn_macros::op;
use lanthorn_runtime::Param;

/// Takes `N` words an element from the generator, each as an expression of the key and the index.
///
/// Errors: `argument` within a `vmap` that does not allow random numbers.
pub(super) fn words<const N: usize>(op: &str, device: &Device) -> Result<([Expr; N], Vec<Param>)> {
    batch::check_random(op)?;
    let params = capture::take_random(device, N as u32);
    let key_words = [Expr::param(0, Type::U32), Expr::param(1, Type::U32)];
    let word = |i: usize| {
        let counter = [Expr::index(), Expr::param(2, Type::U32) + Expr::constant(i as f64, Type::U32)];
        Expr::threefry(key_words.clone(), counter)
    };
    Ok((std::array::from_fn(word), params.to_vec()))
}

/// Uniform random numbers in [0, 1), with the same bits for a seed on every backend.
///
/// Shapes: the result is of shape `size`; float32 without `dtype`. The numbers are multiples of
/// 2^-24.
///
/// Errors: `dtype` if `dtype` is not floating point or the device does not support it; `shape` if a
/// size is negative.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// device.manual_seed(7);
/// let first = pollster::block_on(Tensor::rand_with([3], None, Some(&device))?.to_vec::<f32>())?;
/// device.manual_seed(7);
/// assert_eq!(pollster::block_on(Tensor::rand_with([3], None, Some(&device))?.to_vec::<f32>())?, first);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "rand(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::ints(&[13, 17])], vec![samples::ints(&[])], vec![samples::ints(&[0])]])
)]
fn rand(size: &Ints, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    let device = device_or_default(device)?;
    let dtype = float("rand", dtype)?;
    let ([word], params) = words("rand", &device)?;
    fill("rand", &unit(word), &params, size, dtype, Some(&device))
}

/// Normally distributed random numbers with mean 0 and variance 1, with the same bits for a seed on
/// every backend.
///
/// Shapes: the result is of shape `size`; float32 without `dtype`. The numbers are multiples of
/// 2^-21 of magnitude at most 6.66.
///
/// Errors: `dtype` if `dtype` is not floating point or the device does not support it; `shape` if a
/// size is negative.
///
/// Source: the transform of Box and Muller, "A Note on the Generation of Random Normal Deviates"
/// (1958), in fixed point.
#[op(
    leaf,
    "randn(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::ints(&[13, 17])], vec![samples::ints(&[])], vec![samples::ints(&[0])]])
)]
fn randn(size: &Ints, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    let device = device_or_default(device)?;
    let dtype = float("randn", dtype)?;
    let ([radius, angle], params) = words("randn", &device)?;
    fill("randn", &radius.normal(angle), &params, size, dtype, Some(&device))
}

/// Random bits as a number in [0, 1): the upper 24, exact in float32; see [`random::uniform`].
pub(super) fn unit(word: Expr) -> Expr {
    (word / 256.0).cast(Type::F32) * (1.0 / 16_777_216.0)
}

pub(super) fn float(op: &str, dtype: Option<DType>) -> Result<DType> {
    let dtype = dtype.unwrap_or_else(default_dtype);
    if dtype.is_floating_point() {
        return Ok(dtype);
    }
    Err(Error::dtype(op, format!("random {dtype} numbers; ask for a floating-point type")))
}

/// Uniform random integers from `low` up to `high`, which is excluded.
///
/// Shapes: the result is of shape `size`; int32 without `dtype`. The numbers are remainders of
/// random words, as in PyTorch, so that their probabilities differ by at most `(high - low) / 2^32`
/// of each other.
///
/// Errors: `argument` if the range is empty or exceeds int32; `shape` if a size is negative;
/// `dtype` if the device does not support `dtype`.
#[op(
    leaf,
    "randint.low(int low, int high, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([
        vec![samples::int(-3), samples::int(9), samples::ints(&[13, 17])],
        vec![samples::int(-2147483648), samples::int(2147483648), samples::ints(&[40])],
        vec![samples::int(0), samples::int(2), samples::ints(&[40]), samples::dtype(DType::Bool)],
    ])
)]
fn randint_low(low: i64, high: i64, size: &Ints, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    let device = device_or_default(device)?;
    if low >= high || low < i64::from(i32::MIN) || high > i64::from(i32::MAX) + 1 {
        return Err(Error::argument("randint", format!("there are no int32 numbers from {low} up to {high}")));
    }
    let ([word], mut params) = words("randint", &device)?;
    params.push(Constant::I32(low as i32).into());
    let (low, range) = (Expr::param(3, Type::I32), high.abs_diff(low));
    // A range of 2^32 takes the word as it is.
    let offset = match u32::try_from(range) {
        Ok(range) => {
            params.push(Constant::U32(range).into());
            word.remainder(Expr::param(4, Type::U32))
        }
        Err(_) => word,
    };
    fill("randint", &(offset.cast(Type::I32) + low), &params, size, dtype.unwrap_or(DType::I32), Some(&device))
}

/// `randint.low` from 0.
///
/// Errors: as of `randint.low`.
#[op(
    composite,
    "randint(int high, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::int(7), samples::ints(&[13, 17])]])
)]
fn randint(high: i64, size: &Ints, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    randint_low(0, high, size, dtype, device)
}

/// A random permutation of the integers from 0 up to `n`, which is excluded.
///
/// Shapes: the result is `[n]`; int32 without `dtype`. It is shuffled on the host (Fisher and
/// Yates), and is the same for a seed on every backend.
///
/// Errors: `shape` if `n` is negative; `dtype` if the device does not support `dtype`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let mut order = pollster::block_on(Tensor::randperm(5)?.to_vec::<i32>())?;
/// order.sort();
/// assert_eq!(order, [0, 1, 2, 3, 4]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "randperm(int n, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::int(100)], vec![samples::int(0)], vec![samples::int(5), samples::dtype(DType::F32)]])
)]
fn randperm(n: i64, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    let device = device_or_default(device)?;
    let shape = Shape::new("randperm", &[n])?;
    device.break_recording(|| "randperm shuffles on the host".into());
    batch::draw("randperm", &|| {
        let (key, offset) = device.generator().take(1);
        let mut order: Vec<i32> = (0..shape.elements() as i32).collect();
        for last in (1..order.len()).rev() {
            let word = random::threefry(key, [last as u32, offset]);
            order.swap(last, ((u64::from(word) * (last as u64 + 1)) >> 32) as usize);
        }
        Tensor::from_slice(&order, &shape, &device)?.to(dtype.unwrap_or(DType::I32))
    })
}

/// Random numbers of the shape, type and device of `x`, from an expression of `N` random words and
/// two parameters.
fn like<const N: usize>(
    op: &'static str,
    x: &Tensor,
    numbers: [f64; 2],
    expression: impl FnOnce([Expr; N], Expr, Expr) -> Expr,
) -> Result<Tensor> {
    let (words, mut params) = words(op, x.device())?;
    params.extend(numbers.map(|number| Param::from(Constant::new(number, Type::F32))));
    let expr = expression(words, Expr::param(3, Type::F32), Expr::param(4, Type::F32));
    fill(op, &expr, &params, &x.shape().to_i64(), x.dtype(), Some(x.device()))
}

/// [`like`] for a floating-point distribution.
fn real_like<const N: usize>(
    op: &'static str,
    x: &Tensor,
    numbers: [f64; 2],
    expression: impl FnOnce([Expr; N], Expr, Expr) -> Expr,
) -> Result<Tensor> {
    float(op, Some(x.dtype()))?;
    like(op, x, numbers, expression)
}

/// A uniform number in (0, 1), whose logarithm is finite: an odd multiple of 2^-24, exact in
/// float32.
pub(super) fn above_zero(word: Expr) -> Expr {
    (word / 512.0 * 2.0 + 1.0).cast(Type::F32) * (1.0 / 16_777_216.0)
}

fn shaped() -> Vec<samples::Sample> {
    samples::calls([vec![samples::real(&[13, 17], -2.0, 2.0)], vec![samples::real(&[0, 2], -2.0, 2.0)]])
}

/// Uniform random numbers from `from` up to `to` in the shape and type of `self`; `uniform_` fills
/// `self` with them.
///
/// Errors: `argument` if `from` is larger than `to` or the range is not finite; `dtype` if `self`
/// is not floating point.
#[op(leaf, "uniform(Tensor self, float from=0.0, float to=1.0) -> Tensor", in_place, samples = shaped)]
fn uniform(x: &Tensor, from: f64, to: f64) -> Result<Tensor> {
    if !(from <= to && (to - from).is_finite()) {
        return Err(Error::argument("uniform", format!("there are no numbers from {from} up to {to}")));
    }
    real_like("uniform", x, [from, to - from], |[word], from, range| unit(word) * range + from)
}

/// Exponentially distributed random numbers of rate `lambd` in the shape and type of `self`;
/// `exponential_` fills `self` with them.
///
/// Errors: `argument` if `lambd` is not positive; `dtype` if `self` is not floating point.
#[op(leaf, "exponential(Tensor self, float lambd=1.0) -> Tensor", in_place, samples = shaped)]
fn exponential(x: &Tensor, lambd: f64) -> Result<Tensor> {
    if lambd <= 0.0 || lambd.is_nan() {
        return Err(Error::argument("exponential", format!("lambd must be positive, not {lambd}")));
    }
    real_like("exponential", x, [-1.0 / lambd, 0.0], |[word], scale, _| above_zero(word).log() * scale)
}

/// Log-normally distributed random numbers in the shape and type of `self`; their logarithms have
/// mean `mean` and standard deviation `std`.
///
/// Errors: `argument` if `std` is negative; `dtype` if `self` is not floating point.
#[op(leaf, "log_normal(Tensor self, float mean=1.0, float std=2.0) -> Tensor", in_place, samples = shaped)]
fn log_normal(x: &Tensor, mean: f64, std: f64) -> Result<Tensor> {
    check_deviation("log_normal", std)?;
    real_like("log_normal", x, [mean, std], |[radius, angle], mean, std| (radius.normal(angle) * std + mean).exp())
}

/// Cauchy-distributed random numbers with median `median` and half-width `sigma` in the shape and
/// type of `self`.
///
/// Errors: `argument` if `sigma` is not positive; `dtype` if `self` is not floating point.
#[op(leaf, "cauchy(Tensor self, float median=0.0, float sigma=1.0) -> Tensor", in_place, samples = || samples::calls([vec![samples::real(&[300], -2.0, 2.0)]]))]
fn cauchy(x: &Tensor, median: f64, sigma: f64) -> Result<Tensor> {
    if sigma <= 0.0 || sigma.is_nan() {
        return Err(Error::argument("cauchy", format!("sigma must be positive, not {sigma}")));
    }
    real_like("cauchy", x, [median, sigma], |[word], median, sigma| {
        // The tangent of an angle between -pi/2 and pi/2. Its cosine is the sine of the complement,
        // which is exact near the poles.
        let angle = above_zero(word) - 0.5;
        let missing = 0.5 - angle.abs();
        (angle * std::f64::consts::PI).sin() / (missing * std::f64::consts::PI).sin() * sigma + median
    })
}

/// Geometrically distributed random numbers in the shape and type of `self`: the number of trials
/// up to and including the first success, with success probability `p`.
///
/// Errors: `argument` if `p` is not between 0 and 1, both excluded.
#[op(leaf, "geometric(Tensor self, float p) -> Tensor", in_place, samples = || samples::calls([vec![samples::real(&[300], 0.0, 9.0), samples::float(0.3)]]))]
fn geometric(x: &Tensor, p: f64) -> Result<Tensor> {
    if !(p > 0.0 && p < 1.0) {
        return Err(Error::argument("geometric", format!("p is a probability between 0 and 1, not {p}")));
    }
    like("geometric", x, [1.0 / (-p).ln_1p(), 0.0], |[word], scale, _| (above_zero(word).log() * scale).ceil())
}

fn check_deviation(op: &str, std: f64) -> Result<()> {
    if std >= 0.0 { Ok(()) } else { Err(Error::argument(op, format!("std must not be negative: {std}"))) }
}

/// 1 with the probability that the element of `self` holds, else 0, in the shape and type of
/// `self`.
///
/// Errors: `dtype` if `self` is not floating point; `argument`, when the result is read, if an
/// element is not from 0 to 1.
///
/// Gradient: none.
#[op(leaf, "bernoulli(Tensor self) -> Tensor", samples = || samples::calls([vec![samples::real(&[13, 17], 0.0, 1.0)]]))]
fn bernoulli(x: &Tensor) -> Result<Tensor> {
    float("bernoulli", Some(x.dtype()))?;
    let ([word], params) = words("bernoulli", x.device())?;
    let p = Expr::input(0, x.dtype().into()).cast(Type::F32);
    let p = require_all(&[(Requirement::Probability, p.ge(0.0).and(p.le(1.0)))], &p);
    let ones = unit(word).lt(p);
    pointwise::launch("bernoulli", &ones, std::slice::from_ref(x), &params, x.dtype(), x.shape(), x.device())
}

/// 1 with probability `p`, else 0, in the shape and type of `self`; `bernoulli_p_` fills `self`
/// with them.
///
/// Errors: `argument` if `p` is not from 0 to 1.
#[op(
    leaf,
    "bernoulli.p(Tensor self, float p) -> Tensor",
    in_place,
    samples = || samples::calls([vec![samples::real(&[300], 0.0, 1.0), samples::float(0.3)], vec![samples::tensor(&[40], DType::I32, 0.0, 2.0), samples::float(0.5)]])
)]
fn bernoulli_p(x: &Tensor, p: f64) -> Result<Tensor> {
    if !(0.0..=1.0).contains(&p) {
        return Err(Error::argument("bernoulli", format!("p is a probability from 0 to 1, not {p}")));
    }
    like("bernoulli", x, [p, 0.0], |[word], p, _| unit(word).lt(p))
}

/// Normally distributed random numbers with the means and standard deviations of two operands,
/// tensors or numbers, that broadcast together.
///
/// Without tensors the result is 0-d and float32.
///
/// Errors: `argument` if `std` is a negative number, or, when the result is read, if an element of
/// it is negative; `dtype` if a tensor is not floating point; `shape` if the shapes do not
/// broadcast.
///
/// Gradient: none, as in PyTorch. `mean + std * randn(..)` has one.
#[op(
    leaf,
    "normal(Tensor|Scalar mean, Tensor|Scalar std=1.0) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[13, 1], -2.0, 2.0), samples::real(&[17], 0.0, 2.0)],
        vec![samples::real(&[40], -2.0, 2.0), samples::float(0.5)],
        vec![samples::float(0.5), samples::real(&[40], 0.0, 2.0)],
    ])
)]
fn normal(mean: &Operand, std: &Operand) -> Result<Tensor> {
    let op = "normal";
    let (mut inputs, mut values, mut numbers) = (vec![], vec![], vec![]);
    for operand in [mean, std] {
        values.push(match operand {
            Operand::Tensor(tensor) => {
                float(op, Some(tensor.dtype()))?;
                inputs.push(tensor.clone());
                Expr::input(inputs.len() - 1, tensor.dtype().into()).cast(Type::F32)
            }
            Operand::Scalar(scalar) => {
                numbers.push(scalar.to_f64());
                Expr::param(2 + numbers.len(), Type::F32)
            }
        });
    }
    match std {
        Operand::Scalar(std) => check_deviation(op, std.to_f64())?,
        Operand::Tensor(_) => {
            let holds = values[1].ge(0.0);
            values[1] = require_all(&[(Requirement::Deviation, holds)], &values[1]);
        }
    }
    let device = pointwise::common_device(op, &inputs)?;
    let shape = inputs.iter().try_fold(Shape::default(), |shape, input| shape.broadcast(op, input.shape()))?;
    let dtype = inputs.iter().map(Tensor::dtype).reduce(DType::promote).unwrap_or_else(default_dtype);
    let ([radius, angle], mut params) = words(op, &device)?;
    params.extend(numbers.into_iter().map(|number| Param::from(Constant::new(number, Type::F32))));
    let expr = radius.normal(angle) * &values[1] + &values[0];
    pointwise::launch(op, &expr, &inputs, &params, dtype, &shape, &device)
}

/// Normally distributed random numbers of mean `mean` and standard deviation `std` in the shape
/// `size`; float32 without `dtype`.
///
/// Errors: `argument` if `std` is negative; `dtype` if `dtype` is not floating point; `shape` if a
/// size is negative.
#[op(
    composite,
    "normal.size(float mean, float std, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::float(2.0), samples::float(0.5), samples::ints(&[13, 17])]])
)]
fn normal_size(mean: f64, std: f64, size: &Ints, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    let device = device_or_default(device)?;
    check_deviation("normal", std)?;
    let ([radius, angle], mut params) = words("normal", &device)?;
    params.extend([mean, std].map(|number| Param::from(Constant::new(number, Type::F32))));
    let expr = radius.normal(angle) * Expr::param(4, Type::F32) + Expr::param(3, Type::F32);
    fill("normal", &expr, &params, size, float("normal", dtype)?, Some(&device))
}

/// Normally distributed random numbers of mean `mean` and standard deviation `std` in the shape and
/// type of `self`. Its in-place form is PyTorch's `normal_`.
///
/// Errors: `argument` if `std` is negative; `dtype` if `self` is not floating point.
#[op(leaf, "normal_functional(Tensor self, float mean=0.0, float std=1.0) -> Tensor", in_place, samples = shaped)]
fn normal_functional(x: &Tensor, mean: f64, std: f64) -> Result<Tensor> {
    check_deviation("normal", std)?;
    real_like("normal", x, [mean, std], |[radius, angle], mean, std| radius.normal(angle) * std + mean)
}

/// `num_samples` indices for each row of `self`, drawn with probabilities proportional to the
/// elements of the row. int32 (PyTorch: int64).
///
/// Shapes: `self: [n]` or `[m, n]`, `result: [num_samples]` or `[m, num_samples]`. An element of
/// weight 0 is never drawn. Without `replacement` the indices of a row are distinct.
///
/// Errors: `shape` if `self` does not have one or two dimensions; `dtype` if it is not floating
/// point; `argument` if `num_samples` is not positive, or larger than `n` without `replacement`,
/// or, when the result is read, if a weight is negative, infinite or NaN, or a row has no weight
/// above 0, or without `replacement` fewer than `num_samples`.
///
/// Source: without `replacement`, and for one sample, each weight is divided by an exponentially
/// distributed number, and the largest quotients win (Efraimidis and Spirakis, "Weighted random
/// sampling with a reservoir", 2006). Otherwise, the inverse of the cumulative distribution at
/// uniform numbers, in float32.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let weights = Tensor::from_slice(&[0.0f32, 3.0, 0.0], [3], &device)?;
/// assert_eq!(pollster::block_on(weights.multinomial(2, true)?.to_vec::<i32>())?, [1, 1]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "multinomial(Tensor self, int num_samples, bool replacement=False) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[9], 0.1, 1.0), samples::int(4)],
        vec![samples::real(&[3, 5], 0.1, 1.0), samples::int(7), samples::flag(true)],
    ])
)]
fn multinomial(x: &Tensor, num_samples: i64, replacement: bool) -> Result<Tensor> {
    let op = "multinomial";
    float(op, Some(x.dtype()))?;
    let count = match x.shape()[..] {
        [count] | [_, count] => count as i64,
        _ => return Err(Error::shape(op, format!("takes one row of weights or several, not shape {}", x.shape()))),
    };
    if num_samples <= 0 || (!replacement && num_samples > count) {
        let message = format!("{num_samples} samples of {count} categories, with replacement {replacement}");
        return Err(Error::argument(op, message));
    }
    let weights = x.detach();
    let drawn = if replacement && num_samples > 1 {
        draw_from_sums(op, &weights, num_samples)?
    } else {
        keys(op, &weights)?.topk(num_samples, -1, true, true)?.1
    };
    // The number of weights above 0.
    let counted = weights.gt(0)?.sum(-1, true)?.expand(drawn.shape())?;
    let (index, positive) = (Expr::input(0, Type::I32), Expr::input(1, Type::I32));
    let least = Expr::param(0, Type::I32);
    let requirements = [(Requirement::SomeWeight, positive.gt(0.0)), (Requirement::EnoughWeights, positive.ge(least))];
    let checked = require_all(&requirements, &index);
    let least = Constant::I32(if replacement { 1 } else { num_samples as i32 });
    let inputs = [drawn.clone(), counted];
    pointwise::launch(op, &checked, &inputs, &[least.into()], DType::I32, drawn.shape(), x.device())
}

/// Draws indices with replacement: those at which the cumulative weights exceed uniform parts of
/// their sum.
fn draw_from_sums(op: &'static str, weights: &Tensor, num_samples: i64) -> Result<Tensor> {
    let input = std::slice::from_ref(weights);
    let checked = check_weight(weights);
    let weights = pointwise::launch(op, &checked, input, &[], DType::F32, weights.shape(), weights.device())?;
    // A block's sum of a parallel scan may be rounded otherwise than the sums within the block.
    let sums = weights.cumsum(-1)?.cummax(-1)?.0;
    let mut sizes = weights.shape().to_i64();
    if let Some(last) = sizes.last_mut() {
        *last = num_samples;
    }
    let parts = Tensor::rand_with(sizes, DType::F32, Some(weights.device()))?;
    let last = weights.shape()[weights.rank() - 1] as i64 - 1;
    let total = sums.narrow(-1, last, 1)?;
    // Without a weight above 0, no sum exceeds the part. The result is then an error, at any index.
    Tensor::searchsorted_with(&sums, &(&parts * &total)?, false, true, None, None)?.clamp_max(last)
}

/// A weight in float32, which must be finite and not negative.
fn check_weight(weights: &Tensor) -> Expr {
    let weight = Expr::input(0, weights.dtype().into()).cast(Type::F32);
    let finite = weight.ge(0.0).and(weight.lt(f64::INFINITY));
    require_all(&[(Requirement::FiniteWeights, finite)], &weight)
}

/// Weights divided by exponentially distributed numbers, in float32.
fn keys(op: &'static str, weights: &Tensor) -> Result<Tensor> {
    let ([word], params) = words(op, weights.device())?;
    let key = check_weight(weights) / -above_zero(word).log();
    let input = std::slice::from_ref(weights);
    pointwise::launch(op, &key, input, &params, DType::F32, weights.shape(), weights.device())
}

pub(crate) static OPS: &[&Op] = &[
    &RAND,
    &RANDN,
    &RANDINT,
    &RANDINT_LOW,
    &RANDPERM,
    &UNIFORM,
    &EXPONENTIAL,
    &LOG_NORMAL,
    &CAUCHY,
    &GEOMETRIC,
    &BERNOULLI,
    &BERNOULLI_P,
    &NORMAL,
    &NORMAL_SIZE,
    &NORMAL_FUNCTIONAL,
    &MULTINOMIAL,
];
