//! A segment: the recorded kernels since the last flush, with numbered values and without dead
//! nodes.

use crate::{recorder::RecordedKernel, shared::SharedValue, value::Value};
use rustc_hash::FxHashMap;

/// The origin of a value in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The value existed before the segment; its index among the external values.
    External(usize),
    /// A node of the segment computes the value.
    Node,
}

/// A value of the segment.
pub(crate) struct Local {
    pub value: Value,
    pub origin: Origin,
    /// Whether a holder outside of the segment keeps the value.
    pub escapes: bool,
}

/// One node with the ids of its values.
pub(crate) struct Numbered {
    pub base: Option<usize>,
    pub inputs: Vec<usize>,
    pub outputs: Vec<usize>,
}

/// A write of a segment to shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedWrite {
    /// The external value that represents the memory.
    pub memory: usize,
    /// The value that is written.
    pub value: usize,
    /// Whether nothing else holds the value, so that the memory can be its buffer.
    pub is_only: bool,
}

/// A segment of recorded kernels, without dead ones.
pub(crate) struct Segment {
    pub nodes: Vec<RecordedKernel>,
    pub numbered: Vec<Numbered>,
    pub locals: Vec<Local>,
    pub shared_writes: Vec<SharedWrite>,
}

impl Segment {
    /// Numbers the values of the live nodes. `wanted` values are live even if nothing else holds
    /// them, and so are values that are written to shared memory.
    pub fn new(nodes: Vec<RecordedKernel>, wanted: &[Value], written: &[SharedValue]) -> Segment {
        // A value that failed is not written.
        let pairs = written.iter().filter_map(|shared| Some((shared.memory().clone(), shared.written_value()?)));
        let shared_writes: Vec<(Value, Value)> = pairs.filter(|(_, value)| !value.has_failed()).collect();
        let nodes = eliminate_dead_nodes(nodes, wanted);
        let mut segment = Segment {
            numbered: Vec::with_capacity(nodes.len()),
            locals: Vec::new(),
            nodes: Vec::new(),
            shared_writes: Vec::with_capacity(shared_writes.len()),
        };
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut uses: Vec<usize> = Vec::new();
        let mut externals = 0;
        for node in &nodes {
            let mut number = |value: &Value, computed: bool, locals: &mut Vec<Local>| {
                let local = *numbers.entry(value.key()).or_insert_with(|| {
                    let origin = if computed { Origin::Node } else { Origin::External(externals) };
                    externals += usize::from(!computed);
                    locals.push(Local { value: value.clone(), origin, escapes: false });
                    uses.push(0);
                    locals.len() - 1
                });
                uses[local] += 1;
                local
            };
            let locals = &mut segment.locals;
            let inputs = node.inputs.iter().map(|value| number(value, false, locals)).collect();
            let base = node.base.as_ref().map(|value| number(value, false, locals));
            let outputs = node.outputs.iter().map(|value| number(value, true, locals)).collect();
            segment.numbered.push(Numbered { base, inputs, outputs });
        }
        for (memory, value) in &shared_writes {
            let mut number = |value: &Value| {
                *numbers.entry(value.key()).or_insert_with(|| {
                    // Nodes compute the others.
                    let origin = Origin::External(externals);
                    externals += 1;
                    segment.locals.push(Local { value: value.clone(), origin, escapes: true });
                    uses.push(0);
                    segment.locals.len() - 1
                })
            };
            let (memory, local) = (number(memory), number(value));
            // Held by the storage, by `shared_writes`, and by `locals`.
            let is_only =
                value.handles() == uses[local] + 3 && !wanted.iter().any(|wanted| wanted.key() == value.key());
            segment.shared_writes.push(SharedWrite { memory, value: local, is_only });
        }
        for (local, uses) in segment.locals.iter_mut().zip(uses) {
            // Handles beyond those in the nodes and in `locals` are held outside of the segment.
            let wanted_handles = wanted.iter().filter(|value| value.key() == local.value.key()).count();
            local.escapes = wanted_handles > 0 || local.value.handles() > uses + 1 || local.value.is_shared();
        }
        segment.nodes = nodes;
        segment
    }

    /// All numbers of the segment: the numbers of its kernels, and the sizes of its values.
    pub fn numbers(&self) -> Vec<i64> {
        let kernels = self.nodes.iter().flat_map(|node| node.kernel.numbers.iter().copied());
        kernels.chain(self.locals.iter().map(|local| local.value.elements() as i64)).collect()
    }

    /// The external values, in the order of their indices.
    pub fn externals(&self) -> impl Iterator<Item = &Local> {
        self.locals.iter().filter(|local| matches!(local.origin, Origin::External(_)))
    }
}

/// Keeps the nodes that a wanted or externally held value depends on.
pub(crate) fn eliminate_dead_nodes(nodes: Vec<RecordedKernel>, wanted: &[Value]) -> Vec<RecordedKernel> {
    let mut uses: FxHashMap<usize, usize> = FxHashMap::default();
    for value in nodes.iter().flat_map(|node| node.reads().chain(&node.outputs)) {
        *uses.entry(value.key()).or_default() += 1;
    }
    let is_wanted = |value: &Value| wanted.iter().any(|wanted| wanted.key() == value.key());
    let mut needed: rustc_hash::FxHashSet<usize> = Default::default();
    let mut live: Vec<bool> = Vec::with_capacity(nodes.len());
    for node in nodes.iter().rev() {
        let alive = node
            .outputs
            .iter()
            .any(|value| needed.contains(&value.key()) || is_wanted(value) || value.handles() > uses[&value.key()]);
        if alive {
            needed.extend(node.reads().map(Value::key));
        }
        live.push(alive);
    }
    nodes.into_iter().zip(live.into_iter().rev()).filter(|(_, alive)| *alive).map(|(node, _)| node).collect()
}
