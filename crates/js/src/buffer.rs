//! Buffers of WebGPU that the page's program shares with the core.

use crate::{
    error::Result,
    promise::promise,
    state::state,
    tensor::{dtype, sizes},
};
use js_sys::{Array, Promise};
use lanthorn::{Error, Tensor};
use std::{any::Any, rc::Rc};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

fn value(native: &dyn Any) -> JsValue {
    native.downcast_ref::<JsValue>().cloned().unwrap_or(JsValue::UNDEFINED)
}

/// The `GPUDevice` of the device in use.
#[wasm_bindgen(js_name = gpuDevice)]
pub fn gpu_device() -> Result<JsValue> {
    let device = state().device()?;
    match device.native() {
        Some(native) => Ok(value(&*native)),
        None => Err(Error::device("gpuDevice", format!("the device {} has no GPUDevice", device.name())).into()),
    }
}

/// A tensor with a copy of a part of a `GPUBuffer`.
#[wasm_bindgen(js_name = tensorFromGpuBuffer)]
pub fn from_gpu_buffer(dtype_name: &str, shape: &[f64], buffer: JsValue, offset: f64) -> Result<u32> {
    const OP: &str = "fromGPUBuffer";
    let state = state();
    let device = state.device()?;
    let shape = sizes(OP, shape)?;
    let made = Tensor::from_buffer(dtype(OP, dtype_name)?, &buffer, offset as u64, shape, &device);
    Ok(state.tensors.add(made.map_err(|error| error.in_op(OP))?))
}

/// A promise of the `GPUBuffer` of a tensor, its first byte, its number of bytes, and the handle by which
/// it is released.
#[wasm_bindgen(js_name = tensorGpuBuffer)]
pub fn gpu_buffer(handle: u32) -> Result<Promise> {
    let shared = state().tensors.get(handle)?.share_buffer();
    Ok(promise(async move {
        let rename = |error: Error| if error.is_device() { error.in_op("gpuBuffer") } else { error };
        let shared = shared.await.map_err(rename)?;
        let (buffer, offset, bytes) = (value(&*shared.native), shared.offset as f64, shared.bytes as f64);
        let handle = state().buffers.add(Rc::new(shared));
        Ok(Array::of4(&buffer, &offset.into(), &bytes.into(), &handle.into()).into())
    }))
}

/// Lets the core use a shared buffer again.
#[wasm_bindgen(js_name = gpuBufferRelease)]
pub fn release_gpu_buffer(handle: u32) {
    drop(state().buffers.remove(handle));
}
