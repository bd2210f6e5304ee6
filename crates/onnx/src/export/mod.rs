//! Writes programs as ONNX models.
//!
//! Every node of a program's graph becomes nodes of ONNX, whatever format the program came from. A
//! call of ATen is written by a row of text ([`aten`]) or by a small function. A call of ONNX is
//! written by its own signature if its version is in force, or else upgraded. An in-place write
//! creates new values for the tensor and for its views. Element types are the graph's; a `Cast`
//! replaces promotion, which ONNX lacks. Sizes that the graph knows are constants; the model
//! computes the others.
//!
//! A model returns results only, without new values of the program's state, such as running
//! statistics in training mode.

mod aten;
mod blocks;
mod builder;
mod emit;
mod frame;
mod item;
mod native;
mod scalars;
mod upgrade;
mod views;

use crate::proto::{ModelProto, OperatorSetIdProto, StringStringEntryProto};
use builder::Builder;
use item::{Arg, Item, value_info};
use lanthorn_program::{
    Error, ExportedProgram, InputKind, OutputKind, Result, Value,
    graph::{Graph, Meta, Operand, TensorMeta},
    passes,
};
use prost::Message;
use rustc_hash::FxHashMap;
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

/// The version of `ai.onnx` that models are written in, unless an operator needs a newer one.
pub const OPSET: i64 = 21;

/// The version of the format for each version of `ai.onnx` from which it is required.
const IR_VERSIONS: [(i64, i64); 5] = [(28, 14), (25, 13), (24, 12), (23, 11), (i64::MIN, 10)];

/// The largest message of protocol buffers.
const MAX_BYTES: usize = i32::MAX as usize;

/// Writes a program as an ONNX model, with the names of its arguments, results and state.
///
/// The version of `ai.onnx` is 21, or newer if the program calls a newer operator. Parameters,
/// buffers and constants that the results need become initializers. Integers that were unsigned or
/// of 4 bits, and floats of at most 8 bits, keep the types to which reading a model widened them.
///
/// ```
/// # #[cfg(feature = "tensor")]
/// # pollster::block_on(async {
/// use lanthorn::program::{Native, Value, export};
/// use lanthorn::{Device, Tensor};
/// let device = lanthorn::cpu();
/// # device.set_default();
/// let arguments = (vec![Value::Tensor(Tensor::ones([2, 3])?)], vec![]);
/// let call = |args: &export::Arguments| Ok(Value::Tensor(args.0[0].as_tensor().unwrap().softmax(-1)?));
/// let options = export::Options { argument_names: vec!["x".to_string()], ..Default::default() };
/// let program = export::export(&Native::new(&device), None, &arguments, &options, call).await?;
/// let model = lanthorn::onnx::load(lanthorn::onnx::save(&program)?, &device)?;
/// assert_eq!(model.exported().input_names(), ["x"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// [`Error::Unsupported`] lists all calls that cannot be written as ONNX with the reasons, and
/// reports results without known types; [`Error::Limit`] for a model of 2 GB or more.
pub fn save(program: &ExportedProgram) -> Result<Vec<u8>> {
    program.check_graph()?;
    let mut graph = program.graph.clone();
    passes::optimize(&mut graph);
    let bytes: usize = program.tensors.iter().map(|tensor| tensor.bytes().len()).sum();
    if bytes >= MAX_BYTES {
        return Err(Error::Limit(format!("a model with {bytes} bytes of tensors; a file has less than 2 GB")));
    }
    let mut exporter = Exporter::new(program);
    let model = exporter.model(&graph)?;
    let length = model.encoded_len();
    if length >= MAX_BYTES {
        return Err(Error::Limit(format!("a model of {length} bytes; a file has less than 2 GB")));
    }
    Ok(model.encode_to_vec())
}

/// The export of one program.
struct Exporter<'p> {
    program: &'p ExportedProgram,
    builder: Builder,
    /// The preferred name of results of nodes.
    label: String,
    /// The one-element lists of numbers that were extracted from lists.
    lists: FxHashMap<Rc<str>, Item>,
    /// The entries of the state by the names of their initializers.
    state: FxHashMap<Rc<str>, usize>,
    /// The reasons why calls cannot be written.
    refused: BTreeSet<String>,
    /// The versions of operator sets that the nodes need.
    opsets: BTreeMap<String, i64>,
    depth: usize,
    /// The number of exported nodes of the program.
    nodes: usize,
    /// The number of values that writes were compared with.
    compared: usize,
}

