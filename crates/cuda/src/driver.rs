//! What the backend needs of a driver: memory, copies, modules, launches, marks in the stream, and recordings of launches.
//!
//! There are two, NVIDIA's and the emulator, and everything above is the same code for both. All work of a device goes through one stream, in the order in which it is
//! asked for, and is done when a mark behind it is. Rejected: several streams, whose kernels of a few microseconds would overlap seldom, and whose buffers would need
//! an owner by stream.

use crate::product::Product;
use lanthorn_ir::Result;
use std::ffi::c_void;

/// An address in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer(pub u64);

impl Pointer {
    /// The address so many bytes further on.
    #[must_use]
    pub fn after(self, bytes: u64) -> Pointer {
        Pointer(self.0 + bytes)
    }
}

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// The name that selects the kind of device: `cuda`, `cuda-host`.
    pub kind: &'static str,
    /// The device's number among its kind.
    pub ordinal: usize,
    /// What its maker calls it.
    pub name: String,
    /// The compute capability: what it understands, major and minor version.
    pub compute_capability: (u32, u32),
    /// Multiprocessors, each of which runs several blocks at a time.
    pub multiprocessors: u32,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// The most threads of a block.
    pub max_threads: u32,
    /// The most blocks of a grid, by dimension.
    pub max_grid: [u32; 3],
    /// The CUDA version of the driver, major and minor.
    pub driver_version: (u32, u32),
    /// The CUDA version of the compiler, major and minor.
    pub compiler_version: (u32, u32),
    /// Whether there is a library for matrix products.
    pub has_library: bool,
}

/// A kernel's grid and blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
}

/// The arguments of a launch: addresses, and structs by value.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// Each argument begins at a multiple of eight bytes.
    words: Vec<u64>,
    starts: Vec<usize>,
    pointers: Vec<Pointer>,
}

impl Arguments {
    /// Adds an address.
    pub fn pointer(&mut self, pointer: Pointer) {
        self.starts.push(self.words.len());
        self.words.push(pointer.0);
        self.pointers.push(pointer);
    }

    /// Adds a struct of 32-bit words.
    pub fn structure(&mut self, words: &[u32]) {
        self.starts.push(self.words.len());
        self.words.extend(
            words.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32),
        );
    }

    /// The addresses among the arguments.
    pub fn pointers(&self) -> &[Pointer] {
        &self.pointers
    }

    /// The arguments as they lie in memory.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }

    /// Where each argument lies: what a launch takes.
    pub fn addresses(&mut self) -> Vec<*mut c_void> {
        let words = self.words.as_mut_ptr();
        // SAFETY: every start is a place in the words.
        self.starts.iter().map(|&start| unsafe { words.add(start) }.cast()).collect()
    }
}

/// A place in the stream. Work asked for before it is done when it is; any thread may ask.
pub trait Mark: Send + Sync + 'static {
    /// Whether everything before is done.
    ///
    /// # Errors
    /// What became of the device, if the work failed.
    fn is_done(&self) -> Result<bool>;

    /// Waits until everything before is done.
    ///
    /// # Errors
    /// As [`Mark::is_done`].
    fn wait(&self) -> Result<()>;
}

/// The buffers of a matrix product.
#[derive(Clone, Copy, Debug)]
pub struct Factors {
    /// The left operand.
    pub a: Pointer,
    /// The right operand.
    pub b: Pointer,
    /// A number for each column or row, where the product has them added.
    pub bias: Option<Pointer>,
    /// Where the result goes.
    pub output: Pointer,
}

