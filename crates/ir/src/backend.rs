//! The interface that a backend implements: buffers, kernels, and submissions of launches.
//!
//! The trait is small and object-safe; the runtime holds an `Rc<dyn Backend>` per device. A backend
//! executes launches as if one after another, in the order given. It never sees an operation, a
//! tensor or a graph.

use crate::{DType, Error, Kernel, Result, SharedName, expr::Constant};
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
pub const LEAST_PENDING_BYTES: u64 = 256 << 20;

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
    /// The output bytes of recorded kernels after which they run without a request. More of them are planned and fused
    /// together; but what they read lives until they run, and the device waits for them.
    pub max_pending_bytes: u64,
    /// The largest number of buffers that a kernel may bind, inputs and outputs together.
    pub max_bindings: usize,
    /// Whether a buffer can be read without waiting for an event loop.
    pub sync_read: bool,
    /// Whether [`Kernel::Attention`] is faster here than the products and the softmax that it
    /// replaces. It is not on a software adapter, but for the forward pass of a few queries.
    pub prefers_fused_attention: bool,
    /// The tile size of matrix products: the number of rows or columns that share each loaded
    /// element of the other factor, and each evaluation of a [`Prologue`](crate::kernel::Prologue).
    /// 0 if a product should read stored factors only, but for one with a vector.
    pub gemm_tile: usize,
    /// Whether a library of the vendor computes products of stored factors, each in launches of its own.
    pub has_product_library: bool,
    /// Whether products with a vector are computed as reductions are, so that two of them may be one kernel.
    pub joins_products: bool,
    /// Whether a convolution first copies its input with the padding around it, and so loads each
    /// element of the input once rather than once per kernel tap.
    pub pads_conv_input: bool,
    /// The language of the kernels that come from outside.
    pub custom_language: CustomLanguage,
}

/// The form in which a device takes a [`CustomKernel`](crate::kernel::CustomKernel).
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

    /// The inputs of which an earlier one is the same, from what identifies the buffer of each.
    pub fn repeated(inputs: &[usize]) -> impl Iterator<Item = Alias> {
        inputs.iter().enumerate().filter_map(|(input, buffer)| {
            let first = inputs.iter().position(|other| other == buffer)?;
            (first < input).then_some(Alias::Input { input, first })
        })
    }
}

/// The buffers of a launch. A step has hundreds of launches of a few buffers each, for which nothing is allocated.
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
/// The one declaration of these counters: backends count in [`CountersCell`], and `Device::stats`
/// gives a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Dispatches; a launch may take several.
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
    /// Products that a library of the vendor was asked to plan.
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

/// The duration of a launch or a submission.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The id of the submission.
    pub submission: u64,
    /// The index of the launch in the submission; `None` for the whole submission, on a device that
    /// cannot measure launches.
    pub launch: Option<usize>,
    /// The start in microseconds, on the backend's clock.
    pub start: f64,
    /// The duration in microseconds.
    pub duration: f64,
}

/// A kernel that a device can run by several variants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// The class of kernels that share one choice: kind, element type, and sizes rounded up to a
    /// power of two. It has no leading or trailing spaces.
    pub class: String,
    /// The names of the variants; the one in use comes first.
    pub variants: Vec<&'static str>,
}

/// A device that runs kernels.
pub trait Backend {
    /// The properties of the device.
    fn capabilities(&self) -> &Capabilities;

    /// The device memory that a number of elements takes, in bytes.
    fn storage_bytes(&self, dtype: DType, elements: usize) -> u64;

    /// A new buffer of `bytes`, with undefined contents.
    ///
    /// # Errors
    /// An out-of-memory or limit error, or the error of a lost device.
    fn allocate(&self, bytes: u64) -> Result<BufferId>;

    /// Frees a buffer once submitted work no longer needs it.
    fn free(&self, buffer: BufferId);

    /// Frees what the backend keeps only to save time, such as copies of buffers in another layout.
    fn empty_cache(&self) {}

    /// Whether a buffer that [`Backend::allocate`] gave turned out not to exist: a browser reports
    /// later that there was no memory for it.
    fn is_broken(&self, _buffer: BufferId) -> bool {
        false
    }

    /// Writes elements in host format to a buffer from a byte on, which is a multiple of 4, before any work
    /// that is submitted later. Up to three bytes after the written ones become undefined.
    ///
    /// # Errors
    /// An argument error if the bytes do not fit the buffer, or the error of a lost device.
    fn upload(&self, buffer: BufferId, dtype: DType, offset: u64, bytes: &[u8]) -> Result<()>;

