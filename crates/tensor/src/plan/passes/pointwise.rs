//! Pointwise fusion: a map that feeds a map or a reduction is computed inside it.
//!
//! Works are taken in order; each draws in the maps that feed it, until none fits. A map is drawn in where
//!  - it has no inputs (a fill), or a few simple steps on one: always, for nothing is computed twice that costs anything;
//!  - nobody else reads it and it does not escape: wherever the reader's view of it is a strided walk of its own inputs;
//!  - it escapes, or others read it later: if the reader is a map that walks it element by element, which then writes both.
//!
//! Launch parameters are carried along by their places in the window, so that they stay data.
//!
//! Rejected: fusing while recording. The recorder does not know yet who else will read a value.

use super::{
    super::graph::{Graph, Work},
    MAX_STEPS,
    compose::compose_operands,
    gathered::{Gathered, name, place},
    split::{factors, split},
};
use lanthorn_ir::{
    DType, Kernel, Layout, Shape,
    expr::{CostModel, Expr, Instruction, Program},
    kernel::{Contract, Map, Operand, Reduce, Scan},
};

/// Fuses where it pays. `max_bindings` is how many buffers a kernel may have.
pub(super) fn fuse(graph: &mut Graph, max_bindings: usize) {
    let mut makers = vec![None; graph.values.len()];
    for (place, work) in graph.works.iter().enumerate() {
        work.outputs.iter().for_each(|&value| makers[value] = Some(place));
    }
    let readers = graph.readers();
    let mut fuser = Fuser { graph, makers, readers, max_bindings };
    for place in 0..fuser.graph.works.len() {
        while fuser.draw_in_one(place) {}
    }
    graph.drop_dead();
}

/// A graph while it is fused. Works keep their places; one that is drawn in everywhere is emptied.
struct Fuser<'a> {
    graph: &'a mut Graph,
    /// The work that makes each value.
    makers: Vec<Option<usize>>,
    /// The works that read each value, in order.
    readers: Vec<Vec<usize>>,
    max_bindings: usize,
}

impl Fuser<'_> {
    /// Draws one producer into the work at `place`, if any fits.
    fn draw_in_one(&mut self, place: usize) -> bool {
        if !matches!(self.graph.works[place].kernel, Kernel::Map(_) | Kernel::Reduce(_) | Kernel::Scan(_) | Kernel::Contract(_)) {
            return false;
        }
        let candidates = self.graph.works[place].inputs.iter().filter_map(|&value| self.makers[value]).find_map(|from| {
            let work = self.fused(place, from)?;
            Some((from, work))
        });
        let Some((from, work)) = candidates else { return false };
        // A merged map makes what the other made.
        self.graph.works[from].outputs.retain(|output| !work.outputs.contains(output));
        self.replace(place, work);
        self.retire(from);
        true
    }

    /// The work at `place` with the map at `from` drawn in.
    fn fused(&self, place: usize, from: usize) -> Option<Work> {
        let (reader, maker) = (&self.graph.works[place], &self.graph.works[from]);
        let Kernel::Map(map) = &maker.kernel else { return None };
        let escapes = maker.outputs.iter().any(|&output| self.graph.values[output].escapes);
        let others = escapes || maker.outputs.iter().any(|&output| self.readers[output].iter().any(|&reader| reader != place));
        let first = maker.outputs.iter().filter_map(|&output| self.readers[output].first()).min();
        if map.inputs.is_empty() || !others || (!escapes && is_cheap(map)) {
            inline(reader, maker, self.max_bindings)
        } else if first == Some(&place) {
            merge(reader, maker, self.max_bindings)
        } else {
            None
        }
    }

    fn replace(&mut self, place: usize, work: Work) {
        let old = std::mem::replace(&mut self.graph.works[place], work);
        for value in old.reads() {
            self.readers[value].retain(|&reader| reader != place);
        }
        let new = &self.graph.works[place];
        for value in new.reads() {
            if let Err(at) = self.readers[value].binary_search(&place) {
                self.readers[value].insert(at, place);
            }
        }
        new.outputs.iter().for_each(|&value| self.makers[value] = Some(place));
    }

    /// Empties a work of whose results nobody needs one, and then those that worked for it alone.
    fn retire(&mut self, place: usize) {
        let mut stack = vec![place];
        while let Some(place) = stack.pop() {
            let work = &mut self.graph.works[place];
            let needed = |&value: &usize| self.graph.values[value].escapes || !self.readers[value].is_empty();
            if work.outputs.iter().any(needed) {
                continue;
            }
            work.outputs.clear();
            let reads: Vec<usize> = work.inputs.drain(..).chain(work.base.take()).collect();
            for value in reads {
                self.readers[value].retain(|&reader| reader != place);
                stack.extend(self.makers[value]);
            }
        }
    }
}

