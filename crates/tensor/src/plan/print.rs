//! Graphs as text, for people: a line a piece of work, with what it computes.
//!
//! ```text
//! %2: float32[2, 3] = add map (%0 float32[2, 3], %1 float32[2, 3]@[0, 1]+0)
//!     v0 = x0; v1 = x1; v2 = v0 + v1 -> v2
//! ```

use super::{Graph, graph::Work};
use std::fmt::{self, Display, Formatter};

impl Display for Graph {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.works.iter().try_for_each(|work| self.write_work(f, work))
    }
}

impl Graph {
    fn write_work(&self, f: &mut Formatter<'_>, work: &Work) -> fmt::Result {
        let shapes = work.kernel.shapes();
        let outputs = work.outputs.iter().zip(&shapes).map(|(&value, shape)| {
            let info = &self.values[value];
            format!("%{value}: {}{shape:?}{}", info.dtype, if info.escapes { " kept" } else { "" })
        });
        let operands = work.kernel.operands();
        let inputs = work.inputs.iter().enumerate().map(|(place, value)| match operands.get(place) {
            Some(operand) => format!("%{value} {operand}"),
            None => format!("%{value}"),
        });
        let base = work.base.map_or(String::new(), |base| format!(" onto %{base}"));
        let (outputs, inputs) = (list(outputs), list(inputs));
        writeln!(f, "{outputs} = {} {} ({inputs}){base}", work.op, work.kernel.kind())?;
        work.kernel.listing().into_iter().try_for_each(|line| writeln!(f, "    {line}"))
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}
