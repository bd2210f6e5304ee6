//! Builds the entry of a recorded call: locates a replay's inputs and outputs, and refuses a call
//! that uses tensors without a location.

use super::{
    capture::{Capture, Leaf},
    entry::{After, ArgumentGuard, Entry, GradEffect, Graph, Known, Location, Returned, Source, alias},
    repeat::Calls,
};
use crate::{DType, Tensor, autograd, storage::Storage, tensor::Inner};
use lanthorn_ir::Layout;
use lanthorn_runtime::{Recorded, Value};
use rustc_hash::FxHashMap;
use std::{
    cell::Cell,
    rc::{Rc, Weak},
};

/// What finds locations and sources while an entry is made.
struct Finder<'a> {
    arguments: &'a [Tensor],
    uploads: Vec<Value>,
    /// The numbers of outputs by their value.
    outputs: FxHashMap<usize, usize>,
    /// The storages that held each value before the call.
    entries: FxHashMap<usize, Vec<Weak<Storage>>>,
    /// The leaf whose gradient each storage was.
    grads: FxHashMap<usize, usize>,
    locations: Vec<Location>,
    /// The storage of each location.
    by_storage: FxHashMap<usize, usize>,
    used: Vec<bool>,
    /// The numbers of the values that the forward pass kept.
    saved: FxHashMap<usize, usize>,
}

impl Finder<'_> {
    fn location_of(&mut self, storage: &Weak<Storage>) -> usize {
        let key = storage.as_ptr() as usize;
        if let Some(&location) = self.by_storage.get(&key) {
            return location;
        }
        let argument =
            self.arguments.iter().position(|argument| std::ptr::eq(Rc::as_ptr(&argument.0.storage), storage.as_ptr()));
        self.locations.push(match (argument, self.grads.get(&key)) {
            (Some(argument), _) => Location::Argument(argument),
            (None, Some(&leaf)) => Location::Grad(leaf),
            (None, None) => Location::Storage(storage.clone()),
        });
        self.by_storage.insert(key, self.locations.len() - 1);
        self.locations.len() - 1
    }

    /// The location that held a value before the call.
    fn location_of_value(&mut self, value: &Value) -> Result<usize, String> {
        if let Some(&index) = self.saved.get(&value.key()) {
            self.locations.push(Location::Saved(index));
            return Ok(self.locations.len() - 1);
        }
        let mut candidates = self.entries.get(&value.key()).cloned().unwrap_or_default();
        // A gradient that was replaced is gone by now, and found by its leaf.
        let grads = &self.grads;
        candidates.retain(|storage| storage.strong_count() > 0 || grads.contains_key(&(storage.as_ptr() as usize)));
        match &candidates[..] {
            [storage] => Ok(self.location_of(storage)),
            [] if self.uploads.iter().any(|upload| upload.key() == value.key()) => {
                self.locations.push(Location::Constant(value.clone()));
                Ok(self.locations.len() - 1)
            }
            [] => Err(format!("it reads a result of {} whose tensor is gone", value.op())),
            _ => Err("two of its tensors have the same value now, and may not have it later".into()),
        }
    }

    fn source(&mut self, value: &Value) -> Result<Source, String> {
        match self.outputs.get(&value.key()) {
            Some(&output) => {
                self.used[output] = true;
                Ok(Source::Output(output))
            }
            None => self.location_of_value(value).map(Source::Location),
        }
    }

    /// The storages that the call wrote to, with their new values.
    fn writes(&mut self, capture: &Capture) -> Result<Vec<Write>, String> {
        let mut writes = vec![];
        for touched in capture.touched.iter().filter(|touched| touched.writes > 0) {
            let Some(storage) = touched.storage.upgrade() else { continue };
            let source = self.source(&storage.value())?;
            writes.push((self.location_of(&touched.storage), source, touched.writes));
        }
        Ok(writes)
    }

    /// The changes of the call to the gradients of leaves.
    fn grad_effects(&mut self, capture: &Capture, leaves: &[(Rc<Inner>, &Leaf)]) -> Result<Vec<GradEffect>, String> {
        let mut grads = vec![];
        for (tensor, leaf) in leaves {
            let grad = tensor.meta.borrow().grad.clone();
            let after = match (grad, &leaf.entry) {
                (None, _) => After::Cleared,
                (Some(grad), Some(entry)) if std::ptr::eq(entry.as_ptr(), Rc::as_ptr(&grad.0.storage)) => After::Same,
                (Some(grad), _) if capture.existed(&grad.0.storage) => {
                    return Err("it makes a tensor that existed before a gradient".into());
                }
                (Some(grad), _) => After::New(self.source(&grad.value().value)?, grad.layout().clone()),
            };
            grads.push(GradEffect {
                leaf: Known::of(&Tensor(tensor.clone()), self.arguments),
                had: leaf.is_read.then_some(leaf.entry.is_some()),
                after,
            });
        }
        Ok(grads)
    }

    /// The sources of the results, and the values of their new storages.
    fn returned(&mut self, capture: &Capture, results: &[Tensor]) -> Result<(Vec<Returned>, Vec<Source>), String> {
        let (mut storages, mut numbers): (Vec<Source>, FxHashMap<usize, usize>) = Default::default();
        let mut returned = vec![];
        for result in results {
            returned.push(if let Some(argument) = self.arguments.iter().position(|argument| argument.is(result)) {
                Returned::Argument(argument)
            } else if capture.existed(&result.0.storage) {
                let location = self.location_of(&Rc::downgrade(&result.0.storage));
                match graph_of(result) {
                    // A leaf holds its gradient, so it stays the same tensor.
                    Graph::Leaf(true) => Returned::Leaf(Known::of(result, self.arguments)),
                    graph => Returned::View(location, result.layout().clone(), graph),
                }
            } else {
                let key = Rc::as_ptr(&result.0.storage) as usize;
                let storage = match numbers.get(&key) {
                    Some(&number) => number,
                    None => {
                        storages.push(self.source(&result.value().value)?);
                        numbers.insert(key, storages.len() - 1);
                        storages.len() - 1
                    }
                };
                Returned::New { storage, layout: result.layout().clone(), graph: graph_of(result) }
            });
        }
        Ok((returned, storages))
    }

    /// Whether something keeps data that the call uploaded, beside its results and its writes.
    fn keeps_upload(
        &self,
        inputs: &[Value],
        results: &[Tensor],
        (writes, grads): (&[Write], &[GradEffect]),
        kept: Option<&Calls>,
    ) -> bool {
        // The recording, this list, the locations, the storages that the call wrote and the
        // operations that can be repeated hold an upload; what else does keeps it for later.
        let is_of = |source: &Source, value: &Value| match source {
            Source::Location(location) => {
                matches!(&self.locations[*location], Location::Constant(held) if held.key() == value.key())
            }
            Source::Output(_) => false,
        };
        let new_gradient = |effect: &&GradEffect, value: &Value| matches!(&effect.after, After::New(source, _) if is_of(source, value));
        let held = |value: &Value| {
            let locations = self
                .locations
                .iter()
                .filter(|location| matches!(location, Location::Constant(held) if held.key() == value.key()));
            let inputs = inputs.iter().filter(|input| input.key() == value.key());
            let kept = kept.iter().flat_map(|calls| calls.constants());
            let kept = kept.filter(|tensor| tensor.0.storage.value().key() == value.key());
            let writes = writes.iter().filter(|(_, source, _)| is_of(source, value));
            let grads = grads.iter().filter(|effect| new_gradient(effect, value));
            1 + locations.count() + inputs.count() + writes.count() + grads.count() + kept.count()
        };
        let returns = |value: &Value| results.iter().any(|result| result.0.storage.value().key() == value.key());
        self.uploads.iter().any(|upload| upload.handles() > held(upload) && !returns(upload))
    }
}

