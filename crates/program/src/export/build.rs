//! Builds a program from the traces of a function.

use super::{
    NamedState, Probes, TensorId, Trace,
    formula::{Formulas, symbol},
};
use crate::{
    Error, ExportedProgram, Input, InputKind, Output, OutputKind, Result, Shapes, State, StateKind, Value,
    graph::{Graph, Operand, Tree, ValueId},
    passes::remove_dead,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A program without the elements of its state.
#[derive(Debug)]
pub struct Built {
    /// The program, without the elements of its tensors.
    pub program: ExportedProgram,
    /// For each tensor of the program, the tensor of the first trace with its elements.
    pub sources: Vec<TensorId>,
}

/// Builds the program of a function.
///
/// There is one trace for each call of [`Probes`], in order. All traces have the state under the
/// same ids. `argument_names` are the names of the positional arguments.
///
/// # Errors
///
/// [`Error::Argument`] for an operation without an ATen operator; [`Error::Input`] if the
/// operations differ between calls, or a number differs that is not a formula of the sizes.
pub fn build(state: &[NamedState], argument_names: Vec<String>, probes: &Probes, traces: &[Trace]) -> Result<Built> {
    let first = traces.first().ok_or_else(|| Error::malformed("a program without a call"))?;
    let mut builder = Builder {
        probes,
        traces,
        known: vec![FxHashMap::default(); traces.len()],
        graph: Graph::default(),
        names: FxHashSet::default(),
        formulas: Formulas::default(),
        sizes: FxHashMap::default(),
        detached: FxHashMap::default(),
        constants: vec![],
    };
    let state_ids = builder.state(state)?;
    let mut user = Vec::new();
    let arguments: Vec<&Value<TensorId>> = traces.iter().map(|trace| &trace.arguments).collect();
    let tree = builder.arguments(&arguments, &mut String::new(), &argument_names, &mut user)?;
    for index in 0..first.ops.len() {
        builder.op(index)?;
    }
    let mut results = Vec::new();
    let given: Vec<&Value<TensorId>> = traces.iter().map(|trace| &trace.results).collect();
    let result_tree = builder.results(&given, &mut results)?;
    builder.finish(state, &state_ids, user, argument_names, tree, (result_tree, results))
}

/// A leaf of the arguments: its name, and its value or constant.
pub(super) type Leaf = (String, Operand);

/// A program under construction.
pub(super) struct Builder<'a> {
    pub(super) probes: &'a Probes,
    pub(super) traces: &'a [Trace],
    /// For each trace, the values of its tensors.
    pub(super) known: Vec<FxHashMap<TensorId, ValueId>>,
    pub(super) graph: Graph,
    pub(super) names: FxHashSet<String>,
    pub(super) formulas: Formulas,
    /// The values of sizes by their formulas.
    pub(super) sizes: FxHashMap<String, ValueId>,
    /// Values and their detached counterparts, outside of the autograd graph.
    pub(super) detached: FxHashMap<ValueId, ValueId>,
    /// Tensors of the first trace that are constants, with their values.
    pub(super) constants: Vec<(TensorId, ValueId)>,
}

