//! Durations of launches.

use crate::{Result, backend::LocalFuture};

/// The duration of a launch or a submission.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The id of the submission.
    pub submission: u64,
    /// The index of the launch in the submission; `None` for the whole submission, on a device that
    /// cannot measure launches.
    pub launch: Option<usize>,
    /// The start in microseconds, on the backend's clock.
    pub start: f64,
    /// The duration in microseconds.
    pub duration: f64,
}

/// A backend that measures launches.
pub trait Profiler {
    /// Sets whether later submissions are measured.
    fn set_profiling(&self, on: bool);

    /// The measurements of completed work that were not returned before.
    ///
    /// # Errors
    ///
    /// The error by which the device was lost.
    fn timings(&self) -> LocalFuture<Result<Vec<Timing>>>;
}
