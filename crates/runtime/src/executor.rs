//! The executor: turns recorded kernels into submissions to a backend.
//!
//! A flush takes the recorder's kernels as one segment, finds or builds its plan, binds buffers to
//! the plan's slots, and submits the launches. Later kernels can use the values immediately. If the
//! backend reports a failure afterwards, it reaches every value that depends on it.
//!
//! The executor is separate from [`Device`](crate::Device), so that the handle which users hold has
//! no state.

use crate::{
    explain::Explanation,
    inspect::Stats,
    param::Param,
    plan::{self, Binding, Key, Optimizations, Pending, Plan, Segment, Slot, Template},
    pool::{Buffer, Pool},
    profile::{LaunchLog, Profile},
    recorder::{KernelKey, Recorder, fail},
    recording::ActiveRecording,
    shared::SharedValue,
    value::{State, Value, WeakValue},
};
use lanthorn_ir::{
    Backend, DType, Error, Kernel, Result,
    backend::{Compiled, Interop, Launch, LocalFuture, Read, Submission},
    expr::{Constant, gradients_derived},
    number::Trace,
};
use observers::Observers;
use std::{
    any::Any,
    cell::{Cell, RefCell},
    rc::Rc,
};

mod fold;
mod observers;
mod replay;
mod shared;

pub(crate) struct Executor {
    // Declared before the backend handle below, so that the pool frees its buffers first.
    pool: Rc<Pool>,
    recorder: RefCell<Recorder>,
    plans: RefCell<plan::Plans>,
    pending: RefCell<Vec<Pending>>,
    optimizations: Cell<Optimizations>,
    launches: Cell<u64>,
    /// The id of the last submission.
    submission: Cell<u64>,
    /// Whether a submission is being passed to the backend. A function of a custom kernel may then
    /// call back.
    submitting: Cell<bool>,
    observers: Observers,
    /// The current recording, during which flushes wait.
    recording: RefCell<Option<ActiveRecording>>,
    /// The launches of replays whose functions did not flush. They run with the next submission.
    waiting: RefCell<Vec<Batch>>,
    /// The shared storages that were written since the last flush.
    written: RefCell<Vec<SharedValue>>,
    /// Counts the times that all plans were dropped.
    generation: Cell<u64>,
    /// The number of times that the host waited for recorded kernels.
    reads: Cell<u64>,
    backend: Rc<dyn Backend>,
}

/// A contiguous range of a value's elements, for a copy to the host.
pub struct ReadRange {
    /// The value.
    pub value: Value,
    /// The first element.
    pub offset: usize,
    /// The number of elements.
    pub elements: usize,
}

/// The read of a submission; `None` if there is nothing to read.
type PendingRead = Option<LocalFuture<Result<Vec<u8>>>>;

impl Executor {
    pub fn new(backend: Rc<dyn Backend>) -> Executor {
        Executor {
            pool: Pool::new(backend.clone()),
            recorder: RefCell::default(),
            plans: RefCell::default(),
            pending: RefCell::default(),
            optimizations: Cell::default(),
            launches: Cell::default(),
            submission: Cell::default(),
            submitting: Cell::default(),
            observers: Observers::default(),
            recording: RefCell::default(),
            waiting: RefCell::default(),
            written: RefCell::default(),
            generation: Cell::default(),
            reads: Cell::default(),
            backend,
        }
    }

    pub fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    pub fn optimizations(&self) -> Optimizations {
        self.optimizations.get()
    }

    pub fn set_optimizations(&self, optimizations: Optimizations) {
        self.flush();
        self.optimizations.set(optimizations);
        self.forget_plans();
    }

    /// The number of times that the host waited for recorded kernels: reads, and buffers that it
    /// shares with the program.
    pub fn reads(&self) -> u64 {
        self.reads.get()
    }

    /// Releases unused buffers to the device.
    pub fn empty_cache(&self) {
        // During a submission, launches that have not run yet use buffers that are already back in
        // the pool.
        if !self.submitting.get() {
            self.pool.trim();
            self.backend.empty_cache();
        }
    }