impl Builder<'_> {
    /// Returns a name that no value has.
    pub(super) fn unique(&mut self, base: &str) -> String {
        let base: String = base.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let numbered = (1..).map(|number| format!("{base}_{number}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        let name = names.find(|name| !self.names.contains(name)).unwrap_or(base);
        self.names.insert(name.clone());
        name
    }

    /// Adds a value for a tensor of each trace.
    pub(super) fn tensor(&mut self, name: &str, tensors: &[TensorId]) -> Result<ValueId> {
        let meta = self.meta(name, tensors)?;
        let name = self.unique(name);
        let id = self.graph.add_value(name, Some(meta.into()));
        for (known, tensor) in self.known.iter_mut().zip(tensors) {
            known.insert(*tensor, id);
        }
        Ok(id)
    }

    /// Adds values for parameters and buffers.
    fn state(&mut self, state: &[NamedState]) -> Result<Vec<ValueId>> {
        let mut ids = Vec::with_capacity(state.len());
        for entry in state {
            let prefix = if entry.kind == StateKind::Parameter { "p" } else { "b" };
            let tensors = vec![entry.tensor; self.traces.len()];
            let before: Vec<Option<ValueId>> =
                self.known.iter().map(|known| known.get(&entry.tensor).copied()).collect();
            let id = self.tensor(&format!("{prefix}_{}", entry.name), &tensors)?;
            // Uses of a tied entry refer to the first one.
            for (known, before) in self.known.iter_mut().zip(before) {
                if let Some(first) = before {
                    known.insert(entry.tensor, first);
                }
            }
            ids.push(id);
        }
        Ok(ids)
    }

    fn finish(
        mut self,
        state: &[NamedState],
        state_ids: &[ValueId],
        user: Vec<Leaf>,
        argument_names: Vec<String>,
        arguments: Tree,
        (results, leaves): (Tree, Vec<Operand>),
    ) -> Result<Built> {
        let mut inputs = Vec::new();
        let mut sources: Vec<TensorId> = Vec::new();
        let mut entries = Vec::new();
        let constants = std::mem::take(&mut self.constants);
        let constant = |index: usize| NamedState {
            name: format!("lifted_tensor_{index}"),
            tensor: constants[index].0,
            kind: StateKind::Constant,
            requires_grad: false,
        };
        let lifted: Vec<NamedState> = (0..constants.len()).map(constant).collect();
        let ids = state_ids.iter().copied().chain(constants.iter().map(|(_, id)| *id));
        for (entry, id) in state.iter().chain(&lifted).zip(ids) {
            let known = sources.iter().position(|source| *source == entry.tensor);
            let tensor = known.unwrap_or_else(|| {
                sources.push(entry.tensor);
                sources.len() - 1
            });
            self.graph.inputs.push(id);
            inputs.push(Input { kind: InputKind::State(entries.len()) });
            entries.push(State {
                name: entry.name.clone(),
                kind: entry.kind,
                tensor,
                requires_grad: entry.requires_grad,
            });
        }
        for (name, operand) in user {
            match operand {
                Operand::Value(id) => {
                    self.graph.inputs.push(id);
                    inputs.push(Input { kind: InputKind::User });
                }
                Operand::Constant(value) => {
                    let id = self.graph.add_value(name, None);
                    self.graph.inputs.push(id);
                    inputs.push(Input { kind: InputKind::Constant(value) });
                }
                Operand::List(_) | Operand::Block(_) => return Err(Error::malformed("an argument that is no leaf")),
            }
        }
        self.graph.outputs = leaves;
        remove_dead(&mut self.graph);
        let outputs = self.graph.outputs.iter().map(|_| Output { kind: OutputKind::User }).collect();
        let dims = self.probes.dims.iter().enumerate();
        let hints = self.probes.sizes[0].iter().enumerate();
        let program = ExportedProgram {
            graph: self.graph,
            inputs,
            outputs,
            state: entries,
            tensors: vec![],
            arguments,
            results,
            argument_names,
            result_names: Vec::new(),
            ranges: dims.map(|(index, dim)| (symbol(index).to_string(), dim.range())).collect(),
            hints: hints.map(|(index, &size)| (symbol(index).to_string(), size)).collect(),
            read_inputs: vec![],
            shapes: Shapes::Guarded,
            metadata: vec![],
        };
        program.check_graph()?;
        Ok(Built { program, sources })
    }
}

pub(super) fn differs(name: &str, message: &str) -> Error {
    Error::Input(format!("{name}: {message}, so it cannot be exported with dynamic shapes"))
}

/// Returns the tensors if all values are tensors.
pub(super) fn tensors(values: &[&Value<TensorId>]) -> Option<Vec<TensorId>> {
    values.iter().map(|value| value.as_tensor().copied()).collect()
}

/// Returns a value that contains no tensors.
pub(super) fn plain(value: &Value<TensorId>) -> Option<Value<()>> {
    Some(match value {
        Value::None => Value::None,
        Value::Bool(value) => Value::Bool(*value),
        Value::Int(value) => Value::Int(*value),
        Value::Float(value) => Value::Float(*value),
        Value::Str(text) => Value::Str(text.clone()),
        Value::List(items) | Value::Tuple(items) => Value::List(items.iter().map(plain).collect::<Option<_>>()?),
        _ => return None,
    })
}
