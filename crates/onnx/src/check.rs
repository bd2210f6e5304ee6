//! Reads and checks models.
//!
//! [`check`] establishes everything that the converter relies on, for all graphs and functions:
//! each name is defined once and, after [`sort`], before its first use; versions are known; each
//! attribute has a value of its declared type; functions do not recurse. The operators check their
//! own inputs and attributes.

mod attributes;
mod functions;
mod graph;
mod order;

pub use crate::proto::limits::MAX_DEPTH;

use crate::{
    foreign,
    proto::{
        AttributeProto, Bytes, FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, SparseTensorProto,
        TensorProto,
        limits::{Kind, Limits},
    },
    stream::UPLOAD_KEY,
    tensor::MAX_DENSE_BYTES,
};
use graph::Checker;
use lanthorn_io::{DType, shorten};
use lanthorn_program::{Error, Result};
use prost::Message;
use rustc_hash::FxHashMap;

/// The latest version of the format, written by ONNX 1.23.
pub const MAX_IR_VERSION: i64 = 14;

/// The longest name that a message quotes, in characters.
const NAME_LIMIT: usize = 100;

/// Reads a model. Raw data share the memory of `bytes`.
///
/// # Errors
///
/// [`Error::Unsupported`] for a file of another known format; [`Error::Malformed`] for bytes that
/// are not a model; the errors of [`check`].
pub fn read(bytes: impl Into<Bytes>) -> Result<ModelProto> {
    let model = read_skeleton(bytes)?;
    refuse_uploads(&model)?;
    Ok(model)
}

/// Reads a model like [`read`], but allows tensors whose bytes a reader handed to a sink.
pub(crate) fn read_skeleton(bytes: impl Into<Bytes>) -> Result<ModelProto> {
    let bytes = bytes.into();
    foreign::refuse(&bytes[..bytes.len().min(foreign::START)])?;
    Limits::default().check(Kind::Model, &bytes)?;
    let mut model = decode(bytes)?;
    sort(&mut model);
    check(&model)?;
    Ok(model)
}

/// Rejects tensors that refer to bytes that a reader handed to a sink.
pub(crate) fn refuse_uploads(model: &ModelProto) -> Result<()> {
    tensors(model, &mut |tensor| refuse_upload(tensor))
}

pub(crate) fn refuse_upload(tensor: &TensorProto) -> Result<()> {
    match tensor.external_data.iter().any(|entry| entry.key() == UPLOAD_KEY) {
        true => Err(Error::malformed(format!("{}: the key `{UPLOAD_KEY}` is reserved", tensor.describe()))),
        false => Ok(()),
    }
}

/// Decodes a message whose limits were checked.
pub(crate) fn decode<M: Message + Default>(bytes: impl Into<Bytes>) -> Result<M> {
    M::decode(bytes.into()).map_err(|error| Error::malformed(format!("not a model of ONNX: {error}")))
}

/// Sorts the nodes of each graph and function of a model: a node follows the nodes whose results it
/// takes. The order of a graph with a cycle does not change.
pub fn sort(model: &mut ModelProto) {
    order::sort(model);
}

/// Checks a model.
///
/// # Errors
///
/// - [`Error::Unsupported`]: a version of the format after [`MAX_IR_VERSION`].
/// - [`Error::Limit`]: more than [`MAX_NODES`](lanthorn_program::graph::MAX_NODES) nodes, counting
///   the nodes of called functions; more than [`MAX_DEPTH`] nested graphs and calls of functions;
///   sparse tensors that are too large in dense form.
/// - [`Error::Malformed`]: a name that is missing, defined twice or used before its definition; an
///   operator set that is not imported; an attribute without a value of its type; functions that
///   call each other in a cycle.
pub fn check(model: &ModelProto) -> Result<()> {
    match model.ir_version {
        None => return Err(Error::malformed("not a model of ONNX: it has no `ir_version`")),
        Some(version @ ..=0) => return Err(Error::malformed(format!("`ir_version` is {version}"))),
        Some(version) if version > MAX_IR_VERSION => {
            let message =
                format!("version {version} of ONNX's format; the latest that lanthorn reads is {MAX_IR_VERSION}");
            return Err(Error::unsupported(message));
        }
        Some(_) => {}
    }
    let graph = model.graph.as_ref().ok_or_else(|| Error::malformed("the model has no graph"))?;
    functions::check(&model.functions, graph)?;
    let opsets = opsets(&model.opset_import, "the model")?;
    Checker::new(&opsets, false).main_graph(graph)?;
    for function in &model.functions {
        functions::check_body(function)?;
    }
    check_sparse(model)
}

/// Calls a function for each tensor of a model, in all graphs and functions. For a sparse tensor,
/// it visits the values and the indices. The nesting of the graphs must be within the limit of
/// [`check`].
///
/// # Errors
///
/// The errors of the function.
pub fn tensors<'a>(model: &'a ModelProto, visit: &mut dyn FnMut(&'a TensorProto) -> Result<()>) -> Result<()> {
    visit_model(model, &mut |part| match part {
        Part::Tensor(tensor) => visit(tensor),
        Part::Sparse(_) => Ok(()),
    })
}

