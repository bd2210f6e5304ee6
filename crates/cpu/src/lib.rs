//! The CPU backend: every kernel kind, on all threads that [`set_num_threads`] allows.
//!
//! Pointwise kernels run in a block interpreter (typed loops over blocks, which LLVM vectorizes),
//! reductions read from it, and matrix products use a packed, register-tiled micro-kernel. A
//! submission runs at once, so a read is complete when it is returned. The other backends are
//! compared with this one.
//!
//! Parallelism is around blocks and not inside them, so a result has the same bits with any number
//! of threads. Rejected: `ndarray` and BLAS, because neither supports the strided operands, the
//! dtypes and the fused expressions of [`lanthorn_ir::kernel`].
//!
//! ```
//! use lanthorn_cpu::CpuBackend;
//! use lanthorn_ir::{Backend, DType, Kernel, Layout, Shape};
//! use lanthorn_ir::{backend::{Launch, Read}, expr::{Expr, Program, Type}, kernel::{Map, Operand}};
//! let device = CpuBackend::new();
//! let [x, y] = [device.allocate(8)?, device.allocate(8)?];
//! device.upload(x, DType::F32, 0, &[0, 0, 128, 63, 0, 0, 0, 64])?; // 1, 2
//! let shape = Shape::from_dims([2]);
//! let kernel = Kernel::Map(Map {
//!     inputs: vec![Operand::new(DType::F32, Layout::contiguous(shape.clone()))],
//!     shape,
//!     indices: vec![],
//!     params: vec![],
//!     program: Program::new(&[Expr::input(0, Type::F32) * 0.5]),
//!     dtypes: vec![DType::F32],
//! });
//! let kernel = device.compile("half", &kernel, &[])?;
//! let launch =
//!     Launch { op: "half", kernel, inputs: vec![x].into(), outputs: vec![y].into(), params: vec![].into() };
//! let mut done = device.submit(&[launch], &[Read { buffer: y, dtype: DType::F32, offset: 0, elements: 2 }]);
//! assert_eq!(pollster::block_on(done.reads.remove(0))?, [0, 0, 0, 63, 0, 0, 128, 63]); // 0.5, 1
//! # Ok::<(), lanthorn_ir::Error>(())
//! ```

mod attention;
mod block;
mod buffer;
mod contract;
mod copy;
mod custom;
mod dequantize;
mod encoding;
mod epilogue;
mod fused_reduction;
mod gather;
mod half;
mod horizontal;
mod kernel;
mod launch;
mod linalg;
mod lock;
mod map;
mod math;
mod math_parts;
mod math_wide;
mod memory;
#[cfg(all(target_family = "wasm", target_feature = "atomics"))]
mod memory_growth;
#[cfg(test)]
mod operand_tests;
mod parallel;
mod recurrent;
mod reduce;
mod scan;
mod scatter;
pub mod shared;
mod simd;
mod sort;
mod store;
#[cfg(test)]
mod test_util;

use block::Input;
use buffer::Buffer;
use lanthorn_ir::{
    Backend, DType, Error, Kernel, Result, SharedName,
    backend::{
        Alias, BufferId, Capabilities, Compiled, Counters, CustomLanguage, Failure, Launch, LocalFuture,
        MIN_PENDING_BYTES, Profiler, Read, SharedMemory, Submission, Timing,
    },
};
use launch::Prepared;
use memory::{Contents, Memory, Slot};
use rustc_hash::FxHashMap;
use shared::Holder;
use std::{
    cell::{Cell, RefCell},
    future::ready,
    rc::Rc,
};
use web_time::Instant;

fn description() -> String {
    let threads = match parallel::threads() {
        1 => "one thread".to_string(),
        threads => format!("{threads} threads"),
    };
    format!("{} processor, {threads}", std::env::consts::ARCH)
}

#[cfg(all(target_family = "wasm", target_feature = "atomics"))]
pub use memory_growth::ObservingAllocator;
pub use parallel::{MAX_THREADS, PoolThread, compute_alone, num_threads, set_num_threads, set_thread_starter};

