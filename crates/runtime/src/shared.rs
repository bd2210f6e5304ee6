//! Values in memory that other threads and processes write.
//!
//! A value never changes, but shared memory does. So a shared storage has a *home*, a value that stands
//! for whatever the memory holds when a flush runs, and beside it the value that was written last and is
//! not in the memory yet. A flush brings it there: the planner lets a kernel write to the memory where it
//! can, and otherwise copies (`plan/build.rs`). Nothing else takes the buffer of a home.

use crate::{
    Device,
    value::{State, Value},
};
use lanthorn_ir::{DType, Result, SharedName, backend::SharedMemory};
use std::{cell::RefCell, rc::Rc};

/// The elements of a storage in shared memory. Cloning shares them.
#[derive(Clone)]
pub struct SharedValue(Rc<Inner>);

struct Inner {
    home: Value,
    /// What is written to the memory at the next flush.
    written: RefCell<Option<Value>>,
}

impl SharedValue {
    /// The value as this thread sees it: what it wrote last, or what is in the memory when a flush runs.
    pub fn value(&self) -> Value {
        self.0.written.borrow().clone().unwrap_or_else(|| self.0.home.clone())
    }

    pub(crate) fn home(&self) -> &Value {
        &self.0.home
    }

    pub(crate) fn written(&self) -> Option<Value> {
        self.0.written.borrow().clone()
    }

    /// Forgets the value that was written, which is in the memory now. One that failed stays, so that reads fail.
    pub(crate) fn forget_written(&self) {
        let mut written = self.0.written.borrow_mut();
        if written.as_ref().is_some_and(|value| !matches!(value.state(), State::Failed(_))) {
            *written = None;
        }
    }
}

impl Device {
    /// Copies a value to new shared memory, after everything recorded before.
    ///
    /// # Errors
    /// A device error where workers share no memory, `out_of_memory`.
    pub fn share_memory(&self, value: &Value) -> Result<SharedValue> {
        self.break_recording(|| "it moves a tensor to shared memory".into());
        let buffer = self.executor().shared_buffer(value.dtype(), value.elements())?;
        let home = Value::new("share_memory", value.dtype(), value.elements(), State::Ready(buffer));
        let shared = SharedValue(Rc::new(Inner { home, written: RefCell::default() }));
        self.write_shared(&shared, value.clone());
        self.flush();
        Ok(shared)
    }

    /// Writes a value to shared memory at the next flush.
    pub fn write_shared(&self, shared: &SharedValue, value: Value) {
        shared.0.written.replace(Some(value));
        self.executor().note_written(shared);
    }

    /// Runs what was recorded, if a value is to be written to shared memory.
    pub fn write_through(&self) {
        if self.executor().has_written() {
            self.flush();
        }
    }

    /// A name of shared memory for another thread or process, which sees everything that was recorded.
    ///
    /// # Errors
    /// That of the value that was written last, if it failed.
    pub fn send_shared(&self, shared: &SharedValue) -> Result<SharedName> {
        self.break_recording(|| "it makes a handle of a tensor".into());
        self.flush();
        if let Some(State::Failed(error)) = shared.written().map(|value| value.state()) {
            return Err(error);
        }
        self.executor().send_shared(shared.home())
    }

    /// The memory of a name.
    ///
    /// # Errors
    /// Those of [`SharedMemory::open_shared`](lanthorn_ir::backend::SharedMemory::open_shared), and an argument error if the
    /// elements do not fit the memory.
    pub fn open_shared(&self, name: &SharedName, dtype: DType, elements: usize) -> Result<SharedValue> {
        self.break_recording(|| "it opens the handle of a tensor".into());
        let buffer = self.executor().open_shared(name, dtype, elements)?;
        let home = Value::new("from_handle", dtype, elements, State::Ready(buffer));
        Ok(SharedValue(Rc::new(Inner { home, written: RefCell::default() })))
    }

    /// The number of this device among those that refer to shared memory, if it can.
    pub fn shared_holder(&self) -> Option<u32> {
        self.executor().backend().shared_memory().map(SharedMemory::shared_holder)
    }

    /// Releases the reference of a name that will not be opened.
    pub fn release_shared(&self, name: &SharedName) {
        if let Some(memory) = self.executor().backend().shared_memory() {
            memory.release_shared(name);
        }
    }
}
