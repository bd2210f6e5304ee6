//! Device memory, by number.
//!
//! The core owns and pools buffers. This module creates and destroys a buffer when the core
//! requests it. WebGPU finishes submitted work first.

use crate::{
    device::Device,
    failure::{Failures, Resource, from_wgpu, quietly, run_guarded},
};
use lanthorn_ir::{
    DType, Error, Result,
    backend::{BufferId, CountersCell, Read},
};
use rustc_hash::FxHashMap;
use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    rc::Rc,
};

/// The smallest buffer: a vector of four words, which WebGPU accepts for every binding.
const MIN_BYTES: u64 = 16;

/// A buffer, and whether its creation succeeded.
pub(crate) struct Buffer {
    pub(crate) raw: wgpu::Buffer,
    pub(crate) resource: Rc<Resource>,
    pub(crate) bytes: u64,
}

#[derive(Default)]
pub(crate) struct Buffers {
    table: RefCell<FxHashMap<u64, Rc<Buffer>>>,
    next: Cell<u64>,
}

/// A part of a buffer that is copied, in whole words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first byte.
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    /// The offset of the first element in the part, and the end of the last one.
    skip: usize,
    end: usize,
}

/// Size in device memory of `elements` elements, which have the same size as on the host.
pub(crate) fn storage_bytes(dtype: DType, elements: usize) -> u64 {
    (elements as u64 * dtype.size() as u64).next_multiple_of(4).max(MIN_BYTES)
}

impl Span {
    /// The part of a buffer that contains the elements of a read.
    pub(crate) fn of(read: &Read) -> Span {
        let size = read.dtype.size() as u64;
        let (first, last) = (read.offset as u64 * size, (read.offset + read.elements) as u64 * size);
        let start = first & !3;
        Span {
            start,
            bytes: last.next_multiple_of(4) - start,
            skip: (first - start) as usize,
            end: (last - start) as usize,
        }
    }

    /// The elements of the read in host format.
    pub(crate) fn elements(self, words: &[u8]) -> Vec<u8> {
        words[self.skip..self.end].to_vec()
    }
}

/// Creates a buffer. A native device reports immediately if there is no memory. In browsers the
/// [`Resource`] reports it later.
pub(crate) fn create(
    device: &Device,
    failures: &Rc<Failures>,
    counters: &CountersCell,
    bytes: u64,
    usage: wgpu::BufferUsages,
) -> Result<Buffer> {
    device.check_lost()?;
    let most = device.limits.max_buffer_size;
    if bytes > most {
        return Err(Error::limit("allocate", format!("a buffer of {bytes} bytes; the device allows {most}")));
    }
    let resource = Rc::new(Resource::default());
    let (slot, report) = (resource.clone(), failures.clone());
    let raw = run_guarded(
        &device.device,
        failures,
        || {
            device.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: bytes,
                usage,
                mapped_at_creation: false,
            })
        },
        move |error| {
            let error = error.map(|error| match error {
                wgpu::Error::OutOfMemory { .. } => {
                    Error::out_of_memory("allocate", format!("the device has no room for {bytes} bytes"))
                }
                other => from_wgpu("allocate", &other),
            });
            slot.resolve(error, &report);
        },
    );
    counters.add(|counters| &mut counters.buffers);
    resource.error().map_or(Ok(Buffer { raw, resource, bytes }), Err)
}

impl Buffers {
    /// A number for a buffer, of this backend or of the core.
    pub(crate) fn next_id(&self) -> u64 {
        self.next.set(self.next.get() + 1);
        self.next.get()
    }

    pub(crate) fn allocate(
        &self,
        device: &Device,
        failures: &Rc<Failures>,
        counters: &CountersCell,
        bytes: u64,
        poison: bool,
    ) -> Result<BufferId> {
        device.check_lost()?;
        let bytes = bytes.max(MIN_BYTES).next_multiple_of(4);
        let most = device.capabilities.max_buffer_bytes;
        if bytes > most {
            return Err(Error::limit(
                "allocate",
                format!("a buffer of {bytes} bytes; the device binds at most {most}"),
            ));
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let buffer = create(device, failures, counters, bytes, usage)?;
        if poison {
            write(device, &buffer, 0, &vec![0xcd; bytes as usize]);
        }
        let id = self.next_id();
        self.table.borrow_mut().insert(id, Rc::new(buffer));
        Ok(BufferId(id))
    }

    pub(crate) fn get(&self, id: BufferId) -> Result<Rc<Buffer>> {
        let found = self.table.borrow().get(&id.0).cloned();
        found.ok_or_else(|| Error::disposed("wgpu", format!("buffer {} was freed, or is another device's", id.0)))
    }

    pub(crate) fn free(&self, id: BufferId) {
        if let Some(buffer) = self.table.borrow_mut().remove(&id.0) {
            buffer.raw.destroy();
        }
    }

    /// The words of an upload and their offset, or an error if it is invalid.
    pub(crate) fn prepare_upload<'a>(
        &self,
        device: &Device,
        id: BufferId,
        dtype: DType,
        offset: u64,
        bytes: &'a [u8],
    ) -> Result<(Rc<Buffer>, Cow<'a, [u8]>)> {
        device.check_lost()?;
        let buffer = self.get(id)?;
        if let Some(error) = buffer.resource.error() {
            return Err(error);
        }
        let words = to_words(dtype, bytes)?;
        if offset.saturating_add(words.len() as u64) > buffer.bytes {
            let message = format!("{} bytes from {offset} on for a buffer of {}", words.len(), buffer.bytes);
            return Err(Error::argument("upload", message));
        }
        Ok((buffer, words))
    }
}

/// Writes to a buffer from byte `offset` on, after all submitted work.
pub(crate) fn write(device: &Device, buffer: &Buffer, offset: u64, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let write = || device.queue.write_buffer(&buffer.raw, offset, bytes);
    if buffer.resource.is_resolved() { write() } else { quietly(&device.device, write) }
}

/// Elements in device format: whole words, with 1 for true.
fn to_words(dtype: DType, bytes: &[u8]) -> Result<Cow<'_, [u8]>> {
    match dtype {
        DType::I64 => {
            return Err(Error::dtype("upload", "WebGPU has no int64; convert to int32 or use the cpu device"));
        }
        DType::F64 => {
            return Err(Error::dtype("upload", "WebGPU has no float64; convert to float32 or use the cpu device"));
        }
        _ if !bytes.len().is_multiple_of(dtype.size()) => {
            return Err(Error::argument("upload", format!("{} bytes are no whole number of elements", bytes.len())));
        }
        _ => {}
    }
    let is_plain = dtype != DType::Bool || bytes.iter().all(|&byte| byte <= 1);
    if is_plain && bytes.len().is_multiple_of(4) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut words = bytes.to_vec();
    if !is_plain {
        words.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
    }
    words.resize(bytes.len().next_multiple_of(4), 0);
    Ok(Cow::Owned(words))
}