/// The micro-kernels of a second WebAssembly module.
#[cfg(target_arch = "wasm32")]
pub use contract::Microkernels;

/// Sets micro-kernels of a second module for float32 products. They fuse multiplication and
/// addition where the engine can. Only the first call has an effect.
///
/// # Safety
///
/// They must be the functions of `lanthorn_microkernel` of the same names, and operate on the
/// memory of this module.
#[cfg(target_arch = "wasm32")]
pub unsafe fn use_microkernels(kernels: Microkernels) {
    contract::use_microkernels(kernels);
}

/// The CPU as a device.
pub struct CpuBackend {
    capabilities: Capabilities,
    buffers: RefCell<Memory>,
    /// The references to shared memory.
    holder: Holder,
    failures: RefCell<Vec<Failure>>,
    next_buffer: Cell<u64>,
    submissions: Cell<u64>,
    /// The programs compiled for its kernels.
    programs: Cell<u64>,
    fill: u8,
    /// The start of profiling, while launches are measured.
    clock: Cell<Option<Instant>>,
    timings: RefCell<Vec<Timing>>,
}

impl Default for CpuBackend {
    fn default() -> CpuBackend {
        CpuBackend::new()
    }
}

impl CpuBackend {
    /// A device whose new buffers hold zeros.
    pub fn new() -> CpuBackend {
        CpuBackend::new_with_fill(0)
    }

    /// A device whose new buffers hold the byte 0xCD everywhere, to find kernels that read memory
    /// before it is written.
    pub fn poisoned() -> CpuBackend {
        CpuBackend::new_with_fill(0xCD)
    }

    fn new_with_fill(fill: u8) -> CpuBackend {
        // The memory of wasm32 ends at 4 GiB, and one allocation of a quarter of it is already
        // optimistic.
        let max_buffer_bytes = if cfg!(target_pointer_width = "32") { 1 << 30 } else { i32::MAX as u64 * 8 };
        CpuBackend {
            capabilities: Capabilities {
                name: "cpu",
                description: description(),
                dtypes: DType::ALL.to_vec(),
                max_buffer_bytes,
                max_pending_bytes: MIN_PENDING_BYTES,
                max_bindings: usize::MAX,
                sync_read: true,
                prefers_fused_attention: true,
                has_recurrent_kernel: true,
                gemm_tile: contract::TILE,
                has_product_library: false,
                joins_products: false,
                pads_conv_input: true,
                custom_language: CustomLanguage::Host,
            },
            buffers: RefCell::default(),
            holder: Holder::new(),
            failures: RefCell::default(),
            next_buffer: Cell::new(1),
            submissions: Cell::new(0),
            programs: Cell::new(0),
            fill,
            clock: Cell::default(),
            timings: RefCell::default(),
        }
    }

    fn add_buffer(&self, buffer: Contents) -> BufferId {
        let id = self.next_buffer.replace(self.next_buffer.get() + 1);
        self.buffers.borrow_mut().insert(id, buffer);
        BufferId(id)
    }

    /// The size of a buffer as a `usize`, or an error if a buffer cannot have this size.
    fn checked_size(&self, op: &str, bytes: u64) -> Result<usize> {
        let most = self.capabilities.max_buffer_bytes;
        let size = usize::try_from(bytes).ok().filter(|_| bytes <= most);
        size.ok_or_else(|| {
            Error::out_of_memory(op, format!("{bytes} bytes are more than one buffer can have here ({most})"))
        })
    }

