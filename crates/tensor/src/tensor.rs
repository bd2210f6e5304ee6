//! The tensor: a strided view of a storage, with its node in the autograd graph.

use crate::{
    Device, Error, Result, TensorUpload, autograd,
    autograd::{Edge, Meta},
    batch::Data,
    compile::capture,
    ops::{self, dispatch},
    samples::from_bytes,
    scalar::Ints,
    storage::Storage,
};
use lanthorn_ir::{DType, Element, Layout, Shape};
use lanthorn_runtime::{ReadRange, SharedBuffer};
use std::{any::Any, cell::RefCell, future::Future, rc::Rc};

/// An n-dimensional array on a [`Device`], with PyTorch's semantics. Cloning a handle shares the
/// tensor.
///
/// The element type, the shape and the device are known at run time. An op checks its arguments and
/// returns at once; its work is recorded, and runs when a result is read ([`Tensor::to_vec`]) or
/// the device is flushed. Work that fails at run time fails the reads of the tensors that depend on
/// it.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &device)?.requires_grad_(true)?;
/// let y = x.square()?.sum((), false)?;
/// y.backward()?;
/// assert_eq!(pollster::block_on(x.grad().unwrap().to_vec::<f32>())?, [2.0, 4.0, 6.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Tensor(pub(crate) Rc<Inner>);

impl Clone for Tensor {
    // Out of line, because its check of the count would be inlined hundreds of times.
    #[inline(never)]
    fn clone(&self) -> Tensor {
        Tensor(self.0.clone())
    }
}

pub(crate) struct Inner {
    pub storage: Rc<Storage>,
    pub layout: Layout,
    /// The tensor that this one is a differentiable view of; it covers its storage.
    pub base: Option<Tensor>,
    pub meta: RefCell<Meta>,
}

impl Tensor {
    pub(crate) fn build(storage: Rc<Storage>, layout: Layout, base: Option<Tensor>) -> Tensor {
        let meta = Meta { node_version: storage.version(), ..Meta::default() };
        Tensor(Rc::new(Inner { storage, layout, base, meta: RefCell::new(meta) }))
    }

    /// A tensor with a new storage for a value.
    pub(crate) fn from_value(device: &Device, value: impl Into<Data>, shape: Shape) -> Tensor {
        let data = value.into();
        debug_assert_eq!(data.elements(), shape.elements());
        Tensor::build(Rc::new(Storage::new(device.clone(), data)), Layout::contiguous(shape), None)
    }

    /// A tensor from host data in row-major order.
    ///
    /// # Errors
    ///
    /// `shape` if `shape` does not have as many elements as `data`, or is too large; `dtype` if the
    /// device does not have the type; `out_of_memory` if there is no room.
    pub fn from_slice<T: Element>(data: &[T], shape: impl Into<Ints>, device: &Device) -> Result<Tensor> {
        Tensor::from_bytes(T::DTYPE, bytemuck::cast_slice(data), shape, device)
    }

    /// A tensor from host data in row-major order, as little-endian bytes; bool has one byte for
    /// each element.
    ///
    /// # Errors
    ///
    /// As [`Tensor::from_slice`].
    pub fn from_bytes(dtype: DType, bytes: &[u8], shape: impl Into<Ints>, device: &Device) -> Result<Tensor> {
        let shape = Shape::new("tensor", &shape.into())?;
        if shape.elements() * dtype.size() != bytes.len() {
            let given = bytes.len() / dtype.size();
            let wanted = shape.elements();
            return Err(Error::shape("tensor", format!("shape {shape} takes {wanted} elements, {given} were given")));
        }
        let mut upload = TensorUpload::of_shape(dtype, shape, device)?;
        upload.push(bytes)?;
        upload.finish()
    }

