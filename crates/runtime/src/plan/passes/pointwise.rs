//! Pointwise fusion: a map that feeds a map or a reduction is computed inside it.
//!
//! Each node in order inlines its producers until none fits. A map is inlined in these cases:
//! - It has no inputs (a fill), or is a few simple instructions on one input. It is then always
//!   inlined, because computing it again is cheaper than storing it.
//! - It has no other consumer and does not escape, and the view of the consumer composes with the
//!   operands of the map.
//! - It escapes or has later consumers, and the consumer is a map over the same elements in the
//!   same order, which then stores both results.
//!
//! Launch parameters keep their indices in the segment, so that they stay data.
//!
//! Rejected: fusion while recording. The recorder does not know the later consumers of a value.

use super::{
    super::graph::{Graph, Node},
    MAX_INSTRUCTIONS,
    compose::{compose_operands, compose_reads},
    fused_inputs::{FusedInputs, name},
    split::{factors, split},
};
use crate::plan::traced::{AffineIndex, Contract, Kernel, Layout, Map, Operand, Reduce, Scan, Shape};
use lanthorn_ir::{
    DType,
    expr::{CostModel, Expr, Instruction, Program, Type},
    kernel::Horizontal,
};

/// Fuses where it pays. `max_bindings` is the maximum number of buffers of a kernel.
pub(super) fn fuse(graph: &mut Graph, max_bindings: usize) {
    let mut producers = vec![None; graph.values.len()];
    for (id, node) in graph.nodes.iter().enumerate() {
        node.outputs.iter().for_each(|&value| producers[value] = Some(id));
    }
    let consumers = graph.consumers();
    let mut fuser = Fuser { graph, producers, consumers, max_bindings };
    for id in 0..fuser.graph.nodes.len() {
        while fuser.inline_one(id) {}
    }
    graph.eliminate_dead_nodes();
}

/// A graph during fusion. Ids do not change. A node that is inlined everywhere is emptied.
struct Fuser<'a> {
    graph: &'a mut Graph,
    /// The producer of each value.
    producers: Vec<Option<usize>>,
    /// The consumers of each value, in order.
    consumers: Vec<Vec<usize>>,
    max_bindings: usize,
}

impl Fuser<'_> {
    /// Inlines one producer into node `id`, if any fits.
    fn inline_one(&mut self, id: usize) -> bool {
        if !matches!(
            self.graph.nodes[id].kernel,
            Kernel::Map(_) | Kernel::Maps(_) | Kernel::Reduce(_) | Kernel::Scan(_) | Kernel::Contract(_)
        ) {
            return false;
        }
        let candidates =
            self.graph.nodes[id].inputs.iter().filter_map(|&value| self.producers[value]).find_map(|from| {
                let node = self.fuse_into(id, from)?;
                Some((from, node))
            });
        let Some((from, node)) = candidates else { return false };
        // A merged map computes the results of both.
        self.graph.nodes[from].outputs.retain(|output| !node.outputs.contains(output));
        self.replace(id, node);
        self.retire(from);
        true
    }

    /// Node `id` with the map `from` inlined.
    fn fuse_into(&self, id: usize, from: usize) -> Option<Node> {
        let (consumer, producer) = (&self.graph.nodes[id], &self.graph.nodes[from]);
        let Kernel::Map(map) = &producer.kernel else { return None };
        if consumer.reads_blocks_of(producer) {
            return None;
        }
        let escapes = producer.outputs.iter().any(|&output| self.graph.values[output].escapes);
        let others = escapes
            || producer.outputs.iter().any(|&output| self.consumers[output].iter().any(|&consumer| consumer != id));
        let first = producer.outputs.iter().filter_map(|&output| self.consumers[output].first()).min();
        if map.inputs.is_empty() || !others || (!escapes && is_cheap(map)) {
            inline(consumer, producer, self.max_bindings)
        } else if first == Some(&id) {
            merge(consumer, producer, self.max_bindings)
        } else {
            None
        }
    }

    fn replace(&mut self, id: usize, node: Node) {
        let old = std::mem::replace(&mut self.graph.nodes[id], node);
        for value in old.reads() {
            self.consumers[value].retain(|&consumer| consumer != id);
        }
        let new = &self.graph.nodes[id];
        for value in new.reads() {
            if let Err(at) = self.consumers[value].binary_search(&id) {
                self.consumers[value].insert(at, id);
            }
        }
        new.outputs.iter().for_each(|&value| self.producers[value] = Some(id));
    }

    /// Empties a node without live results, and then its producers without other consumers.
    fn retire(&mut self, id: usize) {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let node = &mut self.graph.nodes[id];
            let needed = |&value: &usize| self.graph.values[value].escapes || !self.consumers[value].is_empty();
            if node.outputs.iter().any(needed) {
                continue;
            }
            node.outputs.clear();
            let reads: Vec<usize> = node.inputs.drain(..).chain(node.bases.drain(..).map(|(_, base)| base)).collect();
            for value in reads {
                self.consumers[value].retain(|&consumer| consumer != id);
                stack.extend(self.producers[value]);
            }
        }
    }
}

