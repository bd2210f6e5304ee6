//! Host data that become a value piece by piece.

use crate::{
    Device,
    pool::Buffer,
    value::{State, Value},
};
use lanthorn_ir::{DType, Error, Result};
use std::rc::Rc;

/// Every write starts at a multiple of this number of bytes, which is a multiple of every element's
/// size.
const GRANULE: usize = 8;

/// A value whose elements arrive in pieces, so that they are never in host memory as a whole.
///
/// [`Device::begin_upload`] creates it. Dropping it before its end discards it.
pub struct Upload {
    device: Device,
    op: &'static str,
    dtype: DType,
    elements: usize,
    buffer: Rc<Buffer>,
    /// The number of bytes on the device.
    written: usize,
    /// The bytes after them, which wait for more.
    rest: Vec<u8>,
}

impl Upload {
    pub(crate) fn new(device: &Device, op: &'static str, dtype: DType, elements: usize) -> Result<Upload> {
        let buffer = device.executor().upload_buffer(op, dtype, elements)?;
        Ok(Upload { device: device.clone(), op, dtype, elements, buffer, written: 0, rest: Vec::new() })
    }

    /// Adds bytes. They may end within an element.
    ///
    /// # Errors
    /// A shape error for more bytes than the elements have, and the errors of
    /// [`Backend::upload`](lanthorn_ir::Backend::upload).
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        let total = self.elements * self.dtype.size();
        let given = self.written + self.rest.len() + bytes.len();
        if given > total {
            return Err(self.refuse(given));
        }
        let missing = if self.rest.is_empty() { 0 } else { (GRANULE - self.rest.len()).min(bytes.len()) };
        let (first, bytes) = bytes.split_at(missing);
        self.rest.extend(first);
        if self.rest.len() == GRANULE {
            let whole = std::mem::take(&mut self.rest);
            self.write(&whole)?;
        }
        if self.rest.is_empty() {
            let (whole, rest) = bytes.split_at(bytes.len() / GRANULE * GRANULE);
            self.write(whole)?;
            self.rest.extend(rest);
        }
        Ok(())
    }

    /// Returns the value, once all bytes have arrived.
    ///
    /// # Errors
    /// A shape error for fewer bytes than the elements have, and the errors of [`Upload::push`].
    pub fn finish(mut self) -> Result<Value> {
        let rest = std::mem::take(&mut self.rest);
        self.write(&rest)?;
        if self.written != self.elements * self.dtype.size() {
            return Err(self.refuse(self.written));
        }
        let value = Value::new("upload", self.dtype, self.elements, State::Ready(self.buffer));
        self.device.executor().note_upload(&value);
        Ok(value)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let written = self.device.executor().backend().upload(self.buffer.id, self.dtype, self.written as u64, bytes);
        self.written += bytes.len();
        written.map_err(|error| error.in_op(self.op))
    }

    fn refuse(&self, given: usize) -> Error {
        let Upload { op, dtype, elements, .. } = self;
        let wanted = elements * dtype.size();
        Error::shape(*op, format!("{elements} elements of {} take {wanted} bytes, {given} were given", dtype.name()))
    }
}
