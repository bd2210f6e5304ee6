//! Recordings of the executor: it records the kernels of one call, and replays them.

use super::{
    Batch, Executor,
    fold::{Folded, fold},
    launches,
};
use crate::{
    param::Param,
    plan::{Segment, Slot, eliminate_dead_nodes},
    recorder::{RecordedKernel, remove_failed},
    recording::{ActiveRecording, Recorded, RecordedOutput, Recording},
    value::{State, Value, WeakValue},
};
use lanthorn_ir::{Error, expr::Constant};
use rustc_hash::FxHashSet;

/// Maximum number of replays that wait for a later submission. They hold their buffers.
const MAX_WAITING: usize = 3;

impl Executor {
    /// Starts a recording. Returns `false` during another recording, or if an observer needs every
    /// plan.
    pub fn start_recording(&self, seeded: u64) -> bool {
        if self.recording.borrow().is_some() || self.is_observed() {
            return false;
        }
        self.flush();
        self.recording.replace(Some(ActiveRecording { seeded, ..ActiveRecording::default() }));
        true
    }

    /// Whether there is an explanation, a profile or a tuning, which observes kernels during
    /// planning.
    pub(super) fn is_observed(&self) -> bool {
        self.observers.is_any() || self.submitting.get()
    }

    /// Marks the current recording as one that cannot be replayed, with the reason.
    pub fn break_recording_with(&self, reason: impl FnOnce() -> String) {
        if let Some(active) = &mut *self.recording.borrow_mut() {
            active.broken.get_or_insert_with(reason);
        }
    }

    /// Notes that the host waits for recorded kernels.
    pub(super) fn break_recording(&self, op: &str) {
        self.reads.set(self.reads.get().wrapping_add(1));
        self.break_recording_with(|| format!("{op} needs what was computed so far"));
    }

    /// Ends a recording, and runs it if `runs`. Kernels that read only the values with the keys
    /// `constants` run once. The error is the reason why the recording cannot be replayed.
    pub fn finish_recording(
        &self,
        seeded: u64,
        runs: bool,
        constants: &FxHashSet<usize>,
    ) -> std::result::Result<Recorded, String> {
        let Some(mut active) = self.recording.take() else { return Err("no recording is under way".into()) };
        if active.seeded != seeded {
            self.flush();
            return Err("it sets the state of the random generator".into());
        }
        if let Some(error) = self.backend.lost() {
            self.flush();
            return Err(error.to_string());
        }
        if let Some(reason) = active.broken {
            self.flush();
            return Err(reason);
        }
        let nodes = self.recorder.borrow_mut().take();
        let (nodes, constants) = match constants.is_empty() {
            true => (nodes, vec![]),
            false => self.fold(nodes, constants, &mut active.uploads),
        };
        let segment = Segment::new(nodes, &[], &[]);
        let params: Vec<Param> = segment.nodes.iter().flat_map(|node| node.params.iter().copied()).collect();
        let plan = match runs {
            true => self.run_segment(&segment, &[], None).0,
            false => (!segment.nodes.is_empty()).then(|| self.plan(&segment, &[])),
        };
        let Some(plan) = plan else {
            let recording = Recording { generation: self.generation.get(), ..Recording::default() };
            return match segment.nodes.is_empty() {
                true => Ok(Recorded { recording, inputs: vec![], outputs: vec![], uploads: active.uploads, constants }),
                false => Err("its kernels could not run".into()),
            };
        };
        if !plan.template.failed.is_empty() {
            return Err("a kernel does not compile on this device".into());
        }
        let outputs: Vec<Value> =
            plan.template.outputs.iter().map(|output| segment.locals[output.local].value.clone()).collect();
        let recording = Recording {
            consumed: segment.externals().map(|local| !local.escapes).collect(),
            outputs: outputs
                .iter()
                .map(|value| RecordedOutput { op: value.op(), dtype: value.dtype(), elements: value.elements() })
                .collect(),
            params,
            generation: self.generation.get(),
            flushes: active.flushes,
            plan: Some(plan),
        };
        let inputs = segment.externals().map(|local| local.value.clone()).collect();
        Ok(Recorded { recording, inputs, outputs, uploads: active.uploads, constants })
    }

    /// Runs the kernels that read only constants, and adds their results to the uploads. Returns
    /// the other kernels, and the constants that were read.
    fn fold(
        &self,
        nodes: Vec<RecordedKernel>,
        constants: &FxHashSet<usize>,
        uploads: &mut Vec<Value>,
    ) -> (Vec<RecordedKernel>, Vec<Value>) {
        let Folded { constant, mut rest, values, reads } = fold(eliminate_dead_nodes(nodes, &[]), constants, uploads);
        if constant.is_empty() {
            return (rest, vec![]);
        }
        self.run_segment(&Segment::new(constant, &[], &[]), &[], None);
        remove_failed(&mut rest);
        // The other kernels, or the program, hold these.
        uploads.extend(values.iter().filter_map(WeakValue::upgrade));
        (rest, reads)
    }

    /// Whether a recording matches the current plans.
    pub fn can_replay(&self, recording: &Recording) -> bool {
        recording.generation == self.generation.get()
            && self.recording.borrow().is_none()
            && !self.is_observed()
            && self.backend.lost().is_none()
    }

    /// Whether a recording can run on these inputs, which one storage and the caller hold. Runs
    /// everything recorded earlier. Earlier replays may wait together with this one.
    pub fn can_bind(&self, recording: &Recording, inputs: &[Value]) -> bool {
        // Waiting replays have their buffers, so a call on their results can wait with them.
        if !self.recorder.borrow().is_empty() || !self.written.borrow().is_empty() {
            self.flush();
        }
        let fits = |(value, consumed): (&Value, &bool)| value.is_ready() && (!consumed || value.handles() <= 2);
        inputs.iter().zip(&recording.consumed).all(fits)
    }

    /// Runs a recording on other values, which it can bind, with other parameters.
    pub fn replay(&self, recording: &Recording, inputs: &[Value], params: &[Constant]) -> Vec<Value> {
        let Some(plan) = &recording.plan else { return vec![] };
        let externals: Option<Vec<_>> = inputs.iter().map(Value::buffer).collect();
        let externals = externals.ok_or_else(|| Error::kernel("compile", "an input was never computed"));
        let binding = externals.and_then(|externals| self.bind(plan, externals));
        let state = |slot: Slot| match &binding {
            Ok(binding) => State::Ready(binding.buffer(slot).clone()),
            Err(error) => State::Failed(error.clone()),
        };
        let slots = plan.template.outputs.iter().map(|output| output.slot);
        let outputs: Vec<Value> = recording
            .outputs
            .iter()
            .zip(slots)
            .map(|(output, slot)| Value::new(output.op, output.dtype, output.elements, state(slot)))
            .collect();
        if let Ok(binding) = binding {
            let batch = Batch {
                launches: launches(plan, &binding, params),
                plan: plan.clone(),
                outputs: outputs.iter().map(Value::downgrade).collect(),
                externals: inputs.iter().map(Value::downgrade).collect(),
                _binding: binding,
            };
            let mut waiting = self.waiting.borrow_mut();
            waiting.push(batch);
            if recording.flushes || waiting.len() > MAX_WAITING {
                let batches = std::mem::take(&mut *waiting);
                drop(waiting);
                drop(self.submit_batches(batches, None));
            }
        }
        outputs
    }
}
