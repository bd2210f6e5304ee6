//! Common subexpression elimination: equal kernels on equal values run once.
//!
//! Nodes with launch parameters are skipped: two parameters that are equal now may differ when the
//! plan is replayed.

use super::super::graph::{Graph, Node};
use crate::plan::traced::Kernel;

use rustc_hash::FxHashMap;

/// Redirects the consumers of a repeated result to the first one.
pub(super) fn eliminate(graph: &mut Graph) {
    let mut same: Vec<usize> = (0..graph.values.len()).collect();
    let mut first: FxHashMap<(Kernel, Vec<usize>), Vec<usize>> = FxHashMap::default();
    for node in &mut graph.nodes {
        let bases = node.bases.iter_mut().map(|(_, base)| base);
        node.inputs.iter_mut().chain(bases).for_each(|value| *value = same[*value]);
        if !can_be_shared(node) {
            continue;
        }
        let known = first.entry((node.kernel.clone(), node.inputs.clone())).or_insert_with(|| node.outputs.clone());
        for (&output, &known) in node.outputs.iter().zip(known.iter()) {
            // An escaping value keeps a separate buffer, because either of the two may be
            // overwritten later.
            if !graph.values[output].escapes {
                same[output] = known;
                graph.sources[output].push(known);
            }
        }
    }
    graph.eliminate_dead_nodes();
}

fn can_be_shared(node: &Node) -> bool {
    node.params.is_empty() && node.bases.is_empty() && !node.kernel.updates()
}
