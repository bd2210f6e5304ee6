//! Builds a plan: compiles kernels, assigns buffers by liveness, chooses in-place updates.

use super::{
    Slot, Step, Template,
    graph::{Graph, Node},
    template::{Output, at_present},
    traced::{Copy, Kernel, Layout, Shape, Traced},
};
use crate::pool::size_class;
use lanthorn_ir::{
    Backend, DType, Error,
    backend::{Alias, Compiled, InPlace},
};
use rustc_hash::{FxHashMap, FxHashSet};

struct Builder<'a> {
    backend: &'a dyn Backend,
    graph: &'a Graph,
    in_place: bool,
    plan: Template,
    /// The compiled kernel of each step, at the current sizes.
    kernels: Vec<Compiled>,
    /// The slot of each value, once it is computed.
    slots: Vec<Option<Slot>>,
    /// The last node that reads each value.
    last_use: Vec<Option<usize>>,
    /// The plan's own buffers without a live value, by size class.
    free: FxHashMap<u64, Vec<usize>>,
    /// The steps of each node.
    steps: Vec<Vec<usize>>,
}

/// Plans a graph. If a kernel does not compile, its results fail, and so do the results that were
/// recorded to depend on them, as for a kernel that fails at its launch. With `in_place`, a result
/// reuses the buffer of an operand that dies at its node, if the kernel allows it.
///
/// Own buffers are shared by values of one size class. The template has no condition that they stay
/// in one class: a buffer is allocated for its largest value.
pub(crate) fn build(backend: &dyn Backend, graph: &Graph, in_place: bool) -> (Template, Vec<Compiled>) {
    let mut last_use = vec![None; graph.values.len()];
    for (id, node) in graph.nodes.iter().enumerate() {
        node.reads().for_each(|value| last_use[value] = Some(id));
    }
    let slots = graph.values.iter().map(|value| value.external.map(Slot::External)).collect();
    let mut builder = Builder {
        backend,
        graph,
        in_place,
        plan: Template::default(),
        kernels: vec![],
        slots,
        last_use,
        free: FxHashMap::default(),
        steps: vec![],
    };
    // The values of kernels that do not compile. They get buffers that nothing writes, because a
    // fused kernel may read such a value for one result and compute another result without it.
    let mut missing: Vec<(usize, Error)> = vec![];
    for (id, node) in graph.nodes.iter().enumerate() {
        let outcome = builder.node(id);
        builder.steps.push(outcome.as_ref().map_or_else(|_| vec![], Clone::clone));
        if let Err(error) = outcome {
            missing.extend(node.outputs.iter().map(|&output| (output, error.clone())));
            builder.leave_out(id);
        }
        builder.release(id);
    }
    for write in &graph.shared_writes {
        let failed = !missing.is_empty() && {
            let origins = graph.origins(write.value);
            missing.iter().any(|(value, _)| origins.contains(value))
        };
        if !failed {
            builder.store(write.memory, write.value);
        }
    }
    for (number, value) in graph.values.iter().enumerate() {
        if value.external.is_none()
            && value.escapes
            && let Some(slot) = builder.slots[number]
        {
            let origins = if missing.is_empty() { FxHashSet::default() } else { graph.origins(number) };
            if let Some((_, error)) = missing.iter().find(|(value, _)| origins.contains(value)) {
                builder.plan.failed.push((vec![number], error.clone()));
                continue;
            }
            let (steps, externals) = builder.dependencies(number);
            builder.plan.outputs.push(Output { local: number, slot, steps, externals });
        }
    }
    (builder.plan, builder.kernels)
}

