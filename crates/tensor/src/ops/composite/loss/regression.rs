//! Elementwise losses: distances of numbers, and likelihoods of distributions with one or two
//! parameters.

use super::{check_same_shape, pairs, reduced, weighted};
use crate::{
    Error, KlReduction, Reduction, Result, Scalar, Tensor,
    ops::{
        Op,
        leaf::activation::log_sigmoid,
        pointwise::{Argument, Rule, apply},
    },
    samples, trace,
};
use lanthorn_ir::{Requirement, expr::Expr, require_all, special};
use lanthorn_macros::op;
use std::f64::consts::PI;

/// The losses of pairs by an expression of both and some numbers.
fn between(
    op: &'static Op,
    [input, target]: [&Tensor; 2],
    parameters: &[f64],
    expression: impl Fn(&Expr, &Expr, &[Expr]) -> Expr,
) -> Result<Tensor> {
    let mut arguments = vec![Argument::tensor(input), Argument::tensor(target)];
    arguments.extend(parameters.iter().map(|&number| Argument::parameter(Scalar::Float(number))));
    apply(op, Rule::Float, &arguments, |values| expression(&values[0], &values[1], &values[2..]))
}

/// The squared error `(x - y)^2`, as `torch.nn.functional.mse_loss`.
///
/// `self` and `target` broadcast together. `reduction` is `"mean"`, `"sum"`, or `"none"`, whose
/// result has the broadcast shape.
///
/// With `weight`, which has the shape of `self`, the losses are multiplied by it, and the mean is
/// their sum divided by the sum of the weights.
///
/// Errors: `shape` if the shapes do not broadcast, or `weight` has another shape than `self`;
/// `argument` if `reduction` is unknown.
#[op(
    composite,
    "mse_loss(Tensor self, Tensor target, *, str{none|mean|sum} reduction=\"mean\", Tensor? weight=None) -> Tensor",
    autocast = widen,
    opmath,
    samples = weighted_pairs
)]
fn mse_loss(input: &Tensor, target: &Tensor, reduction: Reduction, weight: Option<&Tensor>) -> Result<Tensor> {
    if let Some(weight) = weight {
        let losses = input.mse_loss_with(target, Reduction::None, None)?;
        return reduce_by_weight("mse_loss", input, &losses, reduction, weight);
    }
    reduced(&between(&MSE_LOSS, [input, target], &[], |x, y, _| (x - y).square())?, reduction)
}

/// Samples of [`pairs`], and of pairs with a weight.
fn weighted_pairs() -> Vec<samples::Sample> {
    let x = || samples::real(&[3, 4], -2.0, 2.0);
    let weight = || samples::real(&[3, 4], 0.5, 2.0);
    let mut all = pairs((-2.0, 2.0), (-2.0, 2.0));
    all.extend(samples::calls(["mean", "none"].map(|reduction| vec![x(), x(), samples::text(reduction), weight()])));
    all
}

/// The reduction of losses that are multiplied by `weight`. The losses come from a call of the op
/// without weight, which an exported program can contain: ATen's losses have no weights.
fn reduce_by_weight(
    op: &str,
    input: &Tensor,
    losses: &Tensor,
    reduction: Reduction,
    weight: &Tensor,
) -> Result<Tensor> {
    if weight.shape() != input.shape() {
        let message = format!("the weight must have the shape {} of the input, not {}", input.shape(), weight.shape());
        return Err(Error::shape(op, message));
    }
    let losses = losses.mul(weight).map_err(|error| error.in_op(op))?;
    match reduction {
        Reduction::Mean => losses.sum((), false)?.div(weight.sum((), false)?),
        reduction => reduced(&losses, reduction),
    }
}

/// The absolute error `|x - y|`, as `torch.nn.functional.l1_loss`; its gradient is 0 where both are
/// equal.
///
/// Shapes, `reduction`, `weight` and errors are as in [`mse_loss`](Tensor::mse_loss).
#[op(
    composite,
    "l1_loss(Tensor self, Tensor target, *, str{none|mean|sum} reduction=\"mean\", Tensor? weight=None) -> Tensor",
    autocast = widen,
    opmath,
    samples = weighted_pairs
)]
fn l1_loss(input: &Tensor, target: &Tensor, reduction: Reduction, weight: Option<&Tensor>) -> Result<Tensor> {
    if let Some(weight) = weight {
        let losses = input.l1_loss_with(target, Reduction::None, None)?;
        return reduce_by_weight("l1_loss", input, &losses, reduction, weight);
    }
    reduced(&between(&L1_LOSS, [input, target], &[], |x, y, _| (x - y).abs())?, reduction)
}

