//! Orders nodes: each follows the nodes whose results it takes.
//!
//! ONNX requires this order of files. Some converters write other orders, which ONNX Runtime
//! accepts, so the reader sorts nodes before the check. Nodes of a cycle stay, and the check
//! reports them.

use super::{graph::Scope, graphs, quote};
use crate::proto::{AttributeProto, GraphProto, ModelProto, NodeProto};
use rustc_hash::{FxHashMap, FxHashSet};
use std::{cmp::Reverse, collections::BinaryHeap};

/// The largest number of nodes of a cycle that a message names.
const MAX_NAMED: usize = 8;

/// Sorts the nodes of all graphs and functions. The sort is stable: it moves a node only if one of
/// its inputs requires it.
pub(super) fn sort(model: &mut ModelProto) {
    if let Some(graph) = &mut model.graph {
        sort_nodes(&mut graph.node);
    }
    model.functions.iter_mut().for_each(|function| sort_nodes(&mut function.node));
}

fn sort_nodes(nodes: &mut Vec<NodeProto>) {
    for graph in nodes.iter_mut().flat_map(|node| &mut node.attribute).flat_map(graphs_mut) {
        sort_nodes(&mut graph.node);
    }
    if let Some(order) = order(nodes) {
        let mut unsorted: Vec<NodeProto> = std::mem::take(nodes);
        nodes.extend(order.into_iter().map(|index| std::mem::take(&mut unsorted[index])));
    }
}

fn graphs_mut(attribute: &mut AttributeProto) -> impl Iterator<Item = &mut GraphProto> {
    attribute.g.iter_mut().chain(&mut attribute.graphs)
}

/// Returns a permutation that sorts nodes, or `None` if they are sorted or have a cycle.
fn order(nodes: &[NodeProto]) -> Option<Vec<usize>> {
    let producers = producers(nodes);
    // For each node, its consumers and its number of producers.
    let mut consumers: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut waits = vec![0usize; nodes.len()];
    let mut is_sorted = true;
    for (index, node) in nodes.iter().enumerate() {
        let mut taken = FxHashSet::default();
        inputs(node, &mut taken);
        for producer in taken.into_iter().filter_map(|name| producers.get(name)).copied() {
            is_sorted &= producer < index;
            consumers[producer].push(index);
            waits[index] += 1;
        }
    }
    if is_sorted {
        return None;
    }
    let ready = (0..nodes.len()).filter(|&index| waits[index] == 0).map(Reverse);
    let mut ready: BinaryHeap<Reverse<usize>> = ready.collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(index)) = ready.pop() {
        order.push(index);
        for &consumer in &consumers[index] {
            waits[consumer] -= 1;
            if waits[consumer] == 0 {
                ready.push(Reverse(consumer));
            }
        }
    }
    (order.len() == nodes.len()).then_some(order)
}

/// Returns the node that defines each name. Of two definitions the first counts; the check rejects
/// the second.
fn producers(nodes: &[NodeProto]) -> FxHashMap<&str, usize> {
    let mut producers = FxHashMap::default();
    for (index, node) in nodes.iter().enumerate() {
        for name in node.output.iter().filter(|name| !name.is_empty()) {
            producers.entry(name.as_str()).or_insert(index);
        }
    }
    producers
}

/// Explains why the current node of the innermost graph cannot use a name.
pub(super) fn undefined(scopes: &[Scope<'_>], name: &str) -> String {
    let name_quoted = quote(name);
    let defines = |node: &NodeProto| node.output.iter().any(|output| output == name);
    let later = scopes.iter().rev().find_map(|scope| {
        let later = scope.nodes.iter().enumerate().skip(scope.current);
        later.into_iter().find(|(_, node)| defines(node)).map(|(index, _)| (scope, index))
    });
    let Some((scope, index)) = later else { return format!("nothing defines {name_quoted}") };
    let label = |index: usize| match scope.nodes[index].name() {
        "" => quote(scope.nodes[index].op_type()),
        name => quote(name),
    };
    match cycle(scope.nodes, scope.current, index) {
        Some(cycle) => {
            let shown: Vec<String> = cycle.iter().take(MAX_NAMED).map(|&index| label(index)).collect();
            let more = if cycle.len() > MAX_NAMED { ", …" } else { "" };
            format!("{name_quoted} is in a cycle of nodes: {}{more}", shown.join(", "))
        }
        None => format!("{name_quoted} is defined only later, by {}", label(index)),
    }
}

/// Returns a cycle through `start` whose second node is `next`. Each node takes a result of the one
/// after it.
fn cycle(nodes: &[NodeProto], start: usize, next: usize) -> Option<Vec<usize>> {
    let producers = producers(nodes);
    // For each reached node, the node that takes its result.
    let mut consumers: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut open = vec![next];
    if next != start {
        consumers[next] = Some(start);
    }
    while let Some(index) = open.pop() {
        if index == start {
            let mut cycle = Vec::new();
            let mut at = consumers[start];
            while let Some(index) = at.filter(|&index| index != start) {
                cycle.push(index);
                at = consumers[index];
            }
            cycle.push(start);
            cycle.reverse();
            return Some(cycle);
        }
        let mut taken = FxHashSet::default();
        inputs(&nodes[index], &mut taken);
        for producer in taken.iter().filter_map(|name| producers.get(name)).copied() {
            if consumers[producer].is_none() {
                consumers[producer] = Some(index);
                open.push(producer);
            }
        }
    }
    None
}

/// Collects the names that a node takes, and the outer names that its graphs take.
fn inputs<'a>(node: &'a NodeProto, names: &mut FxHashSet<&'a str>) {
    names.extend(node.input.iter().map(String::as_str).filter(|name| !name.is_empty()));
    for graph in node.attribute.iter().flat_map(graphs) {
        let mut taken: FxHashSet<&str> = graph.output.iter().map(|output| output.name()).collect();
        graph.node.iter().for_each(|node| inputs(node, &mut taken));
        let own = graph.node.iter().flat_map(|node| &node.output).map(String::as_str);
        let own = own.chain(graph.input.iter().map(|input| input.name()));
        let own = own.chain(graph.initializer.iter().map(|tensor| tensor.name()));
        let own: FxHashSet<&str> = own.chain(graph.sparse_initializer.iter().map(|sparse| sparse.name())).collect();
        names.extend(taken.difference(&own));
    }
}
