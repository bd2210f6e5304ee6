//! The CUDA backend: kernels compiled at run time on NVIDIA's GPUs, or in an emulator for tests.
//!
//! A kernel becomes CUDA C++ ([`lanthorn_kernels`]), whose text is its structure, and a list of
//! kernel arguments. Shapes and strides are an argument by value. Parameters are in device memory,
//! to which each submission copies them once. A repeated submission, with the same kernels and
//! buffers, is therefore recorded, and from then on replayed as one CUDA graph with any parameters.
//!
//! All operations go through a small [`Driver`]: NVIDIA's (feature `cuda`), whose libraries are
//! located at run time, and the emulator (feature `emulator`), which compiles the same text with
//! g++ and runs it. cuBLASLt computes the sums of products that it supports without copies
//! ([`Product`]). Generated kernels compute the others.
//!
//! Rejected: a memory pool in this crate, because [`Driver::allocate`] is stream-ordered and the
//! core has a pool; and cudarc's safe layer, whose slices are typed and individually owned, while
//! the core owns bytes by number.

mod buffer;
#[cfg(any(feature = "cuda", feature = "emulator"))]
mod cache;
mod compiled;
mod driver;
#[cfg(feature = "emulator")]
pub mod emulator;
mod graph;
mod linalg;
#[cfg(feature = "cuda")]
pub mod nvidia;
mod product;
mod profiler;
mod staging;
mod status;
mod submit;
#[cfg(test)]
mod tests;
mod waiter;

pub use driver::{Arguments, Driver, Extent, Factors, Mark, Pointer, Properties};
pub use product::{Activation, Matrix, Product};

use buffer::{Buffer, Buffers, MIN_BYTES};
use compiled::{Compiled as Ready, Module};
use graph::Graphs;
use lanthorn_ir::{
    Backend, DType, Error, Kernel, Result,
    backend::{
        self, Alias, BufferId, Capabilities, Compiled, Counters, CountersCell, CustomLanguage, Failure, Launch,
        LocalFuture, MIN_PENDING_BYTES, Read, Submission, Timing, Tunable, Tuner,
    },
    cache::Cache,
};
use lanthorn_kernels::{Language, Source, Target, Tuning, Variant};
use profiler::Profiler;
use staging::Pool;
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
    sync::Arc,
};
use submit::{InFlight, Resources};
use waiter::Waiter;

/// The options of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Round float32 operands of matrix products to TF32 in the library, as
    /// `torch.backends.cuda.matmul.allow_tf32`. It is several times as fast, with three digits. It
    /// is off by default, as in PyTorch.
    pub allow_tf32: bool,
    /// Multiply matrices with the library if it supports them, instead of generated kernels.
    pub library: bool,
    /// Replay repeated submissions as graphs.
    pub graphs: bool,
    /// Fill new buffers with 0xCD, which shows reads of uninitialized memory.
    pub poison: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { allow_tf32: false, library: true, graphs: true, poison: false }
    }
}

/// Maximum scratch memory that one kernel may use to be faster.
const MAX_SCRATCH_BYTES: u64 = 256 << 20;
/// Maximum number of blocks along the two dimensions of a grid that are used.
const MAX_BLOCKS: u32 = 65_535;
/// Maximum number of buffers of one kernel. Their addresses are part of its arguments.
const MAX_BINDINGS: usize = 64;

/// Maximum number of kernel classes with a tuned variant.
const MAX_TUNED: usize = 4096;
/// Maximum number of loaded modules that no plan uses.
const MAX_MODULES: usize = 1024;

/// The state of the backend. Futures share it.
struct State<D: Driver> {
    driver: Rc<D>,
    capabilities: Capabilities,
    settings: Settings,
    target: Target,
    /// The measured variants, by class of kernels.
    preferred: RefCell<Cache<String, Variant>>,
    buffers: Buffers,
    modules: RefCell<Cache<Source, Rc<Module<D>>>>,
    staging: Rc<Pool<D>>,
    /// Memory between the passes of a kernel, the launches' parameters, and a word for each pass
    /// that reports. Each grows on demand.
    scratch: Cell<Option<Buffer>>,
    params: Cell<Option<Buffer>>,
    status: Cell<Option<Buffer>>,
    graphs: RefCell<Graphs<D>>,
    /// The submissions that are not known to be done, oldest first.
    in_flight: RefCell<VecDeque<InFlight<D>>>,
    /// The resources that the next submission's mark will release.
    resources: RefCell<Resources<D>>,
    failures: RefCell<Vec<Failure>>,
    lost: RefCell<Option<Error>>,
    counters: CountersCell,
    submissions: Cell<u64>,
    numbers: Cell<u64>,
    profiler: Profiler<D>,
    waiter: Waiter<D::Mark>,
}

