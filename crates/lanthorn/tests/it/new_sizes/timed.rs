//! A backend that measures the compile and run times of another one.

use lanthorn::Result;
use lanthorn_ir::{
    Backend, DType, Error, Kernel,
    backend::{
        Alias, BufferId, Capabilities, Compiled, Counters, Failure, Launch, LocalFuture, Profiler, Read, Submission,
        Tuner,
    },
};
use std::{cell::Cell, rc::Rc, time::Instant};

/// Milliseconds since the last reset.
#[derive(Default)]
pub struct Clock {
    pub compiling: Cell<f64>,
    /// The time in which the device computes while the host waits.
    pub running: Cell<f64>,
}

impl Clock {
    pub fn reset(&self) {
        self.compiling.set(0.0);
        self.running.set(0.0);
    }
}

fn measured<T>(sum: &Cell<f64>, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = work();
    sum.set(sum.get() + begin.elapsed().as_secs_f64() * 1e3);
    result
}

pub struct Timed<B> {
    pub backend: B,
    pub clock: Rc<Clock>,
    /// Whether a submission computes before it returns.
    pub computes: bool,
}

impl<B: Backend> Backend for Timed<B> {
    fn capabilities(&self) -> &Capabilities {
        self.backend.capabilities()
    }

    fn storage_bytes(&self, dtype: DType, elements: usize) -> u64 {
        self.backend.storage_bytes(dtype, elements)
    }

    fn allocate(&self, bytes: u64) -> Result<BufferId> {
        self.backend.allocate(bytes)
    }

    fn free(&self, buffer: BufferId) {
        self.backend.free(buffer);
    }

    fn upload(&self, buffer: BufferId, dtype: DType, offset: u64, bytes: &[u8]) -> Result<()> {
        self.backend.upload(buffer, dtype, offset, bytes)
    }

    fn compile(&self, op: &'static str, kernel: &Kernel, aliases: &[Alias]) -> Result<Compiled> {
        measured(&self.clock.compiling, || self.backend.compile(op, kernel, aliases))
    }

    fn submit(&self, launches: &[Launch], reads: &[Read]) -> Submission {
        if self.computes {
            return measured(&self.clock.running, || self.backend.submit(launches, reads));
        }
        self.backend.submit(launches, reads)
    }

    fn failures(&self) -> Vec<Failure> {
        self.backend.failures()
    }

    fn synchronize(&self) -> LocalFuture<Result<()>> {
        self.backend.synchronize()
    }

    fn lost(&self) -> Option<Error> {
        self.backend.lost()
    }

    fn counters(&self) -> Counters {
        self.backend.counters()
    }

    fn sources(&self, kernel: &Compiled) -> Vec<String> {
        self.backend.sources(kernel)
    }

    fn tuner(&self) -> Option<&dyn Tuner> {
        self.backend.tuner()
    }

    fn profiler(&self) -> Option<&dyn Profiler> {
        self.backend.profiler()
    }
}
