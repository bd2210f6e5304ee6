//! Pointwise fusion: a map that feeds a map or a reduction is computed inside it.
//!
//! Works are taken in order; each draws in the maps that feed it, until none fits. A map is drawn in where
//!  - it has no inputs (a fill): always, for nothing is computed twice that costs anything;
//!  - nobody else reads it and it does not escape: wherever the reader's view of it is a strided walk of its own inputs;
//!  - it escapes, or others read it later: if the reader is a map that walks it element by element, which then writes both.
//!
//! A map that follows a reduction or a product element by element, and reads nothing else, becomes its epilogue. Launch parameters are
//! carried along by their places in the window, so that they stay data.
//!
//! Rejected: fusing while recording. The recorder does not know yet who else will read a value.

use super::{
    compose::compose,
    graph::{Graph, Work},
};
use lanthorn_ir::{
    Kernel, Layout, Shape,
    expr::{Expr, Instruction, Node, Program},
    kernel::{Map, Operand, Reduce},
};

/// Most steps of a fused program; beyond it compilers of shaders take long and registers run out.
const MAX_STEPS: usize = 256;

/// Fuses where it pays. `max_bindings` is how many buffers a kernel may have.
pub(crate) fn fuse(graph: &mut Graph, max_bindings: usize) {
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
    epilogues(graph);
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
        if !matches!(self.graph.works[place].kernel, Kernel::Map(_) | Kernel::Reduce(_)) {
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
        let others = maker
            .outputs
            .iter()
            .any(|&output| self.graph.values[output].escapes || self.readers[output].iter().any(|&reader| reader != place));
        let first = maker.outputs.iter().filter_map(|&output| self.readers[output].first()).min();
        if map.inputs.is_empty() || !others {
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
        _ => None,
    }
}

/// A program's results as expressions over given inputs and parameters.
fn expressions(program: &Program, input: impl Fn(usize) -> Expr, param: impl Fn(usize) -> usize) -> Vec<Expr> {
    let mut values: Vec<Expr> = Vec::with_capacity(program.instructions.len());
    for (instruction, ty) in &program.instructions {
        let at = |step: &usize| values[*step].clone();
        values.push(match instruction {
            Instruction::Input(slot) => input(*slot),
            Instruction::Param(slot) => Expr::param(param(*slot), *ty),
            Instruction::Constant(constant) => Expr::from_node(Node::Constant(*constant), *ty),
            Instruction::Index => Expr::index(),
            Instruction::Unary(op, a) => Expr::from_node(Node::Unary(*op, at(a)), *ty),
            Instruction::Binary(op, a, b) => Expr::from_node(Node::Binary(*op, at(a), at(b)), *ty),
            Instruction::Select(c, a, b) => Expr::from_node(Node::Select(at(c), at(a), at(b)), *ty),
            Instruction::Cast(a) => Expr::from_node(Node::Cast(at(a)), *ty),
            Instruction::Threefry([a, b, c, d]) => Expr::from_node(Node::Threefry([at(a), at(b), at(c), at(d)]), *ty),
        });
    }
    program.outputs.iter().map(|&step| values[step].clone()).collect()
}

/// Operands and parameters gathered from two works, each once.
struct Gathered {
    operands: Vec<Operand>,
    values: Vec<usize>,
    params: Vec<usize>,
    types: Vec<lanthorn_ir::expr::Type>,
}

impl Gathered {
    fn new() -> Gathered {
        Gathered { operands: vec![], values: vec![], params: vec![], types: vec![] }
    }

    /// The slot of an operand.
    fn operand(&mut self, operand: Operand, value: usize) -> usize {
        let known = self.operands.iter().zip(&self.values).position(|known| known == (&operand, &value));
        known.unwrap_or_else(|| {
            self.operands.push(operand);
            self.values.push(value);
            self.values.len() - 1
        })
    }

    /// The slots of a work's parameters.
    fn params(&mut self, work: &Work) -> Vec<usize> {
        let first = self.params.len();
        self.params.extend(&work.params);
        self.types.extend(work.kernel.params());
        (first..self.params.len()).collect()
    }

    /// What a map makes, as expressions over the gathered operands: its inputs are `values`, walked by `layouts`.
    fn results(&mut self, map: &Map, values: &[usize], layouts: Vec<Layout>, params: &[usize]) -> Vec<Expr> {
        let operands = map.inputs.iter().zip(layouts).map(|(input, layout)| Operand { dtype: input.dtype, layout });
        let slots: Vec<usize> = operands.zip(values).map(|(operand, &value)| self.operand(operand, value)).collect();
        expressions(&map.program, |slot| Expr::input(slots[slot], map.inputs[slot].dtype.into()), |slot| params[slot])
    }
}

fn uses_index(program: &Program) -> bool {
    program.instructions.iter().any(|(instruction, _)| matches!(instruction, Instruction::Index))
}

/// `reader` with the map `maker` computed inside it wherever it reads one of its results.
fn inline(reader: &Work, maker: &Work, max_bindings: usize) -> Option<Work> {
    let (Kernel::Map(map), reading) = (&maker.kernel, reading(&reader.kernel)?) else { return None };
    let same_walk = |layout: &Layout| layout.covers(map.shape.elements()) && layout.shape().elements() == reading.space.elements();
    let mut gathered = Gathered::new();
    let maker_params = gathered.params(maker);
    let reader_params = gathered.params(reader);
    let mut slots: Vec<Expr> = Vec::with_capacity(reading.inputs.len());
    for (operand, &read) in reading.inputs.iter().zip(&reader.inputs) {
        let Some(output) = maker.outputs.iter().position(|&output| output == read) else {
            let slot = gathered.operand(operand.clone(), read);
            slots.push(Expr::input(slot, operand.dtype.into()));
            continue;
        };
        if uses_index(&map.program) && !(same_walk(&operand.layout) && matches!(reader.kernel, Kernel::Map(_))) {
            return None;
        }
        // What is read several times over would be computed as often.
        if reading.space.elements() > map.shape.elements() && map.program.instructions.len() > 2 * map.inputs.len() + 2 {
            return None;
        }
        let layouts: Vec<&Layout> = map.inputs.iter().map(|input| &input.layout).collect();
        let composed = compose(&map.shape, &layouts, &operand.layout)?;
        slots.push(gathered.results(map, &maker.inputs, composed, &maker_params).swap_remove(output));
    }
    if gathered.values.len() + reader.outputs.len() > max_bindings {
        return None;
    }
    let results = expressions(reading.program, |slot| slots[slot].clone(), |slot| reader_params[slot]);
    let program = Program::new(&results);
    if program.instructions.len() > MAX_STEPS {
        return None;
    }
    let kernel = match &reader.kernel {
        Kernel::Map(reader) => {
            let (shape, dtypes) = (reader.shape.clone(), reader.dtypes.clone());
            Kernel::Map(Map { shape, inputs: gathered.operands, params: gathered.types, program, dtypes })
        }
        Kernel::Reduce(reduce) => {
            let epilogue = expressions(&reduce.epilogue, |_| Expr::input(0, reduce.epilogue_input()), |slot| reader_params[slot]);
            let epilogue = Program::new(&epilogue);
            Kernel::Reduce(Reduce {
                inputs: gathered.operands,
                params: gathered.types,
                prologue: program,
                epilogue,
                ..reduce.clone()
            })
        }
        _ => return None,
    };
    Some(Work { kernel, inputs: gathered.values, params: gathered.params, ..reader.clone() })
}

/// One map that writes the results of both, for a reader that walks the maker's space element by element.
fn merge(reader: &Work, maker: &Work, max_bindings: usize) -> Option<Work> {
    let (Kernel::Map(second), Kernel::Map(first)) = (&reader.kernel, &maker.kernel) else { return None };
    let elements = first.shape.elements();
    if second.shape.elements() != elements {
        return None;
    }
    let mut gathered = Gathered::new();
    let first_params = gathered.params(maker);
    let second_params = gathered.params(reader);
    // The first map's operands over the second's iteration space.
    let layouts: Vec<&Layout> = first.inputs.iter().map(|input| &input.layout).collect();
    let composed = compose(&first.shape, &layouts, &Layout::contiguous(second.shape.clone()))?;
    let made = gathered.results(first, &maker.inputs, composed, &first_params);
    let mut slots: Vec<Expr> = Vec::with_capacity(second.inputs.len());
    for (operand, read) in second.inputs.iter().zip(&reader.inputs) {
        match maker.outputs.iter().position(|output| output == read) {
            Some(output) if operand.layout.covers(elements) => slots.push(made[output].clone()),
            Some(_) => return None,
            None => {
                let slot = gathered.operand(operand.clone(), *read);
                slots.push(Expr::input(slot, operand.dtype.into()));
            }
        }
    }
    let mut results = made;
    results.extend(expressions(&second.program, |slot| slots[slot].clone(), |slot| second_params[slot]));
    let program = Program::new(&results);
    let outputs: Vec<usize> = maker.outputs.iter().chain(&reader.outputs).copied().collect();
    if gathered.values.len() + outputs.len() > max_bindings || program.instructions.len() > MAX_STEPS {
        return None;
    }
    let dtypes = first.dtypes.iter().chain(&second.dtypes).copied().collect();
    let kernel =
        Kernel::Map(Map { shape: second.shape.clone(), inputs: gathered.operands, params: gathered.types, program, dtypes });
    Some(Work { op: reader.op, kernel, base: None, inputs: gathered.values, outputs, params: gathered.params })
}

/// Makes maps that follow a reduction or a product their epilogues.
fn epilogues(graph: &mut Graph) {
    for place in 0..graph.works.len() {
        while let Some((reader, work)) = epilogue(graph, place) {
            graph.works[place] = work;
            graph.works[reader].outputs.clear();
        }
    }
    graph.drop_dead();
}

/// The work at `place` with its one reader drawn in as an epilogue, and where that stood.
fn epilogue(graph: &Graph, place: usize) -> Option<(usize, Work)> {
    let work = &graph.works[place];
    let [output] = work.outputs[..] else { return None };
    if graph.values[output].escapes {
        return None;
    }
    let mut readers = graph.works.iter().enumerate().filter(|(_, work)| work.reads().any(|value| value == output));
    let (at, reader) = readers.next()?;
    let Kernel::Map(map) = &reader.kernel else { return None };
    let elements = graph.values[output].elements;
    let alone = reader.inputs.iter().all(|&value| value == output) && map.dtypes.len() == 1;
    let walks = map.inputs.iter().all(|input| input.layout.covers(elements)) && map.shape.elements() == elements;
    if readers.next().is_some() || !alone || !walks || uses_index(&map.program) {
        return None;
    }
    let mut params = work.params.clone();
    params.extend(&reader.params);
    let first = work.params.len();
    let mut types = work.kernel.params().to_vec();
    types.extend(&map.params);
    let chain = |epilogue: &Program, input: Expr| {
        let inner = expressions(epilogue, |_| input.clone(), |slot| slot).swap_remove(0);
        Program::new(&expressions(&map.program, |_| inner.clone(), |slot| first + slot))
    };
    let dtype = map.dtypes[0];
    let kernel = match &work.kernel {
        Kernel::Reduce(reduce) => {
            let epilogue = chain(&reduce.epilogue, Expr::input(0, reduce.epilogue_input()));
            Kernel::Reduce(Reduce { epilogue, params: types, dtype, ..reduce.clone() })
        }
        Kernel::Contract(contract) if dtype == contract.dtype => {
            let epilogue = chain(&contract.epilogue, Expr::input(0, contract.dtype.into()));
            Kernel::Contract(lanthorn_ir::kernel::Contract { epilogue, params: types, ..contract.clone() })
        }
        _ => return None,
    };
    Some((at, Work { kernel, outputs: reader.outputs.clone(), params, ..work.clone() }))
}
