//! Side effects of calls.

use crate::graph::{Graph, HigherOrder, Node, Operand, Target};

/// Operators that write to an argument although their names do not end with `_`, such as running
/// statistics.
const WRITES: [&str; 8] = [
    "batch_norm",
    "instance_norm",
    "native_batch_norm",
    "cudnn_batch_norm",
    "_native_batch_norm_legit",
    "_batch_norm_with_update",
    "_batch_norm_impl_index",
    "embedding_renorm",
];

fn base(node: &Node) -> Option<&str> {
    match &node.target {
        Target::Aten(name, _) | Target::Operator { name, .. } => name.split('.').next(),
        _ => None,
    }
}

fn any_in_blocks(node: &Node, test: fn(&Node) -> bool) -> bool {
    let of_block = |block: &Graph| block.nodes.iter().any(test);
    node.operands().any(|operand| matches!(operand, Operand::Block(block) if of_block(block)))
}

/// Whether a call may write to an argument.
pub(super) fn writes(node: &Node) -> bool {
    let by_name = |name: &str| {
        let in_place = (name.ends_with('_') && !name.ends_with("__")) || name.starts_with("__i");
        in_place || WRITES.contains(&name)
    };
    base(node).is_some_and(by_name) || any_in_blocks(node, writes)
}

/// Whether a call draws random numbers, so that equal calls have different results.
pub(super) fn is_random(node: &Node) -> bool {
    let by_operator = match &node.target {
        Target::Aten(_, target) => target.operators().iter().any(|operator| operator.is_random),
        Target::Operator { operator, .. } => operator.is_random,
        Target::Scalar(_) | Target::HigherOrder(_) => false,
    };
    by_operator || any_in_blocks(node, is_random)
}

/// Whether a call has a side effect: it writes, asserts, or may not terminate.
pub(super) fn has_effect(node: &Node) -> bool {
    let asserts = |name: &str| name.contains("assert") || name.starts_with("sym_constrain");
    let loops = matches!(node.target, Target::HigherOrder(HigherOrder::WhileLoop));
    // As in PyTorch, drawing random numbers advances the generator.
    loops || writes(node) || is_random(node) || base(node).is_some_and(asserts) || any_in_blocks(node, has_effect)
}
