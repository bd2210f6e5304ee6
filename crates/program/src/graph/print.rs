//! Prints graphs as text, like PyTorch's `graph():`.

use super::{Graph, Node, Operand, Results, Target};
use std::fmt::{Display, Formatter, Result};

impl Display for Graph {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "graph({}):", self.list(self.inputs.iter().map(|&id| self.name(id))))?;
        self.body(f, 1)
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Target::Aten(name, _) => write!(f, "aten.{name}"),
            Target::Operator { set, name, .. } => write!(f, "{set}.{name}"),
            Target::Scalar(op) => f.write_str(op.name()),
            Target::HigherOrder(op) => f.write_str(op.name()),
        }
    }
}

impl Graph {
    fn name(&self, id: usize) -> String {
        self.names.get(id).map_or_else(|| "?".to_string(), |name| format!("%{name}"))
    }

    fn list(&self, items: impl Iterator<Item = String>) -> String {
        items.collect::<Vec<_>>().join(", ")
    }

    fn operand(&self, operand: &Operand, blocks: &mut usize) -> String {
        match operand {
            Operand::Value(id) => self.name(*id),
            Operand::Constant(value) => constant(value),
            Operand::List(items) => format!("[{}]", self.list(items.iter().map(|item| self.operand(item, blocks)))),
            Operand::Block(_) => {
                *blocks += 1;
                format!("block{}", *blocks - 1)
            }
        }
    }

    fn results(&self, results: &Results) -> String {
        match results {
            Results::None => String::new(),
            Results::One(id) => format!("{} = ", self.name(*id)),
            Results::Several(ids) => {
                let names = ids.iter().map(|id| id.map_or_else(|| "_".to_string(), |id| self.name(id)));
                format!("({}) = ", self.list(names))
            }
        }
    }

    fn node(&self, node: &Node) -> String {
        let mut blocks = 0;
        let mut args: Vec<String> = node.args.iter().map(|arg| self.operand(arg, &mut blocks)).collect();
        args.extend(node.named.iter().map(|(name, arg)| format!("{name}={}", self.operand(arg, &mut blocks))));
        format!("{}{}({})", self.results(&node.results), node.target, args.join(", "))
    }

    fn body(&self, f: &mut Formatter<'_>, depth: usize) -> Result {
        let indent = "  ".repeat(depth);
        for node in &self.nodes {
            writeln!(f, "{indent}{}", self.node(node))?;
            let blocks = node.operands().filter_map(|operand| match operand {
                Operand::Block(block) => Some(block),
                _ => None,
            });
            for (index, block) in blocks.enumerate() {
                let inputs = block.list(block.inputs.iter().map(|&id| block.name(id)));
                writeln!(f, "{indent}  block{index}({inputs}):")?;
                block.body(f, depth + 2)?;
            }
        }
        let outputs = self.list(self.outputs.iter().map(|output| self.operand(output, &mut 0)));
        writeln!(f, "{indent}return ({outputs})")
    }
}

fn constant(value: &crate::Value<()>) -> String {
    match value {
        crate::Value::Str(text) => format!("{text:?}"),
        crate::Value::Float(value) => format!("{value:?}"),
        crate::Value::List(items) | crate::Value::Tuple(items) => {
            format!("[{}]", items.iter().map(constant).collect::<Vec<_>>().join(", "))
        }
        value => value.short(),
    }
}