    /// Returns an error if a function of a custom kernel requests an operation of the same device
    /// that is not possible during a submission.
    fn check_reentrancy(&self, op: &str) -> Result<()> {
        match self.submitting.get() {
            true => {
                Err(Error::kernel(op, "a kernel that runs on the host cannot make or read tensors of its own device"))
            }
            false => Ok(()),
        }
    }

    /// Drops all plans. Earlier recordings are not replayed.
    pub fn forget_plans(&self) {
        self.generation.set(self.generation.get() + 1);
        self.plans.borrow_mut().clear();
    }

    pub fn stats(&self) -> Stats {
        let plans = self.plans.borrow();
        Stats {
            plan_hits: plans.hits,
            plan_resizes: plans.resizes,
            plan_misses: plans.misses,
            launches: self.launches.get(),
            submissions: self.submission.get(),
            kernels: self.recorder.borrow().count_interned(),
            derivatives: gradients_derived(),
            memory: self.pool.stats(),
            api: self.backend.counters(),
        }
    }

    pub fn start_explaining(&self) {
        self.flush();
        self.observers.explanation.replace(Some(Explanation::default()));
    }

    pub fn stop_explaining(&self) -> Explanation {
        self.flush();
        self.observers.explanation.take().unwrap_or_default()
    }

    pub fn start_profile(&self) {
        self.flush();
        self.set_profiling(true);
        self.observers.launch_log.replace(Some(LaunchLog::default()));
    }

    pub async fn stop_profile(&self) -> Result<Profile> {
        let done = self.synchronize().await;
        self.set_profiling(false);
        let log = self.observers.launch_log.take().unwrap_or_default();
        let timings = match self.backend.profiler() {
            Some(profiler) => profiler.timings().await,
            None => Ok(vec![]),
        };
        done?;
        Ok(log.finish(timings?))
    }

    fn set_profiling(&self, on: bool) {
        if let Some(profiler) = self.backend.profiler() {
            profiler.set_profiling(on);
        }
    }

    /// Flushes, and then collects the kernels of later plans.
    pub fn collect_kernels(&self) {
        self.flush();
        self.observers.tuned.replace(Some(vec![]));
    }

    /// Flushes, and returns the collected kernels.
    pub fn collected_kernels(&self) -> Vec<(&'static str, Kernel)> {
        self.flush();
        self.observers.tuned.take().unwrap_or_default()
    }

    /// A buffer for uploaded elements.
    pub fn upload_buffer(&self, op: &str, dtype: DType, elements: usize) -> Result<Rc<Buffer>> {
        if let Some(error) = self.backend.lost() {
            return Err(error.in_op(op));
        }
        self.buffer(op, dtype, elements)
    }

    /// Records that a value was uploaded during a recording.
    pub fn note_upload(&self, value: &Value) {
        if let Some(active) = &mut *self.recording.borrow_mut() {
            active.uploads.push(value.clone());
        }
    }

    /// The backend's interface for sharing buffers with the program.
    fn interop(&self, op: &str) -> Result<&dyn Interop> {
        self.backend.interop().ok_or_else(|| {
            let name = self.backend.capabilities().name;
            Error::device(op, format!("the device {name} has no buffers to share with a program"))
        })
    }

    /// Creates a value with a copy of a buffer of the device's API.
    pub fn import(&self, op: &str, dtype: DType, elements: usize, source: &dyn Any, offset: u64) -> Result<Value> {
        if let Some(error) = self.backend.lost() {
            return Err(error.in_op(op));
        }
        self.break_recording(op);
        let buffer = self.buffer(op, dtype, elements)?;
        let bytes = elements as u64 * dtype.size() as u64;
        self.interop(op)?.import(buffer.id, source, offset, bytes).map_err(|error| error.in_op(op))?;
        Ok(Value::new("import", dtype, elements, State::Ready(buffer)))
    }

