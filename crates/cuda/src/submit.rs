//! A submission: launches to the stream, one by one or as a recording, and reads after them. A CPU
//! fallback runs in between, and the thread blocks for it.
//!
//! The staging memory of a submission (parameters, status words, reads) is held until the mark
//! after it is known to be done.

use crate::{
    State,
    buffer::{Buffer, to_device},
    compiled::{Compiled, Step, passes},
    driver::{Arguments, Driver, Factors, Mark, Pointer},
    staging::Staging,
    status::{Check, Use},
};
use lanthorn_ir::{
    DType, Error, Result,
    backend::{BufferId, Launch, LocalFuture, Read, Submission},
    expr::Constant,
};
use lanthorn_kernels::Slot;
use std::{rc::Rc, sync::Arc};

/// Maximum number of bytes of one copy to the device. A large upload then uses a few blocks of
/// staging memory.
const MAX_COPY_BYTES: usize = 16 << 20;
/// Maximum size of staging memory that copies hold before a copy waits for them.
const MAX_STAGING_BYTES: usize = 64 << 20;
/// Maximum number of submissions in flight before the next one waits for the oldest.
const MAX_IN_FLIGHT: usize = 128;

/// The resources of a submission that are released, and its checks that are read, when its mark is
/// done.
pub(crate) struct Resources<D: Driver> {
    held: Vec<Rc<Staging<D>>>,
    pub(crate) checks: Vec<Check<D>>,
}

impl<D: Driver> Default for Resources<D> {
    fn default() -> Resources<D> {
        Resources { held: vec![], checks: vec![] }
    }
}

/// A submission in flight.
pub(crate) struct InFlight<D: Driver> {
    submission: u64,
    mark: Arc<D::Mark>,
    resources: Resources<D>,
}

/// A kernel with its input and output buffers.
pub(crate) type Checked<D> = (Rc<Compiled<D>>, Vec<Buffer>, Vec<Buffer>);

/// A launch with its kernel, its buffers, and the offsets of its parameters.
pub(crate) struct Bound<'a, D: Driver> {
    pub(crate) at: usize,
    pub(crate) launch: &'a Launch,
    pub(crate) kernel: Rc<Compiled<D>>,
    pub(crate) inputs: Vec<Buffer>,
    pub(crate) outputs: Vec<Buffer>,
    /// Whether its parameters are all 1, and it has separate steps for that.
    pub(crate) ones: bool,
    /// The first word of its parameters.
    params: usize,
    /// The word of its first pass that reports.
    status: usize,
}

impl<D: Driver> State<D> {
    pub(crate) fn submit(self: &Rc<Self>, launches: &[Launch], reads: &[Read]) -> Submission {
        let id = self.submissions.get() + 1;
        self.submissions.set(id);
        self.retire();
        self.limit_in_flight();
        if let Err(error) = self.check_lost() {
            self.report(id, None, error.clone());
            return Submission { id, reads: reads.iter().map(|_| refuse(error.clone())).collect() };
        }
        let is_host =
            |launch: &Launch| launch.kernel.downcast_ref::<Compiled<D>>().is_some_and(|kernel| kernel.host.is_some());
        let mut first = 0;
        for run in launches.chunk_by(|a, b| is_host(a) == is_host(b)) {
            if is_host(&run[0]) {
                self.host_steps(id, first, run);
            } else if let Err(error) = self.run(id, first, run) {
                (first..first + run.len()).for_each(|at| self.report(id, Some(at), error.clone()));
            }
            first += run.len();
        }
        let copies: Vec<Result<Rc<Staging<D>>>> = reads.iter().map(|read| self.stage(read)).collect();
        self.counters.add(|counters| &mut counters.submits);
        let reads = match self.close(id) {
            Ok(mark) => copies.into_iter().map(|copy| self.resolve(copy, mark.clone())).collect(),
            Err(error) => {
                self.report(id, None, error.clone());
                copies.into_iter().map(|_| refuse(error.clone())).collect()
            }
        };
        Submission { id, reads }
    }

    /// Launches kernels of submission `id`. The first one is its launch number `first`.
    fn run(&self, id: u64, first: usize, launches: &[Launch]) -> Result<()> {
        let mut ready: Vec<Bound<'_, D>> = Vec::with_capacity(launches.len());
        let (mut params, mut uses) = (Vec::new(), Vec::new());
        for (launch, at) in launches.iter().zip(first..) {
            match self.check(launch) {
                Ok((kernel, inputs, outputs)) => {
                    let ones = kernel.takes_ones(&launch.params);
                    let reporting = passes(kernel.steps(ones)).filter(|pass| pass.reports).count();
                    ready.push(Bound {
                        at,
                        launch,
                        kernel,
                        inputs,
                        outputs,
                        ones,
                        params: params.len(),
                        status: uses.len(),
                    });
                    launch.params.iter().for_each(|&param| push_words(param, &mut params));
                    uses.extend((0..reporting).map(|_| Use { launch: at, op: launch.op }));
                }
                Err(error) => self.report(id, Some(at), error.in_op(launch.op)),
            }
        }
        self.ensure(&self.status, uses.len() as u64 * 4)?;
        self.write_params(&params)?;
        if self.profiler.is_on() {
            self.launch_measured(id, &ready);
        } else if !self.replay(&ready)? {
            for bound in &ready {
                self.launch_or_report(id, bound);
            }
        }
        self.collect(uses)
    }