    /// A copy of `shape` elements of a buffer of the device's own API, beginning at the byte
    /// `offset`: on WebGPU of a `wgpu::Buffer`, in a page of a `JsValue` with a `GPUBuffer`. The
    /// copy stays on the device, after the work that is in its queue by now.
    ///
    /// # Errors
    ///
    /// `device` where no buffers are shared; `argument` for a buffer without the usage `COPY_SRC`,
    /// one that is too small, or an offset that is no multiple of 4; `dtype` for bool, whose bytes
    /// must be 0 and 1, and where the device does not have the type.
    pub fn from_buffer(
        dtype: DType,
        buffer: &dyn Any,
        offset: u64,
        shape: impl Into<Ints>,
        device: &Device,
    ) -> Result<Tensor> {
        const OP: &str = "from_buffer";
        let shape = Shape::new(OP, &shape.into())?;
        if dtype == DType::Bool {
            return Err(Error::dtype(OP, "bool has bytes of 0 and 1 only; take uint8, and compare it with 0"));
        }
        let value = device.import(OP, dtype, shape.elements(), buffer, offset)?;
        Ok(Tensor::from_value(device, value, shape))
    }

    /// The buffer with the elements in row-major order: on WebGPU a `wgpu::Buffer`, in a page a
    /// `JsValue` with the `GPUBuffer`. There is no copy if the elements are contiguous and begin at
    /// a multiple of 256 bytes, at which every device can bind them.
    ///
    /// It resolves when the work that computes them is in the device's queue, so that commands
    /// which the program submits then see them. Until the result is dropped the elements stay as
    /// they are, whatever is written to the tensor.
    ///
    /// # Errors
    ///
    /// `device` where no buffers are shared; the error of the work that computes the tensor.
    pub fn share_buffer(&self) -> impl Future<Output = Result<SharedBuffer>> + use<> {
        /// WebGPU's default `minStorageBufferOffsetAlignment`.
        const ALIGNMENT: usize = 256;
        let is_bindable = (self.layout().offset() * self.dtype().size()).is_multiple_of(ALIGNMENT);
        let range = match is_bindable {
            true => self.read_range(),
            false => self.covering_range(),
        };
        let shared = range.map(|range| self.device().share("share_buffer", range));
        async move { shared?.await }
    }

    /// A 0-d tensor with the given value.
    ///
    /// # Errors
    ///
    /// As [`Tensor::from_slice`].
    pub fn scalar<T: Element>(value: T, device: &Device) -> Result<Tensor> {
        Tensor::from_slice(&[value], [], device)
    }

    /// The size of each dimension.
    pub fn shape(&self) -> &Shape {
        self.0.layout.shape()
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }

    /// The number of elements.
    pub fn numel(&self) -> usize {
        self.shape().elements()
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.0.storage.dtype
    }

    /// The device that holds the tensor.
    pub fn device(&self) -> &Device {
        &self.0.storage.device
    }

    /// The distance of neighbouring elements in each dimension, in elements.
    pub fn stride(&self) -> &[isize] {
        self.0.layout.strides()
    }

    /// The offset of the first element in the storage, in elements.
    pub fn storage_offset(&self) -> usize {
        self.0.layout.offset()
    }

    /// Whether the elements are adjacent in memory, in row-major order.
    pub fn is_contiguous(&self) -> bool {
        self.0.layout.is_contiguous()
    }

    /// The number of writes to the storage since it was made, as PyTorch's `_version`.
    pub fn version(&self) -> u64 {
        self.0.storage.version()
    }

    /// Whether both handles name one tensor, with one gradient, as Python's `is`.
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// # use lanthorn_tensor::Tensor;
    /// let x = Tensor::scalar(2.0f32, &device)?;
    /// assert!(x.is(&x.clone()) && !x.is(&x.detach()));
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn is(&self, other: &Tensor) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// A number that no other tensor has while this one exists, as Python's `id`: the same for two
    /// handles exactly if [`Tensor::is`] holds.
    pub fn id(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }

