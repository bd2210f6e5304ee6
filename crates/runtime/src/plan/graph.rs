//! A segment in numbers alone: what the passes rewrite before buffers are assigned.

use super::segment::{Origin, Segment};
use lanthorn_ir::{DType, Kernel};
use rustc_hash::FxHashSet;

/// One piece of node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub op: &'static str,
    pub kernel: Kernel,
    /// For a kernel that updates its output: the value that the output holds before.
    pub base: Option<usize>,
    pub inputs: Vec<usize>,
    pub outputs: Vec<usize>,
    /// Where each of its parameters stands among those of the segment.
    pub params: Vec<usize>,
}

impl Node {
    /// Everything that the node reads.
    pub fn reads(&self) -> impl Iterator<Item = usize> + '_ {
        self.inputs.iter().copied().chain(self.base)
    }

    /// Takes the node out, while others keep their ids.
    pub fn empty(&mut self) {
        self.inputs.clear();
        self.outputs.clear();
        self.base = None;
    }
}

/// What is known of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Info {
    pub dtype: DType,
    pub elements: usize,
    /// Its id among the external values, if it was there before.
    pub external: Option<usize>,
    /// Whether somebody outside the segment holds it.
    pub escapes: bool,
}

/// The node of a segment, in an order that it can be done in.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
    pub values: Vec<Info>,
    /// The values that each was recorded to be made from. Works that share a kernel do not thereby depend on one another: whom a failure concerns
    /// is what was recorded.
    pub sources: Vec<Vec<usize>>,
}

impl Graph {
    pub fn new(segment: &Segment) -> Graph {
        let mut params = 0;
        let nodes = segment.nodes.iter().zip(&segment.numbered).map(|(node, numbered)| {
            let first = params;
            params += node.params.len();
            Node {
                op: node.op,
                kernel: node.kernel.kernel.clone(),
                base: numbered.base,
                inputs: numbered.inputs.clone(),
                outputs: numbered.outputs.clone(),
                params: (first..params).collect(),
            }
        });
        let values = segment.locals.iter().map(|local| Info {
            dtype: local.value.dtype(),
            elements: local.value.elements(),
            external: match local.origin {
                Origin::External(id) => Some(id),
                Origin::Node => None,
            },
            escapes: local.escapes,
        });
        let (nodes, values): (Vec<Node>, Vec<Info>) = (nodes.collect(), values.collect());
        let mut sources = vec![Vec::new(); values.len()];
        for node in &nodes {
            node.outputs.iter().for_each(|&output| sources[output] = node.reads().collect());
        }
        Graph { nodes, values, sources }
    }

    /// All that a value was recorded to be made from, and itself.
    pub fn origins(&self, value: usize) -> FxHashSet<usize> {
        let mut found = FxHashSet::from_iter([value]);
        let mut rest = vec![value];
        while let Some(value) = rest.pop() {
            rest.extend(self.sources[value].iter().copied().filter(|&source| found.insert(source)));
        }
        found
    }

    /// For each value the nodes that read it, in order; a node that reads it twice stands there once.
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

    /// Puts `node` where the last of `members`, which it replaces, was; their ids are in order. What reads their results and stood before that moves behind it. Gives
    /// the id of the first node that has changed.
    ///
    /// No member may need what such a consumer makes.
    pub fn fuse_nodes(&mut self, members: &[usize], node: Node) -> usize {
        let (first, last) = (members[0], members[members.len() - 1]);
        let mut made: FxHashSet<usize> = members.iter().flat_map(|&id| self.nodes[id].outputs.iter().copied()).collect();
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

    /// Drops nodes of whose results none escapes or is read.
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