/// A device as its driver shows it.
pub trait Driver: 'static {
    /// A kernel that is loaded.
    type Function;
    /// A place in the stream.
    type Mark: Mark;
    /// Launches that were recorded.
    type Recording;

    /// What the device is.
    fn properties(&self) -> &Properties;

    /// Memory, aligned to 256 bytes; what it holds is not defined. It may be used by work that is asked for later.
    ///
    /// # Errors
    /// Out of memory, or the loss of the device.
    fn allocate(&self, bytes: u64) -> Result<Pointer>;

    /// Gives memory back once the work asked for so far is done.
    fn free(&self, pointer: Pointer);

    /// Page-locked memory of the host, which copies go through.
    ///
    /// # Errors
    /// Out of memory, or the loss of the device.
    fn pin(&self, bytes: usize) -> Result<*mut u8>;

    /// Gives memory of [`Driver::pin`] back, which no copy may still use.
    ///
    /// # Safety
    /// The address is one that `pin` gave for so many bytes, and is not used any more.
    unsafe fn unpin(&self, address: *mut u8, bytes: usize);

    /// Sets bytes.
    ///
    /// # Errors
    /// The loss of the device.
    fn fill(&self, to: Pointer, byte: u8, bytes: u64) -> Result<()>;

    /// Copies from page-locked memory.
    ///
    /// # Errors
    /// The loss of the device.
    ///
    /// # Safety
    /// Both places have so many bytes, and the source stays as it is until the copy is done.
    unsafe fn upload(&self, to: Pointer, from: *const u8, bytes: usize) -> Result<()>;

    /// Copies to page-locked memory.
    ///
    /// # Errors
    /// The loss of the device.
    ///
    /// # Safety
    /// Both places have so many bytes, and the target is not used until the copy is done.
    unsafe fn download(&self, to: *mut u8, from: Pointer, bytes: usize) -> Result<()>;

    /// Compiles and loads a source, whose entry point is `kernel`. `op` is named in errors.
    ///
    /// # Errors
    /// What the compiler has to say.
    fn compile(&self, op: &str, source: &str) -> Result<Self::Function>;

    /// Launches a kernel.
    ///
    /// # Errors
    /// What the driver refuses; of the emulator, also the mistakes of the kernel.
    ///
    /// # Safety
    /// The arguments are those that the kernel takes, and its accesses stay within their buffers.
    unsafe fn launch(&self, function: &Self::Function, extent: Extent, arguments: &mut Arguments) -> Result<()>;

    /// Whether the library for matrix products takes this one.
    fn multiplies(&self, product: &Product) -> bool;

    /// How many products the library was asked to plan so far.
    fn planned_products(&self) -> u64 {
        0
    }

    /// Multiplies matrices with the library.
    ///
    /// # Errors
    /// What the library refuses.
    ///
    /// # Safety
    /// The buffers have the elements that the product reads and writes.
    unsafe fn multiply(&self, product: &Product, factors: Factors) -> Result<()>;

    /// A mark behind all work asked for so far.
    ///
    /// # Errors
    /// The loss of the device.
    fn mark(&self) -> Result<Self::Mark>;

    /// Microseconds from one mark that is done to another.
    ///
    /// # Errors
    /// The loss of the device.
    fn elapsed(&self, from: &Self::Mark, to: &Self::Mark) -> Result<f64>;

    /// Records the launches and products that `work` asks for, without running them.
    ///
    /// # Errors
    /// What `work` gives, or what the driver cannot record.
    fn record(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<Self::Recording>;

    /// Runs what was recorded, with the same buffers.
    ///
    /// # Errors
    /// As [`Driver::launch`].
    ///
    /// # Safety
    /// The buffers are still there.
    unsafe fn replay(&self, recording: &Self::Recording) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_lie_where_their_addresses_say() {
        let mut arguments = Arguments::default();
        arguments.pointer(Pointer(0x1234_5678_9abc_def0));
        arguments.structure(&[1, 2, 3]);
        arguments.pointer(Pointer(7));
        let at = arguments.addresses();
        assert_eq!(at.len(), 3);
        // SAFETY: they point into the arguments.
        unsafe {
            assert_eq!(at[0].cast::<u64>().read(), 0x1234_5678_9abc_def0);
            assert_eq!([0, 1, 2].map(|word| at[1].cast::<u32>().add(word).read()), [1, 2, 3]);
            assert_eq!(at[2].cast::<u64>().read(), 7);
        }
        assert_eq!(arguments.pointers(), [Pointer(0x1234_5678_9abc_def0), Pointer(7)]);
    }
}