    /// The operation that wrote the elements last: `relu`; `upload` for data of the host.
    ///
    /// ```
    /// # mod lanthorn { pub use lanthorn_tensor::*; pub fn cpu() -> Device { Device::new(lanthorn_cpu::CpuBackend::new()) } }
    /// use lanthorn::Tensor;
    /// let device = lanthorn::cpu();
    /// let x = Tensor::from_slice(&[-1.0f32, 2.0], [2], &device)?;
    /// assert_eq!([x.origin(), x.relu()?.origin()], ["upload", "relu"]);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn origin(&self) -> &'static str {
        self.0.storage.value().op()
    }

    /// The bytes of the storage, which views of it share, with an identity of the storage while it
    /// lives.
    pub fn storage_bytes(&self) -> (usize, usize) {
        let storage = &self.0.storage;
        (storage.elements * storage.dtype.size(), Rc::as_ptr(storage) as usize)
    }

    /// Whether both tensors share a storage.
    pub fn shares_storage_with(&self, other: &Tensor) -> bool {
        Rc::ptr_eq(&self.0.storage, &other.0.storage)
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.0.layout
    }

    pub(crate) fn value(&self) -> Data {
        capture::note_read(&self.0.storage);
        self.0.storage.data()
    }

    /// The sum of all elements, a tensor of no dimensions: [`sum`](Tensor::sum) over every dimension.
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// # use lanthorn_tensor::Tensor;
    /// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &device)?;
    /// assert_eq!(pollster::block_on(x.sum_all()?.item())?, 6.0);
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`sum`](Tensor::sum).
    pub fn sum_all(&self) -> Result<Tensor> {
        self.sum((), false)
    }

    /// The mean of all elements, a tensor of no dimensions: [`mean`](Tensor::mean) over every
    /// dimension.
    ///
    /// # Errors
    ///
    /// `dtype` for integers and bool.
    pub fn mean_all(&self) -> Result<Tensor> {
        self.mean((), false)
    }

    /// The same elements outside of the autograd graph, sharing the storage, as
    /// `torch.Tensor.detach`.
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// # use lanthorn_tensor::Tensor;
    /// let x = Tensor::scalar(2.0f32, &device)?.requires_grad_(true)?;
    /// assert!(!x.square()?.detach().requires_grad());
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn detach(&self) -> Tensor {
        let outside = |tensor: &Tensor, base| Tensor::build(tensor.0.storage.clone(), tensor.0.layout.clone(), base);
        // A view keeps its base outside of the graph too: writing to the view writes to the base.
        let detached = outside(self, self.0.base.as_ref().map(|base| outside(base, None)));
        dispatch::note_detach(self, &detached);
        detached
    }

    /// A value that holds exactly this tensor's elements in row-major order.
    pub(crate) fn materialized(&self) -> Result<Data> {
        Ok(autograd::no_grad(|| ops::leaf::cast::covering(self))?.value())
    }

    /// The elements in row-major order, as a range of a value: of this tensor's own value if they
    /// are contiguous in it.
    fn read_range(&self) -> Result<ReadRange> {
        if !self.layout().is_contiguous() {
            return self.covering_range();
        }
        self.check_readable("read")?;
        Ok(ReadRange { value: self.value().value, offset: self.layout().offset(), elements: self.numel() })
    }

    /// The elements in row-major order, as the whole of a value.
    fn covering_range(&self) -> Result<ReadRange> {
        self.check_readable("read")?;
        Ok(ReadRange { value: self.materialized()?.value, offset: 0, elements: self.numel() })
    }

    /// Copies the elements to the host, in row-major order.
    ///
    /// float16 and bfloat16 are read as `f32`, which holds them exactly ([`Tensor::to_bytes`]
    /// returns their bits), and bool as `u8`.
    ///
    /// # Errors
    ///
    /// `dtype` if `T` does not match the element type; the error of the work that computes the
    /// tensor, if it failed: `index`, `linalg`, `kernel`, `out_of_memory` or `device_lost`.
    pub fn to_vec<T: Element>(&self) -> impl Future<Output = Result<Vec<T>>> + use<T> {
        let dtype = self.dtype();
        let read_as = match dtype {
            DType::Bool => DType::U8,
            DType::F16 | DType::BF16 => DType::F32,
            _ => dtype,
        };
        let matches = T::DTYPE == read_as;
        let bytes = if matches {
            Ok(self.to_bytes())
        } else {
            Err(Error::dtype("to_vec", format!("the tensor is {}, not {}", self.dtype(), T::DTYPE)))
        };
        async move {
            let bytes = bytes?.await?;
            if dtype.is_half() {
                let numbers: Vec<f32> = from_bytes(&bytes, dtype).into_iter().map(|number| number as f32).collect();
                return Ok(bytemuck::pod_collect_to_vec(&numbers));
            }
            Ok(bytemuck::pod_collect_to_vec(&bytes))
        }
    }

    /// Copies the elements to the host as little-endian bytes, in row-major order; bool and uint8
    /// have one byte for each element.
    ///
    /// # Errors
    ///
    /// The error of the work that computes the tensor, if it failed; see [`Tensor::to_vec`].
    pub fn to_bytes(&self) -> impl Future<Output = Result<Vec<u8>>> + use<> {
        let read = self.read_range().map(|range| self.device().read(range));
        async move { read?.await }
    }

    /// The value of a tensor with one element, as `torch.Tensor.item`; an int64 beyond 2^53 is
    /// rounded to the nearest float64.
    ///
    /// # Errors
    ///
    /// `shape` if the tensor does not have one element; the error of the work that computes it, if
    /// it failed, as in [`Tensor::to_vec`].
    pub fn item(&self) -> impl Future<Output = Result<f64>> + use<> {
        let (dtype, elements) = (self.dtype(), self.numel());
        let bytes = if elements == 1 {
            Ok(self.to_bytes())
        } else {
            let message = format!("a tensor of shape {} has {elements} elements, not one; use to_vec", self.shape());
            Err(Error::shape("item", message))
        };
        async move { Ok(from_bytes(&bytes?.await?, dtype)[0]) }
    }

    /// Whether gradients are computed for this tensor.
    pub fn requires_grad(&self) -> bool {
        self.grad_edge().is_some()
    }

    /// Sets whether gradients are computed for this tensor, as `torch.Tensor.requires_grad_`, and
    /// returns a handle of it.
    ///
    /// # Errors
    ///
    /// `dtype` if `requires_grad` is set for a tensor that is not floating point; `autograd` if it
    /// is unset for a tensor that an op computed.
    pub fn requires_grad_(&self, requires_grad: bool) -> Result<Tensor> {
        if requires_grad && !self.dtype().is_floating_point() {
            let message = format!("only floating-point tensors can require gradients, not {}", self.dtype());
            return Err(Error::dtype("requires_grad_", message));
        }
        if !self.is_leaf() {
            let message = "only a leaf's flag can be changed: this tensor was computed by an op; use detach()";
            return if requires_grad { Ok(self.clone()) } else { Err(Error::autograd("requires_grad_", message)) };
        }
        capture::note_flag(self);
        self.0.meta.borrow_mut().requires_grad = requires_grad;
        Ok(self.clone())
    }

    /// Whether the tensor is a leaf of the autograd graph, as `torch.Tensor.is_leaf`: no recorded
    /// op computed it.
    pub fn is_leaf(&self) -> bool {
        !matches!(self.grad_edge(), Some(Edge::Node(_)))
    }

    /// The gradient that backward accumulated, if any, in the shape and type of the tensor.
    pub fn grad(&self) -> Option<Tensor> {
        capture::note_grad(self, true);
        self.0.meta.borrow().grad.clone()
    }

    /// [`Tensor::set_grad`] of a gradient that is known to fit.
    pub(crate) fn replace_grad(&self, grad: Option<Tensor>) {
        capture::note_grad(self, false);
        self.0.meta.borrow_mut().grad = grad;
    }

    /// Replaces the gradient; `None` drops it, as `zero_grad(set_to_none=True)` does.
    ///
    /// # Errors
    ///
    /// `dtype` or `shape` if the gradient does not have the type and shape of the tensor; `device`
    /// if it is on another device.
    pub fn set_grad(&self, grad: Option<Tensor>) -> Result<()> {
        if let Some(grad) = &grad
            && (grad.shape() != self.shape() || grad.dtype() != self.dtype())
        {
            let message = format!(
                "a gradient of {} {} for a tensor of {} {}",
                grad.dtype(),
                grad.shape(),
                self.dtype(),
                self.shape()
            );
            let same_type = grad.dtype() == self.dtype();
            return Err(if same_type { Error::shape("set_grad", message) } else { Error::dtype("set_grad", message) });
        }
        if let Some(grad) = &grad {
            ops::pointwise::common_device("set_grad", &[self.clone(), grad.clone()])?;
        }
        self.replace_grad(grad);
        Ok(())
    }
}
