//! Losses of class scores, for classifiers.

use super::reduced;
use crate::{
    DType, Error, Reduction, Result, Shape, Tensor,
    ops::{Op, leaf::index::as_index, pointwise::launch_at},
    samples,
};
use lanthorn_ir::{
    expr::{BinaryOp, Expr, Type},
    kernel::AffineIndex,
};
use lanthorn_macros::op;

/// The negative log likelihood of classes, as `torch.nn.functional.nll_loss`: `-weight[y] * x[y]`
/// for the log probabilities `x` and the class `y` of each example and position.
///
/// `self: [N, C, *]` or `[C]`, `target: [N, *]` or `[]`, an integer type or whole numbers of a
/// floating-point type, as JavaScript's numbers are; `weight: [C]`. Where the
/// target is `ignore_index` the loss is 0. `reduction` is `"mean"`, which divides by the sum of the
/// weights that were used, `"sum"`, or `"none"`, whose result has the shape of `target`.
///
/// Errors: `shape` if `self` is 0-d or `target` or `weight` does not fit; `dtype` if `target` is
/// bool; `argument` if `reduction` is unknown; `index`, when the result is read,
/// if a target is neither a class nor `ignore_index`.
#[op(
    composite,
    "nll_loss(Tensor self, Tensor target, Tensor? weight=None, *, str{none|mean|sum} reduction=\"mean\", int ignore_index=-100) -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -4.0, -0.1);
        samples::calls([
            vec![x(&[6, 5]), samples::index(&[6], 5)],
            vec![x(&[6, 5]), samples::index(&[6], 5), samples::real(&[5], 0.1, 2.0), samples::text("mean"), samples::int(3)],
            vec![x(&[2, 5, 3]), samples::index(&[2, 3], 5), samples::NONE, samples::text("none")],
            vec![x(&[5]), samples::index(&[], 5), samples::NONE, samples::text("sum")],
        ])
    }
)]
fn nll_loss(
    input: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: Reduction,
    ignore_index: i64,
) -> Result<Tensor> {
    let dim = class_dim("nll_loss", input)?;
    let target = &check_target("nll_loss", input, target, dim)?;
    let counts = target.ne(ignore_index)?;
    // An ignored target need not be a class: it is replaced by class 0 with weight 0.
    let safe = Tensor::r#where(&counts, target, 0)?;
    let picked = Tensor::r#where(&is_class("nll_loss", &safe, input.shape(), dim)?, input, 0.0)?.sum(dim, false)?;
    let mut weights = counts.to(input.dtype())?;
    if let Some(weight) = weight {
        check_weight("nll_loss", input, dim, weight)?;
        weights = weights.mul(weight.index_select(0, &safe.reshape([-1])?)?.reshape(safe.shape())?)?;
    }
    let losses = Tensor::r#where(&counts, picked.mul(&weights)?.neg()?, 0.0)?;
    match reduction {
        Reduction::Mean => losses.sum((), false)?.div(weights.sum((), false)?),
        _ => reduced(&losses, reduction),
    }
}

/// Whether each element of `shape` belongs to the class that `target` has for its position. An
/// index that is not a class is an error of reading the result.
///
/// Unlike a gather this is pointwise, so that it fuses with the rest of a cross entropy.
pub(crate) fn is_class(op: &'static str, target: &Tensor, shape: &Shape, dim: i64) -> Result<Tensor> {
    let d = shape.dim(op, dim)?;
    let (class, classes) = (Expr::affine(0), Expr::affine(1));
    let indices = vec![AffineIndex::coordinate(shape.rank(), d), AffineIndex::number(shape.rank(), shape[d])];
    let is_named = class.equal(Expr::input(0, Type::I32).binary(BinaryOp::CheckIndex, classes));
    let target = target.unsqueeze(dim)?;
    launch_at(op, &is_named, std::slice::from_ref(&target), indices, &[], DType::Bool, shape, target.device())
}

/// The dimension of the classes: 1, or 0 where there is no batch.
pub(super) fn class_dim(op: &str, input: &Tensor) -> Result<i64> {
    match input.rank() {
        0 => Err(Error::shape(op, "the input needs a dimension of classes")),
        rank => Ok(i64::from(rank > 1)),
    }
}

pub(super) fn check_weight(op: &str, input: &Tensor, dim: i64, weight: &Tensor) -> Result<()> {
    let classes = input.shape()[dim as usize];
    if weight.shape()[..] == [classes] {
        return Ok(());
    }
    Err(Error::shape(op, format!("the weight must have shape [{classes}], not {}", weight.shape())))
}

/// The sizes without a dimension.
fn without(input: &Tensor, dim: i64) -> Vec<i64> {
    let mut sizes = input.shape().to_i64();
    sizes.remove(dim as usize);
    sizes
}

fn check_target(op: &'static str, input: &Tensor, target: &Tensor, dim: i64) -> Result<Tensor> {
    let expected = without(input, dim);
    if target.shape().to_i64() != expected {
        let message =
            format!("an input of shape {} takes a target of shape {expected:?}, not {}", input.shape(), target.shape());
        return Err(Error::shape(op, message));
    }
    class_indices(op, target)
}

/// Class indices as int32. Numbers of JavaScript are float32: whole ones are taken, and any other
/// one becomes an index that no class has.
pub(super) fn class_indices(op: &'static str, target: &Tensor) -> Result<Tensor> {
    if !target.dtype().is_floating_point() {
        return as_index(op, target);
    }
    let whole = target.eq(target.floor()?)?;
    Tensor::r#where(&whole, target.detach(), f64::from(i32::MIN))?.to(DType::I32).map_err(|error| error.in_op(op))
}

