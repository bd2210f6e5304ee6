//! L-BFGS.
//!
//! Directions, histories and gradients stay on the device as one long vector. The host reads only
//! the numbers that decisions depend on: a few per iteration, in one read.

mod line_search;

use crate::{
    Optimizer,
    group::Group,
    options::{choice, optimizer},
    state::{Entry, State},
    table::non_negative,
};
use lanthorn_tensor::{Error, Result, Tensor, no_grad};
use line_search::{Point, strong_wolfe};
use std::any::Any;

choice! {
    /// The search for the size of a step of [`Lbfgs`].
    LineSearch {
        /// A step that meets the strong Wolfe conditions.
        StrongWolfe = "strong_wolfe",
    }
}

optimizer! {
    /// L-BFGS (Liu and Nocedal, 1989), as `torch.optim.LBFGS`. Its step takes a closure that
    /// computes the loss, and waits for it.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::optim::{Lbfgs, LbfgsOptions, LineSearch};
    /// use lanthorn::Tensor;
    /// let w = Tensor::scalar(3.0f32, &device)?.requires_grad_(true)?;
    /// let optimizer = Lbfgs::new(vec![w.clone()], LbfgsOptions { line_search_fn: Some(LineSearch::StrongWolfe), ..Default::default() })?;
    /// pollster::block_on(optimizer.step_with(async || {
    ///     optimizer.zero_grad()?;
    ///     let loss = w.sub(1.0)?.square()?;
    ///     loss.backward()?;
    ///     Ok(loss)
    /// }))?;
    /// assert!((pollster::block_on(w.item())? - 1.0).abs() < 1e-4);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    "LBFGS" as Lbfgs, row LBFGS, check |options, _| non_negative("LBFGS", &[("lr", options.lr)]), closure ();
    LbfgsOptions as LbfgsValues {
        /// The learning rate: the step size along the direction, or the first that a line search
        /// tries.
        lr: f64 = 1.0,
        /// The maximum number of iterations per step.
        max_iter: i64 = 20,
        /// The maximum number of loss evaluations per step (default: five fourths of `max_iter`).
        max_eval: Option<i64> = None,
        /// The gradient counts as zero if its largest element is not larger.
        tolerance_grad: f64 = 1e-7,
        /// The iteration ends if the loss and the parameters change by less.
        tolerance_change: f64 = 1e-9,
        /// The number of stored directions.
        history_size: i64 = 100,
        /// `"strong_wolfe"`, or nothing for steps of fixed size.
        line_search_fn: Option<LineSearch> = None,
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
    }
}

/// Reads 0-d tensors, all in one read.
async fn read<const N: usize>(numbers: [Tensor; N]) -> Result<[f64; N]> {
    let row = Tensor::stack(&numbers, 0)?.to(lanthorn_tensor::DType::F32)?;
    let values = row.to_vec::<f32>().await?;
    Ok(std::array::from_fn(|position| f64::from(values[position])))
}

fn largest(x: &Tensor) -> Result<Tensor> {
    x.abs()?.amax((), false)
}

/// The function to minimize: the closure's loss at the parameters.
struct Objective<'a, F> {
    parameters: Vec<Tensor>,
    closure: &'a mut F,
    maximize: bool,
}

