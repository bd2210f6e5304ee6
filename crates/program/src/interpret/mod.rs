//! Runs graphs through a dispatcher.

mod higher_order;
mod planned;
mod scalars;
mod yielding;

pub(crate) use scalars::apply;
pub use yielding::{poll_past_yields, yield_now};

use crate::{
    Dispatch, Error, Outcome, Plans, Recorder, Result, Value,
    graph::{Graph, Node, Operand, Results, Target, ValueId},
    plan::{GraphPlan, StateInputs, Step},
};
use std::{
    cell::{Cell, OnceCell, RefCell},
    future::Future,
    pin::{Pin, pin},
    rc::Rc,
    task::{Context, Poll, Waker},
};

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
    /// `None` for a run that neither records nor replays.
    plans: Option<&'a Plans<D>>,
    /// The arguments of the call, whose sizes decide whether it is recorded.
    arguments: Vec<Value<D::Tensor>>,
    /// Whether parts are recorded in this run, once that is known.
    records: OnceCell<bool>,
    /// The program's state that a call only reads.
    constants: OnceCell<Vec<Value<D::Tensor>>>,
    /// The recording in progress.
    recording: RefCell<Option<Rc<dyn Recorder<D::Tensor>>>>,
}

/// A running block.
type Running<'s, T> = Pin<Box<dyn Future<Output = Result<Vec<Value<T>>>> + 's>>;

/// The values of a graph during a run.
type Values<T> = Vec<Option<Value<T>>>;

impl<'a, D: Dispatch> Interpreter<'a, D> {
    /// A run that replays the plans, if there are any, for a call with these arguments.
    pub fn new(dispatch: &'a D, limits: Limits, plans: Option<&'a Plans<D>>, arguments: Vec<Value<D::Tensor>>) -> Self {
        Interpreter {
            dispatch,
            limits,
            steps: Cell::new(0),
            plans: plans.filter(|_| dispatch.can_record()),
            arguments,
            records: OnceCell::new(),
            constants: OnceCell::new(),
            recording: RefCell::new(None),
        }
    }

    /// The tensors of the program's state that a call only reads.
    fn constants(&self) -> impl Iterator<Item = &D::Tensor> {
        self.constants.get().into_iter().flatten().filter_map(Value::as_tensor)
    }

    /// Counts steps, and yields at regular intervals. A recording cannot be interrupted.
    async fn step(&self) -> Result<()> {
        self.count_steps(1)?;
        if self.steps.get().is_multiple_of(STEPS_BETWEEN_YIELDS) && !self.is_recording() {
            yield_now().await;
        }
        Ok(())
    }

    fn count_steps(&self, steps: u64) -> Result<()> {
        self.steps.set(self.steps.get().saturating_add(steps));
        if self.steps.get() > self.limits.steps {
            return Err(Error::Limit(format!("the program ran more than {} operations", self.limits.steps)));
        }
        Ok(())
    }

    /// Waits for elements of the device. This ends a recording, because other code may run
    /// meanwhile, unless the elements are there at once.
    async fn wait<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        if self.is_recording() {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                return output;
            }
            self.stop_recording();
        }
        future.await
    }

    /// Runs a block. The future is boxed because blocks nest.
    fn block<'s>(&'s self, graph: &'s Graph, inputs: Vec<Value<D::Tensor>>, depth: usize) -> Running<'s, D::Tensor> {
        Box::pin(self.run(graph, inputs, None, depth))
    }

    /// Runs a graph on inputs. Frees each value after its last use. Results that are new values of
    /// inputs are assigned after the last node, and are not returned.
    pub async fn run(
        &self,
        graph: &Graph,
        inputs: Vec<Value<D::Tensor>>,
        state: Option<&StateInputs>,
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
        if let Some(state) = state {
            let is_read_only = |id: &&ValueId| !state.writes.iter().any(|(_, target)| target == *id);
            let read = state.inputs.iter().filter(is_read_only).filter_map(|&id| values[id].clone());
            self.constants.get_or_init(|| read.collect());
        }
        let none = StateInputs::default();
        let state = state.unwrap_or(&none);
        let plan = match self.plans {
            Some(plans) => plans.of(graph, state),
            None => Rc::new(GraphPlan::new(graph, state)),
        };
        let block = Block { graph, plan: &plan, depth };
        match self.plans {
            // A block of a node that is being recorded is part of the recording.
            Some(_) if !self.is_recording() => {
                for step in plan.steps(graph).iter() {
                    match step {
                        Step::Node(node) => self.advance(&block, *node, &mut values).await?,
                        Step::Part(part) => {
                            self.part(&block, part, &mut values).await?;
                            yield_now().await;
                        }
                    }
                }
            }
            _ => {
                for node in 0..plan.end(graph) {
                    self.advance(&block, node, &mut values).await?;
                }
            }
        }
        let outputs = graph.outputs.iter().enumerate();
        let is_written = |index: usize| state.writes.iter().any(|(written, _)| *written == index);
        outputs
            .map(|(index, output)| if is_written(index) { Ok(Value::None) } else { resolve(graph, output, &values) })
            .collect()
    }

    /// Interprets a node, and notes whether it waits for the device.
    async fn advance(&self, block: &Block<'_, D>, index: usize, values: &mut Values<D::Tensor>) -> Result<()> {
        let Some(node) = block.graph.nodes.get(index) else { return self.write(block, values) };
        self.step().await?;
        let (reads, is_recorded) = (self.reads(), self.is_recording());
        let result = self.node(block.graph, node, values, block.depth).await?;
        define(block.graph, node, result, values)?;
        if self.reads() != reads || is_recorded != self.is_recording() {
            block.plan.interpret(index, "it waits for elements of the device");
            self.stop_recording();
        }
        for &id in &block.plan.frees[index] {
            values[id] = None;
        }
        Ok(())
    }

    /// Assigns results to inputs.
    fn write(&self, block: &Block<'_, D>, values: &Values<D::Tensor>) -> Result<()> {
        for &(output, target) in &block.plan.writes {
            let source = resolve(block.graph, &block.graph.outputs[output], values)?;
            if let (Some(Value::Tensor(target)), Value::Tensor(source)) = (&values[target], &source) {
                assign(self.dispatch, target, source)?;
            }
        }
        Ok(())
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
                    Ok(Outcome::Ready(value)) => Ok(value),
                    Ok(Outcome::Pending(future)) => self.wait(future).await,
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

/// A run of a graph.
struct Block<'a, D: Dispatch> {
    graph: &'a Graph,
    plan: &'a GraphPlan<D>,
    depth: usize,
}

/// Copies the elements of a result into a tensor, without recording gradients.
///
/// # Errors
///
/// The errors of [`Dispatch::assign`].
pub(crate) fn assign<D: Dispatch>(dispatch: &D, target: &D::Tensor, source: &D::Tensor) -> Result<()> {
    let before = dispatch.is_grad_enabled();
    dispatch.set_grad_enabled(false);
    let assigned = dispatch.assign(target, &dispatch.detach(source));
    dispatch.set_grad_enabled(before);
    assigned
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
