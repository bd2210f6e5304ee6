//! A recorded call: where a replay finds its inputs, and where its outputs go.

use super::{backward::Backward, capture::Guard, repeat::Given, symbolic::Formulas};
use crate::{
    DType, Result, Tensor, autocast_dtype,
    autograd::{self, is_grad_enabled},
    default_dtype,
    storage::Storage,
    tensor::Inner,
};
use lanthorn_ir::{Layout, expr::Constant};
use lanthorn_runtime::{Device, Recording, Value, WeakValue};
use rustc_hash::FxHashMap;
use std::{
    cell::Cell,
    rc::{Rc, Weak},
};

/// Where a replay finds a storage.
pub(super) enum Location {
    /// Of an argument.
    Argument(usize),
    /// A parameter, a buffer, the state of an optimizer.
    Storage(Weak<Storage>),
    /// Of the gradient that a leaf has before the call.
    Grad(usize),
    /// Data of the host that the recorded call uploaded.
    Constant(Value),
    /// A value that the forward pass of this backward pass kept.
    Saved(usize),
}

/// Where a replay finds a value.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// The value before the call of a location.
    Location(usize),
    /// An output of the recording.
    Output(usize),
}

/// The required layout and type of an argument.
pub(super) struct ArgumentGuard {
    pub dtype: DType,
    pub layout: Layout,
    pub requires_grad: bool,
    /// The first argument with the same storage.
    pub alias: usize,
    /// Whether the call only read it, and gave no view of it: a copy of it does as well.
    pub is_read_only: bool,
    /// Whether it was all elements of its storage, in order, as a copy is.
    pub is_whole: bool,
}

/// Whether arguments have the layouts of a recorded call.
pub(super) enum Layouts {
    /// They are.
    Same,
    /// The layouts of these arguments, which the call only read, differ.
    Other(Vec<usize>),
}

/// The arguments, where the arguments of these indices are copies with their elements in order.
pub(super) fn copies(arguments: &[Tensor], indices: &[usize]) -> Result<Vec<Tensor>> {
    let mut given = arguments.to_vec();
    for &index in indices {
        given[index] = autograd::no_grad(|| arguments[index].clone_tensor())?;
    }
    Ok(given)
}

/// A tensor that existed before the call.
pub(super) enum Known {
    Argument(usize),
    Tensor(Weak<Inner>),
}

/// The gradient of a leaf.
pub(super) struct GradEffect {
    pub leaf: Known,
    /// Whether there must be one before the call, if the call depends on it.
    pub had: Option<bool>,
    pub after: After,
}

pub(super) enum After {
    /// The same tensor.
    Same,
    /// None.
    Cleared,
    /// A new tensor.
    New(Source, Layout),
}

/// A result of the function.
pub(super) enum Returned {
    Argument(usize),
    /// A leaf that existed before.
    Leaf(Known),
    /// A view of a storage that existed before.
    View(usize, Layout, Graph),
    /// A new tensor, of a storage by its number among the new ones.
    New {
        storage: usize,
        layout: Layout,
        graph: Graph,
    },
}

/// The location of a new tensor in the graph.
pub(super) enum Graph {
    /// Outside, or a leaf that requires gradients.
    Leaf(bool),
    /// A result of this op, whose graph was used up in the call.
    Consumed(&'static str),
    /// The compiled function computed it.
    Compiled,
}

/// One recorded call.
pub(super) struct Entry {
    pub recording: Recording,
    /// The locations of the recording's inputs, and then others.
    pub locations: Vec<Location>,
    pub arguments: Vec<ArgumentGuard>,
    pub leaves: Vec<(Known, bool)>,
    pub grads: Vec<GradEffect>,
    /// The locations whose storages receive a value, and the number of writes.
    pub writes: Vec<(usize, Source, u64)>,
    /// The values of new storages that results have.
    pub storages: Vec<Source>,
    pub results: Vec<Returned>,
    pub formulas: Formulas,
    pub guards: Vec<Guard>,
    pub modes: (bool, Option<DType>, DType),
    /// The locations that contributed to values which were computed when the call was recorded,
    /// and the value that each had.
    pub folded: Vec<(usize, WeakValue)>,
    /// Whether a replay found another value in such a location.
    pub is_stale: Cell<bool>,
    /// The values that the backward pass reads.
    pub saved: Vec<Source>,
    /// The backward pass, where gradients can go through results.
    pub backward: Option<Rc<Backward>>,
}

/// For each argument, the first argument with its storage.
fn aliases(arguments: &[Tensor]) -> Vec<usize> {
    let mut first = FxHashMap::default();
    let storages = arguments.iter().map(|argument| Rc::as_ptr(&argument.0.storage));
    storages.enumerate().map(|(index, storage)| *first.entry(storage).or_insert(index)).collect()
}

/// The first argument with the storage of argument `index`.
pub(super) fn alias(arguments: &[Tensor], index: usize) -> usize {
    let same = |other: &Tensor| Rc::ptr_eq(&other.0.storage, &arguments[index].0.storage);
    arguments.iter().position(same).unwrap_or(index)
}

impl Entry {
    /// The number of kernels.
    pub fn launches(&self) -> usize {
        self.recording.launches()
    }

