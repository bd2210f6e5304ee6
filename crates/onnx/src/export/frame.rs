//! Writes a graph node by node.

use super::{
    Exporter,
    item::{Arg, Item},
    views::View,
};
use crate::check::MAX_DEPTH;
use lanthorn_program::{
    Error, Result, Value,
    graph::{Graph, MAX_NODES, Node, Operand, Results, ScalarOp, Target, ValueId},
};

/// A graph that is being written, and its values.
pub struct Frame<'g> {
    pub graph: &'g Graph,
    pub values: Vec<Option<Arg>>,
    /// Views, in the order of the nodes.
    pub views: Vec<View>,
    /// Whether no other graph can see writes to the inputs.
    pub owns_inputs: bool,
}

impl Frame<'_> {
    /// Returns the value of an operand.
    pub fn resolve(&self, operand: &Operand) -> Result<Arg> {
        Ok(match operand {
            Operand::Value(id) => {
                let undefined = || Error::malformed("a value that is not defined");
                self.values.get(*id).and_then(Clone::clone).ok_or_else(undefined)?
            }
            Operand::Constant(value) => constant(value),
            Operand::List(items) => Value::List(items.iter().map(|item| self.resolve(item)).collect::<Result<_>>()?),
            Operand::Block(_) => return Err(Error::malformed("a block where a value is expected")),
        })
    }

    /// Adds the type and sizes that the graph knows of a value.
    pub fn describe(&self, id: ValueId, value: Arg) -> Arg {
        match value {
            Value::Tensor(item) => Value::Tensor(item.with_meta(self.graph.meta(id))),
            value => value,
        }
    }
}

/// Converts a constant to an argument.
pub fn constant(value: &Value<()>) -> Arg {
    value.clone().try_map(&mut |_, ()| Ok::<Item, Error>(Item::none())).unwrap_or(Value::None)
}

impl Exporter<'_> {
    /// Writes the nodes of a graph, and returns its results.
    pub fn graph(&mut self, graph: &Graph, inputs: Vec<Arg>, owns_inputs: bool) -> Result<Vec<Arg>> {
        if self.depth > MAX_DEPTH {
            return Err(Error::Limit(format!("more than {MAX_DEPTH} nested blocks")));
        }
        self.depth += 1;
        self.nodes += graph.nodes.len();
        if self.nodes > MAX_NODES {
            return Err(Error::Limit(format!(
                "more than {MAX_NODES} nodes, counting the nodes of a block at each call"
            )));
        }
        let mut frame = Frame { graph, values: vec![None; graph.names.len()], views: Vec::new(), owns_inputs };
        for (&id, value) in graph.inputs.iter().zip(inputs) {
            // The sizes of an argument are more precise than the sizes of a block's input.
            let is_known = matches!(&value, Value::Tensor(item) if item.sizes.is_some());
            frame.values[id] = Some(if is_known { value } else { frame.describe(id, value) });
        }
        for (index, node) in graph.nodes.iter().enumerate() {
            let label = node.defined().first().and_then(|&id| graph.names.get(id)).cloned();
            self.label = label.unwrap_or_default();
            match self.node(&mut frame, index, node) {
                Err(Error::Unsupported(message)) => self.refuse_node(&mut frame, node, &message),
                outcome => outcome?,
            }
        }
        self.label.clear();
        self.depth -= 1;
        graph.outputs.iter().map(|output| frame.resolve(output)).collect()
    }

    /// Records why a node cannot be written, and defines its results so that export continues and
    /// finds the others.
    fn refuse_node(&mut self, frame: &mut Frame<'_>, node: &Node, message: &str) {
        let name = node.target.to_string();
        self.refused.insert(if message.is_empty() { name } else { format!("{name} ({message})") });
        for id in node.defined() {
            let unknown = frame.describe(id, Value::Tensor(Item::of("?".into(), None)));
            frame.values[id] = Some(unknown);
        }
    }

    fn node(&mut self, frame: &mut Frame<'_>, index: usize, node: &Node) -> Result<()> {
        let result = match &node.target {
            Target::Aten(name, target) => {
                let Some(result) = self.aten(frame, index, node, name, *target)? else { return Ok(()) };
                result
            }
            Target::Operator { name, operator, .. } => self.onnx(frame, node, name, operator)?,
            Target::Scalar(ScalarOp::GetItem) => {
                let args = node.args.iter().map(|arg| frame.resolve(arg)).collect::<Result<Vec<Arg>>>()?;
                element(&args)?
            }
            Target::Scalar(op) => {
                let args = node.args.iter().map(|arg| frame.resolve(arg)).collect::<Result<Vec<Arg>>>()?;
                self.scalar_op(*op, &args)?
            }
            Target::HigherOrder(op) => self.higher_order(frame, node, *op)?,
        };
        self.define(frame, node, result)
    }

    /// Assigns a node's result to its values.
    pub fn define(&mut self, frame: &mut Frame<'_>, node: &Node, result: Arg) -> Result<()> {
        let ids: Vec<Option<ValueId>> = match &node.results {
            Results::None => return Ok(()),
            Results::One(id) => {
                let value = self.cast_result(frame, *id, result);
                frame.values[*id] = Some(value);
                return Ok(());
            }
            Results::Several(ids) => ids.clone(),
        };
        let items = match result {
            Value::List(items) | Value::Tuple(items) => items,
            item => vec![item],
        };
        if items.len() < ids.len() {
            let message = format!("{} results of {} are named, {} came", ids.len(), node.target, items.len());
            return Err(Error::malformed(message));
        }
        for (id, item) in ids.into_iter().zip(items) {
            if let Some(id) = id {
                let value = self.cast_result(frame, id, item);
                frame.values[id] = Some(value);
            }
        }
        Ok(())
    }

    /// Casts a result to the element type that the graph declares.
    fn cast_result(&mut self, frame: &Frame<'_>, id: ValueId, value: Arg) -> Arg {
        let described = frame.describe(id, value.clone());
        match (&value, &described) {
            (Value::Tensor(found), Value::Tensor(wanted)) => match (found.dtype, wanted.dtype) {
                (Some(from), Some(to)) if from != to => {
                    let cast = self.cast(found, to);
                    frame.describe(id, Value::Tensor(cast))
                }
                _ => described,
            },
            _ => described,
        }
    }
}

/// Returns the element of a list at an index.
fn element(args: &[Arg]) -> Result<Arg> {
    let (Some(list), Some(index)) = (args.first().and_then(Value::as_list), args.get(1).and_then(Value::as_int)) else {
        return Err(Error::unsupported("an element of something else than a list"));
    };
    let index = if index < 0 { index + list.len() as i64 } else { index };
    let element = usize::try_from(index).ok().and_then(|index| list.get(index)).cloned();
    element.ok_or_else(|| Error::malformed(format!("no element {index} of {}", list.len())))
}
