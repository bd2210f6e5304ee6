//! Groups of parameters with the same options.

use crate::state::State;
use lanthorn_tensor::{Error, HostNumber, Result, Scalar, SymFloat, Tensor, compile::capture, ops::Arg};
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

    /// Changes the parameters that have gradients, with the floating-point options as `numbers`. An
    /// optimizer that evaluates the loss itself has no such step.
    fn update(&self, _slots: &mut [Slot], _numbers: &[HostNumber]) -> Result<()> {
        Err(Error::argument("step", "the optimizer evaluates the loss itself: give step a closure"))
    }
}

/// Parameters with the same options.
pub(crate) struct Group {
    pub slots: Vec<Slot>,
    options: Box<dyn GroupOptions>,
    /// The floating-point options in their order, as compiled steps read them.
    numbers: Vec<HostNumber>,
    /// Counts the changes of the other options, which are part of a compiled step.
    changes: HostNumber,
    /// Numbers that schedules keep here, as PyTorch's do: `initial_lr`, `max_lr`. An optimizer
    /// without a rule keeps all numbers here, lists among them.
    pub extra: Vec<(String, Arg)>,
}

/// The floating-point numbers among options, in their order.
fn numbers_in(args: &[Arg]) -> impl Iterator<Item = f64> {
    args.iter().flat_map(|arg| match arg {
        Arg::Scalar(Scalar::Float(value)) => vec![*value],
        Arg::Floats(values) => values.clone(),
        _ => vec![],
    })
}

/// Describes the options that are not floating-point numbers, and which floating-point options are
/// omitted.
fn others_in(args: &[Arg]) -> String {
    let omitted = |values: &[f64]| values.iter().map(|value| value.is_nan()).collect::<Vec<_>>();
    let other = |arg: &Arg| match arg {
        Arg::Scalar(Scalar::Float(value)) => format!("{:?}", omitted(&[*value])),
        Arg::Floats(values) => format!("{:?}", omitted(values)),
        other => format!("{other:?}"),
    };
    args.iter().map(other).collect::<Vec<_>>().join(" ")
}

impl Group {
    /// A group of parameters without a state.
    pub fn new(parameters: Vec<Tensor>, options: Box<dyn GroupOptions>) -> Group {
        let slots = parameters.into_iter().map(|parameter| Slot { parameter, state: State::default() }).collect();
        let numbers = numbers_in(&options.to_args()).map(HostNumber::new).collect();
        Group { slots, options, numbers, changes: HostNumber::default(), extra: vec![] }
    }

    /// The options.
    pub fn options(&self) -> &dyn GroupOptions {
        &*self.options
    }

    /// Replaces the options.
    pub fn set_options(&mut self, options: Box<dyn GroupOptions>) {
        capture::break_graph(|| "it changes an option of an optimizer".into());
        let (before, now) = (self.options.to_args(), options.to_args());
        if others_in(&before) != others_in(&now) {
            self.changes.set(self.changes.get() + 1.0);
        }
        self.numbers.iter().zip(numbers_in(&now)).for_each(|(number, value)| number.set(value));
        self.options = options;
    }

    /// Changes the parameters that have gradients.
    pub fn update(&mut self) -> Result<()> {
        self.changes.get().specialize();
        self.options.update(&mut self.slots, &self.numbers)
    }

    /// A number that a schedule stores.
    pub fn extra(&self, name: &str) -> Option<&Arg> {
        self.extra.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub fn set_extra(&mut self, name: &str, value: Arg) {
        match self.extra.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.extra.push((name.to_string(), value)),
        }
    }

    /// Replaces the parameters. Those that were there before keep their states.
    pub fn set_parameters(&mut self, parameters: Vec<Tensor>) {
        capture::break_graph(|| "it changes the parameters of an optimizer".into());
        let mut before = std::mem::take(&mut self.slots);
        let slot = |parameter: Tensor| match before.iter().position(|slot| slot.parameter.is(&parameter)) {
            Some(index) => before.swap_remove(index),
            None => Slot { parameter, state: State::default() },
        };
        self.slots = parameters.into_iter().map(slot).collect();
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
    pub fn signed_grad(&self, maximize: bool) -> Result<Tensor> {
        if maximize { self.grad.neg() } else { Ok(self.grad.clone()) }
    }

    /// [`Update::signed_grad`] with weight decay: plus `weight_decay` times the parameter.
    pub fn decayed_grad(&self, maximize: bool, weight_decay: SymFloat) -> Result<Tensor> {
        let grad = self.signed_grad(maximize)?;
        if weight_decay == 0.0 { Ok(grad) } else { grad.add_with(self.parameter, weight_decay) }
    }

    /// A tensor of the state, initially zeros.
    pub fn zeros(&self, name: &str) -> Result<Tensor> {
        self.state.tensor(name, || self.parameter.detach().zeros_like())
    }

    /// The exponential moving average of the gradients, with decay rate `beta`.
    pub fn mean(&mut self, name: &str, grad: &Tensor, beta: SymFloat) -> Result<Tensor> {
        let mean = self.zeros(name)?.lerp(grad, 1.0 - beta)?;
        self.state.set_tensor(name, &mean)?;
        Ok(mean)
    }

    /// The same of their squares.
    pub fn mean_square(&mut self, name: &str, grad: &Tensor, beta: SymFloat) -> Result<Tensor> {
        let square = self.zeros(name)?.mul(beta)?.add_with(&grad.square()?, 1.0 - beta)?;
        self.state.set_tensor(name, &square)?;
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
