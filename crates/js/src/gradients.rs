//! Gradients between backward and step: clipping, and loss scaling.

use crate::{error::Result, promise::promise, state::state};
use js_sys::Promise;
use lanthorn::optim::{self, GradScaler, GradScalerOptions, scaler::GradScalerState};
use std::rc::Rc;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// The norm of tensors as if they were one vector.
#[wasm_bindgen(js_name = getTotalNorm)]
pub fn get_total_norm(tensors: &[u32], norm_type: f64) -> Result<u32> {
    let state = state();
    state.device()?;
    Ok(state.tensors.add(optim::get_total_norm(&state.tensors(tensors)?, norm_type)?))
}

/// Scales gradients whose norm is too large; returns the norm.
#[wasm_bindgen(js_name = clipGradNorm)]
pub fn clip_grad_norm(parameters: &[u32], max_norm: f64, norm_type: f64) -> Result<u32> {
    let state = state();
    state.device()?;
    Ok(state.tensors.add(optim::clip_grad_norm_(&state.tensors(parameters)?, max_norm, norm_type)?))
}

/// Scales gradients by a known norm.
#[wasm_bindgen(js_name = clipGradsWithNorm)]
pub fn clip_grads_with_norm(parameters: &[u32], max_norm: f64, total_norm: u32) -> Result<()> {
    let state = state();
    Ok(optim::clip_grads_with_norm_(&state.tensors(parameters)?, max_norm, &state.tensors.get(total_norm)?)?)
}

/// Clamps the elements of gradients.
#[wasm_bindgen(js_name = clipGradValue)]
pub fn clip_grad_value(parameters: &[u32], clip_value: f64) -> Result<()> {
    Ok(optim::clip_grad_value_(&state().tensors(parameters)?, clip_value)?)
}

/// Creates a gradient scaler.
#[wasm_bindgen(js_name = scalerNew)]
pub fn new(
    init_scale: f64,
    growth_factor: f64,
    backoff_factor: f64,
    growth_interval: f64,
    enabled: bool,
) -> Result<u32> {
    let growth_interval = growth_interval as u64;
    let options = GradScalerOptions { init_scale, growth_factor, backoff_factor, growth_interval, enabled };
    Ok(state().scalers.add(Rc::new(GradScaler::new(options)?)))
}

/// A loss times the scale.
#[wasm_bindgen(js_name = scalerScale)]
pub fn scale(handle: u32, outputs: u32) -> Result<u32> {
    let state = state();
    let scaled = state.scalers.get(handle)?.scale(&state.tensors.get(outputs)?)?;
    Ok(state.tensors.add(scaled))
}

/// Divides an optimizer's gradients by the scale.
#[wasm_bindgen(js_name = scalerUnscale)]
pub fn unscale(handle: u32, optimizer: u32) -> Result<()> {
    let state = state();
    Ok(state.scalers.get(handle)?.unscale_(&state.optimizers.get(optimizer)?)?)
}

/// A promise of whether the optimizer's step is to be taken, with unscaled gradients.
#[wasm_bindgen(js_name = scalerTakesStep)]
pub fn takes_step(handle: u32, optimizer: u32) -> Result<Promise> {
    let (scaler, optimizer) = (state().scalers.get(handle)?, state().optimizers.get(optimizer)?);
    Ok(promise(async move { Ok(scaler.takes_step(&optimizer).await?.into()) }))
}

/// A promise that resolves when the scale was updated.
#[wasm_bindgen(js_name = scalerUpdate)]
pub fn update(handle: u32) -> Result<Promise> {
    let scaler = state().scalers.get(handle)?;
    Ok(promise(async move {
        scaler.update().await?;
        Ok(JsValue::UNDEFINED)
    }))
}

/// The scale, and the steps since it changed.
#[wasm_bindgen(js_name = scalerState)]
pub fn scaler_state(handle: u32) -> Result<Vec<f64>> {
    let scaler = state().scalers.get(handle)?;
    let GradScalerState { growth_tracker, .. } = scaler.state_dict();
    Ok(vec![scaler.get_scale(), growth_tracker as f64])
}

/// Restores a scale.
#[wasm_bindgen(js_name = scalerSetState)]
pub fn set_scaler_state(handle: u32, scale: f64, growth_tracker: f64) -> Result<()> {
    let growth_tracker = growth_tracker as u64;
    state().scalers.get(handle)?.load_state_dict(GradScalerState { scale, growth_tracker });
    Ok(())
}

/// Drops a scaler.
#[wasm_bindgen(js_name = scalerDispose)]
pub fn dispose(handle: u32) -> bool {
    state().scalers.remove(handle).is_some()
}
