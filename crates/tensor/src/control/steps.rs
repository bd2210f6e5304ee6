//! The steps of a scan: one recording, and its replays.

use super::{check_alike, derivative, runs_plainly};
use crate::{
    DType, Device, Error, Result, Shape, Tensor,
    autograd::{Edge, GradNode, edges_out, is_grad_enabled, no_grad},
    compile::{capture, compile_step},
    ops::leaf::cast::covering,
    storage::Storage,
};
use std::rc::{Rc, Weak};

/// The function of a step: the next carry and the outputs, from the carry and the slices.
pub(super) type Body = Rc<dyn Fn(&[Tensor], &[Tensor]) -> Result<(Vec<Tensor>, Vec<Tensor>)>>;

/// A state of the generator of random numbers.
pub(super) type State = (u64, u32);

/// A carry, and the outputs of all steps stacked along dimension 0.
pub(super) type Results = (Vec<Tensor>, Vec<Tensor>);

/// A scan over slices along dimension 0.
#[derive(Clone)]
pub(super) struct Steps {
    pub op: &'static str,
    pub body: Body,
    pub length: usize,
    pub reverse: bool,
    /// The states of the generator with which the steps at each position begin, if they draw the
    /// numbers again that earlier ones drew.
    pub states: Option<Rc<[State]>>,
}

/// The findings of a call of the function.
pub(super) struct Probe {
    outputs: Vec<(Shape, DType)>,
    /// Where gradients leave the function other than to its arguments.
    pub captured: Vec<Edge>,
    /// Whether the function draws random numbers.
    draws: bool,
}

/// The values that the derivative of a scan needs besides its operands.
pub(super) struct Kept {
    /// The carry before each step.
    pub carries: Vec<Tensor>,
    pub states: Option<Rc<[State]>>,
    /// The storages that the function captures, with their versions.
    pub reads: Vec<(Weak<Storage>, u64)>,
}

/// The device of a scan. A backward pass may have no carry.
fn device_of<'a>(init: &'a [Tensor], xs: &'a [Tensor]) -> Result<&'a Device> {
    let first = init.first().or(xs.first()).ok_or_else(|| Error::argument("scan", "there is no tensor"))?;
    Ok(first.device())
}

impl Steps {
    /// Runs the scan.
    pub fn run(self, init: &[Tensor], xs: &[Tensor]) -> Result<Results> {
        if self.length > 0 && runs_plainly(&[init, xs].concat()) {
            return self.run_plainly(init, xs);
        }
        capture::leave();
        let probe = self.probe(init, xs)?;
        if self.length == 0 {
            return Ok((init.to_vec(), self.buffers(device_of(init, xs)?, &probe.outputs)?));
        }
        let edges: Vec<Option<Edge>> = init.iter().chain(xs).map(Tensor::grad_edge).collect();
        let needs_grad = is_grad_enabled() && (!probe.captured.is_empty() || edges.iter().any(Option::is_some));
        let (results, kept) = no_grad(|| self.replay(init, xs, &probe, needs_grad))?;
        if needs_grad {
            derivative::attach_to(self, (xs, &edges), probe.captured, &results, kept);
        }
        Ok(results)
    }

    /// Whether gradients go through the results of the scan.
    pub fn needs_grad(&self, init: &[Tensor], xs: &[Tensor]) -> Result<bool> {
        Ok(is_grad_enabled()
            && (init.iter().chain(xs).any(Tensor::requires_grad) || !self.probe(init, xs)?.captured.is_empty()))
    }

    fn position(&self, number: usize) -> usize {
        if self.reverse { self.length - 1 - number } else { number }
    }

    /// Calls the function on the first slices. No kernel runs, because nothing reads the results.
    fn probe(&self, init: &[Tensor], xs: &[Tensor]) -> Result<Probe> {
        let generator = device_of(init, xs)?.generator();
        let (state, before) = (generator.state(), Storage::made());
        // The function may write to its arguments.
        let own = |tensor: &Tensor| {
            let copy = no_grad(|| tensor.detach().clone_tensor())?;
            copy.requires_grad_(is_grad_enabled() && tensor.dtype().is_floating_point())
        };
        let slice = |x: &Tensor| match self.length {
            0 => Tensor::zeros_with(&Shape::from_dims(x.shape()[1..].iter().copied()), x.dtype(), Some(x.device())),
            _ => no_grad(|| x.select(0, self.position(0) as i64)),
        };
        let carry = init.iter().map(own).collect::<Result<Vec<_>>>()?;
        let slices = xs.iter().map(|x| own(&slice(x)?)).collect::<Result<Vec<_>>>()?;
        let first = GradNode::made();
        let (next, outputs) = (self.body)(&carry, &slices)?;
        self.check_carry(&next, init)?;
        let draws = generator.state() != state;
        if draws {
            generator.set_state(state);
        }
        let is_own = |edge: &Edge| match edge {
            // A leaf that the function made, or that it was called with.
            Edge::Leaf(leaf) => {
                leaf.0.storage.serial >= before || carry.iter().chain(&slices).any(|tensor| tensor.is(leaf))
            }
            Edge::Node(_) => false,
        };
        let mut captured = match is_grad_enabled() {
            true => edges_out(&[&next[..], &outputs].concat(), first),
            false => vec![],
        };
        captured.retain(|edge| !is_own(edge));
        let outputs = outputs.iter().map(|output| (output.shape().clone(), output.dtype())).collect();
        Ok(Probe { outputs, captured, draws })
    }