/// The parts of a kernel that reads operands through a pointwise program.
struct Reading<'a> {
    inputs: &'a [Operand],
    indices: &'a [AffineIndex],
    program: &'a Program,
    space: Shape,
}

fn reading(kernel: &Kernel) -> Option<Reading<'_>> {
    match kernel {
        Kernel::Map(map) => Some(Reading {
            inputs: &map.inputs,
            indices: &map.indices,
            program: &map.program,
            space: map.shape.clone(),
        }),
        Kernel::Maps(maps) => {
            let [part] = &maps.parts[..] else { return None };
            let map = part.map();
            Some(Reading {
                inputs: &map.inputs,
                indices: &map.indices,
                program: &map.program,
                space: map.shape.clone(),
            })
        }
        Kernel::Reduce(reduce) => {
            let space = Shape::from_dims(reduce.outer.iter().chain(reduce.inner.iter()).copied());
            Some(Reading { inputs: &reduce.inputs, indices: &reduce.indices, program: &reduce.prologue, space })
        }
        Kernel::Scan(scan) => Some(Reading {
            inputs: &scan.inputs,
            indices: &scan.indices,
            program: &scan.prologue,
            space: scan.shape.clone(),
        }),
        _ => None,
    }
}

/// Whether computing a map again is cheaper than storing it, because it reads no more than a
/// consumer of its result would.
fn is_cheap(map: &Map) -> bool {
    map.inputs.len() == 1 && map.inputs[0].is_strided() && cost(&map.program) <= 4
}

/// Whether a map returns its only operand, unchanged or converted to the type of computation.
fn is_load(map: &Map) -> bool {
    let is_exact = |dtype: DType| [dtype, dtype.computed()].contains(&map.dtypes[0]);
    matches!(map.program.instructions[..], [(Instruction::Input(0), _)])
        && map.program.outputs.len() == 1
        && is_exact(map.inputs[0].dtype())
}

/// The approximate number of simple instructions an element.
pub(super) fn cost(program: &Program) -> usize {
    CostModel::RECOMPUTE.of_program(program)
}

/// `consumer` with the map `producer` computed inside it wherever it reads one of its results.
fn inline(consumer: &Node, producer: &Node, max_bindings: usize) -> Option<Node> {
    let inlined = |consumer: &Node| match &consumer.kernel {
        Kernel::Contract(contract) => read_through(contract, consumer, producer),
        _ => inline_formula(consumer, producer, max_bindings),
    };
    inlined(consumer).or_else(|| inlined(&finer(consumer, producer)?))
}

/// `consumer` over an iteration space that is split so that its reads of the results of `producer`
/// do not carry from one dimension into the next.
pub(super) fn finer(consumer: &Node, producer: &Node) -> Option<Node> {
    let Kernel::Map(map) = &producer.kernel else { return None };
    let mut kernel = consumer.kernel.clone();
    let mut changed = false;
    for input in 0..consumer.inputs.len() {
        let operands = kernel.operands();
        let operand = operands.get(input)?;
        let factors = if producer.outputs.contains(&consumer.inputs[input]) {
            factors(&operand.layout, &map.shape)
        } else {
            None
        };
        if let Some(factors) = factors {
            kernel = split(&kernel, input, &factors)?;
            changed = true;
        }
    }
    changed.then(|| Node { kernel, ..consumer.clone() })
}

