//! How a program calls operations and reads tensors.
//!
//! The surface is one trait, so that a program runs on lanthorn's tensors natively and on handles of
//! the core in a page. Rejected: a dependency on `lanthorn-tensor`, which would put the core into the
//! reader's WebAssembly module a second time.

use crate::{Error, Result, Value, graph::Target};
use lanthorn_io::{DType, TensorData};
use lanthorn_schema::Schema;
use std::{future::Future, pin::Pin, rc::Rc};

/// An operation of the table, as a program sees it.
#[derive(Clone, Debug)]
pub struct Overload {
    /// Its signature. The full name, `max.dim`, is that of [`Dispatch::run`].
    pub schema: Schema,
    /// Whether it has an in-place form.
    pub in_place: bool,
}

/// The result of an operation. Most have it at once, so what calls operations is no future, whose
/// states would be half of its code; one that reads elements may have to wait.
pub enum Outcome<'d, T> {
    /// The result.
    Ready(Value<T>),
    /// The result of an operation that waits.
    Pending(Pin<Box<dyn Future<Output = Result<Value<T>>> + 'd>>),
}

impl<'d, T: 'd> Outcome<'d, T> {
    /// The outcome of a future.
    pub fn pending(future: impl Future<Output = Result<Value<T>>> + 'd) -> Outcome<'d, T> {
        Outcome::Pending(Box::pin(future))
    }

    /// The result of an operation that reads no elements.
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

    /// The result, when it is there.
    ///
    /// # Errors
    ///
    /// Those of the operation.
    pub async fn value(self) -> Result<Value<T>> {
        match self {
            Outcome::Ready(value) => Ok(value),
            Outcome::Pending(future) => future.await,
        }
    }

    /// Changes the result.
    ///
    /// # Errors
    ///
    /// Those of `change`, of a result that is there.
    pub fn then(self, change: impl FnOnce(Value<T>) -> Result<Value<T>> + 'd) -> Result<Outcome<'d, T>> {
        Ok(match self {
            Outcome::Ready(value) => Outcome::Ready(change(value)?),
            Outcome::Pending(future) => Outcome::pending(async move { change(future.await?) }),
        })
    }
}

/// A tensor whose elements arrive in pieces: see [`Dispatch::begin_upload`].
pub trait Upload<T> {
    /// The next elements in row-major order. Their shape does not matter.
    ///
    /// # Errors
    ///
    /// Those of [`Dispatch::tensor`], and of more elements than the tensor has.
    fn push(&mut self, data: TensorData<'_>) -> Result<()>;

    /// The tensor, when all elements are there.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) of the device, and for fewer elements than the tensor has.
    fn finish(self: Box<Self>) -> Result<T>;
}

/// The operations and tensors of a device.
///
/// A tensor is a handle: a clone is the same tensor, and an in-place operation on it, or on a view of
/// its memory, is visible in all.
pub trait Dispatch {
    /// A tensor.
    type Tensor: Clone + 'static;

    /// The overloads of the operation with this name or alias, in the order in which they are tried;
    /// none if the table does not have it.
    fn overloads(&self, name: &str) -> Rc<[Overload]>;

    /// Runs an operation by its full name on arguments in its schema's order. Missing arguments at
    /// the end take their defaults. A dtype is a string, `"float32"`. Several results are a list.
    ///
    /// The in-place form writes to the first argument, and gives that tensor.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) with the dispatcher's error.
    fn run(&self, name: &str, args: Vec<Value<Self::Tensor>>, in_place: bool) -> Result<Outcome<'_, Self::Tensor>>;

    /// Calls an operator of a graph ([`aten::Target::call`](crate::aten::Target::call) for one of ATen).
    /// Several results are a tuple or a list.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for an operator of a format that the dispatcher does not run; otherwise those
    /// of the operator.
    fn operator(
        &self,
        target: &Target,
        args: Vec<Value<Self::Tensor>>,
        named: Vec<(String, Value<Self::Tensor>)>,
    ) -> Result<Outcome<'_, Self::Tensor>>;

    /// The size of each dimension.
    fn shape(&self, tensor: &Self::Tensor) -> Vec<usize>;

    /// The number of elements between neighbours in each dimension.
    fn strides(&self, tensor: &Self::Tensor) -> Vec<i64>;

    /// The index of a view's first element in its memory.
    fn storage_offset(&self, tensor: &Self::Tensor) -> usize;

    /// The element type.
    fn dtype(&self, tensor: &Self::Tensor) -> DType;

    /// Whether two handles are the same tensor.
    fn is_same(&self, a: &Self::Tensor, b: &Self::Tensor) -> bool;

    /// Copies the elements of `source`, broadcast and converted, into `target`, as
    /// `torch.Tensor.copy_`.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) if the shapes do not fit, or `target` is a leaf
    /// that requires gradients while operations are recorded.
    fn assign(&self, target: &Self::Tensor, source: &Self::Tensor) -> Result<()>;

    /// A tensor without the history of its gradient, on the same memory.
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

    /// Sets the type of autocast, and gives the one before.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) for a type that is not a half type.
    fn set_autocast(&self, dtype: Option<DType>) -> Result<Option<DType>>;

    /// Whether the device has this element type.
    fn has_dtype(&self, dtype: DType) -> bool;

    /// The device's name in PyTorch: `cpu`, `cuda:0`.
    fn device(&self) -> String;

    /// A tensor of these elements. Types that the device lacks are converted
    /// ([`TensorData::convert_for_device`]).
    ///
    /// # Errors
    ///
    /// [`Error::File`](crate::Error::File) for an int64 that does not fit the device's int32;
    /// [`Error::Operation`](crate::Error::Operation) of the device.
    fn tensor(&self, data: TensorData<'_>) -> Result<Self::Tensor>;

    /// Begins a tensor whose elements of this type arrive in pieces, as [`Dispatch::tensor`] would make it.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) of the device.
    fn begin_upload(&self, dtype: DType, shape: &[usize]) -> Result<Box<dyn Upload<Self::Tensor>>>;

    /// A tensor of a program's constants, which is never written to.
    ///
    /// # Errors
    ///
    /// As of [`Dispatch::tensor`].
    fn constant(&self, data: TensorData<'_>) -> Result<Self::Tensor> {
        self.tensor(data)
    }

    /// A tensor whose elements operators will read as sizes: the same, or one of the host, if the dispatcher has
    /// such tensors.
    ///
    /// # Errors
    ///
    /// As of [`Dispatch::read`].
    fn to_host(&self, tensor: Self::Tensor) -> impl Future<Output = Result<Self::Tensor>> {
        std::future::ready(Ok(tensor))
    }

    /// The elements of a tensor.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`](crate::Error::Operation) if a kernel that the tensor depends on failed.
    fn read(&self, tensor: &Self::Tensor) -> impl Future<Output = Result<TensorData<'static>>>;
}

/// The element type that takes the place of `dtype` on a device without it, by the rule of
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
