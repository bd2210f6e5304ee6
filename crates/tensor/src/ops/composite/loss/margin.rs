//! Losses that are 0 beyond a margin.

use super::{
    classification::{class_indices, is_class},
    pairs, reduced, weighted,
};
use crate::{
    Error, Reduction, Result, Scalar, Tensor,
    ops::{
        Op,
        composite::like,
        leaf,
        pointwise::{Argument, Rule, apply},
    },
    samples,
};
use lanthorn_ir::{expr::Expr, special};
use lanthorn_macros::op;

/// `x` where it is positive, else 0. The gradient at 0 and at NaN is 0.
fn positive(x: &Expr) -> Expr {
    special::CLAMP_MIN.call(&[x, &Expr::constant(0.0, x.ty())])
}

/// `x` where it is positive, else 0, also for NaN: a class whose distance is NaN does not count.
fn zero_nan_and_negative(x: Tensor) -> Result<Tensor> {
    Tensor::r#where(&x.gt(0)?, &x, 0)
}

/// The hinge embedding loss, as `torch.nn.functional.hinge_embedding_loss`: `x` where the target is
/// 1, `max(0, margin - x)` where it is -1.
///
/// `self` and `target` broadcast together. `reduction` is `"mean"`, `"sum"`, or `"none"`, whose
/// result has the broadcast shape.
///
/// Errors: `shape` if the shapes do not broadcast; `argument` if `reduction` is unknown.
#[op(
    composite,
    "hinge_embedding_loss(Tensor self, Tensor target, *, float margin=1.0, str{none|mean|sum} reduction=\"mean\") -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = || samples::real(&[4, 3], -2.0, 2.0);
        let sign = || samples::tensor(&[4, 3], crate::DType::I32, -1.0, 2.0);
        samples::calls([vec![x(), sign()], vec![x(), sign(), samples::float(0.5), samples::text("none")]])
    }
)]
fn hinge_embedding_loss(input: &Tensor, target: &Tensor, margin: f64, reduction: Reduction) -> Result<Tensor> {
    let arguments = [Argument::tensor(input), Argument::tensor(target), Argument::parameter(Scalar::Float(margin))];
    let losses = apply(&HINGE_EMBEDDING_LOSS, Rule::Float, &arguments, |values| {
        let [x, y, margin] = values else { unreachable!("three arguments are given") };
        let below = margin - x;
        let lacking = positive(&below);
        y.not_equal(1.0).select(lacking, 0.0) + y.not_equal(-1.0).select(x, 0.0)
    })?;
    reduced(&losses, reduction)
}

/// The margin ranking loss, as `torch.nn.functional.margin_ranking_loss`:
/// `max(0, margin - y * (x1 - x2))` with targets `y` of 1 and -1.
///
/// The three tensors have the same number of dimensions and broadcast together. `reduction` is
/// `"mean"`, `"sum"`, or `"none"`, whose result has the broadcast shape.
///
/// Errors: `shape` if the numbers of dimensions differ or the shapes do not broadcast; `argument`
/// if `reduction` is unknown.
#[op(
    composite,
    "margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, *, float margin=0.0, str{none|mean|sum} reduction=\"mean\") -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = || samples::real(&[4, 3], -2.0, 2.0);
        samples::calls([vec![x(), x(), x()], vec![x(), x(), x(), samples::float(0.5), samples::text("none")]])
    }
)]
fn margin_ranking_loss(
    input1: &Tensor,
    input2: &Tensor,
    target: &Tensor,
    margin: f64,
    reduction: Reduction,
) -> Result<Tensor> {
    let op = "margin_ranking_loss";
    let tensors = [input1, input2, target];
    if tensors.iter().any(|tensor| tensor.rank() != input1.rank()) {
        let [first, second, target] = tensors.map(Tensor::shape);
        return Err(Error::shape(
            op,
            format!("as many dimensions each are needed, not {first}, {second} and {target}"),
        ));
    }
    let mut arguments: Vec<Argument> = tensors.into_iter().map(Argument::tensor).collect();
    arguments.push(Argument::parameter(Scalar::Float(margin)));
    let losses = apply(&MARGIN_RANKING_LOSS, Rule::Float, &arguments, |values| {
        let lacking = &values[3] - &values[2] * (&values[0] - &values[1]);
        positive(&lacking)
    })?;
    reduced(&losses, reduction)
}

