//! Makes a plan: compiles kernels, assigns buffers by liveness, decides which updates happen in place.

use super::{
    Output, Plan, Slot, Step,
    graph::{Graph, Work},
};
use crate::pool::size_class;
use lanthorn_ir::{Backend, DType, Error, Kernel, Layout, Shape, backend::InPlace, kernel::Copy};
use rustc_hash::{FxHashMap, FxHashSet};

struct Builder<'a> {
    backend: &'a dyn Backend,
    graph: &'a Graph,
    in_place: bool,
    plan: Plan,
    /// The slot that holds each value, once it is computed.
    slots: Vec<Option<Slot>>,
    /// The last work that reads each value.
    last_use: Vec<Option<usize>>,
    /// Own buffers that no live value occupies, by size class.
    free: FxHashMap<u64, Vec<usize>>,
    /// The steps that each work became.
    steps: Vec<Vec<usize>>,
}

/// Plans a graph. A kernel that does not compile fails its own results and what depends on them, nothing else.
/// With `in_place`, a result takes the buffer of an operand that nobody needs any more, where the kernel can replace one by the other.
pub(crate) fn build(backend: &dyn Backend, graph: &Graph, in_place: bool) -> Plan {
    let mut last_use = vec![None; graph.values.len()];
    for (place, work) in graph.works.iter().enumerate() {
        work.reads().for_each(|value| last_use[value] = Some(place));
    }
    let slots = graph.values.iter().map(|value| value.external.map(Slot::External)).collect();
    let plan = Plan { steps: vec![], own: vec![], outputs: vec![], failed: vec![] };
    let mut builder = Builder { backend, graph, in_place, plan, slots, last_use, free: FxHashMap::default(), steps: vec![] };
    let mut failed: FxHashMap<usize, Error> = FxHashMap::default();
    for (place, work) in graph.works.iter().enumerate() {
        let cause = work.reads().find_map(|value| failed.get(&value).cloned());
        let outcome = cause.map_or_else(|| builder.work(place), Err);
        builder.steps.push(outcome.as_ref().map_or_else(|_| vec![], Clone::clone));
        if let Err(error) = outcome {
            failed.extend(work.outputs.iter().map(|&output| (output, error.clone())));
            builder.plan.failed.push((work.outputs.clone(), error));
        }
        builder.release(place);
    }
    for (number, value) in graph.values.iter().enumerate() {
        if value.external.is_none()
            && value.escapes
            && let Some(slot) = builder.slots[number]
        {
            let (steps, externals) = builder.dependencies(number);
            builder.plan.outputs.push(Output { local: number, slot, steps, externals });
        }
    }
    builder.plan
}

