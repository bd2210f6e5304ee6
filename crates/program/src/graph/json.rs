//! Graphs as JSON, for viewers.
//!
//! A graph is `{ inputs, nodes, outputs }`. A node has the operator `op`, its `inputs`, and `outputs`:
//! names, or null for a result that nothing uses. An input is the `value` of a name, a `constant`, a
//! `list` or a `block`, which is a graph; one that is given by name has a `name`.

use super::{Graph, Node, Operand, Results};
use crate::{Value, json::Json};

impl Graph {
    pub(crate) fn json(&self) -> Json {
        Json::object([
            ("inputs", Json::Array(self.inputs.iter().map(|&id| self.name_json(id)).collect())),
            ("nodes", Json::Array(self.nodes.iter().map(|node| self.node_json(node)).collect())),
            ("outputs", Json::Array(self.outputs.iter().map(|output| self.operand_json(output)).collect())),
        ])
    }

    fn name_json(&self, id: usize) -> Json {
        Json::text(self.names.get(id).map(String::as_str))
    }

    fn node_json(&self, node: &Node) -> Json {
        let outputs = match &node.results {
            Results::None => vec![],
            Results::One(id) => vec![self.name_json(*id)],
            Results::Several(ids) => ids.iter().map(|id| id.map_or(Json::Null, |id| self.name_json(id))).collect(),
        };
        let mut inputs: Vec<Json> = node.args.iter().map(|operand| self.operand_json(operand)).collect();
        for (name, operand) in &node.named {
            let mut input = self.operand_json(operand);
            if let Json::Object(entries) = &mut input {
                entries.push(("name".to_string(), Json::Str(name.clone())));
            }
            inputs.push(input);
        }
        let op = Json::Str(node.target.to_string());
        Json::object([("op", op), ("inputs", Json::Array(inputs)), ("outputs", Json::Array(outputs))])
    }

    fn operand_json(&self, operand: &Operand) -> Json {
        match operand {
            Operand::Value(id) => Json::object([("value", self.name_json(*id))]),
            Operand::Constant(value) => Json::object([("constant", constant(value))]),
            Operand::List(items) => {
                let items = items.iter().map(|item| self.operand_json(item)).collect();
                Json::object([("list", Json::Array(items))])
            }
            Operand::Block(block) => Json::object([("block", block.json())]),
        }
    }
}

/// A constant; a number that JSON lacks is text, `inf`.
fn constant(value: &Value<()>) -> Json {
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
    use crate::graph::{ScalarOp, Target};

    #[test]
    fn a_graph_lists_its_nodes_with_operators_and_values() {
        let node = Node {
            target: Target::Scalar(ScalarOp::Add),
            args: vec![Operand::Value(0)],
            named: vec![("other".to_string(), Operand::Constant(crate::Value::Float(f64::INFINITY)))],
            results: Results::One(1),
        };
        let names = vec!["x".to_string(), "y".to_string()];
        let graph =
            Graph { names, inputs: vec![0], nodes: vec![node], outputs: vec![Operand::Value(1)], ..Graph::default() };
        let node = r#"{"op":"add","inputs":[{"value":"x"},{"constant":"inf","name":"other"}],"outputs":["y"]}"#;
        let expected = format!(r#"{{"inputs":["x"],"nodes":[{node}],"outputs":[{{"value":"y"}}]}}"#);
        assert_eq!(graph.json().to_string(), expected);
    }
}
