//! Horizontal fusion: small independent maps share a launch, for example the steps of an optimizer
//! over its parameters.

use super::{
    super::graph::{Graph, Node},
    fused_inputs::checks_index,
};
use crate::plan::traced::{Kernel, Map, Maps, Traced};
use lanthorn_ir::expr::CostModel;
use rustc_hash::FxHashSet;

/// The size limit of a map that joins others: a larger one fills a device by itself.
const MAX_ELEMENTS: usize = 1 << 20;

/// The most maps of a launch. Each adds code and uniforms, of which a launch has a limited number.
const MAX_PARTS: usize = 16;

/// The most code of a launch, by [`CostModel::CODE_SIZE`]: a driver compiles it when it is first used. Launches of
/// the same few maps have one pipeline.
const MAX_CODE: usize = 256;

/// Fuses groups of small maps.
pub(super) fn fuse(graph: &mut Graph, max_bindings: usize) {
    let mut id = 0;
    while id < graph.nodes.len() {
        let members = companions(graph, id, max_bindings);
        if members.len() > 1 {
            let node = together(members.iter().map(|&id| &graph.nodes[id]));
            graph.fuse_nodes(&members, node);
        } else {
            id += 1;
        }
    }
}

fn is_small(elements: Traced) -> bool {
    elements != 0 && elements <= Traced::from(MAX_ELEMENTS)
}

fn small_map(node: &Node) -> Option<&Map> {
    match &node.kernel {
        // A map that can fail at run time stays alone.
        Kernel::Map(map) if is_small(map.shape.elements()) && !checks_index(&map.program) => Some(map),
        _ => None,
    }
}

/// The ids of node `id` and of later nodes that can share its launch.
fn companions(graph: &Graph, id: usize, max_bindings: usize) -> Vec<usize> {
    let bindings = |node: &Node| node.inputs.len() + node.outputs.len();
    let first = &graph.nodes[id];
    let Some(map) = small_map(first) else { return vec![] };
    let (mut members, mut bound, mut code) = (vec![id], bindings(first), code_of(map));
    let (mut read, mut replaceable) = (reads(first), replaceable_by(graph, first));
    let mut tainted: FxHashSet<usize> = first.outputs.iter().copied().collect();
    for (at, node) in graph.nodes.iter().enumerate().skip(id + 1) {
        let independent = !node.reads().any(|value| tainted.contains(&value));
        let apart = || read.is_disjoint(&replaceable_by(graph, node)) && replaceable.is_disjoint(&reads(node));
        let map = small_map(node).filter(|map| {
            let fits = bound + bindings(node) <= max_bindings && code + code_of(map) <= MAX_CODE;
            independent && fits && members.len() < MAX_PARTS && apart()
        });
        if let Some(map) = map {
            bound += bindings(node);
            code += code_of(map);
            read.extend(reads(node));
            replaceable.extend(replaceable_by(graph, node));
            members.push(at);
        }
        if !independent || members.last() == Some(&at) {
            tainted.extend(&node.outputs);
        }
    }
    members
}

fn code_of(map: &Map) -> usize {
    CostModel::CODE_SIZE.of_program(&map.program)
}

fn reads(node: &Node) -> FxHashSet<usize> {
    node.reads().collect()
}

/// The operands that a result may replace in place. Another part that reads them would prevent
/// that.
fn replaceable_by(graph: &Graph, node: &Node) -> FxHashSet<usize> {
    let outputs = 0..node.outputs.len();
    let inputs = node.inputs.iter().enumerate().filter(|(input, value)| {
        !graph.values[**value].escapes && outputs.clone().any(|output| node.kernel.can_replace(*input, output))
    });
    inputs.map(|(_, &value)| value).collect()
}

/// One launch of several maps.
fn together<'a>(nodes: impl Iterator<Item = &'a Node> + Clone) -> Node {
    let parts = nodes.clone().filter_map(small_map).cloned().collect();
    let all = |list: fn(&Node) -> &[usize]| nodes.clone().flat_map(|node| list(node).iter().copied()).collect();
    Node {
        op: nodes.clone().next().map_or("", |node| node.op),
        kernel: Kernel::Maps(Maps::new(parts)),
        base: None,
        inputs: all(|node| &node.inputs),
        outputs: all(|node| &node.outputs),
        params: all(|node| &node.params),
    }
}
