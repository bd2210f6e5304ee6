//! Exports functions on lanthorn's tensors.

use super::{Built, Dim, NamedState, Probes, TensorId, Trace, TracedOp, TracedTensor, build};
use crate::{Dispatch, Error, ExportedProgram, Native, Result, StateKind, Value, aten::raise};
use lanthorn_nn::Module;
use lanthorn_schema::Schema;
use lanthorn_tensor::{
    Tensor, no_grad,
    ops::{Arg, Op, Output},
    trace,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The options of an export.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The names of the positional arguments.
    pub argument_names: Vec<String>,
    /// The dynamic dimensions: the index of a tensor among the leaves of the arguments, its
    /// dimension, and the allowed sizes.
    pub dynamic_shapes: Vec<(usize, usize, Dim)>,
}

/// The arguments of a call: positional ones, then those by name.
pub type Arguments = (Vec<Value<Tensor>>, Vec<(String, Value<Tensor>)>);

/// Exports a function, like `torch.export.export`. It calls the function on the examples, and the
/// operations of the calls become a program. Parameters and buffers of `module` become the
/// program's state; other tensors become constants.
///
/// ```
/// # mod lanthorn {
/// #     pub use {lanthorn_nn as nn, lanthorn_program as program, lanthorn_tensor::*};
/// #     pub fn cpu() -> Device { Device::new(lanthorn_cpu::CpuBackend::new()) }
/// # }
/// # pollster::block_on(async {
/// use lanthorn::nn::{Layer, Linear};
/// use lanthorn::program::{Native, Value, export};
/// use lanthorn::Tensor;
/// let device = lanthorn::cpu();
/// # device.set_default();
/// let layer = Linear::new(3, 2)?;
/// let x = Tensor::ones([4, 3])?;
/// let arguments = (vec![Value::Tensor(x.clone())], vec![]);
/// let call = |args: &export::Arguments| Ok(Value::Tensor(layer.forward(args.0[0].as_tensor().unwrap())?));
/// let options = export::Options { argument_names: vec!["x".to_string()], ..Default::default() };
/// let exported = export::export(&Native::new(&device), Some(&layer), &arguments, &options, call).await?;
/// assert!(exported.graph.to_string().contains("%linear = aten.linear.default(%x, %p_weight, %p_bias)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// The errors of the function and of [`build`]; [`Error::Input`] for dynamic shapes that the
/// examples do not have.
pub async fn export(
    dispatch: &Native,
    module: Option<&dyn Module>,
    arguments: &Arguments,
    options: &Options,
    mut function: impl FnMut(&Arguments) -> lanthorn_tensor::Result<Value<Tensor>>,
) -> Result<ExportedProgram> {
    let state = module.map_or_else(Vec::new, module_state);
    let (probes, leaves) = probes(arguments, options)?;
    let mut kept: Vec<Recorder> = Vec::new();
    let mut traces = Vec::new();
    for sizes in &probes.sizes {
        let mut resized = |position: usize, tensor: &Tensor| resize(tensor, position, &leaves, sizes, &probes.sizes[0]);
        let arguments = map_arguments(arguments, &mut resized)?;
        let (recorder, trace) = record(&state, &arguments, || function(&arguments))?;
        kept.push(recorder);
        traces.push(trace);
    }
    let named = state.iter().enumerate().map(|(tensor, (name, kind, value))| NamedState {
        name: name.clone(),
        tensor: state.iter().position(|(_, _, other)| other.is(value)).unwrap_or(tensor),
        kind: *kind,
        requires_grad: value.requires_grad(),
    });
    let named: Vec<NamedState> = named.collect();
    let Built { mut program, sources } = build(&named, options.argument_names.clone(), &probes, &traces)?;
    for source in sources {
        program.tensors.push(dispatch.read(&kept[0].tensors[source]).await?);
    }
    Ok(program)
}

/// Whether a call of an operation can be a node of a program.
pub fn is_exported(op: &'static Op, args: &[Arg], in_place: bool) -> bool {
    let mut recorder = Recorder::default();
    let values: Vec<Value<TensorId>> = args.iter().map(|arg| recorder.value(arg)).collect();
    let shape = |id: &TensorId| recorder.traced[*id].shape.clone();
    raise(op.schema(), &values, in_place, &shape).is_some()
}