    /// Runs one launch. Its outputs are removed from the table meanwhile, so that they can be
    /// written while the inputs are read.
    fn launch(&self, submission: u64, launch: &Launch) -> Result<()> {
        let kernel = launch.kernel.downcast_ref::<Prepared>();
        let kernel = kernel.ok_or_else(|| Error::kernel(launch.op, "a kernel that was compiled by another backend"))?;
        if kernel.is_custom() {
            return self.launch_custom(launch, kernel);
        }
        let mut buffers = self.buffers.borrow_mut();
        let mut outputs = Vec::with_capacity(launch.outputs.len());
        for id in &launch.outputs {
            if let Some(slot) = buffers.take_to_write(id.0) {
                outputs.push((id.0, slot));
            }
        }
        for (number, id) in launch.inputs.iter().enumerate() {
            let bytes = buffers.get(id.0).map_or(0, |slot| slot.buffer.bytes().len());
            if let Some(packing) = kernel.packing(number, bytes) {
                buffers.keep(id.0, packing, submission);
            }
        }
        let input = |(number, id): (usize, &BufferId)| match kernel.find_replacing(number) {
            Some(output) => (launch.outputs.get(output) == Some(id)).then_some(Input::Output(output)),
            None => buffers.get(id.0).map(|slot| kernel.input(number, slot)),
        };
        let inputs: Vec<Input> = launch.inputs.iter().enumerate().filter_map(input).collect();
        let result = if inputs.len() == launch.inputs.len() && outputs.len() == launch.outputs.len() {
            kernel.run(
                launch.op,
                &inputs,
                outputs.iter_mut().map(|(_, slot)| slot.buffer.bytes_mut()).collect(),
                &launch.params,
            )
        } else {
            Err(Error::kernel(
                launch.op,
                "a buffer of the launch was freed, or is both input and output without the kernel's knowing",
            ))
        };
        buffers.give_back(outputs);
        result
    }

    /// Runs one launch. If memory runs out, runs it again without panels.
    fn launch_or_repeat(&self, submission: u64, launch: &Launch) -> Result<()> {
        let repeats = || launch.kernel.downcast_ref::<Prepared>().is_some_and(Prepared::can_repeat);
        self.launch(submission, launch).or_else(|error| {
            let repeat = error.is_out_of_memory() && repeats() && self.buffers.borrow_mut().drop_panels();
            if repeat { self.launch(submission, launch) } else { Err(error) }
        })
    }

    /// Runs a custom function. Its buffers are removed from the table meanwhile, so that no borrow
    /// of the table is held: the function may create and drop tensors.
    fn launch_custom(&self, launch: &Launch, kernel: &Prepared) -> Result<()> {
        let take = |id: &BufferId| self.buffers.borrow_mut().take(id.0).map(|slot| (id.0, slot));
        let written = |id: &BufferId| self.buffers.borrow_mut().take_to_write(id.0).map(|slot| (id.0, slot));
        let mut outputs: Vec<(u64, Slot)> = launch.outputs.iter().filter_map(written).collect();
        let inputs: FxHashMap<u64, Slot> = launch.inputs.iter().filter_map(take).collect();
        let slots = launch.inputs.iter().filter_map(|id| inputs.get(&id.0));
        let given: Vec<Input> = slots.map(|slot| Input::Data(slot.buffer.bytes())).collect();
        let result = if given.len() == launch.inputs.len() && outputs.len() == launch.outputs.len() {
            kernel.run(
                launch.op,
                &given,
                outputs.iter_mut().map(|(_, slot)| slot.buffer.bytes_mut()).collect(),
                &launch.params,
            )
        } else {
            Err(Error::kernel(launch.op, "a buffer of the launch was freed"))
        };
        let mut buffers = self.buffers.borrow_mut();
        buffers.give_back(outputs);
        buffers.give_back(inputs);
        result
    }

    /// Runs a launch, and records its duration while profiling.
    fn measure<T>(&self, submission: u64, launch: usize, run: impl FnOnce() -> T) -> T {
        let Some(clock) = self.clock.get() else { return run() };
        let now = || clock.elapsed().as_secs_f64() * 1e6;
        let start = now();
        let result = run();
        self.timings.borrow_mut().push(Timing { submission, launch: Some(launch), start, duration: now() - start });
        result
    }

