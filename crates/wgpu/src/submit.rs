//! A submission: encodes launches as dispatches, in one command encoder and one `queue.submit`. A
//! submission with a CPU fallback is divided there. A submission whose pipelines are being compiled
//! waits for them; see [`queue`].
//!
//! The exception is a launch whose pipeline has been created but not validated yet. An invalid
//! pipeline makes its whole submission invalid, so this launch is submitted separately, and the
//! other launches run. That happens once for each pipeline.
//!
//! [`queue`]: crate::queue

use crate::{
    State,
    buffer::{Buffer, Span},
    compiled::Compiled,
    device::wait,
    failure::{from_wgpu, quietly, run_guarded},
    pipeline::Pipeline,
    profiler::Marks,
    readback::{Mapping, Staging, until_lost},
    status::{self, Use},
};
use futures_channel::oneshot;
use lanthorn_ir::{
    Error, Result,
    backend::{Launch, LocalFuture, Read, Submission},
};
use lanthorn_kernels::{PARAMS, Slot};
use std::rc::Rc;

/// One dispatch, ready to encode.
struct Dispatch {
    /// The launch that it belongs to.
    launch: usize,
    pipeline: Rc<Pipeline>,
    group: wgpu::BindGroup,
    offset: u32,
    grid: [u32; 2],
}

/// Encoded commands of one `queue.submit`.
struct Commands {
    encoder: wgpu::CommandEncoder,
    /// Whether a pipeline in them may be invalid. The creation of the pipeline reports the error.
    is_unproven: bool,
}

/// A read in progress, whose copy is encoded.
struct Copied {
    staging: Staging,
    span: Span,
}

/// The copy of a read, and its source; none for a read of no elements.
type Copy = Option<(Rc<Buffer>, Copied)>;

/// The result of a read.
pub(crate) type Bytes = LocalFuture<Result<Vec<u8>>>;

/// A kernel with its input and output buffers.
pub(crate) type Checked = (Rc<Compiled>, Vec<Rc<Buffer>>, Vec<Rc<Buffer>>);

/// The status words that are being copied.
struct Collected {
    staging: Staging,
    bytes: u64,
    uses: Vec<Use>,
}

impl State {
    pub(crate) fn submit(self: &Rc<State>, launches: &[Launch], reads: &[Read]) -> Submission {
        self.device.poll();
        let id = self.submissions.get() + 1;
        self.submissions.set(id);
        let reads = if self.queue.is_busy() || launches.iter().any(must_wait) {
            self.submit_deferred(id, launches, reads)
        } else {
            self.execute(id, 0, launches, reads)
        };
        Submission { id, reads }
    }

    /// Submits launches of submission `id`, the first of which is its launch number `first`, and
    /// then reads.
    pub(crate) fn execute(self: &Rc<State>, id: u64, first: usize, launches: &[Launch], reads: &[Read]) -> Vec<Bytes> {
        if let Some(error) = self.device.lost.error() {
            self.failures.report(id, None, error.clone());
            return reads.iter().map(|_| refuse(error.clone())).collect();
        }
        let mut commands = Vec::new();
        let prepared = self.prepare(id, first, launches);
        let (dispatches, uniform, mut fresh) = prepared.unwrap_or_else(|error| {
            self.failures.report(id, None, error);
            (Vec::new(), None, false)
        });

        // Encodes the copies for the reads. If a buffer is missing, only its read fails.
        let mut copies: Vec<Result<Copy>> = Vec::new();
        for &read in reads {
            let copy = self.stage(id, read);
            fresh |= matches!(&copy, Ok(Some((buffer, copied)))
                if !buffer.resource.is_resolved() || !copied.staging.resource.is_resolved());
            copies.push(copy);
        }
        let collect = (self.status.is_used() && !reads.is_empty())
            .then(|| self.pool.take(&self.device, &self.failures, &self.counters, self.status.bytes()))
            .and_then(Result::ok);
        if let Some(staging) = &collect {
            staging.resource.record_use(id, None);
            fresh |= !staging.resource.is_resolved();
        }

        let marks = self.marks(dispatches.iter().map(|dispatch| dispatch.launch));
        let mut collected = None;
        let index = {
            let work = || {
                self.encode(dispatches, uniform.as_ref(), marks.as_ref(), &mut commands);
                if !reads.is_empty() {
                    let mut encoder = commands.pop().map_or_else(|| self.encoder(), |commands| commands.encoder);
                    for (buffer, copy) in copies.iter().flatten().flatten() {
                        encoder.copy_buffer_to_buffer(
                            &buffer.raw,
                            copy.span.start,
                            &copy.staging.buffer,
                            0,
                            copy.span.bytes,
                        );
                    }
                    if let Some(staging) = collect {
                        let bytes = self.status.bytes();
                        let uses = self.status.collect(&mut encoder, &staging.buffer);
                        collected = Some(Collected { staging, bytes, uses });
                    }
                    commands.push(Commands { encoder, is_unproven: false });
                }
                let mut index = None;
                for Commands { encoder, is_unproven } in commands.drain(..) {
                    self.counters.add(|counters| &mut counters.submits);
                    let submit = || self.device.queue.submit([encoder.finish()]);
                    index = Some(if is_unproven { quietly(&self.device.device, submit) } else { submit() });
                }
                index
            };
            // A repeated step creates nothing and cannot be invalid, so it needs no error scope.
            // The handler of uncaptured errors still applies.
            if fresh {
                let failures = self.failures.clone();
                let report = move |error: Option<wgpu::Error>| {
                    if let Some(error) = error {
                        failures.report(id, None, from_wgpu("submit", &error));
                    }
                };
                run_guarded(&self.device.device, &self.failures, work, report)
            } else {
                work()
            }
        };
        self.measure(id, marks);
        if let Some(collected) = collected {
            self.look_at(collected);
        }
        let open = self.failures.settle_pending();
        copies
            .into_iter()
            .map(|copy| -> Bytes {
                let copied = match copy {
                    Err(error) => return refuse(error),
                    Ok(None) => return Box::pin(async { Ok(Vec::new()) }),
                    Ok(Some((_, copied))) => copied,
                };
                let mapping = Mapping::start(copied.staging, copied.span.bytes, &self.device);
                let (state, open, index) = (self.clone(), open.clone(), index.clone());
                Box::pin(async move {
                    if let Some(index) = index {
                        wait(&state.device.device, index);
                    }
                    let bytes = mapping.read(|words| copied.span.elements(words)).await;
                    for answer in open {
                        answer.await;
                    }
                    state.failures.settle(id);
                    bytes
                })
            })
            .collect()
    }

