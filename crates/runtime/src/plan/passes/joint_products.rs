//! Joint products: two products with a vector whose results are combined element by element become
//! one kernel, such as gate and up of a gated MLP.
//!
//! Both are sums over the same range for each output, so they are two reductions of a
//! [`FusedReduction`], whose rows are the outputs. One launch reads both matrices, and stores one
//! result instead of two.
//!
//! On devices such as processors, products with a vector are faster than reductions, so they stay
//! separate.

use super::{
    super::graph::{Graph, Node},
    MAX_INSTRUCTIONS,
    fused_inputs::{FusedInputs, name},
    fused_reduction::{MAX_ROW, along},
    horizontal::{is_for_library, is_with_vector},
};
use crate::plan::traced::{Contract, FusedReduction, Kernel, Layout, Operand, Shape, Traced};
use lanthorn_ir::{
    backend::Capabilities,
    expr::{Expr, Program},
    kernel::ReduceOp,
};

/// Joins products if the device computes them as reductions.
pub(super) fn fuse(graph: &mut Graph, device: &Capabilities) {
    if !device.joins_products {
        return;
    }
    let mut id = 0;
    while id < graph.nodes.len() {
        match joint(graph, id, device) {
            Some((second, node)) => {
                graph.fuse_nodes(&[id, second], node);
            }
            None => id += 1,
        }
    }
}

/// The product of a node, if it may be joined.
fn product<'a>(node: &'a Node, device: &Capabilities) -> Option<&'a Contract> {
    let Kernel::Contract(contract) = &node.kernel else { return None };
    let indexed = contract.epilogue.program.uses_index();
    (!indexed && is_with_vector(contract) && !is_for_library(contract, device)).then_some(contract)
}

/// The product `id` and the first node that reads its result, if that node is a product with the
/// result in its epilogue: the id of the second product, and both products as one node.
fn joint(graph: &Graph, id: usize, device: &Capabilities) -> Option<(usize, Node)> {
    let first = &graph.nodes[id];
    let [made] = first.outputs[..] else { return None };
    let before = product(first, device)?;
    let (at, second) =
        graph.nodes.iter().enumerate().skip(id + 1).find(|(_, node)| node.reads().any(|value| value == made))?;
    let after = product(second, device)?;
    let (factors, behind) = second.inputs.split_at(after.epilogue_start());
    // A longer sum is split into chunks. Rows are not.
    let long = after.k.elements() > Traced::from(MAX_ROW);
    if long || factors.contains(&made) || before.output() != after.output() || before.k != after.k {
        return None;
    }
    let shape = after.output();
    let space = Shape::from_dims(shape.iter().chain(after.k.iter()).copied());
    let mut fused = FusedInputs::default();
    let params = [fused.params(first), fused.params(second)];
    let sums = [(before, first), (after, second)].into_iter().zip(params).map(|((contract, node), first_param)| {
        let sum = contract.as_reduction();
        let slots: Vec<Expr> = sum
            .inputs
            .into_iter()
            .zip(&node.inputs)
            .map(|(operand, &value)| fused.operand(Operand { layout: over(&space, &operand), ..operand }, value))
            .collect();
        let value = sum.prologue.over(&slots, first_param, &Expr::index()).swap_remove(0);
        (ReduceOp::Sum, Program::new(&[value]))
    });
    let reductions: Vec<(ReduceOp, Program)> = sums.collect();
    // The operands of the epilogues, except the first result.
    let mut read = |operand: &Operand, value: usize| fused.operand(along(&space, operand.clone()), value);
    let own: Vec<Expr> = before
        .epilogue
        .inputs
        .iter()
        .zip(&first.inputs[before.epilogue_start()..])
        .map(|(operand, &value)| read(operand, value))
        .collect();
    let others: Vec<Option<Expr>> = after
        .epilogue
        .inputs
        .iter()
        .zip(behind)
        .map(|(operand, &value)| (value != made).then(|| read(operand, value)))
        .collect();
    let count = fused.operands.len();
    let sum = |j: usize| {
        let (_, program) = &reductions[j];
        Expr::input(count + j, program.ty(program.outputs[0]))
    };
    let slots: Vec<Expr> = std::iter::once(sum(0)).chain(own).collect();
    let result = before.epilogue.program.over(&slots, params[0], &Expr::index()).swap_remove(0);
    let ty = before.epilogue.program.ty(before.epilogue.program.outputs[0]);
    let mut slots = vec![sum(1)];
    for (operand, other) in after.epilogue.inputs.iter().zip(others) {
        let elementwise = || operand.covers(shape.elements()) && ty == operand.encoding.into();
        slots.push(match other {
            Some(other) => other,
            None => elementwise().then(|| result.clone())?,
        });
    }
    let mut results = after.epilogue.program.over(&slots, params[1], &Expr::index());
    let (mut outputs, mut row_dtypes) = (second.outputs.clone(), after.epilogue.dtypes.clone());
    let elsewhere = |(other, node): (usize, &Node)| other != at && node.reads().any(|value| value == made);
    if graph.values[made].escapes || graph.nodes.iter().enumerate().any(elsewhere) {
        results.push(result);
        outputs.push(made);
        row_dtypes.push(before.epilogue.dtypes[0]);
    }
    let rows = Program::new(&results);
    if count + outputs.len() > device.max_bindings || rows.instructions.len() > MAX_INSTRUCTIONS {
        return None;
    }
    let kernel = Kernel::FusedReduction(FusedReduction {
        outer: shape,
        inner: after.k.clone(),
        inputs: fused.operands,
        indices: vec![],
        params: fused.types,
        reductions,
        rows,
        row_dtypes,
        elements: Program::new(&[]),
        element_dtypes: vec![],
        target: Layout::contiguous(space),
    });
    let op = name([first, second].into_iter());
    Some((at, Node { op, kernel, bases: vec![], inputs: fused.values, outputs, params: fused.params }))
}

/// The layout of an operand over the same dimensions, in the numbers of `space`.
fn over(space: &Shape, operand: &Operand) -> Layout {
    Layout::new(space.clone(), operand.layout.strides().iter().copied(), operand.layout.offset())
}