/// Returns the parameters and buffers of a module by name.
fn module_state(module: &dyn Module) -> Vec<(String, StateKind, Tensor)> {
    let parameters = module.named_parameters().into_iter().map(|(name, tensor)| (name, StateKind::Parameter, tensor));
    let persistent = StateKind::Buffer { persistent: true };
    let buffers = module.named_buffers().into_iter().map(|(name, tensor)| (name, persistent, tensor));
    parameters.chain(buffers).collect()
}

/// The dynamic dimensions of the tensors among the arguments: the index of the [`Dim`] by tensor
/// and dimension.
type Leaves = FxHashMap<(usize, usize), usize>;

fn probes(arguments: &Arguments, options: &Options) -> Result<(Probes, Leaves)> {
    let mut shapes = Vec::new();
    map_arguments(arguments, &mut |_, tensor: &Tensor| {
        shapes.push(tensor.shape().to_vec());
        Ok(tensor.clone())
    })?;
    let dims = options.dynamic_shapes.iter().map(|(leaf, dim, given)| {
        let size = shapes.get(*leaf).and_then(|shape| shape.get(*dim));
        let missing =
            || Error::Input(format!("the argument {leaf} has no dimension {dim}, which {} names", given.name));
        Ok((given.clone(), *size.ok_or_else(missing)? as i64))
    });
    let probes = Probes::new(dims.collect::<Result<Vec<_>>>()?)?;
    let dims = options.dynamic_shapes.iter().map(|(leaf, dim, _)| (*leaf, *dim));
    let leaves = dims.zip(probes.indices.iter().copied()).collect();
    Ok((probes, leaves))
}

/// Returns an example of other sizes, which repeats the elements.
fn resize(tensor: &Tensor, leaf: usize, leaves: &Leaves, sizes: &[i64], first: &[i64]) -> Result<Tensor> {
    let mut resized = tensor.clone();
    for dim in 0..tensor.rank() {
        let Some(&index) = leaves.get(&(leaf, dim)) else { continue };
        let (size, example) = (sizes[index], first[index]);
        if size == example {
            continue;
        }
        let indices: Vec<i32> = (0..size).map(|position| (position % example) as i32).collect();
        let select = || {
            let indices = Tensor::from_slice(&indices, [size], tensor.device())?;
            no_grad(|| resized.index_select(dim as i64, &indices))
        };
        resized = select().map_err(|error| Error::operation("index_select", error))?;
    }
    if tensor.requires_grad() && !resized.is(tensor) {
        resized = resized.requires_grad_(true).map_err(|error| Error::operation("requires_grad_", error))?;
    }
    Ok(resized)
}

/// Replaces the tensors of the arguments. The function receives the index of each tensor among the
/// leaves.
fn map_arguments(
    (args, named): &Arguments,
    function: &mut dyn FnMut(usize, &Tensor) -> Result<Tensor>,
) -> Result<Arguments> {
    let mut position = 0;
    let args = args.iter().map(|value| map(value, &mut position, function)).collect::<Result<Vec<_>>>()?;
    let named = named.iter().map(|(name, value)| Ok((name.clone(), map(value, &mut position, function)?)));
    Ok((args, named.collect::<Result<Vec<_>>>()?))
}

fn map(
    value: &Value<Tensor>,
    position: &mut usize,
    function: &mut dyn FnMut(usize, &Tensor) -> Result<Tensor>,
) -> Result<Value<Tensor>> {
    Ok(match value {
        Value::Tensor(tensor) => {
            *position += 1;
            Value::Tensor(function(*position - 1, tensor)?)
        }
        Value::List(items) => {
            Value::List(items.iter().map(|item| map(item, position, function)).collect::<Result<_>>()?)
        }
        Value::Tuple(items) => {
            Value::Tuple(items.iter().map(|item| map(item, position, function)).collect::<Result<_>>()?)
        }
        Value::Dict(entries) => {
            let entries = entries.iter().map(|(key, value)| Ok((key.clone(), map(value, position, function)?)));
            Value::Dict(entries.collect::<Result<_>>()?)
        }
        value => value.clone(),
    })
}

