//! Buffers that are read by the host.
//!
//! A read copies to a staging buffer in the same submission and maps that. Staging buffers are
//! pooled by size, so a training loop that reads its loss creates none. A future that is dropped
//! before it resolves returns its buffer to the pool too.

use crate::{
    buffer::{Buffer, create},
    device::Device,
    failure::{Failures, Lost, Resource, quietly},
};
use futures_channel::oneshot;
use lanthorn_ir::{Error, Result, backend::CountersCell};
use std::{cell::RefCell, future::poll_fn, pin::Pin, rc::Rc, sync::Arc, task::Poll};

const MIN_BYTES: u64 = 256;
/// Maximum size of idle staging buffers, in bytes.
const KEPT_BYTES: u64 = 64 << 20;
const KEPT_BUFFERS: usize = 64;

/// Idle staging buffers.
#[derive(Default)]
pub(crate) struct Pool(RefCell<Vec<(u64, Idle)>>);

/// A staging buffer, and whether its creation succeeded.
type Idle = (wgpu::Buffer, Rc<Resource>);

impl Pool {
    pub(crate) fn take(
        self: &Rc<Pool>,
        device: &Device,
        failures: &Rc<Failures>,
        counters: &CountersCell,
        bytes: u64,
    ) -> Result<Staging> {
        let capacity = bytes.next_power_of_two().max(MIN_BYTES).min(device.limits.max_buffer_size & !3).max(bytes);
        let mut idle = self.0.borrow_mut();
        // Removes buffers whose creation failed.
        idle.retain(|(_, (_, resource))| resource.error().is_none());
        let found = idle.iter().position(|(size, _)| *size == capacity);
        let (buffer, resource) = match found {
            Some(at) => idle.swap_remove(at).1,
            None => {
                drop(idle);
                let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
                let Buffer { raw, resource, .. } = create(device, failures, counters, capacity, usage)?;
                (raw, resource)
            }
        };
        Ok(Staging { pool: self.clone(), buffer, resource, capacity, state: State::Idle })
    }

    fn give(&self, capacity: u64, (buffer, resource): Idle) {
        let mut idle = self.0.borrow_mut();
        let held: u64 = idle.iter().map(|(size, _)| size).sum();
        if idle.len() < KEPT_BUFFERS && held + capacity <= KEPT_BYTES {
            idle.push((capacity, (buffer, resource)));
        } else {
            buffer.destroy();
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    /// Mapped, or being mapped.
    Mapped,
    /// Not usable any more.
    Broken,
}

/// A staging buffer in use. Dropping it returns it to the pool.
pub(crate) struct Staging {
    pool: Rc<Pool>,
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) resource: Rc<Resource>,
    capacity: u64,
    state: State,
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.state == State::Broken {
            self.buffer.destroy();
            return;
        }
        if self.state == State::Mapped {
            self.buffer.unmap();
        }
        self.pool.give(self.capacity, (self.buffer.clone(), self.resource.clone()));
    }
}

/// A staging buffer that is being mapped.
pub(crate) struct Mapping {
    staging: Staging,
    bytes: u64,
    mapped: oneshot::Receiver<Result<(), wgpu::BufferAsyncError>>,
    lost: Arc<Lost>,
}

impl Mapping {
    /// Maps the first `bytes` bytes, after the copy to the buffer was submitted.
    pub(crate) fn start(mut staging: Staging, bytes: u64, device: &Device) -> Mapping {
        let (sender, mapped) = oneshot::channel();
        staging.state = State::Mapped;
        let map = || {
            staging.buffer.slice(..bytes).map_async(wgpu::MapMode::Read, move |result| {
                // If no task waits any more, the receiver is gone.
                let _ = sender.send(result);
            })
        };
        // If the buffer's creation failed, its resource reports that.
        if staging.resource.is_resolved() {
            map()
        } else {
            quietly(&device.device, map)
        }
        Mapping { staging, bytes, mapped, lost: device.lost.clone() }
    }

    /// Resolves with the result of `read` for the bytes.
    pub(crate) async fn read<T>(mut self, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let mapped = until_lost(&mut self.mapped, &self.lost).await;
        if !matches!(mapped, Ok(Ok(()))) {
            self.staging.state = State::Broken;
            #[cfg(target_arch = "wasm32")]
            crate::browser::pause().await;
            return Err(mapped.err().unwrap_or_else(|| self.map_error()));
        }
        match self.staging.buffer.slice(..self.bytes).get_mapped_range() {
            Ok(view) => Ok(read(&view)),
            Err(_) => {
                self.staging.state = State::Broken;
                Err(self.map_error())
            }
        }
    }

    fn map_error(&self) -> Error {
        let memory =
            || Error::out_of_memory("read", format!("no room for {} bytes on their way to the host", self.bytes));
        self.lost.error().or_else(|| self.staging.resource.error()).unwrap_or_else(memory)
    }
}

/// The message of a callback, or the loss of the device, after which callbacks need not run.
pub(crate) async fn until_lost<T>(receiver: &mut oneshot::Receiver<T>, lost: &Arc<Lost>) -> Result<T> {
    let watch = lost.watch();
    poll_fn(|context| {
        watch.register(context.waker());
        match Pin::new(&mut *receiver).poll(context) {
            Poll::Ready(Ok(value)) => Poll::Ready(Ok(value)),
            Poll::Ready(Err(_)) => {
                Poll::Ready(Err(lost.error().unwrap_or_else(|| Error::device("wgpu", "the device dropped a callback"))))
            }
            Poll::Pending => lost.error().map_or(Poll::Pending, |error| Poll::Ready(Err(error))),
        }
    })
    .await
}
