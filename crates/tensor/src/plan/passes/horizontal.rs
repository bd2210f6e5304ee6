//! Horizontal fusion: small maps that do not need one another share a launch, as the steps of an optimizer over its parameters do.

use super::{
    super::graph::{Graph, Work},
    MAX_STEPS,
    gathered::checks_index,
};
use lanthorn_ir::{
    Kernel,
    kernel::{Map, Maps},
};
use rustc_hash::FxHashSet;

/// The most elements of a map that joins others: a larger one fills a device by itself.
const MOST_ELEMENTS: usize = 1 << 20;

/// The most maps of a launch: a device may bind thousands of buffers, but each map brings code, and numbers of which a launch has room for some.
const MOST_PARTS: usize = 16;

/// Puts small maps together.
pub(super) fn fuse(graph: &mut Graph, max_bindings: usize) {
    let mut place = 0;
    while place < graph.works.len() {
        let members = companions(graph, place, max_bindings);
        if members.len() > 1 {
            let work = together(members.iter().map(|&place| &graph.works[place]));
            graph.unite(&members, work);
        } else {
            place += 1;
        }
    }
}

fn small_map(work: &Work) -> Option<&Map> {
    match &work.kernel {
        // One that may fail fails alone.
        Kernel::Map(map) if (1..=MOST_ELEMENTS).contains(&map.shape.elements()) && !checks_index(&map.program) => Some(map),
        _ => None,
    }
}

/// The work at `place` and those after it that can run at once with it.
fn companions(graph: &Graph, place: usize, max_bindings: usize) -> Vec<usize> {
    let bindings = |work: &Work| work.inputs.len() + work.outputs.len();
    let first = &graph.works[place];
    let Some(map) = small_map(first) else { return vec![] };
    let (mut members, mut bound, mut steps) = (vec![place], bindings(first), map.program.instructions.len());
    let (mut read, mut replaceable) = (reads(first), replaceable_by(graph, first));
    let mut tainted: FxHashSet<usize> = first.outputs.iter().copied().collect();
    for (at, work) in graph.works.iter().enumerate().skip(place + 1) {
        let independent = !work.reads().any(|value| tainted.contains(&value));
        let apart = || read.is_disjoint(&replaceable_by(graph, work)) && replaceable.is_disjoint(&reads(work));
        let map = small_map(work).filter(|map| {
            let fits = bound + bindings(work) <= max_bindings && steps + map.program.instructions.len() <= MAX_STEPS;
            independent && fits && members.len() < MOST_PARTS && apart()
        });
        if let Some(map) = map {
            bound += bindings(work);
            steps += map.program.instructions.len();
            read.extend(reads(work));
            replaceable.extend(replaceable_by(graph, work));
            members.push(at);
        }
        if !independent || members.last() == Some(&at) {
            tainted.extend(&work.outputs);
        }
    }
    members
}

fn reads(work: &Work) -> FxHashSet<usize> {
    work.reads().collect()
}

/// The operands that a result may take the place of. Another part that read them would keep them where they are.
fn replaceable_by(graph: &Graph, work: &Work) -> FxHashSet<usize> {
    let outputs = 0..work.outputs.len();
    let inputs = work.inputs.iter().enumerate().filter(|(input, value)| {
        !graph.values[**value].escapes && outputs.clone().any(|output| work.kernel.can_replace(*input, output))
    });
    inputs.map(|(_, &value)| value).collect()
}

/// One launch of several maps.
fn together<'a>(works: impl Iterator<Item = &'a Work> + Clone) -> Work {
    let parts = works.clone().filter_map(small_map).cloned().collect();
    let all = |list: fn(&Work) -> &[usize]| works.clone().flat_map(|work| list(work).iter().copied()).collect();
    Work {
        op: works.clone().next().map_or("", |work| work.op),
        kernel: Kernel::Maps(Maps::new(parts)),
        base: None,
        inputs: all(|work| &work.inputs),
        outputs: all(|work| &work.outputs),
        params: all(|work| &work.params),
    }
}