/// A floating-point batch of class scores `[N, C]`, from `[N, C]`, `[C]` or `[]`.
fn scores(op: &str, input: &Tensor) -> Result<Tensor> {
    let matrix = match input.rank() {
        0 | 1 => input.reshape([1, -1]),
        2 => Ok(input.clone()),
        _ => Err(Error::shape(op, format!("scores [N, C] or [C] are needed, not shape {}", input.shape()))),
    }?;
    if matrix.shape()[1] == 0 {
        return Err(Error::shape(op, format!("an input of shape {} has no classes", input.shape())));
    }
    like::floating(&matrix)
}

/// The multi-class hinge loss, as `torch.nn.functional.multi_margin_loss`:
/// `weight[y] * sum(max(0, margin - x[y] + x[j])^p) / C`, the sum over the classes `j` other than
/// the target `y`.
///
/// `self: [N, C]` or `[C]`, `target: [N]` or `[]`, an integer type; `weight: [C]`. `reduction` is
/// `"mean"`, `"sum"`, or `"none"`, whose result has the shape of `target`.
///
/// Errors: `shape` if `self` has more than two dimensions or no classes, or `target` or `weight`
/// does not fit; `dtype` if `target` is not of an integer type; `argument` if `p` is neither 1 nor
/// 2 or `reduction` is unknown; `index`, when the result is read, if a target is not a class.
#[op(
    composite,
    "multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, *, str{none|mean|sum} reduction=\"mean\") -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        samples::calls([
            vec![x(&[4, 3]), samples::index(&[4], 3)],
            vec![x(&[4, 3]), samples::index(&[4], 3), samples::int(2), samples::float(0.5), samples::real(&[3], 0.5, 2.0), samples::text("none")],
            vec![x(&[3]), samples::index(&[], 3)],
        ])
    }
)]
fn multi_margin_loss(
    input: &Tensor,
    target: &Tensor,
    p: Scalar,
    margin: Scalar,
    weight: Option<&Tensor>,
    reduction: Reduction,
) -> Result<Tensor> {
    let op = "multi_margin_loss";
    let x = scores(op, input)?;
    let (batch, classes) = (x.shape()[0], x.shape()[1]);
    if target.rank() > 1 || target.numel() != batch {
        let message =
            format!("an input of shape {} takes one target an example, not shape {}", input.shape(), target.shape());
        return Err(Error::shape(op, message));
    }
    let target = &class_indices(op, target)?;
    if let Some(weight) = weight.filter(|weight| weight.shape()[..] != [classes]) {
        return Err(Error::shape(op, format!("the weight must have shape [{classes}], not {}", weight.shape())));
    }
    let power = p.to_f64();
    if power != 1.0 && power != 2.0 {
        return Err(Error::argument(op, format!("p must be 1 or 2, not {power}")));
    }
    let index = target.reshape([-1])?;
    let own = is_class(op, &index, x.shape(), 1)?;
    let score = Tensor::r#where(&own, &x, 0.0)?.sum(1, true)?;
    let lacking = zero_nan_and_negative(x.sub(&score)?.add(margin)?)?;
    let lacking = if power == 2.0 { lacking.square()? } else { lacking };
    let losses = Tensor::r#where(&own, 0.0, lacking)?.sum(1, false)?.div(classes as f64)?;
    let weight = weight.map(|weight| weight.index_select(0, &index)).transpose()?;
    reduced(&weighted(op, losses, weight.as_ref())?.reshape(target.shape())?, reduction)
}

