//! Connectionist temporal classification (Graves et al., 2006): the likelihood of a sequence of
//! labels under a longer sequence of frames.
//!
//! The alignments of a label sequence, with blanks between, are summed by a recursion over the
//! frames, with one map for each frame over the batch and the `2 S + 1` states: blank, label, blank
//! and so on. The gradient is the probability of each state in each frame, from the same recursion
//! in both directions. It is written in tensor ops, so that derivatives of higher order follow.
//! Rejected: differentiating the recursion itself, which would record ten times as many kernels for
//! every frame.
//!
//! Numbers are logarithms. The logarithm of 0 is [`NEVER`] and not an infinity, because WGSL does
//! not guarantee infinities.

use crate::{
    DType, Error, PadMode, Reduction, Result, Scalar, Tensor,
    autograd::{Derivative, attach, no_grad},
    ops::{
        Op,
        composite::like,
        leaf::index::as_index,
        pointwise::{launch, record},
    },
    samples,
    scalar::TensorOrInts,
};
use lanthorn_ir::{
    Requirement,
    expr::{Constant, Expr, Type},
    require_all,
};
use lanthorn_macros::op;
use std::rc::Rc;

/// The log probability of the impossible; sums of many stay finite.
const NEVER: f64 = -1e30;

/// Log probabilities below this bound count as impossible.
const HARDLY: f64 = -1e29;

/// The logarithm of the sum of three numbers, from their logarithms.
fn total(a: &Expr, b: &Expr, c: &Expr) -> Expr {
    let largest = a.gt(b).select(a, b);
    let largest = largest.gt(c).select(&largest, c);
    let part = |x: &Expr| (x - &largest).exp();
    (part(a) + part(b) + part(c)).log() + &largest
}

/// The states of a batch of label sequences: `[N, L]` with `L = 2 S + 1`, lengths `[N, 1]`.
#[derive(Clone)]
struct States {
    /// Whether a state may follow the state two before it, without the blank between.
    skip: Tensor,
    /// 0 in the states in which a sequence may end, otherwise [`NEVER`].
    end: Tensor,
    /// The number of frames of each sequence.
    frames: Tensor,
}

impl States {
    /// `x` shifted by `by` states.
    fn shift(x: &Tensor, by: i64) -> Result<Tensor> {
        shift(x, by, NEVER.into())
    }

    /// One frame of the recursion, from the frame before it or, with `by` negative, after it.
    fn step(&self, from: &Tensor, by: i64, skip: &Tensor, emissions: &Tensor, t: usize) -> Result<Tensor> {
        let (near, far) = (States::shift(from, by)?, States::shift(from, 2 * by)?);
        let inputs = [from.clone(), near, far, skip.clone(), emissions.clone(), self.frames.clone()];
        let ty = Type::from(from.dtype());
        let input = |slot: usize| Expr::input(slot, Type::from(inputs[slot].dtype()));
        let far = input(3).select(input(2), Expr::constant(NEVER, ty));
        let next = total(&input(0), &input(1), &far) + input(4);
        let (here, frames) = (Expr::param(0, Type::I32), input(5));
        // Forward, a sequence that has ended keeps its state; backward, it keeps its end states
        // down to its last frame.
        let expression = if by > 0 {
            here.lt(&frames).select(next, input(0))
        } else {
            let last = frames - 1.0;
            here.lt(&last).select(next, here.equal(&last).select(input(0) + input(4), input(0)))
        };
        record("ctc_loss", expression.simplify(), &inputs, &[Constant::I32(t as i32).into()], from.dtype())
    }

