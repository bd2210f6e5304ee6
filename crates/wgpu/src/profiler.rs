//! Durations of launches, from timestamp queries. While profiling, each dispatch is a separate
//! pass. On a device without timestamp queries, the host measures whole submissions.
//!
//! A browser may round timestamps (Chromium: to 0.1 ms, unless it is started with developer
//! features).

use crate::{
    State,
    device::Device,
    readback::{Mapping, Staging},
};
use lanthorn_ir::{
    Result,
    backend::{LocalFuture, Timing},
};
use std::{
    cell::{Cell, RefCell},
    sync::{Arc, Mutex, PoisonError},
};
use web_time::Instant;

/// Maximum number of queries of a set, which is twice the number of measured dispatches of a
/// submission.
const MAX_QUERIES: u32 = wgpu::QUERY_SET_MAX_QUERIES;

#[derive(Clone, Copy)]
struct Mode {
    /// The nanoseconds of a timestamp unit; none if the host measures submissions.
    period: Option<f64>,
    /// The start of the host's clock.
    began: Instant,
}

impl Mode {
    /// Microseconds on the host's clock.
    fn now(self) -> f64 {
        self.began.elapsed().as_secs_f64() * 1e6
    }
}

/// The measurements in progress.
#[derive(Default)]
pub(crate) struct Profiler {
    mode: Cell<Option<Mode>>,
    queried: RefCell<Vec<Queried>>,
    /// The timings on the host's clock.
    hosted: Arc<Mutex<Vec<Timing>>>,
}

/// The timestamp queries of a submission.
pub(crate) struct Marks {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    staging: Staging,
    period: f64,
    /// The launch of each measured dispatch.
    launches: Vec<usize>,
}

/// The timestamps of a submission, while they are read.
struct Queried {
    submission: u64,
    launches: Vec<usize>,
    period: f64,
    mapping: Mapping,
    /// The time of submission, on the host's clock.
    began: f64,
}

impl Profiler {
    pub(crate) fn set(&self, device: &Device, on: bool) {
        let queries = device.device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let mode =
            || Mode { period: queries.then(|| f64::from(device.queue.get_timestamp_period())), began: Instant::now() };
        self.mode.set(on.then(mode));
    }

    pub(crate) fn timings(&self) -> LocalFuture<Result<Vec<Timing>>> {
        let queried = self.queried.take();
        let mut timings = std::mem::take(&mut *self.hosted.lock().unwrap_or_else(PoisonError::into_inner));
        Box::pin(async move {
            let hosted = timings.len();
            let mut offset = None;
            for Queried { submission, launches, period, mapping, began } in queried {
                let stamps: Vec<u64> = mapping.read(bytemuck::pod_collect_to_vec).await?;
                let measured = by_launch(submission, &launches, &stamps, period);
                offset = offset.or_else(|| measured.first().map(|timing| timing.start - began));
                timings.extend(measured);
            }
            // The device's clock has another origin.
            timings[..hosted].iter_mut().for_each(|timing| timing.start += offset.unwrap_or(0.0));
            Ok(timings)
        })
    }
}

/// The timing of each launch, from the start of its first dispatch to the end of its last one.
fn by_launch(submission: u64, launches: &[usize], stamps: &[u64], period: f64) -> Vec<Timing> {
    let mut timings: Vec<Timing> = Vec::new();
    for (&launch, stamps) in launches.iter().zip(stamps.chunks_exact(2)) {
        let [start, end] = [stamps[0], stamps[1].max(stamps[0])].map(|stamp| stamp as f64 * period / 1000.0);
        match timings.last_mut().filter(|last| last.launch == Some(launch)) {
            Some(last) => last.duration = end - last.start,
            None => timings.push(Timing { submission, launch: Some(launch), start, duration: end - start }),
        }
    }
    timings
}

impl State {
    /// Creates queries for the dispatches of these launches, if queries measure them.
    pub(crate) fn marks(&self, launches: impl Iterator<Item = usize>) -> Option<Marks> {
        let period = self.profiler.mode.get()?.period?;
        let launches: Vec<usize> = launches.take(MAX_QUERIES as usize / 2).collect();
        if launches.is_empty() {
            return None;
        }
        let count = launches.len() as u32 * 2;
        let bytes = u64::from(count) * u64::from(wgpu::QUERY_SIZE);
        let set = self.device.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        let resolved = self.device.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        // Without a buffer to read the timestamps, nothing is measured.
        let staging = self.pool.take(&self.device, &self.failures, &self.counters, bytes).ok()?;
        Some(Marks { set, resolved, staging, period, launches })
    }

    /// Runs a step on the host, and records its duration while profiling.
    pub(crate) fn profile_step<T>(&self, submission: u64, launch: usize, run: impl FnOnce() -> T) -> T {
        let Some(mode) = self.profiler.mode.get() else { return run() };
        let start = mode.now();
        let result = run();
        let timing = Timing { submission, launch: Some(launch), start, duration: mode.now() - start };
        self.profiler.hosted.lock().unwrap_or_else(PoisonError::into_inner).push(timing);
        result
    }

    /// Records a new submission.
    pub(crate) fn measure(&self, submission: u64, marks: Option<Marks>) {
        let Some(mode) = self.profiler.mode.get() else { return };
        let start = mode.now();
        if let Some(Marks { staging, period, launches, .. }) = marks {
            let bytes = launches.len() as u64 * 2 * u64::from(wgpu::QUERY_SIZE);
            let mapping = Mapping::start(staging, bytes, &self.device);
            self.profiler.queried.borrow_mut().push(Queried { submission, launches, period, mapping, began: start });
        }
        if mode.period.is_none() {
            let timings = self.profiler.hosted.clone();
            self.device.queue.on_submitted_work_done(move || {
                let timing = Timing { submission, launch: None, start, duration: mode.now() - start };
                timings.lock().unwrap_or_else(PoisonError::into_inner).push(timing);
            });
        }
    }
}

impl Marks {
    /// The descriptor of the pass for a measured dispatch.
    pub(crate) fn pass(&self, dispatch: usize) -> wgpu::ComputePassDescriptor<'_> {
        let first = dispatch as u32 * 2;
        let timestamp_writes = (dispatch < self.launches.len()).then_some(wgpu::ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        });
        wgpu::ComputePassDescriptor { label: None, timestamp_writes }
    }

    /// Copies the timestamps to a buffer that the host can read.
    pub(crate) fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        let count = self.launches.len() as u32 * 2;
        encoder.resolve_query_set(&self.set, 0..count, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(
            &self.resolved,
            0,
            &self.staging.buffer,
            0,
            u64::from(count) * u64::from(wgpu::QUERY_SIZE),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_of_two_dispatches_is_one_span() {
        let timings = by_launch(7, &[0, 0, 2], &[1000, 2000, 2500, 4000, 5000, 4000], 2.0);
        let span = |launch, start, duration| Timing { submission: 7, launch: Some(launch), start, duration };
        assert_eq!(timings, [span(0, 2.0, 6.0), span(2, 10.0, 0.0)]);
    }
}
