//! Graphs as text: each node with its operands on one line, followed by the programs of its kernel.
//!
//! ```text
//! %2: float32[2, 3] = add map (%0 float32[2, 3], %1 float32[2, 3]@[0, 1]+0)
//!     v0 = x0; v1 = x1; v2 = v0 + v1 -> v2
//! ```

use super::{Graph, graph::Node};
use std::fmt::{self, Display, Formatter};

impl Display for Graph {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.nodes.iter().try_for_each(|node| self.write_node(f, node))
    }
}

impl Graph {
    fn write_node(&self, f: &mut Formatter<'_>, node: &Node) -> fmt::Result {
        let shapes = node.kernel.shapes();
        let outputs = node.outputs.iter().zip(&shapes).map(|(&value, shape)| {
            let info = &self.values[value];
            format!("%{value}: {}{shape:?}{}", info.dtype, if info.escapes { " kept" } else { "" })
        });
        let operands = node.kernel.operands();
        let inputs = node.inputs.iter().enumerate().map(|(input, value)| match operands.get(input) {
            Some(operand) => format!("%{value} {operand}"),
            None => format!("%{value}"),
        });
        let base: String = node.bases.iter().map(|(_, base)| format!(" onto %{base}")).collect();
        let (outputs, inputs) = (list(outputs), list(inputs));
        writeln!(f, "{outputs} = {} {} ({inputs}){base}", node.op, node.kernel.kind())?;
        node.kernel.listing().into_iter().try_for_each(|line| writeln!(f, "    {line}"))
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}
