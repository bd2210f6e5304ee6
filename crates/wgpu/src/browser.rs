//! What the browser says beyond what wgpu passes on.
#![cfg(target_arch = "wasm32")]

use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};

/// Whether there is a WebGPU to ask: wgpu panics where there is none at all, as in a shared worker or another host of WebAssembly.
pub(crate) fn has_webgpu() -> bool {
    let global = js_sys::global();
    let is_page = global.is_instance_of::<web_sys::Window>() || global.is_instance_of::<web_sys::WorkerGlobalScope>();
    let get = |object: &JsValue, key: &str| Reflect::get(object, &key.into()).unwrap_or(JsValue::UNDEFINED);
    is_page && !get(&get(&global, "navigator"), "gpu").is_falsy()
}

/// The adapter's vendor and architecture, which wgpu leaves empty here.
pub(crate) fn adapter_name(device: &wgpu::Device) -> Option<String> {
    let device: &JsValue = device.as_webgpu()?.as_ref();
    let info = Reflect::get(device, &"adapterInfo".into()).ok().filter(JsValue::is_object)?;
    let part = |key: &str| Reflect::get(&info, &key.into()).ok()?.as_string().filter(|text| !text.is_empty());
    let parts: Vec<String> = ["vendor", "architecture", "description"].into_iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Whether a device has a feature that wgpu has no name for.
pub(crate) fn has_feature(device: &wgpu::Device, name: &str) -> bool {
    let features = device.as_webgpu().and_then(|device| Reflect::get(device.as_ref(), &"features".into()).ok());
    features.is_some_and(|features| features.unchecked_into::<js_sys::Set>().has(&name.into()))
}

/// A moment for the browser's other news: a map that fails because the device is gone is told before the loss is.
pub(crate) async fn pause() {
    let wait = |resolve: js_sys::Function, _: js_sys::Function| {
        let global = js_sys::global();
        let set_timeout = Reflect::get(&global, &"setTimeout".into()).ok().and_then(|f| f.dyn_into::<js_sys::Function>().ok());
        // Without timers there is no moment to give.
        let _ = match set_timeout {
            Some(set_timeout) => set_timeout.call2(&global, &resolve, &20.into()),
            None => resolve.call0(&JsValue::UNDEFINED),
        };
    };
    let _ = wasm_bindgen_futures::JsFuture::from(js_sys::Promise::new(&mut { wait })).await;
}
