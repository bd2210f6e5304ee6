//! Epilogues: a map that follows a reduction or a product element by element is computed before the result is stored.
//!
//! A bias, an activation, a residual, the mask of a backward pass and an optimizer's step cost no launch of their own then. If others read the
//! result as well, or what the map makes has several parts, all of it is stored.

use super::{
    super::graph::{Graph, Work},
    MAX_STEPS,
    compose::compose_operands,
    gathered::name,
};
use lanthorn_ir::{
    Kernel, Layout, Shape,
    expr::{Expr, Program, Type},
    kernel::{Contract, Epilogue, Map, Operand, Reduce},
};

/// Makes maps that follow reductions and products their epilogues.
pub(super) fn fuse(graph: &mut Graph, max_bindings: usize) {
    for place in 0..graph.works.len() {
        let mut at = place;
        while let Some(fused) = follow(graph, at, max_bindings) {
            let Fused { work, from, to } = fused;
            graph.works[at].empty();
            graph.works[from].empty();
            graph.works[to] = work;
            at = to;
        }
    }
    graph.drop_dead();
}

/// A work with an epilogue.
struct Fused {
    work: Work,
    /// Where the map stood.
    from: usize,
    /// Where the work goes: its own place, or the map's.
    to: usize,
}

/// The work at `place` with one of the maps that read it as its epilogue.
fn follow(graph: &Graph, place: usize, max_bindings: usize) -> Option<Fused> {
    let work = &graph.works[place];
    if !matches!(work.kernel, Kernel::Reduce(_) | Kernel::Contract(_)) || work.outputs.is_empty() {
        return None;
    }
    let reads = |reader: &Work| reader.reads().any(|value| work.outputs.contains(&value));
    let readers: Vec<usize> = (place + 1..graph.works.len()).filter(|&at| reads(&graph.works[at])).collect();
    readers.iter().find_map(|&from| {
        let to = destination(graph, place, from, &readers)?;
        let needed = |value: usize| {
            let read = |&at: &usize| at != from && graph.works[at].reads().any(|read| read == value);
            graph.values[value].escapes || readers.iter().any(read)
        };
        let next = &graph.works[from];
        let fused = with_epilogue(work, next, &needed, max_bindings).or_else(|| {
            let (work, next) = transposed(work, next, &needed)?;
            with_epilogue(&work, &next, &needed, max_bindings)
        });
        Some(Fused { work: fused?, from, to })
    })
}

/// Where the work at `place` can stand once it does what the map at `from` does: where it is, if the map's other operands are made by then; else
/// where the map is, if nobody reads the work's results before that.
fn destination(graph: &Graph, place: usize, from: usize, readers: &[usize]) -> Option<usize> {
    let between = &graph.works[place + 1..from];
    let others_made = !between.iter().any(|work| work.outputs.iter().any(|output| graph.works[from].inputs.contains(output)));
    if others_made {
        return Some(place);
    }
    (readers.first() == Some(&from)).then_some(from)
}

/// The parts of a kernel that can have an epilogue.
struct Parts<'a> {
    epilogue: &'a Epilogue,
    /// The shape of the result, and its type.
    shape: Shape,
    result: Type,
    /// How many inputs come before the epilogue's.
    before: usize,
}

fn parts(kernel: &Kernel) -> Option<Parts<'_>> {
    Some(match kernel {
        Kernel::Reduce(reduce) => {
            Parts { epilogue: &reduce.epilogue, shape: reduce.outer.clone(), result: reduce.result(), before: reduce.inputs.len() }
        }
        Kernel::Contract(contract) => Parts {
            epilogue: &contract.epilogue,
            shape: contract.output(),
            result: contract.ty(),
            before: contract.epilogue_start(),
        },
        _ => return None,
    })
}

