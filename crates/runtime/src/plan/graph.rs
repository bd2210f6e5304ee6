//! The graph that the passes rewrite: a segment with ids instead of handles.

use super::segment::{Origin, Segment, SharedWrite};
use super::traced::{Kernel, Traced};
use lanthorn_ir::{
    DType,
    number::{Convert, Inputs},
};
use rustc_hash::FxHashSet;

/// One kernel of the graph with its values.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub op: &'static str,
    pub kernel: Kernel,
    /// For each output that the kernel updates: its index, and its initial value.
    pub bases: Vec<(usize, usize)>,
    pub inputs: Vec<usize>,
    pub outputs: Vec<usize>,
    /// The index of each launch parameter among the parameters of the segment.
    pub params: Vec<usize>,
}

impl Node {
    /// All values that the node reads.
    pub fn reads(&self) -> impl Iterator<Item = usize> + '_ {
        self.inputs.iter().copied().chain(self.bases.iter().map(|&(_, base)| base))
    }

    /// Whether the node reads a result of `producer` as blocks, whose bytes must be in memory.
    pub fn reads_blocks_of(&self, producer: &Node) -> bool {
        self.inputs.iter().any(|value| producer.outputs.contains(value))
            && self
                .kernel
                .operands()
                .iter()
                .zip(&self.inputs)
                .any(|(operand, value)| operand.encoding.is_blocks() && producer.outputs.contains(value))
    }

    /// The number of buffers that a launch binds. Each value counts once.
    pub fn bindings(&self) -> usize {
        let distinct: FxHashSet<usize> = self.inputs.iter().copied().collect();
        distinct.len() + self.outputs.len()
    }

    /// Empties the node, so that the ids of other nodes do not change.
    pub fn empty(&mut self) {
        self.inputs.clear();
        self.outputs.clear();
        self.bases.clear();
    }
}

/// The facts about a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Info {
    pub dtype: DType,
    pub elements: Traced,
    /// The index among the external values, if the value existed before the segment.
    pub external: Option<usize>,
    /// Whether a holder outside of the segment keeps the value.
    pub escapes: bool,
}

/// Makes the numbers of kernels inputs of a trace.
struct Read<'a>(&'a mut Inputs);

impl Convert<usize, Traced> for Read<'_> {
    fn number(&mut self, number: usize) -> Traced {
        self.0.add(number as i64)
    }

    fn to_signed(&mut self, number: isize) -> Traced {
        self.0.add(number as i64)
    }
}

/// The nodes of a segment in a valid order of execution.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
    pub values: Vec<Info>,
    /// For each value, the values from which it was recorded to be computed. Failures follow these
    /// edges, so fusing nodes does not make their results depend on one another.
    pub sources: Vec<Vec<usize>>,
    /// The shared memory that the segment writes, and its new values.
    pub shared_writes: Vec<SharedWrite>,
}

impl Graph {
    /// The graph of a segment. Its numbers are [`Segment::numbers`], as inputs of a trace.
    pub fn new(segment: &Segment, inputs: &mut Inputs) -> Graph {
        let mut params = 0;
        let nodes = segment.nodes.iter().zip(&segment.numbered).map(|(node, numbered)| {
            let first = params;
            params += node.params.len();
            Node {
                op: node.op,
                kernel: node.kernel.kernel.convert(&mut Read(inputs)),
                bases: numbered.base.map(|base| (0, base)).into_iter().collect(),
                inputs: numbered.inputs.clone(),
                outputs: numbered.outputs.clone(),
                params: (first..params).collect(),
            }
        });
        let nodes: Vec<Node> = nodes.collect();
        let values = segment.locals.iter().map(|local| Info {
            dtype: local.value.dtype(),
            elements: inputs.add(local.value.elements() as i64),
            external: match local.origin {
                Origin::External(id) => Some(id),
                Origin::Node => None,
            },
            escapes: local.escapes,
        });
        let values: Vec<Info> = values.collect();
        let mut sources = vec![Vec::new(); values.len()];
        for node in &nodes {
            node.outputs.iter().for_each(|&output| sources[output] = node.reads().collect());
        }
        Graph { nodes, values, sources, shared_writes: segment.shared_writes.clone() }
    }

    /// A value, and all values from which it was recorded to be computed.
    pub fn origins(&self, value: usize) -> FxHashSet<usize> {
        let mut found = FxHashSet::from_iter([value]);
        let mut rest = vec![value];
        while let Some(value) = rest.pop() {
            rest.extend(self.sources[value].iter().copied().filter(|&source| found.insert(source)));
        }
        found
    }

    /// The consumers of each value in order, without repetition.
    pub fn consumers(&self) -> Vec<Vec<usize>> {
        let mut consumers = vec![Vec::new(); self.values.len()];
        for (id, node) in self.nodes.iter().enumerate() {
            for value in node.reads() {
                let list: &mut Vec<usize> = &mut consumers[value];
                if list.last() != Some(&id) {
                    list.push(id);
                }
            }
        }
        consumers
    }

    /// Replaces `members`, whose ids are ascending, by one `node` at the position of the last
    /// member. Consumers of its results before that position move after it. Returns the id of the
    /// first changed node.
    ///
    /// No member may depend on such a consumer.
    pub fn fuse_nodes(&mut self, members: &[usize], node: Node) -> usize {
        let (first, last) = (members[0], members[members.len() - 1]);
        let mut made: FxHashSet<usize> =
            members.iter().flat_map(|&id| self.nodes[id].outputs.iter().copied()).collect();
        let between: Vec<Node> = self.nodes.drain(first..=last).collect();
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        for (node, _) in between.into_iter().zip(first..).filter(|(_, id)| !members.contains(id)) {
            if node.reads().any(|value| made.contains(&value)) {
                made.extend(&node.outputs);
                behind.push(node);
            } else {
                before.push(node);
            }
        }
        before.push(node);
        before.extend(behind);
        self.nodes.splice(first..first, before);
        first
    }

    /// Drops nodes without a live result.
    pub fn eliminate_dead_nodes(&mut self) {
        let mut needed: Vec<bool> = self.values.iter().map(|value| value.escapes).collect();
        let mut live: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in self.nodes.iter().rev() {
            let alive = node.outputs.iter().any(|&value| needed[value]);
            if alive {
                node.reads().for_each(|value| needed[value] = true);
            }
            live.push(alive);
        }
        let mut live = live.into_iter().rev();
        self.nodes.retain(|_| live.next().unwrap_or(true));
    }
}
