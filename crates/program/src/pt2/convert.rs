//! Converts the JSON of an archive to a graph.

use super::{
    MAX_DEPTH, complex, metas, numbers,
    schema::{self, Argument, InputSpec, OptionalTensor, OutputSpec, SymArgument},
    state::Reader,
};
use crate::{
    Error, ExportedProgram, Result, Value,
    exported::{Input, InputKind, Output, OutputKind, Shapes, State, StateKind},
    graph::{Graph, HigherOrder, MAX_NODES, ModuleStack, Node, Operand, Range, Results, Target, Tree, ValueId},
    value::scalar_type,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Converts a model to a program.
pub(super) fn program(model: schema::Model, tensors: &mut Reader<'_>) -> Result<ExportedProgram> {
    let module = model.graph_module;
    let mut builder = Builder { nodes: 0, missing: Vec::new(), modules: ModuleStack::default() };
    let (mut graph, ids) = builder.graph(&module.graph, 0)?;
    complex::keep_results(&module.graph, &mut graph);
    if !builder.missing.is_empty() {
        builder.missing.sort();
        builder.missing.dedup();
        return Err(Error::MissingOperators(builder.missing));
    }
    let mut state = Vec::new();
    let mut inputs = Vec::new();
    for (spec, argument) in module.signature.input_specs.into_iter().zip(&module.graph.inputs) {
        inputs.push(input(spec, argument, &mut state, tensors)?);
    }
    let find = |target: &str, kind: fn(StateKind) -> bool| {
        let found = state.iter().position(|entry| entry.name == target && kind(entry.kind));
        found.ok_or_else(|| Error::malformed(format!("a new value for {target}, which the program does not have")))
    };
    let mut outputs = Vec::new();
    for spec in module.signature.output_specs {
        let kind = match spec {
            OutputSpec::UserOutput(_) | OutputSpec::LossOutput(_) => OutputKind::User,
            OutputSpec::BufferMutation(mutation) => {
                OutputKind::StateMutation(find(&mutation.target, |kind| kind != StateKind::Parameter)?)
            }
            OutputSpec::ParameterMutation(mutation) => {
                OutputKind::StateMutation(find(&mutation.target, |kind| kind == StateKind::Parameter)?)
            }
            OutputSpec::UserInputMutation(mutation) => {
                let index = ids.get(&mutation.target).and_then(|id| graph.inputs.iter().position(|input| input == id));
                OutputKind::InputMutation(index.ok_or_else(|| {
                    Error::malformed(format!("a new value for {}, which is no input", mutation.target))
                })?)
            }
            OutputSpec::GradientToParameter(_) | OutputSpec::GradientToUserInput(_) | OutputSpec::Token(_) => {
                OutputKind::Ignored
            }
        };
        outputs.push(Output { kind });
    }
    let fields = module.treespec_namedtuple_fields;
    let signature =
        module.module_call_graph.into_iter().find(|call| call.fqn.is_empty()).and_then(|call| call.signature);
    let signature = signature.ok_or_else(|| Error::malformed("the program does not describe its arguments"))?;
    let tree = |json: &str| Tree::parse(json, &|ty| fields.get(ty).map(|fields| fields.field_names.clone()));
    let bound = |value: Option<f64>| value.map(|value| value as i64);
    let range = |range: &schema::RangeConstraint| Range { min: bound(range.min_val), max: bound(range.max_val) };
    let hints = metas::hints(&module.graph);
    Ok(ExportedProgram {
        graph,
        inputs,
        outputs,
        state,
        tensors: std::mem::take(&mut tensors.tensors),
        arguments: tree(&signature.in_spec)?,
        results: tree(&signature.out_spec)?,
        argument_names: signature.forward_arg_names.unwrap_or_default(),
        result_names: Vec::new(),
        ranges: model.range_constraints.iter().map(|(name, bounds)| (name.clone(), range(bounds))).collect(),
        hints,
        read_inputs: vec![],
        shapes: Shapes::Guarded,
        metadata: vec![],
    })
}

/// Returns the kind of an input of the graph.
fn input(spec: InputSpec, argument: &Argument, state: &mut Vec<State>, tensors: &mut Reader<'_>) -> Result<Input> {
    let name = input_name(argument);
    let mut entry = |name: String, kind: StateKind| {
        let (tensor, requires_grad) = tensors.tensor(&name)?;
        state.push(State { name, kind, tensor, requires_grad });
        Ok::<_, Error>(InputKind::State(state.len() - 1))
    };
    let kind = match spec {
        InputSpec::Parameter(input) => entry(input.state, StateKind::Parameter)?,
        InputSpec::Buffer(input) => {
            entry(input.state, StateKind::Buffer { persistent: input.persistent.unwrap_or(true) })?
        }
        InputSpec::TensorConstant(input) => entry(input.state, StateKind::Constant)?,
        InputSpec::UserInput(_) if name.is_some_and(|name| !name.is_empty()) => InputKind::User,
        InputSpec::UserInput(input) => InputKind::Constant(constant(&input.arg)?),
        InputSpec::ConstantInput(input) => InputKind::Constant(constant(&input.value)?),
        InputSpec::CustomObj(_) | InputSpec::Token(_) => {
            let name = name.unwrap_or_default();
            return Err(Error::unsupported(format!("the input {name}, an object that is not a tensor")));
        }
    };
    Ok(Input { kind })
}

/// Returns the name of an argument that is a value.
pub(super) fn input_name(argument: &Argument) -> Option<&str> {
    match argument {
        Argument::AsTensor(name) | Argument::AsCustomObj(name) => Some(&name.name),
        Argument::AsSymInt(SymArgument::AsName(name))
        | Argument::AsSymFloat(SymArgument::AsName(name))
        | Argument::AsSymBool(SymArgument::AsName(name)) => Some(name),
        _ => None,
    }
}

/// Builds graphs, and counts nodes and missing operators over all blocks.
struct Builder {
    nodes: usize,
    missing: Vec<String>,
    /// The modules of the previous node.
    modules: ModuleStack,
}

/// The values of a graph by name.
type Ids = FxHashMap<String, ValueId>;

impl Builder {
    fn graph(&mut self, source: &schema::Graph, depth: usize) -> Result<(Graph, Ids)> {
        if depth > MAX_DEPTH {
            return Err(Error::Limit(format!("more than {MAX_DEPTH} nested blocks")));
        }
        self.nodes += source.nodes.len();
        if self.nodes > MAX_NODES {
            return Err(Error::Limit(format!("more than {MAX_NODES} nodes")));
        }
        let mut graph = Graph::default();
        let mut ids = Ids::default();
        for (index, argument) in source.inputs.iter().enumerate() {
            let name = input_name(argument).map_or_else(|| format!("input_{index}"), str::to_string);
            let id = define(source, &mut graph, &mut ids, &name)?;
            graph.inputs.push(id);
        }
        for node in &source.nodes {
            self.node(node, source, &mut graph, &mut ids, depth)?;
        }
        for output in &source.outputs {
            let operand = self.operand(output, &ids, depth)?;
            graph.outputs.push(operand);
        }
        Ok((graph, ids))
    }

    fn node(
        &mut self,
        node: &schema::Node,
        source: &schema::Graph,
        graph: &mut Graph,
        ids: &mut Ids,
        depth: usize,
    ) -> Result<()> {
        let Some(target) = Target::find(&node.target) else {
            self.missing.push(lanthorn_io::shorten(&node.target, 100).into_owned());
            // Defines the results so that conversion continues and finds other missing operators.
            results(node, &Target::HigherOrder(HigherOrder::Call), source, graph, ids)?;
            return Ok(());
        };
        let (mut args, mut named) = (Vec::new(), Vec::new());
        for argument in &node.inputs {
            let operand = self.operand(&argument.arg, ids, depth)?;
            let by_name = matches!(target, Target::Aten(..)) && !argument.name.is_empty();
            if by_name || argument.kind == Some(2) {
                named.push((argument.name.clone(), operand));
            } else {
                args.push(operand);
            }
        }
        let target = match complex::adapt(target, node, source, &mut named, graph) {
            Ok(target) => target,
            Err(missing) => {
                self.missing.push(missing);
                Target::HigherOrder(HigherOrder::Call)
            }
        };
        let results = results(node, &target, source, graph, ids)?;
        let modules = self.modules(&node.metadata.nn_module_stack);
        graph.nodes.push(Node { target, args, named, results, modules });
        Ok(())
    }

    /// Returns the previous node's stack if it is equal, so nodes of one call share it.
    fn modules(&mut self, stack: &ModuleStack) -> ModuleStack {
        if self.modules != *stack {
            self.modules = stack.clone();
        }
        self.modules.clone()
    }

    fn operand(&mut self, argument: &Argument, ids: &Ids, depth: usize) -> Result<Operand> {
        let value = |name: &str| {
            let id = ids.get(name).copied().map(Operand::Value);
            id.ok_or_else(|| Error::malformed(format!("the value {name} is not defined")))
        };
        let symbol = |argument: &SymArgument| match argument {
            SymArgument::AsName(name) => value(name),
            SymArgument::AsInt(number) => Ok(Operand::Constant(Value::Int(*number))),
            SymArgument::AsFloat(number) => Ok(Operand::Constant(Value::Float(number.0))),
            SymArgument::AsBool(truth) => Ok(Operand::Constant(Value::Bool(*truth))),
        };
        let optional = |argument: &OptionalTensor| match argument {
            OptionalTensor::AsTensor(name) => value(&name.name),
            OptionalTensor::AsNone(_) => Ok(Operand::Constant(Value::None)),
        };
        Ok(match argument {
            Argument::AsTensor(name) => value(&name.name)?,
            Argument::AsTensors(names) => {
                Operand::List(names.iter().map(|name| value(&name.name)).collect::<Result<_>>()?)
            }
            Argument::AsNestedTensors(lists) => {
                let lists = lists
                    .iter()
                    .map(|names| Ok(Operand::List(names.iter().map(|name| value(&name.name)).collect::<Result<_>>()?)));
                Operand::List(lists.collect::<Result<_>>()?)
            }
            Argument::AsOptionalTensor(tensor) => optional(tensor)?,
            Argument::AsOptionalTensors(tensors) => Operand::List(tensors.iter().map(optional).collect::<Result<_>>()?),
            Argument::AsSymInt(number) | Argument::AsSymFloat(number) | Argument::AsSymBool(number) => symbol(number)?,
            Argument::AsSymInts(numbers) | Argument::AsSymFloats(numbers) | Argument::AsSymBools(numbers) => {
                Operand::List(numbers.iter().map(symbol).collect::<Result<_>>()?)
            }
            Argument::AsGraph(block) => {
                let (block, _) = self.graph(&block.graph, depth + 1)?;
                Operand::Block(Rc::new(block))
            }
            argument => Operand::Constant(constant(argument)?),
        })
    }
}

/// Adds a value.
fn define(source: &schema::Graph, graph: &mut Graph, ids: &mut Ids, name: &str) -> Result<ValueId> {
    let id = graph.add_value(name, metas::meta(source, name));
    if ids.insert(name.to_string(), id).is_some() {
        return Err(Error::malformed(format!("the value {name} is defined twice")));
    }
    Ok(id)
}

/// Returns the values that a node defines.
fn results(
    node: &schema::Node,
    target: &Target,
    source: &schema::Graph,
    graph: &mut Graph,
    ids: &mut Ids,
) -> Result<Results> {
    let mut one = |argument: &Argument| input_name(argument).map(|name| define(source, graph, ids, name)).transpose();
    let blocks = matches!(target, Target::HigherOrder(_));
    Ok(match &node.outputs[..] {
        [] => Results::None,
        [Argument::AsTensors(names)] => {
            let names = names.iter().map(|name| define(source, graph, ids, &name.name).map(Some));
            Results::Several(names.collect::<Result<_>>()?)
        }
        // Blocks return a list, even of a single value.
        [argument] if !blocks => one(argument)?.map_or(Results::None, Results::One),
        arguments => Results::Several(arguments.iter().map(one).collect::<Result<_>>()?),
    })
}

/// Converts a constant.
fn constant(argument: &Argument) -> Result<Value<()>> {
    let list = |items: Vec<Value<()>>| Value::List(items);
    Ok(match argument {
        Argument::AsNone(_) => Value::None,
        Argument::AsInt(value) => Value::Int(*value),
        Argument::AsInts(values) => list(values.iter().copied().map(Value::Int).collect()),
        Argument::AsFloat(value) => Value::Float(value.0),
        Argument::AsFloats(values) => list(values.iter().map(|value| Value::Float(value.0)).collect()),
        Argument::AsString(text) | Argument::AsOperator(text) => Value::Str(text.clone()),
        Argument::AsStrings(texts) => list(texts.iter().cloned().map(Value::Str).collect()),
        Argument::AsBool(value) => Value::Bool(*value),
        Argument::AsBools(values) => list(values.iter().copied().map(Value::Bool).collect()),
        // The schema's numbers of complex types are one higher than c10's. Operators reject these
        // types.
        Argument::AsScalarType(number) if numbers::is_complex(*number) => Value::Int(number - 1),
        Argument::AsScalarType(number) => {
            let dtype = numbers::dtype(*number);
            let odd = || Error::unsupported(format!("the element type number {number}, which is quantized"));
            Value::Int(dtype.map(scalar_type).ok_or_else(odd)?)
        }
        Argument::AsMemoryFormat(number) => {
            let odd = || Error::unsupported(format!("the memory format number {number}"));
            Value::Int(numbers::memory_format(*number).ok_or_else(odd)?)
        }
        Argument::AsLayout(numbers::STRIDED) => Value::Int(0),
        Argument::AsLayout(number) => return Err(Error::unsupported(format!("the layout number {number}"))),
        Argument::AsDevice(device) => Value::Str(match device.index {
            Some(index) => format!("{}:{index}", device.ty),
            None => device.ty.clone(),
        }),
        Argument::AsIntLists(lists) => {
            list(lists.iter().map(|values| list(values.iter().copied().map(Value::Int).collect())).collect())
        }
        Argument::AsFloatLists(lists) => {
            list(lists.iter().map(|values| list(values.iter().map(|value| Value::Float(value.0)).collect())).collect())
        }
        Argument::AsStringToArgument(entries) => {
            let entries = entries.iter().map(|(key, value)| Ok((Value::Str(key.clone()), constant(value)?)));
            Value::Dict(entries.collect::<Result<_>>()?)
        }
        _ => return Err(Error::unsupported("an argument that is neither a value nor a number")),
    })
}
