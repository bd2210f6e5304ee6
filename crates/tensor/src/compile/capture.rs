//! The reads and writes of a function's call, collected while it is recorded.
//!
//! A recording knows values; a replay has tensors. So the reads and writes of storages, and the
//! gradients and flags of leaves, are noted here by the few functions through which every op goes.
//! Only what existed before the call matters: the rest is made again by a replay.

use super::symbolic::Formulas;
use crate::{
    Device, Error, Result, Tensor,
    autograd::{GradNode, Meta},
    storage::Storage,
    tensor::Inner,
};
use lanthorn_ir::expr::Constant;
use lanthorn_runtime::{Param, Symbol, WeakValue};
use rustc_hash::{FxHashMap, FxHashSet};
use std::{
    cell::{Cell, RefCell},
    rc::{Rc, Weak},
};

/// A storage that the call read or wrote.
pub(super) struct Touched {
    pub storage: Weak<Storage>,
    /// Its value before the call. A weak handle, because a strong one would make the value live on.
    pub entry: WeakValue,
    pub writes: u64,
}

/// A leaf whose `grad` the call read or replaced.
pub(super) struct Leaf {
    pub tensor: Weak<Inner>,
    /// The storage of its gradient before the call.
    pub entry: Option<Weak<Storage>>,
    /// Whether the call read it before it replaced it, and so depends on it.
    pub is_read: bool,
}

/// A condition that held while the call was recorded.
pub type Guard = Box<dyn Fn() -> bool>;

/// A call that is being recorded.
pub(super) struct Capture {
    pub device: Device,
    /// The number of storages that existed before.
    first_storage: u64,
    /// The number of the first graph node of the call.
    pub first_node: u64,
    /// The arguments, which may be results of earlier nodes.
    arguments: Vec<usize>,
    /// Whether the call may use other results of earlier nodes. Its gradients then end there.
    takes_results: bool,
    pub touched: Vec<Touched>,
    by_storage: FxHashMap<usize, usize>,
    pub leaves: FxHashMap<usize, Leaf>,
    /// Whether each leaf that an op took required gradients.
    pub flags: FxHashMap<usize, (Weak<Inner>, bool)>,
    pub guards: Vec<Guard>,
    pub formulas: Formulas,
}

thread_local! {
    static ACTIVE: Cell<bool> = const { Cell::new(false) };
    static CAPTURE: RefCell<Option<Capture>> = const { RefCell::new(None) };
}

/// Changes the capture under way, if there is one.
pub(super) fn with<T>(change: impl FnOnce(&mut Capture) -> T) -> Option<T> {
    if !ACTIVE.get() {
        return None;
    }
    CAPTURE.with_borrow_mut(|capture| capture.as_mut().map(change))
}

/// Begins a capture of a call with these arguments; `false` where the device cannot record now.
pub(super) fn start(device: &Device, arguments: &[Tensor], takes_results: bool) -> bool {
    start_at(device, GradNode::made(), arguments.iter().map(Tensor::id).collect(), takes_results)
}

/// Begins the capture of a backward pass, whose graph exists.
pub(super) fn start_backward(device: &Device) -> bool {
    start_at(device, 0, vec![], false)
}

fn start_at(device: &Device, first_node: u64, arguments: Vec<usize>, takes_results: bool) -> bool {
    if ACTIVE.get() || !device.start_recording() {
        return false;
    }
    CAPTURE.set(Some(Capture {
        device: device.clone(),
        first_storage: Storage::made(),
        first_node,
        arguments,
        takes_results,
        touched: vec![],
        by_storage: FxHashMap::default(),
        leaves: FxHashMap::default(),
        flags: FxHashMap::default(),
        guards: vec![],
        formulas: Formulas::default(),
    }));
    ACTIVE.set(true);
    true
}

/// Ends the capture under way.
pub(super) fn stop() -> Option<Capture> {
    ACTIVE.set(false);
    CAPTURE.take()
}

/// Ends the recording under way, if there is one, and runs its kernels. The rest of the call is an
/// ordinary call, in which others can be recorded.
pub(crate) fn leave() {
    if let Some(capture) = stop() {
        capture.device.break_recording(|| LEFT.into());
        // The error is the reason that was just given.
        let _ = capture.device.finish_recording(&FxHashSet::default());
    }
}

/// Why a call that [`leave`] ended cannot be replayed.
pub(super) const LEFT: &str = "it runs a scan or a loop, whose steps are recorded and replayed instead";

/// Whether a call is being recorded: what only a recording must know is then told to it.
pub fn is_active() -> bool {
    ACTIVE.get()
}

/// Excludes the current call from replays, for a reason that [`explain`](super::Compiled::explain)
/// reports.
pub fn break_graph(reason: impl FnOnce() -> String) {
    with(|capture| capture.device.break_recording(reason));
}

/// Adds a condition for replays of the call under way: a mode of a module, a flag.
pub fn guard(condition: impl Fn() -> bool + 'static) {
    with(|capture| capture.guards.push(Box::new(condition)));
}

