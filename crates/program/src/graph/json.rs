//! Converts graphs to JSON for viewers.
//!
//! A graph is `{ inputs, nodes, outputs, values }`. A node has the operator `op`, its `inputs`, and
//! `outputs`: names, or null for an unused result. An input is the `value` of a name, a `constant`,
//! a `list` or a `block`, which is a graph; a named argument has a `name`. A node that was called
//! in modules has `modules`, each with a `path` and a `class`. `values` maps names to types and
//! sizes.

use super::{Graph, Meta, Node, Operand, Results, Size, Symbolic, Symbols, TensorMeta};
use crate::{Value, json::Json};

impl Graph {
    /// Returns the graph with example sizes for these values of symbols.
    pub(crate) fn json(&self, hints: &Symbols) -> Json {
        Json::object([
            ("inputs", Json::Array(self.inputs.iter().map(|&id| self.name_json(id)).collect())),
            ("nodes", Json::Array(self.nodes.iter().map(|node| self.node_json(node, hints)).collect())),
            ("outputs", Json::Array(self.outputs.iter().map(|output| self.operand_json(output, hints)).collect())),
            ("values", Json::Object(self.values_json(hints))),
        ])
    }

    fn values_json(&self, hints: &Symbols) -> Vec<(String, Json)> {
        // A pass may have removed the nodes of other values.
        let defined = self.inputs.iter().copied().chain(self.nodes.iter().flat_map(Node::defined));
        let described = |id: usize| Some((self.names.get(id)?.clone(), meta_json(self.meta(id)?, hints)));
        defined.filter_map(described).collect()
    }

    fn name_json(&self, id: usize) -> Json {
        Json::text(self.names.get(id).map(String::as_str))
    }

    fn node_json(&self, node: &Node, hints: &Symbols) -> Json {
        let outputs = match &node.results {
            Results::None => vec![],
            Results::One(id) => vec![self.name_json(*id)],
            Results::Several(ids) => ids.iter().map(|id| id.map_or(Json::Null, |id| self.name_json(id))).collect(),
        };
        let mut inputs: Vec<Json> = node.args.iter().map(|operand| self.operand_json(operand, hints)).collect();
        for (name, operand) in &node.named {
            let mut input = self.operand_json(operand, hints);
            if let Json::Object(entries) = &mut input {
                entries.push(("name".to_string(), Json::Str(name.clone())));
            }
            inputs.push(input);
        }
        let op = Json::Str(node.target.to_string());
        let mut entries = vec![("op", op), ("inputs", Json::Array(inputs)), ("outputs", Json::Array(outputs))];
        if !node.modules.is_empty() {
            let call = |path: &str, class: &str| Json::object([("path", text(path)), ("class", text(class))]);
            let modules = node.modules.iter().map(|module| call(&module.path, &module.class));
            entries.push(("modules", Json::Array(modules.collect())));
        }
        Json::Object(entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
    }

    fn operand_json(&self, operand: &Operand, hints: &Symbols) -> Json {
        match operand {
            Operand::Value(id) => Json::object([("value", self.name_json(*id))]),
            Operand::Constant(value) => Json::object([("constant", constant(value))]),
            Operand::List(items) => {
                let items = items.iter().map(|item| self.operand_json(item, hints)).collect();
                Json::object([("list", Json::Array(items))])
            }
            Operand::Block(block) => Json::object([("block", block.json(hints))]),
        }
    }
}

fn text(text: &str) -> Json {
    Json::Str(text.to_string())
}

/// Describes a tensor by its element type and sizes, or a number.
fn meta_json(meta: &Meta, hints: &Symbols) -> Json {
    let number = |ty, value| Json::object([("type", text(ty)), ("value", value)]);
    match meta {
        Meta::Tensor(meta) => tensor_json(meta, hints),
        Meta::Int(size) => number("int", size_json(size)),
        Meta::Float(value) => number("float", symbolic(value, |&value| constant(&Value::Float(value)))),
        Meta::Bool(value) => number("bool", symbolic(value, |&value| Json::Bool(value))),
    }
}

/// Describes a tensor. If sizes are expressions, `example` has the sizes for the hints.
fn tensor_json(meta: &TensorMeta, hints: &Symbols) -> Json {
    let sizes = meta.sizes.iter().map(size_json).collect();
    let mut entries = vec![
        ("type", text("tensor")),
        ("dtype", text(&meta.dtype.to_string())),
        ("sizes", Json::Array(sizes)),
        ("requiresGrad", Json::Bool(meta.requires_grad)),
    ];
    if meta.sizes.iter().any(|size| !matches!(size, Size::Int(_))) {
        let example = |size: &Size| match size {
            Size::Unknown { hint, .. } => *hint,
            size => size.evaluate(hints),
        };
        let examples = meta.sizes.iter().map(|size| example(size).map_or(Json::Null, Json::Int));
        entries.push(("example", Json::Array(examples.collect())));
    }
    Json::Object(entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
}

fn size_json(size: &Size) -> Json {
    if let Size::Int(value) = size { Json::Int(*value) } else { Json::Str(size.to_string()) }
}

fn symbolic<T>(value: &Symbolic<T>, json: fn(&T) -> Json) -> Json {
    match value {
        Symbolic::Value(value) => json(value),
        Symbolic::Expression { sympy, .. } => text(sympy),
    }
}

/// Converts a constant. A number that JSON lacks becomes text: `inf`.
pub(crate) fn constant(value: &Value<()>) -> Json {
    match value {
        Value::None | Value::Tensor(()) => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Int(value) => Json::Int(*value),
        Value::Float(value) if value.is_finite() => Json::Float(*value),
        Value::Float(value) => Json::Str(value.to_string()),
        Value::Str(text) => Json::Str(text.clone()),
        Value::List(items) | Value::Tuple(items) => Json::Array(items.iter().map(constant).collect()),
        value => Json::Str(value.short()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{ModuleCall, ModuleStack, ScalarOp, Target};
    use lanthorn_io::DType;

    #[test]
    fn a_graph_lists_its_nodes_with_operators_modules_and_values() {
        let call = ModuleCall { key: "k".to_string(), path: "block.0".to_string(), class: "net.Block".to_string() };
        let node = Node {
            target: Target::Scalar(ScalarOp::Add),
            args: vec![Operand::Value(0)],
            named: vec![("other".to_string(), Operand::Constant(Value::Float(f64::INFINITY)))],
            results: Results::One(1),
            modules: ModuleStack::from([call]),
        };
        let sizes = vec![Size::Int(3), Size::Symbol("s0".to_string())];
        let meta = TensorMeta::contiguous(DType::F32, sizes, true);
        let names = vec!["x".to_string(), "y".to_string()];
        let (metas, outputs) = (vec![Some(meta.into()), None], vec![Operand::Value(1)]);
        let graph = Graph { names, metas, inputs: vec![0], nodes: vec![node], outputs };
        let hints = [("s0".to_string(), 7)].into_iter().collect();
        let node = concat!(
            r#"{"op":"add","inputs":[{"value":"x"},{"constant":"inf","name":"other"}],"outputs":["y"],"#,
            r#""modules":[{"path":"block.0","class":"net.Block"}]}"#
        );
        let x = r#"{"type":"tensor","dtype":"float32","sizes":[3,"s0"],"requiresGrad":true,"example":[3,7]}"#;
        let expected =
            format!(r#"{{"inputs":["x"],"nodes":[{node}],"outputs":[{{"value":"y"}}],"values":{{"x":{x}}}}}"#);
        assert_eq!(graph.json(&hints).to_string(), expected);
    }
}
