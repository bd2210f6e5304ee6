//! Inlines the operators that a model defines.

use super::Converter;
use crate::{
    check::{domain, opsets},
    proto::{AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto},
};
use lanthorn_program::{Error, Result};
use rustc_hash::FxHashMap;

/// Functions by domain, name and overload.
pub type Functions<'m> = FxHashMap<(String, String, String), &'m FunctionProto>;

/// Indexes the functions of a model.
pub fn index(model: &ModelProto) -> Functions<'_> {
    let key = |function: &FunctionProto| {
        (domain(function.domain()).to_string(), function.name().to_string(), function.overload().to_string())
    };
    model.functions.iter().map(|function| (key(function), function)).collect()
}

/// The new names of a function's values in one call.
struct Renames {
    names: FxHashMap<String, String>,
    prefix: String,
}

impl Renames {
    fn name(&mut self, name: &str) -> String {
        if name.is_empty() {
            return String::new();
        }
        let prefix = &self.prefix;
        self.names.entry(name.to_string()).or_insert_with(|| format!("{prefix}{name}")).clone()
    }

    fn all(&mut self, names: &mut [String]) {
        names.iter_mut().for_each(|name| *name = self.name(name));
    }

    fn graph(&mut self, graph: &mut GraphProto, attributes: &FxHashMap<&str, Option<&AttributeProto>>) {
        for info in graph.input.iter_mut().chain(&mut graph.output).chain(&mut graph.value_info) {
            info.name = info.name.as_deref().map(|name| self.name(name));
        }
        for tensor in &mut graph.initializer {
            tensor.name = tensor.name.as_deref().map(|name| self.name(name));
        }
        graph.node.iter_mut().for_each(|node| self.node(node, attributes));
    }

    fn node(&mut self, node: &mut NodeProto, attributes: &FxHashMap<&str, Option<&AttributeProto>>) {
        self.all(&mut node.input);
        self.all(&mut node.output);
        let mut own = Vec::with_capacity(node.attribute.len());
        for mut attribute in std::mem::take(&mut node.attribute) {
            if let Some(of_call) = attribute.ref_attr_name.as_deref().filter(|name| !name.is_empty()) {
                // If the call omits the attribute, the node omits it too.
                if let Some(Some(given)) = attributes.get(of_call) {
                    own.push(AttributeProto { name: attribute.name.clone(), ..(*given).clone() });
                }
                continue;
            }
            if let Some(graph) = &mut attribute.g {
                self.graph(graph, attributes);
            }
            attribute.graphs.iter_mut().for_each(|graph| self.graph(graph, attributes));
            own.push(attribute);
        }
        node.attribute = own;
    }
}

impl Converter<'_> {
    /// Adds the nodes of a function that a node calls.
    pub fn inline(&mut self, node: &NodeProto, function: &FunctionProto) -> Result<()> {
        self.calls += 1;
        if node.input.len() > function.input.len() || node.output.len() > function.output.len() {
            return Err(Error::malformed(format!("a call of the function {} with too many values", function.name())));
        }
        let mut renames =
            Renames { names: FxHashMap::default(), prefix: format!("{}#{}.", function.name(), self.calls) };
        let omitted = String::new();
        for (index, name) in function.input.iter().enumerate() {
            renames.names.insert(name.clone(), node.input.get(index).unwrap_or(&omitted).clone());
        }
        for (name, wanted) in function.output.iter().zip(&node.output).filter(|(_, wanted)| !wanted.is_empty()) {
            // An input that is also a result keeps its name.
            if !function.input.contains(name) {
                renames.names.insert(name.clone(), wanted.clone());
            }
        }
        let mut attributes: FxHashMap<&str, Option<&AttributeProto>> =
            function.attribute_proto.iter().map(|attribute| (attribute.name(), Some(attribute))).collect();
        attributes.extend(node.attribute.iter().map(|attribute| (attribute.name(), Some(attribute))));
        let opsets = opsets(&function.opset_import, function.name())?;
        for inner in &function.node {
            let mut inner = inner.clone();
            renames.node(&mut inner, &attributes);
            self.node(&inner, &opsets)?;
        }
        for (name, wanted) in function.output.iter().zip(&node.output).filter(|(_, wanted)| !wanted.is_empty()) {
            if function.input.contains(name) {
                let own = renames.name(name);
                let operand = self.value(&own)?;
                self.alias(wanted, operand)?;
            }
        }
        Ok(())
    }
}
