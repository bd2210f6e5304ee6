//! One direction of one layer over a sequence.
//!
//! The inputs are multiplied by their weight before, in one product for the whole sequence. The
//! remaining work runs step by step: a product with the hidden state, and the update rule of the
//! cell. A device that has a kernel of all steps runs it ([`Kernel::Recurrent`]); elsewhere, and
//! for projections, a step is a few kernels. The derivative runs backwards step by step in the same
//! way, and computes the gradients of the weights once, after all steps.
//!
//! Rejected: leaving the derivative to the ops of each step. It would add up one product a step for
//! the gradient of a weight, and one tensor of the length of the sequence a step for the gradient
//! of the inputs: quadratic time in the length.

use super::cell::{After, Cell, Step};
use crate::{
    DType, Result, Shape, Tensor,
    autograd::{Derivative, attach, is_grad_enabled, no_grad},
    batch,
};
use lanthorn_ir::{Kernel, kernel};
use std::rc::Rc;

/// The update rule and the direction of a run.
#[derive(Clone, Copy)]
pub(super) struct Direction {
    pub op: &'static str,
    pub cell: &'static Cell,
    pub reverse: bool,
}

/// The operands of a run.
#[derive(Clone)]
pub(super) struct Operands {
    /// The projections of the inputs, `[T, B, gates * hidden]`, of at least one step.
    pub gates: Tensor,
    /// The initial hidden state, `[B, out]`.
    pub hidden: Tensor,
    /// The initial cell state, `[B, hidden]`, of a cell that has one.
    pub carried: Option<Tensor>,
    /// `[gates * hidden, out]`
    pub weight: Tensor,
    /// `[gates * hidden]`
    pub bias: Option<Tensor>,
    /// The projection of a cell's output to the hidden state, `[out, hidden]`; without it they are
    /// the same.
    pub projection: Option<Tensor>,
}

impl Operands {
    /// The operands that are present.
    fn list(&self) -> Vec<&Tensor> {
        let required = [&self.gates, &self.hidden, &self.weight];
        required.into_iter().chain(&self.carried).chain(&self.bias).chain(&self.projection).collect()
    }

    /// `tensors` as operands, in the order of [`list`](Operands::list).
    fn like(&self, tensors: &[Tensor]) -> Operands {
        let mut tensors = tensors.iter().cloned();
        let mut next = || tensors.next().expect("a list has a tensor for every operand");
        let (gates, hidden, weight) = (next(), next(), next());
        let [carried, bias, projection] =
            [&self.carried, &self.bias, &self.projection].map(|operand| operand.as_ref().map(|_| next()));
        Operands { gates, hidden, carried, weight, bias, projection }
    }
}

/// The steps of a run in order of time.
struct Trace {
    steps: Vec<(Step, After)>,
    /// The hidden state after each step.
    hidden: Vec<Tensor>,
}

/// Returns the steps of a run when a derivative needs them.
type MakeTrace = dyn Fn() -> Result<Rc<Trace>>;

/// The results of a kernel of all steps, `[T, B, ..]` each: see [`kernel::Recurrent`].
struct States {
    hidden: Tensor,
    carried: Option<Tensor>,
    projected: Option<Tensor>,
}

impl Direction {
    /// The hidden states, `[T, B, out]`, and the last cell state.
    pub fn run(self, x: Operands) -> Result<(Tensor, Option<Tensor>)> {
        let is_open = is_grad_enabled() && x.list().iter().any(|operand| operand.requires_grad());
        let (states, trace): (Tensor, Box<MakeTrace>) = if self.has_kernel(&x) {
            let all = no_grad(|| self.launch(&x, is_open));
            let last = all.carried.as_ref().map(|carried| carried.select(0, if self.reverse { 0 } else { -1 }));
            let last = last.transpose()?;
            if !is_open {
                return Ok((all.hidden, last));
            }
            let states = no_grad(|| join(std::iter::once(&all.hidden).chain(&last)))?;
            let operands = x.clone();
            (states, Box::new(move || self.split_steps(&operands, &all).map(Rc::new)))
        } else {
            let trace = Rc::new(no_grad(|| self.trace(&x))?);
            let last = if self.reverse { trace.steps.first() } else { trace.steps.last() };
            let carried = last.and_then(|(_, after)| after.carried.as_ref());
            let states = no_grad(|| join(trace.hidden.iter().chain(carried)))?;
            (states, Box::new(move || Ok(trace.clone())))
        };
        let operands = x.clone();
        let derivative: Derivative = Rc::new(move |grad, saved| {
            let x = operands.like(saved);
            let gradients = if is_grad_enabled() {
                // A derivative that is itself differentiated runs the steps again, as functions of
                // the operands.
                self.gradients(&x, &self.trace(&x)?, grad)?
            } else {
                self.gradients(&x, &*trace()?, grad)?
            };
            Ok(gradients.into_iter().map(Some).collect())
        });
        attach(self.op, &states, &x.list(), &x.list(), derivative);
        self.split(&x, &states)
    }

