//! Exports writes to values that share memory.
//!
//! ONNX has values without memory. A write assigns a new value to its target. If the target is a
//! view, the exporter scatters the written part into the base, assigns that too, and computes all
//! other views again.

use super::{
    Exporter,
    aten::{Call, bind},
    frame::Frame,
    item::Item,
};
use lanthorn_program::{
    Error, Result, Value,
    graph::{Node, Operand, Results, Target, ValueId},
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The largest number of values that writes are compared with.
const MAX_COMPARED: usize = 20_000_000;

/// A value that shares the memory of another value.
pub struct View {
    id: ValueId,
    source: ValueId,
    /// The node that creates the view; `None` for another name of the same tensor.
    node: Option<usize>,
}

/// Operators that return their first argument with other sizes.
const RESHAPES: [&str; 10] =
    ["alias", "detach", "detach_", "view", "reshape", "flatten", "squeeze", "unsqueeze", "unflatten", "contiguous"];

/// Other operators whose results share the memory of their first argument.
const VIEWS: [&str; 21] = [
    "diagonal",
    "expand",
    "expand_as",
    "imag",
    "lift_fresh",
    "mT",
    "movedim",
    "narrow",
    "numpy_T",
    "permute",
    "real",
    "select",
    "slice",
    "split",
    "split_with_sizes",
    "chunk",
    "t",
    "to",
    "transpose",
    "unbind",
    "unfold",
];

/// Returns the value that an operand refers to.
pub fn value_of(operand: &Operand) -> Option<ValueId> {
    match operand {
        Operand::Value(id) => Some(*id),
        _ => None,
    }
}

/// Records the views among a node's results.
pub fn note(frame: &mut Frame<'_>, index: usize, node: &Node, base: &str) {
    let Some(source) = node.operands().next().and_then(value_of) else { return };
    if RESHAPES.contains(&base) || VIEWS.contains(&base) {
        frame.views.extend(node.defined().into_iter().map(|id| View { id, source, node: Some(index) }));
    }
}

/// Records that a node returns the tensor that it wrote.
pub fn note_same(frame: &mut Frame<'_>, node: &Node, source: ValueId) {
    frame.views.extend(node.defined().into_iter().map(|id| View { id, source, node: None }));
}

impl Exporter<'_> {
    /// Assigns new elements to a value.
    pub fn assign(&mut self, frame: &mut Frame<'_>, id: ValueId, value: Item) -> Result<()> {
        self.compared += frame.views.len();
        if self.compared > MAX_COMPARED {
            return Err(Error::Limit("too many writes to values with views".to_string()));
        }
        frame.values[id] = Some(frame.describe(id, Value::Tensor(value)));
        let mut changed = FxHashSet::from_iter([id]);
        let mut current = id;
        let owners: FxHashMap<ValueId, usize> =
            frame.views.iter().enumerate().map(|(at, view)| (view.id, at)).collect();
        while let Some(&view) = owners.get(&current) {
            let view = &frame.views[view];
            let (source, node) = (view.source, view.node);
            let value = match node {
                None => self.item(frame, current)?,
                Some(node) => self.put_back(frame, node, source, current)?,
            };
            frame.values[source] = Some(frame.describe(source, Value::Tensor(value)));
            changed.insert(source);
            current = source;
        }
        if !frame.owns_inputs && frame.graph.inputs.contains(&current) {
            return Err(Error::unsupported("a write to a value from around a block"));
        }
        // A view follows its base.
        for index in 0..frame.views.len() {
            let View { id, source, node } = frame.views[index];
            if !changed.contains(&source) || changed.contains(&id) {
                continue;
            }
            changed.insert(id);
            match node {
                None => frame.values[id] = frame.values[source].clone(),
                Some(node) => {
                    let node = &frame.graph.nodes[node];
                    let Target::Aten(name, target) = &node.target else { continue };
                    let call = bind(frame, node, name, *target)?;
                    let result = self.call(&call)?;
                    changed.extend(node.defined());
                    self.define(frame, node, result)?;
                }
            }
        }
        Ok(())
    }

    fn item(&self, frame: &Frame<'_>, id: ValueId) -> Result<Item> {
        match frame.values.get(id) {
            Some(Some(Value::Tensor(item))) => Ok(item.clone()),
            _ => Err(Error::malformed("a view of something else than a tensor")),
        }
    }

    /// Returns a value with the new elements of its view.
    fn put_back(&mut self, frame: &Frame<'_>, node: usize, source: ValueId, view: ValueId) -> Result<Item> {
        let (item, part) = (self.item(frame, source)?, self.item(frame, view)?);
        let node = &frame.graph.nodes[node];
        let Target::Aten(name, target) = &node.target else { return Err(Error::malformed("a view of no operator")) };
        let call: Call = bind(frame, node, name, *target)?;
        let base = call.base.as_str();
        if !matches!(node.results, Results::One(_)) {
            return Err(Error::unsupported(format!("a write to a part that {base} returns")));
        }
        if RESHAPES.contains(&base) {
            let shape = self.shape_of(&item)?;
            return Ok(self.op("Reshape", &[&part, &shape], &[]));
        }
        let dim = || item.dim(call.int("dim")?);
        match base {
            "lift_fresh" => Ok(part),
            "to" if item.dtype == part.dtype => Ok(part),
            // A copy of another type does not share memory.
            "to" => Ok(item),
            "slice" => self.with_slice(&item, &part, dim()?, &call),
            "select" => self.with_selected(&item, &part, dim()?, &call),
            "transpose" | "t" => {
                let mut perm: Vec<i64> = (0..item.rank()?).collect();
                let (a, b) = if base == "t" { (0, 1) } else { (call.int("dim0")?, call.int("dim1")?) };
                if perm.len() > 1 {
                    perm.swap(item.dim(a)? as usize, item.dim(b)? as usize);
                }
                Ok(self.transpose(&part, &perm))
            }
            "permute" => {
                let dims = call.ints("dims")?.into_iter().map(|dim| item.dim(dim)).collect::<Result<Vec<i64>>>()?;
                let mut perm = vec![0; item.rank()? as usize];
                dims.iter().enumerate().for_each(|(position, &dim)| perm[dim as usize] = position as i64);
                Ok(self.transpose(&part, &perm))
            }
            _ => Err(Error::unsupported(format!("a write to a view by {base}"))),
        }
    }
}
