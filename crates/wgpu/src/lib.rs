//! The WebGPU backend: kernels as compute shaders, in the browser and natively (Vulkan, Metal,
//! DirectX 12).
//!
//! A kernel becomes WGSL text and a list of kernel arguments ([`lanthorn_kernels`]). The text is
//! the structure of the kernel and the key of its pipeline. The arguments are shapes, strides and
//! parameters, in a uniform buffer that is written once per submission. A repeated step creates no
//! buffer, bind group or pipeline; [`Backend::counters`] lets a test check that.
//!
//! Every error is reported, however late WebGPU reports it: see [`Failure`].
//!
//! Rejected: separate implementations for browsers and native devices. They differ in the time at
//! which a result arrives, and [`Backend`] is asynchronous where that matters.
//!
//! ```no_run
//! use lanthorn_ir::{Backend, DType, backend::Read};
//! # async fn read() -> lanthorn_ir::Result<()> {
//! let backend = lanthorn_wgpu::WgpuBackend::new(Default::default()).await?;
//! let buffer = backend.allocate(backend.storage_bytes(DType::U8, 3))?;
//! backend.upload(buffer, DType::U8, 0, &[1, 2, 3])?;
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
mod cpu_fallback;
mod device;
mod diagnostic;
mod failure;
mod interop;
mod pipeline;
mod profiler;
mod queue;
mod readback;
mod shared;
mod status;
mod submit;
mod uniform;
mod variants;

/// The types of a device that the program opened.
pub use ::wgpu::{Device as RawDevice, Queue as RawQueue};
pub use lanthorn_kernels::{Contraction, Reduction, Rows, Tuning, Variant};

use bind_group::BindGroups;
use buffer::{Buffer, Buffers};
use device::Device;
use failure::Failures;
use lanthorn_ir::{
    Backend, DType, Error, Kernel, Result,
    backend::{
        self, Alias, BufferId, Capabilities, Compiled, Counters, CountersCell, Failure, Interop, Launch, LocalFuture,
        Read, Submission, Timing, Tunable, Tuner,
    },
    cache::Cache,
};
use lanthorn_kernels::{Language, Target};
use pipeline::Pipelines;
use profiler::Profiler;
use queue::{Queue, Task};
use readback::Pool;
use status::Status;
use std::{
    any::Any,
    cell::{Cell, RefCell},
    rc::Rc,
};
use uniform::Uniforms;

/// The options of the backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Restrict the device to WebGPU's default limits and no features, as on a weak device.
    pub default_limits: bool,
    /// Fill new buffers with 0xCD, which shows reads of uninitialized memory.
    pub poison: bool,
    /// The variants of kernels that are forced.
    pub tuning: Tuning,
    /// Let native devices defer tasks behind a CPU fallback until a result is awaited, as a page
    /// does. For tests of the queue.
    pub deferred: bool,
}

/// Maximum scratch memory that one kernel may use.
const MAX_SCRATCH: u64 = 64 << 20;

/// Maximum number of kernel classes with a tuned variant.
const MAX_TUNED: usize = 4096;

/// The state of the backend. Futures share it.
struct State {
    device: Device,
    failures: Rc<Failures>,
    counters: CountersCell,
    buffers: Buffers,
    pipelines: Pipelines,
    groups: BindGroups,
    uniforms: Uniforms,
    pool: Rc<Pool>,
    status: Status,
    profiler: Profiler,
    scratch: RefCell<Option<(u64, Rc<Buffer>)>>,
    queue: Queue,
    submissions: Cell<u64>,
    target: Target,
    /// The measured variants, by class of kernels.
    preferred: RefCell<Cache<String, Variant>>,
    poison: bool,
}

/// A device that runs kernels through WebGPU.
pub struct WgpuBackend(Rc<State>);

impl WgpuBackend {
    /// Opens the fastest available adapter.
    ///
    /// # Errors
    /// A device error if there is no adapter, or if the adapter returns no device. The message
    /// suggests a solution.
    pub async fn new(options: Options) -> Result<WgpuBackend> {
        let failures = Rc::new(Failures::default());
        let device = Device::open(&options, &failures).await?;
        Ok(WgpuBackend::on(device, failures, options))
    }

    /// Uses a device of the program, so that its buffers can be shared. The backend replaces the
    /// device's callback for its loss. The program handles uncaptured errors.
    pub fn with_device(device: wgpu::Device, queue: wgpu::Queue, options: Options) -> WgpuBackend {
        let failures = Rc::new(Failures::default());
        let info = device.adapter_info();
        let device = Device::new(device, queue, &info, &options);
        WgpuBackend::on(device, failures, options)
    }

    /// The WebGPU device.
    pub fn device(&self) -> &wgpu::Device {
        &self.0.device.device
    }

