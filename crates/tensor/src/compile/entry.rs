//! A recorded call: where a replay finds its inputs, and where its outputs go.

use super::{capture::Capture, symbolic::Formulas};
use crate::{
    DType, Tensor, autocast_dtype,
    autograd::{self, is_grad_enabled},
    compile::capture::Guard,
    storage::Storage,
    tensor::Inner,
};
use lanthorn_ir::{Layout, expr::Constant};
use lanthorn_runtime::{Device, Recorded, Recording, Value};
use rustc_hash::FxHashMap;
use std::rc::{Rc, Weak};

/// Where a replay finds a storage.
enum Place {
    /// Of an argument.
    Argument(usize),
    /// A parameter, a buffer, the state of an optimizer.
    Storage(Weak<Storage>),
    /// Of the gradient that a leaf has before the call.
    Grad(usize),
    /// Data of the host that the recorded call uploaded.
    Constant(Value),
}

/// Where a replay finds a value.
#[derive(Clone, Copy)]
enum Source {
    /// The value before the call of a place.
    Place(usize),
    /// An output of the recording.
    Output(usize),
}

/// What an argument must be.
struct ArgumentGuard {
    dtype: DType,
    layout: Layout,
    requires_grad: bool,
    /// The first argument with the same storage.
    alias: usize,
}

/// A tensor that existed before the call.
enum Known {
    Argument(usize),
    Tensor(Weak<Inner>),
}

/// The gradient of a leaf.
struct GradEffect {
    leaf: Known,
    /// Whether there must be one before the call, if the call depends on it.
    had: Option<bool>,
    after: After,
}

enum After {
    /// The same tensor.
    Same,
    /// None.
    Cleared,
    /// A new tensor.
    New(Source, Layout),
}

/// A result of the function.
enum Returned {
    Argument(usize),
    /// A view of a storage that existed before.
    View(usize, Layout),
    /// A new tensor, of a storage by its number among the new ones.
    New {
        storage: usize,
        layout: Layout,
        requires_grad: bool,
        consumed_by: Option<&'static str>,
    },
}

/// One recorded call.
pub(super) struct Entry {
    recording: Recording,
    /// The places of the recording's inputs, and then others.
    places: Vec<Place>,
    arguments: Vec<ArgumentGuard>,
    leaves: Vec<(Known, bool)>,
    grads: Vec<GradEffect>,
    /// Places whose storages take a value, and the number of writes.
    writes: Vec<(usize, Source, u64)>,
    /// The values of new storages that results have.
    storages: Vec<Source>,
    results: Vec<Returned>,
    formulas: Formulas,
    guards: Vec<Guard>,
    modes: (bool, Option<DType>),
}

/// The first argument with the storage of argument `index`.
fn alias(arguments: &[Tensor], index: usize) -> usize {
    let same = |other: &Tensor| Rc::ptr_eq(&other.0.storage, &arguments[index].0.storage);
    arguments.iter().position(same).unwrap_or(index)
}

/// What finds places and sources while an entry is made.
struct Finder<'a> {
    arguments: &'a [Tensor],
    uploads: Vec<Value>,
    /// The numbers of outputs by their value.
    outputs: FxHashMap<usize, usize>,
    /// The storages that held each value before the call.
    entries: FxHashMap<usize, Vec<Weak<Storage>>>,
    /// The leaf whose gradient each storage was.
    grads: FxHashMap<usize, usize>,
    places: Vec<Place>,
    /// The storage of each place.
    by_storage: FxHashMap<usize, usize>,
    used: Vec<bool>,
}

impl Finder<'_> {
    fn place_of(&mut self, storage: &Weak<Storage>) -> usize {
        let key = storage.as_ptr() as usize;
        if let Some(&place) = self.by_storage.get(&key) {
            return place;
        }
        let argument =
            self.arguments.iter().position(|argument| std::ptr::eq(Rc::as_ptr(&argument.0.storage), storage.as_ptr()));
        self.places.push(match (argument, self.grads.get(&key)) {
            (Some(argument), _) => Place::Argument(argument),
            (None, Some(&leaf)) => Place::Grad(leaf),
            (None, None) => Place::Storage(storage.clone()),
        });
        self.by_storage.insert(key, self.places.len() - 1);
        self.places.len() - 1
    }

    /// The place that held a value before the call.
    fn place_of_value(&mut self, value: &Value) -> Result<usize, String> {
        let mut candidates = self.entries.get(&value.key()).cloned().unwrap_or_default();
        // A gradient that was replaced is gone by now, and found by its leaf.
        let grads = &self.grads;
        candidates.retain(|storage| storage.strong_count() > 0 || grads.contains_key(&(storage.as_ptr() as usize)));
        match &candidates[..] {
            [storage] => Ok(self.place_of(storage)),
            [] if self.uploads.iter().any(|upload| upload.key() == value.key()) => {
                self.places.push(Place::Constant(value.clone()));
                Ok(self.places.len() - 1)
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
            None => self.place_of_value(value).map(Source::Place),
        }
    }
}