/// The parts of a kernel that reads operands through a pointwise program.
struct Reading<'a> {
    inputs: &'a [Operand],
    program: &'a Program,
    space: Shape,
}

fn reading(kernel: &Kernel) -> Option<Reading<'_>> {
    match kernel {
        Kernel::Map(map) => Some(Reading { inputs: &map.inputs, program: &map.program, space: map.shape.clone() }),
        Kernel::Reduce(reduce) => {
            let space = Shape::from_dims(reduce.outer.iter().chain(reduce.inner.iter()).copied());
            Some(Reading { inputs: &reduce.inputs, program: &reduce.prologue, space })
        }
        Kernel::Scan(scan) => Some(Reading { inputs: &scan.inputs, program: &scan.prologue, space: scan.shape.clone() }),
        _ => None,
    }
}

/// Whether a map is cheaper to compute again than to store: it reads no more than its result would be read.
fn is_cheap(map: &Map) -> bool {
    map.inputs.len() == 1 && map.inputs[0].is_strided() && cost(&map.program) <= 4
}

/// Whether a map gives back its one operand, as it is or as what it is computed with.
fn is_load(map: &Map) -> bool {
    let is_exact = |dtype: DType| [dtype, dtype.computed()].contains(&map.dtypes[0]);
    matches!(map.program.instructions[..], [(Instruction::Input(0), _)])
        && map.program.outputs.len() == 1
        && is_exact(map.inputs[0].dtype)
}

/// The work of computing a program again, in simple operations an element.
pub(super) fn cost(program: &Program) -> usize {
    CostModel::RECOMPUTE.of_program(program)
}

/// `reader` with the map `maker` computed inside it wherever it reads one of its results.
fn inline(reader: &Work, maker: &Work, max_bindings: usize) -> Option<Work> {
    let drawn_in = |reader: &Work| match &reader.kernel {
        Kernel::Contract(contract) => read_through(contract, reader, maker),
        _ => inline_formula(reader, maker, max_bindings),
    };
    drawn_in(reader).or_else(|| drawn_in(&finer(reader, maker)?))
}

/// `reader` over an iteration space so fine that its walks of `maker`'s results do not carry from one dimension of theirs into the next.
pub(super) fn finer(reader: &Work, maker: &Work) -> Option<Work> {
    let Kernel::Map(map) = &maker.kernel else { return None };
    let mut kernel = reader.kernel.clone();
    let mut changed = false;
    for input in 0..reader.inputs.len() {
        let operands = kernel.operands();
        let operand = operands.get(input)?;
        let factors = if maker.outputs.contains(&reader.inputs[input]) { factors(&operand.layout, &map.shape) } else { None };
        if let Some(factors) = factors {
            kernel = split(&kernel, input, &factors)?;
            changed = true;
        }
    }
    changed.then(|| Work { kernel, ..reader.clone() })
}

/// A product that reads the operand of a mere load, in place of what that stores.
fn read_through(contract: &Contract, reader: &Work, maker: &Work) -> Option<Work> {
    let Kernel::Map(map) = &maker.kernel else { return None };
    let source = map.inputs.first().filter(|source| is_load(map) && source.outside.to_f64() == 0.0)?;
    let mut inputs = reader.inputs.clone();
    let mut through = |operand: &Operand, at: usize| {
        if !maker.outputs.contains(&reader.inputs[at]) {
            return Some(operand.clone());
        }
        inputs[at] = maker.inputs[0];
        if operand.is_strided() { compose_operands(&map.shape, &[source], &operand.layout)?.pop() } else { None }
    };
    let (a, b) = (through(&contract.a, 0)?, through(&contract.b, 1)?);
    // An epilogue that reads the load keeps it alive.
    if inputs[2..].iter().any(|value| maker.outputs.contains(value)) {
        return None;
    }
    Some(Work { kernel: Kernel::Contract(Contract { a, b, ..contract.clone() }), inputs, ..reader.clone() })
}

/// The results of a map as expressions over gathered operands, where a reader walks its result by `view`.
fn results(gathered: &mut Gathered, maker: &Work, map: &Map, view: &Layout, params: usize) -> Option<Vec<Expr>> {
    let operands: Vec<&Operand> = map.inputs.iter().collect();
    let composed = compose_operands(&map.shape, &operands, view)?;
    let inputs: Vec<Expr> =
        composed.into_iter().zip(&maker.inputs).map(|(operand, &value)| gathered.operand(operand, value)).collect();
    let same = view.covers(map.shape.elements());
    let index = if same || !map.program.uses_index() { Expr::index() } else { place(view) };
    Some(map.program.over(&inputs, params, &index))
}

