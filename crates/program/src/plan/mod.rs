//! Plans: a program is interpreted once, and its straight parts are then replayed.
//!
//! A plan divides a graph into parts and single nodes. A part is a straight run of nodes. The
//! device records its operations once for each combination of sizes, types and values of the host,
//! by the mechanism of compiled functions, and replays them in later calls. Nodes that wait for
//! elements of the device are interpreted. Branches and the bodies of loops have their own plans,
//! unless their conditions are known on the host: these are part of the recording.
//!
//! Which nodes wait is noted while they are interpreted. So the first call with some sizes is
//! interpreted, the second one is recorded, and sizes that occur once cost nothing. Rejected: a
//! recording in the first call. Its plan is wasted for sizes that do not return, and a node that
//! waits ends it.

mod part;
mod report;
mod values;

pub(crate) use part::{Part, Results};
pub use report::{PartReport, PlanReport};
pub(crate) use values::{Arguments, combine, rebind, separate};

use crate::{
    Dispatch, Value,
    graph::{Graph, Operand, ValueId},
};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::{
    cell::RefCell,
    collections::VecDeque,
    hash::{Hash, Hasher},
    rc::Rc,
};

/// The most nodes of a part. A run with a signal can end between parts only.
const MAX_PART: usize = 1024;
/// The number of signatures of calls that are remembered.
const MAX_SIGNATURES: usize = 64;

/// The plans of a program's graphs for one dispatcher.
///
/// It belongs to one [`ExportedProgram`](crate::ExportedProgram), which must not change.
pub struct Plans<D: Dispatch> {
    /// By the address of the graph.
    graphs: RefCell<FxHashMap<usize, Rc<GraphPlan<D>>>>,
    /// The graphs in the order of their first run, with their names.
    order: RefCell<Vec<(String, Rc<GraphPlan<D>>)>>,
    /// The signatures of calls, the last one first.
    signatures: RefCell<VecDeque<u64>>,
}

impl<D: Dispatch> Default for Plans<D> {
    fn default() -> Self {
        Plans { graphs: RefCell::default(), order: RefCell::default(), signatures: RefCell::default() }
    }
}

/// An element of a plan.
pub(crate) enum Step<D: Dispatch> {
    /// A node that is interpreted.
    Node(usize),
    /// A part.
    Part(Rc<Part<D>>),
}

/// The inputs of a program's graph that are its state. Blocks have none.
#[derive(Default)]
pub(crate) struct StateInputs {
    /// The inputs.
    pub inputs: Vec<ValueId>,
    /// The inputs that a call writes after the last node, with the index of the result that is the
    /// new value.
    pub writes: Vec<Write>,
}

/// The index of a result, and the input whose new value it is.
pub(crate) type Write = (usize, ValueId);

/// The plan of a graph.
pub(crate) struct GraphPlan<D: Dispatch> {
    /// The values that are not used after each node.
    pub frees: Vec<Vec<ValueId>>,
    /// The inputs that a call writes after the last node.
    pub writes: Vec<Write>,
    /// The inputs that are state.
    state: FxHashSet<ValueId>,
    /// Why each node is interpreted, for those that are.
    reasons: RefCell<Vec<Option<&'static str>>>,
    steps: RefCell<Option<Rc<Vec<Step<D>>>>>,
}

impl<D: Dispatch> Plans<D> {
    /// Returns the plan of a graph.
    pub(crate) fn of(&self, graph: &Graph, state: &StateInputs) -> Rc<GraphPlan<D>> {
        let key = std::ptr::from_ref(graph) as usize;
        let mut graphs = self.graphs.borrow_mut();
        let plan = graphs.entry(key).or_insert_with(|| {
            let plan = Rc::new(GraphPlan::new(graph, state));
            let name = graph.nodes.first().and_then(|node| node.defined().first().copied());
            let name = name.and_then(|id| graph.names.get(id)).map_or("", String::as_str);
            self.order.borrow_mut().push((name.to_string(), plan.clone()));
            plan
        });
        plan.clone()
    }

    /// Whether a call with the same sizes, types and modes came before. Remembers the call.
    pub(crate) fn has_seen(&self, dispatch: &D, inputs: &[Value<D::Tensor>]) -> bool {
        let signature = signature(dispatch, inputs);
        let mut signatures = self.signatures.borrow_mut();
        let index = signatures.iter().position(|known| *known == signature);
        if let Some(index) = index {
            signatures.remove(index);
        }
        signatures.truncate(MAX_SIGNATURES - 1);
        signatures.push_front(signature);
        index.is_some()
    }

    /// Drops all plans and their recordings.
    pub fn clear(&self) {
        self.graphs.borrow_mut().clear();
        self.order.borrow_mut().clear();
        self.signatures.borrow_mut().clear();
    }

    /// Describes the plans of all graphs that have run.
    pub fn report(&self) -> PlanReport {
        let order = self.order.borrow();
        PlanReport { parts: order.iter().flat_map(|(name, plan)| plan.report(name)).collect() }
    }
}

