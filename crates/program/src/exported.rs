//! A program like the ones of `torch.export`: a graph, its state, and the structure of a call's
//! arguments and results.

use crate::{
    Dispatch, Error, Limits, Plans, Result, Value,
    graph::{Graph, Meta, Operand, Ranges, Size, Symbols, TensorMeta, Tree, constant_json},
    interpret::{Interpreter, assign},
    json::Json,
    operators::{number_tensor, table_call},
    plan::StateInputs,
    value::{ints, is_floating_point},
};
use lanthorn_io::{DType, TensorData};
use rustc_hash::FxHashMap;

/// A program with its state, independent of a device.
#[derive(Clone, Debug)]
pub struct ExportedProgram {
    /// The computation.
    pub graph: Graph,
    /// The kinds of the graph's inputs, in order.
    pub inputs: Vec<Input>,
    /// The kinds of the graph's results, in order.
    pub outputs: Vec<Output>,
    /// Parameters, buffers and constants. Tied entries share a tensor of
    /// [`ExportedProgram::tensors`].
    pub state: Vec<State>,
    /// The tensors of the state.
    pub tensors: Vec<TensorData<'static>>,
    /// The structure of the arguments: a tuple of positional and a dictionary of named ones.
    pub arguments: Tree,
    /// The structure of the results.
    pub results: Tree,
    /// The names of the positional arguments.
    pub argument_names: Vec<String>,
    /// The names of the leaves of the results. If empty, the names are the paths.
    pub result_names: Vec<String>,
    /// The allowed values of symbols in sizes.
    pub ranges: Ranges,
    /// The values of symbols in the exported example. Symbols that depend on data have none.
    pub hints: Symbols,
    /// The indices of integer inputs that operators read, such as sizes and axes.
    pub read_inputs: Vec<usize>,
    /// How strictly a call compares arguments with the sizes of the graph's inputs.
    pub shapes: Shapes,
    /// Metadata from the file's writer: keys with values, in the order of the file.
    pub metadata: Vec<(String, String)>,
}

/// How strictly a call compares arguments with the sizes of the graph's inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shapes {
    /// The sizes are guards, as in programs of `torch.export`: all dimensions with the same symbol
    /// must have the same size.
    #[default]
    Guarded,
    /// The sizes are descriptions, as in models of ONNX: the name of a dimension guarantees
    /// nothing. A single number is accepted with the shape `[]` or `[1]`, or as a number.
    Described,
}

/// An input of the graph. The graph has its name, type and sizes.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its kind.
    pub kind: InputKind,
}

/// The kind of an input of the graph.
#[derive(Clone, Debug, PartialEq)]
pub enum InputKind {
    /// An entry of the state.
    State(usize),
    /// The next leaf of the arguments.
    User,
    /// A leaf of the arguments that must equal this value.
    Constant(Value<()>),
}

/// A result of the graph.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its kind.
    pub kind: OutputKind,
}

/// The kind of a result of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// The next leaf of the results.
    User,
    /// The new value of an entry of the state.
    StateMutation(usize),
    /// The new value of an argument, by the index of the graph's input.
    InputMutation(usize),
    /// A value that a call does not return.
    Ignored,
}

/// A parameter, a buffer or a constant.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name, as in PyTorch's state dict.
    pub name: String,
    /// Its kind.
    pub kind: StateKind,
    /// The index of its tensor: first [`ExportedProgram::tensors`], then the tensors that a reader
    /// has uploaded to the device.
    pub tensor: usize,
    /// Whether it requires gradients.
    pub requires_grad: bool,
}

/// The kind of an entry of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// A parameter.
    Parameter,
    /// A buffer.
    Buffer {
        /// Whether it is in the state dict.
        persistent: bool,
    },
    /// A constant.
    Constant,
}

