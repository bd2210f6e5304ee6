//! Random numbers of the gamma, Dirichlet, Poisson and binomial distributions.
//!
//! The random words have the same bits on every device. Rejection has a fixed number of rounds, so
//! that every element takes the same words, and the discrete numbers are quantiles of one uniform
//! number. Rejected: loops that end with the first accepted candidate. Their words would depend on
//! the elements before them, or every element would need a separate generator.

use super::random::{above_zero, float, unit, words};
use crate::{
    DType, Error, Result, Tensor,
    autograd::{Derivative, attach},
    ops::{Op, pointwise},
    samples,
};
use lanthorn_ir::{
    expr::{Expr, Function, Type},
    special,
};
use lanthorn_macros::op;
use std::{f64::consts::PI, rc::Rc, slice::from_ref};

/// The rounds of rejection. A round accepts 95 % of the candidates or more, so that all of them
/// reject a number with a probability of 2^-26: less than the resolution of a uniform number.
const ROUNDS: usize = 6;

/// The random words of a gamma number: three for each round, and one for shapes below 1.
const WORDS: usize = 3 * ROUNDS + 1;

/// Gamma-distributed random numbers of shape `self` and scale 1.
///
/// Errors: `dtype` if `self` is not floating point.
///
/// Gradient: the implicit one, [`standard_gamma_grad`](Tensor::standard_gamma_grad).
///
/// Source: Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables" (2000).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::full([10_000], 2.5)?.standard_gamma()?;
/// assert!((pollster::block_on(x.mean_all()?.item())? - 2.5).abs() < 0.1);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "standard_gamma(Tensor self) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[13, 17], 0.1, 5.0)]])
)]
fn standard_gamma(x: &Tensor) -> Result<Tensor> {
    let op = "standard_gamma";
    float(op, Some(x.dtype()))?;
    let (words, params) = words::<WORDS>(op, x.device())?;
    let expr = gamma_number(&Expr::input(0, x.dtype().into()).cast(Type::F32), &words);
    let shape = x.detach();
    let output = pointwise::launch(op, &expr, from_ref(&shape), &params, x.dtype(), x.shape(), x.device())?;
    let (shape, sample) = (x.clone(), output.detach());
    let derivative: Derivative = Rc::new(move |grad, _| Ok(vec![Some(grad.mul(shape.standard_gamma_grad(&sample)?)?)]));
    attach(op, &output, &[x], &[x, &output.detach()], derivative);
    Ok(output)
}

fn gamma_number(shape: &Expr, words: &[Expr; WORDS]) -> Expr {
    let is_small = shape.lt(1.0);
    let d = is_small.select(shape + 1.0, shape) - 1.0 / 3.0;
    let c = 1.0 / (&d * 9.0).sqrt();
    let mut value = Expr::constant(1.0, Type::F32);
    let mut is_open = d.equal(&d);
    for round in words[..3 * ROUNDS].chunks(3) {
        let normal = round[0].normal(round[1].clone());
        let root = &normal * &c + 1.0;
        let is_positive = root.gt(0.0);
        let cube = is_positive.select(root.square() * &root, 1.0);
        let bound = normal.square() * 0.5 + (1.0 - &cube + cube.log()) * &d;
        let is_accepted = is_positive.and(above_zero(round[2].clone()).log().lt(bound));
        value = is_open.and(&is_accepted).select(&cube, &value);
        is_open = is_open.and(is_accepted.logical_not());
    }
    let power = (above_zero(words[3 * ROUNDS].clone()).log() / shape).exp();
    d * value * is_small.select(power, 1.0)
}

/// The derivative of a gamma-distributed number `output` with respect to its shape `self`, at a
/// fixed probability.
///
/// Errors: `dtype` if neither tensor is floating point.
///
/// Gradient: none.
///
/// Source: Figurnov, Mohamed and Mnih, "Implicit Reparameterization Gradients" (2018).
#[op(
    leaf,
    "standard_gamma_grad(Tensor self, Tensor output) -> Tensor",
    samples = || samples::real_tensors(0.3, 5.0)
)]
fn standard_gamma_grad(x: &Tensor, output: &Tensor) -> Result<Tensor> {
    apply_detached("standard_gamma_grad", &special::GAMMA_GRAD, &[x, output])
}

