//! Builds the nodes, initializers and names of a model.
//!
//! The builder writes equal nodes and equal constants once, and finally removes nodes that no
//! result needs.

use super::item::Item;
use crate::proto::{AttributeProto, AttributeType, Bytes, GraphProto, NodeProto, TensorProto, ValueInfoProto};
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{Error, Result};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A value of an attribute.
#[derive(Clone, Debug)]
pub enum Attr {
    /// An integer, or a boolean.
    Int(i64),
    /// A float.
    Float(f64),
    /// Integers.
    Ints(Vec<i64>),
    /// Floats.
    Floats(Vec<f64>),
    /// Text.
    Str(String),
    /// Texts.
    Strs(Vec<String>),
    /// A tensor.
    Tensor(TensorProto),
    /// A graph.
    Graph(GraphProto),
}

impl Attr {
    /// Converts the attribute to a message with a name.
    pub fn proto(self, name: &str) -> AttributeProto {
        let mut proto = AttributeProto { name: Some(name.to_string()), ..AttributeProto::default() };
        let bytes = |text: String| Bytes::from(text.into_bytes());
        let kind = match self {
            Attr::Int(value) => {
                proto.i = Some(value);
                AttributeType::Int
            }
            Attr::Float(value) => {
                proto.f = Some(value as f32);
                AttributeType::Float
            }
            Attr::Ints(values) => {
                proto.ints = values;
                AttributeType::Ints
            }
            Attr::Floats(values) => {
                proto.floats = values.into_iter().map(|value| value as f32).collect();
                AttributeType::Floats
            }
            Attr::Str(text) => {
                proto.s = Some(bytes(text));
                AttributeType::String
            }
            Attr::Strs(texts) => {
                proto.strings = texts.into_iter().map(bytes).collect();
                AttributeType::Strings
            }
            Attr::Tensor(tensor) => {
                proto.t = Some(tensor);
                AttributeType::Tensor
            }
            Attr::Graph(graph) => {
                proto.g = Some(graph);
                AttributeType::Graph
            }
        };
        proto.r#type = Some(kind as i32);
        proto
    }
}

/// A graph whose nodes are being written.
#[derive(Default)]
struct Scope {
    nodes: Vec<NodeProto>,
    /// The results of written nodes, by a text of the computation.
    computed: FxHashMap<String, Vec<Rc<str>>>,
}

/// Writes nodes and initializers.
pub struct Builder {
    scopes: Vec<Scope>,
    initializers: Vec<TensorProto>,
    /// The names of constants by type, shape and elements.
    constants: FxHashMap<(DType, Vec<usize>, Vec<u8>), Rc<str>>,
    taken: FxHashSet<String>,
    /// The results of the whole graph: values and their final names.
    results: Vec<(String, Rc<str>)>,
}

impl Builder {
    /// A model without nodes.
    pub fn new() -> Builder {
        Builder {
            scopes: vec![Scope::default()],
            initializers: Vec::new(),
            constants: FxHashMap::default(),
            taken: FxHashSet::default(),
            results: Vec::new(),
        }
    }

    /// Returns a unique name: the preferred one, or it with a number.
    pub fn name(&mut self, wanted: &str) -> Rc<str> {
        let wanted = if wanted.is_empty() { "value" } else { wanted };
        let mut name = wanted.to_string();
        let mut number = 0;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        name.into()
    }

    /// Returns a unique name for a result of the whole graph. If an input or another result has the
    /// preferred name, the name gets a prefix.
    pub fn result_name(&mut self, wanted: &str) -> Rc<str> {
        let wanted = if self.taken.contains(wanted) { format!("out.{wanted}") } else { wanted.to_string() };
        self.name(&wanted)
    }

    /// Makes a value a result of the whole graph.
    pub fn result(&mut self, value: &str, name: &Rc<str>) {
        self.results.push((value.to_string(), name.clone()));
    }

    /// Adds a node with a result for each preferred name, and returns the names of the results. An
    /// empty name omits a result. If an equal node exists, this returns the names of its results.
    pub fn node(
        &mut self,
        (domain, op): (&str, &str),
        mut inputs: Vec<Rc<str>>,
        attributes: Vec<AttributeProto>,
        results: &[&str],
    ) -> Vec<Rc<str>> {
        while inputs.last().is_some_and(|name| name.is_empty()) {
            inputs.pop();
        }
        let repeatable = !is_random(op) && attributes.iter().all(|attribute| attribute.g.is_none());
        let key = repeatable.then(|| format!("{domain} {op} {inputs:?} {attributes:?} {}", results.len()));
        if let Some(known) = key.as_ref().and_then(|key| self.scopes.iter().find_map(|scope| scope.computed.get(key))) {
            return known.clone();
        }
        let named = |wanted: &&str| if wanted.is_empty() { Rc::from("") } else { self.name(wanted) };
        let outputs: Vec<Rc<str>> = results.iter().map(named).collect();
        let proto = NodeProto {
            input: inputs.iter().map(|name| name.to_string()).collect(),
            output: outputs.iter().map(|name| name.to_string()).collect(),
            name: outputs.iter().find(|name| !name.is_empty()).map(|name| format!("node_{name}")),
            op_type: Some(op.to_string()),
            domain: (!domain.is_empty()).then(|| domain.to_string()),
            attribute: attributes,
            ..NodeProto::default()
        };
        // The stack always has the outermost graph.
        if let Some(scope) = self.scopes.last_mut() {
            scope.nodes.push(proto);
            if let Some(key) = key {
                scope.computed.insert(key, outputs.clone());
            }
        }
        outputs
    }