    fn on(device: Device, failures: Rc<Failures>, options: Options) -> WgpuBackend {
        let target = Target {
            language: if device.has_f16 { Language::WgslF16 } else { Language::Wgsl },
            software: device.software,
            quads: device.quads,
            max_groups: device.limits.max_compute_workgroups_per_dimension,
            max_scratch_bytes: MAX_SCRATCH.min(device.capabilities.max_buffer_bytes),
            max_buffer_bytes: device.capabilities.max_buffer_bytes,
            tuning: options.tuning,
        };
        WgpuBackend(Rc::new(State {
            device,
            failures,
            counters: CountersCell::default(),
            buffers: Buffers::default(),
            pipelines: Pipelines::default(),
            groups: BindGroups::default(),
            uniforms: Uniforms::default(),
            pool: Rc::default(),
            status: Status::default(),
            profiler: Profiler::default(),
            scratch: RefCell::default(),
            queue: Queue::new(options.deferred),
            submissions: Cell::new(0),
            target,
            preferred: RefCell::new(Cache::new(MAX_TUNED)),
            poison: options.poison,
        }))
    }
}

impl State {
    /// Frees a buffer's memory once all work submitted before is done.
    fn free(self: &Rc<State>, buffer: BufferId) {
        if self.queue.is_busy() {
            self.enqueue([Task::Free(buffer)]);
        } else {
            self.groups.forget_buffer(buffer.0);
            self.buffers.free(buffer);
        }
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
        self.0.free(buffer);
    }

    fn is_broken(&self, buffer: BufferId) -> bool {
        self.0.buffers.get(buffer).is_ok_and(|buffer| buffer.resource.error().is_some())
    }

    fn upload(&self, buffer: BufferId, dtype: DType, offset: u64, bytes: &[u8]) -> Result<()> {
        let (buffer, words) = self.0.buffers.prepare_upload(&self.0.device, buffer, dtype, offset, bytes)?;
        if self.0.queue.is_busy() {
            self.0.enqueue([Task::Upload { buffer, offset, words: words.into_owned() }]);
        } else {
            buffer::write(&self.0.device, &buffer, offset, &words);
        }
        Ok(())
    }

    fn compile(&self, op: &'static str, kernel: &Kernel, aliases: &[Alias]) -> Result<Compiled> {
        Ok(Rc::new(self.0.compile(op, kernel, aliases, self.0.tuning(kernel))?))
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

    fn counters(&self) -> Counters {
        Counters { tuned: self.0.preferred.borrow().insertions(), ..self.0.counters.get() }
    }

    fn sources(&self, kernel: &Compiled) -> Vec<String> {
        let kernel = kernel.downcast_ref::<compiled::Compiled>();
        let passes = kernel.map_or(&[][..], |kernel| &kernel.passes);
        passes.iter().filter_map(|pass| self.0.pipelines.source(&pass.pipeline)).collect()
    }

    fn interop(&self) -> Option<&dyn Interop> {
        Some(self)
    }

    fn tuner(&self) -> Option<&dyn Tuner> {
        Some(self)
    }

    fn profiler(&self) -> Option<&dyn backend::Profiler> {
        Some(self)
    }
}

impl Interop for WgpuBackend {
    fn native_device(&self) -> Option<Box<dyn Any>> {
        #[cfg(target_arch = "wasm32")]
        return browser::native_device(&self.0.device.device);
        #[cfg(not(target_arch = "wasm32"))]
        Some(Box::new(self.0.device.device.clone()))
    }

    fn share(&self, buffer: BufferId) -> LocalFuture<Result<Box<dyn Any>>> {
        self.0.share(buffer)
    }

    fn import(&self, buffer: BufferId, source: &dyn Any, offset: u64, bytes: u64) -> Result<()> {
        self.0.import(buffer, source, offset, bytes)
    }
}

impl Tuner for WgpuBackend {
    fn tunable(&self, kernel: &Kernel) -> Option<Tunable> {
        let class = Variant::class(kernel)?;
        let mut variants: Vec<&str> = self.variants(kernel).iter().map(|variant| variant.name).collect();
        // The default or preferred variant is the one with the same shaders as the default.
        let usual =
            Variant::in_use(kernel, &self.0.target.with_tuning(self.0.tuning(kernel))).map(|variant| variant.name);
        variants.sort_by_key(|&name| Some(name) != usual);
        Some(Tunable { class, variants })
    }

    fn compile_variant(&self, op: &'static str, kernel: &Kernel, aliases: &[Alias], variant: &str) -> Result<Compiled> {
        let tuning = Variant::find(kernel, variant).map_or(self.0.target.tuning, |variant| variant.tuning);
        Ok(Rc::new(self.0.compile(op, kernel, aliases, tuning)?))
    }

    fn prefer(&self, class: &str, variant: &str) {
        if let Some(variant) = Variant::in_class(class, variant) {
            self.0.preferred.borrow_mut().insert(class.to_string(), variant);
        }
    }

    fn preferences(&self) -> Vec<(String, &'static str)> {
        let preferred = self.0.preferred.borrow();
        let mut preferences: Vec<_> = preferred.iter().map(|(class, variant)| (class.clone(), variant.name)).collect();
        preferences.sort();
        preferences
    }
}

impl backend::Profiler for WgpuBackend {
    fn set_profiling(&self, on: bool) {
        self.0.profiler.set(&self.0.device, on);
    }

    fn timings(&self) -> LocalFuture<Result<Vec<Timing>>> {
        self.0.profiler.timings()
    }
}
