//! The objects behind handles.

use crate::{error::Result, func::Functions, graph::MultiHook, upload::Upload};
use lanthorn::{
    Device, Error, HookHandle, SharedBuffer, Tensor,
    autograd::Node,
    compile::Recordings,
    control::Loop,
    optim::{GradScaler, Optimizer, Scheduler},
};
use rustc_hash::FxHashMap;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// The first handle, and the distance between handles: each core has a different remainder, so that
/// a core rejects the handles of other cores in the same page. The distance divides 2^32, so that
/// the remainder stays.
const FIRST: u32 = match (cfg!(feature = "webgpu"), cfg!(target_feature = "atomics")) {
    (true, _) => 1,
    (false, false) => 2,
    (false, true) => 3,
};
const STEP: u32 = 4;

/// Objects by handle. A handle is never reused.
pub(crate) struct Handles<T> {
    what: &'static str,
    objects: RefCell<FxHashMap<u32, T>>,
    next: Cell<u32>,
}

impl<T: Clone> Handles<T> {
    pub fn new(what: &'static str) -> Handles<T> {
        Handles { what, objects: RefCell::default(), next: Cell::new(FIRST) }
    }

    pub fn add(&self, object: T) -> u32 {
        let handle = self.next.get();
        self.next.set(handle.wrapping_add(STEP).max(FIRST));
        self.objects.borrow_mut().insert(handle, object);
        handle
    }

    pub fn get(&self, handle: u32) -> Result<T> {
        let found = self.objects.borrow().get(&handle).cloned();
        found.ok_or_else(|| {
            let message = format!("the {} was disposed of, or belongs to an earlier init()", self.what);
            Error::disposed(self.what, message).into()
        })
    }

    /// Makes a handle refer to another object.
    pub fn replace(&self, handle: u32, object: T) {
        let old = self.objects.borrow_mut().insert(handle, object);
        // Dropping the object may access the table.
        drop(old);
    }

    pub fn remove(&self, handle: u32) -> Option<T> {
        // The caller drops the object, when nothing is borrowed.
        self.objects.borrow_mut().remove(&handle)
    }

    /// All objects with their handles, the oldest first.
    pub fn all(&self) -> Vec<(u32, T)> {
        let mut all: Vec<(u32, T)> =
            self.objects.borrow().iter().map(|(&handle, object)| (handle, object.clone())).collect();
        all.sort_unstable_by_key(|&(handle, _)| handle);
        all
    }

    pub fn len(&self) -> usize {
        self.objects.borrow().len()
    }

    pub fn take_all(&self) -> FxHashMap<u32, T> {
        self.objects.take()
    }
}

/// All objects that JavaScript has handles of.
pub(crate) struct State {
    pub tensors: Handles<Tensor>,
    pub optimizers: Handles<Optimizer>,
    pub schedulers: Handles<Scheduler>,
    pub scalers: Handles<Rc<GradScaler>>,
    pub hooks: Handles<Rc<Cell<Option<HookHandle>>>>,
    pub multi_hooks: Handles<MultiHook>,
    pub nodes: Handles<Node>,
    pub buffers: Handles<Rc<SharedBuffer>>,
    pub compiled: Handles<Rc<Recordings>>,
    pub uploads: Handles<Upload>,
    pub functions: Functions,
    pub loops: Handles<Rc<Loop>>,
    pub device: RefCell<Option<Device>>,
}

thread_local! {
    // Never dropped, because nothing outlives the page's core: so exports need only a reference to
    // it.
    static STATE: &'static State = Box::leak(Box::new(State {
        tensors: Handles::new("tensor"),
        optimizers: Handles::new("optimizer"),
        schedulers: Handles::new("schedule"),
        scalers: Handles::new("scaler"),
        hooks: Handles::new("hook"),
        multi_hooks: Handles::new("hook"),
        nodes: Handles::new("node"),
        buffers: Handles::new("buffer"),
        compiled: Handles::new("compiled function"),
        uploads: Handles::new("upload"),
        functions: Functions::new(),
        loops: Handles::new("loop"),
        device: RefCell::new(None),
    }));
}

pub(crate) fn state() -> &'static State {
    STATE.with(|state| *state)
}

impl State {
    pub fn device(&self) -> Result<Device> {
        let device = self.device.borrow().clone();
        device.ok_or_else(|| Error::device("lanthorn", "not initialized: await init() first").into())
    }

    pub fn tensors(&self, handles: &[u32]) -> Result<Vec<Tensor>> {
        handles.iter().map(|&handle| self.tensors.get(handle)).collect()
    }
}