    /// Runs the recorded kernels, and shares the buffer of a value with the program.
    pub fn share(&self, op: &str, value: &Value) -> LocalFuture<Result<Box<dyn Any>>> {
        // A value that is ready does not need the kernels recorded since.
        self.break_recording(op);
        if matches!(value.state(), State::Recorded) || !self.waiting.borrow().is_empty() {
            self.run(Some(value), None);
        }
        match value.state() {
            State::Ready(buffer) => match self.interop(op) {
                Ok(interop) => interop.share(buffer.id),
                Err(error) => Box::pin(std::future::ready(Err(error))),
            },
            State::Failed(error) => Box::pin(std::future::ready(Err(error))),
            State::Recorded => {
                let error = self.check_reentrancy(op).err();
                let error = error.unwrap_or_else(|| Error::kernel(op, "the value was never computed"));
                Box::pin(std::future::ready(Err(error)))
            }
        }
    }

    /// Applies the failures that are known.
    pub fn apply_failures(&self) {
        self.resolve(0);
    }

    /// A buffer for `elements` elements, with undefined contents.
    pub fn buffer(&self, op: &str, dtype: DType, elements: usize) -> Result<Rc<Buffer>> {
        self.check_reentrancy(op)?;
        self.pool.take(self.backend.storage_bytes(dtype, elements)).map_err(|error| error.in_op(op))
    }

    pub fn record(
        &self,
        op: &'static str,
        kernel: Kernel,
        base: Option<Value>,
        inputs: Vec<Value>,
        params: Vec<Param>,
    ) -> Vec<Value> {
        let outputs = self.recorder.borrow_mut().record(op, kernel, base, inputs, params);
        self.flush_if_full();
        outputs
    }

    pub fn record_known(
        &self,
        op: &'static str,
        key: &KernelKey,
        make: impl FnOnce() -> Result<Kernel>,
        inputs: Vec<Value>,
        params: Vec<Param>,
    ) -> Result<Vec<Value>> {
        let outputs = self.recorder.borrow_mut().record_known(op, key, make, inputs, params)?;
        self.flush_if_full();
        Ok(outputs)
    }

    fn flush_if_full(&self) {
        let held = self.recording.borrow().as_ref().is_some_and(|active| active.broken.is_none());
        if self.recorder.borrow().is_full(held, self.backend.capabilities()) {
            self.break_recording_with(|| "it records too many kernels".into());
            self.flush();
        }
    }

    /// Runs the recorded kernels, or leaves them to the end of a recording.
    pub fn flush(&self) {
        if let Some(active) = &mut *self.recording.borrow_mut()
            && active.broken.is_none()
        {
            active.flushes = true;
            return;
        }
        self.run(None, None);
    }

    pub async fn synchronize(&self) -> Result<()> {
        self.break_recording("synchronize");
        self.flush();
        let done = self.backend.synchronize().await;
        self.resolve(self.submission.get());
        done
    }

    /// Runs the recorded kernels and starts a read after them. Returns the read and the id of its
    /// submission.
    pub fn read(&self, range: &ReadRange) -> (PendingRead, u64) {
        self.break_recording("a read");
        let read = self.run(Some(&range.value), Some(range));
        (read, self.submission.get())
    }

    /// Applies the failures that are known, and forgets submissions up to `submission`, which are
    /// done.
    pub fn resolve(&self, submission: u64) {
        let failures = self.backend.failures();
        let mut pending = self.pending.borrow_mut();
        if !failures.is_empty() {
            plan::propagate(&failures, &pending);
        }
        pending.retain(|pending| pending.submission > submission);
    }

    /// Runs the recorded segment, which must compute `needed`, and reads `wanted` after it, in one
    /// submission.
    fn run(&self, needed: Option<&Value>, wanted: Option<&ReadRange>) -> PendingRead {
        if let Err(error) = self.check_reentrancy("read") {
            // The next flush runs it.
            return wanted.map(|_| -> LocalFuture<Result<Vec<u8>>> { Box::pin(std::future::ready(Err(error))) });
        }
        let nodes = self.recorder.borrow_mut().take();
        let needed = needed.map_or(&[][..], std::slice::from_ref);
        if let Some(error) = self.backend.lost() {
            nodes.iter().for_each(|node| fail(&node.outputs, &error));
            for waiting in self.waiting.take() {
                waiting.outputs.iter().filter_map(WeakValue::upgrade).for_each(|value| fail(&[value], &error));
            }
            fail(needed, &error);
            return None;
        }
        let written = self.written.take();
        let (_, read) = self.run_segment(&Segment::new(nodes, needed, &written), needed, wanted);
        written.iter().for_each(SharedValue::forget_written);
        read
    }