/// The smooth L1 loss, as `torch.nn.functional.smooth_l1_loss` (Girshick, 2015): with
/// `d = |x - y|`, `d^2 / (2 * beta)` where `d < beta`, otherwise `d - beta / 2`.
///
/// Shapes, `reduction` and errors are as in [`mse_loss`](Tensor::mse_loss); a negative `beta` is an
/// `argument` error too.
#[op(
    composite,
    "smooth_l1_loss(Tensor self, Tensor target, *, str{none|mean|sum} reduction=\"mean\", float beta=1.0) -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let mut all = pairs((-2.0, 2.0), (-2.0, 2.0));
        let x = || samples::real(&[7], -2.0, 2.0);
        all.extend(samples::calls([vec![x(), x(), samples::text("sum"), samples::float(0.5)], vec![x(), x(), samples::text("sum"), samples::int(0)]]));
        all
    }
)]
fn smooth_l1_loss(input: &Tensor, target: &Tensor, reduction: Reduction, beta: f64) -> Result<Tensor> {
    let op = "smooth_l1_loss";
    if beta.is_nan() || beta < 0.0 {
        return Err(Error::argument(op, format!("beta must not be negative, not {beta}")));
    }
    if beta == 0.0 {
        return input.l1_loss_with(target, reduction, None).map_err(|error| error.in_op(op));
    }
    let losses = between(&SMOOTH_L1_LOSS, [input, target], &[beta], |x, y, parameters| {
        let (difference, beta) = (x - y, &parameters[0]);
        let distance = difference.abs();
        // NaN takes the side whose derivative is NaN.
        distance.ge(beta).select(&distance - beta * 0.5, difference.square() / (beta * 2.0))
    })?;
    reduced(&losses, reduction)
}

/// The Huber loss, as `torch.nn.functional.huber_loss` (Huber, 1964): with `d = |x - y|`, `d^2 / 2`
/// where `d <= delta`, otherwise `delta * (d - delta / 2)`.
///
/// Shapes, `reduction` and errors are as in [`mse_loss`](Tensor::mse_loss); a `delta` that is not
/// positive is an `argument` error too.
#[op(
    composite,
    "huber_loss(Tensor self, Tensor target, *, str{none|mean|sum} reduction=\"mean\", float delta=1.0, Tensor? weight=None) -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let mut all = pairs((-2.0, 2.0), (-2.0, 2.0));
        let x = || samples::real(&[7], -2.0, 2.0);
        let weight = samples::real(&[7], 0.5, 2.0);
        all.extend(samples::calls([
            vec![x(), x(), samples::text("sum"), samples::float(0.5)],
            vec![x(), x(), samples::text("mean"), samples::float(0.5), weight],
        ]));
        all
    }
)]
fn huber_loss(
    input: &Tensor,
    target: &Tensor,
    reduction: Reduction,
    delta: f64,
    weight: Option<&Tensor>,
) -> Result<Tensor> {
    let op = "huber_loss";
    if delta.is_nan() || delta <= 0.0 {
        return Err(Error::argument(op, format!("delta must be positive, not {delta}")));
    }
    if let Some(weight) = weight {
        let losses = input.huber_loss_with(target, Reduction::None, delta, None)?;
        return reduce_by_weight(op, input, &losses, reduction, weight);
    }
    let losses = between(&HUBER_LOSS, [input, target], &[delta], |x, y, parameters| {
        let (difference, delta) = (x - y, &parameters[0]);
        let distance = difference.abs();
        // NaN takes the side whose derivative is NaN.
        distance.gt(delta).select((&distance - delta * 0.5) * delta, difference.square() * 0.5)
    })?;
    reduced(&losses, reduction)
}

