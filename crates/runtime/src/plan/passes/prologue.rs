//! Prologues: a map with only products as consumers is computed while they load it, and not stored.
//!
//! The pass runs after the passes that fuse a map into its producer, into a fused reduction or into
//! another map. The remaining maps are between a stored tensor and a product: the cast of a weight,
//! the mask of a dropout gradient, an image of bytes converted to floats. A product loads each
//! element of a factor several times and computes it as often. That must cost no more than a store
//! and a launch. A product that loads vectors must still load vectors.
//!
//! A product with a single row or column is bound by memory, and reads each element of its matrix
//! once. A map joins it if its operands are smaller in memory than its result, such as weights of 8
//! or 4 bits with their scales.
//!
//! Rejected: transcendental functions, and other maps in products with few rows or columns.

use super::{
    super::graph::{Graph, Node},
    MAX_INSTRUCTIONS,
    compose::compose_operands,
    fused_inputs::{checks_index, name},
    pointwise::{cost, finer},
};
use crate::plan::traced::{BoundedIndex, Kernel, Layout, Map, Operand, Prologue, Shape, Traced};
use lanthorn_ir::{
    backend::Capabilities,
    expr::{Expr, Instruction, Program},
};

/// Maximum number of simple instructions of a prologue.
const MAX_COST: usize = 7;

/// The cost of a load or a store of an element, in simple instructions.
const ACCESS: usize = 4;

/// The cost of a launch, in simple instructions.
const LAUNCH: usize = 1 << 15;

/// Minimum number of rows and columns of a product with a prologue. With fewer, each loaded element
/// is used in too few multiplications.
const MIN_EXTENT: usize = 8;

/// Minimum ratio of the size of a map's results to the size of its operands, for maps that unpack
/// their operands.
const MIN_PACKING: usize = 2;

/// Inlines maps into the products that read them.
pub(super) fn fuse(graph: &mut Graph, device: &Capabilities) {
    for id in (0..graph.nodes.len()).rev() {
        for (at, node) in inline_into_consumers(graph, id, device).unwrap_or_default() {
            graph.nodes[at] = node;
            graph.nodes[id].empty();
        }
    }
    graph.eliminate_dead_nodes();
}

/// The consumers of the map `id` with the map inlined, by id. `None` if one of them cannot inline
/// it, or if all together would compute too much.
fn inline_into_consumers(graph: &Graph, id: usize, device: &Capabilities) -> Option<Vec<(usize, Node)>> {
    let producer = &graph.nodes[id];
    let Kernel::Map(map) = &producer.kernel else { return None };
    let elements = map.shape.elements();
    let simple = map.inputs.iter().all(Operand::is_strided) && !map.program.uses_index() && !checks_index(&map.program);
    let held = producer.outputs.iter().any(|&output| graph.values[output].escapes);
    let each = cost(&map.program);
    let reads = |node: &Node| node.reads().any(|value| producer.outputs.contains(&value));
    let is_product = |node: &Node| matches!(node.kernel, Kernel::Contract(_)) && !node.reads_blocks_of(producer);
    let consumers = || graph.nodes.iter().enumerate().skip(id + 1).filter(|(_, node)| reads(node));
    if held || !simple || map.inputs.is_empty() || elements == 0 || !consumers().all(|(_, node)| is_product(node)) {
        return None;
    }
    let unpacks = unpacks(map);
    if each > MAX_COST && !unpacks {
        return None;
    }
    let mut nodes = Vec::new();
    // The product loads one operand in any case.
    let (others, mut computed) = (map.inputs.len() - 1, Traced::from(0));
    for (at, consumer) in consumers() {
        let Kernel::Contract(contract) = &consumer.kernel else { return None };
        let [_, m, n, _] = contract.extents();
        let few = |most: usize| m < Traced::from(most) || n < Traced::from(most);
        let allowed = match device.gemm_tile {
            0 => unpacks && few(2),
            _ => unpacks || !few(MIN_EXTENT),
        };
        if !allowed {
            return None;
        }
        for (value, (operand, beyond)) in consumer.inputs.iter().zip([(&contract.a, n), (&contract.b, m)]) {
            if producer.outputs.contains(value) {
                // Without the padded copy of a convolution's input, each element is loaded for
                // every kernel tap.
                let seen = if device.pads_conv_input && !operand.is_strided() { ACCESS } else { 0 };
                computed += operand.shape().elements()
                    * beyond.div_ceil(device.gemm_tile.max(1))
                    * Traced::from(seen + each + others * ACCESS);
            }
        }
        let node = with_prologues(consumer, producer, map)
            .or_else(|| with_prologues(&finer(consumer, producer)?, producer, map))?;
        if node.bindings() > device.max_bindings {
            return None;
        }
        nodes.push((at, node));
    }
    let stored =
        elements * Traced::from(each + (map.inputs.len() + 2 * producer.outputs.len()) * ACCESS) + Traced::from(LAUNCH);
    (computed <= stored).then_some(nodes)
}

