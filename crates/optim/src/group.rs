//! Groups of parameters with the same options.

use crate::state::State;
use lanthorn_tensor::{Error, Result, Tensor, ops::Arg};
use std::any::Any;

/// A parameter with its state.
pub(crate) struct Slot {
    pub parameter: Tensor,
    pub state: State,
}

/// The options of a group, in the type of its optimizer.
pub(crate) trait GroupOptions: Any {
    /// The options as data, in the order of the constructor's parameters.
    fn to_args(&self) -> Vec<Arg>;

    /// Changes the parameters that have gradients. An optimizer that evaluates the loss itself has
    /// no such step.
    fn update(&self, _slots: &mut [Slot]) -> Result<()> {
        Err(Error::argument("step", "the optimizer evaluates the loss itself: give step a closure"))
    }
}

/// Parameters with the same options.
pub(crate) struct Group {
    pub slots: Vec<Slot>,
    pub options: Box<dyn GroupOptions>,
    /// Numbers that schedules keep here, as PyTorch's do: `initial_lr`, `max_lr`.
    pub extra: Vec<(String, f64)>,
}

impl Group {
    /// A number that a schedule stores.
    pub fn extra(&self, name: &str) -> Option<f64> {
        self.extra.iter().find(|(known, _)| known == name).map(|&(_, value)| value)
    }

    pub fn set_extra(&mut self, name: &str, value: f64) {
        match self.extra.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.extra.push((name.to_string(), value)),
        }
    }
}

/// One parameter's part of a step.
pub(crate) struct Update<'a> {
    pub parameter: &'a Tensor,
    pub grad: Tensor,
    pub state: &'a mut State,
}

impl Update<'_> {
    /// The gradient, negated for maximizing.
    pub fn signed(&self, maximize: bool) -> Result<Tensor> {
        if maximize { self.grad.neg() } else { Ok(self.grad.clone()) }
    }

    /// [`Update::signed`] with weight decay: plus `weight_decay` times the parameter.
    pub fn decayed(&self, maximize: bool, weight_decay: f64) -> Result<Tensor> {
        let grad = self.signed(maximize)?;
        if weight_decay == 0.0 { Ok(grad) } else { grad.add_with(self.parameter, weight_decay) }
    }

    /// A tensor of the state, initially zeros.
    pub fn zeros(&self, name: &str) -> Result<Tensor> {
        self.state.tensor(name, || self.parameter.detach().zeros_like())
    }

    /// The exponential moving average of the gradients, with decay rate `beta`.
    pub fn mean(&mut self, name: &str, grad: &Tensor, beta: f64) -> Result<Tensor> {
        let mean = self.zeros(name)?.lerp(grad, 1.0 - beta)?;
        self.state.set_tensor(name, &mean);
        Ok(mean)
    }

    /// The same of their squares.
    pub fn mean_square(&mut self, name: &str, grad: &Tensor, beta: f64) -> Result<Tensor> {
        let square = self.zeros(name)?.mul(beta)?.add_with(&grad.square()?, 1.0 - beta)?;
        self.state.set_tensor(name, &square);
        Ok(square)
    }
}

/// Updates every parameter that has a gradient.
pub(crate) fn each(slots: &mut [Slot], mut update: impl FnMut(Update<'_>) -> Result<()>) -> Result<()> {
    for Slot { parameter, state } in slots {
        if let Some(grad) = parameter.grad() {
            update(Update { parameter, grad, state })?;
        }
    }
    Ok(())
}
