//! Tensors in memory that threads and processes share, as PyTorch's `torch.multiprocessing`.
//!
//! [`Tensor::share_memory_`] moves a tensor to shared memory, [`Tensor::handle`] names it, and
//! [`Tensor::from_handle`] opens a tensor of the same memory on another thread, or in another
//! process. Nothing is copied. A write is an ordinary store, without any order between threads:
//! where two write at once, each element is one of both or, of large elements, a mixture. That is
//! enough for Hogwild; other programs wait for one another with locks, barriers, or a process
//! group.
//!
//! Execution is deferred here as everywhere: a thread's writes are in the memory after its next
//! flush (a read, `synchronize`, an optimizer's step, `handle`), and its reads return the memory's
//! elements at the time of the flush.

use crate::{Device, Error, Result, Tensor, autograd::Edge, storage::Storage};
use lanthorn_ir::{DType, Layout, Shape, SharedName};
use std::{
    cell::RefCell,
    rc::{Rc, Weak},
};

/// The name of a tensor in shared memory: plain numbers and text, to send to another thread or
/// process.
///
/// It holds the memory until it is received or [released](TensorHandle::release), so that the
/// sender may drop the tensor before. Each receiver gets a separate handle; a received handle can
/// be used again while a thread holds the tensor. With the feature `serde` it can be written and
/// read.
///
/// ```
/// # mod lanthorn { pub use lanthorn_tensor::*; pub fn cpu() -> Device { Device::new(lanthorn_cpu::CpuBackend::new()) } }
/// use lanthorn::{Device, Tensor};
/// # let device = lanthorn::cpu();
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?.share_memory_()?;
/// let handle = x.handle()?;
/// std::thread::spawn(move || {
///     let device = lanthorn::cpu();
///     let x = Tensor::from_handle(&handle, &device)?;
///     x.mul_(10.0)?;
///     pollster::block_on(device.synchronize())
/// })
/// .join()
/// .unwrap()?;
/// assert_eq!(pollster::block_on(x.to_vec::<f32>())?, [10.0, 20.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TensorHandle {
    /// The memory.
    pub memory: SharedName,
    /// The name of the element type.
    pub dtype: String,
    /// The elements of the storage.
    pub elements: usize,
    /// The size of each dimension.
    pub shape: Vec<usize>,
    /// The distance of neighbouring elements in each dimension, in elements.
    pub strides: Vec<isize>,
    /// The offset of the first element in the storage, in elements.
    pub offset: usize,
    /// Whether gradients are computed for the tensor.
    pub requires_grad: bool,
}

impl TensorHandle {
    /// Releases the reference of a handle that no thread will receive.
    pub fn release(&self, device: &Device) {
        device.memory().release_shared(&self.memory);
    }

    /// The layout, if every element of it is in the storage.
    fn layout(&self) -> Result<Layout> {
        let wrong = || {
            let TensorHandle { shape, strides, offset, elements, .. } = self;
            let view = format!("shape {shape:?}, strides {strides:?} and offset {offset}");
            Error::argument("from_handle", format!("{view} leave a storage of {elements} elements"))
        };
        let sizes: Vec<i64> = self.shape.iter().map(|&size| i64::try_from(size).unwrap_or(-1)).collect();
        let shape = Shape::new("from_handle", &sizes)?;
        if self.strides.len() != self.shape.len() {
            return Err(wrong());
        }
        let is_empty = shape.elements() == 0;
        let (mut first, mut last) = (self.offset as i128, self.offset as i128);
        for (&size, &stride) in self.shape.iter().zip(&self.strides) {
            let reach = (size as i128 - 1) * stride as i128;
            *(if reach < 0 { &mut first } else { &mut last }) += reach;
        }
        if !is_empty && (first < 0 || last >= self.elements as i128) {
            return Err(wrong());
        }
        Ok(Layout::new(shape, self.strides.iter().copied(), self.offset))
    }
}

/// A storage by the space and the block of its memory.
type Known = ((u64, u64), Weak<Storage>);