    /// Whether the device has a kernel of all steps for these operands.
    fn has_kernel(self, x: &Operands) -> bool {
        x.gates.device().capabilities().has_recurrent_kernel
            && x.projection.is_none()
            && x.list().iter().all(|operand| operand.dtype() == DType::F32 && operand.batch().is_empty())
    }

    /// Runs all steps as one kernel.
    fn launch(self, x: &Operands, traces: bool) -> States {
        let inputs = x.list();
        let sources = inputs.iter().map(|input| input.layout().clone()).collect();
        let kernel = kernel::Recurrent { cell: self.cell.kind, reverse: self.reverse, traces, sources };
        let values = inputs.iter().map(|input| input.value()).collect();
        let [steps, batch, hidden] = kernel.extents();
        let outputs = batch::record(x.gates.device(), self.op, Kernel::Recurrent(kernel), None, values, vec![]);
        let carries = self.cell.carries;
        let sizes = std::iter::once(hidden).chain(carries.then_some(hidden)).chain([x.gates.shape()[2]]);
        let mut tensors = outputs
            .into_iter()
            .zip(sizes)
            .map(|(value, size)| Tensor::from_value(x.gates.device(), value, Shape::from_dims([steps, batch, size])));
        let hidden = tensors.next().expect("the hidden states are the first output");
        States { hidden, carried: if carries { tensors.next() } else { None }, projected: tensors.next() }
    }

    /// The steps of a kernel that ran with traces.
    fn split_steps(self, x: &Operands, all: &States) -> Result<Trace> {
        let steps = x.gates.shape()[0];
        let each = |x: &Tensor| (0..steps as i64).map(|time| x.select(0, time)).collect::<Result<Vec<Tensor>>>();
        let hidden = each(&all.hidden)?;
        let carried = all.carried.as_ref().map(each).transpose()?;
        let projected = each(all.projected.as_ref().unwrap_or(&x.gates))?;
        let inputs = if self.cell.additive { projected.clone() } else { each(&x.gates)? };
        let kept = match (&carried, &x.carried) {
            (Some(carried), Some(first)) => self.before(first, carried),
            _ => self.before(&x.hidden, &hidden),
        };
        let parts = inputs.into_iter().zip(projected).zip(kept).enumerate();
        let step = |(time, ((input, of_hidden), kept)): (usize, ((Tensor, Tensor), Tensor))| {
            let carried = carried.as_ref().map(|carried| carried[time].clone());
            (Step { input, hidden: of_hidden, kept }, After { output: hidden[time].clone(), carried })
        };
        Ok(Trace { steps: parts.map(step).collect(), hidden })
    }

    /// The indices of time in the order of the steps.
    fn times(self, x: &Operands) -> Vec<usize> {
        let times = 0..x.gates.shape()[0];
        if self.reverse { times.rev().collect() } else { times.collect() }
    }

    fn trace(self, x: &Operands) -> Result<Trace> {
        let mut trace = Trace { steps: vec![], hidden: vec![] };
        let (mut hidden, mut carried) = (x.hidden.clone(), x.carried.clone());
        for time in self.times(x) {
            let of_hidden = hidden.linear(&x.weight, x.bias.as_ref())?;
            let mut input = x.gates.select(0, time as i64)?;
            if self.cell.additive {
                input = input.add(&of_hidden)?;
            }
            let step = Step { input, hidden: of_hidden, kept: carried.unwrap_or(hidden) };
            let after = (self.cell.step)(&step)?;
            hidden = match &x.projection {
                Some(projection) => after.output.linear(projection, None)?,
                None => after.output.clone(),
            };
            carried = after.carried.clone();
            trace.steps.push((step, after));
            trace.hidden.push(hidden.clone());
        }
        if self.reverse {
            trace.steps.reverse();
            trace.hidden.reverse();
        }
        Ok(trace)
    }

