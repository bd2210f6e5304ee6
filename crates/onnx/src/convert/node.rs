//! Converts nodes of a model to nodes of a program.

use super::{Converter, attributes, is_known_domain, state::Use, types};
use crate::{
    check::{self, Opsets},
    operators::{self, is_read},
    proto::{GraphProto, NodeProto},
};
use lanthorn_io::shorten;
use lanthorn_program::{
    Error, Result, Value,
    graph::{ModuleStack, Node, Operand, Results, Target},
    operators::Operator,
};
use lanthorn_schema::ParamType;

/// The longest name that a message quotes, in characters.
const NAME_LIMIT: usize = 100;

impl Converter<'_> {
    /// Adds the nodes of a model's graph to the innermost graph.
    pub fn body(&mut self, graph: &GraphProto, opsets: &Opsets<'_>) -> Result<()> {
        for node in &graph.node {
            self.node(node, opsets)?;
        }
        for info in &graph.value_info {
            let scope = self.scope();
            if let (Some(Operand::Value(id)), Some(meta)) = (scope.names.get(info.name()), types::meta(info)) {
                let id = *id;
                scope.graph.metas.resize(scope.graph.names.len(), None);
                scope.graph.metas[id] = Some(meta);
            }
        }
        Ok(())
    }

    /// Adds a node.
    pub fn node(&mut self, node: &NodeProto, opsets: &Opsets<'_>) -> Result<()> {
        let (domain, name) = (check::domain(node.domain()), node.op_type());
        let key = (domain.to_string(), name.to_string(), node.overload().to_string());
        if let Some(&function) = self.functions.get(&key) {
            return self.inline(node, function);
        }
        let version = opsets.get(domain).copied();
        match (domain, name) {
            ("", "Constant") => self.constant(node),
            ("", "Identity" | "OptionalGetElement" | "Optional") => {
                let value = self.value(node.input.first().map_or("", String::as_str))?;
                self.alias(first_output(node)?, value)
            }
            ("", "If" | "Loop" | "Scan" | "SequenceMap") => self.control_flow(node, opsets),
            _ => {
                let operator = version.and_then(|version| operators::find(domain, name, version));
                match operator {
                    Some(operator) => self.call(node, domain, operator),
                    None => self.unknown(node, domain, version),
                }
            }
        }
        .map_err(|error| with_node(error, node))
    }

    /// Records an unknown operator, and defines its results so that conversion continues and finds
    /// the others.
    pub fn unknown(&mut self, node: &NodeProto, domain: &str, version: Option<i64>) -> Result<()> {
        let set = if domain.is_empty() { "ai.onnx" } else { domain };
        let version = version.map_or("not imported".to_string(), |version| version.to_string());
        let why = if is_known_domain(domain) { "" } else { ", an operator set that is not known" };
        let (op, label) = (shorten(node.op_type(), NAME_LIMIT), shorten(node.name(), NAME_LIMIT));
        self.missing.push(format!("{op} ({set} {version}{why}; node `{label}`)"));
        for output in node.output.iter().filter(|output| !output.is_empty()) {
            self.define(output, None)?;
        }
        Ok(())
    }

    fn constant(&mut self, node: &NodeProto) -> Result<()> {
        let key = self.state(&attributes::tensor_of(node)?)?;
        let value = self.value(&key)?;
        self.alias(first_output(node)?, value)
    }

    /// Adds a call of an operator.
    fn call(&mut self, node: &NodeProto, domain: &str, operator: &'static Operator) -> Result<()> {
        let params = &operator.schema.params;
        let inputs = params.iter().filter(|param| !param.keyword_only).count();
        let mut args = Vec::with_capacity(node.input.len());
        for (index, name) in node.input.iter().enumerate() {
            let operand = self.value(name)?;
            let param = &params[index.min(inputs.max(1) - 1).min(params.len().max(1) - 1)..];
            let (ty, param) = param.first().map_or((ParamType::Tensor, ""), |param| (param.ty, &param.name));
            self.note_use(&operand, use_of(node.op_type(), index, ty, param));
            args.push(operand);
        }
        let mut named = Vec::new();
        for attribute in &node.attribute {
            named.push((attribute.name().to_string(), self.attribute(attribute)?));
        }
        if params.iter().any(|param| param.keyword_only && param.name == "outputs") {
            let count = node.output.iter().rposition(|output| !output.is_empty()).map_or(0, |last| last + 1);
            named.push(("outputs".to_string(), Operand::Constant(Value::Int(count as i64))));
        }
        let several = operator.schema.returns.len() > 1 || operator.schema.returns.iter().any(is_variadic);
        let name = format!("{}{}.{}", prefix(domain), operator.schema.name, operator.schema.overload);
        let results = match &node.output[..] {
            _ if !several => Results::One(self.define(first_output(node)?, None)?),
            outputs => {
                let mut ids = Vec::with_capacity(outputs.len());
                for output in outputs {
                    ids.push(if output.is_empty() { None } else { Some(self.define(output, None)?) });
                }
                Results::Several(ids)
            }
        };
        let target = Target::Operator { set: crate::operators::SET, name, operator };
        self.scope().graph.nodes.push(Node { target, args, named, results, modules: ModuleStack::default() });
        Ok(())
    }
}

/// Whether the node, not the operator, determines the number of results.
fn is_variadic(result: &lanthorn_schema::Return) -> bool {
    // A sequence is one value. Only `Split` returns several tensors.
    result.ty == "Tensor[]" && result.name != "sequence"
}

/// Returns the prefix of an operator's name in messages.
fn prefix(domain: &str) -> String {
    if domain.is_empty() { String::new() } else { format!("{domain}.") }
}

/// Returns the name of the first result of a node.
pub fn first_output(node: &NodeProto) -> Result<&str> {
    let first = node.output.first().map(String::as_str).filter(|name| !name.is_empty());
    first.ok_or_else(|| Error::malformed(format!("a call of {} without a result", node.op_type())))
}

/// Returns how an operator uses its input at an index.
fn use_of(op: &str, index: usize, ty: ParamType, param: &str) -> Use {
    const ELEMENTWISE: [&str; 16] = [
        "Add",
        "And",
        "Div",
        "Equal",
        "Greater",
        "GreaterOrEqual",
        "Less",
        "LessOrEqual",
        "Max",
        "Min",
        "Mod",
        "Mul",
        "Pow",
        "Sub",
        "Sum",
        "Where",
    ];
    match op {
        _ if is_read(ty) => Use::Read,
        "BatchNormalization" if index > 2 => Use::Statistics,
        _ if ["_scale", "scales", "_zero_point", "zero_points", "_cache"].iter().any(|end| param.ends_with(end)) => {
            Use::Constant
        }
        op if ELEMENTWISE.contains(&op) => Use::Elementwise,
        _ => Use::Weight,
    }
}

/// Adds the node's name to an error.
fn with_node(error: Error, node: &NodeProto) -> Error {
    let name = shorten(node.name(), NAME_LIMIT);
    match error {
        Error::Malformed(message) if !name.is_empty() && !message.contains("node `") => {
            Error::malformed(format!("{message} (node `{name}`)"))
        }
        error => error,
    }
}