impl ExportedProgram {
    /// Uploads the tensors of the state to a device. Tied entries share a tensor. `uploaded` are
    /// the tensors that a reader has uploaded, in the order of [`State::tensor`].
    ///
    /// # Errors
    ///
    /// The errors of [`Dispatch::tensor`]; [`Error::Malformed`] if a tensor is missing.
    pub fn upload<D: Dispatch>(&self, dispatch: &D, uploaded: &[D::Tensor]) -> Result<Vec<D::Tensor>> {
        let mut tensors: Vec<Option<D::Tensor>> = vec![None; self.tensors.len() + uploaded.len()];
        self.state
            .iter()
            .map(|state| {
                if let Some(Some(tensor)) = tensors.get(state.tensor) {
                    return Ok(tensor.clone());
                }
                let tensor = match (self.tensors.get(state.tensor), state.kind) {
                    (Some(data), StateKind::Constant) => dispatch.constant(data.clone())?,
                    (Some(data), StateKind::Parameter | StateKind::Buffer { .. }) => dispatch.tensor(data.clone())?,
                    (None, _) => {
                        let tensor = uploaded.get(state.tensor - self.tensors.len()).cloned();
                        tensor.ok_or_else(|| Error::malformed(format!("{} has no tensor", state.name)))?
                    }
                };
                if state.requires_grad
                    && state.kind == StateKind::Parameter
                    && is_floating_point(dispatch.dtype(&tensor))
                {
                    dispatch.set_requires_grad(&tensor, true)?;
                }
                tensors[state.tensor] = Some(tensor.clone());
                Ok(tensor)
            })
            .collect()
    }

    /// Returns the name of an input of the graph.
    pub(crate) fn input_name(&self, index: usize) -> &str {
        let id = self.graph.inputs.get(index);
        id.and_then(|&id| self.graph.names.get(id)).map_or("", String::as_str)
    }

    /// Returns the type and sizes that the graph declares for a tensor input.
    pub fn input_meta(&self, index: usize) -> Option<&TensorMeta> {
        match self.graph.meta(*self.graph.inputs.get(index)?)? {
            Meta::Tensor(meta) => Some(meta),
            Meta::Int(_) | Meta::Float(_) | Meta::Bool(_) => None,
        }
    }

    /// Returns the names of the leaves of the arguments: the parameters of `forward` and their
    /// paths.
    pub fn input_names(&self) -> Vec<String> {
        let rename = |path: String| {
            let (group, rest) = path.split_once('.').unwrap_or((&path, ""));
            if group != "0" {
                return rest.to_string();
            }
            let (index, tail) = rest.split_once('.').map_or((rest, None), |(index, tail)| (index, Some(tail)));
            let name = index.parse().ok().and_then(|index: usize| self.argument_names.get(index));
            let name = name.map_or(index, String::as_str);
            tail.map_or_else(|| name.to_string(), |tail| format!("{name}.{tail}"))
        };
        self.arguments.paths().into_iter().map(rename).collect()
    }

