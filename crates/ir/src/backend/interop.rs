//! Buffers shared with programs that use the device's API.

use crate::{
    Result,
    backend::{BufferId, LocalFuture},
};
use std::any::Any;

/// A backend whose buffers a program can use by the device's own API.
pub trait Interop {
    /// The device as its API names it: `wgpu::Device` natively, and a `JsValue` with the
    /// `GPUDevice` in a page. `None` if the API has no such object.
    fn native_device(&self) -> Option<Box<dyn Any>>;

    /// A buffer as the API names it, `wgpu::Buffer` or a `JsValue` with the `GPUBuffer`, once all
    /// work that was submitted before is in the device's queue.
    ///
    /// # Errors
    ///
    /// The error by which the device was lost.
    fn share(&self, buffer: BufferId) -> LocalFuture<Result<Box<dyn Any>>>;

    /// Copies `bytes` from a buffer of the API, beginning at `offset`, to the start of a buffer,
    /// after the work that was submitted before and before the work that is submitted later.
    ///
    /// # Errors
    ///
    /// `argument` if `source` is none of the API's buffers, cannot be copied from, or is too small.
    fn import(&self, buffer: BufferId, source: &dyn Any, offset: u64, bytes: u64) -> Result<()>;
}
