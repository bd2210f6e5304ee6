//! NVIDIA's driver: streams, stream-ordered memory, modules and graphs, by cudarc's thin layer over
//! the driver API.
//!
//! The libraries are located when a device is opened: the driver, NVRTC, and cuBLASLt if it is
//! installed. No function of a library is called before [`probe`] has located it, in a version that
//! has the function, because a call of a missing function panics.

mod compiler;
mod context;
mod error;
mod library;

use crate::{
    CudaBackend, Settings,
    driver::{Arguments, Driver, Extent, Factors, Pointer, Properties},
    product::Product,
};
use compiler::Compiler;
use context::{Context, Moment};
use cudarc::driver::{
    result::{self, stream::StreamKind},
    sys,
};
use error::to_result;
use lanthorn_ir::{Error, Result};
use library::Library;
use std::{
    ffi::{c_int, c_void},
    sync::Arc,
};

/// The oldest CUDA version of a driver that has all required functions.
const MIN_VERSION: (u32, u32) = (12, 0);

/// The oldest version with `cuEventElapsedTime_v2`, which measures the time between two events.
const MIN_VERSION_FOR_TIMES: (u32, u32) = (12, 8);

/// Whether a device can be opened.
pub fn is_available() -> bool {
    device_count().is_ok_and(|count| count > 0)
}

/// The number of devices.
///
/// # Errors
/// A device error that names the missing component.
pub fn device_count() -> Result<usize> {
    probe()?;
    let count = to_result("cuda", result::device::get_count())?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// The properties of a device, without opening it.
///
/// # Errors
/// A device error that names the missing component.
pub fn properties(ordinal: usize) -> Result<Properties> {
    device(ordinal).and_then(|device| describe(ordinal, device))
}

/// Opens a device.
///
/// # Errors
/// A device error that names the missing component: the driver, NVRTC, a version, the device.
pub fn open(ordinal: usize, settings: Settings) -> Result<CudaBackend<Nvidia>> {
    Ok(CudaBackend::new(Nvidia::open(ordinal)?, settings))
}

/// Locates the driver and the compiler, and returns the version of the driver.
fn probe() -> Result<(u32, u32)> {
    let missing = |what: String| Err(Error::device("cuda", what));
    // SAFETY: this locates a library. The driver is responsible for its initialization.
    if !unsafe { sys::is_culib_present() } {
        return missing("the NVIDIA driver is not installed: there is no libcuda.so.1 (nvcuda.dll)".to_string());
    }
    let mut version: c_int = 0;
    // SAFETY: every driver has the function, which may be called before all others.
    to_result("cuda", unsafe { sys::cuDriverGetVersion(&mut version) }.result())?;
    let version = (version as u32 / 1000, version as u32 % 1000 / 10);
    if version < MIN_VERSION {
        let ((major, minor), (wanted, minor_wanted)) = (version, MIN_VERSION);
        let needed = format!(
            "the NVIDIA driver supports CUDA {major}.{minor}, and {wanted}.{minor_wanted} is needed: update the driver"
        );
        return missing(needed);
    }
    to_result("cuda", result::init())?;
    compiler::probe()?;
    Ok(version)
}

/// A device by its number.
fn device(ordinal: usize) -> Result<sys::CUdevice> {
    let count = device_count()?;
    if ordinal >= count {
        return Err(Error::device("cuda", format!("there is no device {ordinal}; there are {count}")));
    }
    to_result("cuda", result::device::get(ordinal as c_int))
}

fn describe(ordinal: usize, device: sys::CUdevice) -> Result<Properties> {
    use sys::CUdevice_attribute as Attribute;
    // SAFETY: the driver returned the device.
    let attribute =
        |which| to_result("cuda", unsafe { result::device::get_attribute(device, which) }).map(|value| value as u32);
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    Ok(Properties {
        kind: "cuda",
        ordinal,
        name: to_result("cuda", result::device::get_name(device))?,
        compute_capability: (major, minor),
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        // SAFETY: as above.
        memory_bytes: to_result("cuda", unsafe { result::device::total_mem(device) })? as u64,
        max_threads: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        max_grid: [
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        driver_version: probe()?,
        compiler_version: compiler::version()?,
        has_library: library::is_present(),
    })
}

/// An NVIDIA device with one stream.
pub struct Nvidia {
    properties: Properties,
    compiler: Compiler,
    library: Option<Library>,
    /// Whether memory is allocated in stream order. An old device waits instead.
    has_pool: bool,
    stream: sys::CUstream,
    context: Arc<Context>,
}

/// A loaded kernel.
pub struct Function {
    module: sys::CUmodule,
    function: sys::CUfunction,
    context: Arc<Context>,
}

impl Drop for Function {
    fn drop(&mut self) {
        // SAFETY: the module was loaded, and its launches are done, because kernels live as long as
        // the backend, which waits.
        let _ = self.context.enter().and_then(|()| to_result("unload", unsafe { result::module::unload(self.module) }));
    }
}

/// A graph that can be launched.
pub struct Recording {
    graph: sys::CUgraphExec,
    context: Arc<Context>,
}

impl Drop for Recording {
    fn drop(&mut self) {
        // SAFETY: it was instantiated. A launch in flight continues to its end.
        let _ =
            self.context.enter().and_then(|()| to_result("graph", unsafe { result::graph::exec_destroy(self.graph) }));
    }
}

impl Nvidia {
    fn open(ordinal: usize) -> Result<Nvidia> {
        let device = device(ordinal)?;
        let properties = describe(ordinal, device)?;
        let context = Context::of(device)?;
        context.enter()?;
        let has_pool = keep_memory(device)?;
        let stream = to_result("cuda", result::stream::create(StreamKind::NonBlocking))?;
        let compiler = Compiler::new(&properties)?;
        // Without the library, generated kernels multiply.
        let library = properties.has_library.then(|| Library::open(stream).ok()).flatten();
        let properties = Properties { has_library: library.is_some(), ..properties };
        Ok(Nvidia { properties, compiler, library, has_pool, stream, context })
    }
}

/// Makes the device's pool keep freed memory, because the core allocates the same sizes again.
/// Returns `false` if the device has no pool.
fn keep_memory(device: sys::CUdevice) -> Result<bool> {
    use sys::{
        CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
        CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
    };
    let mut kept: u64 = 1 << 30;
    // SAFETY: the driver returned the device, the pool belongs to it, and the threshold has 64
    // bits.
    unsafe {
        if to_result("cuda", result::device::get_attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED))? == 0 {
            return Ok(false);
        }
        let pool = to_result("cuda", result::device::get_default_mem_pool(device))?;
        let threshold = (&raw mut kept).cast::<c_void>();
        to_result("cuda", result::mem_pool::set_attribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, threshold))?;
    }
    Ok(true)
}