/// Hashes the sizes, types and flags of the inputs, and the values of numbers and of tensors on the
/// host.
fn signature<D: Dispatch>(dispatch: &D, inputs: &[Value<D::Tensor>]) -> u64 {
    let mut arguments = Arguments::new();
    inputs.iter().for_each(|input| arguments.add(dispatch, input, false));
    let mut hasher = FxHasher::default();
    arguments.key.hash(&mut hasher);
    dispatch.is_grad_enabled().hash(&mut hasher);
    for tensor in &arguments.tensors {
        dispatch.shape(tensor).hash(&mut hasher);
        dispatch.dtype(tensor).name().hash(&mut hasher);
        dispatch.requires_grad(tensor).hash(&mut hasher);
    }
    hasher.finish()
}

impl<D: Dispatch> GraphPlan<D> {
    pub fn new(graph: &Graph, state: &StateInputs) -> Self {
        let mut frees = graph.last_uses();
        let is_written = |id: &ValueId| state.writes.iter().any(|(_, target)| target == id);
        frees.iter_mut().for_each(|free| free.retain(|id| !is_written(id)));
        GraphPlan {
            frees,
            writes: state.writes.clone(),
            state: state.inputs.iter().copied().collect(),
            reasons: RefCell::new(vec![None; graph.nodes.len()]),
            steps: RefCell::default(),
        }
    }

    /// The number of steps of an interpreted run: the nodes, and the writes to inputs.
    pub fn end(&self, graph: &Graph) -> usize {
        graph.nodes.len() + usize::from(!self.writes.is_empty())
    }

    /// Whether the tensors of a value on the host are the same in all calls.
    pub fn is_constant(&self, id: ValueId) -> bool {
        self.state.contains(&id)
    }

    /// Marks a node as one that is interpreted. The next run divides the graph again.
    pub fn interpret(&self, node: usize, reason: &'static str) {
        let marked = self.reasons.borrow_mut().get_mut(node).is_some_and(|known| known.replace(reason).is_none());
        if marked {
            self.steps.take();
        }
    }

    /// Returns the steps of a run.
    pub fn steps(&self, graph: &Graph) -> Rc<Vec<Step<D>>> {
        let mut steps = self.steps.borrow_mut();
        steps.get_or_insert_with(|| Rc::new(self.divide(graph))).clone()
    }

    /// Divides the nodes into parts. The node after the last one is the writes to inputs.
    fn divide(&self, graph: &Graph) -> Vec<Step<D>> {
        let end = self.end(graph);
        let reasons = self.reasons.borrow();
        let uses = Uses::of(graph, &self.writes);
        let mut steps = Vec::new();
        let mut start = 0;
        while start < end {
            if reasons.get(start).is_some_and(Option::is_some) {
                steps.push(Step::Node(start));
                start += 1;
                continue;
            }
            let limit = end.min(start + MAX_PART);
            let stop = (start..limit).find(|&node| reasons.get(node).is_some_and(Option::is_some)).unwrap_or(limit);
            steps.push(Step::Part(Rc::new(uses.part(graph, start..stop))));
            start = stop;
        }
        steps
    }
}

/// The first definition and the last use of the values of a graph, by the indices of nodes.
struct Uses {
    /// `None` for inputs.
    defined: Vec<Option<usize>>,
    last: Vec<Option<usize>>,
    writes: Vec<ValueId>,
}

impl Uses {
    fn of(graph: &Graph, writes: &[Write]) -> Uses {
        let mut uses = Uses {
            defined: vec![None; graph.names.len()],
            last: vec![None; graph.names.len()],
            writes: written_values(graph, writes),
        };
        for (index, node) in graph.nodes.iter().enumerate() {
            node.defined().into_iter().for_each(|id| uses.defined[id] = Some(index));
            node.operands().for_each(|operand| operand.for_each_value(&mut |id| uses.last[id] = Some(index)));
        }
        uses.writes.iter().for_each(|&id| uses.last[id] = Some(graph.nodes.len()));
        for (index, output) in graph.outputs.iter().enumerate() {
            if !writes.iter().any(|(written, _)| *written == index) {
                output.for_each_value(&mut |id| uses.last[id] = Some(usize::MAX));
            }
        }
        uses
    }

    fn part<D: Dispatch>(&self, graph: &Graph, nodes: std::ops::Range<usize>) -> Part<D> {
        let is_own = |id: ValueId| self.defined[id].is_some_and(|index| nodes.contains(&index));
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        let mut known = vec![false; graph.names.len()];
        let mut used = |id: ValueId| {
            if !is_own(id) && !std::mem::replace(&mut known[id], true) {
                inputs.push(id);
            }
        };
        for index in nodes.clone() {
            match graph.nodes.get(index) {
                Some(node) => node.operands().for_each(|operand| operand.for_each_value(&mut used)),
                None => self.writes.iter().copied().for_each(&mut used),
            }
        }
        for node in &graph.nodes[nodes.start..nodes.end.min(graph.nodes.len())] {
            let is_used_later = |id: &ValueId| self.last[*id].is_some_and(|last| last >= nodes.end);
            outputs.extend(node.defined().into_iter().filter(is_used_later));
        }
        Part::new(nodes, inputs, outputs)
    }
}

/// Returns the values that the writes to inputs use.
fn written_values(graph: &Graph, writes: &[Write]) -> Vec<ValueId> {
    let mut values = Vec::new();
    for (output, target) in writes {
        values.push(*target);
        if let Some(output) = graph.outputs.get(*output) {
            Operand::for_each_value(output, &mut |id| values.push(id));
        }
    }
    values
}
