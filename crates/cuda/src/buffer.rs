//! Device memory, by number. The core owns and pools buffers. This module allocates and frees
//! memory when the core requests it, in stream order.

use crate::driver::Pointer;
use lanthorn_ir::{DType, Error, Result, backend::BufferId};
use rustc_hash::FxHashMap;
use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
};

/// The smallest buffer, from which a kernel can read a vector of four words.
pub(crate) const MIN_BYTES: u64 = 16;

/// A buffer.
#[derive(Clone, Copy)]
pub(crate) struct Buffer {
    pub(crate) pointer: Pointer,
    pub(crate) bytes: u64,
}

#[derive(Default)]
pub(crate) struct Buffers {
    table: RefCell<FxHashMap<u64, Buffer>>,
    next: Cell<u64>,
}

impl Buffers {
    pub(crate) fn insert(&self, buffer: Buffer) -> BufferId {
        self.next.set(self.next.get() + 1);
        self.table.borrow_mut().insert(self.next.get(), buffer);
        BufferId(self.next.get())
    }

    pub(crate) fn get(&self, id: BufferId) -> Result<Buffer> {
        let found = self.table.borrow().get(&id.0).copied();
        found.ok_or_else(|| Error::disposed("cuda", format!("buffer {} was freed, or is another device's", id.0)))
    }

    pub(crate) fn remove(&self, id: BufferId) -> Option<Buffer> {
        self.table.borrow_mut().remove(&id.0)
    }

    pub(crate) fn drain(&self) -> Vec<Buffer> {
        self.table.borrow_mut().drain().map(|(_, buffer)| buffer).collect()
    }
}

/// Converts from host format to device format. They are equal, except that a bool becomes 0 or 1,
/// on which kernels rely.
pub(crate) fn to_device(dtype: DType, bytes: &[u8]) -> Result<Cow<'_, [u8]>> {
    if !bytes.len().is_multiple_of(dtype.size()) {
        return Err(Error::argument("upload", format!("{} bytes are no whole number of elements", bytes.len())));
    }
    match dtype {
        DType::Bool => Ok(Cow::Owned(bytes.iter().map(|&byte| u8::from(byte != 0)).collect())),
        _ => Ok(Cow::Borrowed(bytes)),
    }
}