/// A location whose storage takes a value, and the number of writes.
type Write = (usize, Source, u64);

/// The effects of a call.
struct Effects<'a> {
    locations: &'a [Location],
    writes: &'a [Write],
    grads: &'a [GradEffect],
    returned: &'a [Returned],
}

impl Effects<'_> {
    /// Whether the call only read an argument, whose elements no other argument shares, and gave no
    /// view of it.
    fn only_read(&self, arguments: &[Tensor], index: usize) -> bool {
        let is_of = |location: usize| matches!(self.locations[location], Location::Argument(of) if of == index);
        let is_known = |known: &Known| matches!(known, Known::Argument(of) if *of == index);
        let is_returned = |returned: &Returned| match returned {
            Returned::Argument(of) => *of == index,
            Returned::Leaf(known) => is_known(known),
            Returned::View(location, ..) => is_of(*location),
            Returned::New { .. } => false,
        };
        (0..arguments.len()).filter(|&other| alias(arguments, other) == index).eq([index])
            && !self.writes.iter().any(|(location, ..)| is_of(*location))
            && !self.grads.iter().any(|effect| is_known(&effect.leaf))
            && !self.returned.iter().any(is_returned)
    }
}

/// The location of a result in the graph.
fn graph_of(result: &Tensor) -> Graph {
    match autograd::graph_of(result) {
        autograd::GraphState::None => Graph::Leaf(result.requires_grad()),
        autograd::GraphState::Consumed(op) => Graph::Consumed(op),
        autograd::GraphState::Alive => Graph::Compiled,
    }
}

