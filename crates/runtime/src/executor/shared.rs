//! Buffers in shared memory.

use super::Executor;
use crate::{pool::Buffer, shared::SharedValue, value::Value};
use lanthorn_ir::{
    DType, Error, Result, SharedName,
    backend::{BufferId, SharedMemory},
};
use std::rc::Rc;

impl Executor {
    /// The shared memory of the backend.
    fn shared_memory(&self, op: &str) -> Result<&dyn SharedMemory> {
        self.backend.shared_memory().ok_or_else(|| {
            let name = self.backend.capabilities().name;
            let message = format!("the device {name} has no memory that workers share; move the tensor to the CPU");
            Error::device(op, message)
        })
    }

    /// Allocates a buffer of zeros in shared memory.
    pub fn shared_buffer(&self, dtype: DType, elements: usize) -> Result<Rc<Buffer>> {
        const OP: &str = "share_memory_";
        self.check_reentrancy(OP)?;
        let bytes = self.backend.storage_bytes(dtype, elements);
        Ok(self.adopt(self.shared_memory(OP)?.allocate_shared(bytes)?, bytes))
    }

    fn adopt(&self, id: BufferId, bytes: u64) -> Rc<Buffer> {
        self.pool.adopt(id, bytes)
    }

    /// Opens the buffer of a name.
    pub fn open_shared(&self, name: &SharedName, dtype: DType, elements: usize) -> Result<Rc<Buffer>> {
        const OP: &str = "from_handle";
        self.check_reentrancy(OP)?;
        let bytes = self.backend.storage_bytes(dtype, elements);
        if bytes > name.bytes {
            let message = format!("{elements} elements of {dtype} do not fit into memory of {} bytes", name.bytes);
            return Err(Error::argument(OP, message));
        }
        Ok(self.adopt(self.shared_memory(OP)?.open_shared(name)?, bytes))
    }

    /// Creates a name for the buffer of shared memory.
    pub fn send_shared(&self, memory: &Value) -> Result<SharedName> {
        const OP: &str = "handle";
        let buffer = memory.buffer().ok_or_else(|| Error::kernel(OP, "the memory was never allocated"))?;
        self.shared_memory(OP)?.send_shared(buffer.id)
    }

    /// Records that a shared storage has a value for the next flush.
    pub fn note_written(&self, shared: &SharedValue) {
        let mut written = self.written.borrow_mut();
        if !written.iter().any(|other| other.memory().key() == shared.memory().key()) {
            written.push(shared.clone());
        }
    }

    pub fn has_written(&self) -> bool {
        !self.written.borrow().is_empty()
    }
}
