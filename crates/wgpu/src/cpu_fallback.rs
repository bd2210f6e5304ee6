//! The CPU fallback: kernels without a shader, which the processor runs in the middle of a
//! submission.
//!
//! The inputs are copied to staging buffers after the launches that produce them, then mapped and
//! read, and the outputs are written back before later launches. Consecutive fallback launches
//! share one round trip: if one reads a result of another, the result stays on the host.

use crate::{
    State,
    buffer::{Buffer, write},
    device::wait,
    failure::{from_wgpu, run_guarded},
    readback::{Mapping, Staging},
};
use lanthorn_ir::{DType, Error, Result, backend::Launch, kernel::Linalg};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A launch with its kernel and buffers.
struct FallbackLaunch<'a> {
    at: usize,
    launch: &'a Launch,
    kernel: Linalg,
    inputs: Vec<Rc<Buffer>>,
    outputs: Vec<Rc<Buffer>>,
}

impl State {
    /// Runs consecutive launches of a submission on the CPU.
    pub(crate) async fn run_on_cpu(self: &Rc<State>, submission: u64, first: usize, launches: &[Launch]) {
        let mut steps = Vec::new();
        for (launch, at) in launches.iter().zip(first..) {
            let checked = self.device.check_lost().and_then(|()| self.check(launch));
            match checked.map(|(kernel, inputs, outputs)| (kernel.cpu_fallback.clone(), inputs, outputs)) {
                Ok((Some(kernel), inputs, outputs)) => {
                    steps.push(FallbackLaunch { at, launch, kernel, inputs, outputs })
                }
                Ok((None, ..)) => {}
                Err(error) => self.failures.report(submission, Some(at), error.in_op(launch.op)),
            }
        }
        let mut contents = self.fetch(submission, &steps).await;
        let mut made: FxHashMap<u64, Rc<Buffer>> = FxHashMap::default();
        for step in &steps {
            let done = self.profile_step(submission, step.at, || compute(step, &contents));
            let failure = done.as_ref().map_or_else(Some, |(_, outcome)| outcome.as_ref().err());
            if let Some(error) = failure {
                self.failures.report(submission, Some(step.at), error.clone());
            }
            for (number, (id, buffer)) in step.launch.outputs.iter().zip(&step.outputs).enumerate() {
                let content = done.as_ref().map(|(outputs, _)| outputs[number].clone()).map_err(Clone::clone);
                contents.insert(id.0, content);
                made.insert(id.0, buffer.clone());
            }
        }
        for (id, buffer) in made {
            if let Some(Ok(bytes)) = contents.get(&id) {
                write(&self.device, &buffer, 0, bytes);
            }
        }
    }

    /// Copies the buffers to the host that the launches read before any of them writes them.
    async fn fetch(self: &Rc<State>, submission: u64, steps: &[FallbackLaunch<'_>]) -> FxHashMap<u64, Result<Vec<u8>>> {
        // The number of bytes to copy of each buffer.
        let mut wanted: FxHashMap<u64, (Rc<Buffer>, u64)> = FxHashMap::default();
        let mut made: Vec<u64> = Vec::new();
        let mut fresh = false;
        for step in steps {
            for (number, (dtype, elements)) in step.kernel.inputs().into_iter().enumerate() {
                let (id, buffer) = (step.launch.inputs[number].0, &step.inputs[number]);
                let bytes = (elements * dtype.size()) as u64;
                if !made.contains(&id) {
                    buffer.resource.record_use(submission, Some(step.at));
                    fresh |= !buffer.resource.is_resolved();
                    let most = &mut wanted.entry(id).or_insert_with(|| (buffer.clone(), 0)).1;
                    *most = bytes.max(*most);
                }
            }
            step.outputs.iter().for_each(|buffer| buffer.resource.record_use(submission, Some(step.at)));
            made.extend(step.launch.outputs.iter().map(|id| id.0));
        }
        let mut contents: FxHashMap<u64, Result<Vec<u8>>> = FxHashMap::default();
        let mut copies: Vec<(u64, Rc<Buffer>, Staging, u64)> = Vec::new();
        for (id, (buffer, bytes)) in wanted {
            let staging = match bytes {
                0 => Ok(None),
                _ if bytes > buffer.bytes => {
                    Err(Error::argument("read", format!("{bytes} bytes of a buffer of {}", buffer.bytes)))
                }
                _ => self.pool.take(&self.device, &self.failures, &self.counters, bytes).map(Some),
            };
            match staging {
                Ok(Some(staging)) => {
                    fresh |= !staging.resource.is_resolved();
                    copies.push((id, buffer, staging, bytes))
                }
                Ok(None) => drop(contents.insert(id, Ok(Vec::new()))),
                Err(error) => drop(contents.insert(id, Err(error))),
            }
        }
        if copies.is_empty() {
            return contents;
        }
        let copy = || {
            let mut encoder = self.encoder();
            for (_, buffer, staging, bytes) in &copies {
                encoder.copy_buffer_to_buffer(&buffer.raw, 0, &staging.buffer, 0, *bytes);
            }
            self.counters.add(|counters| &mut counters.submits);
            self.device.queue.submit([encoder.finish()])
        };
        let index = if fresh {
            let (failures, launches) = (self.failures.clone(), steps.iter().map(|step| step.at).collect::<Vec<_>>());
            run_guarded(&self.device.device, &self.failures, copy, move |error| {
                if let Some(error) = error {
                    launches.iter().for_each(|&at| failures.report(submission, Some(at), from_wgpu("submit", &error)));
                }
            })
        } else {
            copy()
        };
        let mappings: Vec<(u64, Mapping)> = copies
            .into_iter()
            .map(|(id, _, staging, bytes)| (id, Mapping::start(staging, bytes, &self.device)))
            .collect();
        if !self.queue.deferred {
            wait(&self.device.device, index);
        }
        for (id, mapping) in mappings {
            contents.insert(id, mapping.read(<[u8]>::to_vec).await);
        }
        contents
    }
}

/// Computes the outputs of a launch. Returns an error if an input is missing.
fn compute(
    step: &FallbackLaunch<'_>,
    contents: &FxHashMap<u64, Result<Vec<u8>>>,
) -> Result<(Vec<Vec<u8>>, Result<()>)> {
    let op = step.launch.op;
    let input = |id: u64| match contents.get(&id) {
        Some(Ok(bytes)) => Ok(bytes.as_slice()),
        Some(Err(error)) => Err(error.clone().in_op(op)),
        None => Err(Error::kernel(op, "an input that was not brought to the host")),
    };
    let inputs: Vec<&[u8]> = step.launch.inputs.iter().map(|id| input(id.0)).collect::<Result<_>>()?;
    let size = |(dtype, elements): (DType, usize)| vec![0; elements * dtype.size()];
    let mut outputs: Vec<Vec<u8>> = step.kernel.outputs().into_iter().map(size).collect();
    let slices = &mut outputs.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>();
    let outcome = lanthorn_linalg::run_batch(&step.kernel, op, 0..step.kernel.batch, &inputs, slices);
    Ok((outputs, outcome))
}
