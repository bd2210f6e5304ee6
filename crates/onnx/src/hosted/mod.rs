//! A dispatcher that keeps small constants and sizes in memory of its own, and computes on them there.
//!
//! ONNX says shapes, axes and limits by tensors, and its exporters compute them by operators: a device
//! would have to be asked for their elements. So a tensor here is on the device or, if it is a small
//! constant, a size, or computed of such ones alone, on the host.

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

/// An array on the host, and the tensor that it became on the device if it was needed there.
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
    /// The array, if it is on the host.
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
    /// The operations of a device.
    pub fn new(device: D) -> Hosted<D> {
        Hosted { device }
    }

    /// The device's dispatcher.
    pub fn inner(&self) -> &D {
        &self.device
    }

    /// A tensor on the device. One of the host is copied there once.
    ///
    /// # Errors
    ///
    /// See [`Dispatch::tensor`].
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

    /// A value with its tensors on the device.
    ///
    /// # Errors
    ///
    /// See [`Dispatch::tensor`].
    pub fn value_on_device(&self, value: Value<Tensor<D::Tensor>>) -> Result<Value<D::Tensor>> {
        value.try_map(&mut |_, tensor| self.on_device(&tensor))
    }
}