    /// The log probability of the frames up to `t`, by the state in frame `t`, for every `t`.
    fn forward(&self, emissions: &Tensor) -> Result<Vec<Tensor>> {
        let positions = Tensor::arange_with(0, self.skip.shape()[1] as i64, 1, None, Some(emissions.device()))?;
        let begin = Tensor::r#where(&positions.lt(2)?, 0.0, NEVER)?.to(emissions.dtype())?;
        // Without frames a sequence is in the first blank, which is the end of no labels.
        let none = Tensor::r#where(&positions.lt(1)?, 0.0, NEVER)?.to(emissions.dtype())?;
        let mut made = vec![Tensor::r#where(&self.frames.gt(0)?, emissions.select(0, 0)?.add(begin)?, none)?];
        for t in 1..emissions.shape()[0] {
            let next = self.step(&made[t - 1], 1, &self.skip, &emissions.select(0, t as i64)?, t)?;
            made.push(next);
        }
        Ok(made)
    }

    /// The log probability of the frames from `t` on, by the state in frame `t`.
    fn backward(&self, emissions: &Tensor) -> Result<Vec<Tensor>> {
        let count = emissions.shape()[0];
        let skip = shift(&self.skip, -2, false.into())?;
        let mut from = self.end.clone();
        let mut made = Vec::with_capacity(count);
        for t in (0..count).rev() {
            from = self.step(&from, -1, &skip, &emissions.select(0, t as i64)?, t)?;
            made.push(from.clone());
        }
        made.reverse();
        Ok(made)
    }

    /// The log likelihood of each sequence, `[N, 1]`, from the last frame's states.
    fn end_at(&self, last: &Tensor) -> Result<Tensor> {
        let ends = last.add(&self.end)?;
        let largest = ends.detach().amax(1, true)?;
        ends.sub(&largest)?.exp()?.sum(1, true)?.log()?.add(&largest)
    }

    /// The probability of each state in each frame, `[T, N, L]`.
    fn posterior(&self, emissions: &Tensor) -> Result<Tensor> {
        let forward = self.forward(emissions)?;
        let likelihood = match forward.last() {
            Some(last) => self.end_at(last)?,
            None => return Ok(emissions.clone()),
        };
        let backward = Tensor::stack(&self.backward(emissions)?, 0)?;
        let inputs = [Tensor::stack(&forward, 0)?, backward, emissions.clone(), likelihood, self.frames.clone()];
        let ty = Type::from(emissions.dtype());
        let input = |slot: usize| Expr::input(slot, ty);
        let log = input(0) + input(1) - input(2) - input(3);
        let frame = (Expr::index() / Expr::param(0, Type::U32)).cast(Type::I32);
        let happens =
            (input(0) + input(1)).gt(HARDLY).and(input(3).gt(HARDLY)).and(frame.lt(Expr::input(4, Type::I32)));
        // For impossible states no exponential of a large number is taken.
        let expression = happens.select(happens.select(log, NEVER).exp(), 0.0);
        let of_frame = Constant::U32(self.skip.numel() as u32);
        record("ctc_loss", expression.simplify(), &inputs, &[of_frame.into()], emissions.dtype())
    }

    /// The log likelihood of each sequence, `[N, 1]`, from its emissions `[T, N, L]`.
    fn likelihood(&self, emissions: &Tensor) -> Result<Tensor> {
        let output = no_grad(|| match self.forward(emissions)?.last() {
            Some(last) => self.end_at(last),
            None => Err(Error::shape("ctc_loss", "there are no frames")),
        })?;
        let states = self.clone();
        let derivative: Derivative =
            Rc::new(move |grad, saved| Ok(vec![Some(states.posterior(&saved[0])?.mul(grad)?)]));
        attach("ctc_loss", &output, &[emissions], &[emissions], derivative);
        Ok(output)
    }
}

/// Moves `x` by `by` along its last dimension, and fills the other elements with `fill`.
fn shift(x: &Tensor, by: i64, fill: Scalar) -> Result<Tensor> {
    let size = x.shape()[x.rank() - 1] as i64;
    let by = by.clamp(-size, size);
    x.pad([by, -by], PadMode::Constant, Some(fill))
}

/// Infinity for the losses without an alignment, with a gradient of NaN, as PyTorch has it; 0 for
/// the others. `sums`, `[N]`, are any function of the log probabilities of each sequence.
fn infinite(sums: &Tensor, never: &Tensor) -> Result<Tensor> {
    let output = Tensor::r#where(never, f64::INFINITY, 0.0)?.to(sums.dtype())?;
    let derivative: Derivative =
        Rc::new(|grad, saved| Ok(vec![Some(Tensor::r#where(&saved[0], grad.mul(f64::NAN)?, 0.0)?)]));
    attach("ctc_loss", &output, &[sums], &[never], derivative);
    Ok(output)
}

/// Lengths as `[N]` in int32, and the largest one, or an upper bound if they are on the device.
fn lengths(
    requirement: Requirement,
    given: &TensorOrInts,
    batch: usize,
    most: usize,
    like: &Tensor,
) -> Result<(Tensor, usize)> {
    let op = "ctc_loss";
    let name = if requirement == Requirement::InputLength { "input_lengths" } else { "target_lengths" };
    match given {
        TensorOrInts::Tensor(tensor) => {
            let tensor = as_index(op, tensor)?;
            if tensor.numel() != batch || tensor.rank() > 1 {
                return Err(Error::shape(
                    op,
                    format!("{name} must have one number a sequence, {batch}, not shape {}", tensor.shape()),
                ));
            }
            let (length, most_of) = (Expr::input(0, Type::I32), Expr::param(0, Type::I32));
            let checked = require_all(&[(requirement, length.ge(0.0).and(length.le(most_of)))], &length);
            let most_of = [Constant::I32(most as i32).into()];
            let tensor = tensor.reshape([-1])?;
            let input = std::slice::from_ref(&tensor);
            Ok((launch(op, &checked, input, &most_of, DType::I32, tensor.shape(), tensor.device())?, most))
        }
        TensorOrInts::Ints(values) => {
            if values.len() != batch || values.iter().any(|&value| value < 0 || value as usize > most) {
                let message = format!("{name} must be {batch} numbers from 0 to {most}, not {:?}", &values[..]);
                return Err(Error::argument(op, message));
            }
            let largest = values.iter().copied().max().unwrap_or(0) as usize;
            let values: Vec<i32> = values.iter().map(|&value| value as i32).collect();
            Ok((Tensor::from_slice(&values, [batch as i64], like.device())?, largest))
        }
    }
}

/// Zeros, `[N]`, with the gradient of the sum of all probabilities in the frames of a sequence.
/// With it the gradient of the loss is PyTorch's, the gradient for a result of `log_softmax`, whose
/// probabilities sum to 1.
fn normalizer(log_probs: &Tensor, frames: &Tensor) -> Result<Tensor> {
    let frame = Tensor::arange_with(0, log_probs.shape()[0] as i64, 1, None, Some(log_probs.device()))?;
    let probabilities = Tensor::r#where(&frame.unsqueeze(1)?.lt(frames)?, log_probs.exp()?.sum(2, false)?, 0.0)?;
    let sums = probabilities.sum(0, false)?;
    sums.sub(sums.detach())
}

/// The negative log likelihood of label sequences, summed over all alignments with the frames, as
/// `torch.nn.functional.ctc_loss` (Graves et al., 2006).
///
/// `self: [T, N, C]` or `[T, C]`, log probabilities of the classes in each frame;
/// `targets: [N, S]`, or all labels in one vector, of an integer type. `input_lengths` and
/// `target_lengths`, `[N]` each, count the frames and labels of each sequence. Class `blank` is no
/// label. `reduction` is `"mean"`, which divides each loss by the length of its target and takes
/// the mean over the batch, `"sum"`, or `"none"`, whose result is `[N]`, or `[]` without a batch. A
/// sequence with too few frames for its labels has an infinite loss and a gradient of NaN, or both
/// 0 with `zero_infinity`. A sequence without frames and without labels has a loss of 0.
///
/// The gradient is PyTorch's: `exp(self)` less the probability of the class in the frame over all
/// alignments, which is the derivative where `self` is the result of `log_softmax`.
///
/// Errors: `shape` if `self` has another number of dimensions or a size of 0, or `targets` or a
/// tensor of lengths does not fit; `dtype` if `targets` or lengths are not of an integer type;
/// `argument` if `blank` is not a class, `reduction` is or lengths that are given as
/// numbers are out of range, or, when the result is read, if lengths in a tensor are; `index`, when
/// the result is read, if a label is not a class.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{Reduction, Tensor};
/// // Two frames of two classes, each as likely: "1" is read from 11, 01 and 10.
/// let frames = Tensor::full([2, 1, 2], 0.5)?.log()?;
/// let targets = Tensor::from_slice(&[1], [1, 1], &device)?;
/// let loss = frames.ctc_loss(&targets, [2], [1], 0, Reduction::Sum, false)?;
/// assert!((pollster::block_on(loss.item())? + 0.75f64.ln()).abs() < 1e-6);
/// // Probabilities are taken as they are given: half of them in each frame is a quarter of the sum.
/// let less = frames.sub(2f64.ln())?.ctc_loss(&targets, [2], [1], 0, Reduction::Sum, false)?;
/// assert!((pollster::block_on(less.item())? + (0.75f64 / 4.0).ln()).abs() < 1e-6);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "ctc_loss(Tensor self, Tensor targets, Tensor|int[] input_lengths, Tensor|int[] target_lengths, int blank=0, str{none|mean|sum} reduction=\"mean\", bool zero_infinity=False) -> Tensor",
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 0.0);
        samples::calls([
            vec![x(&[5, 2, 4]), samples::tensor(&[2, 2], DType::I32, 1.0, 4.0), samples::ints(&[5, 4]), samples::ints(&[2, 1])],
            vec![
                x(&[4, 2, 3]), samples::tensor(&[3], DType::I32, 0.0, 2.0), samples::ints(&[3, 4]), samples::ints(&[1, 2]), samples::int(2),
                samples::text("none"), samples::flag(true),
            ],
            vec![x(&[3, 4]), samples::tensor(&[2], DType::I32, 1.0, 4.0), samples::ints(&[3]), samples::ints(&[1])],
        ])
    }
)]
fn ctc_loss(
    log_probs: &Tensor,
    targets: &Tensor,
    input_lengths: &TensorOrInts,
    target_lengths: &TensorOrInts,
    blank: i64,
    reduction: Reduction,
    zero_infinity: bool,
) -> Result<Tensor> {
    let op = "ctc_loss";
    if log_probs.rank() == 2 {
        // One sequence is a batch of one.
        let (frames, lengths) = (log_probs.unsqueeze(1)?, (input_lengths.clone(), target_lengths.clone()));
        let losses =
            frames.ctc_loss(&targets.reshape([1, -1])?, lengths.0, lengths.1, blank, reduction, zero_infinity)?;
        return if reduction == Reduction::None { losses.squeeze(0) } else { Ok(losses) };
    }
    let log_probs = like::floating(log_probs)?;
    if log_probs.rank() != 3 || log_probs.shape().contains(&0) {
        return Err(Error::shape(
            op,
            format!("log probabilities [T, N, C] or [T, C] are needed, not shape {}", log_probs.shape()),
        ));
    }
    let [frames, batch, classes] = [0, 1, 2].map(|d| log_probs.shape()[d]);
    if blank < 0 || blank >= classes as i64 {
        return Err(Error::argument(op, format!("blank must be one of {classes} classes, not {blank}")));
    }
    let targets = &as_index(op, targets)?;
    let together = targets.rank() == 1;
    if targets.rank() > 2 || (!together && targets.shape().first() != Some(&batch)) {
        return Err(Error::shape(
            op,
            format!("targets must be [{batch}, S] or a vector, not of shape {}", targets.shape()),
        ));
    }
    let most = targets.shape()[targets.rank() - 1];
    let device = log_probs.device();
    let (frames, _) = lengths(Requirement::InputLength, input_lengths, batch, frames, &log_probs)?;
    let (labels, longest) = lengths(Requirement::TargetLength, target_lengths, batch, most, &log_probs)?;
    let range = |count: usize| Tensor::arange_with(0, count as i64, 1, None, Some(device));
    let position = range(longest)?;
    let targets = if together {
        // The start of each sequence is the sum of the lengths before it.
        let number = range(batch)?;
        let before = number.lt(number.unsqueeze(1)?)?;
        let start = Tensor::r#where(&before, &labels, 0)?.sum(1, true)?;
        let at = start.add(&position)?.clamp_max(most.saturating_sub(1) as i64)?;
        targets.index_select(0, &at.reshape([-1])?)?.reshape([batch as i64, longest as i64])?
    } else {
        targets.narrow(1, 0, longest as i64)?
    };
    let count = labels.unsqueeze(1)?;
    let targets = Tensor::r#where(&position.lt(&count)?, targets, blank)?;
    // blank, label, blank, .., label, blank
    let blanks = |width: i64| Tensor::full_with([batch as i64, width], blank, DType::I32, Some(device));
    let pairs = Tensor::stack(&[blanks(longest as i64)?, targets], -1)?.reshape([batch as i64, 2 * longest as i64])?;
    let classes_of = Tensor::cat(&[pairs, blanks(1)?], 1)?;
    let skip = classes_of.ne(blank)?.logical_and(&classes_of.ne(shift(&classes_of, 2, blank.into())?)?)?;
    let last = range(2 * longest + 1)?.sub(count.mul(2)?)?;
    let ends = last.le(0)?.logical_and(&last.ge(-1)?)?;
    let end = Tensor::r#where(&ends, 0.0, NEVER)?.to(log_probs.dtype())?;
    let normalizer = normalizer(&log_probs, &frames)?;
    let states = States { skip, end, frames: frames.unsqueeze(1)? };
    let sizes = [log_probs.shape()[0] as i64, batch as i64, 2 * longest as i64 + 1];
    let emissions = log_probs.gather(2, &classes_of.unsqueeze(0)?.expand(sizes)?)?.clamp_min(NEVER)?;
    let likelihood = states.likelihood(&emissions)?.squeeze(1)?;
    let never = likelihood.lt(HARDLY)?;
    let losses = normalizer.sub(likelihood)?;
    let losses = match zero_infinity {
        true => Tensor::r#where(&never, 0.0, losses)?,
        false => Tensor::r#where(&never, infinite(&normalizer, &never)?, losses)?,
    };
    match reduction {
        Reduction::Sum => losses.sum((), false),
        Reduction::Mean => losses.div(labels.clamp_min(1)?)?.mean((), false),
        _ => Ok(losses),
    }
}

pub(crate) static OPS: &[&Op] = &[&CTC_LOSS];
