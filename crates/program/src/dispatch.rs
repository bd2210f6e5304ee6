//! The interface by which a program calls operations and reads tensors.
//!
//! The interface is a single trait, so a program runs on lanthorn's tensors natively and on handles
//! of the core in a page. Rejected: a dependency on `lanthorn-tensor`, which would add a second
//! core to the reader's WebAssembly module.

use crate::{Error, Recorder, Result, Value, graph::Target};
use lanthorn_io::{DType, TensorData};
use lanthorn_schema::Schema;
use std::{future::Future, pin::Pin, rc::Rc};

/// An operation of the table.
#[derive(Clone, Debug)]
pub struct Overload {
    /// Its signature. [`Dispatch::run`] takes the full name, such as `max.dim`.
    pub schema: Schema,
    /// Whether it has an in-place form.
    pub in_place: bool,
}

/// The result of an operation. Most operations return it at once, so functions that call operations
/// are not async: the states of futures would double their code. An operation that reads elements
/// may have to wait.
pub enum Outcome<'d, T> {
    /// The result.
    Ready(Value<T>),
    /// The pending result of an operation that waits.
    Pending(Pin<Box<dyn Future<Output = Result<Value<T>>> + 'd>>),
}

impl<'d, T: 'd> Outcome<'d, T> {
    /// The outcome of a future.
    pub fn pending(future: impl Future<Output = Result<Value<T>>> + 'd) -> Outcome<'d, T> {
        Outcome::Pending(Box::pin(future))
    }

    /// Returns the result of an operation that reads no elements.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if it has to wait.
    pub fn ready(self, op: &str) -> Result<Value<T>> {
        match self {
            Outcome::Ready(value) => Ok(value),
            Outcome::Pending(_) => Err(Error::unsupported(format!("{op} within another operator, because it reads"))),
        }
    }

    /// Waits for the result.
    ///
    /// # Errors
    ///
    /// The errors of the operation.
    pub async fn value(self) -> Result<Value<T>> {
        match self {
            Outcome::Ready(value) => Ok(value),
            Outcome::Pending(future) => future.await,
        }
    }

    /// Applies a function to the result.
    ///
    /// # Errors
    ///
    /// The errors of `change`, if the result is ready.
    pub fn then(self, change: impl FnOnce(Value<T>) -> Result<Value<T>> + 'd) -> Result<Outcome<'d, T>> {
        Ok(match self {
            Outcome::Ready(value) => Outcome::Ready(change(value)?),
            Outcome::Pending(future) => Outcome::pending(async move { change(future.await?) }),
        })
    }
}

/// A tensor whose elements arrive in chunks: see [`Dispatch::begin_upload`].
pub trait Upload<T> {
    /// Appends elements in row-major order. The shape of `data` does not matter.
    ///
    /// # Errors
    ///
    /// The errors of [`Dispatch::tensor`], and an error for more elements than the tensor has.
    fn push(&mut self, data: TensorData<'_>) -> Result<()>;

    /// Returns the tensor after all elements were pushed.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) of the device, and for missing elements.
    fn finish(self: Box<Self>) -> Result<T>;
}

/// The operations and tensors of a device.
///
/// A tensor is a handle: a clone is the same tensor. An in-place operation on a tensor or a view is
/// visible in all tensors that share its memory.
pub trait Dispatch {
    /// A tensor.
    type Tensor: Clone + 'static;

    /// Returns the overloads of the operation with this name or alias, in the order of trial. The
    /// list is empty for an unknown operation.
    fn overloads(&self, name: &str) -> Rc<[Overload]>;

    /// Runs an operation by its full name on arguments in its schema's order. Missing trailing
    /// arguments take their defaults. A dtype is a string, `"float32"`. Several results are a list.
    ///
    /// The in-place form writes to the first argument, and returns it.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) with the dispatcher's error.
    fn run(&self, name: &str, args: Vec<Value<Self::Tensor>>, in_place: bool) -> Result<Outcome<'_, Self::Tensor>>;

    /// Calls an operator of a graph. For an ATen operator, this is
    /// [`aten::Target::call`](crate::aten::Target::call). Several results are a tuple or a list.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for an operator of a format that the dispatcher does not support;
    /// otherwise the errors of the operator.
    fn operator(
        &self,
        target: &Target,
        args: Vec<Value<Self::Tensor>>,
        named: Vec<(String, Value<Self::Tensor>)>,
    ) -> Result<Outcome<'_, Self::Tensor>>;

    /// Returns the size of each dimension.
    fn shape(&self, tensor: &Self::Tensor) -> Vec<usize>;

    /// Returns the stride of each dimension in elements.
    fn strides(&self, tensor: &Self::Tensor) -> Vec<i64>;

    /// Returns the offset of a view's first element in its memory.
    fn storage_offset(&self, tensor: &Self::Tensor) -> usize;

    /// Returns the element type.
    fn dtype(&self, tensor: &Self::Tensor) -> DType;

    /// Whether two handles are the same tensor.
    fn is_same(&self, a: &Self::Tensor, b: &Self::Tensor) -> bool;

    /// Copies the elements of `source`, broadcast and converted, into `target`, like
    /// `torch.Tensor.copy_`.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) if the shapes do not fit, or `target` is a
    /// leaf that requires gradients while operations are recorded.
    fn assign(&self, target: &Self::Tensor, source: &Self::Tensor) -> Result<()>;

    /// Returns a tensor without gradient history on the same memory.
    fn detach(&self, tensor: &Self::Tensor) -> Self::Tensor;

    /// Whether operations on the tensor are recorded for gradients.
    fn requires_grad(&self, tensor: &Self::Tensor) -> bool;

    /// Sets whether a leaf requires gradients.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) for a tensor that cannot: of integers, or a
    /// result.
    fn set_requires_grad(&self, tensor: &Self::Tensor, requires_grad: bool) -> Result<()>;

    /// Whether operations are recorded for gradients.
    fn is_grad_enabled(&self) -> bool;

    /// Sets whether operations are recorded for gradients.
    fn set_grad_enabled(&self, enabled: bool);

    /// Sets the type of autocast, and returns the previous one.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) for a type that is not a half type.
    fn set_autocast(&self, dtype: Option<DType>) -> Result<Option<DType>>;

    /// Whether the device supports this element type.
    fn has_dtype(&self, dtype: DType) -> bool;

    /// Returns the device's name in PyTorch: `cpu`, `cuda:0`.
    fn device(&self) -> String;

    /// Creates a tensor with these elements. Types that the device lacks are converted
    /// ([`TensorData::convert_for_device`]).
    ///
    /// # Errors
    ///
    /// [`Error::File`](crate::Error::File) for an int64 that does not fit the device's int32;
    /// [`Error::Operation`](crate::Error::Operation) of the device.
    fn tensor(&self, data: TensorData<'_>) -> Result<Self::Tensor>;

    /// Begins a tensor like [`Dispatch::tensor`], whose elements of this type arrive in chunks.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) of the device.
    fn begin_upload(&self, dtype: DType, shape: &[usize]) -> Result<Box<dyn Upload<Self::Tensor>>>;

    /// Creates a tensor for a program's constant, which is never written.
    ///
    /// # Errors
    ///
    /// The errors of [`Dispatch::tensor`].
    fn constant(&self, data: TensorData<'_>) -> Result<Self::Tensor> {
        self.tensor(data)
    }

    /// Moves a tensor whose elements operators will read as sizes to the host, if the dispatcher
    /// has tensors on the host; otherwise returns the tensor.
    ///
    /// # Errors
    ///
    /// The errors of [`Dispatch::read`].
    fn to_host(&self, tensor: Self::Tensor) -> impl Future<Output = Result<Self::Tensor>> {
        std::future::ready(Ok(tensor))
    }

    /// Returns the elements of a tensor on the host, or `None` for a tensor on the device.
    fn on_host(&self, _tensor: &Self::Tensor) -> Option<TensorData<'static>> {
        None
    }

    /// Returns a new set of recordings, or `None` if the dispatcher only interprets.
    fn recorder(&self) -> Option<Rc<dyn Recorder<Self::Tensor>>> {
        None
    }

    /// Whether operations can be recorded and replayed now: nothing else records them.
    fn can_record(&self) -> bool {
        false
    }

    /// Returns the number of times that the device was read, which ends a recording.
    fn reads(&self) -> u64 {
        0
    }

    /// Reads the elements of a tensor.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) if a kernel that the tensor depends on failed.
    fn read(&self, tensor: &Self::Tensor) -> impl Future<Output = Result<TensorData<'static>>>;
}

/// Returns the element type that replaces `dtype` on a device without it, by the rule of
/// [`TensorData::convert_for_device`].
pub fn device_dtype<D: Dispatch>(dispatch: &D, dtype: DType) -> DType {
    if dispatch.has_dtype(dtype) {
        return dtype;
    }
    match dtype {
        DType::I64 | DType::I16 | DType::I8 => DType::I32,
        DType::F64 | DType::F16 | DType::BF16 => DType::F32,
        dtype => dtype,
    }
}
