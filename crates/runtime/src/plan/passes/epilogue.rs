//! Epilogues: a map that follows a reduction or a product element by element is computed before the
//! result is stored.
//!
//! A bias, an activation, a residual, the mask of a backward pass and an optimizer step then cost
//! no launch. If the result has other consumers, or the map has several results, all of them are
//! stored.

use super::{
    super::graph::{Graph, Node},
    MAX_INSTRUCTIONS,
    compose::compose_operands,
    fused_inputs::name,
};
use crate::plan::traced::{Contract, Epilogue, Kernel, Layout, Map, Operand, Reduce, Shape};
use lanthorn_ir::expr::{Expr, Program, Type};

/// Turns maps that follow reductions and products into their epilogues.
pub(super) fn fuse(graph: &mut Graph, max_bindings: usize) {
    for id in 0..graph.nodes.len() {
        let mut at = id;
        while let Some(fused) = follow(graph, at, max_bindings) {
            let Fused { node, from, to } = fused;
            graph.nodes[at].empty();
            graph.nodes[from].empty();
            graph.nodes[to] = node;
            at = to;
        }
    }
    graph.eliminate_dead_nodes();
}

/// A node with an epilogue.
struct Fused {
    node: Node,
    /// The id of the map.
    from: usize,
    /// The id of the new node: the node's own, or the map's.
    to: usize,
}

/// The node `id` with one of its consumers as epilogue.
fn follow(graph: &Graph, id: usize, max_bindings: usize) -> Option<Fused> {
    let node = &graph.nodes[id];
    if !matches!(node.kernel, Kernel::Reduce(_) | Kernel::Contract(_)) || node.outputs.is_empty() {
        return None;
    }
    let reads = |consumer: &Node| consumer.reads().any(|value| node.outputs.contains(&value));
    let consumers: Vec<usize> = (id + 1..graph.nodes.len()).filter(|&at| reads(&graph.nodes[at])).collect();
    consumers.iter().find_map(|&from| {
        let to = destination(graph, id, from, &consumers)?;
        let needed = |value: usize| {
            let read = |&at: &usize| at != from && graph.nodes[at].reads().any(|read| read == value);
            graph.values[value].escapes || consumers.iter().any(read)
        };
        let next = &graph.nodes[from];
        if next.reads_blocks_of(node) {
            return None;
        }
        let fused = with_epilogue(node, next, &needed, max_bindings).or_else(|| {
            let (node, next) = transpose_result(node, next, &needed)?;
            with_epilogue(&node, &next, &needed, max_bindings)
        });
        Some(Fused { node: fused?, from, to })
    })
}

/// The new id of node `id` once it includes the map `from`: its own id, if the other operands of
/// the map are computed before it; the map's id, if the node has no consumer before the map.
fn destination(graph: &Graph, id: usize, from: usize, consumers: &[usize]) -> Option<usize> {
    let between = &graph.nodes[id + 1..from];
    let others_made =
        !between.iter().any(|node| node.outputs.iter().any(|output| graph.nodes[from].inputs.contains(output)));
    if others_made {
        return Some(id);
    }
    (consumers.first() == Some(&from)).then_some(from)
}

/// The parts of a kernel that can have an epilogue.
struct Parts<'a> {
    epilogue: &'a Epilogue,
    /// The shape of the result, and its type.
    shape: Shape,
    result: Type,
    /// The number of inputs before the epilogue's inputs.
    before: usize,
}

fn parts(kernel: &Kernel) -> Option<Parts<'_>> {
    Some(match kernel {
        Kernel::Reduce(reduce) => Parts {
            epilogue: &reduce.epilogue,
            shape: reduce.outer.clone(),
            result: reduce.result(),
            before: reduce.inputs.len(),
        },
        Kernel::Contract(contract) => Parts {
            epilogue: &contract.epilogue,
            shape: contract.output(),
            result: contract.ty(),
            before: contract.epilogue_start(),
        },
        _ => return None,
    })
}