impl Entry {
    /// The entry of a call that was captured and recorded. The error says why it cannot be replayed.
    pub fn new(
        capture: Capture,
        recorded: Recorded,
        arguments: &[Tensor],
        guards: Vec<(DType, Layout, bool)>,
        modes: (bool, Option<DType>),
        results: &[Tensor],
    ) -> Result<Entry, String> {
        let mut leaves: Vec<_> =
            capture.leaves.values().filter_map(|leaf| Some((leaf.tensor.upgrade()?, leaf))).collect();
        leaves.sort_unstable_by_key(|(tensor, _)| Rc::as_ptr(tensor) as usize);
        let mut entries: FxHashMap<usize, Vec<Weak<Storage>>> = FxHashMap::default();
        for touched in &capture.touched {
            entries.entry(touched.entry.key()).or_default().push(touched.storage.clone());
        }
        let grad_of = |(index, (_, leaf)): (usize, &(Rc<Inner>, &_))| {
            let leaf: &super::capture::Leaf = leaf;
            leaf.entry.as_ref().map(|storage| (storage.as_ptr() as usize, index))
        };
        let mut finder = Finder {
            arguments,
            outputs: recorded.outputs.iter().enumerate().map(|(index, value)| (value.key(), index)).collect(),
            entries,
            grads: leaves.iter().enumerate().filter_map(grad_of).collect(),
            places: vec![],
            by_storage: FxHashMap::default(),
            used: vec![false; recorded.outputs.len()],
            uploads: recorded.uploads,
        };
        for (index, value) in recorded.inputs.iter().enumerate() {
            // One place for each input: the first places are in the recording's order.
            let place = finder.place_of_value(value)?;
            if place != index {
                return Err("an input of its kernels has two names".into());
            }
        }
        let known = |tensor: &Rc<Inner>| match arguments.iter().position(|argument| Rc::ptr_eq(&argument.0, tensor)) {
            Some(argument) => Known::Argument(argument),
            None => Known::Tensor(Rc::downgrade(tensor)),
        };
        let mut writes = vec![];
        for touched in capture.touched.iter().filter(|touched| touched.writes > 0) {
            let Some(storage) = touched.storage.upgrade() else { continue };
            let source = finder.source(&storage.value())?;
            writes.push((finder.place_of(&touched.storage), source, touched.writes));
        }
        let mut grads = vec![];
        for (tensor, leaf) in &leaves {
            let grad = tensor.meta.borrow().grad.clone();
            let after = match (grad, &leaf.entry) {
                (None, _) => After::Cleared,
                (Some(grad), Some(entry)) if std::ptr::eq(entry.as_ptr(), Rc::as_ptr(&grad.0.storage)) => After::Same,
                (Some(grad), _) if capture.existed(&grad.0.storage) => {
                    return Err("it makes a tensor that existed before a gradient".into());
                }
                (Some(grad), _) => After::New(finder.source(&grad.value())?, grad.layout().clone()),
            };
            grads.push(GradEffect { leaf: known(tensor), had: leaf.is_read.then_some(leaf.entry.is_some()), after });
        }
        let (mut storages, mut numbers): (Vec<Source>, FxHashMap<usize, usize>) = Default::default();
        let mut returned = vec![];
        for result in results {
            returned.push(if let Some(argument) = arguments.iter().position(|argument| argument.is(result)) {
                Returned::Argument(argument)
            } else if capture.existed(&result.0.storage) {
                if result.requires_grad() {
                    return Err("it returns a tensor that requires gradients and existed before".into());
                }
                Returned::View(finder.place_of(&Rc::downgrade(&result.0.storage)), result.layout().clone())
            } else {
                let consumed_by = autograd::consumed_by(result)?;
                let key = Rc::as_ptr(&result.0.storage) as usize;
                let storage = match numbers.get(&key) {
                    Some(&number) => number,
                    None => {
                        storages.push(finder.source(&result.value())?);
                        numbers.insert(key, storages.len() - 1);
                        storages.len() - 1
                    }
                };
                let requires_grad = consumed_by.is_none() && result.requires_grad();
                Returned::New { storage, layout: result.layout().clone(), requires_grad, consumed_by }
            });
        }
        let kept = finder.used.iter().position(|used| !used);
        if let Some(kept) = kept {
            return Err(format!(
                "it keeps a tensor that {} computed, and does not return it",
                recorded.outputs[kept].op()
            ));
        }
        let is_replaced = |index: usize| match &finder.places[index] {
            Place::Constant(_) => false,
            Place::Grad(leaf) => {
                !matches!(grads[*leaf].after, After::Same) || writes.iter().any(|(place, ..)| *place == index)
            }
            Place::Argument(_) | Place::Storage(_) => writes.iter().any(|(place, ..)| *place == index),
        };
        if (0..recorded.inputs.len()).any(|index| recorded.recording.consumes(index) && !is_replaced(index)) {
            return Err("it drops a tensor that existed before".into());
        }
        // The recording, this list and the places hold an upload; what else does keeps it for later.
        let held = |value: &Value| {
            let places = finder
                .places
                .iter()
                .filter(|place| matches!(place, Place::Constant(held) if held.key() == value.key()));
            let inputs = recorded.inputs.iter().filter(|input| input.key() == value.key());
            1 + places.count() + inputs.count()
        };
        let returns = |value: &Value| results.iter().any(|result| result.0.storage.value().key() == value.key());
        if finder.uploads.iter().any(|upload| upload.handles() > held(upload) && !returns(upload)) {
            return Err("it keeps a tensor that it made from data of the host".into());
        }
        let flags = capture.flags.into_values();
        let leaves = flags.filter_map(|(tensor, flag)| Some((known(&tensor.upgrade()?), flag))).collect();
        let argument = |(index, (dtype, layout, requires_grad))| ArgumentGuard {
            dtype,
            layout,
            requires_grad,
            alias: alias(arguments, index),
        };
        Ok(Entry {
            recording: recorded.recording,
            places: finder.places,
            arguments: guards.into_iter().enumerate().map(argument).collect(),
            leaves,
            grads,
            writes,
            storages,
            results: returned,
            formulas: capture.formulas,
            guards: capture.guards,
            modes,
        })
    }

