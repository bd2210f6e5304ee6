//! Runs graphs through a dispatcher.

mod higher_order;
mod scalars;
mod yielding;

pub(crate) use scalars::apply;
pub use yielding::{poll_past_yields, yield_now};

use crate::{
    Dispatch, Error, Result, Value,
    graph::{Graph, Node, Operand, Results, Target, ValueId},
};
use std::{cell::Cell, future::Future, pin::Pin, rc::Rc};

/// A step may be an operation of several milliseconds.
const STEPS_BETWEEN_YIELDS: u64 = 8;

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most nodes to run. Nodes of blocks count at each run.
    pub steps: u64,
    /// The deepest nesting of blocks.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 100_000_000, depth: 32 }
    }
}

/// A run of a graph.
pub(crate) struct Interpreter<'a, D: Dispatch> {
    pub dispatch: &'a D,
    pub limits: Limits,
    steps: Cell<u64>,
}

/// A running block.
type Running<'s, T> = Pin<Box<dyn Future<Output = Result<Vec<Value<T>>>> + 's>>;

/// The values of a graph during a run.
type Values<T> = Vec<Option<Value<T>>>;

impl<'a, D: Dispatch> Interpreter<'a, D> {
    pub fn new(dispatch: &'a D, limits: Limits) -> Self {
        Interpreter { dispatch, limits, steps: Cell::new(0) }
    }

    /// Counts a step, and yields at regular intervals.
    async fn step(&self) -> Result<()> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > self.limits.steps {
            return Err(Error::Limit(format!("the program ran more than {} operations", self.limits.steps)));
        }
        if self.steps.get().is_multiple_of(STEPS_BETWEEN_YIELDS) {
            yield_now().await;
        }
        Ok(())
    }

    /// Runs a block. The future is boxed because blocks nest.
    fn block<'s>(&'s self, graph: &'s Graph, inputs: Vec<Value<D::Tensor>>, depth: usize) -> Running<'s, D::Tensor> {
        Box::pin(self.run(graph, inputs, depth))
    }

    /// Runs a graph on inputs. Frees each value after its last use.
    pub async fn run(
        &self,
        graph: &Graph,
        inputs: Vec<Value<D::Tensor>>,
        depth: usize,
    ) -> Result<Vec<Value<D::Tensor>>> {
        if depth > self.limits.depth {
            return Err(Error::Limit(format!("more than {} nested blocks", self.limits.depth)));
        }
        if inputs.len() != graph.inputs.len() {
            let message = format!("a graph takes {} values, {} were given", graph.inputs.len(), inputs.len());
            return Err(Error::Malformed(message));
        }
        let mut values: Values<D::Tensor> = vec![None; graph.names.len()];
        for (&id, input) in graph.inputs.iter().zip(inputs) {
            values[id] = Some(input);
        }
        let frees = graph.last_uses();
        for (node, free) in graph.nodes.iter().zip(&frees) {
            self.step().await?;
            let result = self.node(graph, node, &values, depth).await?;
            define(graph, node, result, &mut values)?;
            for &id in free {
                values[id] = None;
            }
        }
        graph.outputs.iter().map(|output| resolve(graph, output, &values)).collect()
    }

    async fn node(
        &self,
        graph: &Graph,
        node: &Node,
        values: &Values<D::Tensor>,
        depth: usize,
    ) -> Result<Value<D::Tensor>> {
        let get = |operand: &Operand| resolve(graph, operand, values);
        match &node.target {
            Target::Aten(..) | Target::Operator { .. } => {
                let args = node.args.iter().map(get).collect::<Result<Vec<_>>>()?;
                let named = node.named.iter().map(|(name, operand)| Ok((name.clone(), get(operand)?)));
                let called = match self.dispatch.operator(&node.target, args, named.collect::<Result<_>>()?) {
                    Ok(outcome) => outcome.value().await,
                    Err(error) => Err(error),
                };
                called.map_err(|error| at(graph, node, error))
            }
            Target::Scalar(op) => {
                let args = node.operands().map(get).collect::<Result<Vec<_>>>()?;
                scalars::apply(*op, args).map_err(|error| at(graph, node, error))
            }
            Target::HigherOrder(op) => {
                let mut call = higher_order::Call { args: Vec::new(), blocks: Vec::new() };
                for operand in node.operands() {
                    match operand {
                        Operand::Block(block) => call.blocks.push(Rc::clone(block)),
                        operand => call.args.push(get(operand)?),
                    }
                }
                self.higher_order(*op, call, depth).await
            }
        }
    }
}

/// Adds the value that the failed node defines to an error.
fn at(graph: &Graph, node: &Node, error: Error) -> Error {
    let name = node.defined().first().and_then(|&id| graph.names.get(id));
    match (error, name) {
        (Error::Operation { op, source }, Some(name)) => Error::Operation { op: format!("%{name} = {op}"), source },
        (Error::Argument { op, message }, Some(name)) => Error::Argument { op: format!("%{name} = {op}"), message },
        (error, _) => error,
    }
}

/// Returns the value of an operand.
fn resolve<T: Clone>(graph: &Graph, operand: &Operand, values: &Values<T>) -> Result<Value<T>> {
    Ok(match operand {
        Operand::Value(id) => {
            let undefined = || {
                let name = graph.names.get(*id).map_or("?", String::as_str);
                Error::malformed(format!("the value {name} is not defined"))
            };
            values.get(*id).and_then(Clone::clone).ok_or_else(undefined)?
        }
        Operand::Constant(value) => constant(value),
        Operand::List(items) => {
            Value::List(items.iter().map(|item| resolve(graph, item, values)).collect::<Result<_>>()?)
        }
        Operand::Block(_) => return Err(Error::malformed("a block where a value is expected")),
    })
}

/// Converts a constant to a value.
pub(crate) fn constant<T>(value: &Value<()>) -> Value<T> {
    match value {
        Value::Bool(value) => Value::Bool(*value),
        Value::Int(value) => Value::Int(*value),
        Value::Float(value) => Value::Float(*value),
        Value::Str(text) => Value::Str(text.clone()),
        Value::Bytes(bytes) => Value::Bytes(bytes.clone()),
        Value::List(items) => Value::List(items.iter().map(constant).collect()),
        Value::Tuple(items) => Value::Tuple(items.iter().map(constant).collect()),
        Value::Dict(entries) => {
            Value::Dict(entries.iter().map(|(key, value)| (constant(key), constant(value))).collect())
        }
        Value::None | Value::Tensor(()) => Value::None,
    }
}

/// Assigns a node's result to its values.
fn define<T>(graph: &Graph, node: &Node, result: Value<T>, values: &mut Values<T>) -> Result<()> {
    let mut set = |id: ValueId, value: Value<T>| values[id] = Some(value);
    match (&node.results, result) {
        (Results::None, _) => {}
        (Results::One(id), value) => set(*id, value),
        (Results::Several(ids), Value::List(items) | Value::Tuple(items)) if items.len() >= ids.len() => {
            for (id, item) in ids.iter().zip(items) {
                if let Some(id) = id {
                    set(*id, item);
                }
            }
        }
        // The file declares the single result of an operator as a list of one.
        (Results::Several(ids), value) if ids.len() == 1 => {
            if let Some(id) = ids[0] {
                set(id, value);
            }
        }
        (Results::Several(ids), value) => {
            let name = graph.names.get(node.defined().first().copied().unwrap_or(0)).map_or("?", String::as_str);
            let found = value.as_list().map_or(1, <[_]>::len);
            return Err(Error::malformed(format!("%{name}: {} results are named, {found} came", ids.len())));
        }
    }
    Ok(())
}
