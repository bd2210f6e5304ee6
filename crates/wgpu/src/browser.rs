//! Functions of browsers that wgpu does not expose.
#![cfg(target_arch = "wasm32")]

use crate::{device::Device, failure::quietly, readback::until_lost};
use futures_channel::oneshot;
use js_sys::{Array, Object, Promise, Reflect};
use lanthorn_ir::backend::LocalFuture;
use std::any::Any;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// The browser's own device. wgpu can only compile a pipeline synchronously.
    type GpuDevice;

    #[wasm_bindgen(method, js_name = createBindGroupLayout)]
    fn create_bind_group_layout(this: &GpuDevice, descriptor: &JsValue) -> JsValue;

    #[wasm_bindgen(method, js_name = createPipelineLayout)]
    fn create_pipeline_layout(this: &GpuDevice, descriptor: &Object) -> JsValue;

    #[wasm_bindgen(method, js_name = createShaderModule)]
    fn create_shader_module(this: &GpuDevice, descriptor: &Object) -> JsValue;

    #[wasm_bindgen(method, js_name = createComputePipelineAsync)]
    fn create_compute_pipeline_async(this: &GpuDevice, descriptor: &Object) -> Promise;

    #[wasm_bindgen(method, js_name = createCommandEncoder)]
    fn create_command_encoder(this: &GpuDevice) -> GpuCommandEncoder;

    #[wasm_bindgen(method, getter)]
    fn queue(this: &GpuDevice) -> GpuQueue;

    type GpuQueue;

    #[wasm_bindgen(method)]
    fn submit(this: &GpuQueue, commands: &Array);

    type GpuCommandEncoder;

    #[wasm_bindgen(method, js_name = copyBufferToBuffer)]
    fn copy_buffer_to_buffer(
        this: &GpuCommandEncoder,
        source: &JsValue,
        offset: f64,
        to: &JsValue,
        to_offset: f64,
        bytes: f64,
    );

    #[wasm_bindgen(method)]
    fn finish(this: &GpuCommandEncoder) -> JsValue;
}

/// `GPUBufferUsage.COPY_SRC`.
const COPY_SRC: f64 = 4.0;

/// A buffer of the page's program, which wgpu does not own.
pub(crate) struct Source(JsValue);

impl Source {
    /// Reads its properties instead of its class, because a device may belong to another global
    /// object.
    pub(crate) fn of(native: &dyn Any) -> Option<Source> {
        let source = native.downcast_ref::<JsValue>().cloned().map(Source)?;
        (source.number("usage").is_some() && source.number("size").is_some()).then_some(source)
    }

    fn number(&self, name: &str) -> Option<f64> {
        get(&self.0, name).as_f64()
    }

    pub(crate) fn can_be_copied(&self) -> bool {
        self.number("usage").is_some_and(|usage| usage as u32 & COPY_SRC as u32 != 0)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.number("size").unwrap_or(0.0) as u64
    }

    /// Copies from this buffer to the start of another.
    pub(crate) fn copy(&self, device: &Device, offset: u64, to: &wgpu::Buffer, bytes: u64) {
        let (Some(raw), Some(to)) = (device.device.as_webgpu(), to.as_webgpu()) else { return };
        let raw: &JsValue = raw.as_ref();
        let raw: &GpuDevice = raw.unchecked_ref();
        let encoder = raw.create_command_encoder();
        encoder.copy_buffer_to_buffer(&self.0, offset as f64, to.as_ref(), 0.0, bytes as f64);
        raw.queue().submit(&Array::of1(&encoder.finish()));
    }
}

/// A buffer as a JavaScript object, for the page's program.
pub(crate) fn native(buffer: &wgpu::Buffer) -> Box<dyn Any> {
    let raw = buffer.as_webgpu().map_or(JsValue::UNDEFINED, |raw| raw.into());
    Box::new(raw)
}

/// The device as a JavaScript object, for the page's program.
pub(crate) fn native_device(device: &wgpu::Device) -> Option<Box<dyn Any>> {
    let raw: JsValue = device.as_webgpu()?.into();
    Some(Box::new(raw))
}

/// A property, or undefined.
fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &key.into()).unwrap_or(JsValue::UNDEFINED)
}

/// Whether the browser has WebGPU. Without it, as in a shared worker or another host of
/// WebAssembly, wgpu panics.
pub(crate) fn has_webgpu() -> bool {
    let global = js_sys::global();
    let is_page = global.is_instance_of::<web_sys::Window>() || global.is_instance_of::<web_sys::WorkerGlobalScope>();
    is_page && !get(&get(&global, "navigator"), "gpu").is_falsy()
}