    fn check_carry(&self, next: &[Tensor], init: &[Tensor]) -> Result<()> {
        let names = match self.op {
            "while_loop" => ("the result of the body", "its arguments"),
            _ => ("the carry that the function returned", "init"),
        };
        check_alike(self.op, names, next, init)
    }

    /// Tensors that take an output of each step.
    fn buffers(&self, device: &Device, outputs: &[(Shape, DType)]) -> Result<Vec<Tensor>> {
        let buffer = |(shape, dtype): &(Shape, DType)| {
            let shape = Shape::from_dims(std::iter::once(self.length).chain(shape.iter().copied()));
            Tensor::zeros_with(&shape, *dtype, Some(device))
        };
        outputs.iter().map(buffer).collect()
    }

    /// Runs the steps by replays of one recording.
    fn replay(&self, init: &[Tensor], xs: &[Tensor], probe: &Probe, keeps: bool) -> Result<(Results, Kept)> {
        let device = device_of(init, xs)?.clone();
        let outputs = self.buffers(&device, &probe.outputs)?;
        let of_carry: Vec<(Shape, DType)> = init.iter().map(|x| (x.shape().clone(), x.dtype())).collect();
        let carries = if keeps { self.buffers(&device, &of_carry)? } else { vec![] };
        let xs = xs.iter().map(|x| covering(&x.detach())).collect::<Result<Vec<_>>>()?;
        let step = compile_step(self.step(init.len(), xs.len(), outputs.len()));
        let position = Tensor::from_slice(&[self.position(0) as i32], [1], &device)?;
        // The function may write to the carry.
        let init = init.iter().map(|x| x.detach().clone_tensor());
        let mut state = std::iter::once(Ok(position)).chain(init).collect::<Result<Vec<Tensor>>>()?;
        let generator = device.generator();
        let before = generator.state();
        let mut states = vec![(0, 0); if probe.draws { self.length } else { 0 }];
        for number in 0..self.length {
            let position = self.position(number);
            if let Some(states) = &self.states {
                generator.set_state(states[position]);
            }
            if let Some(state) = states.get_mut(position) {
                *state = generator.state();
            }
            state = step.call(&[&state[..], &xs, &outputs, &carries].concat())?;
        }
        if self.states.is_some() {
            generator.set_state(before);
        }
        let states = probe.draws.then(|| Rc::from(states));
        let kept = Kept { carries, states, reads: if keeps { step.reads() } else { vec![] } };
        // Each result is a separate tensor, also where the function returned one twice.
        let finals = state[1..].iter().map(Tensor::detach).collect();
        Ok(((finals, outputs), kept))
    }

    /// A step as a function of the position, the carry, and the tensors that it reads and writes.
    fn step(&self, carries: usize, slices: usize, outputs: usize) -> impl Fn(&[Tensor]) -> Result<Vec<Tensor>> + use<> {
        let (body, by) = (self.body.clone(), if self.reverse { -1 } else { 1 });
        move |arguments| {
            let (position, rest) = (&arguments[0], &arguments[1..]);
            let (carry, rest) = rest.split_at(carries);
            let (xs, rest) = rest.split_at(slices);
            let (buffers, kept) = rest.split_at(outputs);
            let write = |(buffer, value): (&Tensor, &Tensor)| {
                buffer.index_copy_(0, position, &value.detach().unsqueeze(0)?).map(|_| ())
            };
            let slices = xs.iter().map(|x| x.index_select(0, position)?.squeeze(0)).collect::<Result<Vec<_>>>()?;
            kept.iter().zip(carry).try_for_each(write)?;
            let (next, found) = body(carry, &slices)?;
            buffers.iter().zip(&found).try_for_each(write)?;
            let next = next.iter().map(|next| covering(&next.detach()));
            std::iter::once(position.add(by)).chain(next).collect()
        }
    }

    /// Runs the steps as ordinary operations.
    fn run_plainly(&self, init: &[Tensor], xs: &[Tensor]) -> Result<Results> {
        let mut carry = init.to_vec();
        let mut rows: Vec<Vec<Tensor>> = Vec::new();
        for number in 0..self.length {
            let position = self.position(number);
            if let Some(states) = &self.states {
                device_of(init, xs)?.generator().set_state(states[position]);
            }
            let slices = xs.iter().map(|x| x.select(0, position as i64)).collect::<Result<Vec<_>>>()?;
            let (next, outputs) = (self.body)(&carry, &slices)?;
            self.check_carry(&next, init)?;
            carry = next;
            rows.push(outputs);
        }
        if self.reverse {
            rows.reverse();
        }
        let stacked = |column: usize| {
            let parts = rows.iter().map(|row| row.get(column).cloned()).collect::<Option<Vec<_>>>();
            let message = || Error::argument(self.op, "the function does not return as many outputs at every step");
            Tensor::stack(&parts.ok_or_else(message)?, 0)
        };
        let outputs = (0..rows.first().map_or(0, Vec::len)).map(stacked).collect::<Result<_>>()?;
        Ok((carry, outputs))
    }
}