impl<F: AsyncFnMut() -> Result<Tensor>> Objective<'_, F> {
    /// The loss of the closure, its value, and the gradient as one vector.
    async fn evaluate(&mut self) -> Result<(Tensor, f64, Tensor)> {
        let loss = (self.closure)().await?;
        let sign = if self.maximize { -1.0 } else { 1.0 };
        let flat = self.parameters.iter().map(|parameter| match parameter.grad() {
            Some(grad) => grad.reshape([-1]),
            None => parameter.detach().zeros_like()?.reshape([-1]),
        });
        let grad = no_grad(|| Tensor::cat(&flat.collect::<Result<Vec<_>>>()?, 0)?.mul(sign))?;
        let value = loss.item().await?;
        Ok((loss, sign * value, grad))
    }

    /// Moves the parameters along a direction.
    fn advance(&self, size: f64, direction: &Tensor) -> Result<()> {
        no_grad(|| {
            let mut start = 0;
            for parameter in &self.parameters {
                let count = parameter.numel() as i64;
                let part = direction.narrow(0, start, count)?.reshape(parameter.shape())?;
                parameter.copy_(&parameter.add_with(&part, size)?)?;
                start += count;
            }
            Ok(())
        })
    }

    /// The loss and gradient at a distance along a direction from `start`, where the parameters are
    /// left.
    async fn along(&mut self, start: &[Tensor], size: f64, direction: &Tensor) -> Result<Point> {
        self.advance(size, direction)?;
        let (_, loss, grad) = self.evaluate().await?;
        no_grad(|| self.parameters.iter().zip(start).try_for_each(|(parameter, start)| parameter.copy_(start)))?;
        let [slope] = read([no_grad(|| grad.dot(direction))?]).await?;
        Ok(Point { size, loss, slope, grad })
    }
}

/// The pairs of changes of gradient and parameters that estimate the curvature.
struct History {
    gradients: Vec<Tensor>,
    steps: Vec<Tensor>,
    /// The reciprocal of their dot product.
    weights: Vec<Tensor>,
}

impl History {
    /// Minus the estimated inverse curvature times the gradient: the two-loop recursion of Nocedal
    /// (1980).
    fn direction(&self, grad: &Tensor, scale: f64) -> Result<Tensor> {
        let mut direction = grad.neg()?;
        let mut factors = Vec::new();
        for ((change, step), weight) in self.gradients.iter().zip(&self.steps).zip(&self.weights).rev() {
            let factor = step.dot(&direction)?.mul(weight)?;
            direction = direction.sub(change.mul(&factor)?)?;
            factors.push(factor);
        }
        direction = direction.mul(scale)?;
        for ((change, step), (weight, factor)) in
            self.gradients.iter().zip(&self.steps).zip(self.weights.iter().zip(factors.iter().rev()))
        {
            let back = change.dot(&direction)?.mul(weight)?;
            direction = direction.add(step.mul(factor.sub(back)?)?)?;
        }
        Ok(direction)
    }
}

fn tensors(state: &State, name: &str) -> Vec<Tensor> {
    if let Some(Entry::Tensors(tensors)) = state.get(name) { tensors.clone() } else { vec![] }
}

/// A step: up to `max_iter` iterations. Returns the initial loss.
pub(crate) async fn step(optimizer: &Optimizer, closure: &mut impl AsyncFnMut() -> Result<Tensor>) -> Result<Tensor> {
    let one_group = |groups: &mut Vec<Group>| -> Result<(LbfgsOptions, State)> {
        let group = groups.first_mut().ok_or_else(|| Error::argument("LBFGS", "has no parameters"))?;
        let options: &dyn Any = group.options();
        let options =
            options.downcast_ref::<LbfgsOptions>().ok_or_else(|| Error::argument("LBFGS", "has other options"))?;
        Ok((options.clone(), group.slots.first().map(|slot| slot.state.clone()).unwrap_or_default()))
    };
    // Nothing is borrowed while the closure runs, because it may use the optimizer.
    let (options, mut state) = one_group(&mut optimizer.0.groups.borrow_mut())?;
    let mut objective = Objective { parameters: optimizer.parameters(), closure, maximize: options.maximize };
    let outcome = iterate(&options, &mut state, &mut objective).await;
    if let Some(slot) = optimizer.0.groups.borrow_mut().first_mut().and_then(|group| group.slots.first_mut()) {
        slot.state = state;
    }
    outcome
}