impl Capture {
    /// The keys of the values that are the same at later calls, if the program does not replace
    /// them: of storages that the call only read, other than arguments that are not in `constants`,
    /// and gradients.
    pub fn constants(&self, arguments: &[Tensor], constants: &[bool]) -> FxHashSet<usize> {
        let is_gradient = |storage: *const Storage| {
            let mut entries = self.leaves.values().filter_map(|leaf| leaf.entry.as_ref());
            entries.any(|entry| entry.as_ptr() == storage)
        };
        let is_other_argument = |storage: *const Storage| {
            let mut all = arguments.iter().enumerate().filter(|(_, x)| Rc::as_ptr(&x.0.storage) == storage);
            all.any(|(index, _)| !constants.get(index).copied().unwrap_or(false))
        };
        let is_constant = |touched: &&Touched| {
            let storage = touched.storage.as_ptr();
            touched.writes == 0
                && touched.storage.strong_count() > 0
                && !is_gradient(storage)
                && !is_other_argument(storage)
        };
        self.touched.iter().filter(is_constant).map(|touched| touched.entry.key()).collect()
    }

    /// Whether a storage existed before the call.
    pub fn existed(&self, storage: &Storage) -> bool {
        storage.serial < self.first_storage
    }

    fn touch(&mut self, storage: &Rc<Storage>) -> Option<&mut Touched> {
        if !self.existed(storage) {
            return None;
        }
        if storage.device != self.device {
            self.device.break_recording(|| "it uses tensors of two devices".into());
        }
        let touched = &mut self.touched;
        let index = *self.by_storage.entry(Rc::as_ptr(storage) as usize).or_insert_with(|| {
            let entry = storage.value().downgrade();
            touched.push(Touched { storage: Rc::downgrade(storage), entry, writes: 0 });
            touched.len() - 1
        });
        Some(&mut self.touched[index])
    }
}

/// Notes that the value of a storage is read.
pub(crate) fn note_read(storage: &Rc<Storage>) {
    with(|capture| {
        capture.touch(storage);
    });
}

/// Notes that a storage is about to be written.
pub(crate) fn note_write(storage: &Rc<Storage>) {
    with(|capture| {
        if let Some(touched) = capture.touch(storage) {
            touched.writes += 1;
        }
    });
}

/// Notes that the `grad` of a tensor is read or replaced.
pub(crate) fn note_grad(tensor: &Tensor, is_read: bool) {
    with(|capture| {
        let entry = |tensor: &Tensor| {
            let meta = tensor.0.meta.borrow();
            meta.grad.as_ref().map(|grad| Rc::downgrade(&grad.0.storage))
        };
        let leaf = || Leaf { tensor: Rc::downgrade(&tensor.0), entry: entry(tensor), is_read };
        capture.leaves.entry(tensor.id()).or_insert_with(leaf);
    });
}

/// Notes that an op reads a tensor's node or leaf in the graph.
pub(crate) fn note_leaf(tensor: &Tensor, meta: &Meta) {
    let flag = || (Rc::downgrade(&tensor.0), meta.node.is_some() || meta.requires_grad);
    with(|capture| match &meta.node {
        // Its gradient goes to the node of the argument that a replay is given.
        Some(from) if from.node.sequence < capture.first_node && capture.arguments.contains(&tensor.id()) => {
            capture.flags.entry(tensor.id()).or_insert_with(flag);
        }
        Some(from) if from.node.sequence < capture.first_node && capture.takes_results => {}
        Some(from) if from.node.sequence < capture.first_node => capture.device.break_recording(|| {
            format!("it uses a tensor that {} computed before the call, with its graph", from.node.op)
        }),
        Some(_) => {}
        None => {
            capture.flags.entry(tensor.id()).or_insert_with(flag);
        }
    });
}

/// Notes that a backward pass visits a node: a replay has no other graph than its own.
pub(crate) fn note_backward(node: &GradNode) {
    with(|capture| {
        if node.sequence < capture.first_node {
            capture.device.break_recording(|| format!("its backward pass visits {} before the call", node.op));
        }
    });
}

/// Notes that the flag of a tensor is about to change.
pub(crate) fn note_flag(tensor: &Tensor) {
    with(|capture| {
        if capture.existed(&tensor.0.storage) {
            capture.device.break_recording(|| "it changes requires_grad of a tensor".into());
        }
    });
}

/// Notes that a tensor becomes another view, or part of another graph, which a replay does not
/// repeat.
pub(crate) fn note_rebase(tensor: &Tensor, what: &str) {
    with(|capture| {
        if capture.existed(&tensor.0.storage) {
            capture.device.break_recording(|| format!("it {what} of a tensor that existed before"));
        }
    });
}

/// Takes `count` words an element from the device's generator: the key and the first offset.
pub(crate) fn take_random(device: &Device, count: u32) -> [Param; 3] {
    let symbols = with(|capture| capture.formulas.take_random(count));
    let (key, offset) = device.generator().take(count);
    let words = [key[0], key[1], offset];
    std::array::from_fn(|word| Param {
        value: Constant::U32(words[word]),
        symbol: symbols.map(|symbols| Symbol(symbols[word])),
    })
}

/// The error of a compiled function that is called within another while that is recorded.
pub(super) fn nested() -> Result<()> {
    match is_active() {
        true => Err(Error::argument("compile", "a compiled function is being recorded already")),
        false => Ok(()),
    }
}
