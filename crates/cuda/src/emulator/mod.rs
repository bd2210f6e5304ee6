//! An emulator of a GPU, for tests and for comparing kernels. The host's g++ compiles each kernel's
//! source after a header that emulates CUDA, and the threads of a grid run in sequence.
//!
//! The code above the driver is the same as on a GPU. The emulator detects errors whose effect is
//! undefined on a GPU: a barrier that not all threads reach, a write outside of a buffer, and with
//! [`Options::checked`] every access outside of the launch's buffers. Uninitialized memory contains
//! 0xCD.

mod compiler;
mod memory;
mod multiply;
#[cfg(test)]
mod tests;

use crate::{
    CudaBackend, Settings,
    driver::{Arguments, Driver, Extent, Factors, Mark, Pointer, Properties},
    product::Product,
};
use compiler::{Call, Compiler, Module, Range};
use lanthorn_ir::{Error, Result};
use memory::Memory;
use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    cell::{Cell, RefCell},
    rc::Rc,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

/// The options of an emulated device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Check every access of a kernel, which takes several times as long.
    pub checked: bool,
    /// Multiply matrices by a plain loop if the library would support the products.
    pub library: bool,
    /// Report finished work as not done until a caller waits for it, as a GPU may.
    pub deferred: bool,
    /// The settings that all drivers share.
    pub settings: Settings,
}

/// Size of the stack of a block's thread, in bytes.
const STACK: usize = 128 << 10;
const MAX_THREADS: usize = 1024;
/// Size of the device's memory, as it reports it, in bytes.
const MEMORY: u64 = 8 << 30;

/// Opens the emulator as a device.
///
/// # Errors
/// A device error if there is no compiler. The message names it.
pub fn open(options: Options) -> Result<CudaBackend<Emulator>> {
    Ok(CudaBackend::new(Emulator::new(options)?, options.settings))
}

/// The emulated GPU, as a driver.
pub struct Emulator {
    properties: Properties,
    compiler: Compiler,
    memory: RefCell<Memory>,
    stacks: Stacks,
    options: Options,
    /// The operations that [`Driver::record`] has recorded, while it runs.
    recorded: RefCell<Option<Vec<Recorded>>>,
    /// The number of moments, and the number of the last one that is known to be over.
    moments: Cell<u64>,
    known: Arc<AtomicU64>,
}

/// A recorded launch or product.
enum Recorded {
    Launch { module: Rc<Module>, extent: Extent, arguments: RefCell<Arguments> },
    Multiply { product: Product, factors: Factors },
}

/// The stacks of a block's threads. The system provides their memory on first use.
struct Stacks(*mut u8);

impl Stacks {
    fn layout() -> Layout {
        Layout::from_size_align(STACK * MAX_THREADS, 4096).expect("the size is no more than the address space")
    }

    fn new() -> Result<Stacks> {
        // SAFETY: the size is not 0.
        let start = unsafe { alloc_zeroed(Stacks::layout()) };
        if start.is_null() {
            Err(Error::out_of_memory("cuda-host", "no memory for the threads' stacks"))
        } else {
            Ok(Stacks(start))
        }
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.0, Stacks::layout()) }
    }
}

impl Emulator {
    fn new(options: Options) -> Result<Emulator> {
        let compiler = Compiler::find(options.checked)?;
        let properties = Properties {
            kind: "cuda-host",
            ordinal: 0,
            name: format!("{} processor as a GPU, {}", std::env::consts::ARCH, compiler.version()),
            compute_capability: (8, 0),
            multiprocessors: 1,
            memory_bytes: MEMORY,
            max_threads: MAX_THREADS as u32,
            max_grid: [i32::MAX as u32, 65_535, 65_535],
            driver_version: (0, 0),
            compiler_version: (0, 0),
            has_library: options.library,
        };
        let (memory, stacks) = (RefCell::default(), Stacks::new()?);
        Ok(Emulator {
            properties,
            compiler,
            memory,
            stacks,
            options,
            recorded: RefCell::default(),
            moments: Cell::default(),
            known: Arc::default(),
        })
    }

    /// # Safety
    /// As for [`Driver::launch`].
    unsafe fn run(&self, module: &Module, extent: Extent, arguments: &mut Arguments) -> Result<()> {
        let threads: u64 = extent.block.iter().map(|&threads| u64::from(threads)).product();
        if threads == 0 || threads > MAX_THREADS as u64 {
            return Err(Error::limit("launch", format!("a block of {:?} threads", extent.block)));
        }
        // An object that is loaded twice shares its variables.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = self.memory.borrow();
        let bound: Vec<(Pointer, usize)> =
            arguments.pointers().iter().filter_map(|&pointer| memory.find(pointer)).collect();
        let range = |&(start, bytes): &(Pointer, usize)| {
            let begin = start.0 as *const u8;
            Range { begin, end: begin.wrapping_add(bytes) }
        };
        // A kernel may also read the arguments by value.
        let mut ranges: Vec<Range> = bound.iter().map(range).collect();
        let values = arguments.bytes().as_ptr_range();
        ranges.push(Range { begin: values.start, end: values.end });
        let mut addresses = arguments.addresses();
        let mut message = [0u8; 512];
        let call = Call {
            grid: extent.grid,
            block: extent.block,
            arguments: addresses.as_mut_ptr(),
            stacks: self.stacks.0,
            stack_bytes: STACK,
            buffers: ranges.as_ptr(),
            buffer_count: ranges.len(),
            message: message.as_mut_ptr(),
            message_bytes: message.len(),
        };
        // SAFETY: the targets of the call's pointers outlive it. The caller guarantees the
        // arguments.
        if !unsafe { module.run(&call) } {
            let text = message.split(|&byte| byte == 0).next().unwrap_or_default();
            return Err(Error::kernel("launch", String::from_utf8_lossy(text)));
        }
        for &(start, bytes) in &bound {
            memory
                .check(start)
                .map_err(|position| Error::kernel("launch", format!("a write {position} a buffer of {bytes} bytes")))?;
        }
        Ok(())
    }