    /// The storages that the call read, and neither got as arguments nor wrote.
    pub fn reads(&self) -> impl Iterator<Item = &Weak<Storage>> {
        let is_written = |index: usize| self.writes.iter().any(|(location, ..)| *location == index);
        self.locations.iter().enumerate().filter_map(move |(index, location)| match location {
            Location::Storage(storage) if !is_written(index) => Some(storage),
            _ => None,
        })
    }

    /// Whether everything except values and numbers is as it was when the call was recorded, and
    /// which layouts differ. `None` if it is not, or if the recording cannot be replayed.
    pub fn layouts(&self, device: &Device, arguments: &[Tensor]) -> Option<Layouts> {
        if !device.can_replay(&self.recording) || !self.fits(device, arguments) {
            return None;
        }
        let differs = |index: &usize| self.arguments[*index].layout != *arguments[*index].layout();
        let others: Vec<usize> = (0..arguments.len()).filter(differs).collect();
        if others.is_empty() {
            return Some(Layouts::Same);
        }
        // Copies share no storage, so the arguments themselves must share no storage that the call
        // touches, and the call must be the recorded one: another may touch more.
        self.storages(arguments)?;
        self.formulas.evaluate(device.generator())?;
        Some(Layouts::Other(others))
    }

    /// Copies of the arguments of these indices, if all layouts are then the recorded ones.
    pub fn in_order(&self, arguments: &[Tensor], others: &[usize]) -> Option<Vec<Tensor>> {
        if !others.iter().all(|&index| self.arguments[index].is_whole) {
            return None;
        }
        copies(arguments, others).ok()
    }

    fn fits(&self, device: &Device, arguments: &[Tensor]) -> bool {
        let aliases = aliases(arguments);
        let argument_fits = |(index, guard): (usize, &ArgumentGuard)| {
            let argument = &arguments[index];
            let layout = argument.layout();
            argument.device() == device
                && guard.dtype == argument.dtype()
                && (guard.layout == *layout || (guard.is_read_only && guard.layout.shape() == layout.shape()))
                && guard.requires_grad == argument.requires_grad()
                && guard.alias == aliases[index]
        };
        // A leaf that is gone was none of the call's own.
        let leaf_fits = |(known, flag): &(Known, bool)| {
            known.tensor(arguments).is_none_or(|tensor| {
                let meta = tensor.0.meta.borrow();
                let is_argument = matches!(known, Known::Argument(_));
                (is_argument || meta.node.is_none()) && (meta.node.is_some() || meta.requires_grad) == *flag
            })
        };
        let grad_fits = |effect: &GradEffect| {
            effect
                .leaf
                .tensor(arguments)
                .is_some_and(|leaf| effect.had.is_none_or(|had| leaf.0.meta.borrow().grad.is_some() == had))
        };
        arguments.len() == self.arguments.len()
            && self.modes == (is_grad_enabled(), autocast_dtype(), default_dtype())
            && self.arguments.iter().enumerate().all(argument_fits)
            && self.leaves.iter().all(leaf_fits)
            && self.grads.iter().all(grad_fits)
            && self.guards.iter().all(|guard| guard())
    }

    /// The storage of each location, if they are all there and are as different as they were.
    fn storages(&self, arguments: &[Tensor]) -> Option<Vec<Option<Rc<Storage>>>> {
        let is_argument =
            |storage: &Rc<Storage>| arguments.iter().any(|argument| Rc::ptr_eq(&argument.0.storage, storage));
        let storage = |location: &Location| match location {
            Location::Argument(index) => Some(Some(arguments[*index].0.storage.clone())),
            Location::Storage(storage) => storage.upgrade().filter(|storage| !is_argument(storage)).map(Some),
            Location::Grad(leaf) => {
                let leaf = self.grads[*leaf].leaf.tensor(arguments)?;
                let meta = leaf.0.meta.borrow();
                let grad = meta.grad.as_ref().filter(|grad| grad.layout().covers(grad.0.storage.elements))?;
                (!is_argument(&grad.0.storage)).then(|| Some(grad.0.storage.clone()))
            }
            Location::Constant(_) | Location::Saved(_) => Some(None),
        };
        self.locations.iter().map(storage).collect()
    }

