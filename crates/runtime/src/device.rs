//! A device: the handle that tensors hold, with the executor of its backend.

use crate::{
    executor::{Executor, ReadRange},
    generator::Generator,
    inspect::Inspector,
    memory::DeviceMemory,
    param::Param,
    recorder::KernelKey,
    recording::{Recorded, Recording},
    tune::DeviceTuner,
    upload::Upload,
    value::{State, Value},
};
use lanthorn_ir::{
    Backend, DType, Error, Kernel, Result,
    backend::{Capabilities, LocalFuture},
    expr::Constant,
};
use rustc_hash::FxHashSet;
use std::{
    any::Any,
    cell::RefCell,
    fmt,
    rc::{Rc, Weak},
};

/// A device that holds tensors and runs their operations. Cloning shares it.
///
/// Kernels are recorded and run at a flush; see [`Device::synchronize`]. The crate `lanthorn` has a
/// constructor for each backend. The first device of a thread is its default while it lives, as
/// after `torch.set_default_device`.
///
/// ```
/// # mod lanthorn {
/// #     pub use lanthorn_tensor::*;
/// #     pub fn cpu() -> Device { Device::new(lanthorn_cpu::CpuBackend::new()) }
/// # }
/// use lanthorn::Tensor;
/// let device = lanthorn::cpu();
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// assert_eq!(x.device().name(), "cpu");
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Device(Rc<Inner>);

struct Inner {
    executor: Executor,
    generator: Generator,
}

thread_local! {
    /// Weak, because native drivers use thread-locals too, so the end of a thread must not drop a
    /// device.
    static DEFAULT: RefCell<Weak<Inner>> = const { RefCell::new(Weak::new()) };
}

impl Device {
    /// Creates a device on a backend.
    pub fn new(backend: impl Backend + 'static) -> Device {
        let device = Device(Rc::new(Inner { executor: Executor::new(Rc::new(backend)), generator: Generator::new(0) }));
        if Device::default_device().is_err() {
            device.set_default();
        }
        device
    }

    /// The device that creation functions use by default.
    ///
    /// # Errors
    ///
    /// `device` if no device was created on this thread, or the first one was dropped.
    pub fn default_device() -> Result<Device> {
        let device = DEFAULT.with_borrow(Weak::upgrade).map(Device);
        device.ok_or_else(|| {
            Error::device(
                "device",
                "there is no device: make one and keep it, for example `let device = lanthorn::cpu();`",
            )
        })
    }

    /// Makes this device the default of creation functions.
    pub fn set_default(&self) {
        DEFAULT.set(Rc::downgrade(&self.0));
    }