/// A call that was captured and recorded.
pub(super) struct Call<'a> {
    pub capture: Capture,
    pub recorded: Recorded,
    pub arguments: &'a [Tensor],
    /// The types, layouts and flags that the arguments had.
    pub guards: Vec<(DType, Layout, bool)>,
    pub modes: (bool, Option<DType>, DType),
    pub results: &'a [Tensor],
    /// The values that the backward pass of this call reads.
    pub needed: &'a [Value],
    /// The values that the forward pass of this call kept, if it is a backward pass.
    pub saved: &'a [Value],
    /// The operations that higher derivatives repeat.
    pub kept: Option<&'a Calls>,
}

impl Call<'_> {
    /// The entry of the call, and the computed values that no result or write contains: if the
    /// program still holds one of them, there is no entry. The error says why the call cannot be
    /// replayed.
    pub fn entry(self) -> Result<(Entry, Vec<Value>), String> {
        let Call { capture, recorded, arguments, guards, modes, results, needed, saved, kept } = self;
        let mut leaves: Vec<_> =
            capture.leaves.values().filter_map(|leaf| Some((leaf.tensor.upgrade()?, leaf))).collect();
        leaves.sort_unstable_by_key(|(tensor, _)| Rc::as_ptr(tensor) as usize);
        let mut entries: FxHashMap<usize, Vec<Weak<Storage>>> = FxHashMap::default();
        for touched in &capture.touched {
            entries.entry(touched.entry.key()).or_default().push(touched.storage.clone());
        }
        let grad_of = |(index, (_, leaf)): (usize, &(Rc<Inner>, &Leaf))| {
            leaf.entry.as_ref().map(|storage| (storage.as_ptr() as usize, index))
        };
        let mut finder = Finder {
            arguments,
            outputs: recorded.outputs.iter().enumerate().map(|(index, value)| (value.key(), index)).collect(),
            entries,
            grads: leaves.iter().enumerate().filter_map(grad_of).collect(),
            locations: vec![],
            by_storage: FxHashMap::default(),
            used: vec![false; recorded.outputs.len()],
            uploads: recorded.uploads,
            saved: saved.iter().enumerate().map(|(index, value)| (value.key(), index)).collect(),
        };
        for (index, value) in recorded.inputs.iter().enumerate() {
            // One location for each input: the first locations are in the recording's order.
            let location = finder.location_of_value(value)?;
            if location != index {
                return Err("an input of its kernels has two names".into());
            }
        }
        let folded = recorded.constants.iter().map(|value| Ok((finder.location_of_value(value)?, value.downgrade())));
        let folded = folded.collect::<Result<_, String>>()?;
        let known = |tensor: &Rc<Inner>| Known::of(&Tensor(tensor.clone()), arguments);
        let writes = finder.writes(&capture)?;
        let grads = finder.grad_effects(&capture, &leaves)?;
        let (returned, storages) = finder.returned(&capture, results)?;
        let saved = needed.iter().map(|value| finder.source(value)).collect::<Result<_, _>>()?;
        let unused = recorded.outputs.iter().zip(&finder.used).filter(|(_, used)| !**used);
        let unused = unused.map(|(value, _)| value.clone()).collect();
        let is_replaced = |index: usize| match &finder.locations[index] {
            Location::Constant(_) | Location::Saved(_) => false,
            Location::Grad(leaf) => {
                !matches!(grads[*leaf].after, After::Same) || writes.iter().any(|(location, ..)| *location == index)
            }
            Location::Argument(_) | Location::Storage(_) => writes.iter().any(|(location, ..)| *location == index),
        };
        if (0..recorded.inputs.len()).any(|index| recorded.recording.consumes(index) && !is_replaced(index)) {
            return Err("it drops a tensor that existed before".into());
        }
        if finder.keeps_upload(&recorded.inputs, results, (&writes, &grads), kept) {
            return Err("it keeps a tensor that it made from data of the host".into());
        }
        let flags = capture.flags.into_values();
        let leaves = flags.filter_map(|(tensor, flag)| Some((known(&tensor.upgrade()?), flag))).collect();
        let effects = Effects { locations: &finder.locations, writes: &writes, grads: &grads, returned: &returned };
        let argument = |(index, (dtype, layout, requires_grad)): (usize, (DType, Layout, bool))| ArgumentGuard {
            is_whole: layout.covers(arguments[index].0.storage.elements),
            is_read_only: !requires_grad && effects.only_read(arguments, index),
            alias: alias(arguments, index),
            dtype,
            layout,
            requires_grad,
        };
        let entry = Entry {
            recording: recorded.recording,
            arguments: guards.into_iter().enumerate().map(argument).collect(),
            locations: finder.locations,
            leaves,
            grads,
            writes,
            storages,
            results: returned,
            formulas: capture.formulas,
            guards: capture.guards,
            modes,
            folded,
            is_stale: Cell::new(false),
            saved,
            backward: None,
        };
        Ok((entry, unused))
    }
}