/// The multi-label hinge loss, as `torch.nn.functional.multilabel_margin_loss`:
/// `sum(max(0, 1 - (x[y] - x[j]))) / C`, the sum over the labels `y` of an example and the classes
/// `j` that are not among them.
///
/// `self: [N, C]` or `[C]`; `target` has the same shape and an integer type, and lists the labels
/// of each example up to the first negative number. `reduction` is `"mean"`, `"sum"`, or `"none"`,
/// whose result is `[N]` or `[]`.
///
/// Errors: `shape` if `self` has more than two dimensions or no classes, or `target` does not fit;
/// `dtype` if `target` is not of an integer type; `argument` if `reduction` is unknown; `index`,
/// when the result is read, if a label is not a class.
#[op(
    composite,
    "multilabel_margin_loss(Tensor self, Tensor target, *, str{none|mean|sum} reduction=\"mean\") -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        let labels = |shape: &[i64]| samples::tensor(shape, crate::DType::I32, -1.0, 4.0);
        samples::calls([
            vec![x(&[5, 4]), labels(&[5, 4])],
            vec![x(&[5, 4]), labels(&[5, 4]), samples::text("none")],
            vec![x(&[4]), labels(&[4]), samples::text("sum")],
        ])
    }
)]
fn multilabel_margin_loss(input: &Tensor, target: &Tensor, reduction: Reduction) -> Result<Tensor> {
    let op = "multilabel_margin_loss";
    let x = scores(op, input)?;
    if target.numel() != input.numel()
        || (target.rank().max(1), target.shape().last()) != (input.rank().max(1), input.shape().last())
    {
        return Err(Error::shape(
            op,
            format!("a target of shape {} for an input of shape {}", target.shape(), input.shape()),
        ));
    }
    let target = &leaf::index::as_index(op, target)?;
    let target = target.reshape(x.shape())?;
    let position = Tensor::arange_with(0, x.shape()[1] as i64, 1, None, Some(x.device()))?;
    // [N, position in the list, earlier position]: an entry counts if none up to it is negative.
    let ended = target.lt(0)?.unsqueeze(1)?.logical_and(&position.le(&position.unsqueeze(1)?)?)?.any(2, false)?;
    let counts = ended.logical_not()?;
    let label = Tensor::r#where(&counts, &target, 0)?;
    // [N, position in the list, class]
    let named = label.unsqueeze(2)?.eq(&position)?.logical_and(&counts.unsqueeze(2)?)?;
    let other = named.any(1, true)?.logical_not()?;
    let score = x.gather(1, &label)?;
    let lacking = zero_nan_and_negative(x.unsqueeze(1)?.sub(score.unsqueeze(2)?)?.add(1)?)?;
    let taken = counts.unsqueeze(2)?.logical_and(&other)?;
    let losses = Tensor::r#where(&taken, lacking, 0.0)?.sum([1, 2], false)?.div(x.shape()[1] as f64)?;
    let losses = if input.rank() < 2 { losses.reshape([])? } else { losses };
    reduced(&losses, reduction)
}

/// The binary cross entropy of logits, averaged over the classes, as
/// `torch.nn.functional.multilabel_soft_margin_loss`:
/// `-mean(y * log(sigmoid(x)) + (1 - y) * log(sigmoid(-x)))`.
///
/// `self` and `target`: `[N, C]` or `[C]`; `weight` broadcasts to them and multiplies the terms.
/// `reduction` is `"mean"`, `"sum"`, or `"none"`, whose result is `[N]` or `[]`.
///
/// Errors: `shape` if `self` is 0-d or the shapes do not broadcast; `argument` if `reduction` is
/// unknown.
#[op(
    composite,
    "multilabel_soft_margin_loss(Tensor self, Tensor target, Tensor? weight=None, *, str{none|mean|sum} reduction=\"mean\") -> Tensor",
    opmath,
    samples = || {
        let mut all = pairs((-3.0, 3.0), (0.0, 1.0));
        let x = || samples::real(&[4, 3], 0.1, 1.0);
        all.extend(samples::calls([vec![x(), x(), samples::real(&[3], 0.5, 2.0), samples::text("none")]]));
        all.retain(|sample| !matches!(&sample.args[2..], [samples::SampleArg::Value(_)]));
        all
    }
)]
fn multilabel_soft_margin_loss(
    input: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: Reduction,
) -> Result<Tensor> {
    let op = "multilabel_soft_margin_loss";
    if input.rank() == 0 {
        return Err(Error::shape(op, "the input needs a dimension of classes"));
    }
    let (inside, outside) = (input.log_sigmoid()?, input.neg()?.log_sigmoid()?);
    let losses = target.mul(inside)?.add(target.rsub(1)?.mul(outside)?)?.neg()?;
    reduced(&weighted(op, losses, weight)?.mean(-1, false)?, reduction)
}

