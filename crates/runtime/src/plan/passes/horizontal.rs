//! Horizontal fusion: small independent kernels share a launch. They are maps, such as the steps of
//! an optimizer over its parameters, or products with a vector, such as the queries, keys and
//! values of one token.

use super::{
    super::graph::{Graph, Node},
    fused_inputs::checks_index,
};
use crate::plan::traced::{Contract, Kernel, Map, Operand, Pointwise, Traced};
use lanthorn_ir::{
    backend::Capabilities,
    expr::{CostModel, Program},
    kernel::{Horizontal, KernelKind},
};
use rustc_hash::FxHashSet;

/// Maximum number of elements of a map that joins others. A larger map fills a device.
const MAX_ELEMENTS: usize = 1 << 20;

/// Maximum number of kernels of a launch. Each adds code and uniforms, of which a launch has a
/// limited number.
const MAX_PARTS: usize = 16;

/// Maximum size of the code of a launch, by [`CostModel::CODE_SIZE`], because a driver compiles it
/// at its first use. Launches of the same few kernels have one pipeline.
const MAX_CODE: usize = 256;

/// Fuses groups of small kernels.
pub(super) fn fuse(graph: &mut Graph, device: &Capabilities) {
    let mut id = 0;
    while id < graph.nodes.len() {
        let members = companions(graph, id, device);
        if members.len() > 1 {
            let node = together(members.iter().map(|&id| &graph.nodes[id]));
            graph.fuse_nodes(&members, node);
        } else {
            id += 1;
        }
    }
}

/// The kernels of a node that may share a launch with others of the same kind.
#[derive(Clone, Copy)]
enum Small<'a> {
    Map(&'a Map),
    /// Indexed stores, or kernels that share a launch already.
    Maps(&'a [Pointwise]),
    Product(&'a Contract),
}

impl<'a> Small<'a> {
    fn of(node: &'a Node, device: &Capabilities) -> Option<Small<'a>> {
        // A map that can fail at run time does not share a launch.
        let joins = |map: &Map| is_small(map.shape.elements()) && !checks_index(&map.program);
        match &node.kernel {
            Kernel::Map(map) if joins(map) => Some(Small::Map(map)),
            Kernel::Maps(maps) if maps.parts.iter().all(|part| joins(part.map())) => Some(Small::Maps(&maps.parts)),
            Kernel::Contract(contract) if is_with_vector(contract) && !is_for_library(contract, device) => {
                Some(Small::Product(contract))
            }
            _ => None,
        }
    }

    fn is_like(self, other: Small) -> bool {
        matches!(self, Small::Product(_)) == matches!(other, Small::Product(_))
    }

    /// The number of kernels.
    fn count(self) -> usize {
        if let Small::Maps(parts) = self { parts.len() } else { 1 }
    }

    fn code(self) -> usize {
        let of = |program: &Program| CostModel::CODE_SIZE.of_program(program);
        match self {
            Small::Map(map) => of(&map.program),
            Small::Maps(parts) => parts.iter().map(|part| of(&part.map().program)).sum(),
            Small::Product(contract) => contract.programs().into_iter().map(of).sum(),
        }
    }
}

fn is_small(elements: Traced) -> bool {
    elements != 0 && elements <= Traced::from(MAX_ELEMENTS)
}

/// Whether one of the factors is a single row or column. Such a product is bound by memory, and
/// mostly too short to fill a device.
pub(super) fn is_with_vector(contract: &Contract) -> bool {
    let [batch, m, n, k] = contract.extents();
    let one = Traced::from(1);
    let stored = |factor: usize| contract.factor_operands(factor).into_iter().all(Operand::is_strided);
    batch * m * n != 0 && k != 0 && (batch * m == one || batch * n == one) && stored(0) && stored(1)
}

/// Whether a library of the device computes the product, which then does not share a launch.
pub(super) fn is_for_library(contract: &Contract, device: &Capabilities) -> bool {
    let blocks = [&contract.a, &contract.b].iter().any(|operand| operand.encoding.is_blocks());
    device.has_product_library && !blocks && contract.prologues.iter().all(Option::is_none)
}

/// The ids of node `id` and of later nodes that can share its launch.
fn companions(graph: &Graph, id: usize, device: &Capabilities) -> Vec<usize> {
    let first = &graph.nodes[id];
    let Some(small) = Small::of(first, device) else { return vec![] };
    let (mut members, mut count, mut code) = (vec![id], small.count(), small.code());
    let (mut read, mut replaceable) = (reads(first), replaceable_by(graph, first));
    let mut bound: FxHashSet<usize> = first.inputs.iter().chain(&first.outputs).copied().collect();
    let mut tainted: FxHashSet<usize> = first.outputs.iter().copied().collect();
    for (at, node) in graph.nodes.iter().enumerate().skip(id + 1) {
        let independent = !node.reads().any(|value| tainted.contains(&value));
        let apart = || read.is_disjoint(&replaceable_by(graph, node)) && replaceable.is_disjoint(&reads(node));
        let bindings = || {
            let own: FxHashSet<usize> = node.inputs.iter().chain(&node.outputs).copied().collect();
            bound.len() + own.difference(&bound).count()
        };
        let other = Small::of(node, device).filter(|other| {
            small.is_like(*other)
                && independent
                && count + other.count() <= MAX_PARTS
                && code + other.code() <= MAX_CODE
                && bindings() <= device.max_bindings
                && apart()
        });
        if let Some(other) = other {
            bound.extend(node.inputs.iter().chain(&node.outputs));
            count += other.count();
            code += other.code();
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

fn reads(node: &Node) -> FxHashSet<usize> {
    node.reads().collect()
}

/// The operands that a result may replace in place, and the bases. If another part read them, they
/// could not be replaced.
fn replaceable_by(graph: &Graph, node: &Node) -> FxHashSet<usize> {
    let outputs = 0..node.outputs.len();
    let inputs = node.inputs.iter().enumerate().filter(|(input, value)| {
        !graph.values[**value].escapes && outputs.clone().any(|output| node.kernel.can_replace(*input, output))
    });
    inputs.map(|(_, &value)| value).chain(node.bases.iter().map(|&(_, base)| base)).collect()
}

/// One launch of kernels of the same kind.
fn together<'a>(nodes: impl Iterator<Item = &'a Node> + Clone) -> Node {
    let maps = nodes.clone().flat_map(|node| match &node.kernel {
        Kernel::Map(map) => vec![Pointwise::Map(map.clone())],
        Kernel::Maps(maps) => maps.parts.clone(),
        _ => vec![],
    });
    let maps: Vec<Pointwise> = maps.collect();
    let product = |node: &Node| if let Kernel::Contract(product) = &node.kernel { Some(product.clone()) } else { None };
    let kernel = match maps[..] {
        [] => Kernel::Contracts(Horizontal::new(nodes.clone().filter_map(product).collect())),
        _ => Kernel::Maps(Horizontal::new(maps)),
    };
    let all = |list: fn(&Node) -> &[usize]| nodes.clone().flat_map(|node| list(node).iter().copied()).collect();
    let mut bases = Vec::new();
    let mut before = 0;
    for node in nodes.clone() {
        bases.extend(node.bases.iter().map(|&(output, base)| (before + output, base)));
        before += node.outputs.len();
    }
    Node {
        op: nodes.clone().next().map_or("", |node| node.op),
        kernel,
        bases,
        inputs: all(|node| &node.inputs),
        outputs: all(|node| &node.outputs),
        params: all(|node| &node.params),
    }
}
