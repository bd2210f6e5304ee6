//! Checks functions: no recursion, and a bounded size after inlining.

use super::{Error, MAX_DEPTH, Result, attributes, describe_function, domain, graph::Checker, graphs, opsets, quote};
use crate::proto::{AttributeProto, FunctionProto, GraphProto, NodeProto};
use lanthorn_program::graph::MAX_NODES;
use rustc_hash::{FxHashMap, FxHashSet};

/// The identity of an operator or a function: its domain, name and overload.
type Key<'a> = (&'a str, &'a str, &'a str);

/// Checks that functions are distinct and not recursive, and that the graph with all functions
/// inlined is within the limits of a program on nodes and depth.
pub(super) fn check(functions: &[FunctionProto], graph: &GraphProto) -> Result<()> {
    let mut expansion = Expansion { functions: FxHashMap::default() };
    for function in functions {
        let key = (domain(function.domain()), function.name(), function.overload());
        let problem = if function.name().is_empty() {
            Some("it has no name")
        } else if expansion.functions.insert(key, State::Unknown(function)).is_some() {
            Some("it is there twice")
        } else {
            None
        };
        if let Some(problem) = problem {
            return Err(Error::malformed(format!("{}: {problem}", describe_function(function))));
        }
    }
    expansion.nodes(&graph.node, 1)?;
    for function in functions {
        expansion.call((domain(function.domain()), function.name(), function.overload()), 0)?;
    }
    Ok(())
}

/// Checks the nodes of a function.
pub(super) fn check_body(function: &FunctionProto) -> Result<()> {
    let what = describe_function(function);
    let opsets = opsets(&function.opset_import, &what)?;
    let mut distinct = FxHashSet::default();
    let names = function.attribute.iter().map(String::as_str);
    let defaults = function.attribute_proto.iter().map(AttributeProto::name);
    if let Some(twice) = names.chain(defaults).find(|&name| !distinct.insert(name)) {
        return Err(Error::malformed(format!("{what}: the attribute {} is there twice", quote(twice))));
    }
    attributes::check_defaults(&function.attribute_proto, &|| what.clone())?;
    let inputs = function.input.iter().map(String::as_str);
    let outputs = function.output.iter().map(String::as_str);
    Checker::new(&opsets, true).body(inputs, &[], &function.node, outputs).map_err(|error| match error {
        Error::Malformed(message) => Error::malformed(format!("{what}: {message}")),
        error => error,
    })
}

/// The sizes of functions, computed on demand.
struct Expansion<'a> {
    functions: FxHashMap<Key<'a>, State<'a>>,
}

#[derive(Clone, Copy)]
enum State<'a> {
    Unknown(&'a FunctionProto),
    /// Its nodes are being counted.
    Open,
    Known(Size),
}

/// The number of nodes of a graph or function with all calls inlined, and the nesting depth of its
/// graphs and calls.
#[derive(Clone, Copy, Default)]
struct Size {
    nodes: usize,
    depth: usize,
}

impl<'a> Expansion<'a> {
    /// Returns the size of nodes in a graph at nesting depth `depth`.
    fn nodes(&mut self, nodes: &'a [NodeProto], depth: usize) -> Result<Size> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        let mut size = Size { nodes: nodes.len(), depth: 1 };
        let mut add = |inner: Size| {
            size.nodes = size.nodes.saturating_add(inner.nodes);
            size.depth = size.depth.max(1 + inner.depth);
        };
        for node in nodes {
            for graph in node.attribute.iter().flat_map(graphs) {
                add(self.nodes(&graph.node, depth + 1)?);
            }
            add(self.call((domain(node.domain()), node.op_type(), node.overload()), depth)?);
        }
        match size {
            Size { nodes, .. } if nodes > MAX_NODES => {
                Err(Error::Limit(format!("more than {MAX_NODES} nodes with those of functions")))
            }
            size => Ok(size),
        }
    }

    /// Returns the size of a function that a graph at nesting depth `depth` calls; 0 for other
    /// operators.
    fn call(&mut self, key: Key<'a>, depth: usize) -> Result<Size> {
        let function = match self.functions.get(&key) {
            None => return Ok(Size::default()),
            Some(State::Known(size)) if depth + size.depth > MAX_DEPTH => return Err(too_deep()),
            Some(&State::Known(size)) => return Ok(size),
            Some(State::Open) => {
                let name = quote(&format!("{}::{}", key.0, key.1));
                return Err(Error::malformed(format!("function {name} calls itself")));
            }
            Some(&State::Unknown(function)) => function,
        };
        self.functions.insert(key, State::Open);
        let size = self.nodes(&function.node, depth + 1)?;
        self.functions.insert(key, State::Known(size));
        Ok(size)
    }
}

fn too_deep() -> Error {
    Error::Limit(format!("more than {MAX_DEPTH} graphs and calls of functions within one another"))
}
