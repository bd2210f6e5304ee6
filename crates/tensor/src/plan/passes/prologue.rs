//! Prologues: a map that only products read is computed where they read it, and not stored.
//!
//! It comes behind the passes that make a map part of what is before it, of a row, or of other maps: what is left stands between something stored and a product, as the cast
//! of a weight, the mask of a dropout's gradient, an image of bytes made numbers. A product reads each element of a factor several times, so it also computes it so often;
//! that must not be more than what storing and launching cost. A product that reads vectors shall read vectors still.
//!
//! Rejected: formulas with transcendental functions, and products with a row or a column, which are bound by how fast they read.

use super::{
    super::graph::{Graph, Work},
    MAX_STEPS,
    compose::compose_operands,
    gathered::{checks_index, name},
    pointwise::{cost, finer},
};
use lanthorn_ir::{
    Kernel, Layout, Shape,
    backend::Capabilities,
    expr::{Expr, Instruction, Program},
    kernel::{BoundedIndex, Map, Operand, Prologue},
};

/// The most simple operations of a formula.
const MOST: usize = 7;

/// What storing or loading an element costs, in simple operations.
const ACCESS: usize = 4;

/// What a launch costs, in simple operations.
const LAUNCH: usize = 1 << 15;

/// The fewest rows and columns of a product that computes its factors: with fewer each element is read for a few multiplications.
const FEWEST: usize = 8;

/// Draws maps into the products that read them, for a device.
pub(super) fn fuse(graph: &mut Graph, device: &Capabilities) {
    if device.gemm_tile == 0 {
        return;
    }
    for place in (0..graph.works.len()).rev() {
        for (at, work) in drawn_in(graph, place, device).unwrap_or_default() {
            graph.works[at] = work;
            graph.works[place].empty();
        }
    }
    graph.drop_dead();
}

/// The works that read the map at `place` with the map drawn in, by their places; `None` where one cannot have it, or all together would compute too much.
fn drawn_in(graph: &Graph, place: usize, device: &Capabilities) -> Option<Vec<(usize, Work)>> {
    let maker = &graph.works[place];
    let Kernel::Map(map) = &maker.kernel else { return None };
    let elements = map.shape.elements();
    let simple = map.inputs.iter().all(Operand::is_strided) && !map.program.uses_index() && !checks_index(&map.program);
    let held = maker.outputs.iter().any(|&output| graph.values[output].escapes);
    let each = cost(&map.program);
    if held || !simple || map.inputs.is_empty() || elements == 0 || each > MOST {
        return None;
    }
    let mut works = Vec::new();
    // Beside the operand itself, which the product reads anyway.
    let (others, mut computed) = (map.inputs.len() - 1, 0);
    for (at, reader) in graph.works.iter().enumerate().skip(place + 1) {
        if !reader.reads().any(|value| maker.outputs.contains(&value)) {
            continue;
        }
        let Kernel::Contract(contract) = &reader.kernel else { return None };
        let [_, m, n, _] = contract.extents();
        if m.min(n) < FEWEST {
            return None;
        }
        for (value, (operand, beyond)) in reader.inputs.iter().zip([(&contract.a, n), (&contract.b, m)]) {
            if maker.outputs.contains(value) {
                // What was copied once as an image is loaded and packed as often as it is seen.
                let seen = if device.pads_conv_input && !operand.is_strided() { ACCESS } else { 0 };
                computed += operand.shape().elements() * beyond.div_ceil(device.gemm_tile) * (seen + each + others * ACCESS);
            }
        }
        let work = with_prologues(reader, maker, map).or_else(|| with_prologues(&finer(reader, maker)?, maker, map))?;
        if work.inputs.len() + work.outputs.len() > device.max_bindings {
            return None;
        }
        works.push((at, work));
    }
    let stored = elements * (each + (map.inputs.len() + 2 * maker.outputs.len()) * ACCESS) + LAUNCH;
    (computed <= stored).then_some(works)
}

/// `reader`, a product, with the map `maker` computed wherever it reads one of its results as a factor.
fn with_prologues(reader: &Work, maker: &Work, map: &Map) -> Option<Work> {
    let Kernel::Contract(contract) = &reader.kernel else { return None };
    let mut contract = contract.clone();
    let ty = contract.ty();
    let first_param = contract.params.len();
    let own = |factor: usize| -> Vec<usize> {
        std::iter::once(factor).chain(contract.prologue_inputs(factor)).map(|input| reader.inputs[input]).collect()
    };
    let (mut values, behind) = ([own(0), own(1)], reader.inputs[contract.epilogue_start()..].to_vec());
    for (factor, values) in values.iter_mut().enumerate() {
        let Some(output) = maker.outputs.iter().position(|output| *output == values[0]) else { continue };
        let operand = if factor == 0 { &mut contract.a } else { &mut contract.b };
        let groups = [contract.batch.rank(), if factor == 0 { contract.m.rank() } else { contract.k.rank() }];
        let drawn = drawn(operand, groups, map, maker, output, first_param)?;
        if contract.prologues[factor].is_some() || drawn.program.ty(drawn.program.outputs[0]) != ty {
            return None;
        }
        let mut operands = drawn.operands.into_iter();
        *operand = operands.next()?;
        *values = drawn.values;
        let same = matches!(drawn.program.instructions[..], [(Instruction::Input(0), _)]);
        contract.prologues[factor] = (!same).then(|| Box::new(Prologue { inputs: operands.collect(), program: drawn.program }));
    }
    let inputs: Vec<usize> =
        [values[0][0], values[1][0]].into_iter().chain(values.iter().flat_map(|all| all[1..].to_vec())).chain(behind).collect();
    // What else reads a result keeps it alive.
    if inputs.iter().any(|value| maker.outputs.contains(value)) {
        return None;
    }
    contract.params.extend(&map.params);
    let params = reader.params.iter().chain(&maker.params).copied().collect();
    let op = name([maker, reader].into_iter());
    Some(Work { op, kernel: Kernel::Contract(contract), inputs, params, ..reader.clone() })
}