async fn iterate<F: AsyncFnMut() -> Result<Tensor>>(
    options: &LbfgsOptions,
    state: &mut State,
    objective: &mut Objective<'_, F>,
) -> Result<Tensor> {
    let &LbfgsOptions { lr, max_iter, tolerance_grad, tolerance_change, history_size, .. } = options;
    let max_eval = options.max_eval.unwrap_or(max_iter * 5 / 4);
    let (first_loss, mut loss, mut grad) = objective.evaluate().await?;
    let mut evaluations = 1;
    state.set("func_evals", Entry::Plain(state.plain("func_evals", 0.0) + 1.0));
    state.set("n_iter", Entry::Plain(state.plain("n_iter", 0.0)));
    let [steepest, total] = read(no_grad(|| Ok::<_, Error>([largest(&grad)?, grad.abs()?.sum((), false)?]))?).await?;
    if steepest <= tolerance_grad {
        return Ok(first_loss);
    }
    let mut direction = state.tensor("d", || grad.neg())?;
    let mut size = state.plain("t", lr);
    let mut scale = state.plain("H_diag", 1.0);
    let mut history = History {
        gradients: tensors(state, "old_dirs"),
        steps: tensors(state, "old_stps"),
        weights: tensors(state, "ro"),
    };
    let mut previous = state.tensor("prev_flat_grad", || Ok(grad.clone()))?;
    for iteration in 1..=max_iter {
        let count = state.plain("n_iter", 0.0) + 1.0;
        state.set("n_iter", Entry::Plain(count));
        if count == 1.0 {
            direction = no_grad(|| grad.neg())?;
            (scale, history) = (1.0, History { gradients: vec![], steps: vec![], weights: vec![] });
        } else {
            let (change, step) = no_grad(|| Ok::<_, Error>((grad.sub(&previous)?, direction.mul(size)?)))?;
            let product = no_grad(|| change.dot(&step))?;
            let [curvature, squared] = read([product.clone(), no_grad(|| change.dot(&change))?]).await?;
            if curvature > 1e-10 {
                if history.gradients.len() as i64 >= history_size.max(1) {
                    history.gradients.remove(0);
                    history.steps.remove(0);
                    history.weights.remove(0);
                }
                history.weights.push(no_grad(|| product.reciprocal())?);
                history.gradients.push(change);
                history.steps.push(step);
                scale = curvature / squared;
            }
            direction = no_grad(|| history.direction(&grad, scale))?;
        }
        previous = grad.clone();
        let loss_before = loss;
        size = if count == 1.0 { (1.0 / total).min(1.0) * lr } else { lr };
        let [slope, longest] = read(no_grad(|| Ok::<_, Error>([grad.dot(&direction)?, largest(&direction)?]))?).await?;
        let mut evaluated = 0;
        if slope <= -tolerance_change {
            if options.line_search_fn.is_some() {
                let start = objective.parameters.iter().map(|parameter| parameter.detach().clone_tensor());
                let start = start.collect::<Result<Vec<_>>>()?;
                let from = Point { size: 0.0, loss, slope, grad: grad.clone() };
                let mut evaluate = async |size: f64| objective.along(&start, size, &direction).await;
                let (found, count) = strong_wolfe(&mut evaluate, from, size, longest, tolerance_change).await?;
                (loss, grad, size, evaluated) = (found.loss, found.grad, found.size, count);
                objective.advance(size, &direction)?;
            } else {
                objective.advance(size, &direction)?;
                // The last evaluation of a step would be the first of the next.
                if iteration != max_iter {
                    (_, loss, grad) = objective.evaluate().await?;
                    evaluated = 1;
                }
            }
        }
        evaluations += evaluated;
        state.set("func_evals", Entry::Plain(state.plain("func_evals", 0.0) + evaluated as f64));
        let stuck = slope > -tolerance_change || longest * size.abs() <= tolerance_change;
        if stuck || iteration == max_iter || evaluations >= max_eval {
            state.set("prev_loss", Entry::Plain(loss_before));
            break;
        }
        let [steepest] = read([no_grad(|| largest(&grad))?]).await?;
        state.set("prev_loss", Entry::Plain(loss_before));
        if steepest <= tolerance_grad || (loss - loss_before).abs() < tolerance_change {
            break;
        }
    }
    state.set("d", Entry::Tensor(direction));
    state.set("t", Entry::Plain(size));
    state.set("old_dirs", Entry::Tensors(history.gradients));
    state.set("old_stps", Entry::Tensors(history.steps));
    state.set("ro", Entry::Tensors(history.weights));
    state.set("H_diag", Entry::Plain(scale));
    state.set("prev_flat_grad", Entry::Tensor(previous));
    Ok(first_loss)
}