    pub(crate) fn launch_or_report(&self, id: u64, bound: &Bound<'_, D>) {
        if let Err(error) = self.launch(bound) {
            self.report(id, Some(bound.at), error.in_op(bound.launch.op));
        }
    }

    /// Writes the parameters of all launches to the memory from which they are read.
    fn write_params(&self, words: &[u32]) -> Result<()> {
        self.ensure(&self.params, words.len() as u64 * 4)?;
        let Some(params) = self.params.get().filter(|_| !words.is_empty()) else { return Ok(()) };
        self.counters.add(|counters| &mut counters.uniform_writes);
        self.copy_up(params.pointer, bytemuck::cast_slice(words))
    }

    /// The kernel and buffers of a launch, if all of them are valid.
    pub(crate) fn check(&self, launch: &Launch) -> Result<Checked<D>> {
        let kernel = launch.kernel.clone().downcast::<Compiled<D>>();
        let kernel = kernel.map_err(|_| Error::device(launch.op, "a kernel that another device compiled"))?;
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
        let find = |ids: &[BufferId]| ids.iter().map(|&id| self.buffers.get(id)).collect::<Result<Vec<_>>>();
        Ok((kernel, find(&launch.inputs)?, find(&launch.outputs)?))
    }

    /// Requests all steps of a launch from the driver.
    pub(crate) fn launch(&self, bound: &Bound<'_, D>) -> Result<()> {
        let pointer = |slot: &Slot| match *slot {
            Slot::Input(at) => bound.inputs[at].pointer,
            Slot::Output(at) => bound.outputs[at].pointer,
            // Compiling a kernel with scratch memory allocated it.
            Slot::Scratch => self.scratch.get().map_or(Pointer(0), |scratch| scratch.pointer),
        };
        // Reserving the words allocated both buffers.
        let word = |memory: Option<Buffer>, word: usize| {
            memory.map_or(Pointer(0), |memory| memory.pointer.after(word as u64 * 4))
        };
        let mut status = bound.status;
        for step in bound.kernel.steps(bound.ones) {
            self.counters.add(|counters| &mut counters.dispatches);
            let pass = match step {
                Step::Pass(pass) => pass,
                Step::Product { product, a, b, bias, output } => {
                    let (bias, output) = (bias.as_ref().map(pointer), pointer(output));
                    let factors = Factors { a: pointer(a), b: pointer(b), bias, output };
                    // SAFETY: the buffers were allocated for the contraction that is this product.
                    self.check_answer(unsafe { self.driver.multiply(product, factors) })?;
                    continue;
                }
            };
            let mut arguments = Arguments::default();
            pass.slots.iter().for_each(|slot| arguments.pointer(pointer(slot)));
            if pass.reports {
                arguments.pointer(word(self.status.get(), status));
                status += 1;
            }
            arguments.structure(&pass.arguments);
            if pass.params {
                arguments.pointer(word(self.params.get(), bound.params));
            }
            // SAFETY: these are the parameters of the pass, and the buffers were allocated for the
            // kernel.
            self.check_answer(unsafe { self.driver.launch(&pass.module.function, pass.extent, &mut arguments) })?;
        }
        Ok(())
    }

    pub(crate) fn take_staging(&self, bytes: usize) -> Result<Staging<D>> {
        let (staging, new) = self.check_answer(self.staging.take(bytes))?;
        if new {
            self.counters.add(|counters| &mut counters.buffers);
        }
        Ok(staging)
    }

    /// Copies to the device, after earlier work.
    pub(crate) fn copy_up(&self, to: Pointer, bytes: &[u8]) -> Result<()> {
        for (part, start) in bytes.chunks(MAX_COPY_BYTES).zip((0..).step_by(MAX_COPY_BYTES)) {
            let held = |resources: &Resources<D>| resources.held.iter().map(|staging| staging.len()).sum::<usize>();
            if held(&self.resources.borrow()) + part.len() > MAX_STAGING_BYTES {
                // After the wait, all held blocks are free.
                self.check_answer(self.driver.mark().and_then(|mark| mark.wait()))?;
                self.resources.borrow_mut().held.clear();
            }
            let mut staging = self.take_staging(part.len())?;
            staging.write(part);
            // SAFETY: the caller's target has room for the bytes, and the block is held until they
            // are copied.
            self.check_answer(unsafe { self.driver.upload(to.after(start), staging.start(), part.len()) })?;
            self.resources.borrow_mut().held.push(Rc::new(staging));
        }
        Ok(())
    }