/// A factor as a formula.
struct Drawn {
    /// What it reads; first what it has most elements of.
    operands: Vec<Operand>,
    values: Vec<usize>,
    program: Program,
}

/// Result `output` of a map as a formula of the map's inputs, read by the way of `operand`; its dimensions are those of two groups and the rest.
fn drawn(operand: &Operand, groups: [usize; 2], map: &Map, maker: &Work, output: usize, first_param: usize) -> Option<Drawn> {
    let (shape, rank) = (operand.shape(), operand.shape().rank());
    // A window's coordinate steps along the map's result as a dimension does.
    let sizes = shape.iter().copied().chain(operand.bounded.iter().map(|window| window.size));
    if rank + operand.bounded.len() > Shape::MAX_RANK {
        return None;
    }
    let strides = operand.layout.strides().iter().copied().chain(operand.bounded.iter().map(|window| window.stride));
    let view = Layout::new(Shape::from_dims(sizes), strides, operand.layout.offset());
    let composed = compose_operands(&map.shape, &map.inputs.iter().collect::<Vec<_>>(), &view)?;
    let mut reads: Vec<(Operand, usize, usize)> = Vec::new();
    for (input, (read, &value)) in composed.into_iter().zip(&maker.inputs).enumerate() {
        let (own, along) = read.layout.strides().split_at(rank);
        let layout = Layout::new(shape.clone(), own.iter().copied(), read.layout.offset());
        let windows = operand.bounded.iter().zip(along).map(|(window, &stride)| BoundedIndex { stride, ..window.clone() });
        let read = Operand { bounded: windows.collect(), ..Operand::new(read.dtype, layout) };
        reads.push((read, value, input));
    }
    let still = |(read, ..): &(Operand, usize, usize)| {
        let windows = read.bounded.iter().filter(|window| window.stride == 0).count();
        windows + read.layout.strides().iter().filter(|&&stride| stride == 0).count()
    };
    reads.sort_by_key(still);
    let (first, others) = reads.split_first()?;
    if !is_as_dense(&first.0, operand) || !others.iter().all(|(read, ..)| keeps_pace(read, &first.0, groups)) {
        return None;
    }
    let mut slots = vec![Expr::index(); reads.len()];
    for (slot, (read, _, input)) in reads.iter().enumerate() {
        slots[*input] = Expr::input(slot, read.dtype.into());
    }
    let result = map.program.over(&slots, first_param, &Expr::index()).swap_remove(output);
    let program = Program::new(&[result]);
    let (operands, values) = reads.into_iter().map(|(read, value, _)| (read, value)).unzip();
    (program.instructions.len() <= MAX_STEPS).then_some(Drawn { operands, values, program })
}

/// Whether an operand is aligned vectors along some dimension, if the one that it is read instead of is.
fn is_as_dense(read: &Operand, instead_of: &Operand) -> bool {
    let has_vectors = |layout: &Layout| {
        let apart = layout.strides().iter().filter(|&&stride| stride != 1).all(|stride| stride % 4 == 0);
        apart && layout.strides().contains(&1) && layout.offset().is_multiple_of(4)
    };
    !instead_of.is_strided() || !has_vectors(&instead_of.layout) || has_vectors(&read.layout)
}

/// Whether an operand can be read beside the one that a factor has most elements of as that one can be: where that one's neighbours are neighbours, so are its own, or
/// it is the same for all that a group of dimensions numbers; and it is aligned where the other one is.
fn keeps_pace(read: &Operand, first: &Operand, [batch, own]: [usize; 2]) -> bool {
    let (strides, before) = (read.layout.strides(), first.layout.strides());
    let group = |d: usize| match d {
        d if d < batch => 0..batch,
        d if d < batch + own => batch..batch + own,
        _ => batch + own..strides.len(),
    };
    let each = |d: usize| match (strides[d], before[d]) {
        (1, 1) => true,
        (0, 1) => strides[group(d)].iter().all(|&stride| stride == 0),
        (now, before) => now % 4 == 0 || before % 4 != 0,
    };
    let aligned = read.layout.offset().is_multiple_of(4) || !first.layout.offset().is_multiple_of(4);
    !first.is_strided() || aligned && (0..strides.len()).all(each)
}