    /// Copies a value to a new name by an `Identity`, which is not merged with an equal one.
    pub fn copy(&mut self, value: &str, wanted: &str) -> Rc<str> {
        let name = self.name(wanted);
        if let Some(scope) = self.scopes.last_mut() {
            scope.nodes.push(identity(value.to_string(), &name));
        }
        name
    }

    /// Returns an initializer for constant elements; equal constants share one.
    pub fn constant(&mut self, data: TensorData<'static>) -> Result<Item> {
        let (dtype, shape) = (data.dtype(), data.shape().to_vec());
        let key = (dtype, shape.clone(), data.bytes().to_vec());
        let name = match self.constants.get(&key) {
            Some(name) => name.clone(),
            None => {
                let name = self.name("constant");
                self.initializers.push(TensorProto::from_data(&name, data, None)?);
                self.constants.insert(key, name.clone());
                name
            }
        };
        Ok(Item::tensor(name, dtype, &shape))
    }

    /// Adds an initializer of the program's state.
    pub fn initializer(&mut self, wanted: &str, data: TensorData<'static>) -> Result<Item> {
        let name = self.name(wanted);
        let item = Item::tensor(name.clone(), data.dtype(), data.shape());
        self.initializers.push(TensorProto::from_data(&name, data, None)?);
        Ok(item)
    }

    /// Begins a graph of an attribute.
    pub fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Ends a graph of an attribute.
    pub fn close(&mut self, name: &str, input: Vec<ValueInfoProto>, output: Vec<ValueInfoProto>) -> Result<GraphProto> {
        if self.scopes.len() < 2 {
            return Err(Error::malformed("a graph without a scope"));
        }
        let mut nodes = self.scopes.pop().unwrap_or_default().nodes;
        remove_dead(&mut nodes, &output);
        Ok(GraphProto { node: nodes, name: Some(name.to_string()), input, output, ..GraphProto::default() })
    }

    /// Completes the whole graph. The node that computes a result gets the result's name; an
    /// `Identity` renames an input, an initializer or a value that already has a result's name.
    pub fn finish(mut self, input: Vec<ValueInfoProto>, output: Vec<ValueInfoProto>) -> GraphProto {
        let mut nodes = self.scopes.pop().unwrap_or_default().nodes;
        let computed: FxHashSet<&str> = nodes.iter().flat_map(|node| &node.output).map(String::as_str).collect();
        let mut names: FxHashMap<String, String> = FxHashMap::default();
        let mut copies = Vec::new();
        for (value, name) in &self.results {
            if computed.contains(value.as_str()) && !names.contains_key(value) {
                names.insert(value.clone(), name.to_string());
            } else {
                copies.push((value.clone(), name.to_string()));
            }
        }
        rename(&mut nodes, &names);
        for (value, name) in copies {
            let value = names.get(&value).cloned().unwrap_or(value);
            nodes.push(identity(value, &name));
        }
        remove_dead(&mut nodes, &output);
        let mut used = FxHashSet::default();
        uses(&nodes, &mut used);
        let mut initializer = self.initializers;
        initializer.retain(|tensor| used.contains(tensor.name()));
        GraphProto { node: nodes, name: Some("main".to_string()), initializer, input, output, ..GraphProto::default() }
    }
}

fn identity(value: String, name: &str) -> NodeProto {
    NodeProto {
        input: vec![value],
        output: vec![name.to_string()],
        name: Some(format!("node_{name}")),
        op_type: Some("Identity".to_string()),
        ..NodeProto::default()
    }
}

/// Whether equal calls return different results.
fn is_random(op: &str) -> bool {
    op.starts_with("Random") || matches!(op, "Bernoulli" | "Multinomial" | "Dropout")
}

/// Renames values, including those in graphs of attributes.
fn rename(nodes: &mut [NodeProto], names: &FxHashMap<String, String>) {
    let replace = |name: &mut String| {
        if let Some(other) = names.get(name) {
            name.clone_from(other);
        }
    };
    for node in nodes {
        node.input.iter_mut().for_each(replace);
        node.output.iter_mut().for_each(replace);
        for graph in node.attribute.iter_mut().filter_map(|attribute| attribute.g.as_mut()) {
            rename(&mut graph.node, names);
            graph.output.iter_mut().filter_map(|output| output.name.as_mut()).for_each(replace);
        }
    }
}

/// Collects all names that nodes take, including those in graphs of attributes.
fn uses<'n>(nodes: &'n [NodeProto], used: &mut FxHashSet<&'n str>) {
    for node in nodes {
        used.extend(node.input.iter().map(String::as_str));
        for graph in node.attribute.iter().filter_map(|attribute| attribute.g.as_ref()) {
            uses(&graph.node, used);
            used.extend(graph.output.iter().map(|output| output.name()));
        }
    }
}

/// Removes nodes whose results are not used.
fn remove_dead(nodes: &mut Vec<NodeProto>, outputs: &[ValueInfoProto]) {
    let mut kept = vec![false; nodes.len()];
    {
        let mut used: FxHashSet<&str> = outputs.iter().map(|output| output.name()).collect();
        for (index, node) in nodes.iter().enumerate().rev() {
            if node.output.iter().any(|name| used.contains(name.as_str())) {
                kept[index] = true;
                uses(std::slice::from_ref(node), &mut used);
            }
        }
    }
    let mut kept = kept.into_iter();
    nodes.retain(|_| kept.next().unwrap_or(true));
}