/// A product that reads the operand of a plain load instead of its stored result.
fn read_through(contract: &Contract, consumer: &Node, producer: &Node) -> Option<Node> {
    let Kernel::Map(map) = &producer.kernel else { return None };
    let source = map.inputs.first().filter(|source| is_load(map) && source.outside.to_f64() == 0.0)?;
    let mut inputs = consumer.inputs.clone();
    let mut through = |operand: &Operand, at: usize| {
        if !producer.outputs.contains(&consumer.inputs[at]) {
            return Some(operand.clone());
        }
        inputs[at] = producer.inputs[0];
        if operand.is_strided() { compose_operands(&map.shape, &[source], &operand.layout)?.pop() } else { None }
    };
    let (a, b) = (through(&contract.a, 0)?, through(&contract.b, 1)?);
    // If an epilogue reads the load, the load has to be stored.
    if inputs[2..].iter().any(|value| producer.outputs.contains(value)) {
        return None;
    }
    Some(Node { kernel: Kernel::Contract(Contract { a, b, ..contract.clone() }), inputs, ..consumer.clone() })
}

/// The results of a map as expressions over fused operands, where a consumer reads them through
/// `view`.
fn results(fused: &mut FusedInputs, producer: &Node, map: &Map, view: &Layout, params: usize) -> Option<Vec<Expr>> {
    let operands: Vec<&Operand> = map.inputs.iter().collect();
    let (composed, indices) = compose_reads(&map.shape, &operands, &map.indices, view)?;
    let inputs: Vec<Expr> =
        composed.into_iter().zip(&producer.inputs).map(|(operand, &value)| fused.operand(operand, value)).collect();
    let indices: Vec<Expr> = indices.into_iter().map(|index| fused.index(index)).collect();
    let index = if view.covers(map.shape.elements()) || !map.program.uses_linear_index() {
        Expr::index()
    } else {
        fused.index(AffineIndex::offset(view)).cast(Type::U32)
    };
    Some(map.program.over_indices(&inputs, params, &index, &indices))
}

fn inline_formula(consumer: &Node, producer: &Node, max_bindings: usize) -> Option<Node> {
    let (Kernel::Map(map), reading) = (&producer.kernel, reading(&consumer.kernel)?) else { return None };
    let mut fused = FusedInputs::default();
    let (producer_params, consumer_params) = (fused.params(producer), fused.params(consumer));
    let mut slots: Vec<Expr> = Vec::with_capacity(reading.inputs.len());
    for (operand, &read) in reading.inputs.iter().zip(&consumer.inputs) {
        let Some(output) = producer.outputs.iter().position(|&output| output == read) else {
            slots.push(fused.operand(operand.clone(), read));
            continue;
        };
        // A repeated read would repeat the computation. An out-of-bounds read must not compute.
        let repeated = reading.space.elements() > map.shape.elements();
        if !operand.is_strided() || (repeated && cost(&map.program) > 2 * map.inputs.len() + 4) {
            return None;
        }
        slots.push(results(&mut fused, producer, map, &operand.layout, producer_params)?.swap_remove(output));
    }
    let own: Vec<Expr> = reading.indices.iter().map(|index| fused.index(index.clone())).collect();
    let program = Program::new(&reading.program.over_indices(&slots, consumer_params, &Expr::index(), &own));
    let mut values = std::mem::take(&mut fused.values);
    let params = std::mem::take(&mut fused.params);
    let kernel = match &consumer.kernel {
        Kernel::Map(consumer) => Kernel::Map(fused_map(consumer, fused, program)),
        Kernel::Maps(maps) => {
            let part = maps.parts.first()?;
            Kernel::Maps(Horizontal::new(vec![part.with_map(fused_map(part.map(), fused, program))]))
        }
        Kernel::Reduce(reduce) => {
            let epilogue = &reduce.epilogue;
            let slots: Vec<Expr> = std::iter::once(Expr::input(0, reduce.result()))
                .chain(
                    epilogue.inputs.iter().zip(1..).map(|(operand, slot)| Expr::input(slot, operand.encoding.into())),
                )
                .collect();
            let formula = Program::new(&epilogue.program.over(&slots, consumer_params, &Expr::index()));
            values.extend(&consumer.inputs[reduce.inputs.len()..]);
            Kernel::Reduce(Reduce {
                inputs: fused.operands,
                indices: fused.indices,
                params: fused.types,
                prologue: program,
                epilogue: lanthorn_ir::kernel::Epilogue { program: formula, ..epilogue.clone() },
                ..reduce.clone()
            })
        }
        Kernel::Scan(scan) => {
            let (inputs, indices, params) = (fused.operands, fused.indices, fused.types);
            Kernel::Scan(Scan { inputs, indices, params, prologue: program, ..scan.clone() })
        }
        _ => return None,
    };
    fits(
        Node { op: name([producer, consumer].into_iter()), kernel, inputs: values, params, ..consumer.clone() },
        max_bindings,
    )
}