    /// The results that [`join`] concatenated, or their gradients from its
    /// gradient.
    fn split(self, x: &Operands, joined: &Tensor) -> Result<(Tensor, Option<Tensor>)> {
        let steps = x.gates.shape()[0];
        let hidden = joined.narrow(0, 0, (steps * x.hidden.numel()) as i64)?;
        let hidden = hidden.reshape([&[steps as i64], &x.hidden.shape().to_i64()[..]].concat())?;
        let carried = x.carried.as_ref().map(|first| {
            let size = first.numel() as i64;
            joined.narrow(0, joined.numel() as i64 - size, size)?.reshape(first.shape())
        });
        Ok((hidden, carried.transpose()?))
    }

    /// The gradients of the operands, in the order of their list.
    fn gradients(self, x: &Operands, trace: &Trace, grad: &Tensor) -> Result<Vec<Tensor>> {
        let (grad_states, mut grad_carried) = self.split(x, grad)?;
        let mut grad_hidden: Option<Tensor> = None;
        let (mut of_input, mut of_hidden, mut of_states) = (vec![], vec![], vec![]);
        for time in self.times(x).into_iter().rev() {
            let (step, after) = &trace.steps[time];
            let mut grad_state = grad_states.select(0, time as i64)?;
            if let Some(from_later) = grad_hidden {
                grad_state = from_later.add(grad_state)?;
            }
            let grad_output = match &x.projection {
                Some(projection) => &grad_state.matmul(projection)?,
                None => &grad_state,
            };
            let gradient = (self.cell.gradient)(step, after, grad_output, grad_carried.as_ref())?;
            let through_weight = gradient.hidden.matmul(&x.weight)?;
            (grad_hidden, grad_carried) = match gradient.kept {
                Some(kept) if !self.cell.carries => (Some(through_weight.add(kept)?), None),
                kept => (Some(through_weight), kept),
            };
            of_input.push(gradient.input);
            of_hidden.push(gradient.hidden);
            of_states.push(grad_state);
        }
        if !self.reverse {
            [&mut of_input, &mut of_hidden, &mut of_states].into_iter().for_each(|list| list.reverse());
        }
        // [T * B, ..] each, in order of time
        let of_gates = Tensor::cat(&of_input, 0)?;
        let of_hidden = if self.cell.additive { of_gates.clone() } else { Tensor::cat(&of_hidden, 0)? };
        let by = |gradients: &Tensor, states: Vec<Tensor>| gradients.t()?.matmul(&Tensor::cat(&states, 0)?);
        let mut all = vec![
            of_gates.reshape(x.gates.shape())?,
            grad_hidden.expect("a sequence has a step"),
            by(&of_hidden, self.before(&x.hidden, &trace.hidden))?,
        ];
        all.extend(grad_carried);
        if x.bias.is_some() {
            all.push(of_hidden.sum(0, false)?);
        }
        if x.projection.is_some() {
            let outputs = trace.steps.iter().map(|(_, after)| after.output.clone()).collect();
            all.push(by(&Tensor::cat(&of_states, 0)?, outputs)?);
        }
        Ok(all)
    }

    /// The state before each step, in order of time, from the first one and the states after each
    /// step.
    fn before(self, first: &Tensor, after: &[Tensor]) -> Vec<Tensor> {
        let first = std::iter::once(first);
        if self.reverse {
            after[1..].iter().chain(first).cloned().collect()
        } else {
            first.chain(&after[..after.len() - 1]).cloned().collect()
        }
    }
}

/// A copy of all results as one vector, so that one derivative covers them: the hidden states and
/// the last cell state. A write to a result leaves the steps as the derivative needs them.
fn join<'a>(results: impl Iterator<Item = &'a Tensor>) -> Result<Tensor> {
    let flat: Result<Vec<Tensor>> = results.map(|state| state.reshape([-1])).collect();
    Tensor::cat(&flat?, 0)
}