/// A tensor or a sparse tensor of a model. The values and indices of a sparse tensor follow it.
enum Part<'a> {
    Tensor(&'a TensorProto),
    Sparse(&'a SparseTensorProto),
}

type Visit<'a, 'b> = &'b mut dyn FnMut(Part<'a>) -> Result<()>;

fn visit_model<'a>(model: &'a ModelProto, visit: Visit<'a, '_>) -> Result<()> {
    if let Some(graph) = &model.graph {
        visit_graph(graph, visit)?;
    }
    for function in &model.functions {
        visit_attributes(&function.attribute_proto, visit)?;
        visit_nodes(&function.node, visit)?;
    }
    Ok(())
}

fn visit_graph<'a>(graph: &'a GraphProto, visit: Visit<'a, '_>) -> Result<()> {
    graph.initializer.iter().try_for_each(|tensor| visit(Part::Tensor(tensor)))?;
    graph.sparse_initializer.iter().try_for_each(|sparse| visit_sparse(sparse, visit))?;
    visit_nodes(&graph.node, visit)
}

fn visit_nodes<'a>(nodes: &'a [NodeProto], visit: Visit<'a, '_>) -> Result<()> {
    nodes.iter().try_for_each(|node| visit_attributes(&node.attribute, visit))
}

fn visit_attributes<'a>(attributes: &'a [AttributeProto], visit: Visit<'a, '_>) -> Result<()> {
    for attribute in attributes {
        attribute.t.iter().chain(&attribute.tensors).try_for_each(|tensor| visit(Part::Tensor(tensor)))?;
        attribute.sparse_tensor.iter().try_for_each(|sparse| visit_sparse(sparse, visit))?;
        graphs(attribute).try_for_each(|graph| visit_graph(graph, visit))?;
    }
    Ok(())
}

fn visit_sparse<'a>(sparse: &'a SparseTensorProto, visit: Visit<'a, '_>) -> Result<()> {
    visit(Part::Sparse(sparse))?;
    sparse.values.iter().chain(&sparse.indices).try_for_each(|tensor| visit(Part::Tensor(tensor)))
}

/// The graphs of an attribute.
fn graphs(attribute: &AttributeProto) -> impl Iterator<Item = &GraphProto> {
    attribute.g.iter().chain(&attribute.graphs)
}

/// Checks that all sparse tensors together are at most as large as one may be.
fn check_sparse(model: &ModelProto) -> Result<()> {
    let mut bytes = 0usize;
    visit_model(model, &mut |part| {
        let Part::Sparse(sparse) = part else { return Ok(()) };
        // Counts elements of the widest type, so the rest of the tensor need not be valid.
        let size = |size: &i64| usize::try_from(*size).unwrap_or(usize::MAX);
        let dense = sparse.dims.iter().map(size).fold(DType::F64.size(), usize::saturating_mul);
        bytes = bytes.saturating_add(dense);
        match bytes > MAX_DENSE_BYTES {
            true => {
                Err(Error::Limit(format!("sparse tensors of more than {MAX_DENSE_BYTES} bytes when they are dense")))
            }
            false => Ok(()),
        }
    })
}

/// Returns the canonical name of a domain; `ai.onnx` has two.
pub(crate) fn domain(name: &str) -> &str {
    if name == "ai.onnx" { "" } else { name }
}

pub(crate) type Opsets<'a> = FxHashMap<&'a str, i64>;

/// Returns the versions of operator sets by their domains.
pub(crate) fn opsets<'a>(imports: &'a [OperatorSetIdProto], what: &str) -> Result<Opsets<'a>> {
    let mut opsets = Opsets::default();
    for import in imports {
        let (name, version) = (domain(import.domain()), import.version());
        let quoted = quote(import.domain());
        if version < 1 {
            return Err(Error::malformed(format!("{what} imports version {version} of the operator set {quoted}")));
        }
        if opsets.insert(name, version).is_some_and(|other| other != version) {
            return Err(Error::malformed(format!("{what} imports two versions of the operator set {quoted}")));
        }
    }
    match opsets.is_empty() {
        true => Err(Error::malformed(format!("{what} imports no operator set"))),
        false => Ok(opsets),
    }
}

fn quote(name: &str) -> String {
    format!("`{}`", shorten(name, NAME_LIMIT))
}

/// Describes a node in messages.
fn describe(node: &NodeProto) -> String {
    let op = shorten(node.op_type(), NAME_LIMIT);
    match node.name() {
        "" => format!("a node {op} of {}", node.output.first().map_or("nothing".to_string(), |name| quote(name))),
        name => format!("node {} ({op})", quote(name)),
    }
}

/// Describes a function in messages.
fn describe_function(function: &FunctionProto) -> String {
    format!("function {}", quote(&format!("{}::{}", function.domain(), function.name())))
}

#[cfg(test)]
mod tests;
