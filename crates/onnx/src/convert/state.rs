//! Initializers and constants as a program's state.

use super::Converter;
use crate::{external, proto::TensorProto};
use lanthorn_io::{DType, TensorData};
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
    /// It is a scale, a zero point, a table of angles: neither read nor a weight.
    Constant,
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
    dtype: DType,
    shape: Vec<usize>,
    elements: Elements,
    id: ValueId,
    uses: Vec<Use>,
}

/// Where the elements of an entry are.
enum Elements {
    Here(TensorData<'static>),
    /// On the device already: the number of a tensor that the file's reader handed on.
    Uploaded(usize),
}

/// The finished state of a program.
pub struct Finished {
    /// The entries with their kinds.
    pub state: Vec<State>,
    /// Their tensors, but for those that are on the device.
    pub tensors: Vec<TensorData<'static>>,
    /// Their values in the outermost graph, which have these types and shapes.
    pub values: Vec<(ValueId, DType, Vec<usize>)>,
}

impl States {
    /// The state, when the graphs are complete.
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
    /// A new entry of the state. Gives the name of its value in the outermost graph.
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
        // A name with a zero character is none of the model's.
        let key = format!("\0{name}");
        scope.names.insert(key.clone(), Operand::Value(id));
        self.states.entries.push(Entry { name, dtype, shape, elements, id, uses: Vec::new() });
        Ok(key)
    }

    /// Notes how the innermost graph uses a value.
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
