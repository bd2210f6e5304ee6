//! [`while_loop`].

use super::{
    branch::truth,
    check_alike, runs_plainly,
    steps::{Body, State, Steps},
};
use crate::{
    Error, Result, Tensor,
    autograd::no_grad,
    compile::{Compiled, capture, compile_step},
};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

type Function = Box<dyn Fn(&[Tensor]) -> Result<Vec<Tensor>>>;
type BodyFn = Rc<dyn Fn(&[Tensor]) -> Result<Vec<Tensor>>>;
type CondFn = Rc<dyn Fn(&[Tensor]) -> Result<Tensor>>;

/// A running [`while_loop`], for callers that read the predicates themselves: [`Loop::start`], then
/// [`Loop::step`] while the predicate is true, then [`Loop::finish`].
pub struct Loop {
    body_fn: BodyFn,
    cond_fn: CondFn,
    step: Compiled<Function>,
    carried: RefCell<Vec<Tensor>>,
    initial: Vec<Tensor>,
    /// The states of the generator with which the steps began.
    states: RefCell<Vec<State>>,
    draws: Cell<bool>,
}

impl Loop {
    /// A loop that begins with these tensors.
    ///
    /// # Errors
    ///
    /// `argument` if `carried` holds no tensor, and within `vmap` or a trace.
    pub fn new(
        cond_fn: impl Fn(&[Tensor]) -> Result<Tensor> + 'static,
        body_fn: impl Fn(&[Tensor]) -> Result<Vec<Tensor>> + 'static,
        carried: &[Tensor],
    ) -> Result<Loop> {
        if carried.is_empty() {
            return Err(Error::argument("while_loop", "the loop carries no tensor"));
        }
        if runs_plainly(carried) {
            let message = "the number of steps follows from elements, which vmap and a trace for export cannot read";
            return Err(Error::argument("while_loop", message));
        }
        capture::leave();
        let (cond_fn, body_fn): (CondFn, BodyFn) = (Rc::new(cond_fn), Rc::new(body_fn));
        let (goes_on, next) = (cond_fn.clone(), body_fn.clone());
        let step: Function = Box::new(move |carried| {
            let found = next(carried)?;
            check_alike("while_loop", ("the result of the body", "its arguments"), &found, carried)?;
            let pred = goes_on(&found)?;
            Ok(found.into_iter().chain([pred]).collect())
        });
        // The function may write to its arguments.
        let start = carried.iter().map(|tensor| no_grad(|| tensor.detach().clone_tensor()));
        Ok(Loop {
            body_fn,
            cond_fn,
            step: compile_step(step),
            carried: RefCell::new(start.collect::<Result<_>>()?),
            initial: carried.to_vec(),
            states: RefCell::default(),
            draws: Cell::new(false),
        })
    }

    /// The predicate before the first step.
    ///
    /// # Errors
    ///
    /// The errors of the function.
    pub fn start(&self) -> Result<Tensor> {
        no_grad(|| (self.cond_fn)(&self.carried.borrow()))
    }

    /// Runs a step, and returns the predicate after it.
    ///
    /// # Errors
    ///
    /// `argument`, `shape` or `dtype` if the result of `body_fn` is unlike its arguments; the
    /// errors of the functions.
    pub fn step(&self) -> Result<Tensor> {
        capture::leave();
        let generator = self.initial[0].device().generator();
        let state = generator.state();
        self.states.borrow_mut().push(state);
        let carried = self.carried.borrow().clone();
        let mut next = no_grad(|| self.step.call(&carried))?;
        self.draws.set(self.draws.get() || generator.state() != state);
        let pred = next.pop().ok_or_else(|| Error::argument("while_loop", "there is no predicate"))?;
        self.carried.replace(next);
        Ok(pred)
    }

    /// The tensors after the last step. If gradients go through them, the steps run again, as a
    /// scan of their number.
    ///
    /// # Errors
    ///
    /// The errors of the function.
    pub fn finish(self) -> Result<Vec<Tensor>> {
        let states = self.states.into_inner();
        if states.is_empty() {
            return self.initial.iter().map(Tensor::clone_tensor).collect();
        }
        let body_fn = self.body_fn;
        let body: Body = Rc::new(move |carried, _| Ok((body_fn(carried)?, vec![])));
        let (length, states) = (states.len(), self.draws.get().then(|| Rc::from(states)));
        let steps = Steps { op: "while_loop", body, length, reverse: false, states };
        if steps.needs_grad(&self.initial, &[])? {
            return Ok(steps.run(&self.initial, &[])?.0);
        }
        Ok(self.carried.into_inner().iter().map(Tensor::detach).collect())
    }
}

/// Repeats a function while a predicate of its tensors is true, as
/// `torch._higher_order_ops.while_loop`.
///
/// `body_fn` gets the carried tensors and returns as many tensors, in the same shapes and
/// types; `cond_fn` returns a tensor of one element, which is read after every step. The kernels of
/// both are recorded once. Where gradients go through the results, the steps run a second time, as
/// a [`scan`](super::scan) of as many steps, whose derivative they then have; no gradient goes
/// through the predicate.
///
/// # Errors
///
/// `argument` without tensors, for a predicate of several elements, for another number of
/// tensors, and within `vmap` or a trace for export; `shape` or `dtype` if a carried tensor changes
/// its shape or type; the errors of the functions and of reading.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, control::while_loop};
/// # pollster::block_on(async {
/// let x = Tensor::scalar(3.0f32, &device)?.requires_grad_(true)?;
/// let y = while_loop(|y| y[0].lt(100.0), |y| Ok(vec![y[0].square()?]), &[x.clone()]).await?;
/// assert_eq!(y[0].item().await?, 6561.0); // x^8
/// y[0].backward()?;
/// assert_eq!(x.grad().unwrap().item().await?, 17496.0); // 8 x^7
/// # Ok::<(), lanthorn::Error>(()) }).unwrap();
/// ```
pub async fn while_loop<C, B>(cond_fn: C, body_fn: B, carried_inputs: &[Tensor]) -> Result<Vec<Tensor>>
where
    C: Fn(&[Tensor]) -> Result<Tensor> + 'static,
    B: Fn(&[Tensor]) -> Result<Vec<Tensor>> + 'static,
{
    let running = Loop::new(cond_fn, body_fn, carried_inputs)?;
    let mut pred = running.start()?;
    while truth("while_loop", "the predicate", &pred).await? {
        pred = running.step()?;
    }
    running.finish()
}
