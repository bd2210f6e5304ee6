//! Why a name is not defined before it is used.

use super::{graph::Scope, graphs, quoted};
use crate::proto::{GraphProto, NodeProto};
use rustc_hash::FxHashMap;

/// The most nodes of a cycle that a message names.
const MAX_NAMED: usize = 8;

/// What is wrong with a name that the current node of the last graph takes.
pub(super) fn undefined(scopes: &[Scope<'_>], name: &str) -> String {
    let name_quoted = quoted(name);
    let defines = |node: &NodeProto| node.output.iter().any(|output| output == name);
    let later = scopes.iter().rev().find_map(|scope| {
        let later = scope.nodes.iter().enumerate().skip(scope.current);
        later.into_iter().find(|(_, node)| defines(node)).map(|(index, _)| (scope, index))
    });
    let Some((scope, index)) = later else { return format!("nothing defines {name_quoted}") };
    let label = |index: usize| match scope.nodes[index].name() {
        "" => quoted(scope.nodes[index].op_type()),
        name => quoted(name),
    };
    match cycle(scope.nodes, scope.current, index) {
        Some(cycle) => {
            let shown: Vec<String> = cycle.iter().take(MAX_NAMED).map(|&index| label(index)).collect();
            let more = if cycle.len() > MAX_NAMED { ", …" } else { "" };
            format!("{name_quoted} is in a cycle of nodes: {}{more}", shown.join(", "))
        }
        None => format!("{name_quoted} is defined only later, by {}: nodes have to be in order", label(index)),
    }
}

/// The nodes from `start`, each taking a result of the next one, back to `start`; the second is `next`.
fn cycle(nodes: &[NodeProto], start: usize, next: usize) -> Option<Vec<usize>> {
    let mut producers = FxHashMap::default();
    for (index, node) in nodes.iter().enumerate() {
        producers.extend(node.output.iter().filter(|name| !name.is_empty()).map(|name| (name.as_str(), index)));
    }
    // The node that takes a result of each node that was reached.
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
        let mut taken = Vec::new();
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

/// The names that a node and the graphs in it take.
fn inputs<'a>(node: &'a NodeProto, names: &mut Vec<&'a str>) {
    names.extend(node.input.iter().map(String::as_str));
    for GraphProto { node, output, .. } in node.attribute.iter().flat_map(graphs) {
        names.extend(output.iter().map(|output| output.name()));
        node.iter().for_each(|node| inputs(node, names));
    }
}
