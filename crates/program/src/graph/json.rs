//! Graphs as JSON, for viewers.
//!
//! A graph is `{ inputs, nodes, outputs }`. A node has the operator `op`, its `inputs`, and `outputs`:
//! names, or null for a result that nothing uses. An input is the `value` of a name, a `constant`, a
//! `list` or a `block`, which is a graph; one that is given by name has a `name`.

use super::{Graph, Node, Operand, Results};
use serde_json::{Value as Json, json};

impl Graph {
    pub(crate) fn json(&self) -> Json {
        let name = |&id: &usize| self.names.get(id).map(String::as_str);
        let outputs: Vec<Json> = self.outputs.iter().map(|output| self.operand_json(output)).collect();
        json!({
            "inputs": self.inputs.iter().map(name).collect::<Vec<_>>(),
            "nodes": self.nodes.iter().map(|node| self.node_json(node)).collect::<Vec<_>>(),
            "outputs": outputs,
        })
    }

    fn node_json(&self, node: &Node) -> Json {
        let name = |id: usize| self.names.get(id).map(String::as_str);
        let outputs: Vec<Option<&str>> = match &node.results {
            Results::None => vec![],
            Results::One(id) => vec![name(*id)],
            Results::Several(ids) => ids.iter().map(|id| id.and_then(name)).collect(),
        };
        let mut inputs: Vec<Json> = node.args.iter().map(|operand| self.operand_json(operand)).collect();
        inputs.extend(node.named.iter().map(|(name, operand)| {
            let mut input = self.operand_json(operand);
            input["name"] = json!(name);
            input
        }));
        json!({ "op": node.target.to_string(), "inputs": inputs, "outputs": outputs })
    }

    fn operand_json(&self, operand: &Operand) -> Json {
        match operand {
            Operand::Value(id) => json!({ "value": self.names.get(*id) }),
            Operand::Constant(value) => json!({ "constant": constant(value) }),
            Operand::List(items) => {
                json!({ "list": items.iter().map(|item| self.operand_json(item)).collect::<Vec<_>>() })
            }
            Operand::Block(block) => json!({ "block": block.json() }),
        }
    }
}

/// A constant; a number that JSON lacks is text, `inf`.
fn constant(value: &crate::Value<()>) -> Json {
    use crate::Value;
    match value {
        Value::None | Value::Tensor(()) => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Float(value) if value.is_finite() => json!(value),
        Value::Float(value) => json!(value.to_string()),
        Value::Str(text) => json!(text),
        Value::List(items) | Value::Tuple(items) => Json::Array(items.iter().map(constant).collect()),
        value => json!(value.short()),
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
        let graph = Graph { names, inputs: vec![0], nodes: vec![node], outputs: vec![Operand::Value(1)] };
        let expected = json!({
            "inputs": ["x"],
            "nodes": [{ "op": "add", "inputs": [{ "value": "x" }, { "constant": "inf", "name": "other" }], "outputs": ["y"] }],
            "outputs": [{ "value": "y" }],
        });
        assert_eq!(graph.json(), expected);
    }
}
