//! Recordings: the kernels of one call of a function, planned once. Later calls replay them with
//! other buffers and parameters, without recording a kernel or looking up a plan.
//!
//! During a recording, flushes wait for its end, so that its kernels are one segment. Values that
//! the function drops before it returns are never stored. A read during the recording makes it
//! fail.

use crate::{param::Param, plan::Plan, value::Value};
use lanthorn_ir::DType;
use std::rc::Rc;

/// An output of a recording.
pub(crate) struct RecordedOutput {
    pub op: &'static str,
    pub dtype: DType,
    pub elements: usize,
}

/// The planned kernels of one call.
#[derive(Default)]
pub struct Recording {
    /// `None` if nothing was computed.
    pub(crate) plan: Option<Rc<Plan>>,
    /// Whether each input's buffer may be reused for a result, because nothing held the input after
    /// the call.
    pub(crate) consumed: Vec<bool>,
    pub(crate) outputs: Vec<RecordedOutput>,
    /// The launch parameters.
    pub params: Vec<Param>,
    /// The generation of the device's plans to which the plan belongs.
    pub(crate) generation: u64,
    /// Whether the call flushed, as an optimizer's step does. A call that did not flush waits for
    /// one that does.
    pub(crate) flushes: bool,
}

impl Recording {
    /// The number of kernels that a replay launches.
    pub fn launches(&self) -> usize {
        self.plan.as_ref().map_or(0, |plan| plan.kernels.len())
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.consumed.len()
    }

    /// Whether a result may reuse the buffer of input `index`. At a replay, only the input's
    /// storage may then hold it.
    pub fn consumes(&self, index: usize) -> bool {
        self.consumed[index]
    }
}

/// A finished recording, with the values of the recorded call.
pub struct Recorded {
    /// The recording.
    pub recording: Recording,
    /// The values that the call read and did not compute, in the order of a replay's inputs.
    pub inputs: Vec<Value>,
    /// The values that the call computed and that are still held, in the order of a replay's
    /// results.
    pub outputs: Vec<Value>,
    /// Data of the host that the call uploaded, and the results of kernels that read only
    /// constants.
    pub uploads: Vec<Value>,
    /// The constants that these kernels read. A replay is right while they are the same values.
    pub constants: Vec<Value>,
}

/// A recording in progress.
#[derive(Default)]
pub(crate) struct ActiveRecording {
    /// Why the recording cannot be replayed.
    pub broken: Option<String>,
    /// Host data uploaded during the recording. It is held, so that no result reuses its buffer.
    pub uploads: Vec<Value>,
    /// Whether a flush waits for the end.
    pub flushes: bool,
    /// The number of times that the generator was seeded before.
    pub seeded: u64,
}
