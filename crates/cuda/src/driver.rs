//! The operations that the backend needs of a driver: memory, copies, modules, launches, marks in
//! the stream, and recordings of launches.
//!
//! There are two drivers, NVIDIA's and the emulator, and the code above them is the same for both.
//! A device has one stream. Its work runs in the order of the calls, and is done when a later mark
//! is done. Rejected: several streams. Kernels of a few microseconds would seldom overlap, and each
//! buffer would need an owning stream.

use crate::product::Product;
use lanthorn_ir::Result;
use std::ffi::c_void;

/// An address in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer(pub u64);

impl Pointer {
    /// The address `bytes` bytes after this one.
    #[must_use]
    pub fn after(self, bytes: u64) -> Pointer {
        Pointer(self.0 + bytes)
    }
}

/// The properties of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// The name that selects the kind of device: `cuda`, `cuda-host`.
    pub kind: &'static str,
    /// The device's number among its kind.
    pub ordinal: usize,
    /// The manufacturer's name of the device.
    pub name: String,
    /// The compute capability, major and minor version.
    pub compute_capability: (u32, u32),
    /// Multiprocessors, each of which runs several blocks at a time.
    pub multiprocessors: u32,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Maximum number of threads of a block.
    pub max_threads: u32,
    /// Maximum number of blocks of a grid, for each dimension.
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
    /// Each argument starts at a multiple of eight bytes.
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

    /// The arguments as bytes in memory.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }

    /// The address of each argument, in the form that a launch takes.
    pub fn addresses(&mut self) -> Vec<*mut c_void> {
        let words = self.words.as_mut_ptr();
        // SAFETY: every start is an index of `words`.
        self.starts.iter().map(|&start| unsafe { words.add(start) }.cast()).collect()
    }
}

/// A mark in the stream. It is done when all earlier work is done. Any thread may query it.
pub trait Mark: Send + Sync + 'static {
    /// Whether all earlier work is done.
    ///
    /// # Errors
    /// The loss of the device, if the work failed.
    fn is_done(&self) -> Result<bool>;

    /// Waits until all earlier work is done.
    ///
    /// # Errors
    /// The errors of [`Mark::is_done`].
    fn wait(&self) -> Result<()>;
}

/// The buffers of a matrix product.
#[derive(Clone, Copy, Debug)]
pub struct Factors {
    /// The left operand.
    pub a: Pointer,
    /// The right operand.
    pub b: Pointer,
    /// A number for each column or row, if the product adds a bias.
    pub bias: Option<Pointer>,
    /// The result.
    pub output: Pointer,
}

/// A device, through its driver.
pub trait Driver: 'static {
    /// A loaded kernel.
    type Function;
    /// A mark in the stream.
    type Mark: Mark;
    /// Recorded launches.
    type Recording;

    /// The properties of the device.
    fn properties(&self) -> &Properties;

    /// Allocates memory, aligned to 256 bytes, with undefined contents. Later work may use it.
    ///
    /// # Errors
    /// Out of memory, or the loss of the device.
    fn allocate(&self, bytes: u64) -> Result<Pointer>;

    /// Frees memory after all earlier work is done.
    fn free(&self, pointer: Pointer);

    /// Allocates page-locked memory of the host, for copies.
    ///
    /// # Errors
    /// Out of memory, or the loss of the device.
    fn pin(&self, bytes: usize) -> Result<*mut u8>;

    /// Frees memory of [`Driver::pin`], which no copy may still use.
    ///
    /// # Safety
    /// `pin` returned the address for `bytes` bytes, and it is not used after this call.
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
    /// Source and target have `bytes` bytes, and the source does not change until the copy is done.
    unsafe fn upload(&self, to: Pointer, from: *const u8, bytes: usize) -> Result<()>;

    /// Copies to page-locked memory.
    ///
    /// # Errors
    /// The loss of the device.
    ///
    /// # Safety
    /// Source and target have `bytes` bytes, and the target is not used until the copy is done.
    unsafe fn download(&self, to: *mut u8, from: Pointer, bytes: usize) -> Result<()>;

    /// Compiles and loads a source, whose entry point is `kernel`. Errors name `op`.
    ///
    /// # Errors
    /// The compiler's messages.
    fn compile(&self, op: &str, source: &str) -> Result<Self::Function>;

    /// Launches a kernel.
    ///
    /// # Errors
    /// The driver's errors. The emulator also reports errors of the kernel.
    ///
    /// # Safety
    /// The arguments have the types of the kernel's parameters, and its accesses stay within their
    /// buffers.
    unsafe fn launch(&self, function: &Self::Function, extent: Extent, arguments: &mut Arguments) -> Result<()>;

    /// Whether the library for matrix products supports this product.
    fn multiplies(&self, product: &Product) -> bool;

    /// The number of products that the library has planned.
    fn planned_products(&self) -> u64 {
        0
    }

    /// Multiplies matrices with the library.
    ///
    /// # Errors
    /// The library's errors.
    ///
    /// # Safety
    /// The buffers contain all elements that the product reads and writes.
    unsafe fn multiply(&self, product: &Product, factors: Factors) -> Result<()>;

    /// Adds a mark after all earlier work.
    ///
    /// # Errors
    /// The loss of the device.
    fn mark(&self) -> Result<Self::Mark>;

    /// Microseconds between two marks, both of which are done.
    ///
    /// # Errors
    /// The loss of the device.
    fn elapsed(&self, from: &Self::Mark, to: &Self::Mark) -> Result<f64>;

    /// Records the launches and products of `work`, without running them.
    ///
    /// # Errors
    /// The error of `work`, or an operation that the driver cannot record.
    fn record(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<Self::Recording>;

    /// Runs a recording, with the same buffers.
    ///
    /// # Errors
    /// The errors of [`Driver::launch`].
    ///
    /// # Safety
    /// The buffers still exist.
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