/// The adapter's vendor and architecture, which wgpu leaves empty in browsers.
pub(crate) fn adapter_name(device: &wgpu::Device) -> Option<String> {
    let device: &JsValue = device.as_webgpu()?.as_ref();
    let info = Reflect::get(device, &"adapterInfo".into()).ok().filter(JsValue::is_object)?;
    let part = |key: &str| Reflect::get(&info, &key.into()).ok()?.as_string().filter(|text| !text.is_empty());
    let parts: Vec<String> = ["vendor", "architecture", "description"].into_iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Whether a device has a feature that wgpu does not define.
pub(crate) fn has_feature(device: &wgpu::Device, name: &str) -> bool {
    let features = device.as_webgpu().and_then(|device| Reflect::get(device.as_ref(), &"features".into()).ok());
    features.is_some_and(|features| features.unchecked_into::<js_sys::Set>().has(&name.into()))
}

/// Waits for other events of the browser. If a device is lost, its maps fail before the loss is
/// reported.
pub(crate) async fn pause() {
    let wait = |resolve: js_sys::Function, _: js_sys::Function| {
        let global = js_sys::global();
        let set_timeout =
            Reflect::get(&global, &"setTimeout".into()).ok().and_then(|f| f.dyn_into::<js_sys::Function>().ok());
        // Without timers, it does not wait.
        let _ = match set_timeout {
            Some(set_timeout) => set_timeout.call2(&global, &resolve, &20.into()),
            None => resolve.call0(&JsValue::UNDEFINED),
        };
    };
    let _ = wasm_bindgen_futures::JsFuture::from(js_sys::Promise::new(&mut { wait })).await;
}

/// An object with the given fields.
fn object(fields: &[(&str, &JsValue)]) -> Object {
    let object = Object::new();
    for (name, value) in fields {
        // A new object accepts any property.
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object
}

/// Whether the browser returns an existing pipeline for the same descriptor. Other browsers would
/// compile it twice.
fn shares_pipelines() -> bool {
    let brands = get(&get(&get(&js_sys::global(), "navigator"), "userAgentData"), "brands");
    brands.is_object() && js_sys::JSON::stringify(&brands).is_ok_and(|brands| brands.includes("\"Chromium\"", 0))
}

/// Starts to compile a shader in the background, and resolves to an object that keeps the result
/// alive, immediately if the device is lost. Creating the pipeline reports whether the shader is
/// valid. `None` in browsers that would compile it again then.
pub(crate) fn compile_ahead(
    device: &Device,
    op: &str,
    source: &str,
    groups: &[Vec<wgpu::BindGroupLayoutEntry>],
) -> Option<LocalFuture<Box<dyn Any>>> {
    if !shares_pipelines() {
        return None;
    }
    let raw: &JsValue = device.device.as_webgpu()?.as_ref();
    let raw: &GpuDevice = raw.unchecked_ref();
    let compiled = quietly(&device.device, || {
        let layouts = Array::new();
        for entries in groups {
            layouts.push(&raw.create_bind_group_layout(&js_sys::JSON::parse(&group_layout(entries)).ok()?));
        }
        let layout = raw.create_pipeline_layout(&object(&[("bindGroupLayouts", &layouts)]));
        let module = raw.create_shader_module(&object(&[("code", &source.into())]));
        let compute = object(&[("module", &module), ("entryPoint", &"main".into())]);
        Some(raw.create_compute_pipeline_async(&object(&[
            ("label", &op.into()),
            ("layout", &layout),
            ("compute", &compute),
        ])))
    })?;
    let (sender, mut receiver) = oneshot::channel();
    wasm_bindgen_futures::spawn_local(async move {
        // If no task waits any more, the receiver is gone.
        let _ = sender.send(JsFuture::from(compiled).await);
    });
    let lost = device.lost.clone();
    Some(Box::pin(async move { Box::new(until_lost(&mut receiver, &lost).await) as Box<dyn Any> }))
}

/// A bind group's layout as the JSON of WebGPU's descriptor.
fn group_layout(entries: &[wgpu::BindGroupLayoutEntry]) -> String {
    let mut text = String::from("{\"entries\":[");
    for entry in entries {
        let buffer = match entry.ty {
            wgpu::BindingType::Buffer { ty: wgpu::BufferBindingType::Uniform, .. } => {
                "{\"type\":\"uniform\",\"hasDynamicOffset\":true}"
            }
            wgpu::BindingType::Buffer { ty: wgpu::BufferBindingType::Storage { read_only: true }, .. } => {
                "{\"type\":\"read-only-storage\"}"
            }
            _ => "{\"type\":\"storage\"}",
        };
        let comma = if entry.binding == 0 { "" } else { "," };
        let (binding, visibility) = (entry.binding, entry.visibility.bits());
        text += &format!("{comma}{{\"binding\":{binding},\"visibility\":{visibility},\"buffer\":{buffer}}}");
    }
    text + "]}"
}