impl<'p> Exporter<'p> {
    fn new(program: &'p ExportedProgram) -> Exporter<'p> {
        Exporter {
            program,
            builder: Builder::new(),
            label: String::new(),
            lists: FxHashMap::default(),
            state: FxHashMap::default(),
            refused: BTreeSet::new(),
            opsets: BTreeMap::from([(String::new(), OPSET)]),
            depth: 0,
            nodes: 0,
            compared: 0,
        }
    }

    fn model(&mut self, graph: &Graph) -> Result<ModelProto> {
        let program = self.program;
        let mut leaves = program.input_names().into_iter();
        let mut given: Vec<Option<Arg>> = vec![None; graph.inputs.len()];
        let mut inputs = Vec::new();
        for (index, input) in program.inputs.iter().enumerate() {
            let meta = graph.inputs.get(index).and_then(|&id| graph.meta(id));
            given[index] = match &input.kind {
                InputKind::State(_) => continue,
                InputKind::Constant(value) => {
                    leaves.next();
                    Some(frame::constant(value))
                }
                InputKind::User => {
                    let name = self.builder.name(&leaves.next().unwrap_or_default());
                    let tensor = tensor_meta(meta);
                    let refused = || Error::unsupported(format!("the input {name} of unknown type"));
                    let info = value_info(&name, Some(&tensor.ok_or_else(refused)?));
                    inputs.push(info);
                    Some(Value::Tensor(Item::of(name, None).with_meta(meta)))
                }
            };
        }
        let users = program.outputs.iter().zip(&graph.outputs).filter(|(output, _)| output.kind == OutputKind::User);
        let users: Vec<(usize, &Operand)> = users.enumerate().map(|(index, (_, operand))| (index, operand)).collect();
        let wanted = program.output_names();
        let mut names = Vec::new();
        for (index, _) in &users {
            let name = wanted.get(*index).cloned().unwrap_or_else(|| index.to_string());
            names.push(self.builder.result_name(&name));
        }
        for (index, input) in program.inputs.iter().enumerate() {
            if let InputKind::State(entry) = &input.kind {
                given[index] = Some(Value::Tensor(self.state_item(*entry)?));
            }
        }
        let given = given.into_iter().map(|value| value.unwrap_or(Value::None)).collect();
        let results = self.graph(graph, given, true)?;
        self.refuse()?;
        let results = program.outputs.iter().zip(results).filter(|(output, _)| output.kind == OutputKind::User);
        let results: Vec<Arg> = results.map(|(_, value)| value).collect();
        let mut outputs = Vec::new();
        for (((_, operand), result), name) in users.iter().zip(&results).zip(&names) {
            let meta = match operand {
                Operand::Value(id) => tensor_meta(graph.meta(*id)),
                _ => None,
            };
            let item = self.result(result, meta.as_ref())?;
            let meta = meta.or_else(|| {
                let sizes = item.sizes.as_ref()?.to_vec();
                Some(TensorMeta::contiguous(item.dtype?, sizes, false))
            });
            let refused = || Error::unsupported(format!("the result {name} of unknown type"));
            outputs.push(value_info(name, Some(&meta.ok_or_else(refused)?)));
            self.builder.result(&item.name, name);
        }
        let graph = std::mem::replace(&mut self.builder, Builder::new()).finish(inputs, outputs);
        let opset = self.opsets.get("").copied().unwrap_or(OPSET);
        let ir_version = IR_VERSIONS.iter().find(|(first, _)| opset >= *first).map(|(_, version)| *version);
        let opset_import = std::mem::take(&mut self.opsets).into_iter();
        let opset_import = opset_import
            .map(|(domain, version)| OperatorSetIdProto { domain: Some(domain), version: Some(version) })
            .collect();
        let metadata = program
            .metadata
            .iter()
            .map(|(key, value)| StringStringEntryProto { key: Some(key.clone()), value: Some(value.clone()) });
        Ok(ModelProto {
            ir_version,
            producer_name: Some("lanthorn".to_string()),
            producer_version: Some(env!("CARGO_PKG_VERSION").to_string()),
            graph: Some(graph),
            opset_import,
            metadata_props: metadata.collect(),
            ..ModelProto::default()
        })
    }

    /// Returns the initializer of an entry of the state. Tied entries share one.
    fn state_item(&mut self, entry: usize) -> Result<Item> {
        let state = self.program.state.get(entry).ok_or_else(|| Error::malformed("an input without state"))?;
        if let Some((name, _)) = self.state.iter().find(|(_, tensor)| **tensor == state.tensor) {
            let data = &self.program.tensors[state.tensor];
            return Ok(Item::tensor(name.clone(), data.dtype(), data.shape()));
        }
        let data = self.program.tensors.get(state.tensor).ok_or_else(|| Error::malformed("a state without tensor"))?;
        let item = self.builder.initializer(&state.name, data.clone())?;
        self.state.insert(item.name.clone(), state.tensor);
        Ok(item)
    }

    /// Returns a result as a tensor of the type that the program declares.
    fn result(&mut self, value: &Arg, meta: Option<&TensorMeta>) -> Result<Item> {
        match value {
            Value::Tensor(item) => Ok(match meta {
                Some(meta) if item.dtype.is_some() => self.cast(item, meta.dtype),
                _ => item.clone(),
            }),
            Value::Int(value) => self.int(*value),
            Value::Bool(_) | Value::Float(_) => {
                let dtype = if value.as_bool().is_some() { lanthorn_io::DType::Bool } else { lanthorn_io::DType::F32 };
                self.operand(value, dtype)
            }
            other => Err(Error::unsupported(format!("the result {}: a model returns tensors", other.short()))),
        }
    }

    /// Returns an error if a call could not be written.
    fn refuse(&mut self) -> Result<()> {
        if self.refused.is_empty() {
            return Ok(());
        }
        let calls: Vec<String> = std::mem::take(&mut self.refused).into_iter().collect();
        Err(Error::unsupported(format!("as ONNX: {}", calls.join(", "))))
    }
}

/// Returns the type of a tensor. A number is a tensor without dimensions.
fn tensor_meta(meta: Option<&Meta>) -> Option<TensorMeta> {
    match meta? {
        Meta::Tensor(meta) => Some(meta.clone()),
        other => {
            let item = Item::none().with_meta(Some(other));
            Some(TensorMeta::contiguous(item.dtype?, vec![], false))
        }
    }
}