/// A device that runs kernels with CUDA, or in the emulator.
pub struct CudaBackend<D: Driver>(Rc<State<D>>);

impl<D: Driver> CudaBackend<D> {
    /// Creates a backend with a driver.
    pub fn new(driver: D, settings: Settings) -> CudaBackend<D> {
        let properties = driver.properties();
        let (major, minor) = properties.compute_capability;
        // Kernels count elements in 32 bits.
        let max_buffer_bytes = properties.memory_bytes.min(i32::MAX as u64 * 8);
        let capabilities = Capabilities {
            name: properties.kind,
            description: format!("{}, compute capability {major}.{minor}", properties.name),
            dtypes: DType::ALL.to_vec(),
            max_buffer_bytes,
            max_pending_bytes: MIN_PENDING_BYTES.max(properties.memory_bytes / 16),
            max_bindings: MAX_BINDINGS,
            sync_read: false,
            prefers_fused_attention: true,
            has_recurrent_kernel: false,
            // The library is faster by more than the cost of a launch.
            gemm_tile: 0,
            has_product_library: properties.has_library && settings.library,
            joins_products: true,
            pads_conv_input: false,
            custom_language: CustomLanguage::Cuda,
        };
        let target = Target {
            language: Language::Cuda,
            software: false,
            quads: false,
            max_groups: MAX_BLOCKS,
            max_scratch_bytes: MAX_SCRATCH_BYTES.min(max_buffer_bytes),
            max_buffer_bytes,
            tuning: Tuning::default(),
        };
        let driver = Rc::new(driver);
        CudaBackend(Rc::new(State {
            capabilities,
            settings,
            target,
            preferred: RefCell::new(Cache::new(MAX_TUNED)),
            buffers: Buffers::default(),
            modules: RefCell::new(Cache::new(MAX_MODULES)),
            staging: Pool::new(driver.clone()),
            scratch: Cell::default(),
            params: Cell::default(),
            status: Cell::default(),
            graphs: RefCell::default(),
            in_flight: RefCell::default(),
            resources: RefCell::default(),
            failures: RefCell::default(),
            lost: RefCell::default(),
            counters: CountersCell::default(),
            submissions: Cell::default(),
            numbers: Cell::default(),
            profiler: Profiler::default(),
            waiter: Waiter::default(),
            driver,
        }))
    }

    /// The properties of the device.
    pub fn properties(&self) -> &Properties {
        self.0.driver.properties()
    }
}

impl<D: Driver> State<D> {
    /// Returns an error with the reason if the device is lost.
    fn check_lost(&self) -> Result<()> {
        self.lost.borrow().clone().map_or(Ok(()), Err)
    }

    /// Records the loss of the device if the driver's answer reports it.
    fn check_answer<T>(&self, answer: Result<T>) -> Result<T> {
        if let Err(error) = &answer
            && error.is_device_lost()
        {
            self.lost.borrow_mut().get_or_insert_with(|| error.clone());
        }
        answer
    }

    fn next_number(&self) -> u64 {
        self.numbers.set(self.numbers.get() + 1);
        self.numbers.get()
    }

    fn report(&self, submission: u64, launch: Option<usize>, error: Error) {
        let mut failures = self.failures.borrow_mut();
        if !failures.iter().any(|failure| (failure.submission, failure.launch) == (submission, launch)) {
            failures.push(Failure { submission, launch, error });
        }
    }

    /// Grows a buffer to at least `bytes` bytes. Drops all recordings, which contain the old
    /// address.
    fn ensure(&self, memory: &Cell<Option<Buffer>>, bytes: u64) -> Result<()> {
        if bytes == 0 || memory.get().is_some_and(|held| held.bytes >= bytes) {
            return Ok(());
        }
        let bytes = bytes.next_power_of_two().max(64 << 10);
        let pointer = self.check_answer(self.driver.allocate(bytes))?;
        self.counters.add(|counters| &mut counters.buffers);
        self.check_answer(self.driver.fill(pointer, 0, bytes))?;
        if let Some(old) = memory.replace(Some(Buffer { pointer, bytes })) {
            self.graphs.borrow_mut().clear();
            self.driver.free(old.pointer);
        }
        Ok(())
    }
}

impl<D: Driver> Drop for State<D> {
    fn drop(&mut self) {
        // Work in flight uses the buffers and the staging memory.
        if let Ok(mark) = self.driver.mark() {
            let _ = mark.wait();
        }
        let kept = [&self.scratch, &self.params, &self.status].into_iter().filter_map(Cell::take);
        kept.chain(self.buffers.drain()).for_each(|buffer| self.driver.free(buffer.pointer));
    }
}