    fn read(&self, read: &Read) -> Result<Vec<u8>> {
        let buffers = self.buffers.borrow();
        let slot = buffers.get(read.buffer.0).ok_or_else(|| Error::kernel("read", "the buffer was freed"))?;
        let buffer = &slot.buffer;
        let [from, wanted] = [read.offset, read.elements].map(|elements| elements.saturating_mul(read.dtype.size()));
        let bytes = buffer.bytes().get(from..).and_then(|bytes| bytes.get(..wanted)).ok_or_else(|| {
            let (elements, dtype, offset, size) = (read.elements, read.dtype, read.offset, buffer.bytes().len());
            Error::kernel(
                "read",
                format!("{elements} elements of {dtype} from element {offset} of a buffer of {size} bytes"),
            )
        })?;
        let mut copy = Vec::new();
        match copy.try_reserve_exact(wanted) {
            Ok(()) => copy.extend_from_slice(bytes),
            Err(_) => return Err(Error::out_of_memory("read", format!("no memory for {wanted} bytes"))),
        }
        Ok(copy)
    }
}

impl Backend for CpuBackend {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn storage_bytes(&self, dtype: DType, elements: usize) -> u64 {
        elements as u64 * dtype.size() as u64
    }

    fn allocate(&self, bytes: u64) -> Result<BufferId> {
        let size = self.checked_size("allocate", bytes)?;
        let allocated = Buffer::new("allocate", size, self.fill).or_else(|error| {
            // Panels only save time, so they are dropped first.
            if self.buffers.borrow_mut().drop_panels() { Buffer::new("allocate", size, self.fill) } else { Err(error) }
        });
        Ok(self.add_buffer(Contents::Own(allocated?)))
    }

    fn free(&self, buffer: BufferId) {
        let removed = self.buffers.borrow_mut().remove(buffer.0);
        if let Some(Contents::Shared(block)) = removed {
            self.holder.free(block);
        }
    }

    fn empty_cache(&self) {
        self.buffers.borrow_mut().drop_panels();
    }

    fn upload(&self, buffer: BufferId, dtype: DType, offset: u64, bytes: &[u8]) -> Result<()> {
        let mut buffers = self.buffers.borrow_mut();
        let held = buffers.write(buffer.0).ok_or_else(|| Error::kernel("upload", "the buffer was freed"))?;
        let size = held.len();
        let range = usize::try_from(offset).ok().and_then(|start| Some(start..start.checked_add(bytes.len())?));
        let target = range.and_then(|range| held.get_mut(range)).ok_or_else(|| {
            let message = format!("{} bytes from {offset} on do not fit into a buffer of {size} bytes", bytes.len());
            Error::kernel("upload", message)
        })?;
        target.copy_from_slice(bytes);
        if dtype == DType::Bool {
            // The loops rely on bools being 0 or 1.
            target.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        Ok(())
    }

    fn compile(&self, op: &'static str, kernel: &Kernel, aliases: &[Alias]) -> Result<Compiled> {
        // The devices of a thread share the programs.
        let before = block::count_compiled();
        let prepared = Prepared::new(op, kernel, &Alias::in_place(aliases));
        self.programs.set(self.programs.get() + block::count_compiled() - before);
        Ok(Rc::new(prepared?))
    }

    fn submit(&self, launches: &[Launch], reads: &[Read]) -> Submission {
        let id = self.submissions.get() + 1;
        self.submissions.set(id);
        for (number, launch) in launches.iter().enumerate() {
            if let Err(error) = self.measure(id, number, || self.launch_or_repeat(id, launch)) {
                self.failures.borrow_mut().push(Failure { submission: id, launch: Some(number), error });
            }
        }
        let read = |read: &Read| -> LocalFuture<Result<Vec<u8>>> { Box::pin(ready(self.read(read))) };
        Submission { id, reads: reads.iter().map(read).collect() }
    }

    fn failures(&self) -> Vec<Failure> {
        self.failures.take()
    }

    fn synchronize(&self) -> LocalFuture<Result<()>> {
        Box::pin(ready(Ok(())))
    }

    fn lost(&self) -> Option<Error> {
        None
    }

    fn counters(&self) -> Counters {
        Counters { programs: self.programs.get(), ..Counters::default() }
    }

    fn shared_memory(&self) -> Option<&dyn SharedMemory> {
        Some(self)
    }

    fn profiler(&self) -> Option<&dyn Profiler> {
        Some(self)
    }
}

impl SharedMemory for CpuBackend {
    fn allocate_shared(&self, bytes: u64) -> Result<BufferId> {
        let block = self.holder.allocate(self.checked_size("share_memory_", bytes)?)?;
        Ok(self.add_buffer(Contents::Shared(block)))
    }

