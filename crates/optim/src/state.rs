//! The optimizer's state of a parameter, by PyTorch's names.

use lanthorn_tensor::{HostNumber, Result, SymFloat, Tensor, compile::capture};

/// A value of the state.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// A number that PyTorch stores as a 0-d tensor. Here it stays on the host, where it is used.
    Number(HostNumber),
    /// A number that PyTorch stores as a number too.
    Plain(f64),
    /// A tensor.
    Tensor(Tensor),
    /// A history of tensors.
    Tensors(Vec<Tensor>),
}

/// The state of one parameter, in the order of the first writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub entries: Vec<(String, Entry)>,
}

impl State {
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|(known, _)| known == name).map(|(_, entry)| entry)
    }

    pub fn set(&mut self, name: &str, entry: Entry) {
        match self.entries.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = entry,
            None => self.entries.push((name.to_string(), entry)),
        }
    }

    /// A number, or its initial value `start`.
    pub fn number(&self, name: &str, start: impl Into<SymFloat>) -> SymFloat {
        match self.get(name) {
            Some(Entry::Number(number)) => number.get(),
            Some(Entry::Plain(value)) => (*value).into(),
            _ => start.into(),
        }
    }

    /// A number that a rule does not compute with on the device.
    pub fn plain(&self, name: &str, start: f64) -> f64 {
        if let Some(Entry::Plain(value)) = self.get(name) { *value } else { start }
    }

    /// Rounds a number as PyTorch does, which stores it in a float32 tensor.
    pub fn set_number(&mut self, name: &str, value: SymFloat) {
        match self.get(name) {
            Some(Entry::Number(number)) => number.set(value.rounded()),
            _ => {
                // The next step is another one.
                capture::break_graph(|| "it is the first step of an optimizer".into());
                let number = HostNumber::default();
                number.set(value.rounded());
                self.set(name, Entry::Number(number));
            }
        }
    }

    /// Increments the number of steps and returns it.
    pub fn count(&mut self) -> SymFloat {
        let step = self.number("step", 0.0) + 1.0;
        self.set_number("step", step);
        step
    }

    /// A tensor, or its initial value.
    pub fn tensor(&self, name: &str, start: impl FnOnce() -> Result<Tensor>) -> Result<Tensor> {
        match self.get(name) {
            Some(Entry::Tensor(tensor)) => Ok(tensor.clone()),
            _ => start(),
        }
    }

    /// Writes to a tensor, which stays the same one from the first step on.
    pub fn set_tensor(&mut self, name: &str, tensor: &Tensor) -> Result<()> {
        match self.get(name) {
            Some(Entry::Tensor(known)) => known.copy_(tensor),
            _ => {
                self.set(name, Entry::Tensor(tensor.clone()));
                Ok(())
            }
        }
    }
}