    /// Runs a function whose random operations draw from `generator`, as with the argument
    /// `generator` of PyTorch's functions. The generator of the device is as before afterwards.
    ///
    /// ```
    /// use lanthorn_tensor::{Device, Generator, Tensor};
    /// let device = Device::new(lanthorn_cpu::CpuBackend::new());
    /// let generator = Generator::new(2024);
    /// let first = device.with_generator(&generator, || Tensor::rand([3]))?;
    /// generator.manual_seed(2024);
    /// let again = device.with_generator(&generator, || Tensor::rand([3]))?;
    /// assert!(pollster::block_on(first.equal(&again))?);
    /// assert_eq!(device.generator().state(), (0, 0));
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn with_generator<T>(&self, generator: &Generator, f: impl FnOnce() -> T) -> T {
        struct Restore<'a> {
            own: &'a Generator,
            state: (u64, u32),
            lent: &'a Generator,
        }
        impl Drop for Restore<'_> {
            fn drop(&mut self) {
                self.lent.set_state(self.own.state());
                self.own.set_state(self.state);
            }
        }
        let own = self.generator();
        let _restore = Restore { own, state: own.state(), lent: generator };
        own.set_state(generator.state());
        f()
    }

    /// Runs a function with this device as the default of creation functions, as
    /// `with torch.device(device)`.
    ///
    /// ```
    /// # mod lanthorn {
    /// #     pub use lanthorn_tensor::*;
    /// #     pub fn cpu() -> Device { Device::new(lanthorn_cpu::CpuBackend::new()) }
    /// # }
    /// use lanthorn::{Device, Tensor};
    /// let first = lanthorn::cpu();
    /// let second = lanthorn::cpu();
    /// let x = second.as_default(|| Tensor::zeros([2]))?;
    /// assert!(*x.device() == second && Device::default_device()? == first);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn as_default<T>(&self, run: impl FnOnce() -> T) -> T {
        /// Restores the default at the end of the function, also of one that panics.
        struct Restore(Weak<Inner>);
        impl Drop for Restore {
            fn drop(&mut self) {
                DEFAULT.set(std::mem::take(&mut self.0));
            }
        }
        let _restore = Restore(DEFAULT.replace(Rc::downgrade(&self.0)));
        run()
    }

    /// Reports about planning and execution, and the switches of the planner.
    pub fn inspect(&self) -> Inspector<'_> {
        Inspector(self)
    }

    /// The device's memory: limits, and memory that other threads and processes write.
    pub fn memory(&self) -> DeviceMemory<'_> {
        DeviceMemory(self)
    }

    /// The choice of kernel variants by measurement.
    pub fn tuner(&self) -> DeviceTuner<'_> {
        DeviceTuner(self)
    }

    /// The name of the backend: `cpu`, `wgpu`.
    pub fn name(&self) -> &'static str {
        self.capabilities().name
    }

    /// The limits, element types and preferences of the device.
    pub fn capabilities(&self) -> &Capabilities {
        self.0.executor.backend().capabilities()
    }

    /// The generator that random ops use by default.
    pub fn generator(&self) -> &Generator {
        &self.0.generator
    }

    /// Sets the seed of the default generator, as `torch.manual_seed`.
    pub fn manual_seed(&self, seed: u64) {
        self.0.generator.manual_seed(seed);
    }

    pub(crate) fn executor(&self) -> &Executor {
        &self.0.executor
    }

    /// Runs the recorded kernels, without waiting for them.
    pub fn flush(&self) {
        self.0.executor.flush();
    }

    /// Runs the recorded kernels and waits until they are done.
    ///
    /// # Errors
    ///
    /// `device_lost`, and the error of a kernel that failed.
    pub async fn synchronize(&self) -> Result<()> {
        self.0.executor.synchronize().await
    }

    /// The reason of the device's loss, if it is lost.
    pub fn lost(&self) -> Option<Error> {
        self.0.executor.backend().lost()
    }

    /// Checks that the device supports tensors of this dtype.
    ///
    /// # Errors
    ///
    /// `dtype`, which names `op`, if it does not.
    pub fn require_dtype(&self, op: &str, dtype: DType) -> Result<()> {
        if self.capabilities().dtypes.contains(&dtype) {
            return Ok(());
        }
        Err(Error::dtype(
            op,
            format!("{dtype} is not supported on the device {}; use float32, or the CPU", self.name()),
        ))
    }

    /// Copies host data to the device: `elements` elements in host format. A bool is one byte.
    ///
    /// # Errors
    ///
    /// They name `op`: `dtype` if the device does not support the dtype, `device_lost`, and
    /// `out_of_memory`.
    pub fn upload(&self, op: &'static str, dtype: DType, elements: usize, bytes: &[u8]) -> Result<Value> {
        let mut upload = self.begin_upload(op, dtype, elements)?;
        upload.push(bytes)?;
        upload.finish()
    }

    /// As [`Device::upload`], for bytes that arrive in pieces.
    ///
    /// # Errors
    ///
    /// As [`Device::upload`].
    pub fn begin_upload(&self, op: &'static str, dtype: DType, elements: usize) -> Result<Upload> {
        self.require_dtype(op, dtype)?;
        Upload::new(self, op, dtype, elements)
    }

    /// The device as an object of its API:
    /// [`Interop::native_device`](lanthorn_ir::backend::Interop::native_device).
    pub fn native(&self) -> Option<Box<dyn Any>> {
        self.0.executor.backend().interop()?.native_device()
    }

    /// Copies `elements` elements from a buffer of the device's API, from byte `offset` on: see
    /// [`Interop::import`](lanthorn_ir::backend::Interop::import).
    ///
    /// # Errors
    ///
    /// They name `op`: `dtype` if the device does not support the dtype, `device` if its buffers
    /// cannot be shared, and `argument` for a buffer that cannot be copied from or is too small.
    pub fn import(&self, op: &str, dtype: DType, elements: usize, source: &dyn Any, offset: u64) -> Result<Value> {
        self.require_dtype(op, dtype)?;
        self.0.executor.import(op, dtype, elements, source, offset)
    }

    /// Shares the buffer of a value with the program, once the work that computes it is in the
    /// device's queue: see [`Interop::share`](lanthorn_ir::backend::Interop::share). Resolves to
    /// the error of that work, if it is known to have failed.
    pub fn share(&self, op: &'static str, range: ReadRange) -> LocalFuture<Result<SharedBuffer>> {
        let shared = self.0.executor.share(op, &range.value);
        let device = self.clone();
        Box::pin(async move {
            let native = shared.await.map_err(|error| error.in_op(op));
            device.0.executor.apply_failures();
            if let State::Failed(error) = range.value.state() {
                return Err(error);
            }
            let size = range.value.dtype().size() as u64;
            let (offset, bytes) = (range.offset as u64 * size, range.elements as u64 * size);
            Ok(SharedBuffer { native: native?, offset, bytes, _value: range.value })
        })
    }

    /// Records a kernel and returns the values that it will compute, in the order of its outputs.
    ///
    /// `inputs` are the kernel's buffers in its order, and `params` the values of its parameter
    /// slots. `base` is the initial value for a kernel that updates its output; with `None` the
    /// rest of the output is undefined. The call itself does not fail: reads of the values return
    /// the kernel's errors.
    pub fn record(
        &self,
        op: &'static str,
        kernel: Kernel,
        base: Option<Value>,
        inputs: Vec<Value>,
        params: Vec<Param>,
    ) -> Vec<Value> {
        self.0.executor.record(op, kernel, base, inputs, params)
    }

    /// Starts a [`Recording`] of the following kernels. Flushes wait for its end. Returns `false`
    /// and does nothing during another recording, an explanation, a profile or a tuning.
    pub fn start_recording(&self) -> bool {
        self.0.executor.start_recording(self.0.generator.count_seedings())
    }

    /// Ends the recording and runs its kernels. Values without a handle at this time are not
    /// stored. Kernels that read only values with the keys `constants` run once: a replay has their
    /// results as inputs, which are among the [uploads](Recorded::uploads).
    ///
    /// # Errors
    /// The reason why it cannot be replayed, such as a read during the recording.
    pub fn finish_recording(&self, constants: &FxHashSet<usize>) -> std::result::Result<Recorded, String> {
        self.0.executor.finish_recording(self.0.generator.count_seedings(), true, constants)
    }

    /// [`Device::finish_recording`] that plans the kernels and does not run them. The values that
    /// they compute never become available.
    ///
    /// # Errors
    ///
    /// As [`Device::finish_recording`].
    pub fn plan_recording(&self) -> std::result::Result<Recorded, String> {
        self.0.executor.finish_recording(self.0.generator.count_seedings(), false, &FxHashSet::default())
    }

    /// Makes the current recording, if there is one, fail with this reason.
    pub fn break_recording(&self, reason: impl FnOnce() -> String) {
        self.0.executor.break_recording_with(reason);
    }

    /// Returns the number of times that the host waited for recorded kernels, as a read does. A
    /// recording during which the number grows cannot be replayed.
    pub fn reads(&self) -> u64 {
        self.0.executor.reads()
    }

    /// Whether a recording can be replayed now: its kernels would be compiled in the same way, and
    /// nothing observes the device.
    pub fn can_replay(&self, recording: &Recording) -> bool {
        self.0.executor.can_replay(recording)
    }

    /// Runs everything recorded earlier, and returns whether the recording can run on `inputs` (in
    /// the order of [`Recorded::inputs`]). Each input must have a buffer. If a result would reuse
    /// an input's buffer, only one storage and the caller may hold the input.
    pub fn can_bind(&self, recording: &Recording, inputs: &[Value]) -> bool {
        self.0.executor.can_bind(recording, inputs)
    }

    /// Runs a recording's kernels on inputs that it [can bind](Device::can_bind), with `params` in
    /// the order of [`Recording::params`]. Returns values in the order of [`Recorded::outputs`].
    pub fn replay(&self, recording: &Recording, inputs: &[Value], params: &[Constant]) -> Vec<Value> {
        self.0.executor.replay(recording, inputs, params)
    }

    /// [`Device::record`] of a kernel that the caller identifies by a key. `make` is called only if
    /// the device has not seen the key. The caller ensures that equal keys mean equal kernels, as
    /// long as the device exists.
    ///
    /// # Errors
    ///
    /// The error of `make`.
    pub fn record_known(
        &self,
        op: &'static str,
        key: &KernelKey,
        make: impl FnOnce() -> Result<Kernel>,
        inputs: Vec<Value>,
        params: Vec<Param>,
    ) -> Result<Vec<Value>> {
        self.0.executor.record_known(op, key, make, inputs, params)
    }

    /// Copies a range of a value to the host, in host format, after everything recorded before.
    ///
    /// The call submits the kernels, and the future waits for the copy. It resolves to the error of
    /// the kernel that the value depends on, if one failed.
    pub fn read(&self, range: ReadRange) -> LocalFuture<Result<Vec<u8>>> {
        let (read, submission) = self.0.executor.read(&range);
        let device = self.clone();
        Box::pin(async move {
            let bytes = match read {
                Some(read) => read.await,
                None => Ok(Vec::new()),
            };
            device.0.executor.resolve(submission);
            match range.value.state() {
                State::Failed(error) => Err(error),
                _ => bytes,
            }
        })
    }
}

/// A buffer of a value, shared with the program. While it exists its elements do not change, even
/// if the tensor is written to. The program must not write to it.
pub struct SharedBuffer {
    /// The buffer as an object of the device's API: see [`Interop::share`].
    pub native: Box<dyn Any>,
    /// The offset of the elements in bytes.
    pub offset: u64,
    /// The size of the elements in bytes.
    pub bytes: u64,
    _value: Value,
}

impl fmt::Debug for SharedBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBuffer({} bytes from {})", self.bytes, self.offset)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.name())
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}