    /// Returns the number of positional arguments of a call.
    pub fn positional_arguments(&self) -> usize {
        match &self.arguments {
            Tree::Tuple(groups) => match groups.first() {
                Some(Tree::Tuple(items)) => items.len(),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// Returns the names of the arguments: positional ones, then named ones.
    pub fn arguments_by_name(&self) -> Vec<String> {
        let name = |index: usize| self.argument_names.get(index).cloned().unwrap_or_else(|| index.to_string());
        let mut names: Vec<String> = (0..self.positional_arguments()).map(name).collect();
        if let Tree::Tuple(groups) = &self.arguments
            && let Some(Tree::Named { entries, .. }) = groups.get(1)
        {
            names.extend(entries.iter().map(|(name, _)| name.clone()));
        }
        names
    }

    /// Returns the names of the leaves of the results: the file's names or the paths; `0` for a
    /// single result.
    pub fn output_names(&self) -> Vec<String> {
        if !self.result_names.is_empty() {
            return self.result_names.clone();
        }
        let paths = self.results.paths();
        paths.into_iter().map(|path| if path.is_empty() { "0".to_string() } else { path }).collect()
    }

    /// Returns the program as JSON for viewers: the names of the leaves of arguments and results;
    /// parameters, buffers and constants by their names in the graph; constant arguments; the
    /// ranges of symbols; and the graph.
    pub fn to_json(&self) -> String {
        let inputs = || self.inputs.iter().enumerate().map(|(index, input)| (self.input_name(index), &input.kind));
        let state = inputs().filter_map(|(name, kind)| {
            let InputKind::State(entry) = kind else { return None };
            Some((name.to_string(), Json::Str(self.state.get(*entry)?.name.clone())))
        });
        let constants = inputs().filter_map(|(name, kind)| {
            let InputKind::Constant(value) = kind else { return None };
            Some((name.to_string(), constant_json(value)))
        });
        let names = |names: Vec<String>| Json::Array(names.into_iter().map(Json::Str).collect());
        let json = Json::object([
            ("inputs", names(self.input_names())),
            ("outputs", names(self.output_names())),
            ("state", Json::Object(state.collect())),
            ("constants", Json::Object(constants.collect())),
            ("symbols", Json::Object(self.symbols_json())),
            ("graph", self.graph.json(&self.hints)),
        ]);
        json.to_string()
    }

    /// Returns the range of each symbol, and its value in the exported example.
    fn symbols_json(&self) -> Vec<(String, Json)> {
        let number = |value: Option<i64>| value.map_or(Json::Null, Json::Int);
        let mut symbols: Vec<(String, Json)> = (self.ranges.iter())
            .map(|(name, range)| {
                let example = number(self.hints.get(name).copied());
                let json = [("min", number(range.min)), ("max", number(range.max)), ("example", example)];
                (name.clone(), Json::object(json))
            })
            .collect();
        symbols.sort_by(|(a, _), (b, _)| a.cmp(b));
        symbols
    }

    /// Calls the program with positional and named arguments. `plans` replay what earlier calls
    /// recorded; without them, the program is interpreted.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for arguments with another structure or with sizes outside of the exported
    /// ranges; otherwise the errors of the operators.
    pub async fn call<D: Dispatch>(
        &self,
        dispatch: &D,
        state: &[D::Tensor],
        args: Vec<Value<D::Tensor>>,
        named: Vec<(String, Value<D::Tensor>)>,
        limits: Limits,
        plans: Option<&Plans<D>>,
    ) -> Result<Value<D::Tensor>> {
        let arguments = Value::Tuple(vec![Value::Tuple(args), Value::dict(named)]);
        let leaves = self.arguments.flatten(&arguments)?;
        let results = self.call_flat(dispatch, state, leaves, limits, plans).await?;
        self.results.unflatten(&mut results.into_iter())
    }

    /// Calls the program with the leaves of its arguments, and returns the leaves of its results.
    ///
    /// # Errors
    ///
    /// The errors of [`ExportedProgram::call`].
    pub async fn call_flat<D: Dispatch>(
        &self,
        dispatch: &D,
        state: &[D::Tensor],
        leaves: Vec<Value<D::Tensor>>,
        limits: Limits,
        plans: Option<&Plans<D>>,
    ) -> Result<Vec<Value<D::Tensor>>> {
        let mut inputs = self.bind(dispatch, state, leaves)?;
        for &index in &self.read_inputs {
            // Reads the elements once, instead of in each operator.
            if let Some(Value::Tensor(tensor)) = inputs.get_mut(index) {
                *tensor = dispatch.to_host(tensor.clone()).await?;
            }
        }
        let arguments = || {
            let inputs = self.inputs.iter().zip(&inputs);
            inputs.filter(|(input, _)| input.kind == InputKind::User).map(|(_, value)| value.clone()).collect()
        };
        let arguments = plans.map(|_| arguments()).unwrap_or_default();
        let interpreter = Interpreter::new(dispatch, limits, plans, arguments);
        let state_inputs = self.state_inputs();
        let results = interpreter.run(&self.graph, inputs, Some(&state_inputs), 0).await?;
        let mut leaves = Vec::new();
        for (index, (output, value)) in self.outputs.iter().zip(results).enumerate() {
            match output.kind {
                OutputKind::User => leaves.push(value),
                OutputKind::StateMutation(entry) if !state_inputs.writes.iter().any(|(known, _)| *known == index) => {
                    if let (Some(target), Value::Tensor(value)) = (state.get(entry), &value) {
                        assign(dispatch, target, value)?;
                    }
                }
                _ => {}
            }
        }
        Ok(leaves)
    }

    /// Returns the inputs of the graph that are state, and the inputs that a call writes.
    fn state_inputs(&self) -> StateInputs {
        let state = |entry: Option<usize>| {
            let inputs = self.inputs.iter().zip(&self.graph.inputs);
            inputs.filter_map(move |(input, &id)| match input.kind {
                InputKind::State(known) if entry.is_none_or(|entry| entry == known) => Some(id),
                _ => None,
            })
        };
        let target = |output: &Output| match output.kind {
            OutputKind::StateMutation(entry) => state(Some(entry)).next(),
            OutputKind::InputMutation(index) => self.graph.inputs.get(index).copied(),
            OutputKind::User | OutputKind::Ignored => None,
        };
        let writes = self.outputs.iter().enumerate().filter_map(|(index, output)| Some((index, target(output)?)));
        StateInputs { inputs: state(None).collect(), writes: writes.collect() }
    }

    /// Checks the leaves of the arguments, and returns the graph's inputs.
    fn bind<D: Dispatch>(
        &self,
        dispatch: &D,
        state: &[D::Tensor],
        leaves: Vec<Value<D::Tensor>>,
    ) -> Result<Vec<Value<D::Tensor>>> {
        let mut symbols = Symbols::default();
        let given = leaves.len();
        let mut leaves = leaves.into_iter();
        let mut inputs = Vec::new();
        let few = || Error::Input(format!("the program takes more than {given} values"));
        for (index, input) in self.inputs.iter().enumerate() {
            let name = self.input_name(index);
            inputs.push(match &input.kind {
                InputKind::State(entry) => {
                    let tensor = state.get(*entry).cloned();
                    Value::Tensor(tensor.ok_or_else(|| Error::Input(format!("no state for {name}")))?)
                }
                InputKind::Constant(value) => {
                    let found = leaves.next().ok_or_else(few)?;
                    if !is_same_constant(value, &found) {
                        let (wanted, found) = (crate::value::describe(value), crate::value::describe(&found));
                        return Err(Error::Input(format!("{name}: the program takes {wanted}, not {found}")));
                    }
                    crate::interpret::constant(value)
                }
                InputKind::User => {
                    let mut value = leaves.next().ok_or_else(few)?;
                    if let Some(meta) = self.input_meta(index) {
                        if self.shapes == Shapes::Described {
                            value = one_number(dispatch, meta, value)?;
                        }
                        self.check(dispatch, name, meta, &value, &mut symbols)?;
                    }
                    value
                }
            });
        }
        match leaves.next() {
            Some(_) => Err(Error::Input(format!("the program takes fewer than {given} values"))),
            None => Ok(inputs),
        }
    }

    /// Checks an argument against the sizes of the exported program.
    fn check<D: Dispatch>(
        &self,
        dispatch: &D,
        name: &str,
        meta: &TensorMeta,
        value: &Value<D::Tensor>,
        symbols: &mut Symbols,
    ) -> Result<()> {
        let Value::Tensor(tensor) = value else {
            let found = crate::value::describe(value);
            return Err(Error::Input(format!("{name} is a tensor, not {found}")));
        };
        let TensorMeta { dtype, sizes, .. } = meta;
        let shape = dispatch.shape(tensor);
        let refuse = |message: String| Err(Error::Input(format!("{name}: {message}")));
        if shape.len() != sizes.len() {
            return refuse(format!("takes {} dimensions, not the shape {shape:?}", sizes.len()));
        }
        let found = dispatch.dtype(tensor);
        if is_floating_point(*dtype) != is_floating_point(found) || (*dtype == DType::Bool) != (found == DType::Bool) {
            return refuse(format!("takes {dtype} elements, not {found}"));
        }
        for (dim, (size, &found)) in sizes.iter().zip(&shape).enumerate() {
            let found = found as i64;
            if let Size::Symbol(symbol) = size {
                let range = self.ranges.get(symbol).copied().unwrap_or_default();
                if !range.contains(found) {
                    return refuse(format!("dimension {dim} is {found}, the program takes {range}"));
                }
                let first = *symbols.entry(symbol.clone()).or_insert(found);
                if first != found && self.shapes == Shapes::Guarded {
                    return refuse(format!(
                        "dimension {dim} is {found}, another dimension that must be equal is {first}"
                    ));
                }
            } else if let Some(expected) = size.evaluate(symbols)
                && expected != found
            {
                return refuse(format!("dimension {dim} is {found}, the program takes {expected}"));
            }
        }
        Ok(())
    }

    /// Returns the program with other elements for the entries of its state, as a device returns
    /// them. Types that the device lacks are converted back to the graph's types.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if the numbers of tensors and entries differ; [`Error::File`] for a
    /// number that does not fit.
    pub fn with_state(&self, state: Vec<TensorData<'static>>) -> Result<ExportedProgram> {
        if state.len() != self.state.len() {
            let message = format!("{} tensors for a state of {} entries", state.len(), self.state.len());
            return Err(Error::Malformed(message));
        }
        let mut dtypes: Vec<Option<DType>> = vec![None; state.len()];
        for (index, input) in self.inputs.iter().enumerate() {
            if let (InputKind::State(entry), Some(meta)) = (&input.kind, self.input_meta(index))
                && let Some(dtype) = dtypes.get_mut(*entry)
            {
                *dtype = Some(meta.dtype);
            }
        }
        // A file may have tensors without an entry. The new program omits them.
        let mut known: FxHashMap<usize, usize> = FxHashMap::default();
        let (mut entries, mut tensors) = (self.state.clone(), Vec::new());
        for ((entry, data), dtype) in entries.iter_mut().zip(state).zip(dtypes) {
            entry.tensor = match known.get(&entry.tensor) {
                Some(&tensor) => tensor,
                None => {
                    let dtype = dtype.unwrap_or(data.dtype());
                    tensors.push(data.convert_for_file(dtype)?);
                    known.insert(entry.tensor, tensors.len() - 1);
                    tensors.len() - 1
                }
            };
        }
        Ok(ExportedProgram { tensors, state: entries, ..self.clone() })
    }

    /// Returns parameters and buffers by name, with the index of their entry.
    pub fn named(&self, kind: impl Fn(StateKind) -> bool) -> impl Iterator<Item = (&str, usize)> {
        let entries = self.state.iter().enumerate().filter(move |(_, state)| kind(state.kind));
        entries.map(|(index, state)| (state.name.as_str(), index))
    }

    /// Checks the graph, and that the descriptions of inputs and results match it in number.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] otherwise.
    pub fn check_graph(&self) -> Result<()> {
        if self.inputs.len() != self.graph.inputs.len() || self.outputs.len() != self.graph.outputs.len() {
            return Err(Error::malformed("the signature has another number of inputs or results than the graph"));
        }
        let users = self.outputs.iter().filter(|output| output.kind == OutputKind::User).count();
        if users != self.results.leaves() {
            return Err(Error::malformed(format!("{users} results for a structure of {}", self.results.leaves())));
        }
        if self.graph.outputs.iter().any(|output| matches!(output, Operand::Block(_))) {
            return Err(Error::malformed("a block as a result"));
        }
        self.graph.check()
    }
}

/// Reshapes an argument with one element to the shape of an input with one number: `[]` or `[1]`.
/// Returns other arguments unchanged.
fn one_number<D: Dispatch>(dispatch: &D, meta: &TensorMeta, value: Value<D::Tensor>) -> Result<Value<D::Tensor>> {
    let rank = meta.sizes.len();
    if rank > 1 || matches!(meta.sizes.first(), Some(Size::Int(size)) if *size != 1) {
        return Ok(value);
    }
    let tensor = match value {
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => number_tensor(dispatch, value, meta.dtype)?,
        Value::Tensor(tensor) if matches!(dispatch.shape(&tensor)[..], [] | [1]) => tensor,
        value => return Ok(value),
    };
    if dispatch.shape(&tensor).len() == rank {
        return Ok(Value::Tensor(tensor));
    }
    let args = vec![Value::Tensor(tensor), ints(std::iter::repeat_n(1, rank))];
    table_call(dispatch, "reshape", args, &[])?.ready("reshape")
}

/// Whether an argument equals the constant of the exported program.
fn is_same_constant<T>(wanted: &Value<()>, found: &Value<T>) -> bool {
    match (wanted, found) {
        (Value::None, Value::None) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => wanted.as_float() == found.as_float(),
        _ => false,
    }
}
