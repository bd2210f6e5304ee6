//! Recordings of straight runs of operations, which later calls replay.

use crate::Result;

/// Recordings of one run of operations, for different shapes and types of its arguments.
///
/// A run is [`replay`](Recorder::replay). If that returns nothing, it is
/// [`start`](Recorder::start), the operations, and [`finish`](Recorder::finish).
pub trait Recorder<T> {
    /// Replays the recording that these arguments fit. Returns its number, and the results.
    fn replay(&self, arguments: &[T]) -> Option<(u32, Vec<T>)>;

    /// Starts a recording, unless the device cannot record now. Returns the arguments with which
    /// the operations must run. `constants` says which arguments are the same in later calls,
    /// unless the program's state is replaced.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) if an argument cannot be copied.
    fn start(&self, arguments: &[T], constants: &[bool]) -> Result<Vec<T>>;

    /// Ends a recording, and runs it. Replaces results whose backward pass was recorded too.
    /// Returns the recording's number, or `None` if it cannot be replayed.
    fn finish(&self, results: &mut [T]) -> Option<u32>;

    /// Ends a recording that is not replayed. The recorded operations run.
    fn abort(&self);

    /// Describes the recordings.
    fn report(&self) -> RecorderReport;
}

/// The recordings of a [`Recorder`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecorderReport {
    /// The number of kernels of each recording.
    pub kernels: Vec<usize>,
    /// Why runs could not be recorded, each reason once.
    pub breaks: Vec<String>,
}