impl Builder<'_> {
    /// Plans one node: the buffers of its outputs, a copy of its base if the base is still live,
    /// and its launch. Returns the steps of the node.
    fn node(&mut self, id: usize) -> Result<Vec<usize>, Error> {
        let node = &self.graph.nodes[id];
        let replaced = self.find_replaced(id);
        let in_place = replaced.iter().copied().map(Alias::InPlace);
        let aliases: Vec<Alias> = in_place.chain(Alias::find_repeated(&node.inputs)).collect();
        let compiled = self.compile(node.op, &node.kernel, &aliases)?;
        let read = |slots: &[Option<Slot>], value: usize| slots[value].expect("a value is computed before it is read");
        let mut steps = Vec::with_capacity(1);
        let inputs: Vec<Slot> = node.inputs.iter().map(|&value| read(&self.slots, value)).collect();
        for (number, &output) in node.outputs.iter().enumerate() {
            if let Some(replaced) = replaced.iter().find(|replaced| replaced.output == number) {
                // From here on the output owns the buffer. The operand releases it without freeing
                // it.
                self.slots[output] = self.slots[node.inputs[replaced.input]].take();
                continue;
            }
            // An update of shared memory, or a result that is only written to shared memory.
            let base = node.bases.iter().find(|(output, _)| *output == number).map(|(_, base)| *base);
            let is_usable = |memory: &usize| base.is_none_or(|base| base == *memory) && !node.inputs.contains(memory);
            let slot = match (base, self.find_target(output, id).filter(is_usable)) {
                (_, Some(memory)) => self.external(memory),
                (Some(base), None) if self.dies_here(base, id) && !node.inputs.contains(&base) => {
                    self.slots[base].take().expect("a value is computed before it is read")
                }
                (base, None) => {
                    let value = &self.graph.values[output];
                    let slot = self.allocate(value.dtype, value.elements);
                    if let Some(base) = base {
                        let whole = Layout::contiguous(Shape::from_dims([value.elements]));
                        let copy = Kernel::Copy(Copy { dtype: value.dtype, source: whole.clone(), target: whole });
                        self.kernels.push(self.compile(node.op, &copy, &[])?);
                        steps.push(self.plan.steps.len());
                        let inputs = vec![read(&self.slots, base)];
                        self.plan.steps.push(Step::new(node.op, copy, vec![], inputs, vec![slot], vec![]));
                    }
                    slot
                }
            };
            self.slots[output] = Some(slot);
        }
        steps.push(self.plan.steps.len());
        let outputs = node.outputs.iter().map(|&value| read(&self.slots, value)).collect();
        self.kernels.push(compiled);
        let (kernel, params) = (node.kernel.clone(), node.params.clone());
        self.plan.steps.push(Step::new(node.op, kernel, aliases, inputs, outputs, params));
        Ok(steps)
    }

    /// Assigns buffers to the outputs of a node without a launch.
    fn leave_out(&mut self, id: usize) {
        for &output in &self.graph.nodes[id].outputs {
            if self.slots[output].is_none() {
                let value = &self.graph.values[output];
                self.slots[output] = Some(self.allocate(value.dtype, value.elements));
            }
        }
    }

    /// The inputs of a node that its outputs replace. They die at the node, and the node reads them
    /// once.
    fn find_replaced(&self, id: usize) -> Vec<InPlace> {
        let node = &self.graph.nodes[id];
        let mut replaced: Vec<InPlace> = Vec::new();
        if !self.in_place {
            return replaced;
        }
        for output in 0..node.outputs.len() {
            let free = (0..node.inputs.len()).find(|&input| {
                let value = node.inputs[input];
                let once = node.reads().filter(|&read| read == value).count() == 1;
                let taken = replaced.iter().any(|replaced| replaced.input == input);
                let is_free = match self.find_target(node.outputs[output], id) {
                    Some(memory) => value == memory,
                    None => self.dies_here(value, id),
                };
                once && !taken && is_free && node.kernel.can_replace(input, output)
            });
            replaced.extend(free.map(|input| InPlace { input, output }));
        }
        replaced
    }

    /// The shared memory that can be the buffer of node `id`'s result: nothing else holds the
    /// result, and no later node reads the memory's current contents.
    fn find_target(&self, output: usize, id: usize) -> Option<usize> {
        let memory = self.graph.shared_writes.iter().find(|write| write.value == output && write.is_only)?.memory;
        self.last_use[memory].is_none_or(|last| last <= id).then_some(memory)
    }

    /// The buffer of shared memory.
    fn external(&self, memory: usize) -> Slot {
        Slot::External(self.graph.values[memory].external.expect("shared memory exists before a segment"))
    }

    /// Copies a value to shared memory, unless the memory is the value's buffer.
    fn store(&mut self, memory: usize, value: usize) {
        let (target, Some(source)) = (self.external(memory), self.slots[value]) else { return };
        if target == source {
            return;
        }
        let info = &self.graph.values[value];
        let whole = Layout::contiguous(Shape::from_dims([info.elements]));
        let copy = Kernel::Copy(Copy { dtype: info.dtype, source: whole.clone(), target: whole });
        const OP: &str = "share_memory";
        if let Ok(kernel) = self.compile(OP, &copy, &[]) {
            self.kernels.push(kernel);
            self.plan.steps.push(Step::new(OP, copy, vec![], vec![source], vec![target], vec![]));
        }
    }

    /// Whether a value dies at node `id`, so that its buffer may be overwritten.
    fn dies_here(&self, value: usize, id: usize) -> bool {
        !self.graph.values[value].escapes && self.last_use[value] == Some(id)
    }

    fn compile(&self, op: &'static str, kernel: &Kernel, aliases: &[Alias]) -> Result<Compiled, Error> {
        self.backend.compile(op, &at_present(kernel), aliases)
    }

    fn class(&self, (dtype, elements): (DType, Traced)) -> u64 {
        size_class(self.backend.storage_bytes(dtype, elements.value() as usize))
    }

    fn allocate(&mut self, dtype: DType, elements: Traced) -> Slot {
        let class = self.class((dtype, elements));
        if let Some(buffer) = self.free.get_mut(&class).and_then(Vec::pop) {
            self.plan.own[buffer].push((dtype, elements));
            return Slot::Own(buffer);
        }
        self.plan.own.push(vec![(dtype, elements)]);
        Slot::Own(self.plan.own.len() - 1)
    }

    /// Frees the own buffers of the values that die at node `id`.
    fn release(&mut self, id: usize) {
        let node = &self.graph.nodes[id];
        let read: FxHashSet<usize> = node.reads().filter(|&value| self.dies_here(value, id)).collect();
        // An unread result of a node with other, live results dies immediately.
        let unread = node
            .outputs
            .iter()
            .copied()
            .filter(|&value| self.last_use[value].is_none() && !self.graph.values[value].escapes);
        for value in read.into_iter().chain(unread) {
            if let Some(Slot::Own(buffer)) = self.slots[value].take() {
                let class = self.class(self.plan.own[buffer][0]);
                self.free.entry(class).or_default().push(buffer);
            }
        }
    }

    /// The steps and the external values that a value depends on.
    fn dependencies(&self, value: usize) -> (Vec<usize>, Vec<usize>) {
        let origins = self.graph.origins(value);
        let needed = |(node, _): &(&Node, &Vec<usize>)| node.outputs.iter().any(|output| origins.contains(output));
        let steps =
            self.graph.nodes.iter().zip(&self.steps).filter(needed).flat_map(|(_, steps)| steps.iter().copied());
        let externals = origins.iter().filter_map(|&value| self.graph.values[value].external);
        (steps.collect(), externals.collect())
    }
}
