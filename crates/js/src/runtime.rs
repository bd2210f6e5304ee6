//! The device, its counters, and what happens when something breaks.

use crate::{
    error::{Result, Thrown},
    state::state,
};
use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::future_to_promise;

/// Tells `handler` the message of a panic, which also goes to the console; to be called once, first.
#[wasm_bindgen(js_name = setPanicHandler)]
pub fn set_panic_handler(handler: Function) {
    thread_local! {
        static HANDLER: std::cell::RefCell<Option<Function>> = const { std::cell::RefCell::new(None) };
    }
    HANDLER.set(Some(handler));
    std::panic::set_hook(Box::new(|info| {
        HANDLER.with_borrow(|handler| {
            if let Some(handler) = handler {
                // There is nobody left to tell if the handler throws.
                let _ = handler.call1(&JsValue::UNDEFINED, &info.to_string().into());
            }
        });
        console_error_panic_hook::hook(info);
    }));
}

fn object(entries: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    for (key, value) in entries {
        // Setting a property of a fresh object cannot fail.
        let _ = Reflect::set(&object, &(*key).into(), value);
    }
    object
}

/// Takes a device: `webgpu`, `cpu`, or `auto`. Tensors of an earlier device are gone.
#[wasm_bindgen(js_name = initDevice)]
pub async fn init_device(name: String) -> Result<Object> {
    let device = lanthorn::device(&name).await?;
    let state = state();
    // Dropped here, when no table is borrowed: an optimizer or a hook may hold tensors.
    let gone = (state.hooks.take_all(), state.optimizers.take_all(), state.modules.take_all(), state.tensors.take_all());
    drop(gone);
    device.set_default();
    let shown = if device.name() == "wgpu" { "webgpu" } else { device.name() };
    let info = object(&[("device", shown.into()), ("adapter", device.capabilities().description.as_str().into())]);
    state.device.replace(Some(device));
    Ok(info)
}

/// Starts the device's random numbers over from a seed.
#[wasm_bindgen(js_name = manualSeed)]
pub fn manual_seed(seed: f64) -> Result<()> {
    state().device()?.manual_seed(seed as u64);
    Ok(())
}

/// Counts of tensors, bytes, launches and plans.
#[wasm_bindgen(js_name = deviceStats)]
pub fn device_stats() -> Result<Object> {
    let state = state();
    let stats = state.device()?.stats();
    Ok(object(&[
        ("tensors", (state.tensors.len() as f64).into()),
        ("bytes", (stats.memory.live_bytes as f64).into()),
        ("peakBytes", (stats.memory.peak_bytes as f64).into()),
        ("pooledBytes", (stats.memory.pooled_bytes as f64).into()),
        ("buffersCreated", (stats.memory.buffers_created as f64).into()),
        ("launches", (stats.launches as f64).into()),
        ("submissions", (stats.submissions as f64).into()),
        ("planHits", (stats.plan_hits as f64).into()),
        ("planMisses", (stats.plan_misses as f64).into()),
    ]))
}

/// Runs what is recorded, without waiting.
#[wasm_bindgen(js_name = deviceFlush)]
pub fn flush() -> Result<()> {
    state().device()?.flush();
    Ok(())
}

/// Runs what is recorded, and gives a promise of its end.
#[wasm_bindgen(js_name = deviceSynchronize)]
pub fn synchronize() -> Result<Promise> {
    let device = state().device()?;
    device.flush();
    Ok(future_to_promise(async move {
        device.synchronize().await.map_err(Thrown::from)?;
        Ok(JsValue::UNDEFINED)
    }))
}

/// Panics, so that tests can see what a panic does to its callers.
#[wasm_bindgen(js_name = panicForTest)]
pub fn panic_for_test() {
    panic!("panicked for a test");
}

/// Why the device is gone, if it is.
#[wasm_bindgen(js_name = deviceLost)]
pub fn lost() -> Option<String> {
    let device = state().device.borrow().clone();
    device.and_then(|device| device.lost()).map(|error| error.to_string())
}