/// `work` followed by the map `next`, storing those of its own results that are `needed` too.
fn with_epilogue(work: &Work, next: &Work, needed: &impl Fn(usize) -> bool, max_bindings: usize) -> Option<Work> {
    let Kernel::Map(map) = &next.kernel else { return None };
    let Parts { epilogue, shape, result, before } = parts(&work.kernel)?;
    let elements = shape.elements();
    if map.shape.elements() != elements || elements == 0 || map.program.uses_index() {
        return None;
    }
    let mut inputs = epilogue.inputs.clone();
    let mut values = work.inputs.clone();
    let own: Vec<Expr> = std::iter::once(Expr::input(0, result))
        .chain(inputs.iter().zip(1..).map(|(operand, slot)| Expr::input(slot, operand.dtype.into())))
        .collect();
    let made = epilogue.program.over(&own, 0, &Expr::index());
    let slots = follow_operands(map, next, work, &made, &shape, &mut inputs, &mut values, before)?;
    let first_param = work.params.len();
    let mut results = Vec::new();
    let (mut outputs, mut dtypes) = (Vec::new(), Vec::new());
    for ((&output, &dtype), expr) in
        work.outputs.iter().zip(&epilogue.dtypes).zip(&made).filter(|((output, _), _)| needed(**output))
    {
        results.push(expr.clone());
        outputs.push(output);
        dtypes.push(dtype);
    }
    results.extend(map.program.over(&slots, first_param, &Expr::index()));
    outputs.extend(&next.outputs);
    dtypes.extend(&map.dtypes);
    let program = Program::new(&results);
    if values.len() + outputs.len() > max_bindings || program.instructions.len() > MAX_STEPS {
        return None;
    }
    let epilogue = Epilogue { inputs, program, dtypes };
    let params: Vec<Type> = work.kernel.params().iter().chain(&map.params).copied().collect();
    let kernel = match &work.kernel {
        Kernel::Reduce(reduce) => Kernel::Reduce(Reduce { epilogue, params, ..reduce.clone() }),
        Kernel::Contract(contract) => Kernel::Contract(Contract { epilogue, params, ..contract.clone() }),
        _ => return None,
    };
    let params = work.params.iter().chain(&next.params).copied().collect();
    Some(Work { op: name([next, work].into_iter()), kernel, base: None, inputs: values, outputs, params })
}

/// A product whose result is laid out the other way round, and the map that reads it so: the gradient of a weight that took part transposed is
/// then made in the weight's own order. `None` if others need the result as it was.
fn transposed(work: &Work, next: &Work, needed: &impl Fn(usize) -> bool) -> Option<(Work, Work)> {
    let (Kernel::Contract(contract), Kernel::Map(map)) = (&work.kernel, &next.kernel) else { return None };
    // Prologues are made by a later pass.
    let plain = contract.prologues.iter().all(Option::is_none);
    if !plain || work.outputs.iter().any(|&output| needed(output)) || contract.epilogue.program.uses_index() {
        return None;
    }
    let [batch, m, n, k] = [&contract.batch, &contract.m, &contract.n, &contract.k].map(|shape| shape.rank());
    // The order of the second operand's dimensions behind those of the batch, and the first's.
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
    // Where each element lies now, over the old order.
    let lies = Layout::contiguous(swapped.output()).permute(&swap(n, m));
    let inputs = map.inputs.iter().zip(&next.inputs).map(|(operand, value)| {
        if !work.outputs.contains(value) {
            return Some(operand.clone());
        }
        let made = Operand::new(operand.dtype, lies.clone());
        if operand.is_strided() { compose_operands(&old, &[&made], &operand.layout)?.pop() } else { None }
    });
    let map = Map { inputs: inputs.collect::<Option<_>>()?, ..map.clone() };
    let mut values = work.inputs.clone();
    values.swap(0, 1);
    Some((
        Work { kernel: Kernel::Contract(swapped), inputs: values, ..work.clone() },
        Work { kernel: Kernel::Map(map), ..next.clone() },
    ))
}

/// The map's inputs as expressions: results of the work, and operands over its result, added to `inputs` and `values`.
fn follow_operands(
    map: &Map,
    next: &Work,
    work: &Work,
    made: &[Expr],
    shape: &Shape,
    inputs: &mut Vec<Operand>,
    values: &mut Vec<usize>,
    before: usize,
) -> Option<Vec<Expr>> {
    let operands: Vec<&Operand> = map.inputs.iter().collect();
    let over_result = compose_operands(&map.shape, &operands, &Layout::contiguous(shape.clone()))?;
    let slot = |((own, operand), &value): ((&Operand, Operand), &usize)| {
        if let Some(output) = work.outputs.iter().position(|&output| output == value) {
            return own.covers(shape.elements()).then(|| made[output].clone());
        }
        let known = inputs.iter().zip(&values[before..]).position(|known| known == (&operand, &value));
        let slot = known.unwrap_or(inputs.len());
        let ty = operand.dtype.into();
        if known.is_none() {
            inputs.push(operand);
            values.push(value);
        }
        Some(Expr::input(slot + 1, ty))
    };
    map.inputs.iter().zip(over_result).zip(&next.inputs).map(slot).collect()
}