    pub(crate) fn synchronize(self: &Rc<State>) -> LocalFuture<Result<()>> {
        self.device.poll();
        if self.queue.is_busy() { self.synchronize_deferred() } else { self.synchronize_now() }
    }

    /// Resolves when all submitted work is done.
    pub(crate) fn synchronize_now(self: &Rc<State>) -> LocalFuture<Result<()>> {
        if let Err(error) = self.device.check_lost() {
            return Box::pin(async { Err(error) });
        }
        let current = self.submissions.get();
        if let Err(error) = self.collect_now() {
            return Box::pin(async { Err(error) });
        }
        let (sender, mut done) = oneshot::channel();
        self.device.queue.on_submitted_work_done(move || {
            // If no task waits any more, the receiver is gone.
            let _ = sender.send(());
        });
        let open = self.failures.settle_pending();
        let state = self.clone();
        Box::pin(async move {
            // Natively this blocks until all work is done. In browsers it does nothing.
            let _ = state.device.device.poll(wgpu::PollType::wait_indefinitely());
            until_lost(&mut done, &state.device.lost).await?;
            for answer in open {
                answer.await;
            }
            state.failures.settle(current);
            state.device.check_lost()
        })
    }

    /// Copies the status words in use to the host, in a separate submission.
    fn collect_now(&self) -> Result<()> {
        if !self.status.is_used() {
            return Ok(());
        }
        let bytes = self.status.bytes();
        let staging = self.pool.take(&self.device, &self.failures, &self.counters, bytes)?;
        let mut encoder = self.encoder();
        let uses = self.status.collect(&mut encoder, &staging.buffer);
        self.counters.add(|counters| &mut counters.submits);
        // Invalid if one of the buffers is. The words are then not copied, and the launches count
        // as failed.
        quietly(&self.device.device, || self.device.queue.submit([encoder.finish()]));
        self.look_at(Collected { staging, bytes, uses });
        Ok(())
    }

    fn look_at(&self, collected: Collected) {
        let mapping = Mapping::start(collected.staging, collected.bytes, &self.device);
        let failures = self.failures.clone();
        self.failures.wait_for(async move {
            let words = mapping.read(<[u8]>::to_vec).await;
            match words {
                Ok(words) => status::report(&collected.uses, &words, &failures),
                // It is unknown whether they failed, so they count as failed.
                Err(error) => collected
                    .uses
                    .iter()
                    .for_each(|launch| failures.report(launch.submission, Some(launch.launch), error.clone())),
            }
        });
    }

