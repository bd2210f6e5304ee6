//! A dispatcher that keeps small constants and sizes on the host, and computes with them there.
//!
//! ONNX passes shapes, axes and limits as tensors, and exporters compute them by operators. Reading
//! them from a device would take a transfer for each. So a tensor is on the host if it is a small
//! constant or a size, or if an operation computed it from tensors on the host. Other tensors are
//! on the device.

mod array;
mod dispatch;
mod evaluate;
mod indexing;
mod numbers;

pub use array::{Array, Elements, MAX_ELEMENTS};

use lanthorn_program::{Dispatch, Error, Result, Value};
use std::{cell::OnceCell, rc::Rc};

/// The operations of a device, with small integers on the host.
#[derive(Clone)]
pub struct Hosted<D> {
    device: D,
}

/// A tensor of [`Hosted`].
pub enum Tensor<T> {
    /// On the device.
    Device(T),
    /// On the host.
    Host(Rc<HostTensor<T>>),
}

/// An array on the host, with its copy on the device if an operation needed one.
pub struct HostTensor<T> {
    array: Array,
    uploaded: OnceCell<T>,
}

impl<T: Clone> Clone for Tensor<T> {
    fn clone(&self) -> Self {
        match self {
            Tensor::Device(tensor) => Tensor::Device(tensor.clone()),
            Tensor::Host(tensor) => Tensor::Host(Rc::clone(tensor)),
        }
    }
}

impl<T> Tensor<T> {
    /// Returns the array if the tensor is on the host.
    pub fn array(&self) -> Option<&Array> {
        match self {
            Tensor::Device(_) => None,
            Tensor::Host(tensor) => Some(&tensor.array),
        }
    }
}

impl<T> From<Array> for Tensor<T> {
    fn from(array: Array) -> Self {
        Tensor::Host(Rc::new(HostTensor { array, uploaded: OnceCell::new() }))
    }
}

impl<D: Dispatch> Hosted<D> {
    /// Wraps the operations of a device.
    pub fn new(device: D) -> Hosted<D> {
        Hosted { device }
    }

    /// Returns the device's dispatcher.
    pub fn inner(&self) -> &D {
        &self.device
    }

    /// Returns the tensor on the device. A tensor on the host is copied once.
    ///
    /// # Errors
    ///
    /// The errors of [`Dispatch::tensor`].
    pub fn on_device(&self, tensor: &Tensor<D::Tensor>) -> Result<D::Tensor> {
        match tensor {
            Tensor::Device(tensor) => Ok(tensor.clone()),
            Tensor::Host(host) => {
                if let Some(tensor) = host.uploaded.get() {
                    return Ok(tensor.clone());
                }
                let data = host.array.data().ok_or_else(|| Error::malformed("an array of another size"))?;
                let tensor = self.device.tensor(data)?;
                Ok(host.uploaded.get_or_init(|| tensor).clone())
            }
        }
    }

    /// Returns a value with its tensors on the device.
    ///
    /// # Errors
    ///
    /// The errors of [`Dispatch::tensor`].
    pub fn value_on_device(&self, value: Value<Tensor<D::Tensor>>) -> Result<Value<D::Tensor>> {
        value.try_map(&mut |_, tensor| self.on_device(&tensor))
    }
}