/// `node` followed by the map `next`. It also stores its own results that are `needed`.
fn with_epilogue(node: &Node, next: &Node, needed: &impl Fn(usize) -> bool, max_bindings: usize) -> Option<Node> {
    let Kernel::Map(map) = &next.kernel else { return None };
    let Parts { epilogue, shape, result, before } = parts(&node.kernel)?;
    let elements = shape.elements();
    if map.shape.elements() != elements || elements == 0 || map.program.uses_index() {
        return None;
    }
    let mut inputs = epilogue.inputs.clone();
    let mut values = node.inputs.clone();
    let own: Vec<Expr> = std::iter::once(Expr::input(0, result))
        .chain(inputs.iter().zip(1..).map(|(operand, slot)| Expr::input(slot, operand.encoding.into())))
        .collect();
    let made = epilogue.program.over(&own, 0, &Expr::index());
    let slots = follow_operands(map, next, node, &made, &shape, &mut inputs, &mut values, before)?;
    let first_param = node.params.len();
    let mut results = Vec::new();
    let (mut outputs, mut dtypes) = (Vec::new(), Vec::new());
    for ((&output, &dtype), expr) in
        node.outputs.iter().zip(&epilogue.dtypes).zip(&made).filter(|((output, _), _)| needed(**output))
    {
        results.push(expr.clone());
        outputs.push(output);
        dtypes.push(dtype);
    }
    results.extend(map.program.over(&slots, first_param, &Expr::index()));
    outputs.extend(&next.outputs);
    dtypes.extend(&map.dtypes);
    let program = Program::new(&results);
    if values.len() + outputs.len() > max_bindings || program.instructions.len() > MAX_INSTRUCTIONS {
        return None;
    }
    let epilogue = Epilogue { inputs, program, dtypes };
    let params: Vec<Type> = node.kernel.params().iter().chain(&map.params).copied().collect();
    let kernel = match &node.kernel {
        Kernel::Reduce(reduce) => Kernel::Reduce(Reduce { epilogue, params, ..reduce.clone() }),
        Kernel::Contract(contract) => Kernel::Contract(Contract { epilogue, params, ..contract.clone() }),
        _ => return None,
    };
    let params = node.params.iter().chain(&next.params).copied().collect();
    Some(Node { op: name([next, node].into_iter()), kernel, bases: vec![], inputs: values, outputs, params })
}

/// A product with a transposed result, and the map that reads the result in that order. The
/// gradient of a weight that was used transposed is then computed in the layout of the weight.
/// `None` if the result has other consumers.
fn transpose_result(node: &Node, next: &Node, needed: &impl Fn(usize) -> bool) -> Option<(Node, Node)> {
    let (Kernel::Contract(contract), Kernel::Map(map)) = (&node.kernel, &next.kernel) else { return None };
    // Prologues are created by a later pass.
    let plain = contract.prologues.iter().all(Option::is_none);
    if !plain || node.outputs.iter().any(|&output| needed(output)) || contract.epilogue.program.uses_index() {
        return None;
    }
    let [batch, m, n, k] = [&contract.batch, &contract.m, &contract.n, &contract.k].map(|shape| shape.rank());
    // The order of dimensions with two groups after the batch exchanged.
    let swap = |first: usize, second: usize| -> Vec<usize> {
        (0..batch).chain(batch + first..batch + first + second).chain(batch..batch + first).collect()
    };
    let (old, order) = (contract.output(), swap(m, n));
    let swapped = Contract {
        m: contract.n.clone(),
        n: contract.m.clone(),
        a: contract.b.permute(&swap(k, n)),
        b: contract.a.permute(&swap(m, k)),
        epilogue: Epilogue {
            inputs: contract.epilogue.inputs.iter().map(|input| input.permute(&order)).collect(),
            ..contract.epilogue.clone()
        },
        ..contract.clone()
    };
    // The layout of the transposed result, over the original order.
    let lies = Layout::contiguous(swapped.output()).permute(&swap(n, m));
    let inputs = map.inputs.iter().zip(&next.inputs).map(|(operand, value)| {
        if !node.outputs.contains(value) {
            return Some(operand.clone());
        }
        let made = Operand::new(operand.encoding, lies.clone());
        if operand.is_strided() { compose_operands(&old, &[&made], &operand.layout)?.pop() } else { None }
    });
    let map = Map { inputs: inputs.collect::<Option<_>>()?, ..map.clone() };
    let mut values = node.inputs.clone();
    values.swap(0, 1);
    Some((
        Node { kernel: Kernel::Contract(swapped), inputs: values, ..node.clone() },
        Node { kernel: Kernel::Map(map), ..next.clone() },
    ))
}

/// The inputs of the map as expressions: results of the node, and operands over its result, which
/// are added to `inputs` and `values`.
fn follow_operands(
    map: &Map,
    next: &Node,
    node: &Node,
    made: &[Expr],
    shape: &Shape,
    inputs: &mut Vec<Operand>,
    values: &mut Vec<usize>,
    before: usize,
) -> Option<Vec<Expr>> {
    let operands: Vec<&Operand> = map.inputs.iter().collect();
    let over_result = compose_operands(&map.shape, &operands, &Layout::contiguous(shape.clone()))?;
    let slot = |((own, operand), &value): ((&Operand, Operand), &usize)| {
        if let Some(output) = node.outputs.iter().position(|&output| output == value) {
            return own.covers(shape.elements()).then(|| made[output].clone());
        }
        let known = inputs.iter().zip(&values[before..]).position(|known| known == (&operand, &value));
        let slot = known.unwrap_or(inputs.len());
        let ty = operand.encoding.into();
        if known.is_none() {
            inputs.push(operand);
            values.push(value);
        }
        Some(Expr::input(slot + 1, ty))
    };
    map.inputs.iter().zip(over_result).zip(&next.inputs).map(slot).collect()
}