/// The triplet margin loss, as `torch.nn.functional.triplet_margin_loss` (Balntas et al., 2016):
/// `max(0, d(anchor, positive) - d(anchor, negative) + margin)`.
///
/// All three: `[N, D]` or `[D]`. The distance `d` is
/// [`pairwise_distance`](Tensor::pairwise_distance) with `p` and `eps`. With `swap` the smaller one
/// of `d(anchor, negative)` and `d(positive, negative)` is used. `reduction` is `"mean"`, `"sum"`,
/// or `"none"`, whose result is `[N]` or `[]`.
///
/// Errors: `shape` if the numbers of dimensions differ or the shapes do not broadcast; `argument`
/// if `margin` is not positive or `reduction` is unknown.
#[op(
    composite,
    "triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, *, float margin=1.0, float p=2.0, float eps=1e-06, bool swap=False, str{none|mean|sum} reduction=\"mean\") -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = || samples::real(&[5, 3], -2.0, 2.0);
        samples::calls([
            vec![x(), x(), x()],
            vec![x(), x(), x(), samples::float(2.0), samples::float(3.0), samples::float(1e-6), samples::flag(true), samples::text("none")],
        ])
    }
)]
fn triplet_margin_loss(
    anchor: &Tensor,
    positive: &Tensor,
    negative: &Tensor,
    margin: f64,
    p: f64,
    eps: f64,
    swap: bool,
    reduction: Reduction,
) -> Result<Tensor> {
    let op = "triplet_margin_loss";
    let distance =
        |a: &Tensor, b: &Tensor| Tensor::pairwise_distance(a, b, p, eps, false).map_err(|error| error.in_op(op));
    triplet(op, [anchor, positive, negative], distance, margin, swap, reduction)
}

fn triplet(
    op: &str,
    [anchor, positive, negative]: [&Tensor; 3],
    distance: impl Fn(&Tensor, &Tensor) -> Result<Tensor>,
    margin: f64,
    swap: bool,
    reduction: Reduction,
) -> Result<Tensor> {
    if margin.is_nan() || margin <= 0.0 {
        return Err(Error::argument(op, format!("margin must be positive, not {margin}")));
    }
    if [positive, negative].iter().any(|tensor| tensor.rank() != anchor.rank()) {
        let [anchor, positive, negative] = [anchor, positive, negative].map(Tensor::shape);
        let message =
            format!("as many dimensions each are needed: anchor {anchor}, positive {positive}, negative {negative}");
        return Err(Error::shape(op, message));
    }
    let near = distance(anchor, positive)?;
    let mut far = distance(anchor, negative)?;
    if swap {
        far = far.minimum(&distance(positive, negative)?)?;
    }
    reduced(&near.sub(&far)?.add(margin)?.clamp_min(0)?, reduction)
}