/// The cross entropy of class scores, as `torch.nn.functional.cross_entropy`: the negative log
/// likelihood of the target under `softmax(self)`.
///
/// `self: [N, C, *]` or `[C]`. `target` has either class indices, `[N, *]` or `[]` of an integer
/// type or whole numbers of a floating-point type, or class probabilities in the shape of `self`.
/// `weight: [C]` multiplies the loss of each class, and `label_smoothing` mixes the uniform
/// distribution into the target by this factor (Szegedy et al., 2016). `reduction` and
/// `ignore_index` are as in [`nll_loss`](Tensor::nll_loss); with probabilities `"mean"` divides by
/// the number of examples and positions.
///
/// Errors: `shape` if `self` is 0-d or `target` or `weight` does not fit; `dtype` if `target` has
/// neither an integer nor a floating-point type; `argument` if `reduction` is unknown,
/// `label_smoothing` is not from 0 to 1, or `ignore_index` is a class and the target has
/// probabilities; `index`, when the result is read, if a target is neither a class nor
/// `ignore_index`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let logits = Tensor::zeros([1, 4])?;
/// let target = Tensor::from_slice(&[2], [1], &device)?;
/// let loss = pollster::block_on(logits.cross_entropy(&target, None)?.item())?;
/// assert!((loss - 4f64.ln()).abs() < 1e-6);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "cross_entropy(Tensor self, Tensor target, Tensor? weight=None, *, str{none|mean|sum} reduction=\"mean\", int ignore_index=-100, float label_smoothing=0.0) -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -3.0, 3.0);
        samples::calls([
            vec![x(&[6, 5]), samples::index(&[6], 5)],
            vec![x(&[6, 5]), samples::index(&[6], 5), samples::real(&[5], 0.1, 2.0), samples::text("mean"), samples::int(3), samples::float(0.2)],
            vec![x(&[2, 5, 3]), samples::index(&[2, 3], 5), samples::NONE, samples::text("none")],
            vec![x(&[4, 3]), samples::real(&[4, 3], 0.0, 1.0), samples::NONE, samples::text("sum")],
            vec![x(&[5]), samples::index(&[], 5)],
        ])
    }
)]
fn cross_entropy(
    input: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: Reduction,
    ignore_index: i64,
    label_smoothing: f64,
) -> Result<Tensor> {
    let named = |error: Error| error.in_op("cross_entropy");
    let dim = class_dim("cross_entropy", input)?;
    if !(0.0..=1.0).contains(&label_smoothing) {
        return Err(Error::argument(
            "cross_entropy",
            format!("label_smoothing must be from 0 to 1, not {label_smoothing}"),
        ));
    }
    let log_probabilities = input.log_softmax(dim)?;
    let classes = input.shape()[dim as usize];
    let weighted = match weight {
        Some(weight) => {
            check_weight("cross_entropy", input, dim, weight)?;
            let column: Vec<i64> = (0..input.rank() as i64).map(|d| if d == dim { -1 } else { 1 }).collect();
            log_probabilities.mul(weight.reshape(column)?).map_err(named)?
        }
        None => log_probabilities.clone(),
    };
    let has_indices = !target.dtype().is_floating_point()
        || (target.shape() != input.shape() && target.shape().to_i64() == without(input, dim));
    let target = if has_indices { &class_indices("cross_entropy", target)? } else { target };
    if !has_indices {
        if ignore_index >= 0 {
            let message = format!("probabilities have no class to ignore: ignore_index {ignore_index}");
            return Err(Error::argument("cross_entropy", message));
        }
        if target.shape() != input.shape() {
            let message = format!("probabilities of shape {} for an input of shape {}", target.shape(), input.shape());
            return Err(Error::shape("cross_entropy", message));
        }
        let target = target.mul(1.0 - label_smoothing)?.add(label_smoothing / classes as f64)?;
        let losses = weighted.mul(target)?.sum(dim, false)?.neg()?;
        return match reduction {
            // The mean over the batch and not over the weights, because an example has no single
            // class here.
            Reduction::Mean => losses.sum((), false)?.div((input.numel() / classes.max(1)).max(1) as f64),
            _ => reduced(&losses, reduction),
        };
    }
    let likelihood = log_probabilities.nll_loss_with(target, weight, reduction, ignore_index).map_err(named)?;
    if label_smoothing == 0.0 {
        return Ok(likelihood);
    }
    let counts = target.ne(ignore_index)?;
    let spread = Tensor::r#where(&counts, weighted.sum(dim, false)?.neg()?, 0.0)?;
    let smooth = match reduction {
        Reduction::Mean => {
            let mut weights = counts.to(input.dtype())?;
            if let Some(weight) = weight {
                let safe = Tensor::r#where(&counts, target, 0)?;
                weights = weights.mul(weight.index_select(0, &safe.reshape([-1])?)?.reshape(safe.shape())?)?;
            }
            spread.sum((), false)?.div(weights.sum((), false)?)?
        }
        _ => reduced(&spread, reduction)?,
    };
    likelihood.mul(1.0 - label_smoothing)?.add(smooth.mul(label_smoothing / classes as f64)?)
}

pub(crate) static OPS: &[&Op] = &[&NLL_LOSS, &CROSS_ENTROPY];