    /// The number of kernels.
    pub fn launches(&self) -> usize {
        self.recording.launches()
    }

    fn tensor(&self, known: &Known, arguments: &[Tensor]) -> Option<Tensor> {
        match known {
            Known::Argument(index) => Some(arguments[*index].clone()),
            Known::Tensor(tensor) => tensor.upgrade().map(Tensor),
        }
    }

    /// Whether everything is as it was when the call was recorded, but for values and numbers.
    fn fits(&self, arguments: &[Tensor]) -> bool {
        let argument_fits = |(index, guard): (usize, &ArgumentGuard)| {
            let argument = &arguments[index];
            guard.dtype == argument.dtype()
                && guard.layout == *argument.layout()
                && guard.requires_grad == argument.requires_grad()
                && (argument.is_leaf() || !argument.requires_grad())
                && guard.alias == alias(arguments, index)
        };
        // A leaf that is gone was none of the call's own.
        let leaf_fits = |(known, flag): &(Known, bool)| {
            self.tensor(known, arguments).is_none_or(|tensor| {
                let meta = tensor.0.meta.borrow();
                meta.node.is_none() && meta.requires_grad == *flag
            })
        };
        let grad_fits = |effect: &GradEffect| {
            self.tensor(&effect.leaf, arguments)
                .is_some_and(|leaf| effect.had.is_none_or(|had| leaf.0.meta.borrow().grad.is_some() == had))
        };
        arguments.len() == self.arguments.len()
            && self.modes == (is_grad_enabled(), autocast_dtype())
            && self.arguments.iter().enumerate().all(argument_fits)
            && self.leaves.iter().all(leaf_fits)
            && self.grads.iter().all(grad_fits)
            && self.guards.iter().all(|guard| guard())
    }

