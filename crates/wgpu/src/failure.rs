//! Errors that WebGPU reports after the call that caused them, and the results that they affect.
//!
//! WebGPU reports invalid shaders, failed allocations and lost devices asynchronously. Meanwhile it
//! continues without an error, and reads return zeros or another tensor's contents. This module
//! wraps every creation in error scopes, records the launches that use each resource, and delays
//! reads until the reports have arrived. A failure therefore reaches every result that depends on
//! it.

use crate::shared::Shared;
use lanthorn_ir::{Error, backend::Failure};
use std::{
    cell::{Cell, RefCell},
    future::Future,
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
    task::Waker,
};

/// The reason of the device's loss, and the futures to wake.
#[derive(Default)]
pub(crate) struct Lost(Mutex<LostState>);

#[derive(Default)]
struct LostState {
    reason: Option<String>,
    next: u64,
    wakers: Vec<(u64, Waker)>,
}

impl Lost {
    pub(crate) fn set(&self, reason: String) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.reason.get_or_insert(reason);
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        wakers.into_iter().for_each(|(_, waker)| waker.wake());
    }

    pub(crate) fn error(&self) -> Option<Error> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = state.reason.as_ref()?;
        Some(Error::device_lost(
            "wgpu",
            format!("the GPU device is lost ({reason}); make a new device and load a checkpoint"),
        ))
    }

    /// Registers a future, under a number for its waker.
    pub(crate) fn watch(self: &Arc<Lost>) -> Watch {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.next += 1;
        Watch { id: state.next, lost: self.clone() }
    }
}

/// The registration of a future for the loss of the device. Dropping it removes the registration.
pub(crate) struct Watch {
    id: u64,
    lost: Arc<Lost>,
}

impl Watch {
    pub(crate) fn register(&self, waker: &Waker) {
        let mut state = self.lost.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.wakers.retain(|(id, _)| *id != self.id);
        state.wakers.push((self.id, waker.clone()));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut state = self.lost.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.wakers.retain(|(id, _)| *id != self.id);
    }
}

/// Converts a WebGPU error.
pub(crate) fn from_wgpu(op: &str, error: &wgpu::Error) -> Error {
    match error {
        wgpu::Error::OutOfMemory { .. } => {
            Error::out_of_memory(op, "the device has no room left; free tensors or use smaller ones")
        }
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
            Error::kernel(op, description.clone())
        }
    }
}

/// A created object, whose creation may still be reported as failed.
#[derive(Default)]
pub(crate) struct Resource {
    resolved: Cell<bool>,
    error: RefCell<Option<Error>>,
    users: RefCell<Vec<(u64, Option<usize>)>>,
}

impl Resource {
    pub(crate) fn error(&self) -> Option<Error> {
        self.error.borrow().clone()
    }

    pub(crate) fn is_resolved(&self) -> bool {
        self.resolved.get()
    }

    /// Records a launch (or a submission) that fails if the creation failed.
    pub(crate) fn record_use(&self, submission: u64, launch: Option<usize>) {
        let user = (submission, launch);
        let mut users = self.users.borrow_mut();
        if !self.resolved.get() && users.last() != Some(&user) {
            users.push(user);
        }
    }

    pub(crate) fn resolve(&self, error: Option<Error>, failures: &Failures) {
        self.resolved.set(true);
        let users = std::mem::take(&mut *self.users.borrow_mut());
        if let Some(error) = &error {
            users.into_iter().for_each(|(submission, launch)| failures.report(submission, launch, error.clone()));
        }
        *self.error.borrow_mut() = error;
    }
}

/// The collected failures.
#[derive(Default)]
pub(crate) struct Failures {
    known: RefCell<Vec<Failure>>,
    /// The pending reports, in the order of the calls.
    pending: RefCell<Vec<Shared>>,
    /// The errors that no scope caught.
    pub(crate) uncaptured: Arc<Mutex<Vec<Error>>>,
    /// Submissions up to this one are not affected by new uncaptured errors.
    settled: Cell<u64>,
}

impl Failures {
    pub(crate) fn report(&self, submission: u64, launch: Option<usize>, error: Error) {
        let mut known = self.known.borrow_mut();
        if !known.iter().any(|failure| (failure.submission, failure.launch) == (submission, launch)) {
            known.push(Failure { submission, launch, error });
        }
    }

    /// Returns the failures since the last call. `current` is the number of the last submission.
    pub(crate) fn take(&self, current: u64) -> Vec<Failure> {
        self.settle_pending();
        let uncaptured = std::mem::take(&mut *self.uncaptured.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(error) = uncaptured.into_iter().next() {
            // The source of the error is unknown, so all submissions that it may affect fail, and
            // none returns wrong results silently.
            (self.settled.get() + 1..=current).for_each(|submission| self.report(submission, None, error.clone()));
            self.settled.set(current);
        }
        std::mem::take(&mut self.known.borrow_mut())
    }

    /// Records that a submission is done and that all its reports have arrived.
    pub(crate) fn settle(&self, submission: u64) {
        if self.uncaptured.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
            self.settled.set(self.settled.get().max(submission));
        }
    }

    pub(crate) fn wait_for(&self, future: impl Future<Output = ()> + 'static) {
        let shared = Shared::new(future);
        if !shared.advance() {
            self.pending.borrow_mut().push(shared);
        }
    }

    /// Drops the reports that have arrived, and returns the others.
    pub(crate) fn settle_pending(&self) -> Vec<Shared> {
        let pending: Vec<Shared> = self.pending.borrow().clone();
        let open: Vec<Shared> = pending.into_iter().filter(|shared| !shared.advance()).collect();
        self.pending.replace(open.clone());
        open
    }
}

/// Runs `make` inside error scopes. Runs `done` when the outcome is known: immediately on native
/// devices, later in browsers.
pub(crate) fn run_guarded<T>(
    device: &wgpu::Device,
    failures: &Rc<Failures>,
    make: impl FnOnce() -> T,
    done: impl FnOnce(Option<wgpu::Error>) + 'static,
) -> T {
    run_guarded_then(device, failures, make, move |error| {
        done(error);
        std::future::ready(())
    })
}

/// [`run_guarded`] with an asynchronous `done`.
pub(crate) fn run_guarded_then<T, F: Future<Output = ()> + 'static>(
    device: &wgpu::Device,
    failures: &Rc<Failures>,
    make: impl FnOnce() -> T,
    done: impl FnOnce(Option<wgpu::Error>) -> F + 'static,
) -> T {
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let made = make();
    let (validation, memory, internal) = (validation.pop(), memory.pop(), internal.pop());
    failures.wait_for(async move {
        // If there are both errors, out of memory is the cause.
        let validation = validation.await;
        let memory = memory.await;
        let internal = internal.await;
        done(memory.or(internal).or(validation)).await;
    });
    made
}

/// Runs `make`, which may use an invalid object, and discards its errors. The creation of that
/// object reports them.
pub(crate) fn quietly<T>(device: &wgpu::Device, make: impl FnOnce() -> T) -> T {
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let made = make();
    drop(scope.pop());
    made
}
