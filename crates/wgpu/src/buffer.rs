//! Device memory, by number.
//!
//! The core owns buffers, and pools them; here a buffer is created when it asks and destroyed when it says so (WebGPU finishes submitted work first).

use crate::{
    device::Device,
    failure::{Failures, Resource, from_wgpu, guarded, quietly},
    stats::Counters,
};
use lanthorn_ir::{
    DType, Error, Result,
    backend::{BufferId, Read},
    half,
};
use rustc_hash::FxHashMap;
use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    rc::Rc,
};

/// The smallest buffer: a vector of four words, so that every binding has a size WebGPU accepts.
const SMALLEST: u64 = 16;

/// A buffer and whether it came to be.
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

/// How elements lie in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Whether float16 has two bytes, as the feature `shader-f16` allows; else it has a word, as every other type has.
    pub(crate) has_f16: bool,
}

/// A part of a buffer as it is copied: in whole words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first byte.
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    /// Where the first element lies in it, and where the last one ends.
    skip: usize,
    end: usize,
}

impl Format {
    fn element_bytes(self, dtype: DType) -> u64 {
        if dtype == DType::F16 && self.has_f16 { 2 } else { dtype.size().max(4) as u64 }
    }

    /// Bytes of device memory for so many elements.
    pub(crate) fn storage_bytes(self, dtype: DType, elements: usize) -> u64 {
        (elements as u64 * self.element_bytes(dtype)).next_multiple_of(4).max(SMALLEST)
    }

    /// Where the elements of a read lie.
    pub(crate) fn span(self, read: &Read) -> Span {
        let size = self.element_bytes(read.dtype);
        let (first, last) = (read.offset as u64 * size, (read.offset + read.elements) as u64 * size);
        let start = first & !3;
        Span { start, bytes: last.next_multiple_of(4) - start, skip: (first - start) as usize, end: (last - start) as usize }
    }
}

/// A new buffer. Natively it is known at once that there was no memory for it; in the browser its [`Resource`] learns it later.
pub(crate) fn create(
    device: &Device,
    failures: &Rc<Failures>,
    counters: &Counters,
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
    let raw = guarded(
        &device.device,
        failures,
        || device.device.create_buffer(&wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false }),
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
    counters.add(|stats| &mut stats.buffers_created);
    resource.error().map_or(Ok(Buffer { raw, resource, bytes }), Err)
}

impl Buffers {
    /// A number for a buffer, ours or the core's.
    pub(crate) fn next_id(&self) -> u64 {
        self.next.set(self.next.get() + 1);
        self.next.get()
    }

    pub(crate) fn allocate(
        &self,
        device: &Device,
        failures: &Rc<Failures>,
        counters: &Counters,
        bytes: u64,
        poison: bool,
    ) -> Result<BufferId> {
        device.check_lost()?;
        let bytes = bytes.max(SMALLEST).next_multiple_of(4);
        let most = device.capabilities.max_buffer_bytes;
        if bytes > most {
            return Err(Error::limit("allocate", format!("a buffer of {bytes} bytes; the device binds at most {most}")));
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let buffer = create(device, failures, counters, bytes, usage)?;
        if poison {
            write(device, &buffer, &vec![0xcd; bytes as usize]);
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

    /// What an upload writes where; an error if it cannot be done.
    pub(crate) fn prepare_upload<'a>(
        &self,
        device: &Device,
        id: BufferId,
        dtype: DType,
        bytes: &'a [u8],
    ) -> Result<(Rc<Buffer>, Cow<'a, [u8]>)> {
        device.check_lost()?;
        let buffer = self.get(id)?;
        if let Some(error) = buffer.resource.error() {
            return Err(error);
        }
        let words = device.format.to_device(dtype, bytes)?;
        if words.len() as u64 > buffer.bytes {
            return Err(Error::argument("upload", format!("{} bytes for a buffer of {}", words.len(), buffer.bytes)));
        }
        Ok((buffer, words))
    }
}

/// Writes to the start of a buffer, after the work that was submitted before.
pub(crate) fn write(device: &Device, buffer: &Buffer, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let write = || device.queue.write_buffer(&buffer.raw, 0, bytes);
    if buffer.resource.is_resolved() { write() } else { quietly(&device.device, write) }
}

impl Format {
    /// Host format to device format: a byte becomes a word, because WGSL has no byte storage, and a half the float32 of its value where it has no storage of its own.
    fn to_device(self, dtype: DType, bytes: &[u8]) -> Result<Cow<'_, [u8]>> {
        if self.element_bytes(dtype) == 2 {
            let mut words = bytes.to_vec();
            words.resize(bytes.len().next_multiple_of(4), 0);
            return Ok(Cow::Owned(words));
        }
        to_words(dtype, bytes)
    }

    /// Device format to host format.
    pub(crate) fn to_host(self, dtype: DType, span: Span, words: &[u8]) -> Vec<u8> {
        let words = &words[span.skip..span.end];
        if self.element_bytes(dtype) == 2 { words.to_vec() } else { from_words(dtype, words) }
    }
}

fn to_words(dtype: DType, bytes: &[u8]) -> Result<Cow<'_, [u8]>> {
    match dtype {
        DType::Bool => Ok(Cow::Owned(bytes.iter().flat_map(|&byte| u32::from(byte != 0).to_le_bytes()).collect())),
        DType::U8 => Ok(Cow::Owned(bytes.iter().flat_map(|&byte| u32::from(byte).to_le_bytes()).collect())),
        DType::I32 | DType::F32 if bytes.len().is_multiple_of(4) => Ok(Cow::Borrowed(bytes)),
        DType::I32 | DType::F32 => Err(Error::argument("upload", format!("{} bytes are no whole number of elements", bytes.len()))),
        DType::F16 | DType::BF16 => Ok(Cow::Owned(numbers(bytes, dtype).flat_map(|value| value.to_le_bytes()).collect())),
        DType::I64 => Err(Error::dtype("upload", "WebGPU has no int64; convert to int32 or use the cpu device")),
        DType::F64 => Err(Error::dtype("upload", "WebGPU has no float64; convert to float32 or use the cpu device")),
    }
}

/// The numbers of halves.
fn numbers(bytes: &[u8], dtype: DType) -> impl Iterator<Item = f32> {
    let widen = if dtype == DType::F16 { half::f16_to_f32 } else { half::bf16_to_f32 };
    bytes.as_chunks().0.iter().map(move |&bits| widen(u16::from_le_bytes(bits)))
}

fn from_words(dtype: DType, words: &[u8]) -> Vec<u8> {
    match dtype {
        DType::Bool => words.chunks_exact(4).map(|word| u8::from(word.iter().any(|&byte| byte != 0))).collect(),
        // Little-endian: the value is in the first byte.
        DType::U8 => words.iter().step_by(4).copied().collect(),
        DType::F16 | DType::BF16 => {
            let narrow = if dtype == DType::F16 { half::f16_from_f32 } else { half::bf16_from_f32 };
            words.as_chunks().0.iter().flat_map(|&word| narrow(f32::from_le_bytes(word)).to_le_bytes()).collect()
        }
        _ => words.to_vec(),
    }
}