    pub(crate) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Creates a staging buffer for a read; none for a read of no elements.
    fn stage(&self, id: u64, read: Read) -> Result<Copy> {
        let buffer = self.buffers.get(read.buffer)?;
        if let Some(error) = buffer.resource.error() {
            return Err(error);
        }
        buffer.resource.record_use(id, None);
        if read.elements == 0 {
            return Ok(None);
        }
        let span = Span::of(&read);
        if span.start + span.bytes > buffer.bytes {
            let message = format!("{} bytes from byte {} of a buffer of {}", span.bytes, span.start, buffer.bytes);
            return Err(Error::argument("read", message));
        }
        let staging = self.pool.take(&self.device, &self.failures, &self.counters, span.bytes)?;
        // A copy to an invalid buffer makes the whole submission invalid.
        staging.resource.record_use(id, None);
        Ok(Some((buffer, Copied { staging, span })))
    }

    /// Prepares everything for the launches except the encoding: uniform words, bind groups, status
    /// words. Returns whether something is new.
    fn prepare(
        &self,
        id: u64,
        first: usize,
        launches: &[Launch],
    ) -> Result<(Vec<Dispatch>, Option<wgpu::BindGroup>, bool)> {
        let mut ready = Vec::new();
        let mut words_needed = 0;
        for (launch, at) in launches.iter().zip(first..) {
            match self.check(launch) {
                Ok(checked) => {
                    words_needed += checked.0.passes.iter().filter(|pass| pass.status.is_some()).count();
                    ready.push((at, launch, checked));
                }
                Err(error) => self.failures.report(id, Some(at), error.in_op(launch.op)),
            }
        }
        if words_needed > 0 && !self.status.has_room(words_needed) {
            self.collect_now()?;
            if !self.status.has_room(words_needed) {
                let new = self.buffers.next_id();
                if let Some(old) = self.status.grow(&self.device, &self.failures, &self.counters, words_needed, new)? {
                    self.groups.forget_buffer(old);
                }
            }
        }
        self.uniforms.clear();
        let mut dispatches = Vec::new();
        let mut fresh = false;
        for (at, launch, (kernel, inputs, outputs)) in &ready {
            for buffer in inputs.iter().chain(outputs) {
                buffer.resource.record_use(id, None);
                fresh |= !buffer.resource.is_resolved();
            }
            for pass in &kernel.passes {
                let mut bound = Vec::with_capacity(pass.slots.len() + 1);
                for slot in &pass.slots {
                    bound.push(match *slot {
                        Slot::Input(slot) => (launch.inputs[slot].0, inputs[slot].raw.clone()),
                        Slot::Output(slot) => (launch.outputs[slot].0, outputs[slot].raw.clone()),
                        Slot::Scratch => {
                            let (number, buffer, is_resolved) = self.scratch(launch.op, id)?;
                            fresh |= !is_resolved;
                            (number, buffer)
                        }
                    });
                }
                let status = pass.status.map(|word| {
                    let slot = self.status.reserve(Use { submission: id, launch: *at, op: launch.op });
                    (word, slot)
                });
                if status.is_some()
                    && let Some((number, buffer)) = self.status.buffer()
                {
                    buffer.resource.record_use(id, None);
                    fresh |= !buffer.resource.is_resolved();
                    bound.push((number, buffer.raw.clone()));
                }
                let params = launch.params.len();
                let words = pass.arguments.iter().enumerate().map(|(at_word, &word)| match status {
                    Some((at, slot)) if at == at_word => slot,
                    _ if (PARAMS..PARAMS + pass.params).contains(&at_word) && at_word - PARAMS < params => {
                        // The types were checked: only float64 does not fit in a word.
                        launch.params[at_word - PARAMS].to_word().unwrap_or(0)
                    }
                    _ => word,
                });
                let offset = self.uniforms.push(&self.device, words);
                let (group, new) =
                    self.groups.get(&self.device, &self.pipelines, &self.counters, pass.bindings, &bound);
                pass.pipeline.resource.record_use(id, Some(*at));
                fresh |= new || !pass.pipeline.resource.is_resolved();
                dispatches.push(Dispatch {
                    launch: *at,
                    pipeline: pass.pipeline.clone(),
                    group,
                    offset,
                    grid: pass.grid,
                });
            }
        }
        if dispatches.is_empty() {
            return Ok((dispatches, None, false));
        }
        let (uniform, new) = self.uniforms.write(id, &self.device, &self.failures, &self.counters, &self.pipelines)?;
        Ok((dispatches, Some(uniform), fresh || new))
    }