    fn records(&self, recorded: impl FnOnce() -> Recorded) -> bool {
        let mut list = self.recorded.borrow_mut();
        list.as_mut().map(|list| list.push(recorded())).is_some()
    }
}

/// A mark, which knows whether the work before it is done.
pub struct Moment {
    at: Instant,
    /// Its number in the order of the stream.
    number: u64,
    /// The number of the last moment that is known to be over. The work of a stream ends in order,
    /// so all earlier moments are over too.
    known: Arc<AtomicU64>,
}

impl Mark for Moment {
    fn is_done(&self) -> Result<bool> {
        Ok(self.number <= self.known.load(Ordering::Acquire))
    }

    fn wait(&self) -> Result<()> {
        self.known.fetch_max(self.number, Ordering::AcqRel);
        Ok(())
    }
}

/// Launches that the emulator recorded.
pub struct Recording(Vec<Recorded>);

/// A kernel that the emulator compiled.
pub struct Function(Rc<Module>);

impl Driver for Emulator {
    type Function = Function;
    type Mark = Moment;
    type Recording = Recording;

    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: u64) -> Result<Pointer> {
        self.memory.borrow_mut().allocate(bytes)
    }

    fn free(&self, pointer: Pointer) {
        self.memory.borrow_mut().free(pointer);
    }

    fn pin(&self, bytes: usize) -> Result<*mut u8> {
        self.memory.borrow_mut().allocate(bytes as u64).map(|pointer| pointer.0 as *mut u8)
    }

    unsafe fn unpin(&self, address: *mut u8, _bytes: usize) {
        self.memory.borrow_mut().free(Pointer(address as u64));
    }

    fn fill(&self, to: Pointer, byte: u8, bytes: u64) -> Result<()> {
        let target = self.memory.borrow().find(to).filter(|(start, size)| to.0 + bytes <= start.0 + *size as u64);
        target.ok_or_else(|| Error::kernel("fill", "bytes outside of a buffer"))?;
        // SAFETY: the bytes are inside an allocation.
        unsafe { (to.0 as *mut u8).write_bytes(byte, bytes as usize) };
        Ok(())
    }

    unsafe fn upload(&self, to: Pointer, from: *const u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller guarantees the conditions.
        unsafe { from.copy_to_nonoverlapping(to.0 as *mut u8, bytes) };
        Ok(())
    }

    unsafe fn download(&self, to: *mut u8, from: Pointer, bytes: usize) -> Result<()> {
        // SAFETY: the caller guarantees the conditions.
        unsafe { to.copy_from_nonoverlapping(from.0 as *const u8, bytes) };
        Ok(())
    }

    fn compile(&self, op: &str, source: &str) -> Result<Function> {
        self.compiler.compile(op, source).map(|module| Function(Rc::new(module)))
    }

    unsafe fn launch(&self, function: &Function, extent: Extent, arguments: &mut Arguments) -> Result<()> {
        let recorded =
            || Recorded::Launch { module: function.0.clone(), extent, arguments: RefCell::new(arguments.clone()) };
        if self.records(recorded) {
            return Ok(());
        }
        // SAFETY: the caller guarantees the conditions.
        unsafe { self.run(&function.0, extent, arguments) }
    }

    fn multiplies(&self, _product: &Product) -> bool {
        self.options.library
    }

    unsafe fn multiply(&self, product: &Product, factors: Factors) -> Result<()> {
        if !self.records(|| Recorded::Multiply { product: product.clone(), factors }) {
            // SAFETY: the caller guarantees the conditions.
            unsafe { multiply::multiply(product, factors) };
        }
        Ok(())
    }

    fn mark(&self) -> Result<Moment> {
        let number = self.moments.get() + 1;
        self.moments.set(number);
        let moment = Moment { at: Instant::now(), number, known: self.known.clone() };
        if !self.options.deferred {
            moment.wait()?;
        }
        Ok(moment)
    }

    fn elapsed(&self, from: &Moment, to: &Moment) -> Result<f64> {
        Ok(to.at.saturating_duration_since(from.at).as_secs_f64() * 1e6)
    }

    fn record(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<Recording> {
        self.recorded.replace(Some(vec![]));
        let outcome = work();
        let list = self.recorded.take().unwrap_or_default();
        outcome.map(|()| Recording(list))
    }

    unsafe fn replay(&self, recording: &Recording) -> Result<()> {
        for step in &recording.0 {
            // SAFETY: the caller guarantees the buffers. The rest is as recorded.
            unsafe {
                match step {
                    Recorded::Launch { module, extent, arguments } => {
                        self.run(module, *extent, &mut arguments.borrow_mut())?
                    }
                    Recorded::Multiply { product, factors } => multiply::multiply(product, *factors),
                }
            }
        }
        Ok(())
    }
}
