//! Checks that names are defined once, and before their first use.

use super::{Error, NAME_LIMIT, Opsets, Result, attributes, describe, domain, graphs, order, quote};
use crate::proto::{GraphProto, NodeProto};
use lanthorn_io::shorten;
use rustc_hash::FxHashSet;

/// The graphs that are being checked, outermost first.
pub(super) struct Checker<'a> {
    opsets: &'a Opsets<'a>,
    in_function: bool,
    scopes: Vec<Scope<'a>>,
}

/// A graph whose nodes are being checked.
pub(super) struct Scope<'a> {
    /// The names that are defined so far.
    defined: FxHashSet<&'a str>,
    pub nodes: &'a [NodeProto],
    /// The index of the node that is being checked.
    pub current: usize,
}

impl<'a> Checker<'a> {
    pub fn new(opsets: &'a Opsets<'a>, in_function: bool) -> Checker<'a> {
        Checker { opsets, in_function, scopes: Vec::new() }
    }

    /// Checks the graph of a model. Its results must have distinct names.
    pub fn main_graph(&mut self, graph: &'a GraphProto) -> Result<()> {
        let mut names = FxHashSet::default();
        if let Some(twice) = graph.output.iter().find(|output| !names.insert(output.name())) {
            return Err(Error::malformed(format!("the graph has two results {}", quote(twice.name()))));
        }
        self.graph(graph)
    }

    fn graph(&mut self, graph: &'a GraphProto) -> Result<()> {
        let inputs = graph.input.iter().map(|input| input.name());
        let dense = graph.initializer.iter().map(|tensor| tensor.name());
        let constants: Vec<&str> = dense.chain(graph.sparse_initializer.iter().map(|sparse| sparse.name())).collect();
        let outputs = graph.output.iter().map(|output| output.name());
        self.body(inputs, &constants, &graph.node, outputs).map_err(|error| match (&error, self.scopes.is_empty()) {
            // Messages do not name the graph of a model.
            (Error::Malformed(message), false) => Error::malformed(format!("graph {}: {message}", quote(graph.name()))),
            _ => error,
        })
    }

    /// Checks the nodes of a graph or a function.
    pub fn body(
        &mut self,
        inputs: impl Iterator<Item = &'a str>,
        constants: &[&'a str],
        nodes: &'a [NodeProto],
        outputs: impl Iterator<Item = &'a str>,
    ) -> Result<()> {
        let mut defined = FxHashSet::default();
        for name in inputs {
            if name.is_empty() || !defined.insert(name) {
                return Err(Error::malformed(format!("two inputs, or one without a name: {}", quote(name))));
            }
        }
        let mut names = FxHashSet::default();
        for &name in constants {
            if name.is_empty() || !names.insert(name) {
                return Err(Error::malformed(format!("two initializers, or one without a name: {}", quote(name))));
            }
        }
        // An initializer with the name of an input is the input's default.
        defined.extend(constants);
        self.scopes.push(Scope { defined, nodes, current: 0 });
        let checked = self.nodes(nodes).and_then(|()| self.outputs(outputs));
        self.scopes.pop();
        checked
    }

    fn outputs(&self, mut outputs: impl Iterator<Item = &'a str>) -> Result<()> {
        match outputs.find(|name| !self.is_defined(name)) {
            Some(name) => Err(Error::malformed(format!("nothing defines the result {}", quote(name)))),
            None => Ok(()),
        }
    }

    fn nodes(&mut self, nodes: &'a [NodeProto]) -> Result<()> {
        for (index, node) in nodes.iter().enumerate() {
            if let Some(scope) = self.scopes.last_mut() {
                scope.current = index;
            }
            self.node(node)?;
        }
        Ok(())
    }

    fn node(&mut self, node: &'a NodeProto) -> Result<()> {
        if node.op_type().is_empty() {
            return Err(Error::malformed(format!("{}: it has no operator", describe(node))));
        }
        if !self.opsets.contains_key(domain(node.domain())) {
            let name = quote(node.domain());
            return Err(Error::malformed(format!("{}: the operator set {name} is not imported", describe(node))));
        }
        if let Some(name) = node.input.iter().find(|name| !name.is_empty() && !self.is_defined(name)) {
            let message = order::undefined(&self.scopes, name);
            return Err(Error::malformed(format!("{}: {message}", describe(node))));
        }
        attributes::check(&node.attribute, self.in_function, &|| describe(node))?;
        for graph in node.attribute.iter().flat_map(graphs) {
            self.graph(graph).map_err(|error| match error {
                Error::Malformed(message) => {
                    Error::malformed(format!("in {}: {message}", shorten(node.op_type(), NAME_LIMIT)))
                }
                error => error,
            })?;
        }
        let scope = self.scopes.last_mut();
        let defined = scope.map(|scope| &mut scope.defined);
        let twice =
            defined.and_then(|defined| node.output.iter().find(|name| !name.is_empty() && !defined.insert(name)));
        match twice {
            Some(name) => Err(Error::malformed(format!("{}: {} is defined before", describe(node), quote(name)))),
            None => Ok(()),
        }
    }

    fn is_defined(&self, name: &str) -> bool {
        self.scopes.iter().rev().any(|scope| scope.defined.contains(name))
    }
}
