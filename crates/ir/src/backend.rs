//! The interface that a backend implements: buffers, kernels, and submissions of launches.
//!
//! The trait is small and object-safe; the runtime holds an `Rc<dyn Backend>` per device. A backend
//! executes launches as if one after another, in the order given. It never sees an operation, a
//! tensor or a graph.

mod interop;
mod profiler;
mod shared_memory;
mod tuner;

pub use interop::Interop;
pub use profiler::{Profiler, Timing};
pub use shared_memory::SharedMemory;
pub use tuner::{Tunable, Tuner};

use crate::{DType, Error, Kernel, Result, expr::Constant};
use smallvec::SmallVec;
use std::{any::Any, cell::Cell, future::Future, pin::Pin, rc::Rc};

/// A future of the single-threaded core, which need not be `Send`.
pub type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;

/// The id of a buffer of a backend. The runtime owns the buffer and decides when it is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u64);

/// A kernel compiled by a backend, in a form that only the backend knows.
pub type Compiled = Rc<dyn Any>;

/// The least of [`Capabilities::max_pending_bytes`].
pub const MIN_PENDING_BYTES: u64 = 256 << 20;

/// The properties of a device that the core and the planner depend on.
#[derive(Clone, Debug)]
pub struct Capabilities {
    /// The name that selects the device: `cpu`, `wgpu`.
    pub name: &'static str,
    /// The adapter or processor, as text for people.
    pub description: String,
    /// The element types that tensors may have.
    pub dtypes: Vec<DType>,
    /// The largest size of a buffer, in bytes.
    pub max_buffer_bytes: u64,
    /// Maximum size of the outputs of recorded kernels, in bytes, beyond which the kernels run
    /// without a request. With a larger limit more kernels are planned and fused together. But the
    /// tensors that they read stay alive until they run, and the device waits for them.
    pub max_pending_bytes: u64,
    /// The largest number of buffers that a kernel may bind, inputs and outputs together.
    pub max_bindings: usize,
    /// Whether a buffer can be read without waiting for an event loop.
    pub sync_read: bool,
    /// Whether [`Kernel::Attention`] is faster on this device than the products and the softmax
    /// that it replaces. On a software adapter it is slower, except for the forward pass of a few
    /// queries.
    pub prefers_fused_attention: bool,
    /// Whether the device runs [`Kernel::Recurrent`]. Elsewhere each step of a recurrent cell is a
    /// few kernels.
    pub has_recurrent_kernel: bool,
    /// The tile size of matrix products: the number of rows or columns that share each loaded
    /// element of the other factor, and each evaluation of a [`Prologue`](crate::kernel::Prologue).
    /// 0 if products, except products with a vector, should only read stored factors.
    pub gemm_tile: usize,
    /// Whether a library of the vendor computes products of stored factors, each in separate
    /// launches.
    pub has_product_library: bool,
    /// Whether products with a vector are computed as reductions, so that two of them may be one
    /// kernel.
    pub joins_products: bool,
    /// Whether a convolution first copies its input with the padding around it, and so loads each
    /// element of the input once rather than once per kernel tap.
    pub pads_conv_input: bool,
    /// The language of custom kernels.
    pub custom_language: CustomLanguage,
}

/// The form of a [`CustomKernel`](crate::kernel::CustomKernel) for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CustomLanguage {
    /// A function of the host.
    Host,
    /// WGSL.
    Wgsl,
    /// CUDA C++.
    Cuda,
}

/// An input that shares its buffer with an output; see [`Kernel::can_replace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InPlace {
    /// The index of the input.
    pub input: usize,
    /// The index of the output. At most one input shares each output.
    pub output: usize,
}

/// An input that shares its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alias {
    /// It is overwritten by an output.
    InPlace(InPlace),
    /// It reads the buffer that an earlier input reads, too.
    Input {
        /// The index of the input.
        input: usize,
        /// The index of the first input of the same buffer.
        first: usize,
    },
}

impl Alias {
    /// The inputs that outputs overwrite.
    pub fn in_place(aliases: &[Alias]) -> Vec<InPlace> {
        let in_place = |alias: &Alias| if let Alias::InPlace(pair) = alias { Some(*pair) } else { None };
        aliases.iter().filter_map(in_place).collect()
    }

    /// The inputs whose buffer an earlier input shares. `inputs` identifies the buffer of each
    /// input.
    pub fn find_repeated(inputs: &[usize]) -> impl Iterator<Item = Alias> {
        inputs.iter().enumerate().filter_map(|(input, buffer)| {
            let first = inputs.iter().position(|other| other == buffer)?;
            (first < input).then_some(Alias::Input { input, first })
        })
    }
}

/// The buffers of a launch. A step has hundreds of launches with a few buffers each, for which
/// nothing is allocated.
pub type BufferIds = SmallVec<[BufferId; 4]>;

/// The values of a launch's parameters.
pub type Params = SmallVec<[Constant; 2]>;

/// One kernel with its buffers and parameters.
#[derive(Clone)]
pub struct Launch {
    /// The op that recorded it, for errors and profiles.
    pub op: &'static str,
    /// The result of [`Backend::compile`].
    pub kernel: Compiled,
    /// The input buffers, in the kernel's order.
    pub inputs: BufferIds,
    /// The output buffers. None of them is an input, except as the kernel was compiled to replace
    /// inputs in place.
    pub outputs: BufferIds,
    /// The values of the parameter slots.
    pub params: Params,
}

/// A range of a buffer to copy to the host after the launches of a submission.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// The buffer.
    pub buffer: BufferId,
    /// Its element type.
    pub dtype: DType,
    /// The first element.
    pub offset: usize,
    /// The number of elements.
    pub elements: usize,
}

