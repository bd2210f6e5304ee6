//! Initializers and constants as a program's state.

use super::Converter;
use crate::{external, proto::TensorProto};
use lanthorn_io::TensorData;
use lanthorn_program::{
    Result, State, StateKind,
    graph::{Operand, ValueId},
    value::is_floating_point,
};

/// How a value is used, as far as it tells what kind of state it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Its elements are read: sizes, axes, limits.
    Read,
    /// It takes part in arithmetic that broadcasts.
    Elementwise,
    /// It is a weight.
    Weight,
    /// It is a running mean or variance.
    Statistics,
}

/// The state of a program.
#[derive(Default)]
pub struct States {
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    data: TensorData<'static>,
    id: ValueId,
    /// Whether it has a name in the model, as constants of nodes do not.
    uses: Vec<Use>,
}

impl States {
    /// The entries with their kinds, their tensors, and their values in the outermost graph.
    pub fn finish(self) -> (Vec<State>, Vec<TensorData<'static>>, Vec<ValueId>) {
        let ids = self.entries.iter().map(|entry| entry.id).collect();
        let state = self.entries.iter().enumerate().map(|(tensor, entry)| {
            let kind = entry.kind();
            State { name: entry.name.clone(), kind, tensor, requires_grad: kind == StateKind::Parameter }
        });
        let state = state.collect();
        (state, self.entries.into_iter().map(|entry| entry.data).collect(), ids)
    }
}

impl Entry {
    fn kind(&self) -> StateKind {
        let has = |wanted: Use| self.uses.contains(&wanted);
        let elements: usize = self.data.shape().iter().product();
        let is_number = elements <= 1 && !has(Use::Weight);
        if !is_floating_point(self.data.dtype()) || self.data.rank() == 0 || is_number {
            return StateKind::Constant;
        }
        if has(Use::Statistics) {
            return StateKind::Buffer { persistent: true };
        }
        if has(Use::Weight) || has(Use::Elementwise) { StateKind::Parameter } else { StateKind::Constant }
    }
}

impl Converter<'_> {
    /// A new entry of the state. Gives the name of its value in the outermost graph.
    pub fn state(&mut self, tensor: &TensorProto) -> Result<String> {
        let data = external::read(tensor, self.external)?.into_owned();
        let base = if tensor.name().is_empty() { "constant" } else { tensor.name() };
        let mut name = base.to_string();
        let mut number = 0;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{base}.{number}");
        }
        let scope = &mut self.scopes[0];
        let id = scope.graph.add_value(name.clone(), None);
        scope.states.insert(id, self.states.entries.len());
        // A name with a zero character is none of the model's.
        let key = format!("\0{name}");
        scope.names.insert(key.clone(), Operand::Value(id));
        self.states.entries.push(Entry { name, data, id, uses: Vec::new() });
        Ok(key)
    }

    /// Notes how the innermost graph uses a value.
    pub fn note_use(&mut self, operand: &Operand, found: Use) {
        let Operand::Value(id) = operand else { return };
        if let Some(&index) = self.scope().states.get(id) {
            self.states.entries[index].uses.push(found);
        }
    }
}
