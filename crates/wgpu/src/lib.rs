//! The WebGPU backend: kernels as compute shaders, in the browser and natively (Vulkan, Metal, DirectX 12).
//!
//! A kernel becomes WGSL ([`lanthorn_ir::print::wgsl`] for its scalar part, the templates of `shaders/` around it) and a list of words. The text is its
//! structure and the pipeline's key; the words are shapes, strides and parameters, and travel in a uniform buffer written once a submission. A repeated
//! step creates no buffer, bind group or pipeline, which [`WgpuBackend::stats`] lets a test see.
//!
//! Every error is reported, however late WebGPU tells it: see [`Failure`].
//!
//! Rejected: one implementation for the browser and another for native devices. They differ in when an answer comes, and [`Backend`] is asynchronous where
//! that matters.
//!
//! ```no_run
//! use lanthorn_ir::{Backend, DType, backend::Read};
//! # async fn read() -> lanthorn_ir::Result<()> {
//! let backend = lanthorn_wgpu::WgpuBackend::new(Default::default()).await?;
//! let buffer = backend.allocate(backend.storage_bytes(DType::U8, 3))?;
//! backend.upload(buffer, DType::U8, &[1, 2, 3])?;
//! let submission = backend.submit(&[], &[Read { buffer, dtype: DType::U8, offset: 0, elements: 3 }]);
//! for read in submission.reads {
//!     assert_eq!(read.await?, [1, 2, 3]);
//! }
//! # Ok(())
//! # }
//! ```

mod bind_group;
mod browser;
mod buffer;
mod compiled;
mod device;
mod failure;
mod kernels;
mod pipeline;
mod prelude;
mod readback;
mod shared;
mod stats;
mod status;
mod submit;
mod uniform;

pub use stats::Stats;

use bind_group::BindGroups;
use buffer::{Buffer, Buffers};
use device::Device;
use failure::Failures;
use lanthorn_ir::{
    Backend, DType, Error, Kernel, Result,
    backend::{BufferId, Capabilities, Compiled, Failure, InPlace, Launch, LocalFuture, Read, Submission},
};
use pipeline::Pipelines;
use readback::Pool;
use stats::Counters;
use status::Status;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use uniform::Uniforms;

/// How the backend is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Hold the device down to WebGPU's default limits and no features, as a weak device would.
    pub default_limits: bool,
    /// Fill new buffers with 0xCD, so that what reads memory that nothing wrote shows.
    pub poison: bool,
    /// Variants that are forced.
    pub tuning: Tuning,
}

/// Which variants of kernels to use, where the choice by adapter and shape is not wanted: for tests and measurements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tuning {
    /// The variant of every matrix product.
    pub contract: Option<Contraction>,
    /// The variant of the first pass of every reduction.
    pub reduce: Option<Reduction>,
    /// The variant of every kernel over rows.
    pub rows: Option<Rows>,
    /// Choose as for a software adapter, or as for a GPU.
    pub software: Option<bool>,
}

/// Variants of a matrix product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contraction {
    /// Tiles of both operands in workgroup memory.
    Tiled,
    /// 4 x 4 outputs a thread in registers.
    Register,
    /// A reduction over k.
    Simple,
}

/// Variants of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// One thread an output and chunk.
    Thread,
    /// One workgroup an output and chunk.
    Tree,
}

/// Variants of a kernel over rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// One thread a row.
    Thread,
    /// One workgroup a row.
    Team,
}

/// Scratch memory that one kernel may take.
const MOST_SCRATCH: u64 = 64 << 20;

/// All that the backend holds. Futures share it.
struct State {
    device: Device,
    failures: Rc<Failures>,
    counters: Counters,
    buffers: Buffers,
    pipelines: Pipelines,
    groups: BindGroups,
    uniforms: Uniforms,
    pool: Rc<Pool>,
    status: Status,
    scratch: RefCell<Option<(u64, Rc<Buffer>)>>,
    submissions: Cell<u64>,
    target: kernels::Target,
    poison: bool,
}

/// A device that runs kernels through WebGPU.
pub struct WgpuBackend(Rc<State>);

impl WgpuBackend {
    /// Opens the fastest adapter there is.
    ///
    /// # Errors
    /// A device error if there is no adapter, or it gives no device; the message says what to do.
    pub async fn new(options: Options) -> Result<WgpuBackend> {
        let failures = Rc::new(Failures::default());
        let device = Device::open(&options, &failures).await?;
        let target = kernels::Target {
            software: device.software,
            max_groups: device.limits.max_compute_workgroups_per_dimension,
            max_scratch_bytes: MOST_SCRATCH.min(device.capabilities.max_buffer_bytes),
            max_buffer_bytes: device.capabilities.max_buffer_bytes,
            tuning: options.tuning,
        };
        Ok(WgpuBackend(Rc::new(State {
            device,
            failures,
            counters: Counters::default(),
            buffers: Buffers::default(),
            pipelines: Pipelines::default(),
            groups: BindGroups::default(),
            uniforms: Uniforms::default(),
            pool: Rc::default(),
            status: Status::default(),
            scratch: RefCell::default(),
            submissions: Cell::new(0),
            target,
            poison: options.poison,
        })))
    }

    /// What has reached the API so far.
    pub fn stats(&self) -> Stats {
        self.0.counters.get()
    }

    /// The WebGPU device, for interoperation: rendering from tensors, or timestamps.
    pub fn device(&self) -> &wgpu::Device {
        &self.0.device.device
    }

    /// The queue of [`WgpuBackend::device`].
    pub fn queue(&self) -> &wgpu::Queue {
        &self.0.device.queue
    }

    /// The shaders of a kernel, as they would be compiled: for people, profiles and snapshot tests.
    ///
    /// # Errors
    /// Those of [`Backend::compile`] that do not need the device.
    pub fn shaders(&self, op: &str, kernel: &Kernel) -> Result<Vec<String>> {
        let plan = kernels::plan(op, kernel, &[], &self.0.target)?;
        Ok(plan.passes.into_iter().map(|pass| pass.source).collect())
    }
}

impl Backend for WgpuBackend {
    fn capabilities(&self) -> &Capabilities {
        &self.0.device.capabilities
    }

    fn storage_bytes(&self, dtype: DType, elements: usize) -> u64 {
        buffer::storage_bytes(dtype, elements)
    }

    fn allocate(&self, bytes: u64) -> Result<BufferId> {
        let state = &self.0;
        state.buffers.allocate(&state.device, &state.failures, &state.counters, bytes, state.poison)
    }

    fn free(&self, buffer: BufferId) {
        self.0.groups.forget_buffer(buffer.0);
        self.0.buffers.free(buffer);
    }

    fn upload(&self, buffer: BufferId, dtype: DType, bytes: &[u8]) -> Result<()> {
        self.0.buffers.upload(&self.0.device, buffer, dtype, bytes)
    }

    fn compile(&self, op: &'static str, kernel: &Kernel, in_place: &[InPlace]) -> Result<Compiled> {
        Ok(Rc::new(self.0.compile(op, kernel, in_place)?))
    }

    fn submit(&self, launches: &[Launch], reads: &[Read]) -> Submission {
        self.0.submit(launches, reads)
    }

    fn failures(&self) -> Vec<Failure> {
        self.0.failures.take(self.0.submissions.get())
    }

    fn synchronize(&self) -> LocalFuture<Result<()>> {
        self.0.synchronize()
    }

    fn lost(&self) -> Option<Error> {
        self.0.device.poll();
        self.0.device.lost.error()
    }
}
