//! Recordings: the kernels of one call of a function, planned once, which later calls run again with
//! other buffers and parameters. No kernel is recorded, and no plan is looked up, for them.
//!
//! While a recording is under way, flushes wait for its end, so that its kernels are one segment: what
//! the function drops before it returns is never stored. A read in between breaks the recording.

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
    /// `None` where nothing was computed.
    pub(crate) plan: Option<Rc<Plan>>,
    /// Whether each input's buffer may take a result, because nothing held the input after the call.
    pub(crate) consumed: Vec<bool>,
    pub(crate) outputs: Vec<RecordedOutput>,
    /// The launch parameters.
    pub params: Vec<Param>,
    /// The state of the device's plans that the plan belongs to.
    pub(crate) generation: u64,
    /// Whether the call flushed, as an optimizer's step does. What did not flush waits for what does.
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

    /// Whether the buffer of input `index` may take a result, so that no other than its storage may
    /// hold it at a replay.
    pub fn consumes(&self, index: usize) -> bool {
        self.consumed[index]
    }
}

/// A finished recording, with the values of the call that it was made in.
pub struct Recorded {
    /// The recording.
    pub recording: Recording,
    /// The values that the call read and did not compute, in the order in which a replay takes them.
    pub inputs: Vec<Value>,
    /// The values that the call computed and something holds, in the order in which a replay gives them.
    pub outputs: Vec<Value>,
    /// Data of the host that the call uploaded.
    pub uploads: Vec<Value>,
}

/// A recording under way.
#[derive(Default)]
pub(crate) struct ActiveRecording {
    /// Why the recording cannot be replayed.
    pub broken: Option<String>,
    /// Data of the host that was uploaded meanwhile. It is held, so that no result takes its buffer.
    pub uploads: Vec<Value>,
    /// Whether a flush waits for the end.
    pub flushes: bool,
    /// How often the generator was seeded before.
    pub seeded: u64,
}