/// Whether the operands of a map are much smaller in memory than its results.
fn unpacks(map: &Map) -> bool {
    let bytes = |operand: &Operand| {
        let sizes = operand.shape().iter().zip(operand.layout.strides());
        let distinct =
            sizes.filter(|(_, stride)| **stride != 0).fold(Traced::from(1), |count, (&size, _)| count * size);
        distinct * Traced::from(operand.encoding.size())
    };
    let read = map.inputs.iter().fold(Traced::from(0), |sum, operand| sum + bytes(operand));
    let written = map.dtypes.iter().map(|dtype| dtype.size()).sum::<usize>();
    read * Traced::from(MIN_PACKING) <= map.shape.elements() * Traced::from(written)
}

/// `consumer`, a product, with the map `producer` computed wherever it reads one of its results as
/// a factor.
fn with_prologues(consumer: &Node, producer: &Node, map: &Map) -> Option<Node> {
    let Kernel::Contract(contract) = &consumer.kernel else { return None };
    let mut contract = contract.clone();
    let ty = contract.ty();
    let first_param = contract.params.len();
    let own = |factor: usize| -> Vec<usize> {
        std::iter::once(factor).chain(contract.prologue_inputs(factor)).map(|input| consumer.inputs[input]).collect()
    };
    let (mut values, behind) = ([own(0), own(1)], consumer.inputs[contract.epilogue_start()..].to_vec());
    for (factor, values) in values.iter_mut().enumerate() {
        let Some(output) = producer.outputs.iter().position(|output| *output == values[0]) else { continue };
        let operand = if factor == 0 { &mut contract.a } else { &mut contract.b };
        let groups = [contract.batch.rank(), if factor == 0 { contract.m.rank() } else { contract.k.rank() }];
        let drawn = as_expression(operand, groups, map, producer, output, first_param)?;
        if contract.prologues[factor].is_some() || drawn.program.ty(drawn.program.outputs[0]) != ty {
            return None;
        }
        let mut operands = drawn.operands.into_iter();
        *operand = operands.next()?;
        *values = drawn.values;
        let same = matches!(drawn.program.instructions[..], [(Instruction::Input(0), _)]);
        contract.prologues[factor] =
            (!same).then(|| Box::new(Prologue { inputs: operands.collect(), program: drawn.program }));
    }
    let inputs: Vec<usize> = [values[0][0], values[1][0]]
        .into_iter()
        .chain(values.iter().flat_map(|all| all[1..].to_vec()))
        .chain(behind)
        .collect();
    // Another read of a result requires the map to be stored.
    if inputs.iter().any(|value| producer.outputs.contains(value)) {
        return None;
    }
    contract.params.extend(&map.params);
    let params = consumer.params.iter().chain(&producer.params).copied().collect();
    let op = name([producer, consumer].into_iter());
    Some(Node { op, kernel: Kernel::Contract(contract), inputs, params, ..consumer.clone() })
}

/// A factor as an expression.
struct Drawn {
    /// The operands, starting with the one that has the most elements.
    operands: Vec<Operand>,
    values: Vec<usize>,
    program: Program,
}

