//! The primary context of a device, and marks in its stream.

use super::error::to_result;
use crate::driver::Mark;
use cudarc::driver::{result, sys};
use lanthorn_ir::Result;
use std::sync::Arc;

/// A device's primary context, which other libraries of the process share.
pub(super) struct Context {
    device: sys::CUdevice,
    context: sys::CUcontext,
}

// SAFETY: any thread may make a context current.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub(super) fn of(device: sys::CUdevice) -> Result<Arc<Context>> {
        // SAFETY: the driver returned the device.
        let context = to_result("cuda", unsafe { result::primary_ctx::retain(device) })?;
        Ok(Arc::new(Context { device, context }))
    }

    /// Makes the context current on this thread, which must precede all other calls.
    pub(super) fn enter(&self) -> Result<()> {
        // SAFETY: it is retained.
        to_result("cuda", unsafe { result::ctx::set_current(self.context) })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: it was retained once.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

/// An event, recorded in a stream.
pub struct Moment {
    event: sys::CUevent,
    context: Arc<Context>,
}

// SAFETY: any thread may query an event or wait for it.
unsafe impl Send for Moment {}
// SAFETY: as above.
unsafe impl Sync for Moment {}

impl Moment {
    pub(super) fn behind(stream: sys::CUstream, context: &Arc<Context>) -> Result<Moment> {
        // Waiting threads sleep. The event also records its time, because profiling may start
        // later.
        let event = to_result("mark", result::event::create(sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC))?;
        let moment = Moment { event, context: context.clone() };
        // SAFETY: both exist.
        to_result("mark", unsafe { result::event::record(event, stream) })?;
        Ok(moment)
    }

    /// Microseconds between two events, both of which have occurred.
    pub(super) fn elapsed(from: &Moment, to: &Moment) -> Result<f64> {
        // SAFETY: both exist.
        to_result("mark", unsafe { result::event::elapsed(from.event, to.event) })
            .map(|milliseconds| f64::from(milliseconds) * 1e3)
    }
}

impl Mark for Moment {
    fn is_done(&self) -> Result<bool> {
        self.context.enter()?;
        // SAFETY: the event exists.
        match unsafe { result::event::query(self.event) } {
            Err(error) if error.0 == sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            answer => to_result("wait", answer).map(|()| true),
        }
    }

    fn wait(&self) -> Result<()> {
        self.context.enter()?;
        // SAFETY: the event exists.
        to_result("wait", unsafe { result::event::synchronize(self.event) })
    }
}

impl Drop for Moment {
    fn drop(&mut self) {
        // SAFETY: the event exists, and is not used after this.
        let _ = self.context.enter().and_then(|()| to_result("mark", unsafe { result::event::destroy(self.event) }));
    }
}