    /// The storage of each place, if they are all there and are as different as they were.
    fn storages(&self, arguments: &[Tensor]) -> Option<Vec<Option<Rc<Storage>>>> {
        let is_argument =
            |storage: &Rc<Storage>| arguments.iter().any(|argument| Rc::ptr_eq(&argument.0.storage, storage));
        let storage = |place: &Place| match place {
            Place::Argument(index) => Some(Some(arguments[*index].0.storage.clone())),
            Place::Storage(storage) => storage.upgrade().filter(|storage| !is_argument(storage)).map(Some),
            Place::Grad(leaf) => {
                let leaf = self.tensor(&self.grads[*leaf].leaf, arguments)?;
                let meta = leaf.0.meta.borrow();
                let grad = meta.grad.as_ref().filter(|grad| grad.layout().covers(grad.0.storage.elements))?;
                (!is_argument(&grad.0.storage)).then(|| Some(grad.0.storage.clone()))
            }
            Place::Constant(_) => Some(None),
        };
        self.places.iter().map(storage).collect()
    }

    /// Runs the call again, if everything but values and numbers is as it was.
    pub fn replay(&self, device: &Device, arguments: &[Tensor]) -> Option<Vec<Tensor>> {
        if !device.can_replay(&self.recording) || !self.fits(arguments) {
            return None;
        }
        let storages = self.storages(arguments)?;
        let numbers = self.formulas.evaluate(device.generator())?;
        let value = |(place, storage): (&Place, &Option<Rc<Storage>>)| match (place, storage) {
            (Place::Constant(value), _) => value.clone(),
            (_, Some(storage)) => storage.value(),
            (_, None) => unreachable!("every place but a constant has a storage"),
        };
        let count = self.recording.inputs();
        let inputs: Vec<Value> = self.places[..count].iter().zip(&storages).map(value).collect();
        if !device.can_bind(&self.recording, &inputs) {
            return None;
        }
        // Values that are only passed on: before anything is written.
        let others: Vec<Value> = self.places[count..].iter().zip(&storages[count..]).map(value).collect();
        let grads: Vec<Option<Tensor>> = self.grads.iter().map(|effect| self.tensor(&effect.leaf, arguments)).collect();
        for (effect, leaf) in self.grads.iter().zip(&grads) {
            // Their buffers serve this call.
            if let (Some(leaf), false) = (leaf, matches!(effect.after, After::Same)) {
                leaf.0.meta.borrow_mut().grad = None;
            }
        }
        let params = self.recording.params.iter().map(|param| match param.symbol {
            Some(symbol) => Constant::new(numbers[symbol.0 as usize], param.ty()),
            None => param.value,
        });
        let outputs = device.replay(&self.recording, &inputs, &params.collect::<Vec<_>>());
        let value = |source: Source| match source {
            Source::Output(output) => outputs[output].clone(),
            Source::Place(place) if place < count => inputs[place].clone(),
            Source::Place(place) => others[place - count].clone(),
        };
        self.formulas.write_all(&numbers, device.generator());
        for &(place, source, writes) in &self.writes {
            if let Some(storage) = &storages[place] {
                storage.write_after(value(source), writes);
            }
        }
        for (effect, leaf) in self.grads.iter().zip(&grads) {
            if let (Some(leaf), After::New(source, layout)) = (leaf, &effect.after) {
                let storage = Rc::new(Storage::new(device.clone(), value(*source)));
                leaf.0.meta.borrow_mut().grad = Some(Tensor::build(storage, layout.clone(), None));
            }
        }
        let made: Vec<Rc<Storage>> =
            self.storages.iter().map(|&source| Rc::new(Storage::new(device.clone(), value(source)))).collect();
        let result = |returned: &Returned| match returned {
            Returned::Argument(index) => arguments[*index].clone(),
            Returned::View(place, layout) => {
                let storage = storages[*place].clone().expect("a view is of a storage");
                Tensor::build(storage, layout.clone(), None)
            }
            Returned::New { storage, layout, requires_grad, consumed_by } => {
                let tensor = Tensor::build(made[*storage].clone(), layout.clone(), None);
                tensor.0.meta.borrow_mut().requires_grad = *requires_grad;
                if let Some(op) = consumed_by {
                    autograd::attach_consumed(op, &tensor);
                }
                tensor
            }
        };
        Some(self.results.iter().map(result).collect())
    }
}