/// The binary cross entropy of probabilities, as `torch.nn.functional.binary_cross_entropy`:
/// `-weight * (y * log(x) + (1 - y) * log(1 - x))`, with logarithms limited to -100 from below.
///
/// `self` and `target` have one shape, to which `weight` broadcasts. `reduction` is `"mean"`,
/// `"sum"`, or `"none"`, whose result has the shape of `self`. The gradient is
/// `(x - y) / max(x * (1 - x), 1e-12)`: 0 where both are 0 or both are 1.
///
/// Errors: `shape` if the shapes differ or `weight` does not broadcast; `argument` if `reduction`
/// is unknown, or, when the result is read, if an element of `self` or `target` is not from 0 to 1.
#[op(
    composite,
    "binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, *, str{none|mean|sum} reduction=\"mean\") -> Tensor",
    opmath,
    samples = || {
        let x = || samples::real(&[4, 3], 0.1, 0.9);
        samples::calls([
            vec![x(), x()],
            vec![x(), x(), samples::real(&[3], 0.5, 2.0), samples::text("sum")],
            vec![x(), x(), samples::NONE, samples::text("none")],
        ])
    }
)]
fn binary_cross_entropy(
    input: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: Reduction,
) -> Result<Tensor> {
    let op = "binary_cross_entropy";
    check_same_shape(op, input, target)?;
    let losses = between(&BINARY_CROSS_ENTROPY, [input, target], &[], |x, y, _| {
        let inside = |x: &Expr| x.ge(0.0).and(x.le(1.0));
        let loss = special::BINARY_CROSS_ENTROPY.call(&[x, y]);
        require_all(&[(Requirement::InputProbability, inside(x)), (Requirement::TargetProbability, inside(y))], &loss)
    })?;
    reduced(&weighted(op, losses, weight)?, reduction)
}

/// The binary cross entropy of logits, as `torch.nn.functional.binary_cross_entropy_with_logits`:
/// `-weight * (pos_weight * y * log(sigmoid(x)) + (1 - y) * log(1 - sigmoid(x)))`, computed without
/// the loss of precision of a sigmoid followed by a logarithm.
///
/// `self` and `target` have one shape, to which both weights broadcast. `reduction` is `"mean"`,
/// `"sum"`, or `"none"`, whose result has the shape of `self`.
///
/// Errors: `shape` if the shapes differ or a weight does not broadcast; `argument` if `reduction`
/// is unknown.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let (logits, target) = (Tensor::zeros([3])?, Tensor::ones([3])?);
/// let loss = logits.binary_cross_entropy_with_logits(&target, None)?;
/// assert!((pollster::block_on(loss.item())? - 2f64.ln()).abs() < 1e-6);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, *, str{none|mean|sum} reduction=\"mean\", Tensor? pos_weight=None) -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = || samples::real(&[4, 3], -3.0, 3.0);
        let y = || samples::real(&[4, 3], 0.0, 1.0);
        let weight = || samples::real(&[3], 0.5, 2.0);
        samples::calls([
            vec![x(), y()],
            vec![x(), y(), weight(), samples::text("sum"), weight()],
            vec![x(), y(), samples::NONE, samples::text("none"), weight()],
        ])
    }
)]
fn binary_cross_entropy_with_logits(
    input: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: Reduction,
    pos_weight: Option<&Tensor>,
) -> Result<Tensor> {
    let op = "binary_cross_entropy_with_logits";
    check_same_shape(op, input, target)?;
    let arguments: Vec<Argument> = [input, target].into_iter().chain(pos_weight).map(Argument::tensor).collect();
    let losses = apply(&BINARY_CROSS_ENTROPY_WITH_LOGITS, Rule::Float, &arguments, |values| {
        let (x, y) = (&values[0], &values[1]);
        let likelihood = log_sigmoid(x);
        let positive = match values.get(2) {
            Some(weight) => likelihood * ((weight - 1.0) * y + 1.0),
            None => likelihood,
        };
        (1.0 - y) * x - positive
    })?;
    if losses.shape() != input.shape() {
        let (shape, weights) = (input.shape(), pos_weight.map_or(input.shape(), Tensor::shape));
        return Err(Error::shape(
            op,
            format!("pos_weight of shape {weights} does not broadcast to an input of {shape}"),
        ));
    }
    reduced(&weighted(op, losses, weight)?, reduction)
}

