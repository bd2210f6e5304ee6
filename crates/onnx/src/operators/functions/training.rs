//! Optimizer steps. The inputs are the rate, the count of steps, all tensors, all gradients, and
//! all tensors of each kind of state. The results are the new tensors and the new state.

use super::{Given, Output, arg, binary, by_number, list, tensor, unary, word};
use lanthorn_program::{Dispatch, Error, Result, value::tensors as listed};

/// Returns a tensor and its state after a step, from the tensor, its gradient and its state.
type Update<'a, T> = &'a dyn Fn(&T, &T, &[T]) -> Result<Vec<T>>;

/// Steps each tensor, which has `states` tensors of state.
fn each<D: Dispatch>(args: &Given<D>, states: usize, update: Update<'_, D::Tensor>) -> Output<D> {
    let inputs = list(args, "inputs");
    let kinds = 2 + states;
    if inputs.is_empty() || !inputs.len().is_multiple_of(kinds) {
        let message = format!("{} tensors are not divisible by {kinds} kinds", inputs.len());
        return Err(Error::argument(args.op(), message));
    }
    let count = inputs.len() / kinds;
    let mut results = vec![Vec::with_capacity(count); 1 + states];
    for index in 0..count {
        let own: Vec<D::Tensor> = (0..kinds).map(|kind| inputs[kind * count + index].clone()).collect();
        let updated = update(&own[0], &own[1], &own[2..])?;
        results.iter_mut().zip(updated).for_each(|(list, value)| list.push(value));
    }
    Ok(listed(results.into_iter().flatten()))
}

/// Adds the gradient of `norm_coefficient / 2 * x²`.
fn regularize<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor, grad: &D::Tensor) -> Result<D::Tensor> {
    match args.float("norm_coefficient")? {
        0.0 => Ok(grad.clone()),
        factor => binary(d, "add", &by_number(d, "mul", x, factor)?, grad),
    }
}

/// `a * x + b * y`.
fn add_scaled<D: Dispatch>(d: &D, a: f64, x: &D::Tensor, b: f64, y: &D::Tensor) -> Result<D::Tensor> {
    binary(d, "add", &by_number(d, "mul", x, a)?, &by_number(d, "mul", y, b)?)
}

/// `x - rate * direction`.
fn descend<D: Dispatch>(d: &D, x: &D::Tensor, rate: &D::Tensor, direction: &D::Tensor) -> Result<D::Tensor> {
    binary(d, "sub", x, &binary(d, "mul", rate, direction)?)
}

/// Adagrad: divides gradients by the root of the sum of their squares.
pub fn adagrad<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let eps = args.float("epsilon")?;
    let decay = 1.0 + args.int("T")? as f64 * args.float("decay_factor")?;
    let rate = by_number(d, "div", args.tensor("R")?, decay)?;
    each::<D>(&args, 1, &|x, grad, state| {
        let grad = regularize(d, &args, x, grad)?;
        let sum = binary(d, "add", &state[0], &unary(d, "square", &grad)?)?;
        let root = by_number(d, "add", &unary(d, "sqrt", &sum)?, eps)?;
        Ok(vec![descend(d, x, &rate, &binary(d, "div", &grad, &root)?)?, sum])
    })
}

/// Adam. The bias correction starts at the second step.
pub fn adam<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (alpha, beta, eps) = (args.float("alpha")?, args.float("beta")?, args.float("epsilon")?);
    let after = 1.0 - args.float("norm_coefficient_post")?;
    let steps = args.int("T")? as f64;
    let correction = if steps > 0.0 { (1.0 - beta.powf(steps)).sqrt() / (1.0 - alpha.powf(steps)) } else { 1.0 };
    let rate = by_number(d, "mul", args.tensor("R")?, correction)?;
    each::<D>(&args, 2, &|x, grad, state| {
        let grad = regularize(d, &args, x, grad)?;
        let first = add_scaled(d, alpha, &state[0], 1.0 - alpha, &grad)?;
        let second = add_scaled(d, beta, &state[1], 1.0 - beta, &unary(d, "square", &grad)?)?;
        let root = by_number(d, "add", &unary(d, "sqrt", &second)?, eps)?;
        let x = descend(d, x, &rate, &binary(d, "div", &first, &root)?)?;
        let x = if after == 1.0 { x } else { by_number(d, "mul", &x, after)? };
        Ok(vec![x, first, second])
    })
}

/// Gradient descent with momentum or Nesterov momentum.
pub fn momentum<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let alpha = args.float("alpha")?;
    let beta = if args.int("T")? > 0 { args.float("beta")? } else { 1.0 };
    let nesterov = match word(&args, "mode") {
        "standard" => false,
        "nesterov" => true,
        other => return Err(Error::argument(args.op(), format!("the mode {other:?}"))),
    };
    let rate = args.tensor("R")?;
    each::<D>(&args, 1, &|x, grad, state| {
        let grad = regularize(d, &args, x, grad)?;
        let velocity = add_scaled(d, alpha, &state[0], beta, &grad)?;
        let direction = match nesterov {
            true => tensor(d, "add", [arg(&grad), arg(&by_number(d, "mul", &velocity, alpha)?)])?,
            false => velocity.clone(),
        };
        Ok(vec![descend(d, x, rate, &direction)?, velocity])
    })
}