    /// The device as its API names it, for programs that use both: `wgpu::Device` natively, and a
    /// `JsValue` with the `GPUDevice` in a page.
    fn native_device(&self) -> Option<Box<dyn Any>> {
        None
    }

    /// A buffer as the API names it, `wgpu::Buffer` or a `JsValue` with the `GPUBuffer`, once all work
    /// that was submitted before is in the device's queue.
    ///
    /// # Errors
    /// A device error on a backend whose buffers no program can use.
    fn share(&self, _buffer: BufferId) -> LocalFuture<Result<Box<dyn Any>>> {
        let name = self.capabilities().name;
        Box::pin(std::future::ready(Err(Error::device("share", format!("the device {name} has no buffers to share")))))
    }

    /// Copies `bytes` from a buffer of the API, beginning at `offset`, to the start of a buffer, after
    /// the work that was submitted before and before the work that is submitted later.
    ///
    /// # Errors
    /// A device error on a backend whose buffers no program can use; an argument error if `source` is
    /// none of its buffers, cannot be copied from, or is too small.
    fn import(&self, _buffer: BufferId, _source: &dyn Any, _offset: u64, _bytes: u64) -> Result<()> {
        let name = self.capabilities().name;
        Err(Error::device("import", format!("the device {name} takes no buffers of others")))
    }

    /// A new buffer of `bytes` zeros in memory that other threads or processes can open, and write at any
    /// time. [`Backend::free`] lets go of it.
    ///
    /// # Errors
    /// A device error on a backend without shared memory; an out-of-memory error.
    fn allocate_shared(&self, _bytes: u64) -> Result<BufferId> {
        Err(self.shares_nothing("share_memory_"))
    }

    /// A name by which another thread or process opens a buffer that [`Backend::allocate_shared`] or
    /// [`Backend::open_shared`] gave. The name holds the memory until it is opened or given up.
    ///
    /// # Errors
    /// A device error on a backend without shared memory, or for any other buffer.
    fn send_shared(&self, _buffer: BufferId) -> Result<SharedName> {
        Err(self.shares_nothing("handle"))
    }

    /// A buffer in the memory of this name, for as many launches as any buffer.
    ///
    /// # Errors
    /// A device error on a backend without shared memory, or for memory that is not reachable from here;
    /// a disposed error for memory that everybody let go of.
    fn open_shared(&self, _name: &SharedName) -> Result<BufferId> {
        Err(self.shares_nothing("from_handle"))
    }

    /// The number of this device among those that refer to shared memory, if it can.
    fn shared_holder(&self) -> Option<u32> {
        None
    }

    /// Gives up the reference that a name holds. Nothing happens if the name was opened.
    fn give_up_shared(&self, _name: &SharedName) {}

    /// The error of a backend without shared memory.
    #[doc(hidden)]
    fn shares_nothing(&self, op: &str) -> Error {
        let name = self.capabilities().name;
        Error::device(op, format!("the device {name} has no memory that workers share; move the tensor to the CPU"))
    }

    /// Compiles a kernel. The runtime keeps the result for as long as it keeps the plan. A launch
    /// must pass one buffer for what `aliases` say is shared, and the buffer of an output nowhere else.
    ///
    /// # Errors
    /// A dtype error for an element type that the device does not have, a limit error for a kernel
    /// that exceeds the device, or a kernel error.
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

    /// The variants by which this device can run a kernel, if there may be several.
    fn tunable(&self, _kernel: &Kernel) -> Option<Tunable> {
        None
    }

    /// [`Backend::compile`] by one of the variants that [`Backend::tunable`] names.
    fn compile_variant(
        &self,
        op: &'static str,
        kernel: &Kernel,
        aliases: &[Alias],
        _variant: &str,
    ) -> Result<Compiled> {
        self.compile(op, kernel, aliases)
    }

    /// Compiles the kernels of a class by this variant from now on. Unknown names are ignored.
    fn prefer(&self, _class: &str, _variant: &str) {}

    /// The variants preferred so far, as (class, variant).
    fn preferences(&self) -> Vec<(String, &'static str)> {
        vec![]
    }

    /// Sets whether later submissions are measured.
    fn set_profiling(&self, on: bool);

    /// The measurements of completed work that were not returned before.
    fn timings(&self) -> LocalFuture<Result<Vec<Timing>>>;
}