thread_local! {
    /// The storages of this thread in shared memory, so that a memory has one on each device.
    static SHARED: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

fn remember(memory: &SharedName, storage: &Rc<Storage>) {
    SHARED.with_borrow_mut(|known| {
        known.retain(|(_, storage)| storage.strong_count() > 0);
        let key = (memory.space, memory.block);
        if !known.iter().any(|(other, kept)| *other == key && kept.ptr_eq(&Rc::downgrade(storage))) {
            known.push((key, Rc::downgrade(storage)));
        }
    });
}

fn find_storage(memory: &SharedName, device: &Device) -> Option<Rc<Storage>> {
    let key = (memory.space, memory.block);
    let found =
        |(other, storage): &Known| storage.upgrade().filter(|storage| *other == key && storage.device == *device);
    SHARED.with_borrow(|known| known.iter().find_map(found))
}

impl Tensor {
    /// Moves the tensor's storage, with all views of it, to memory that other threads and processes
    /// can open, as `torch.Tensor.share_memory_`. Returns a handle of the same tensor; nothing
    /// happens to a tensor that is there already.
    ///
    /// Natively the memory is a file of the memory file system; in a page it is the memory of the
    /// core with threads.
    ///
    /// # Errors
    ///
    /// `device` on a device whose memory is not shared (a GPU, a core without threads);
    /// `out_of_memory` where shared memory may not grow further; `autograd` for a tensor that an op
    /// computed with gradients; the error of the work that computes the tensor.
    pub fn share_memory_(&self) -> Result<Tensor> {
        const OP: &str = "share_memory_";
        if matches!(self.grad_edge(), Some(Edge::Node(_))) {
            let message =
                "the tensor was computed with gradients, which no other thread has: share a leaf, or detach()";
            return Err(Error::autograd(OP, message));
        }
        self.check_readable(OP)?;
        let storage = &self.0.storage;
        if storage.shared().is_none() {
            storage.bind(storage.device.memory().share_memory(&storage.value()).map_err(|error| error.in_op(OP))?);
        }
        Ok(self.clone())
    }

    /// Whether the tensor is in shared memory, as `torch.Tensor.is_shared`.
    pub fn is_shared(&self) -> bool {
        self.0.storage.shared().is_some()
    }

    /// The name of the tensor for another thread or process; runs the recorded work. See
    /// [`TensorHandle`].
    ///
    /// # Errors
    ///
    /// `device` for a tensor that is not in shared memory; `autograd` for one that an op computed
    /// with gradients; the error of the work that wrote the tensor last.
    pub fn handle(&self) -> Result<TensorHandle> {
        const OP: &str = "handle";
        let storage = &self.0.storage;
        let shared = storage.shared().ok_or_else(|| {
            Error::device(
                OP,
                format!("the tensor of shape {} is not in shared memory: call share_memory_", self.shape()),
            )
        })?;
        if matches!(self.grad_edge(), Some(Edge::Node(_))) {
            return Err(Error::autograd(
                OP,
                "the tensor was computed with gradients, which no other thread has: detach()",
            ));
        }
        let memory = storage.device.memory().send_shared(shared).map_err(|error| error.in_op(OP))?;
        remember(&memory, storage);
        Ok(TensorHandle {
            memory,
            dtype: self.dtype().name().to_string(),
            elements: storage.elements,
            shape: self.shape().to_vec(),
            strides: self.stride().to_vec(),
            offset: self.storage_offset(),
            requires_grad: self.requires_grad(),
        })
    }

    /// The tensor of a handle on this thread: a leaf with the same elements in the same memory.
    ///
    /// # Errors
    ///
    /// `disposed` if everybody let go of the tensor; `device` for a handle of a core or process
    /// whose memory is not reachable from here, or a device without shared memory; `argument` for a
    /// handle that contradicts itself.
    pub fn from_handle(handle: &TensorHandle, device: &Device) -> Result<Tensor> {
        const OP: &str = "from_handle";
        let dtype = DType::from_name(&handle.dtype)
            .ok_or_else(|| Error::argument(OP, format!("there is no dtype {:?}", handle.dtype)))?;
        let layout = handle.layout()?;
        let storage = match find_storage(&handle.memory, device) {
            Some(storage) if storage.dtype == dtype && storage.elements == handle.elements => {
                device.memory().release_shared(&handle.memory);
                storage
            }
            Some(storage) => {
                let (elements, known) = (storage.elements, storage.dtype);
                let message =
                    format!("the memory has {elements} elements of {known}, not {} of {dtype}", handle.elements);
                return Err(Error::argument(OP, message));
            }
            None => {
                let shared = device.memory().open_shared(&handle.memory, dtype, handle.elements)?;
                let storage = Rc::new(Storage::of_shared(device.clone(), shared));
                remember(&handle.memory, &storage);
                storage
            }
        };
        Tensor::build(storage, layout, None).requires_grad_(handle.requires_grad)
    }
}