impl Tensor {
    /// [`triplet_margin_loss`](Tensor::triplet_margin_loss) with any `distance`, as
    /// `torch.nn.functional.triplet_margin_with_distance_loss`. It is not in the table of ops,
    /// because a schema has no functions as arguments.
    ///
    /// Errors: as of `triplet_margin_loss` and `distance`.
    ///
    /// # Errors
    ///
    /// The error of `distance`, and `shape` if its results do not broadcast.
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// # use lanthorn_tensor::{Reduction, Tensor};
    /// let [a, p, n] = [0.0f32, 1.0, 4.0].map(|value| Tensor::full_with([2, 3], value, None, Some(&device)).unwrap());
    /// let largest = |x: &Tensor, y: &Tensor| x.sub(y)?.abs()?.amax(-1, false);
    /// let mean = Reduction::Mean;
    /// let loss = Tensor::triplet_margin_with_distance_loss(&a, &p, &n, largest, 3.5, false, mean)?;
    /// assert_eq!(pollster::block_on(loss.item())?, 0.5);
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn triplet_margin_with_distance_loss(
        anchor: &Tensor,
        positive: &Tensor,
        negative: &Tensor,
        distance: impl Fn(&Tensor, &Tensor) -> Result<Tensor>,
        margin: f64,
        swap: bool,
        reduction: Reduction,
    ) -> Result<Tensor> {
        triplet("triplet_margin_with_distance_loss", [anchor, positive, negative], distance, margin, swap, reduction)
    }
}

/// The cosine embedding loss, as `torch.nn.functional.cosine_embedding_loss`: `1 - cos(x1, x2)`
/// where the target is 1, `max(0, cos(x1, x2) - margin)` where it is -1.
///
/// `input1` and `input2`: `[N, D]` or `[D]`, `target`: `[N]` or `[]`. `reduction` is `"mean"`,
/// `"sum"`, or `"none"`, whose result has the shape of `target`.
///
/// Errors: `shape` if the numbers of dimensions do not fit or the shapes do not broadcast;
/// `argument` if `reduction` is unknown.
#[op(
    composite,
    "cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, *, float margin=0.0, str{none|mean|sum} reduction=\"mean\") -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        let sign = |shape: &[i64]| samples::tensor(shape, crate::DType::I32, -1.0, 2.0);
        samples::calls([
            vec![x(&[5, 3]), x(&[5, 3]), sign(&[5])],
            vec![x(&[5, 3]), x(&[5, 3]), sign(&[5]), samples::float(-0.5), samples::text("none")],
            vec![x(&[4]), x(&[4]), sign(&[])],
        ])
    }
)]
fn cosine_embedding_loss(
    input1: &Tensor,
    input2: &Tensor,
    target: &Tensor,
    margin: f64,
    reduction: Reduction,
) -> Result<Tensor> {
    const EPSILON: f64 = 1e-12;
    let op = "cosine_embedding_loss";
    let expected = target.rank() + 1;
    if target.rank() > 1 || input1.rank() != expected || input2.rank() != expected {
        let [first, second, target] = [input1, input2, target].map(Tensor::shape);
        let message = format!(
            "vectors [N, width] take a target [N], and [width] take []: {first}, {second} and {target} do not fit"
        );
        return Err(Error::shape(op, message));
    }
    let (x, y) = (like::floating(input1)?, like::floating(input2)?);
    let product = |a: &Tensor, b: &Tensor| a.mul(b).map_err(|error| error.in_op(op))?.sum(-1, false);
    let sizes = product(&x, &x)?.add(EPSILON)?.mul(product(&y, &y)?.add(EPSILON)?)?.sqrt()?;
    let cosine = product(&x, &y)?.div(sizes)?;
    let arguments = [Argument::tensor(&cosine), Argument::tensor(target), Argument::parameter(Scalar::Float(margin))];
    let losses = apply(&COSINE_EMBEDDING_LOSS, Rule::Float, &arguments, |values| {
        let [cosine, y, margin] = values else { unreachable!("three arguments are given") };
        let above = cosine - margin;
        let above = positive(&above);
        y.equal(1.0).select(1.0 - cosine, 0.0) + y.equal(-1.0).select(above, 0.0)
    })?;
    reduced(&losses, reduction)
}

pub(crate) static OPS: &[&Op] = &[
    &HINGE_EMBEDDING_LOSS,
    &MARGIN_RANKING_LOSS,
    &MULTI_MARGIN_LOSS,
    &MULTILABEL_MARGIN_LOSS,
    &MULTILABEL_SOFT_MARGIN_LOSS,
    &TRIPLET_MARGIN_LOSS,
    &COSINE_EMBEDDING_LOSS,
];
