//! Tensors whose elements arrive in pieces.

use crate::{
    error::Result,
    state::state,
    tensor::{dtype, sizes},
};
use lanthorn::{Error, TensorUpload};
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::prelude::wasm_bindgen;

/// An upload, until it ends.
pub(crate) type Upload = Rc<RefCell<Option<TensorUpload>>>;

/// Begins a tensor, and returns the handle of its upload.
#[wasm_bindgen(js_name = uploadBegin)]
pub fn begin(dtype_name: &str, shape: &[f64]) -> Result<u32> {
    let state = state();
    let upload = TensorUpload::new(dtype("tensor", dtype_name)?, sizes("tensor", shape)?, &state.device()?)?;
    Ok(state.uploads.add(Rc::new(RefCell::new(Some(upload)))))
}

/// The next bytes.
#[wasm_bindgen(js_name = uploadPush)]
pub fn push(handle: u32, bytes: &[u8]) -> Result<()> {
    let upload = state().uploads.get(handle)?;
    let mut upload = upload.borrow_mut();
    let upload = upload.as_mut().ok_or_else(|| Error::disposed("tensor", "the upload has ended"))?;
    Ok(upload.push(bytes)?)
}

/// Ends an upload, and returns the handle of the tensor.
#[wasm_bindgen(js_name = uploadFinish)]
pub fn finish(handle: u32) -> Result<u32> {
    let upload = state().uploads.get(handle)?.take();
    state().uploads.remove(handle);
    let upload = upload.ok_or_else(|| Error::disposed("tensor", "the upload has ended"))?;
    Ok(state().tensors.add(upload.finish()?))
}

/// Drops an upload.
#[wasm_bindgen(js_name = uploadDispose)]
pub fn dispose(handle: u32) {
    state().uploads.remove(handle);
}
