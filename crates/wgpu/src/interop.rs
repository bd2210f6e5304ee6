//! Buffers that a program shares with its own use of the device.
//!
//! A buffer of the core goes out as it is, and one of the program is copied in: the core pools its
//! buffers, destroys them, and binds them whole, which it cannot do with those of others.

use crate::{State, buffer::Buffer, failure::quietly, queue::Task};
use futures_channel::oneshot;
use lanthorn_ir::{
    Error, Result,
    backend::{BufferId, LocalFuture},
};
use std::{any::Any, future::ready, rc::Rc};

#[cfg(target_arch = "wasm32")]
pub(crate) use crate::browser::Source;

/// A buffer of the program.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone)]
pub(crate) struct Source(wgpu::Buffer);

#[cfg(not(target_arch = "wasm32"))]
impl Source {
    fn of(native: &dyn Any) -> Option<Source> {
        native.downcast_ref::<wgpu::Buffer>().cloned().map(Source)
    }

    fn can_be_copied(&self) -> bool {
        self.0.usage().contains(wgpu::BufferUsages::COPY_SRC)
    }

    fn bytes(&self) -> u64 {
        self.0.size()
    }

    /// Copies from this buffer to the start of another.
    fn copy(&self, device: &crate::device::Device, offset: u64, to: &wgpu::Buffer, bytes: u64) {
        let mut encoder = device.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&self.0, offset, to, 0, bytes);
        device.queue.submit([encoder.finish()]);
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn native(buffer: &wgpu::Buffer) -> Box<dyn Any> {
    Box::new(buffer.clone())
}

#[cfg(target_arch = "wasm32")]
use crate::browser::native;

/// A copy that waits in the queue.
pub(crate) struct Import {
    buffer: Rc<Buffer>,
    source: Source,
    offset: u64,
    bytes: u64,
}

impl State {
    /// See [`lanthorn_ir::Backend::share`].
    pub(crate) fn share(self: &Rc<State>, id: BufferId) -> LocalFuture<Result<Box<dyn Any>>> {
        if !self.queue.is_busy() {
            return self.shared_now(id);
        }
        let (answer, waiting) = oneshot::channel();
        self.enqueue([Task::Share(id, answer)]);
        self.deferred(waiting)
    }

    pub(crate) fn shared_now(&self, id: BufferId) -> LocalFuture<Result<Box<dyn Any>>> {
        Box::pin(ready(self.buffers.get(id).map(|buffer| native(&buffer.raw))))
    }

    /// See [`lanthorn_ir::Backend::import`].
    pub(crate) fn import(self: &Rc<State>, id: BufferId, source: &dyn Any, offset: u64, bytes: u64) -> Result<()> {
        self.device.check_lost()?;
        let refuse = |message: String| Err(Error::argument("import", message));
        let Some(source) = Source::of(source) else {
            return refuse("this is no buffer of WebGPU".to_string());
        };
        if !source.can_be_copied() {
            return refuse("the buffer was made without the usage COPY_SRC".to_string());
        }
        // Copies are of whole words.
        let bytes = bytes.next_multiple_of(4);
        if !offset.is_multiple_of(4) || offset.saturating_add(bytes) > source.bytes() {
            return refuse(format!(
                "{bytes} bytes from byte {offset} of a buffer of {} bytes; a copy is of whole words of 4 bytes",
                source.bytes()
            ));
        }
        let import = Import { buffer: self.buffers.get(id)?, source, offset, bytes };
        if self.queue.is_busy() {
            self.enqueue([Task::Import(import)]);
        } else {
            self.imported_now(&import);
        }
        Ok(())
    }

    pub(crate) fn imported_now(&self, Import { buffer, source, offset, bytes }: &Import) {
        if *bytes == 0 {
            return;
        }
        let copy = || source.copy(&self.device, *offset, &buffer.raw, *bytes);
        // A buffer that did not come to be tells that itself.
        if buffer.resource.is_resolved() { copy() } else { quietly(&self.device.device, copy) }
    }
}
