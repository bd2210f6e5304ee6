//! Derivatives against finite differences, in float64 on the CPU, of first and second order.
//!
//! Along a random direction v: `(f(x + e v) - f(x - e v)) / 2e` against `<grad, v>`. A wrong entry of a gradient shows in almost every
//! direction, at two evaluations instead of two an element.

use crate::{
    Report,
    samples::{cotangent, leaves, starts},
};
use lanthorn::{
    DType, Device, GradOptions, Result, Tensor, grad,
    ops::{self, Arg, Op},
    samples::{Sample, TensorSpec},
};

const STEP: f64 = 1e-6;
const DIRECTIONS: u32 = 3;

/// A function of the leaves of a sample that gives one number.
type Function<'a> = dyn Fn(&[Arg], &[Tensor]) -> Result<Option<Tensor>> + 'a;

/// The arguments of a sample, with leaf `which` moved by `amount` along a direction.
fn arguments(sample: &Sample, device: &Device, which: Option<(usize, &TensorSpec, u32, f64)>) -> Result<(Vec<Arg>, Vec<Tensor>)> {
    // Every evaluation of an op that is random must see the same numbers.
    device.manual_seed(11);
    let mut seen = 0;
    let mut args = sample.make(DType::F64, device, |x| {
        let place = seen;
        seen += usize::from(x.dtype().is_floating_point());
        match which {
            Some((leaf, direction, seed, amount)) if leaf == place && x.dtype().is_floating_point() => {
                x.add_with(&along(sample, place, direction, seed, device)?, amount)
            }
            _ => Ok(x),
        }
    })?;
    let leaves = leaves(&mut args)?;
    Ok((args, leaves))
}

/// A direction to move leaf `place` of a sample in.
fn along(sample: &Sample, place: usize, direction: &TensorSpec, seed: u32, device: &Device) -> Result<Tensor> {
    sample.form(place).of(&direction.make(seed, DType::F64, device)?)
}

/// Checks the derivative of `function` by every leaf.
async fn check_function(sample: &Sample, device: &Device, function: &Function<'_>) -> Result<std::result::Result<usize, String>> {
    let (args, leaves) = arguments(sample, device, None)?;
    let Some(value) = function(&args, &leaves)? else { return Ok(Ok(0)) };
    if !value.requires_grad() {
        return Ok(Ok(0));
    }
    let gradients = grad(&[value], &leaves, &[], GradOptions { retain_graph: true, create_graph: false })?;
    let mut checked = 0;
    for (place, (leaf, gradient)) in leaves.iter().zip(&gradients).enumerate() {
        for seed in 0..DIRECTIONS {
            let direction = TensorSpec { shape: leaf.shape().to_i64(), dtype: DType::F32, low: -1.0, high: 1.0 };
            let mut moved = [0.0; 2];
            for (moved, amount) in moved.iter_mut().zip([STEP, -STEP]) {
                let (args, leaves) = arguments(sample, device, Some((place, &direction, 31 + seed, amount)))?;
                let Some(value) = function(&args, &leaves)? else { return Ok(Err("a value on one side alone".into())) };
                *moved = value.item().await?;
            }
            let numeric = (moved[0] - moved[1]) / (2.0 * STEP);
            let analytic = match gradient {
                Some(gradient) => {
                    let direction = along(sample, place, &direction, 31 + seed, device)?;
                    gradient.detach().mul(&direction)?.sum((), false)?.item().await?
                }
                None => 0.0,
            };
            let off = (numeric - analytic).abs();
            if off.is_nan() || off > 1e-5 + 1e-4 * numeric.abs() {
                return Ok(Err(format!("by input {place}: {analytic}, by finite differences {numeric}")));
            }
            checked += 1;
        }
    }
    Ok(Ok(checked))
}

/// `<f(leaves), fixed numbers>`.
fn first_order(op: &'static Op, args: &[Arg]) -> Result<Option<Tensor>> {
    if op.is_async() {
        return Ok(None);
    }
    let (results, starts) = starts(&op.run(args)?, |result| cotangent(result, result.dtype()))?;
    dot(&results, &starts)
}

/// The sum of all products, or nothing of nothing.
fn dot(tensors: &[Tensor], weights: &[Tensor]) -> Result<Option<Tensor>> {
    let mut total: Option<Tensor> = None;
    for (tensor, weights) in tensors.iter().zip(weights) {
        let part = tensor.mul(weights)?.sum((), false)?;
        total = Some(match total {
            Some(total) => total.add(&part)?,
            None => part,
        });
    }
    Ok(total)
}

/// `sum of <gradient by each leaf, fixed numbers>`.
fn second_order(op: &'static Op, args: &[Arg], leaves: &[Tensor]) -> Result<Option<Tensor>> {
    let Some(value) = first_order(op, args)? else { return Ok(None) };
    let create_graph = GradOptions { retain_graph: true, create_graph: true };
    let gradients: Vec<Tensor> = grad(&[value], leaves, &[], create_graph)?.into_iter().flatten().collect();
    let weights = gradients.iter().map(|gradient| cotangent(gradient, DType::F64)).collect::<Result<Vec<_>>>()?;
    dot(&gradients, &weights)
}

/// Ops that round: steps, whose derivative is that of what they round.
const STEPS: &[&str] = &["half", "bfloat16"];

/// Checks the derivatives of every op that has them, of first and second order, on the CPU.
pub async fn check(cpu: &Device, wanted: impl Fn(&str) -> bool) -> Report {
    cpu.set_default();
    let mut report = Report::default();
    for op in ops::all().filter(|op| wanted(op.name()) && !STEPS.contains(&op.name())) {
        for (number, sample) in (op.samples)().iter().enumerate() {
            let first = check_function(sample, cpu, &|args, _| first_order(op, args)).await;
            let second = check_function(sample, cpu, &|args, leaves| second_order(op, args, leaves)).await;
            for (order, outcome) in [("first", first), ("second", second)] {
                let outcome = outcome.map_err(|error| error.to_string()).and_then(|outcome| outcome);
                match outcome {
                    Ok(0) => {}
                    Ok(_) => report.check("", Ok(())),
                    Err(why) => report.check(format_args!("{} sample {number}, {order} derivative", op.name()), Err(why)),
                }
            }
        }
    }
    report
}