    fn send_shared(&self, buffer: BufferId) -> Result<SharedName> {
        let buffers = self.buffers.borrow();
        match buffers.get(buffer.0).map(|slot| &slot.buffer) {
            Some(Contents::Shared(block)) => self.holder.send(block),
            _ => Err(Error::device("handle", "the tensor is not in shared memory: call share_memory_ first")),
        }
    }

    fn open_shared(&self, name: &SharedName) -> Result<BufferId> {
        self.checked_size("from_handle", name.bytes)?;
        Ok(self.add_buffer(Contents::Shared(self.holder.open(name)?)))
    }

    fn shared_holder(&self) -> u32 {
        self.holder.number()
    }

    fn release_shared(&self, name: &SharedName) {
        self.holder.give_up(name);
    }
}

impl Profiler for CpuBackend {
    fn set_profiling(&self, on: bool) {
        self.clock.set(on.then(Instant::now));
    }

    fn timings(&self) -> LocalFuture<Result<Vec<Timing>>> {
        Box::pin(ready(Ok(self.timings.take())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_ir::{Layout, Shape, kernel};

    fn copy(elements: usize) -> Kernel {
        let layout = Layout::contiguous(Shape::from_dims([elements]));
        Kernel::Copy(kernel::Copy { dtype: DType::U8, source: layout.clone(), target: layout })
    }

    #[test]
    fn a_failed_launch_is_reported_and_the_next_one_runs() {
        let device = CpuBackend::poisoned();
        let [a, b] = [4, 4].map(|bytes| device.allocate(bytes).unwrap());
        device.upload(a, DType::U8, 0, &[1, 2, 3, 4]).unwrap();
        let [small, large] = [4, 5].map(|n| device.compile("copy", &copy(n), &[]).unwrap());
        let launch = |kernel: &Compiled, inputs: Vec<BufferId>| Launch {
            op: "copy",
            kernel: kernel.clone(),
            inputs: inputs.into(),
            outputs: vec![b].into(),
            params: vec![].into(),
        };
        let foreign: Compiled = Rc::new(1);
        let launches = [
            launch(&large, vec![a]),
            launch(&small, vec![BufferId(99)]),
            launch(&small, vec![b]),
            launch(&foreign, vec![a]),
            launch(&small, vec![a]),
        ];
        let read = |elements| Read { buffer: b, dtype: DType::U8, offset: 0, elements };
        let submission = device.submit(&launches, &[read(4), read(5)]);
        let mut reads = submission.reads.into_iter().map(pollster::block_on);
        assert_eq!(reads.next().unwrap().unwrap(), [1, 2, 3, 4]);
        assert!(reads.next().unwrap().is_err());
        let failures = device.failures();
        assert_eq!(
            failures.iter().map(|f| (f.submission, f.launch)).collect::<Vec<_>>(),
            [0, 1, 2, 3].map(|i| (1, Some(i)))
        );
        assert!(device.failures().is_empty());
        device.free(a);
        assert!(device.upload(a, DType::U8, 0, &[1]).is_err());
    }

    #[test]
    fn memory_is_poisoned_and_limited() {
        let device = CpuBackend::poisoned();
        let buffer = device.allocate(3).unwrap();
        let read = device.submit(&[], &[Read { buffer, dtype: DType::U8, offset: 0, elements: 3 }]).reads.remove(0);
        assert_eq!(pollster::block_on(read).unwrap(), [0xCD; 3]);
        assert!(device.allocate(u64::MAX).unwrap_err().is_out_of_memory());
        assert!(device.upload(buffer, DType::U8, 0, &[0; 4]).is_err());
    }
}