/// A map over the same shape that computes `program` from fused operands.
fn fused_map(map: &Map, fused: FusedInputs, program: Program) -> Map {
    let (inputs, indices, params) = (fused.operands, fused.indices, fused.types);
    Map { shape: map.shape.clone(), inputs, indices, params, program, dtypes: map.dtypes.clone() }
}

/// The node, unless it is too large for the device.
fn fits(node: Node, max_bindings: usize) -> Option<Node> {
    let steps = match &node.kernel {
        Kernel::Map(map) => map.program.instructions.len(),
        Kernel::Maps(maps) => maps.parts.iter().map(|part| part.map().program.instructions.len()).sum(),
        Kernel::Reduce(reduce) => reduce.prologue.instructions.len(),
        Kernel::Scan(scan) => scan.prologue.instructions.len(),
        _ => 0,
    };
    (node.bindings() <= max_bindings && steps <= MAX_INSTRUCTIONS).then_some(node)
}

/// One map with the results of both, for a consumer that reads the space of the producer element by
/// element.
fn merge(consumer: &Node, producer: &Node, max_bindings: usize) -> Option<Node> {
    let (Kernel::Map(second), Kernel::Map(first)) = (&consumer.kernel, &producer.kernel) else { return None };
    let elements = first.shape.elements();
    if second.shape.elements() != elements {
        return None;
    }
    let mut fused = FusedInputs::default();
    let (first_params, second_params) = (fused.params(producer), fused.params(consumer));
    // The operands of the first map over the iteration space of the second.
    let made = results(&mut fused, producer, first, &Layout::contiguous(second.shape.clone()), first_params)?;
    let mut slots: Vec<Expr> = Vec::with_capacity(second.inputs.len());
    for (operand, read) in second.inputs.iter().zip(&consumer.inputs) {
        slots.push(match producer.outputs.iter().position(|output| output == read) {
            Some(output) if operand.covers(elements) => made[output].clone(),
            Some(_) => return None,
            None => fused.operand(operand.clone(), *read),
        });
    }
    let mut all = made;
    let own: Vec<Expr> = second.indices.iter().map(|index| fused.index(index.clone())).collect();
    all.extend(second.program.over_indices(&slots, second_params, &Expr::index(), &own));
    let kernel = Kernel::Map(Map {
        shape: second.shape.clone(),
        inputs: fused.operands,
        indices: fused.indices,
        params: fused.types,
        program: Program::new(&all),
        dtypes: first.dtypes.iter().chain(&second.dtypes).copied().collect(),
    });
    let outputs = producer.outputs.iter().chain(&consumer.outputs).copied().collect();
    fits(
        Node {
            op: name([producer, consumer].into_iter()),
            kernel,
            bases: vec![],
            inputs: fused.values,
            outputs,
            params: fused.params,
        },
        max_bindings,
    )
}
