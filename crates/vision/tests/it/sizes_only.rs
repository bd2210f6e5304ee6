//! A device that knows sizes and computes nothing, for models of any size.

use lanthorn::{DType, Device, Error, Optimizations, Result};
use lanthorn_cpu::CpuBackend;
use lanthorn_ir::{
    Backend, Kernel,
    backend::{Alias, BufferId, Capabilities, Compiled, Failure, Launch, LocalFuture, Read, Submission},
};
use std::{cell::Cell, future::ready};

/// Allocates nothing, runs no launch, and compiles as the CPU does.
struct SizesOnly {
    cpu: CpuBackend,
    buffers: Cell<u64>,
    submissions: Cell<u64>,
}

/// A device whose tensors have shapes and no elements.
pub fn sizes_only() -> Device {
    let device = Device::new(SizesOnly { cpu: CpuBackend::new(), buffers: Cell::new(0), submissions: Cell::new(0) });
    device.inspect().set_optimizations(Optimizations::none());
    device
}

fn next(counter: &Cell<u64>) -> u64 {
    counter.set(counter.get() + 1);
    counter.get()
}

impl Backend for SizesOnly {
    fn capabilities(&self) -> &Capabilities {
        self.cpu.capabilities()
    }

    fn storage_bytes(&self, dtype: DType, elements: usize) -> u64 {
        self.cpu.storage_bytes(dtype, elements)
    }

    fn allocate(&self, _bytes: u64) -> Result<BufferId> {
        Ok(BufferId(next(&self.buffers)))
    }

    fn free(&self, _buffer: BufferId) {}

    fn upload(&self, _buffer: BufferId, _dtype: DType, _offset: u64, _bytes: &[u8]) -> Result<()> {
        Ok(())
    }

    fn compile(&self, op: &'static str, kernel: &Kernel, aliases: &[Alias]) -> Result<Compiled> {
        self.cpu.compile(op, kernel, aliases)
    }

    fn submit(&self, _launches: &[Launch], reads: &[Read]) -> Submission {
        let refuse = |_: &Read| -> LocalFuture<Result<Vec<u8>>> {
            Box::pin(ready(Err(Error::device("read", "there are no elements"))))
        };
        Submission { id: next(&self.submissions), reads: reads.iter().map(refuse).collect() }
    }

    fn failures(&self) -> Vec<Failure> {
        vec![]
    }

    fn synchronize(&self) -> LocalFuture<Result<()>> {
        Box::pin(ready(Ok(())))
    }

    fn lost(&self) -> Option<Error> {
        None
    }
}