/// A function of tensors without a gradient.
fn apply_detached(op: &'static str, function: &'static Function, tensors: &[&Tensor]) -> Result<Tensor> {
    let dtype = tensors.iter().map(|tensor| tensor.dtype()).reduce(DType::promote);
    let dtype = float(op, dtype)?;
    let inputs = tensors.iter().map(|tensor| tensor.detach().to(dtype)).collect::<Result<Vec<_>>>()?;
    let values: Vec<Expr> = (0..inputs.len()).map(|slot| Expr::input(slot, dtype.into())).collect();
    pointwise::record(op, function.call(&values.iter().collect::<Vec<_>>()), &inputs, &[], dtype)
}

/// Random vectors of the Dirichlet distribution of the concentrations along the last dimension:
/// positive numbers with the sum 1.
///
/// Errors: `shape` for a 0-d tensor; `dtype` if `self` is not floating point.
///
/// Gradient: the implicit one of each number, by [`dirichlet_grad`](Tensor::dirichlet_grad), with
/// the others scaled so that the sum is 1.
///
/// Source: Devroye, "Non-Uniform Random Variate Generation", XI.4; Figurnov, Mohamed and Mnih,
/// "Implicit Reparameterization Gradients" (2018).
#[op(
    leaf,
    "sample_dirichlet(Tensor self) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[13, 4], 0.3, 5.0)]])
)]
fn sample_dirichlet(x: &Tensor) -> Result<Tensor> {
    let op = "sample_dirichlet";
    float(op, Some(x.dtype()))?;
    if x.rank() == 0 {
        return Err(Error::shape(op, "a 0-d tensor has no dimension of concentrations"));
    }
    let gamma = x.detach().standard_gamma()?.clamp_min(1e-30)?;
    let output = gamma.div(gamma.sum(-1, true)?)?.detach();
    let (concentration, sample) = (x.clone(), output.detach());
    let derivative: Derivative = Rc::new(move |grad, _| {
        let total = concentration.sum(-1, true)?.expand(concentration.shape())?;
        let moved = sample.dirichlet_grad(&concentration, &total)?;
        let rest = grad.sub(grad.mul(&sample)?.sum(-1, true)?)?;
        Ok(vec![Some(moved.mul(rest)?)])
    });
    attach(op, &output, &[x], &[x, &output.detach()], derivative);
    Ok(output)
}

/// The derivative of a number `self` of a Dirichlet-distributed vector with respect to its
/// concentration `alpha`, of which `total` is the sum over the vector, at a fixed probability and
/// divided by `1 - self`.
///
/// Errors: `dtype` if a tensor is not floating point.
///
/// Gradient: none.
///
/// Source: Figurnov, Mohamed and Mnih, "Implicit Reparameterization Gradients" (2018).
#[op(
    leaf,
    "dirichlet_grad(Tensor self, Tensor alpha, Tensor total) -> Tensor",
    samples = || samples::calls([vec![
        samples::real(&[13, 4], 0.05, 0.95),
        samples::real(&[13, 4], 0.3, 3.0),
        samples::real(&[13, 4], 3.5, 9.0),
    ]])
)]
fn dirichlet_grad(x: &Tensor, alpha: &Tensor, total: &Tensor) -> Result<Tensor> {
    apply_detached("dirichlet_grad", &special::BETA_GRAD, &[x, alpha, total])
}

/// The mean up to which the quantiles of a discrete distribution are found by a search from 0.
const MAX_SEARCHED: f64 = 30.0;

/// The steps of that search. The probability of a larger number is below 2^-27 at the largest mean.
const STEPS: usize = 68;