/// The logistic loss `log(1 + exp(-y * x))` with targets `y` of 1 and -1, as
/// `torch.nn.functional.soft_margin_loss`.
///
/// Shapes, `reduction` and errors are as in [`mse_loss`](Tensor::mse_loss).
#[op(
    composite,
    "soft_margin_loss(Tensor self, Tensor target, *, str{none|mean|sum} reduction=\"mean\") -> Tensor",
    autocast = widen,
    opmath,
    samples = || pairs((-3.0, 3.0), (-1.0, 1.0))
)]
fn soft_margin_loss(input: &Tensor, target: &Tensor, reduction: Reduction) -> Result<Tensor> {
    let losses = between(&SOFT_MARGIN_LOSS, [input, target], &[], |x, y, _| -log_sigmoid(&(x * y)))?;
    reduced(&losses, reduction)
}

/// The terms of the Kullback-Leibler divergence, as `torch.nn.functional.kl_div`:
/// `y * (log(y) - x)` for log probabilities `x` in `self` and probabilities `y`, or
/// `exp(y) * (y - x)` with `log_target`.
///
/// Shapes, `reduction` and errors are as in [`mse_loss`](Tensor::mse_loss). `reduction` may also be
/// `"batchmean"`, the sum divided by the size of dimension 0, which is the divergence by its
/// definition.
#[op(
    composite,
    "kl_div(Tensor self, Tensor target, *, str{none|batchmean|mean|sum} reduction=\"mean\", bool log_target=False) -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let mut all = pairs((-3.0, -0.1), (0.1, 1.0));
        let x = || samples::real(&[3, 4], -3.0, -0.1);
        all.extend(samples::calls([vec![x(), x(), samples::text("batchmean"), samples::flag(true)]]));
        all
    }
)]
fn kl_div(input: &Tensor, target: &Tensor, reduction: KlReduction, log_target: bool) -> Result<Tensor> {
    let reduction = match reduction {
        KlReduction::BatchMean => {
            let batch = input.shape().first().copied().unwrap_or(1);
            return input.kl_div_with(target, KlReduction::Sum, log_target)?.div(batch as f64);
        }
        KlReduction::None => Reduction::None,
        KlReduction::Mean => Reduction::Mean,
        KlReduction::Sum => Reduction::Sum,
    };
    let losses = between(&KL_DIV, [input, target], &[], |x, y, _| match log_target {
        true => y.exp() * (y - x),
        false => special::XLOGY.call(&[y, y]) - y * x,
    })?;
    reduced(&losses, reduction)
}

/// The negative log likelihood of counts under Poisson distributions, as
/// `torch.nn.functional.poisson_nll_loss`: `exp(x) - y * x` with `log_input`, otherwise
/// `x - y * log(x + eps)`.
///
/// `full` adds Stirling's approximation `y * log(y) - y + log(2 * pi * y) / 2` where `y > 1`.
/// Shapes, `reduction` and errors are as in [`mse_loss`](Tensor::mse_loss).
#[op(
    composite,
    "poisson_nll_loss(Tensor self, Tensor target, *, bool log_input=True, bool full=False, float eps=1e-08, str{none|mean|sum} reduction=\"mean\") -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let (x, y) = (|| samples::real(&[4, 3], 0.2, 2.0), || samples::real(&[4, 3], 0.1, 4.0));
        let (yes, no) = (|| samples::flag(true), || samples::flag(false));
        samples::calls([
            vec![x(), y()],
            vec![x(), y(), no(), yes(), samples::float(1e-4), samples::text("sum")],
            vec![x(), y(), yes(), yes(), samples::float(1e-8), samples::text("none")],
        ])
    }
)]
fn poisson_nll_loss(
    input: &Tensor,
    target: &Tensor,
    log_input: bool,
    full: bool,
    eps: f64,
    reduction: Reduction,
) -> Result<Tensor> {
    let losses = between(&POISSON_NLL_LOSS, [input, target], &[eps], |x, y, parameters| {
        let loss = if log_input { x.exp() - y * x } else { x - y * (x + &parameters[0]).log() };
        if !full {
            return loss;
        }
        let large = y.gt(1.0);
        let safe = large.select(y, 1.0);
        let log = safe.log();
        loss + large.select(&safe * &log - &safe + (log + (2.0 * PI).ln()) * 0.5, 0.0)
    })?;
    reduced(&losses, reduction)
}