    pub(crate) fn upload(&self, buffer: BufferId, dtype: DType, offset: u64, bytes: &[u8]) -> Result<()> {
        let buffer = self.buffers.get(buffer)?;
        let bytes = to_device(dtype, bytes)?;
        if offset.saturating_add(bytes.len() as u64) > buffer.bytes {
            let message = format!("{} bytes from {offset} on for a buffer of {}", bytes.len(), buffer.bytes);
            return Err(Error::argument("upload", message));
        }
        self.copy_up(buffer.pointer.after(offset), &bytes)
    }

    /// Starts the copy of a read.
    fn stage(&self, read: &Read) -> Result<Rc<Staging<D>>> {
        let buffer = self.buffers.get(read.buffer)?;
        let [start, bytes] = [read.offset, read.elements].map(|elements| elements.saturating_mul(read.dtype.size()));
        if start.saturating_add(bytes) as u64 > buffer.bytes {
            let message = format!("{bytes} bytes from byte {start} of a buffer of {}", buffer.bytes);
            return Err(Error::argument("read", message));
        }
        let staging = Rc::new(self.take_staging(bytes)?);
        if bytes > 0 {
            // SAFETY: the buffer has these bytes, and the block is held until they are copied.
            self.check_answer(unsafe {
                self.driver.download(staging.start(), buffer.pointer.after(start as u64), bytes)
            })?;
        }
        self.resources.borrow_mut().held.push(staging.clone());
        Ok(staging)
    }

    /// A mark after a submission, with its resources.
    fn close(&self, submission: u64) -> Result<Arc<D::Mark>> {
        let mark = Arc::new(self.check_answer(self.driver.mark())?);
        let resources = self.resources.take();
        self.in_flight.borrow_mut().push_back(InFlight { submission, mark: mark.clone(), resources });
        Ok(mark)
    }

    /// The bytes of a read, once they are copied.
    fn resolve(self: &Rc<Self>, copy: Result<Rc<Staging<D>>>, mark: Arc<D::Mark>) -> LocalFuture<Result<Vec<u8>>> {
        let staging = match copy {
            Ok(staging) => staging,
            Err(error) => return refuse(error),
        };
        let state = self.clone();
        Box::pin(async move {
            let done = state.waiter.wait_until_done(&mark).await;
            state.check_answer(done)?;
            state.retire();
            // SAFETY: the copy was before the mark, which is done.
            Ok(unsafe { staging.read() }.to_vec())
        })
    }

    /// Retires finished submissions: reports their failures and releases their resources.
    pub(crate) fn retire(&self) {
        loop {
            let done = match self.in_flight.borrow().front() {
                Some(oldest) => self.check_answer(oldest.mark.is_done()),
                None => return,
            };
            if let Ok(false) = done {
                return;
            }
            let Some(InFlight { submission, resources, .. }) = self.in_flight.borrow_mut().pop_front() else { return };
            match done {
                Ok(_) => resources.checks.iter().for_each(|check| self.look_at(submission, check)),
                Err(error) => self.report(submission, None, error),
            }
        }
    }

    /// Waits for the oldest submission if too many are in flight.
    fn limit_in_flight(&self) {
        let oldest = self
            .in_flight
            .borrow()
            .front()
            .filter(|_| self.in_flight.borrow().len() >= MAX_IN_FLIGHT)
            .map(|open| open.mark.clone());
        if let Some(mark) = oldest {
            // Retiring the submission reports the error again.
            let _ = mark.wait();
            self.retire();
        }
    }
}

/// The words of a parameter for a kernel. For eight bytes, the lower half is first.
fn push_words(param: Constant, words: &mut Vec<u32>) {
    match param {
        Constant::I64(value) => words.extend([value as u32, (value >> 32) as u32]),
        Constant::F64(bits) => words.extend([bits as u32, (bits >> 32) as u32]),
        other => words.extend(other.to_word()),
    }
}

fn refuse(error: Error) -> LocalFuture<Result<Vec<u8>>> {
    Box::pin(async { Err(error) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_eight_bytes_take_two_words() {
        let mut words = vec![];
        for param in [Constant::Bool(true), Constant::I64(-2), Constant::F64(1.5f64.to_bits()), Constant::F32(7)] {
            push_words(param, &mut words);
        }
        assert_eq!(words, [1, 0xffff_fffe, 0xffff_ffff, 0, 0x3ff8_0000, 7]);
    }
}
