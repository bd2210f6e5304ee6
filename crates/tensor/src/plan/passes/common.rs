//! Common subexpressions: work that is recorded twice on the same values is done once.
//!
//! Work with parameters is left alone: two numbers that are equal now may differ when the plan is replayed.

use super::super::graph::{Graph, Work};
use lanthorn_ir::Kernel;
use rustc_hash::FxHashMap;

/// Makes what reads a repeated result read the first one.
pub(super) fn share(graph: &mut Graph) {
    let mut same: Vec<usize> = (0..graph.values.len()).collect();
    let mut first: FxHashMap<(Kernel, Vec<usize>), Vec<usize>> = FxHashMap::default();
    for work in &mut graph.works {
        work.inputs.iter_mut().chain(&mut work.base).for_each(|value| *value = same[*value]);
        if !can_be_shared(work) {
            continue;
        }
        let known = first.entry((work.kernel.clone(), work.inputs.clone())).or_insert_with(|| work.outputs.clone());
        for (&output, &known) in work.outputs.iter().zip(known.iter()) {
            // A value that somebody outside holds keeps a buffer of its own: each of the two may be overwritten later.
            if !graph.values[output].escapes {
                same[output] = known;
                graph.sources[output].push(known);
            }
        }
    }
    graph.drop_dead();
}

fn can_be_shared(work: &Work) -> bool {
    work.params.is_empty() && work.base.is_none() && !work.kernel.updates()
}
