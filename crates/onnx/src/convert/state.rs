//! Collects initializers and constants as a program's state.

use super::Converter;
use crate::{external, proto::TensorProto};
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{
    Result, State, StateKind,
    graph::{Operand, ValueId},
    value::is_floating_point,
};

/// How operators use a value. The use determines the kind of its entry in the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Operators read its elements: sizes, axes, limits.
    Read,
    /// A scale, a zero point or a table of angles: neither read nor a weight.
    Constant,
    /// An operand of broadcasting arithmetic.
    Elementwise,
    /// A weight.
    Weight,
    /// A running mean or variance.
    Statistics,
}

/// The state of a program that is being built.
#[derive(Default)]
pub struct States {
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    dtype: DType,
    shape: Vec<usize>,
    elements: Elements,
    id: ValueId,
    uses: Vec<Use>,
}

/// The storage of an entry's elements.
enum Elements {
    Here(TensorData<'static>),
    /// On the device already: the index of a tensor that the file's reader uploaded.
    Uploaded(usize),
}

/// The state of a program, completed.
pub struct Finished {
    /// The entries with their kinds.
    pub state: Vec<State>,
    /// Their tensors, except those on the device.
    pub tensors: Vec<TensorData<'static>>,
    /// Their values in the outermost graph, with types and shapes.
    pub values: Vec<(ValueId, DType, Vec<usize>)>,
}

impl States {
    /// Completes the state after the last node.
    pub fn finish(self) -> Finished {
        let here = self.entries.iter().filter(|entry| matches!(entry.elements, Elements::Here(_))).count();
        let mut finished = Finished { state: Vec::new(), tensors: Vec::new(), values: Vec::new() };
        for entry in self.entries {
            let kind = entry.kind();
            let tensor = match entry.elements {
                Elements::Here(data) => {
                    finished.tensors.push(data);
                    finished.tensors.len() - 1
                }
                Elements::Uploaded(index) => here + index,
            };
            let requires_grad = kind == StateKind::Parameter;
            finished.state.push(State { name: entry.name, kind, tensor, requires_grad });
            finished.values.push((entry.id, entry.dtype, entry.shape));
        }
        finished
    }
}

impl Entry {
    fn kind(&self) -> StateKind {
        let has = |wanted: Use| self.uses.contains(&wanted);
        let elements: usize = self.shape.iter().product();
        let is_number = elements <= 1 && !has(Use::Weight);
        if !is_floating_point(self.dtype) || self.shape.is_empty() || is_number {
            return StateKind::Constant;
        }
        if has(Use::Statistics) {
            return StateKind::Buffer { persistent: true };
        }
        if has(Use::Weight) || has(Use::Elementwise) { StateKind::Parameter } else { StateKind::Constant }
    }
}

impl Converter<'_> {
    /// Adds an entry to the state, and returns the name of its value in the outermost graph.
    pub fn state(&mut self, tensor: &TensorProto) -> Result<String> {
        let (dtype, shape, elements) = match tensor.upload() {
            Some(index) => (tensor.dtype()?, tensor.shape()?, Elements::Uploaded(index)),
            None => {
                let data = external::read(tensor, self.external)?.into_owned();
                (data.dtype(), data.shape().to_vec(), Elements::Here(data))
            }
        };
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
        // A name with a zero character cannot clash with a name of the model.
        let key = format!("\0{name}");
        scope.names.insert(key.clone(), Operand::Value(id));
        self.states.entries.push(Entry { name, dtype, shape, elements, id, uses: Vec::new() });
        Ok(key)
    }

    /// Records how the innermost graph uses a value.
    pub fn note_use(&mut self, operand: &Operand, found: Use) {
        let Operand::Value(id) = operand else { return };
        let is_outermost = self.scopes.len() == 1;
        let scope = self.scope();
        if let Some(&index) = scope.states.get(id) {
            self.states.entries[index].uses.push(found);
        } else if found == Use::Read
            && is_outermost
            && let Some(input) = scope.graph.inputs.iter().position(|input| input == id)
        {
            self.read_inputs.insert(input);
        }
    }
}