/// Calls a function and records its operations.
fn record(
    state: &[(String, StateKind, Tensor)],
    (args, named): &Arguments,
    function: impl FnOnce() -> lanthorn_tensor::Result<Value<Tensor>>,
) -> Result<(Recorder, Trace)> {
    let mut recorder = Recorder::default();
    for (_, _, tensor) in state {
        recorder.traced.push(describe_tensor(tensor));
        recorder.tensors.push(tensor.clone());
        let id = recorder.tensors.len() - 1;
        recorder.ids.entry(tensor.id()).or_insert(id);
    }
    let arguments = Value::Tuple(vec![Value::Tuple(args.clone()), Value::dict(named.clone())]);
    let arguments = recorder.values(&arguments);
    let (result, calls) = trace::trace(is_exported, function).map_err(|error| Error::operation("export", error))?;
    let mut schemas: FxHashMap<&'static str, Rc<Schema>> = FxHashMap::default();
    let mut ops = Vec::with_capacity(calls.len());
    for call in &calls {
        let result = match &call.results {
            Output::Tensor(tensor) => recorder.tensor(tensor),
            Output::Tensors(tensors) => Value::List(tensors.iter().map(|tensor| recorder.tensor(tensor)).collect()),
            // Numbers and types become constants of the program.
            Output::Ints(_) | Output::Bool(_) | Output::DType(_) => continue,
        };
        let schema = match schemas.get(call.name) {
            Some(schema) => schema.clone(),
            None => {
                let schema = Rc::new(schema(call.name)?);
                schemas.insert(call.name, schema.clone());
                schema
            }
        };
        let args = call.args.iter().map(|arg| recorder.value(arg)).collect();
        ops.push(TracedOp { schema, args, in_place: call.in_place, grad_enabled: call.grad_enabled, result });
    }
    let results = recorder.values(&result);
    let trace = Trace { tensors: recorder.traced.clone(), arguments, ops, results };
    Ok((recorder, trace))
}

/// Returns the signature of an operation of the table, or of an additional entry of a trace.
fn schema(name: &str) -> Result<Schema> {
    if let Some(op) = Op::find(name) {
        return Ok(op.schema().clone());
    }
    super::not_in_table(name).ok_or_else(|| Error::MissingOperators(vec![name.to_string()]))
}

fn describe_tensor(tensor: &Tensor) -> TracedTensor {
    TracedTensor {
        dtype: tensor.dtype().into(),
        shape: tensor.shape().iter().map(|&size| size as i64).collect(),
        strides: tensor.stride().iter().map(|&stride| stride as i64).collect(),
        requires_grad: tensor.requires_grad(),
    }
}

/// Assigns ids to tensors, and keeps the tensors alive so that ids stay unique.
#[derive(Default)]
struct Recorder {
    tensors: Vec<Tensor>,
    traced: Vec<TracedTensor>,
    ids: FxHashMap<usize, TensorId>,
}

impl Recorder {
    fn tensor(&mut self, tensor: &Tensor) -> Value<TensorId> {
        Value::Tensor(self.id(tensor))
    }

    fn id(&mut self, tensor: &Tensor) -> TensorId {
        let next = self.tensors.len();
        let id = *self.ids.entry(tensor.id()).or_insert(next);
        if id == next {
            self.traced.push(describe_tensor(tensor));
            self.tensors.push(tensor.clone());
        }
        id
    }

    fn value(&mut self, arg: &Arg) -> Value<TensorId> {
        crate::value::of_argument(arg, &mut |tensor| self.id(tensor))
    }

    fn values(&mut self, value: &Value<Tensor>) -> Value<TensorId> {
        match value {
            Value::Tensor(tensor) => self.tensor(tensor),
            Value::List(items) => Value::List(items.iter().map(|item| self.values(item)).collect()),
            Value::Tuple(items) => Value::Tuple(items.iter().map(|item| self.values(item)).collect()),
            Value::Dict(entries) => {
                Value::Dict(entries.iter().map(|(key, value)| (self.values(key), self.values(value))).collect())
            }
            Value::None => Value::None,
            Value::Bool(value) => Value::Bool(*value),
            Value::Int(value) => Value::Int(*value),
            Value::Float(value) => Value::Float(*value),
            Value::Str(text) => Value::Str(text.clone()),
            Value::Bytes(bytes) => Value::Bytes(bytes.clone()),
        }
    }
}
