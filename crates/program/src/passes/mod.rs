//! Passes over graphs: constant folding, common subexpressions, dead code.
//!
//! Operators may write to a value in place, also through a view. So the passes change calls only if
//! this is not observable: they keep operators that write, draw random numbers or assert, and merge
//! equal calls only in graphs without writes.

mod effects;

use crate::{
    Value,
    graph::{Graph, Node, Operand, Results, Target, ValueId},
    interpret::apply,
};
use effects::{has_effect, is_random, writes};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Runs all passes until nothing changes. Returns the number of removed nodes.
pub fn optimize(graph: &mut Graph) -> usize {
    let mut removed = 0;
    loop {
        let step = fold_constants(graph) + merge_common(graph) + remove_dead(graph);
        if step == 0 {
            return removed;
        }
        removed += step;
    }
}

/// Calls a function for each block of a graph that has no other owner, and returns the sum of its
/// results.
fn in_blocks(graph: &mut Graph, function: fn(&mut Graph) -> usize) -> usize {
    let operands = graph.nodes.iter_mut().flat_map(|node| {
        let Node { args, named, .. } = node;
        args.iter_mut().chain(named.iter_mut().map(|(_, operand)| operand))
    });
    let blocks = operands.filter_map(|operand| match operand {
        Operand::Block(block) => Rc::get_mut(block),
        _ => None,
    });
    blocks.map(function).sum()
}

/// Evaluates operators on constant numbers.
pub fn fold_constants(graph: &mut Graph) -> usize {
    let mut known: FxHashMap<ValueId, Operand> = FxHashMap::default();
    let mut removed = 0;
    let nodes = std::mem::take(&mut graph.nodes);
    for mut node in nodes {
        substitute(&mut node, &known);
        if let (Target::Scalar(op), Results::One(id)) = (&node.target, &node.results)
            && let Some(args) = node.operands().map(constant).collect::<Option<Vec<Value<()>>>>()
            && let Ok(value) = apply(*op, args)
        {
            known.insert(*id, Operand::Constant(value));
            removed += 1;
            continue;
        }
        graph.nodes.push(node);
    }
    graph.outputs.iter_mut().for_each(|output| replace(output, &known));
    removed + in_blocks(graph, fold_constants)
}

/// Returns the value of an operand that uses no values of the graph.
fn constant(operand: &Operand) -> Option<Value<()>> {
    match operand {
        Operand::Constant(value) => Some(value.clone()),
        Operand::List(items) => items.iter().map(constant).collect::<Option<_>>().map(Value::List),
        Operand::Value(_) | Operand::Block(_) => None,
    }
}

/// Merges equal calls into the first one.
pub fn merge_common(graph: &mut Graph) -> usize {
    let mut removed = in_blocks(graph, merge_common);
    if graph.nodes.iter().any(writes) {
        return removed;
    }
    let mut known: FxHashMap<ValueId, Operand> = FxHashMap::default();
    let mut calls: FxHashMap<String, usize> = FxHashMap::default();
    let nodes = std::mem::take(&mut graph.nodes);
    for mut node in nodes {
        substitute(&mut node, &known);
        let blocks = node.operands().any(|operand| matches!(operand, Operand::Block(_)));
        if !blocks && !has_effect(&node) && !is_random(&node) {
            let key = format!("{} {:?} {:?}", node.target, node.args, node.named);
            match calls.get(&key) {
                Some(&first) if merge(&graph.nodes[first].results, &node.results, &mut known) => {
                    removed += 1;
                    continue;
                }
                _ => calls.insert(key, graph.nodes.len()),
            };
        }
        graph.nodes.push(node);
    }
    graph.outputs.iter_mut().for_each(|output| replace(output, &known));
    removed
}

/// Replaces the values of `second` by the values of `first`.
fn merge(first: &Results, second: &Results, known: &mut FxHashMap<ValueId, Operand>) -> bool {
    match (first, second) {
        (Results::One(a), Results::One(b)) => {
            known.insert(*b, Operand::Value(*a));
            true
        }
        (Results::Several(a), Results::Several(b)) if a.len() == b.len() && !a.contains(&None) => {
            let pairs = a.iter().zip(b).filter_map(|(a, b)| Some(((*b)?, Operand::Value((*a)?))));
            known.extend(pairs);
            true
        }
        _ => false,
    }
}

/// Removes calls whose results are not used.
pub fn remove_dead(graph: &mut Graph) -> usize {
    let mut used = vec![false; graph.names.len()];
    graph.outputs.iter().for_each(|output| output.for_each_value(&mut |id| used[id] = true));
    let before = graph.nodes.len();
    let mut kept = Vec::with_capacity(before);
    for node in std::mem::take(&mut graph.nodes).into_iter().rev() {
        if has_effect(&node) || node.defined().into_iter().any(|id| used[id]) {
            node.operands().for_each(|operand| operand.for_each_value(&mut |id| used[id] = true));
            kept.push(node);
        }
    }
    kept.reverse();
    graph.nodes = kept;
    before - graph.nodes.len() + in_blocks(graph, remove_dead)
}

fn substitute(node: &mut Node, known: &FxHashMap<ValueId, Operand>) {
    node.args.iter_mut().for_each(|operand| replace(operand, known));
    node.named.iter_mut().for_each(|(_, operand)| replace(operand, known));
}

fn replace(operand: &mut Operand, known: &FxHashMap<ValueId, Operand>) {
    match operand {
        Operand::Value(id) => {
            if let Some(other) = known.get(id) {
                *operand = other.clone();
            }
        }
        Operand::List(items) => items.iter_mut().for_each(|item| replace(item, known)),
        Operand::Constant(_) | Operand::Block(_) => {}
    }
}
