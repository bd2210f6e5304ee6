//! Tensors: creation from data, properties, reads, disposal.

use crate::{error::Result, promise::promise, state::state};
use js_sys::{Array, Promise, Uint8Array};
use lanthorn::{DType, Device, Error, Scalar, Shape, Tensor, samples};
use rustc_hash::FxHashSet;
use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Sizes from JavaScript, which may be any numbers.
pub(crate) fn sizes(op: &str, shape: &[f64]) -> Result<Vec<i64>> {
    match shape.iter().find(|size| size.fract() != 0.0 || size.is_nan() || size.abs() > 9.0e15) {
        Some(size) => Err(Error::shape(op, format!("a size must be a whole number, not {size}")).into()),
        None => Ok(shape.iter().map(|&size| size as i64).collect()),
    }
}

pub(crate) fn dtype(op: &str, name: &str) -> Result<DType> {
    let known = || {
        Error::dtype(
            op,
            format!(
                "there is no dtype {name:?}; choose float32, float64, float16, bfloat16, int32, int64, uint8 or bool"
            ),
        )
    };
    Ok(DType::from_name(name).ok_or_else(known)?)
}

/// A tensor from the bytes of its elements in row-major order.
#[wasm_bindgen(js_name = tensorFromBytes)]
pub fn from_bytes(dtype_name: &str, bytes: &[u8], shape: &[f64]) -> Result<u32> {
    let state = state();
    let device = state.device()?;
    let tensor = Tensor::from_bytes(dtype("tensor", dtype_name)?, bytes, sizes("tensor", shape)?, &device)?;
    Ok(state.tensors.add(tensor))
}

/// Checks a shape and returns its number of elements, before JavaScript collects them.
#[wasm_bindgen(js_name = checkShape)]
pub fn check_shape(op: &str, shape: &[f64]) -> Result<f64> {
    Ok(Shape::new(op, &sizes(op, shape)?)?.elements() as f64)
}

/// A tensor from numbers in row-major order.
#[wasm_bindgen(js_name = tensorFromNumbers)]
pub fn from_numbers(dtype_name: &str, values: &[f64], shape: &[f64]) -> Result<u32> {
    let wanted = dtype("tensor", dtype_name)?;
    if let Some(odd) = values.iter().map(|&value| Scalar::Float(value)).find(|value| !value.fits(wanted)) {
        return Err(odd.misfit("tensor", wanted).into());
    }
    from_bytes(dtype_name, &samples::to_bytes(values, wanted), shape)
}

/// The element type's name.
#[wasm_bindgen(js_name = tensorDtype)]
pub fn tensor_dtype(handle: u32) -> Result<String> {
    Ok(state().tensors.get(handle)?.dtype().name().to_string())
}

/// Describes the arguments of a program's call, and sets whether it records operations for
/// gradients, if that is given. Returns whether operations were recorded, and of each tensor the
/// number of its element type, the number of its dimensions, and its sizes.
#[wasm_bindgen(js_name = programBegin)]
pub fn begin_program(handles: &[u32], grad_enabled: Option<bool>) -> Result<Vec<u32>> {
    let state = state();
    let before = lanthorn::is_grad_enabled();
    let mut words = vec![u32::from(before)];
    for &handle in handles {
        let tensor = state.tensors.get(handle)?;
        let dtype = DType::ALL.iter().position(|dtype| *dtype == tensor.dtype()).unwrap_or_default();
        words.extend([dtype as u32, tensor.shape().len() as u32]);
        words.extend(tensor.shape().iter().map(|&size| size as u32));
    }
    lanthorn::set_grad_enabled(grad_enabled.unwrap_or(before));
    Ok(words)
}

/// The distance of neighbouring elements in each dimension, in elements.
#[wasm_bindgen(js_name = tensorStride)]
pub fn tensor_stride(handle: u32) -> Result<Vec<i32>> {
    Ok(state().tensors.get(handle)?.stride().iter().map(|&stride| stride as i32).collect())
}

/// The index of the first element in the tensor's memory.
#[wasm_bindgen(js_name = tensorStorageOffset)]
pub fn tensor_storage_offset(handle: u32) -> Result<u32> {
    Ok(state().tensors.get(handle)?.storage_offset() as u32)
}

/// The sizes.
#[wasm_bindgen(js_name = tensorShape)]
pub fn tensor_shape(handle: u32) -> Result<Vec<u32>> {
    Ok(state().tensors.get(handle)?.shape().iter().map(|&size| size as u32).collect())
}

/// Another handle to the same tensor.
#[wasm_bindgen(js_name = tensorShare)]
pub fn share(handle: u32) -> Result<u32> {
    let state = state();
    let tensor = state.tensors.get(handle)?;
    Ok(state.tensors.add(tensor))
}

/// Drops a tensor; returns whether it existed.
#[wasm_bindgen(js_name = tensorDispose)]
pub fn dispose(handle: u32) -> bool {
    state().tensors.remove(handle).is_some()
}

/// A promise of the elements' bytes in row-major order.
///
/// This is not an `async` export, which would begin in a later microtask: a read returns the tensor
/// as it is at the call.
#[wasm_bindgen(js_name = tensorRead)]
pub fn read(handle: u32) -> Result<Promise> {
    let bytes = state().tensors.get(handle)?.to_bytes();
    Ok(promise(async move {
        let bytes = bytes.await?;
        Ok(Uint8Array::from(&bytes[..]).into())
    }))
}

/// [`read`] without waiting, on a device that supports it.
#[wasm_bindgen(js_name = tensorReadSync)]
pub fn read_sync(handle: u32) -> Result<Uint8Array> {
    let tensor = state().tensors.get(handle)?;
    require_sync(tensor.device())?;
    let bytes = pin!(tensor.to_bytes());
    match bytes.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(bytes) => Ok(Uint8Array::from(&bytes?[..])),
        Poll::Pending => Err(Error::device("dataSync", "the data is not there yet; await data()").into()),
    }
}

/// The tensors that JavaScript holds: of each its handle, the operation that wrote it last, its type, its
/// shape, and the bytes of its storage, which are counted at one of the tensors that share it.
#[wasm_bindgen(js_name = aliveTensors)]
pub fn alive_tensors() -> Array {
    let mut counted = FxHashSet::default();
    let tensors = state().tensors.all();
    let row = |(handle, tensor): (u32, Tensor)| -> Array {
        let (bytes, storage) = tensor.storage_bytes();
        let bytes = if counted.insert(storage) { bytes } else { 0 };
        let shape: Array = tensor.shape().iter().map(|&size| JsValue::from(size as u32)).collect();
        let (origin, dtype) = (tensor.origin(), tensor.dtype().name());
        let row: [JsValue; 5] = [handle.into(), origin.into(), dtype.into(), shape.into(), (bytes as f64).into()];
        row.iter().collect()
    };
    tensors.into_iter().map(row).collect()
}

fn require_sync(device: &Device) -> Result<()> {
    if device.capabilities().sync_read {
        return Ok(());
    }
    let message = format!("the device {} cannot be read without waiting; await data()", device.name());
    Err(Error::device("dataSync", message).into())
}

/// Copies `source` into a tensor, with broadcasting and conversion.
#[wasm_bindgen(js_name = tensorCopy)]
pub fn copy(handle: u32, source: u32) -> Result<()> {
    let state = state();
    Ok(state.tensors.get(handle)?.copy_(&state.tensors.get(source)?)?)
}