/// The smallest number whose probability, and the probabilities of all numbers below it, add up to
/// more than `u`. The first probability is `first`, and `ratio(k)` is the quotient of the
/// probabilities of `k` and `k - 1`.
fn search(u: &Expr, first: &Expr, ratio: impl Fn(f64) -> Expr) -> Expr {
    let (mut probability, mut sum) = (first.clone(), first.clone());
    let mut count = Expr::constant(0.0, Type::F32);
    for k in 1..=STEPS {
        count = count + u.ge(&sum).select(1.0, 0.0);
        probability = probability * ratio(k as f64);
        sum = sum + &probability;
    }
    count
}

/// The quantile near a guess, which may be off by 3: the probabilities of the numbers up to the
/// guess minus 3 are `below`, and the quotients of the next probabilities follow from `ratio`.
fn correct(u: &Expr, guess: &Expr, probability: &Expr, sum: &Expr, ratio: impl Fn(&Expr) -> Expr) -> Expr {
    let (mut probability, mut sum, mut count) = (probability.clone(), sum.clone(), guess.clone());
    for step in 1..=6 {
        count = count + u.ge(&sum).select(1.0, 0.0);
        probability = probability * ratio(&(guess + f64::from(step)));
        sum = sum + &probability;
    }
    count
}

/// Stirling's series of the logarithm of the factorial, without its leading terms, for numbers from
/// 5.
fn stirling(k: &Expr) -> Expr {
    let inverse = k.reciprocal();
    let square = inverse.square();
    inverse * (1.0 / 12.0 - &square * (1.0 / 360.0 - &square * (1.0 / 1260.0)))
}

/// `k log(k / mean) + mean - k`, without cancellation.
fn deviance(k: &Expr, mean: &Expr) -> Expr {
    let difference = (k - mean) / k;
    -(((-&difference).log1p() + &difference) * k)
}

/// Poisson-distributed random numbers of mean `self`.
///
/// Each is the quantile of one uniform number of 24 bits.
///
/// Errors: `dtype` if `self` is not floating point.
///
/// Gradient: none.
///
/// Source: a search from 0 up to a mean of 30, and otherwise the incomplete gamma function (DLMF
/// 8.2.4) from the guess of Cornish and Fisher, "Moments and Cumulants in the Specification of
/// Distributions" (1938).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::full([10_000], 100.0)?.poisson()?;
/// assert!((pollster::block_on(x.mean_all()?.item())? - 100.0).abs() < 1.0);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "poisson(Tensor self) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[13, 17], 0.0, 60.0)]])
)]
fn poisson(x: &Tensor) -> Result<Tensor> {
    let op = "poisson";
    float(op, Some(x.dtype()))?;
    let ([word], params) = words(op, x.device())?;
    let mean = Expr::input(0, x.dtype().into()).cast(Type::F32);
    let expr = poisson_number(&mean, &word);
    pointwise::launch(op, &expr, from_ref(&x.detach()), &params, x.dtype(), x.shape(), x.device())
}

fn poisson_number(mean: &Expr, word: &Expr) -> Expr {
    let u = unit(word.clone());
    let small = mean.min(MAX_SEARCHED);
    let near = search(&u, &(-&small).exp(), |k| &small * (1.0 / k));
    let large = mean.max(MAX_SEARCHED);
    let z = normal_quantile(word);
    let guess = (large.sqrt() * &z + &large + (z.square() - 1.0) * (1.0 / 6.0)).floor() - 3.0;
    let start = guess.max(5.0);
    let log = -deviance(&start, &large) - stirling(&start);
    let probability = log.exp() / (&start * (2.0 * PI)).sqrt();
    let sum = special::GAMMAINCC.call(&[&(&start + 1.0), &large]);
    let far = correct(&u, &start, &probability, &sum, |k| &large / k);
    mean.lt(MAX_SEARCHED).select(near, far)
}