impl Drop for Nvidia {
    fn drop(&mut self) {
        if self.context.enter().is_ok() {
            self.library.take();
            // SAFETY: the backend has waited, and nothing else uses the stream.
            unsafe {
                let _ = result::stream::synchronize(self.stream);
                let _ = result::stream::destroy(self.stream);
            }
        }
    }
}

impl Driver for Nvidia {
    type Function = Function;
    type Mark = Moment;
    type Recording = Recording;

    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: u64) -> Result<Pointer> {
        self.context.enter()?;
        // SAFETY: the stream exists.
        let made = unsafe {
            if self.has_pool {
                result::malloc_async(self.stream, bytes as usize)
            } else {
                result::malloc_sync(bytes as usize)
            }
        };
        let made = to_result("allocate", made);
        made.map(Pointer).map_err(|error| {
            if error.is_out_of_memory() {
                Error::out_of_memory("allocate", format!("the device has no room for {bytes} bytes"))
            } else {
                error
            }
        })
    }

    fn free(&self, pointer: Pointer) {
        if self.context.enter().is_ok() {
            // SAFETY: `allocate` returned it. Losing a device frees its memory.
            let _ = unsafe {
                if self.has_pool { result::free_async(pointer.0, self.stream) } else { result::free_sync(pointer.0) }
            };
        }
    }

    fn pin(&self, bytes: usize) -> Result<*mut u8> {
        self.context.enter()?;
        // SAFETY: no contents are expected.
        to_result("pin", unsafe { result::malloc_host(bytes, 0) }).map(|address| address.cast())
    }

    unsafe fn unpin(&self, address: *mut u8, _bytes: usize) {
        // SAFETY: the caller guarantees the conditions.
        let _ = self.context.enter().and_then(|()| to_result("unpin", unsafe { result::free_host(address.cast()) }));
    }

    fn fill(&self, to: Pointer, byte: u8, bytes: u64) -> Result<()> {
        self.context.enter()?;
        // SAFETY: the range is inside one of the backend's buffers.
        to_result("fill", unsafe { result::memset_d8_async(to.0, byte, bytes as usize, self.stream) })
    }

    unsafe fn upload(&self, to: Pointer, from: *const u8, bytes: usize) -> Result<()> {
        self.context.enter()?;
        // SAFETY: the caller guarantees source and target.
        to_result("upload", unsafe { sys::cuMemcpyHtoDAsync_v2(to.0, from.cast(), bytes, self.stream) }.result())
    }

    unsafe fn download(&self, to: *mut u8, from: Pointer, bytes: usize) -> Result<()> {
        self.context.enter()?;
        // SAFETY: the caller guarantees source and target.
        to_result("read", unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), from.0, bytes, self.stream) }.result())
    }

    fn compile(&self, op: &str, source: &str) -> Result<Function> {
        let image = self.compiler.compile(op, source)?;
        self.context.enter()?;
        // SAFETY: the compiler returned the image: a cubin, or PTX with a trailing 0.
        let module = to_result(op, unsafe { result::module::load_data(image.as_ptr().cast()) })?;
        // SAFETY: the module is loaded.
        let function = to_result(op, unsafe { result::module::get_function(module, c"kernel".to_owned()) });
        let loaded = |function| Function { module, function, context: self.context.clone() };
        // Dropping `Function` unloads the module, so one without the entry point has a null
        // function.
        match function {
            Ok(function) => Ok(loaded(function)),
            Err(error) => {
                drop(loaded(std::ptr::null_mut()));
                Err(error)
            }
        }
    }

    unsafe fn launch(&self, function: &Function, extent: Extent, arguments: &mut Arguments) -> Result<()> {
        self.context.enter()?;
        let ([x, y, z], [a, b, c]) = (extent.grid, extent.block);
        let mut addresses = arguments.addresses();
        // SAFETY: the caller guarantees the arguments, which are copied before the call returns.
        let launched =
            unsafe { result::launch_kernel(function.function, (x, y, z), (a, b, c), 0, self.stream, &mut addresses) };
        to_result("launch", launched)
    }

    fn planned_products(&self) -> u64 {
        self.library.as_ref().map_or(0, Library::planned_products)
    }

    fn multiplies(&self, product: &Product) -> bool {
        let known = |library: &Library| library.multiplies(product);
        self.context.enter().is_ok() && self.library.as_ref().is_some_and(known)
    }

    unsafe fn multiply(&self, product: &Product, factors: Factors) -> Result<()> {
        self.context.enter()?;
        let library = self.library.as_ref().ok_or_else(|| Error::kernel("multiply", "cuBLASLt is not there"))?;
        // SAFETY: the caller guarantees the buffers.
        unsafe { library.multiply(product, factors) }
    }

    fn mark(&self) -> Result<Moment> {
        self.context.enter()?;
        Moment::behind(self.stream, &self.context)
    }

    fn elapsed(&self, from: &Moment, to: &Moment) -> Result<f64> {
        let ((major, minor), (wanted, minor_wanted)) = (self.properties.driver_version, MIN_VERSION_FOR_TIMES);
        if (major, minor) < (wanted, minor_wanted) {
            let needed = format!(
                "the NVIDIA driver supports CUDA {major}.{minor}, and times need {wanted}.{minor_wanted}: update the driver"
            );
            return Err(Error::device("cuda", needed));
        }
        self.context.enter()?;
        Moment::elapsed(from, to)
    }

    fn record(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<Recording> {
        self.context.enter()?;
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream exists, and so does the graph until it is destroyed. A capture that
        // has started is ended whatever the work returns.
        unsafe {
            to_result("graph", result::stream::begin_capture(self.stream, mode))?;
            let outcome = work();
            let graph = to_result("graph", result::stream::end_capture(self.stream));
            outcome?;
            let graph = graph?;
            let made = sys::CUgraphInstantiate_flags(0);
            let made = to_result("graph", result::graph::instantiate(graph, made));
            let _ = result::graph::destroy(graph);
            Ok(Recording { graph: made?, context: self.context.clone() })
        }
    }

    unsafe fn replay(&self, recording: &Recording) -> Result<()> {
        self.context.enter()?;
        // SAFETY: the graph was instantiated. The caller guarantees its buffers.
        to_result("graph", unsafe { result::graph::launch(recording.graph, self.stream) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If there is a device, it can be opened. Otherwise the error names the missing component.
    #[test]
    fn a_device_opens_or_says_what_is_missing() {
        match open(0, Settings::default()) {
            Ok(device) => assert!(is_available() && device.properties().memory_bytes > 0),
            Err(error) => {
                assert!(error.is_device(), "{error}");
                let known = ["the NVIDIA driver", "NVRTC", "no device", "CUDA_ERROR"];
                assert!(known.iter().any(|part| error.message().contains(part)), "{error}");
                assert!(!is_available() && properties(0).is_err());
            }
        }
        assert!(open(4096, Settings::default()).err().unwrap().is_device());
    }
}