    /// Runs a segment, and reads `wanted` after it. Returns its plan, if anything was launched.
    fn run_segment(
        &self,
        segment: &Segment,
        needed: &[Value],
        wanted: Option<&ReadRange>,
    ) -> (Option<Rc<Plan>>, PendingRead) {
        let batch = self.prepare(segment, needed);
        let plan = batch.as_ref().map(|batch| batch.plan.clone());
        // A value that failed before has no buffer, and an empty range needs no read.
        let read = wanted.filter(|range| range.elements > 0).and_then(|range| {
            let buffer = range.value.buffer()?;
            Some(Read { buffer: buffer.id, dtype: range.value.dtype(), offset: range.offset, elements: range.elements })
        });
        let mut batches = self.waiting.take();
        batches.extend(batch);
        (plan, self.submit_batches(batches, read))
    }

    /// Submits batches and a read in one submission, and stores it until it is known to be done.
    fn submit_batches(&self, mut batches: Vec<Batch>, read: Option<Read>) -> PendingRead {
        if batches.is_empty() && read.is_none() {
            return None;
        }
        let mut launches: Vec<Launch> = vec![];
        let mut pending = vec![];
        for batch in &mut batches {
            pending.push((launches.len(), batch.plan.clone()));
            match launches.is_empty() {
                true => launches = std::mem::take(&mut batch.launches),
                false => launches.append(&mut batch.launches),
            }
        }
        let mut submission = self.submit(&launches, read.as_slice());
        // During a profile there is at most one batch.
        self.observers.notify_submitted(submission.id, batches.last().map(|batch| &*batch.plan));
        self.submission.set(submission.id);
        self.launches.set(self.launches.get() + launches.len() as u64);
        for (batch, (first, plan)) in batches.into_iter().zip(pending) {
            let pending =
                Pending { submission: submission.id, first, plan, outputs: batch.outputs, externals: batch.externals };
            self.pending.borrow_mut().push(pending);
        }
        if self.backend.capabilities().sync_read {
            self.resolve(submission.id);
        }
        submission.reads.pop()
    }