/// An error in a submission that had been accepted.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The id of the submission.
    pub submission: u64,
    /// The index of the launch in the submission; `None` if the whole submission failed.
    pub launch: Option<usize>,
    /// The error.
    pub error: Error,
}

/// The result of [`Backend::submit`].
pub struct Submission {
    /// The id of the submission; each backend counts from 1.
    pub id: u64,
    /// The bytes of each read, in order and in host format: bool and uint8 take one byte per
    /// element.
    pub reads: Vec<LocalFuture<Result<Vec<u8>>>>,
}

/// The number of requests that a backend has made of its API since it was created. A counter that
/// does not apply to a backend stays 0.
///
/// This is the only declaration of these counters. Backends count in [`CountersCell`], and
/// `Inspector::stats` of a device returns a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Dispatches. A launch may need several.
    pub dispatches: u64,
    /// Submissions to a queue.
    pub submits: u64,
    /// Buffers created, of any kind: values, uniforms, scratch, readback.
    pub buffers: u64,
    /// Bind groups created.
    pub bind_groups: u64,
    /// Pipelines created. In CUDA: modules compiled and loaded.
    pub pipelines: u64,
    /// Writes of the memory that holds the arguments of kernels.
    pub uniform_writes: u64,
    /// Submissions that were recorded as a graph.
    pub graphs_recorded: u64,
    /// Submissions that were replayed from a graph, as one launch each.
    pub graph_replays: u64,
    /// Programs compiled by a CPU's interpreter.
    pub programs: u64,
    /// Products that a library of the vendor has planned.
    pub products: u64,
    /// Classes of kernels with a tuned variant.
    pub tuned: u64,
}

/// [`Counters`] that a backend counts in through a shared reference.
#[derive(Default)]
pub struct CountersCell(Cell<Counters>);

impl CountersCell {
    /// The counts so far.
    pub fn get(&self) -> Counters {
        self.0.get()
    }

    /// Adds one to a counter.
    ///
    /// ```
    /// use lanthorn_ir::backend::CountersCell;
    /// let counters = CountersCell::default();
    /// counters.add(|counters| &mut counters.submits);
    /// assert_eq!(counters.get().submits, 1);
    /// ```
    pub fn add(&self, counter: impl FnOnce(&mut Counters) -> &mut u64) {
        let mut counters = self.0.get();
        *counter(&mut counters) += 1;
        self.0.set(counters);
    }
}

/// A device that runs kernels.
///
/// A backend implements ten methods. Each optional part of a device is a separate trait, which an
/// accessor returns: [`Interop`], [`SharedMemory`], [`Tuner`], [`Profiler`].
pub trait Backend {
    /// The properties of the device.
    fn capabilities(&self) -> &Capabilities;

    /// The size of a number of elements in device memory, in bytes.
    fn storage_bytes(&self, dtype: DType, elements: usize) -> u64;

    /// A new buffer of `bytes`, with undefined contents.
    ///
    /// # Errors
    /// An out-of-memory or limit error, or the error of a lost device.
    fn allocate(&self, bytes: u64) -> Result<BufferId>;

    /// Frees a buffer once submitted work no longer needs it.
    fn free(&self, buffer: BufferId);

    /// Frees memory that the backend keeps only to save time, such as copies of buffers in another
    /// layout.
    fn empty_cache(&self) {}

    /// Whether a buffer that [`Backend::allocate`] gave turned out not to exist: a browser reports
    /// later that there was no memory for it.
    fn is_broken(&self, _buffer: BufferId) -> bool {
        false
    }

    /// Writes elements in host format to a buffer from a byte on, which is a multiple of 4, before
    /// any work that is submitted later. Up to three bytes after the written ones become undefined.
    ///
    /// # Errors
    /// An argument error if the bytes do not fit the buffer, or the error of a lost device.
    fn upload(&self, buffer: BufferId, dtype: DType, offset: u64, bytes: &[u8]) -> Result<()>;

    /// Compiles a kernel. The runtime keeps the result as long as the plan. A launch must pass one
    /// buffer for inputs and outputs that `aliases` declare as shared, and must pass the buffer of
    /// an output nowhere else.
    ///
    /// # Errors
    /// A dtype error for an element type that the device does not have, a limit error for a kernel
    /// that exceeds the device's limits, or a kernel error.
    fn compile(&self, op: &'static str, kernel: &Kernel, aliases: &[Alias]) -> Result<Compiled>;

    /// Submits launches, and reads that happen after them. A launch that fails is reported by
    /// [`Backend::failures`], and the launches after it still run.
    fn submit(&self, launches: &[Launch], reads: &[Read]) -> Submission;

    /// The failures that became known since the last call. Once a read or [`Backend::synchronize`]
    /// has resolved, all failures of its submission and of earlier ones are known.
    fn failures(&self) -> Vec<Failure>;

    /// Resolves when all submitted work is done.
    fn synchronize(&self) -> LocalFuture<Result<()>>;

    /// The error by which the device was lost, if it was.
    fn lost(&self) -> Option<Error>;

    /// The requests that the backend has made of its API so far.
    fn counters(&self) -> Counters {
        Counters::default()
    }

    /// The source text of each pass of a kernel that this backend compiled; empty for a backend
    /// without source text.
    fn sources(&self, _kernel: &Compiled) -> Vec<String> {
        vec![]
    }

    /// Buffers shared with programs that use the device's API.
    fn interop(&self) -> Option<&dyn Interop> {
        None
    }

    /// Buffers in memory that other threads or processes open.
    fn shared_memory(&self) -> Option<&dyn SharedMemory> {
        None
    }

    /// The choice among several variants of a kernel.
    fn tuner(&self) -> Option<&dyn Tuner> {
        None
    }

    /// The durations of launches.
    fn profiler(&self) -> Option<&dyn Profiler> {
        None
    }
}