fn inline_formula(reader: &Work, maker: &Work, max_bindings: usize) -> Option<Work> {
    let (Kernel::Map(map), reading) = (&maker.kernel, reading(&reader.kernel)?) else { return None };
    let mut gathered = Gathered::default();
    let (maker_params, reader_params) = (gathered.params(maker), gathered.params(reader));
    let mut slots: Vec<Expr> = Vec::with_capacity(reading.inputs.len());
    for (operand, &read) in reading.inputs.iter().zip(&reader.inputs) {
        let Some(output) = maker.outputs.iter().position(|&output| output == read) else {
            slots.push(gathered.operand(operand.clone(), read));
            continue;
        };
        // What is read several times over would be computed as often; what is read outside of its bounds is not computed at all.
        let repeated = reading.space.elements() > map.shape.elements();
        if !operand.is_strided() || (repeated && cost(&map.program) > 2 * map.inputs.len() + 4) {
            return None;
        }
        slots.push(results(&mut gathered, maker, map, &operand.layout, maker_params)?.swap_remove(output));
    }
    let program = Program::new(&reading.program.over(&slots, reader_params, &Expr::index()));
    let mut values = gathered.values;
    let kernel = match &reader.kernel {
        Kernel::Map(reader) => {
            let (shape, dtypes) = (reader.shape.clone(), reader.dtypes.clone());
            Kernel::Map(Map { shape, inputs: gathered.operands, params: gathered.types, program, dtypes })
        }
        Kernel::Reduce(reduce) => {
            let epilogue = &reduce.epilogue;
            let slots: Vec<Expr> = std::iter::once(Expr::input(0, reduce.result()))
                .chain(epilogue.inputs.iter().zip(1..).map(|(operand, slot)| Expr::input(slot, operand.dtype.into())))
                .collect();
            let formula = Program::new(&epilogue.program.over(&slots, reader_params, &Expr::index()));
            values.extend(&reader.inputs[reduce.inputs.len()..]);
            Kernel::Reduce(Reduce {
                inputs: gathered.operands,
                params: gathered.types,
                prologue: program,
                epilogue: lanthorn_ir::kernel::Epilogue { program: formula, ..epilogue.clone() },
                ..reduce.clone()
            })
        }
        Kernel::Scan(scan) => {
            Kernel::Scan(Scan { inputs: gathered.operands, params: gathered.types, prologue: program, ..scan.clone() })
        }
        _ => return None,
    };
    fits(
        Work { op: name([maker, reader].into_iter()), kernel, inputs: values, params: gathered.params, ..reader.clone() },
        max_bindings,
    )
}

/// A work that is not too large for the device.
fn fits(work: Work, max_bindings: usize) -> Option<Work> {
    let steps = match &work.kernel {
        Kernel::Map(map) => map.program.instructions.len(),
        Kernel::Reduce(reduce) => reduce.prologue.instructions.len(),
        Kernel::Scan(scan) => scan.prologue.instructions.len(),
        _ => 0,
    };
    (work.inputs.len() + work.outputs.len() <= max_bindings && steps <= MAX_STEPS).then_some(work)
}

/// One map that writes the results of both, for a reader that walks the maker's space element by element.
fn merge(reader: &Work, maker: &Work, max_bindings: usize) -> Option<Work> {
    let (Kernel::Map(second), Kernel::Map(first)) = (&reader.kernel, &maker.kernel) else { return None };
    let elements = first.shape.elements();
    if second.shape.elements() != elements {
        return None;
    }
    let mut gathered = Gathered::default();
    let (first_params, second_params) = (gathered.params(maker), gathered.params(reader));
    // The first map's operands over the second's iteration space.
    let made = results(&mut gathered, maker, first, &Layout::contiguous(second.shape.clone()), first_params)?;
    let mut slots: Vec<Expr> = Vec::with_capacity(second.inputs.len());
    for (operand, read) in second.inputs.iter().zip(&reader.inputs) {
        slots.push(match maker.outputs.iter().position(|output| output == read) {
            Some(output) if operand.covers(elements) => made[output].clone(),
            Some(_) => return None,
            None => gathered.operand(operand.clone(), *read),
        });
    }
    let mut all = made;
    all.extend(second.program.over(&slots, second_params, &Expr::index()));
    let kernel = Kernel::Map(Map {
        shape: second.shape.clone(),
        inputs: gathered.operands,
        params: gathered.types,
        program: Program::new(&all),
        dtypes: first.dtypes.iter().chain(&second.dtypes).copied().collect(),
    });
    let outputs = maker.outputs.iter().chain(&reader.outputs).copied().collect();
    fits(
        Work {
            op: name([maker, reader].into_iter()),
            kernel,
            base: None,
            inputs: gathered.values,
            outputs,
            params: gathered.params,
        },
        max_bindings,
    )
}
