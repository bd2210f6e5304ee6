//! Values in memory that other threads and processes write.
//!
//! Values are immutable, but shared memory is not. A shared storage therefore has a value for the
//! memory, which represents its contents when a flush runs, and the last written value, which is
//! not in the memory yet. The next flush copies the written value to the memory: if possible, the
//! planner lets a kernel write directly to it (`plan/build.rs`). No other value uses the memory as
//! its buffer.

use crate::{
    memory::DeviceMemory,
    value::{State, Value},
};
use lanthorn_ir::{DType, Result, SharedName, backend::SharedMemory};
use std::{cell::RefCell, rc::Rc};

/// The elements of a storage in shared memory. Cloning shares them.
#[derive(Clone)]
pub struct SharedValue(Rc<Inner>);

struct Inner {
    memory: Value,
    /// The value that the next flush writes to the memory.
    written: RefCell<Option<Value>>,
}

impl SharedValue {
    /// The current value for this thread: the last written one, or the contents of the memory when
    /// a flush runs.
    pub fn value(&self) -> Value {
        self.0.written.borrow().clone().unwrap_or_else(|| self.0.memory.clone())
    }

    pub(crate) fn memory(&self) -> &Value {
        &self.0.memory
    }

    pub(crate) fn written_value(&self) -> Option<Value> {
        self.0.written.borrow().clone()
    }

    /// Forgets the written value, which is in the memory now. A failed value stays, so that reads
    /// fail.
    pub(crate) fn forget_written(&self) {
        let mut written = self.0.written.borrow_mut();
        if written.as_ref().is_some_and(|value| !matches!(value.state(), State::Failed(_))) {
            *written = None;
        }
    }
}

impl DeviceMemory<'_> {
    /// Copies a value to new shared memory, after everything recorded before.
    ///
    /// # Errors
    /// A device error if workers share no memory, and `out_of_memory`.
    pub fn share_memory(&self, value: &Value) -> Result<SharedValue> {
        self.0.break_recording(|| "it moves a tensor to shared memory".into());
        let buffer = self.0.executor().shared_buffer(value.dtype(), value.elements())?;
        let memory = Value::new("share_memory", value.dtype(), value.elements(), State::Ready(buffer));
        let shared = SharedValue(Rc::new(Inner { memory, written: RefCell::default() }));
        self.write_shared(&shared, value.clone());
        self.0.flush();
        Ok(shared)
    }

    /// Writes a value to shared memory at the next flush.
    pub fn write_shared(&self, shared: &SharedValue, value: Value) {
        shared.0.written.replace(Some(value));
        self.0.executor().note_written(shared);
    }

    /// Runs the recorded kernels, if a value is to be written to shared memory.
    pub fn write_through(&self) {
        if self.0.executor().has_written() {
            self.0.flush();
        }
    }

    /// Creates a name of shared memory for another thread or process. The memory includes
    /// everything that was recorded.
    ///
    /// # Errors
    /// The error of the last written value, if it failed.
    pub fn send_shared(&self, shared: &SharedValue) -> Result<SharedName> {
        self.0.break_recording(|| "it makes a handle of a tensor".into());
        self.0.flush();
        if let Some(State::Failed(error)) = shared.written_value().map(|value| value.state()) {
            return Err(error);
        }
        self.0.executor().send_shared(shared.memory())
    }

    /// Opens the memory of a name.
    ///
    /// # Errors
    /// The errors of
    /// [`SharedMemory::open_shared`](lanthorn_ir::backend::SharedMemory::open_shared), and an
    /// argument error if the elements do not fit in the memory.
    pub fn open_shared(&self, name: &SharedName, dtype: DType, elements: usize) -> Result<SharedValue> {
        self.0.break_recording(|| "it opens the handle of a tensor".into());
        let buffer = self.0.executor().open_shared(name, dtype, elements)?;
        let memory = Value::new("from_handle", dtype, elements, State::Ready(buffer));
        Ok(SharedValue(Rc::new(Inner { memory, written: RefCell::default() })))
    }

    /// The number of this device as a holder of shared memory, if it can hold any.
    pub fn shared_holder(&self) -> Option<u32> {
        self.0.executor().backend().shared_memory().map(SharedMemory::shared_holder)
    }

    /// Releases the reference of a name that will not be opened.
    pub fn release_shared(&self, name: &SharedName) {
        if let Some(memory) = self.0.executor().backend().shared_memory() {
            memory.release_shared(name);
        }
    }
}