    fn submit(&self, launches: &[Launch], reads: &[Read]) -> Submission {
        struct Done<'a>(&'a Cell<bool>);
        impl Drop for Done<'_> {
            fn drop(&mut self) {
                self.0.set(false);
            }
        }
        self.submitting.set(true);
        let _done = Done(&self.submitting);
        self.backend.submit(launches, reads)
    }

    /// Finds or builds the plan of a segment and binds buffers to it. From then on later kernels
    /// can use its values.
    fn prepare(&self, segment: &Segment, wanted: &[Value]) -> Option<Batch> {
        if segment.nodes.is_empty() && segment.shared_writes.is_empty() {
            return None;
        }
        let plan = self.plan(segment, wanted);
        for (locals, error) in &plan.template.failed {
            locals.iter().for_each(|&local| segment.locals[local].value.set_state(State::Failed(error.clone())));
        }
        let externals: Option<Vec<_>> = segment.externals().map(|local| local.value.buffer()).collect();
        let externals = externals.ok_or_else(|| Error::kernel("flush", "a value is used that was never computed"));
        let binding = match externals.and_then(|externals| self.bind(&plan, externals)) {
            Ok(binding) => binding,
            Err(error) => {
                segment.nodes.iter().for_each(|node| fail(&node.outputs, &error));
                return None;
            }
        };
        for output in &plan.template.outputs {
            segment.locals[output.local].value.set_state(State::Ready(binding.buffer(output.slot).clone()));
        }
        let params: Vec<Param> = segment.nodes.iter().flat_map(|node| node.params.iter().copied()).collect();
        let launches = launches(&plan, &binding, &params.iter().map(|param| param.value).collect::<Vec<_>>());
        let outputs =
            plan.template.outputs.iter().map(|output| segment.locals[output.local].value.downgrade()).collect();
        let externals = segment.externals().map(|local| local.value.downgrade()).collect();
        Some(Batch { plan, launches, outputs, externals, _binding: binding })
    }

    /// The plan of a segment: a cached one, a template that is valid for the segment's sizes, or a
    /// new one.
    fn plan(&self, segment: &Segment, wanted: &[Value]) -> Rc<Plan> {
        let key = Key::new(segment, wanted);
        if self.observers.observe_planning() {
            return self.make_plan(segment, wanted, key, &segment.numbers());
        }
        let mut plans = self.plans.borrow_mut();
        if let Some(known) = plans.plan(&key) {
            plans.hits += 1;
            return known;
        }
        let numbers = segment.numbers();
        let found = plans.template(&Key::structure(segment, wanted), &numbers);
        // If a kernel does not compile at these sizes, only its results fail, which requires a new
        // plan.
        let resized =
            found.and_then(|(template, values)| Template::instantiate(&template, &*self.backend, values).ok());
        if let Some(plan) = resized {
            plans.resizes += 1;
            plans.insert_plan(key, plan.clone());
            return plan;
        }
        drop(plans);
        self.make_plan(segment, wanted, key, &numbers)
    }

    /// Plans a segment, and stores the plan.
    fn make_plan(&self, segment: &Segment, wanted: &[Value], key: Key, numbers: &[i64]) -> Rc<Plan> {
        let optimizations = self.optimizations.get();
        let ((template, kernels), trace) = Trace::record(|inputs| {
            let mut graph = plan::Graph::new(segment, inputs);
            self.observers.notify_recorded(&graph);
            plan::optimize(&mut graph, optimizations, self.backend.capabilities());
            self.observers.notify_rewritten(&graph);
            let (template, kernels) = plan::build(&*self.backend, &graph, optimizations.in_place);
            (Rc::new(template), kernels)
        });
        let plan = Template::finish(&template, &*self.backend, trace.present(), kernels);
        self.observers.notify_compiled(&plan, &*self.backend);
        let mut plans = self.plans.borrow_mut();
        plans.misses += 1;
        // A kernel that failed may compile later, when a limit or the device has changed.
        if template.failed.is_empty() {
            plans.insert_plan(key, plan.clone());
            // Otherwise a number has more than 63 bits, and the template is not usable.
            if trace.evaluate(numbers).is_some() {
                plans.insert_template(Key::structure(segment, wanted), template, trace);
            }
        }
        plan
    }

    /// Allocates buffers for the slots of a plan. The buffers of its external values are given.
    fn bind(&self, plan: &Plan, externals: Vec<Rc<Buffer>>) -> Result<Binding> {
        let take = |(index, &bytes)| self.pool.take(bytes).map_err(|error| plan.in_result(Slot::Own(index), error));
        let own: Result<Vec<_>> = plan.own.iter().enumerate().map(take).collect();
        Ok(Binding { externals, own: own? })
    }
}

/// The launches of a plan, before they are submitted.
struct Batch {
    plan: Rc<Plan>,
    launches: Vec<Launch>,
    outputs: Vec<WeakValue>,
    externals: Vec<WeakValue>,
    /// The launches own the buffers until they are submitted.
    _binding: Binding,
}

/// The launches of a plan on bound buffers. `params` are the parameters of its segment.
fn launches(plan: &Plan, binding: &Binding, params: &[Constant]) -> Vec<Launch> {
    let ids = |slots: &[Slot]| slots.iter().map(|&slot| binding.buffer(slot).id).collect();
    let launch = |(step, kernel): (&plan::Step, &Compiled)| Launch {
        op: step.op,
        kernel: kernel.clone(),
        inputs: ids(&step.inputs),
        outputs: ids(&step.outputs),
        params: step.params.iter().map(|&index| params[index]).collect(),
    };
    plan.template.steps.iter().zip(&plan.kernels).map(launch).collect()
}