/// Binomially distributed random numbers: the successes in `self` trials of probability `prob`,
/// broadcast.
///
/// Each is the quantile of one uniform number of 24 bits.
///
/// Errors: `dtype` if a tensor is not floating point; `shape` if the shapes do not broadcast.
///
/// Gradient: none.
///
/// Source: a search from 0 if successes or failures have a mean of at most 30, and otherwise the
/// incomplete beta function (DLMF 8.17.5) from the guess of Cornish and Fisher, "Moments and
/// Cumulants in the Specification of Distributions" (1938), with probabilities by Loader, "Fast and
/// Accurate Computation of Binomial Probabilities" (2000).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::full([10_000], 400.0)?.binomial(&Tensor::full([], 0.25)?)?;
/// assert!((pollster::block_on(x.mean_all()?.item())? - 100.0).abs() < 1.0);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "binomial(Tensor self, Tensor prob) -> Tensor",
    samples = || samples::calls([
        vec![samples::tensor(&[13, 17], DType::F32, 20.0, 21.0), samples::real(&[17], 0.0, 1.0)],
        vec![samples::tensor(&[40], DType::F32, 300.0, 301.0), samples::real(&[40], 0.2, 0.8)],
    ])
)]
fn binomial(x: &Tensor, prob: &Tensor) -> Result<Tensor> {
    let op = "binomial";
    float(op, Some(x.dtype()))?;
    float(op, Some(prob.dtype()))?;
    let inputs = [x.detach(), prob.detach()];
    let device = pointwise::common_device(op, &inputs)?;
    let shape = x.shape().broadcast(op, prob.shape())?;
    let ([word], params) = words(op, &device)?;
    let number = |slot: usize, tensor: &Tensor| Expr::input(slot, tensor.dtype().into()).cast(Type::F32);
    let expr = binomial_number(&number(0, x), &number(1, prob), &word);
    pointwise::launch(op, &expr, &inputs, &params, x.dtype(), &shape, &device)
}

fn binomial_number(count: &Expr, prob: &Expr, word: &Expr) -> Expr {
    // The rarer of successes and failures.
    let is_rare = prob.le(0.5);
    let p = is_rare.select(prob, 1.0 - prob);
    let q = 1.0 - &p;
    let mean = count * &p;
    let u = unit(word.clone());
    let odds = &p / &q;
    let near = search(&u, &((-&p).log1p() * count).exp(), |k| ((count + (1.0 - k)) * &odds * (1.0 / k)).max(0.0));
    // Numbers for which the formulas hold, where the search is used.
    let is_near = mean.le(MAX_SEARCHED);
    let n = is_near.select(4.0 * MAX_SEARCHED, count);
    let (p, q) = (is_near.select(0.5, &p), is_near.select(0.5, &q));
    let (mean, rest) = (&n * &p, &n * &q);
    let odds = &p / &q;
    let z = normal_quantile(word);
    let skew = (&q - &p) * (z.square() - 1.0) * (1.0 / 6.0);
    let start = ((&mean * &q).sqrt() * z + &mean + skew).floor().max(8.0).min(&n - 8.0) - 3.0;
    let failures = &n - &start;
    let log =
        stirling(&n) - stirling(&start) - stirling(&failures) - deviance(&start, &mean) - deviance(&failures, &rest);
    let probability = log.exp() * (&n / (&start * &failures * (2.0 * PI))).sqrt();
    // The probability of at most `start` successes is an incomplete beta function of `q`.
    let total = &n + 1.0;
    let tail = special::BETA_TAIL.call(&[&q, &failures, &total]) * &probability * &failures;
    let sum = (&q * &total).lt(&failures).select(&tail, 1.0 - &tail * &odds);
    let far = correct(&u, &start, &probability, &sum, |k| (&n - k + 1.0) / k * &odds);
    let rare = is_near.select(near, far).min(count);
    is_rare.select(&rare, count - &rare)
}

/// The quantile of the standard normal distribution of a uniform number above 0.
fn normal_quantile(word: &Expr) -> Expr {
    special::ERFINV.call(&[&(above_zero(word.clone()) * 2.0 - 1.0)]) * 2f64.sqrt()
}

pub(crate) static OPS: &[&Op] =
    &[&STANDARD_GAMMA, &STANDARD_GAMMA_GRAD, &SAMPLE_DIRICHLET, &DIRICHLET_GRAD, &POISSON, &BINOMIAL];
