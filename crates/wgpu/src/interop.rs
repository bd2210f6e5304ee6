//! Buffers that a program shares with its own use of the device.
//!
//! A buffer of the core is exported without a copy. A buffer of the program is imported by a copy,
//! because the core pools its buffers, destroys them, and binds them as a whole, which it cannot do
//! with the program's buffers.

use crate::{
    State,
    buffer::{Buffer, create},
    failure::quietly,
    queue::Task,
};
use futures_channel::oneshot;
use lanthorn_ir::{
    Error, Result,
    backend::{BufferId, LocalFuture},
};
use std::{any::Any, future::ready, rc::Rc, sync::PoisonError};

#[cfg(target_arch = "wasm32")]
pub(crate) use crate::browser::Source;

/// A buffer of the program.
#[cfg(not(target_arch = "wasm32"))]
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

/// A copy of a buffer of the program, made while the queue was busy.
pub(crate) struct Import {
    buffer: Rc<Buffer>,
    copied: Buffer,
}

impl State {
    /// See [`lanthorn_ir::Backend::share`].
    pub(crate) fn share(self: &Rc<State>, id: BufferId) -> LocalFuture<Result<Box<dyn Any>>> {
        if !self.queue.is_busy() {
            return self.shared_now(id);
        }
        let (answer, waiting) = oneshot::channel();
        self.enqueue([Task::Share(id, answer)]);
        self.run_deferred(waiting)
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
        let buffer = self.buffers.get(id)?;
        if bytes == 0 {
            return Ok(());
        }
        if !self.queue.is_busy() {
            self.copy(&buffer, |to| source.copy(&self.device, offset, to, bytes));
            return Ok(());
        }
        // The program may write to its buffer next, while earlier work still uses the core's
        // buffer.
        let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let copied = create(&self.device, &self.failures, &self.counters, bytes, usage)?;
        self.copy(&copied, |to| source.copy(&self.device, offset, to, bytes));
        self.enqueue([Task::Import(Import { buffer, copied })]);
        Ok(())
    }

    /// Finishes an import that waited in the queue.
    pub(crate) async fn finish_import(&self, Import { buffer, copied }: Import) {
        for answer in self.failures.settle_pending() {
            answer.await;
        }
        if let Some(error) = copied.resource.error() {
            // The failure affects the readers of the buffer, although its creation succeeded.
            self.failures.uncaptured.lock().unwrap_or_else(PoisonError::into_inner).push(error);
            return;
        }
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        self.copy(&buffer, |to| {
            encoder.copy_buffer_to_buffer(&copied.raw, 0, to, 0, copied.bytes);
            self.device.queue.submit([encoder.finish()]);
        });
        copied.raw.destroy();
    }

    /// Copies to a buffer. If the buffer's creation failed, its resource reports that.
    fn copy(&self, to: &Buffer, copy: impl FnOnce(&wgpu::Buffer)) {
        if to.resource.is_resolved() { copy(&to.raw) } else { quietly(&self.device.device, || copy(&to.raw)) }
    }
}