    /// Runs the call again on arguments that fit, with the values that a forward pass saved. `None`
    /// where a value is not there, or a buffer that would take a result is held elsewhere.
    pub fn run(&self, device: &Device, arguments: &[Tensor], saved: &[Value]) -> Option<Vec<Tensor>> {
        let is_there =
            |returned: &Returned| !matches!(returned, Returned::Leaf(leaf) if leaf.tensor(arguments).is_none());
        if !self.results.iter().all(is_there) {
            return None;
        }
        let storages = self.storages(arguments)?;
        let numbers = self.formulas.evaluate(device.generator())?;
        let repeats = self.backward.as_ref().is_some_and(|backward| backward.calls.is_some());
        let given = repeats.then(|| Given::new(device, arguments));
        let value = |(location, storage): (&Location, &Option<Rc<Storage>>)| match (location, storage) {
            (Location::Constant(value), _) => value.clone(),
            (Location::Saved(index), _) => saved[*index].clone(),
            (_, Some(storage)) => storage.value(),
            (_, None) => unreachable!("every other location has a storage"),
        };
        let count = self.recording.inputs();
        let inputs: Vec<Value> = self.locations[..count].iter().zip(&storages).map(value).collect();
        if !device.can_bind(&self.recording, &inputs) {
            return None;
        }
        // Values that are only passed on: before anything is written.
        let others: Vec<Value> = self.locations[count..].iter().zip(&storages[count..]).map(value).collect();
        let current = |location: usize| inputs.get(location).unwrap_or_else(|| &others[location - count]);
        if self.folded.iter().any(|(location, value)| current(*location).key() != value.key()) {
            self.is_stale.set(true);
            return None;
        }
        let grads: Vec<Option<Tensor>> = self.grads.iter().map(|effect| effect.leaf.tensor(arguments)).collect();
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
            Source::Location(location) if location < count => inputs[location].clone(),
            Source::Location(location) => others[location - count].clone(),
        };
        self.formulas.write_all(&numbers, device.generator());
        for &(location, source, writes) in &self.writes {
            if let Some(storage) = &storages[location] {
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
            Returned::Leaf(leaf) => leaf.tensor(arguments).expect("it was found before"),
            Returned::View(location, layout, graph) => {
                let storage = storages[*location].clone().expect("a view is of a storage");
                graph.tensor(storage, layout)
            }
            Returned::New { storage, layout, graph } => graph.tensor(made[*storage].clone(), layout),
        };
        let results: Vec<Tensor> = self.results.iter().map(result).collect();
        device.memory().write_through();
        if let Some(backward) = &self.backward {
            let saved = self.saved.iter().map(|&source| value(source)).collect();
            let is_compiled = |returned: &Returned| {
                matches!(returned, Returned::New { graph: Graph::Compiled, .. } | Returned::View(_, _, Graph::Compiled))
            };
            let open = results.iter().zip(&self.results).filter(|(_, returned)| is_compiled(returned));
            let open: Vec<Tensor> = open.map(|(result, _)| result.clone()).collect();
            backward.attach(&open, arguments, saved, given);
        }
        Some(results)
    }
}

impl Graph {
    /// A tensor of a storage at this location, without a compiled function's node.
    fn tensor(&self, storage: Rc<Storage>, layout: &Layout) -> Tensor {
        let tensor = Tensor::build(storage, layout.clone(), None);
        match self {
            Graph::Leaf(requires_grad) => tensor.0.meta.borrow_mut().requires_grad = *requires_grad,
            Graph::Consumed(op) => autograd::attach_consumed(op, &tensor),
            Graph::Compiled => {}
        }
        tensor
    }
}

impl Known {
    /// The tensor, if it is there.
    pub fn tensor(&self, arguments: &[Tensor]) -> Option<Tensor> {
        match self {
            Known::Argument(index) => Some(arguments[*index].clone()),
            Known::Tensor(tensor) => tensor.upgrade().map(Tensor),
        }
    }

    /// The index of the argument.
    pub fn argument(&self) -> Option<usize> {
        match self {
            Known::Argument(index) => Some(*index),
            Known::Tensor(_) => None,
        }
    }

    /// The location by which a replay finds a tensor.
    pub fn of(tensor: &Tensor, arguments: &[Tensor]) -> Known {
        match arguments.iter().position(|argument| argument.is(tensor)) {
            Some(argument) => Known::Argument(argument),
            None => Known::Tensor(Rc::downgrade(&tensor.0)),
        }
    }
}