impl<D: Driver> Backend for CudaBackend<D> {
    fn capabilities(&self) -> &Capabilities {
        &self.0.capabilities
    }

    fn storage_bytes(&self, dtype: DType, elements: usize) -> u64 {
        (elements as u64 * dtype.size() as u64).max(MIN_BYTES)
    }

    fn allocate(&self, bytes: u64) -> Result<BufferId> {
        let state = &self.0;
        state.check_lost()?;
        let bytes = bytes.max(MIN_BYTES);
        let most = state.capabilities.max_buffer_bytes;
        if bytes > most {
            let message = format!("{bytes} bytes are more than one buffer can have here ({most})");
            return Err(Error::out_of_memory("allocate", message));
        }
        let pointer = state.check_answer(state.driver.allocate(bytes))?;
        state.counters.add(|counters| &mut counters.buffers);
        if state.settings.poison {
            state.check_answer(state.driver.fill(pointer, 0xCD, bytes))?;
        }
        Ok(state.buffers.insert(Buffer { pointer, bytes }))
    }

    fn free(&self, buffer: BufferId) {
        if let Some(removed) = self.0.buffers.remove(buffer) {
            self.0.graphs.borrow_mut().forget(buffer);
            self.0.driver.free(removed.pointer);
        }
    }

    fn upload(&self, buffer: BufferId, dtype: DType, offset: u64, bytes: &[u8]) -> Result<()> {
        self.0.check_lost()?;
        self.0.upload(buffer, dtype, offset, bytes)
    }

    fn compile(&self, op: &'static str, kernel: &Kernel, aliases: &[Alias]) -> Result<Compiled> {
        Ok(Rc::new(self.0.compile(op, kernel, aliases, None)?))
    }

    fn submit(&self, launches: &[Launch], reads: &[Read]) -> Submission {
        self.0.submit(launches, reads)
    }

    fn failures(&self) -> Vec<Failure> {
        self.0.retire();
        self.0.failures.take()
    }

    fn synchronize(&self) -> LocalFuture<Result<()>> {
        let state = self.0.clone();
        Box::pin(async move {
            state.check_lost()?;
            let mark = Arc::new(state.check_answer(state.driver.mark())?);
            let done = state.waiter.wait_until_done(&mark).await;
            state.check_answer(done)?;
            state.retire();
            Ok(())
        })
    }

    fn lost(&self) -> Option<Error> {
        self.0.lost.borrow().clone()
    }

    fn counters(&self) -> Counters {
        Counters {
            products: self.0.driver.planned_products(),
            tuned: self.0.preferred.borrow().insertions(),
            ..self.0.counters.get()
        }
    }

    fn sources(&self, kernel: &Compiled) -> Vec<String> {
        let kernel = kernel.downcast_ref::<Ready<D>>();
        let steps = kernel.map_or(&[][..], |kernel| &kernel.steps);
        compiled::passes(steps).map(|pass| pass.module.source.to_string()).collect()
    }

    fn tuner(&self) -> Option<&dyn Tuner> {
        Some(self)
    }

    fn profiler(&self) -> Option<&dyn backend::Profiler> {
        Some(self)
    }
}

impl<D: Driver> Tuner for CudaBackend<D> {
    fn tunable(&self, kernel: &Kernel) -> Option<Tunable> {
        let state = &self.0;
        // The library chooses its algorithm.
        if let Kernel::Contract(contract) = kernel
            && state.products(contract, &[]).always.is_some()
        {
            return None;
        }
        let class = Variant::class(kernel)?;
        let mut variants: Vec<&str> = Variant::of(kernel, &state.target).iter().map(|variant| variant.name).collect();
        // The default or preferred variant comes first.
        let usual =
            Variant::in_use(kernel, &state.target.with_tuning(state.tuning(kernel))).map(|variant| variant.name);
        variants.sort_by_key(|&name| Some(name) != usual);
        Some(Tunable { class, variants })
    }

    fn compile_variant(&self, op: &'static str, kernel: &Kernel, aliases: &[Alias], variant: &str) -> Result<Compiled> {
        let tuning = Variant::find(kernel, variant).map_or(Tuning::default(), |variant| variant.tuning);
        Ok(Rc::new(self.0.compile(op, kernel, aliases, Some(tuning))?))
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

impl<D: Driver> backend::Profiler for CudaBackend<D> {
    fn set_profiling(&self, on: bool) {
        self.0.profiler.set(&*self.0.driver, on);
    }

    fn timings(&self) -> LocalFuture<Result<Vec<Timing>>> {
        let state = self.0.clone();
        Box::pin(async move { state.timings().await })
    }
}