/// Result `output` of a map as an expression of its inputs, read through `operand`. `groups` are
/// the ranks of its first two groups of dimensions.
fn as_expression(
    operand: &Operand,
    groups: [usize; 2],
    map: &Map,
    producer: &Node,
    output: usize,
    first_param: usize,
) -> Option<Drawn> {
    let (shape, rank) = (operand.shape(), operand.shape().rank());
    // The coordinate of a bounded index steps along the map's result like a dimension.
    let sizes = shape.iter().copied().chain(operand.bounded.iter().map(|bound| bound.size));
    if rank + operand.bounded.len() > lanthorn_ir::Shape::MAX_RANK {
        return None;
    }
    let strides = operand.layout.strides().iter().copied().chain(operand.bounded.iter().map(|bound| bound.stride));
    let view = Layout::new(Shape::from_dims(sizes), strides, operand.layout.offset());
    let composed = compose_operands(&map.shape, &map.inputs.iter().collect::<Vec<_>>(), &view)?;
    let mut reads: Vec<(Operand, usize, usize)> = Vec::new();
    for (input, (read, &value)) in composed.into_iter().zip(&producer.inputs).enumerate() {
        let (own, along) = read.layout.strides().split_at(rank);
        let layout = Layout::new(shape.clone(), own.iter().copied(), read.layout.offset());
        let bounded =
            operand.bounded.iter().zip(along).map(|(bound, &stride)| BoundedIndex { stride, ..bound.clone() });
        let read = Operand { bounded: bounded.collect(), ..Operand::new(read.encoding, layout) };
        reads.push((read, value, input));
    }
    let still = |(read, ..): &(Operand, usize, usize)| {
        let bounded = read.bounded.iter().filter(|bound| bound.stride == 0).count();
        bounded + read.layout.strides().iter().filter(|&&stride| stride == 0).count()
    };
    reads.sort_by_key(still);
    let (first, others) = reads.split_first()?;
    // Storing unpacked elements takes longer than reading packed ones without vectors.
    let by_vectors =
        is_as_dense(&first.0, operand) && others.iter().all(|(read, ..)| has_same_vectors(read, &first.0, groups));
    if !by_vectors && !unpacks(map) {
        return None;
    }
    let mut slots = vec![Expr::index(); reads.len()];
    for (slot, (read, _, input)) in reads.iter().enumerate() {
        slots[*input] = Expr::input(slot, read.encoding.into());
    }
    let result = map.program.over(&slots, first_param, &Expr::index()).swap_remove(output);
    let program = Program::new(&[result]);
    let (operands, values) = reads.into_iter().map(|(read, value, _)| (read, value)).unzip();
    (program.instructions.len() <= MAX_INSTRUCTIONS).then_some(Drawn { operands, values, program })
}

/// Whether an operand consists of aligned vectors along some dimension, if the replaced operand
/// does.
fn is_as_dense(read: &Operand, instead_of: &Operand) -> bool {
    let has_vectors = |layout: &Layout| {
        let apart = layout.strides().iter().filter(|&&stride| stride != 1).all(|stride| stride.is_multiple_of(4));
        apart && layout.strides().iter().any(|&stride| stride == 1) && layout.offset().is_multiple_of(4)
    };
    !instead_of.is_strided() || !has_vectors(&instead_of.layout) || has_vectors(&read.layout)
}

/// Whether an operand can be read at the vector width of a factor's first operand. Where elements
/// of the first one are adjacent, elements of this operand must be adjacent too, or constant over
/// the group of dimensions. Where the first one is aligned, it must be aligned.
fn has_same_vectors(read: &Operand, first: &Operand, [batch, own]: [usize; 2]) -> bool {
    let (strides, before) = (read.layout.strides(), first.layout.strides());
    let group = |d: usize| match d {
        d if d < batch => 0..batch,
        d if d < batch + own => batch..batch + own,
        _ => batch + own..strides.len(),
    };
    let each = |d: usize| {
        let (now, before) = (strides[d], before[d]);
        if before == 1 && now == 1 {
            true
        } else if before == 1 && now == 0 {
            strides[group(d)].iter().all(|&stride| stride == 0)
        } else {
            now.is_multiple_of(4) || !before.is_multiple_of(4)
        }
    };
    let aligned = read.layout.offset().is_multiple_of(4) || !first.layout.offset().is_multiple_of(4);
    !first.is_strided() || aligned && (0..strides.len()).all(each)
}