impl Builder<'_> {
    /// Plans one work: its outputs' buffers, a copy of its base if that is still needed, and its launch. Gives the steps that it became.
    fn work(&mut self, place: usize) -> Result<Vec<usize>, Error> {
        let work = &self.graph.works[place];
        let replaced = self.replaced(place);
        let kernel = self.backend.compile(work.op, &work.kernel, &replaced)?;
        let read = |slots: &[Option<Slot>], value: usize| slots[value].expect("a value is computed before it is read");
        let mut steps = Vec::with_capacity(1);
        let inputs: Vec<Slot> = work.inputs.iter().map(|&value| read(&self.slots, value)).collect();
        for (number, &output) in work.outputs.iter().enumerate() {
            if let Some(replaced) = replaced.iter().find(|replaced| replaced.output == number) {
                // The buffer has a new owner; the old value gives it up without freeing it.
                self.slots[output] = self.slots[work.inputs[replaced.input]].take();
                continue;
            }
            let slot = match work.base {
                Some(base) if self.dies_here(base, place) && !work.inputs.contains(&base) => {
                    self.slots[base].take().expect("a value is computed before it is read")
                }
                base => {
                    let value = &self.graph.values[output];
                    let slot = self.allocate(value.dtype, value.elements);
                    if let Some(base) = base {
                        let whole = Layout::contiguous(Shape::from_dims([value.elements]));
                        let copy = Kernel::Copy(Copy { dtype: value.dtype, source: whole.clone(), target: whole });
                        let (kind, shapes) = (copy.kind(), copy.shapes());
                        let kernel = self.backend.compile(work.op, &copy, &[])?;
                        steps.push(self.plan.steps.len());
                        let inputs = vec![read(&self.slots, base)];
                        self.plan.steps.push(Step {
                            op: work.op,
                            kind,
                            shapes,
                            kernel,
                            inputs,
                            outputs: vec![slot],
                            params: vec![],
                        });
                    }
                    slot
                }
            };
            self.slots[output] = Some(slot);
        }
        steps.push(self.plan.steps.len());
        let outputs = work.outputs.iter().map(|&value| read(&self.slots, value)).collect();
        let (kind, shapes) = (work.kernel.kind(), work.kernel.shapes());
        self.plan.steps.push(Step { op: work.op, kind, shapes, kernel, inputs, outputs, params: work.params.clone() });
        Ok(steps)
    }

    /// The inputs of a work that its outputs replace: nobody reads them later, and the work reads them but once.
    fn replaced(&self, place: usize) -> Vec<InPlace> {
        let work = &self.graph.works[place];
        let mut replaced: Vec<InPlace> = Vec::new();
        if !self.in_place {
            return replaced;
        }
        for output in 0..work.outputs.len() {
            let free = (0..work.inputs.len()).find(|&input| {
                let value = work.inputs[input];
                let once = work.reads().filter(|&read| read == value).count() == 1;
                let taken = replaced.iter().any(|replaced| replaced.input == input);
                once && !taken && self.dies_here(value, place) && work.kernel.can_replace(input, output)
            });
            replaced.extend(free.map(|input| InPlace { input, output }));
        }
        replaced
    }

    /// Whether nobody needs a value after work `place`, so that its buffer may be overwritten.
    fn dies_here(&self, value: usize, place: usize) -> bool {
        !self.graph.values[value].escapes && self.last_use[value] == Some(place)
    }

    fn class(&self, (dtype, elements): (DType, usize)) -> u64 {
        size_class(self.backend.storage_bytes(dtype, elements))
    }

    fn allocate(&mut self, dtype: DType, elements: usize) -> Slot {
        let class = self.class((dtype, elements));
        if let Some(buffer) = self.free.get_mut(&class).and_then(Vec::pop) {
            return Slot::Own(buffer);
        }
        self.plan.own.push((dtype, elements));
        Slot::Own(self.plan.own.len() - 1)
    }

    /// Frees the own buffers of the values that die with work `place`.
    fn release(&mut self, place: usize) {
        let work = &self.graph.works[place];
        let read: FxHashSet<usize> = work.reads().filter(|&value| self.dies_here(value, place)).collect();
        // A result that nobody reads (another result of its work is needed) dies at once.
        let unread =
            work.outputs.iter().copied().filter(|&value| self.last_use[value].is_none() && !self.graph.values[value].escapes);
        for value in read.into_iter().chain(unread) {
            if let Some(Slot::Own(buffer)) = self.slots[value].take() {
                let class = self.class(self.plan.own[buffer]);
                self.free.entry(class).or_default().push(buffer);
            }
        }
    }

    /// The steps and the external values that a value depends on.
    fn dependencies(&self, value: usize) -> (Vec<usize>, Vec<usize>) {
        let origins = self.graph.origins(value);
        let needed = |(work, _): &(&Work, &Vec<usize>)| work.outputs.iter().any(|output| origins.contains(output));
        let steps = self.graph.works.iter().zip(&self.steps).filter(needed).flat_map(|(_, steps)| steps.iter().copied());
        let externals = origins.iter().filter_map(|&value| self.graph.values[value].external);
        (steps.collect(), externals.collect())
    }
}
