//! Buffers in shared memory.

use super::Executor;
use crate::{pool::Buffer, shared::SharedValue, value::Value};
use lanthorn_ir::{DType, Error, Result, SharedName, backend::BufferId};
use std::rc::Rc;

impl Executor {
    /// A buffer of zeros in shared memory.
    pub fn shared_buffer(&self, dtype: DType, elements: usize) -> Result<Rc<Buffer>> {
        const OP: &str = "share_memory_";
        self.check_reentrancy(OP)?;
        let bytes = self.backend.storage_bytes(dtype, elements);
        Ok(self.adopt(self.backend.allocate_shared(bytes)?, bytes))
    }

    fn adopt(&self, id: BufferId, bytes: u64) -> Rc<Buffer> {
        self.pool.adopt(id, bytes)
    }

    /// The buffer of a name.
    pub fn open_shared(&self, name: &SharedName, dtype: DType, elements: usize) -> Result<Rc<Buffer>> {
        const OP: &str = "from_handle";
        self.check_reentrancy(OP)?;
        let bytes = self.backend.storage_bytes(dtype, elements);
        if bytes > name.bytes {
            let message = format!("{elements} elements of {dtype} do not fit into memory of {} bytes", name.bytes);
            return Err(Error::argument(OP, message));
        }
        Ok(self.adopt(self.backend.open_shared(name)?, bytes))
    }

    /// A name of the buffer of a home.
    pub fn send_shared(&self, home: &Value) -> Result<SharedName> {
        let buffer = home.buffer().ok_or_else(|| Error::kernel("handle", "the memory was never made"))?;
        self.backend.send_shared(buffer.id)
    }

    /// Notes that a shared storage has a value for the next flush.
    pub fn note_written(&self, shared: &SharedValue) {
        let mut written = self.written.borrow_mut();
        if !written.iter().any(|other| other.home().key() == shared.home().key()) {
            written.push(shared.clone());
        }
    }

    pub fn has_written(&self) -> bool {
        !self.written.borrow().is_empty()
    }
}
