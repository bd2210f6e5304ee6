//! Device memory, by number.
//!
//! The core owns buffers, and pools them; here a buffer is created when it asks and destroyed when it says so (WebGPU finishes submitted work first).

use crate::{
    device::Device,
    failure::{Failures, Resource, from_wgpu, guarded, quietly},
    stats::Counters,
};
use lanthorn_ir::{DType, Error, Result, backend::BufferId, half};
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

/// Bytes of device memory for so many elements: a word each, whatever the type.
pub(crate) fn storage_bytes(dtype: DType, elements: usize) -> u64 {
    (elements as u64 * dtype.size().max(4) as u64).max(SMALLEST)
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
        let words = to_device(dtype, bytes)?;
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

/// Host format to device format: a byte becomes a word, because WGSL has no byte storage, and a half the float32 of its value.
fn to_device(dtype: DType, bytes: &[u8]) -> Result<Cow<'_, [u8]>> {
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

/// Device format to host format.
pub(crate) fn to_host(dtype: DType, words: &[u8]) -> Vec<u8> {
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
