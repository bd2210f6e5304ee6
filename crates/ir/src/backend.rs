//! What a backend implements: buffers, kernels, and submissions of launches.
//!
//! The trait is small and object-safe; the tensor core holds a `Box<dyn Backend>` a device. A backend runs launches in the order
//! given, as if one after another. It never sees an operation, a tensor or a graph.

use crate::{DType, Error, Kernel, Result, expr::Constant};
use std::{any::Any, future::Future, pin::Pin, rc::Rc};

/// A future of the single-threaded core.
pub type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;

/// A buffer of a backend, by number. The core owns it and says when it is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u64);

/// A kernel made ready by a backend, in the backend's own form.
pub type Compiled = Rc<dyn Any>;

/// What a device can hold, and what it calls itself.
#[derive(Clone, Debug)]
pub struct Capabilities {
    /// The name that selects the device: `cpu`, `wgpu`.
    pub name: &'static str,
    /// The adapter or processor, for people.
    pub description: String,
    /// The element types that tensors may have.
    pub dtypes: Vec<DType>,
    /// The most bytes of one buffer.
    pub max_buffer_bytes: u64,
    /// The most buffers one kernel may bind, inputs and outputs together.
    pub max_bindings: usize,
    /// Whether a buffer can be read without waiting for an event loop.
    pub sync_read: bool,
    /// Whether [`Kernel::Attention`] gains here over the products and the softmax that it stands for. On a software adapter it does not.
    pub prefers_fused_attention: bool,
    /// How many rows or columns of a product share what is loaded of the other factor, or computed by a [`Prologue`](crate::kernel::Prologue). 0 where a product
    /// had better find its factors stored.
    pub gemm_tile: usize,
    /// Whether a convolution loads each element of a stored image once, and not for every place of the kernel that sees it.
    pub pads_conv_input: bool,
}

/// An input whose buffer is also that of an output; see [`Kernel::can_replace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InPlace {
    /// The input, by its place among the kernel's.
    pub input: usize,
    /// The output. No two inputs share one.
    pub output: usize,
}

/// One kernel with its buffers and numbers.
#[derive(Clone)]
pub struct Launch {
    /// The op it came from, for errors and profiles.
    pub op: &'static str,
    /// What [`Backend::compile`] gave.
    pub kernel: Compiled,
    /// The input buffers, in the kernel's order.
    pub inputs: Vec<BufferId>,
    /// The output buffers. None is among the inputs, but for those that the kernel was compiled to replace in place.
    pub outputs: Vec<BufferId>,
    /// The values of the parameter slots.
    pub params: Vec<Constant>,
}

/// A buffer to bring to the host after the launches of a submission.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// Which buffer.
    pub buffer: BufferId,
    /// Its element type.
    pub dtype: DType,
    /// The first element.
    pub offset: usize,
    /// How many elements from there.
    pub elements: usize,
}

/// What went wrong in a submission that had been accepted.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The submission's number.
    pub submission: u64,
    /// The launch by its place in the submission; `None` if all of it failed.
    pub launch: Option<usize>,
    /// Why.
    pub error: Error,
}

/// Work that was handed over.
pub struct Submission {
    /// Counts up from 1 for each backend.
    pub id: u64,
    /// The bytes of each read in host format (bool and uint8 one byte an element), in order.
    pub reads: Vec<LocalFuture<Result<Vec<u8>>>>,
}

/// How often a backend has asked its API for something since it was made. What a backend does without is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Dispatches: a launch may take several.
    pub dispatches: u64,
    /// Submissions to a queue.
    pub submits: u64,
    /// Buffers made, of any kind: values, uniforms, scratch, readback.
    pub buffers: u64,
    /// Bind groups made.
    pub bind_groups: u64,
    /// Pipelines made.
    pub pipelines: u64,
}

/// How long some work took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The submission's number.
    pub submission: u64,
    /// The launch by its place in the submission; `None` for all of it, where the device measures no finer.
    pub launch: Option<usize>,
    /// Its beginning in microseconds, on a clock of the backend's own.
    pub start: f64,
    /// Its length in microseconds.
    pub duration: f64,
}

/// A kernel that a device can run in several ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// The kernels that a choice is made for together: kind, type, and sizes to the next power of two. Without spaces at its ends.
    pub class: String,
    /// The names of the ways, that which is taken now first.
    pub variants: Vec<&'static str>,
}

/// A device that runs kernels.
pub trait Backend {
    /// What the device can hold, and what it calls itself.
    fn capabilities(&self) -> &Capabilities;

    /// Bytes of device memory for so many elements.
    fn storage_bytes(&self, dtype: DType, elements: usize) -> u64;

    /// A new buffer of `bytes`; what it holds is not defined.
    fn allocate(&self, bytes: u64) -> Result<BufferId>;

    /// Gives a buffer's memory back once submitted work no longer needs it.
    fn free(&self, buffer: BufferId);

    /// Fills a buffer from its start with elements in host format, before any work that is submitted later.
    fn upload(&self, buffer: BufferId, dtype: DType, bytes: &[u8]) -> Result<()>;

    /// Makes a kernel ready. The core keeps what it gets for as long as it keeps the plan. A launch must have the same buffer as input
    /// and output where `in_place` says so, and nowhere else.
    fn compile(&self, op: &'static str, kernel: &Kernel, in_place: &[InPlace]) -> Result<Compiled>;

    /// Hands over launches, and reads that happen after them. A launch that fails is reported by [`Backend::failures`], and the
    /// launches after it still run.
    fn submit(&self, launches: &[Launch], reads: &[Read]) -> Submission;

    /// The failures that became known since the last call. When a read has resolved, or [`Backend::synchronize`] has, every
    /// failure of its submission and of earlier ones is known.
    fn failures(&self) -> Vec<Failure>;

    /// Resolves when all submitted work is done.
    fn synchronize(&self) -> LocalFuture<Result<()>>;

    /// Why the device is gone, if it is.
    fn lost(&self) -> Option<Error>;

    /// What the backend has asked its API for so far.
    fn counters(&self) -> Counters {
        Counters::default()
    }

    /// The source text of each pass of a kernel that this backend compiled, where it has some.
    fn sources(&self, _kernel: &Compiled) -> Vec<String> {
        vec![]
    }

    /// The ways in which this device can run a kernel, where there may be several.
    fn tunable(&self, _kernel: &Kernel) -> Option<Tunable> {
        None
    }

    /// As [`Backend::compile`], by one of the variants that [`Backend::tunable`] names.
    fn compile_variant(&self, op: &'static str, kernel: &Kernel, in_place: &[InPlace], _variant: &str) -> Result<Compiled> {
        self.compile(op, kernel, in_place)
    }

    /// Compiles the kernels of a class by this variant from now on; of names that it does not know the backend takes no note.
    fn prefer(&self, _class: &str, _variant: &str) {}

    /// The variants preferred so far, as (class, variant).
    fn preferences(&self) -> Vec<(String, &'static str)> {
        vec![]
    }

    /// Says whether submissions from now on are measured.
    fn set_profiling(&self, on: bool);

    /// What was measured and not yet asked for, of work that is done.
    fn timings(&self) -> LocalFuture<Result<Vec<Timing>>>;
}