    /// The kernel and buffers of a launch, if all of them are valid.
    pub(crate) fn check(&self, launch: &Launch) -> Result<Checked> {
        let kernel = launch.kernel.clone().downcast::<Compiled>();
        let kernel = kernel.map_err(|_| Error::device(launch.op, "a kernel that another device compiled"))?;
        for pass in &kernel.passes {
            if let Some(error) = pass.pipeline.resource.error() {
                self.pipelines.forget(&pass.pipeline);
                return Err(error);
            }
            if !pass.pipeline.is_made() {
                return Err(Error::kernel(launch.op, "a pipeline that nobody waited for"));
            }
        }
        if !launch.params.iter().map(|param| param.ty()).eq(kernel.params.iter().copied()) {
            let types: Vec<_> = launch.params.iter().map(|param| param.ty()).collect();
            return Err(Error::argument(
                launch.op,
                format!("parameters {types:?} for a kernel that takes {:?}", kernel.params),
            ));
        }
        if launch.inputs.len() != kernel.inputs || launch.outputs.len() != kernel.outputs {
            let (inputs, outputs) = (launch.inputs.len(), launch.outputs.len());
            let message = format!(
                "{inputs} inputs and {outputs} outputs for a kernel of {} and {}",
                kernel.inputs, kernel.outputs
            );
            return Err(Error::argument(launch.op, message));
        }
        let find = |ids: &[lanthorn_ir::backend::BufferId]| -> Result<Vec<Rc<Buffer>>> {
            let sound = |buffer: Rc<Buffer>| buffer.resource.error().map_or(Ok(buffer), Err);
            ids.iter().map(|&id| self.buffers.get(id).and_then(sound)).collect()
        };
        Ok((kernel, find(&launch.inputs)?, find(&launch.outputs)?))
    }

    /// Encodes dispatches into command encoders: one, unless a pipeline may be invalid.
    fn encode(
        &self,
        dispatches: Vec<Dispatch>,
        uniform: Option<&wgpu::BindGroup>,
        marks: Option<&Marks>,
        commands: &mut Vec<Commands>,
    ) {
        let mut start = 0;
        while start < dispatches.len() {
            let alone = |dispatch: &Dispatch| !dispatch.pipeline.resource.is_resolved();
            let is_unproven = alone(&dispatches[start]);
            let run = if is_unproven {
                1
            } else {
                dispatches[start..].iter().take_while(|dispatch| !alone(dispatch)).count()
            };
            let mut encoder = self.encoder();
            let run = start..start + run;
            let mut record = || match marks {
                None => {
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    dispatches[run.clone()].iter().for_each(|dispatch| self.dispatch(&mut pass, dispatch, uniform));
                }
                Some(marks) => {
                    for dispatch in run.clone() {
                        let mut pass = encoder.begin_compute_pass(&marks.pass(dispatch));
                        self.dispatch(&mut pass, &dispatches[dispatch], uniform);
                    }
                }
            };
            // Firefox reports an invalid pipeline at the end of the pass, others at `finish`.
            if is_unproven {
                quietly(&self.device.device, record)
            } else {
                record()
            }
            start = run.end;
            if let Some(marks) = marks.filter(|_| start == dispatches.len()) {
                marks.resolve(&mut encoder);
            }
            commands.push(Commands { encoder, is_unproven });
        }
        // If the last launch may be invalid, the copies use a separate encoder.
        if dispatches.last().is_some_and(|dispatch| !dispatch.pipeline.resource.is_resolved()) {
            commands.push(Commands { encoder: self.encoder(), is_unproven: false });
        }
    }

    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, dispatch: &Dispatch, uniform: Option<&wgpu::BindGroup>) {
        // `check` returns an error for a launch whose pipeline has not been created.
        let Some(pipeline) = dispatch.pipeline.raw() else { return };
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &dispatch.group, &[]);
        pass.set_bind_group(1, uniform, &[dispatch.offset]);
        pass.dispatch_workgroups(dispatch.grid[0], dispatch.grid[1], 1);
        self.counters.add(|counters| &mut counters.dispatches);
    }
}

/// Whether a launch runs on the CPU.
pub(crate) fn is_cpu_fallback(launch: &Launch) -> bool {
    launch.kernel.downcast_ref::<Compiled>().is_some_and(|kernel| kernel.cpu_fallback.is_some())
}

/// The pipelines of a launch that are being compiled.
pub(crate) fn compiling(launch: &Launch) -> impl Iterator<Item = &Rc<Pipeline>> {
    let kernel = launch.kernel.downcast_ref::<Compiled>();
    kernel
        .into_iter()
        .flat_map(|kernel| &kernel.passes)
        .map(|pass| &pass.pipeline)
        .filter(|pipeline| !pipeline.is_made())
}

/// Whether a launch cannot be submitted immediately.
fn must_wait(launch: &Launch) -> bool {
    is_cpu_fallback(launch) || compiling(launch).next().is_some()
}

fn refuse(error: Error) -> Bytes {
    Box::pin(async { Err(error) })
}
