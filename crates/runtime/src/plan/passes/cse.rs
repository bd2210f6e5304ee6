//! Common subexpressions: node that is recorded twice on the same values is done once.
//!
//! Node with parameters is left alone: two numbers that are equal now may differ when the plan is replayed.

use super::super::graph::{Graph, Node};
use lanthorn_ir::Kernel;
use rustc_hash::FxHashMap;

/// Makes what reads a repeated result read the first one.
pub(super) fn eliminate(graph: &mut Graph) {
    let mut same: Vec<usize> = (0..graph.values.len()).collect();
    let mut first: FxHashMap<(Kernel, Vec<usize>), Vec<usize>> = FxHashMap::default();
    for node in &mut graph.nodes {
        node.inputs.iter_mut().chain(&mut node.base).for_each(|value| *value = same[*value]);
        if !can_be_shared(node) {
            continue;
        }
        let known = first.entry((node.kernel.clone(), node.inputs.clone())).or_insert_with(|| node.outputs.clone());
        for (&output, &known) in node.outputs.iter().zip(known.iter()) {
            // A value that somebody outside holds keeps a buffer of its own: each of the two may be overwritten later.
            if !graph.values[output].escapes {
                same[output] = known;
                graph.sources[output].push(known);
            }
        }
    }
    graph.eliminate_dead_nodes();
}

fn can_be_shared(node: &Node) -> bool {
    node.params.is_empty() && node.base.is_none() && !node.kernel.updates()
}
