//! Makes a plan: compiles kernels, assigns buffers by liveness, decides which updates happen in place.

use super::{
    Output, Plan, Slot, Step,
    window::{Origin, Window},
};
use crate::pool::size_class;
use lanthorn_ir::{Backend, DType, Error, Kernel, Layout, Shape, backend::Compiled, kernel::Copy};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

struct Builder<'a> {
    backend: &'a dyn Backend,
    window: &'a Window,
    plan: Plan,
    /// The slot that holds each value, once it is computed.
    slots: Vec<Option<Slot>>,
    /// Own buffers that no live value occupies, by size class.
    free: FxHashMap<u64, Vec<usize>>,
    /// The steps and external values that each value depends on.
    depends: Vec<(BTreeSet<usize>, BTreeSet<usize>)>,
}

/// Plans a window. A kernel that does not compile fails its own results and what depends on them, nothing else.
pub(crate) fn build(backend: &dyn Backend, window: &Window) -> Plan {
    let plan = Plan { steps: vec![], own: vec![], outputs: vec![], failed: vec![] };
    let locals = window.locals.len();
    let mut builder = Builder {
        backend,
        window,
        plan,
        slots: vec![None; locals],
        free: FxHashMap::default(),
        depends: vec![Default::default(); locals],
    };
    for (number, local) in window.locals.iter().enumerate() {
        if let Origin::External(place) = local.origin {
            builder.slots[number] = Some(Slot::External(place));
            builder.depends[number].1.insert(place);
        }
    }
    let mut failed: FxHashSet<usize> = FxHashSet::default();
    let mut params = 0;
    for place in 0..window.nodes.len() {
        let range = params..params + window.nodes[place].params.len();
        params = range.end;
        let numbered = &window.numbered[place];
        let broken = numbered.inputs.iter().chain(&numbered.base).any(|local| failed.contains(local));
        let error = if broken { None } else { builder.node(place, range).err() };
        if broken || error.is_some() {
            failed.extend(&numbered.outputs);
        }
        match error {
            Some(error) => builder.plan.failed.push((numbered.outputs.clone(), error)),
            // The cause stands in the list already, before what it broke.
            None if broken => {
                let cause = builder.plan.failed.last().map(|(_, error)| error.clone());
                builder.plan.failed.extend(cause.map(|error| (numbered.outputs.clone(), error)));
            }
            None => {}
        }
        builder.release(place);
    }
    for (number, local) in window.locals.iter().enumerate() {
        if local.origin == Origin::Node
            && local.escapes
            && let Some(slot) = builder.slots[number]
        {
            let (steps, externals) = &builder.depends[number];
            let (steps, externals) = (steps.iter().copied().collect(), externals.iter().copied().collect());
            builder.plan.outputs.push(Output { local: number, slot, steps, externals });
        }
    }
    builder.plan
}

impl Builder<'_> {
    /// Plans one node: its outputs' buffers, a copy of its base if that is still needed, and its launch.
    fn node(&mut self, place: usize, params: std::ops::Range<usize>) -> Result<(), Error> {
        let (node, numbered) = (&self.window.nodes[place], &self.window.numbered[place]);
        let kernel = self.compile(node.op, &node.kernel.kernel)?;
        let read = |slots: &[Option<Slot>], local: usize| slots[local].expect("a value is computed before it is read");
        let mut depends: (BTreeSet<usize>, BTreeSet<usize>) = Default::default();
        for &local in numbered.inputs.iter().chain(&numbered.base) {
            depends.0.extend(&self.depends[local].0);
            depends.1.extend(&self.depends[local].1);
        }
        for &output in &numbered.outputs {
            let slot = match numbered.base {
                Some(base) if self.dies_here(base, place) && !numbered.inputs.contains(&base) => {
                    self.slots[base].take().expect("a value is computed before it is read")
                }
                base => {
                    let value = &self.window.locals[output].value;
                    let slot = self.allocate(value.dtype(), value.elements());
                    if let Some(base) = base {
                        let whole = Layout::contiguous(Shape::from_dims([value.elements()]));
                        let copy = Kernel::Copy(Copy { dtype: value.dtype(), source: whole.clone(), target: whole });
                        let kernel = self.compile(node.op, &copy)?;
                        depends.0.insert(self.plan.steps.len());
                        let inputs = vec![read(&self.slots, base)];
                        self.plan.steps.push(Step { op: node.op, kernel, inputs, outputs: vec![slot], params: 0..0 });
                    }
                    slot
                }
            };
            self.slots[output] = Some(slot);
        }
        depends.0.insert(self.plan.steps.len());
        let inputs = numbered.inputs.iter().map(|&local| read(&self.slots, local)).collect();
        let outputs = numbered.outputs.iter().map(|&local| read(&self.slots, local)).collect();
        self.plan.steps.push(Step { op: node.op, kernel, inputs, outputs, params });
        for &output in &numbered.outputs {
            self.depends[output] = depends.clone();
        }
        Ok(())
    }

    fn compile(&self, op: &'static str, kernel: &Kernel) -> Result<Compiled, Error> {
        self.backend.compile(op, kernel)
    }

    /// Whether nobody needs a value after node `place`, so that its buffer may be overwritten.
    fn dies_here(&self, local: usize, place: usize) -> bool {
        let local = &self.window.locals[local];
        !local.escapes && local.last_use == Some(place)
    }

    fn allocate(&mut self, dtype: DType, elements: usize) -> Slot {
        let class = size_class(self.backend.storage_bytes(dtype, elements));
        if let Some(buffer) = self.free.get_mut(&class).and_then(Vec::pop) {
            return Slot::Own(buffer);
        }
        self.plan.own.push((dtype, elements));
        Slot::Own(self.plan.own.len() - 1)
    }

    /// Frees the buffers of the values that die with node `place`.
    fn release(&mut self, place: usize) {
        let numbered = &self.window.numbered[place];
        let mut dying: Vec<usize> = numbered.inputs.iter().chain(&numbered.base).copied().collect();
        dying.sort_unstable();
        dying.dedup();
        // A result that nobody reads (another result of its node is read) dies at once.
        dying.extend(numbered.outputs.iter().filter(|&&local| {
            let local = &self.window.locals[local];
            local.last_use.is_none() && !local.escapes
        }));
        for local in dying {
            let dies = self.dies_here(local, place) || self.window.locals[local].last_use.is_none();
            if dies && let Some(Slot::Own(buffer)) = self.slots[local] {
                let (dtype, elements) = self.plan.own[buffer];
                let class = size_class(self.backend.storage_bytes(dtype, elements));
                self.free.entry(class).or_default().push(buffer);
                self.slots[local] = None;
            }
        }
    }
}
