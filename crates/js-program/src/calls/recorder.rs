//! Recordings of the core.

use super::host::{Host, Recordings, Tensor};
use crate::error::failure;
use lanthorn_program::{Recorder, RecorderReport, Result};

/// The recordings of a straight run of operations in the core.
pub struct CoreRecorder {
    host: Host,
    recordings: Recordings,
}

impl CoreRecorder {
    /// A new set of recordings. `None` if the core is gone.
    pub fn new(host: &Host) -> Option<CoreRecorder> {
        let recordings = host.recordings().ok()?;
        Some(CoreRecorder { host: host.clone(), recordings })
    }
}

impl Drop for CoreRecorder {
    fn drop(&mut self) {
        self.recordings.dispose();
    }
}

fn handles(tensors: &[Tensor]) -> Vec<u32> {
    tensors.iter().map(Tensor::handle).collect()
}

impl Recorder<Tensor> for CoreRecorder {
    fn replay(&self, arguments: &[Tensor]) -> Option<(u32, Vec<Tensor>)> {
        // A core that is gone has no recording; the next operation says so.
        let replayed = self.recordings.replay(&handles(arguments)).ok()??;
        let (&number, results) = replayed.split_first()?;
        Some((number, results.iter().map(|&handle| Tensor::own(&self.host, handle)).collect()))
    }

    fn start(&self, arguments: &[Tensor], constants: &[bool]) -> Result<Vec<Tensor>> {
        let constants: Vec<u8> = constants.iter().copied().map(u8::from).collect();
        let given =
            self.recordings.start(&handles(arguments), &constants).map_err(|error| failure("compile", error))?;
        let tensor = |(&handle, argument): (&u32, &Tensor)| match handle == argument.handle() {
            true => argument.clone(),
            false => Tensor::own(&self.host, handle),
        };
        Ok(given.iter().zip(arguments).map(tensor).collect())
    }

    fn finish(&self, results: &mut [Tensor]) -> Option<u32> {
        // The core replaces the tensors of these handles where it has to.
        self.recordings.finish(&handles(results)).ok().flatten()
    }

    fn abort(&self) {
        // A core that is gone has dropped its recordings.
        let _ = self.recordings.abort();
    }

    fn report(&self) -> RecorderReport {
        let kernels = self.recordings.kernels().unwrap_or_default();
        let kernels = kernels.into_iter().map(|count| count as usize).collect();
        RecorderReport { kernels, breaks: self.recordings.breaks().unwrap_or_default() }
    }
}