/// The negative log likelihood under normal distributions, as
/// `torch.nn.functional.gaussian_nll_loss` (Nix and Weigend, 1994): `(log(v) + (x - y)^2 / v) / 2`
/// with `v = max(var, eps)`.
///
/// `self: [*, D]`, to which `target` broadcasts; `var` has the shape of `self`, `[*]`, or the same
/// shape with one size of 1. The gradient ignores the limit `eps`, and `full` adds `log(2 * pi) /
/// 2`. `reduction` is as in [`mse_loss`](Tensor::mse_loss).
///
/// Errors: `shape` if the shapes do not fit; `argument` if `eps` is not positive or `reduction` is
/// unknown, or, when the result is read, if an element of `var` is negative.
#[op(
    composite,
    "gaussian_nll_loss(Tensor self, Tensor target, Tensor var, *, bool full=False, float eps=1e-06, str{none|mean|sum} reduction=\"mean\") -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let (x, var) = (|| samples::real(&[4, 3], -2.0, 2.0), |shape: &[i64]| samples::real(shape, 0.3, 2.0));
        samples::calls([
            vec![x(), x(), var(&[4, 3])],
            vec![x(), x(), var(&[4]), samples::flag(true), samples::float(1e-4), samples::text("sum")],
            vec![x(), x(), var(&[4, 1]), samples::flag(false), samples::float(1e-6), samples::text("none")],
        ])
    }
)]
fn gaussian_nll_loss(
    input: &Tensor,
    target: &Tensor,
    var: &Tensor,
    full: bool,
    eps: f64,
    reduction: Reduction,
) -> Result<Tensor> {
    let op = "gaussian_nll_loss";
    let (sizes, given) = (&input.shape()[..], &var.shape()[..]);
    let rows = &sizes[..sizes.len().saturating_sub(1)];
    let var = match () {
        _ if given == sizes => var.clone(),
        _ if given == rows => var.unsqueeze(-1)?,
        // One dimension may have size 1, which is broadcast.
        _ if given.len() == sizes.len()
            && given.iter().zip(sizes).filter(|(one, size)| one != size).map(|(one, _)| *one).eq([1]) =>
        {
            var.clone()
        }
        _ => {
            let message = format!(
                "var must have the shape of the input, but for one dimension that is 1 or left out last, not shape {} for {}",
                var.shape(),
                input.shape()
            );
            return Err(Error::shape(op, message));
        }
    };
    if eps.is_nan() || eps <= 0.0 {
        return Err(Error::argument(op, format!("eps must be positive, not {eps}")));
    }
    // A program has no such check.
    let var = match trace::is_active() {
        true => var,
        false => apply(&GAUSSIAN_NLL_LOSS, Rule::Float, &[Argument::tensor(&var)], |values| {
            let var = &values[0];
            require_all(&[(Requirement::Variance, var.ge(0.0).or(var.is_nan()))], var)
        })?,
    };
    // At least `eps`, with the gradient of `var`.
    let kept = var.detach();
    let var = Tensor::r#where(&kept.lt(eps)?, var.sub(&kept)?.add(eps)?, &var)?;
    let constant = if full { (2.0 * PI).ln() } else { 0.0 };
    let errors = input.sub(target)?.square()?.div(&var)?;
    let losses = errors.add(var.log()?)?.add(constant)?.mul(0.5)?;
    reduced(&losses, reduction)
}

pub(crate) static OPS: &[&Op] = &[
    &MSE_LOSS,
    &L1_LOSS,
    &SMOOTH_L1_LOSS,
    &HUBER_LOSS,
    &BINARY_CROSS_ENTROPY,
    &BINARY_CROSS_ENTROPY_WITH_LOGITS,
    &SOFT_MARGIN_LOSS,
    &KL_DIV,
    &POISSON_NLL_LOSS,
    &GAUSSIAN_NLL_LOSS,
];
