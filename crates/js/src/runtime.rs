//! The device, its counters, and the handling of panics and lost devices.

use crate::{error::Result, promise::promise, state::state};
use js_sys::{Array, Function, Object, Promise, Reflect};
#[cfg(all(feature = "cpu", target_arch = "wasm32"))]
use wasm_bindgen::JsCast;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Registers a handler for the message of a panic, which also goes to the console. It must be
/// called once, first.
#[wasm_bindgen(js_name = setPanicHandler)]
pub fn set_panic_handler(handler: Function) {
    thread_local! {
        static HANDLER: std::cell::RefCell<Option<Function>> = const { std::cell::RefCell::new(None) };
    }
    HANDLER.set(Some(handler));
    // The hook is the process's, which workers may share: its lock is taken once.
    static IS_SET: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    if IS_SET.swap(true, std::sync::atomic::Ordering::SeqCst) {
        return;
    }
    std::panic::set_hook(Box::new(|info| {
        let has_handler = HANDLER.with_borrow(|handler| {
            if let Some(handler) = handler {
                // An exception of the handler has no receiver.
                let _ = handler.call1(&JsValue::UNDEFINED, &info.to_string().into());
            }
            handler.is_some()
        });
        if has_handler {
            console_error_panic_hook::hook(info);
        } else {
            // A thread of kernels, which can call nothing outside.
            #[cfg(all(feature = "cpu", target_arch = "wasm32", target_feature = "atomics"))]
            lanthorn_cpu::PoolThread::keep_panic(&info.to_string());
        }
    }));
}

/// Replaces the micro-kernels of products by functions of another module on the same memory,
/// `lanthorn-microkernel` compiled with relaxed SIMD: `packed`, `apart`, `packed_row`, `apart_row`
/// and `dot_product`. Returns the position of the first in the table of functions, where every
/// thread needs them.
#[cfg(all(feature = "cpu", target_arch = "wasm32"))]
#[wasm_bindgen(js_name = setMicrokernels)]
pub fn set_microkernels(functions: Vec<Function>) -> std::result::Result<u32, JsValue> {
    let table: js_sys::WebAssembly::Table = wasm_bindgen::function_table().unchecked_into();
    let position = table.grow(functions.len() as u32)?;
    for (at, function) in (position..).zip(&functions) {
        table.set(at, function)?;
    }
    let at = |number: usize| position as usize + number;
    // SAFETY: a function pointer is an index into the function table, and the package, the only
    // caller, passes those functions.
    unsafe {
        lanthorn_cpu::use_microkernels(lanthorn_cpu::Microkernels {
            packed: std::mem::transmute::<usize, _>(at(0)),
            apart: std::mem::transmute::<usize, _>(at(1)),
            packed_row: std::mem::transmute::<usize, _>(at(2)),
            apart_row: std::mem::transmute::<usize, _>(at(3)),
            dot_product: std::mem::transmute::<usize, _>(at(4)),
        });
    }
    Ok(position)
}

fn object(entries: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    for (key, value) in entries {
        // Setting a property of a fresh object cannot fail.
        let _ = Reflect::set(&object, &(*key).into(), value);
    }
    object
}

/// Opens a device: `webgpu`, `cpu`, or `auto`. Tensors of an earlier device are dropped.
#[wasm_bindgen(js_name = initDevice)]
pub async fn init_device(name: String) -> Result<Object> {
    let device = lanthorn::device(&name).await?;
    release_device();
    device.set_default();
    let shown = if device.name() == "wgpu" { "webgpu" } else { device.name() };
    let info = object(&[("device", shown.into()), ("adapter", device.capabilities().description.as_str().into())]);
    state().device.replace(Some(device));
    Ok(info)
}

/// Drops the device and everything on it, when another core replaces this one.
#[wasm_bindgen(js_name = releaseDevice)]
pub fn release_device() {
    let state = state();
    // Dropped here, when no table is borrowed, because an optimizer or a hook may hold tensors.
    drop((state.hooks.take_all(), state.multi_hooks.take_all(), state.nodes.take_all()));
    drop((state.optimizers.take_all(), state.tensors.take_all()));
    drop((state.schedulers.take_all(), state.scalers.take_all(), state.buffers.take_all(), state.uploads.take_all()));
    drop(state.device.take());
}

/// Restarts the device's random numbers from a seed.
#[wasm_bindgen(js_name = manualSeed)]
pub fn manual_seed(seed: f64) -> Result<()> {
    state().device()?.manual_seed(seed as u64);
    Ok(())
}

/// The state of the device's random number generator: seed and offset.
#[wasm_bindgen(js_name = rngState)]
pub fn rng_state() -> Result<Vec<u64>> {
    let (seed, offset) = state().device()?.generator().state();
    Ok(vec![seed, offset.into()])
}

/// Restores a state from [`rng_state`].
#[wasm_bindgen(js_name = setRngState)]
pub fn set_rng_state(seed: u64, offset: u32) -> Result<()> {
    state().device()?.generator().set_state((seed, offset));
    Ok(())
}

/// Sets the default floating-point type of this core.
#[wasm_bindgen(js_name = setDefaultDtype)]
pub fn set_default_dtype(name: &str) -> Result<()> {
    lanthorn::set_default_dtype(crate::tensor::dtype("setDefaultDtype", name)?)?;
    Ok(())
}

/// The bytes of all tensors that are alive; 0 without a device.
#[wasm_bindgen(js_name = liveBytes)]
pub fn live_bytes() -> f64 {
    state().device().map_or(0.0, |device| device.inspect().stats().memory.live_bytes as f64)
}

/// Counters of tensors, bytes, launches and plans.
#[wasm_bindgen(js_name = deviceStats)]
pub fn device_stats() -> Result<Object> {
    let state = state();
    let stats = state.device()?.inspect().stats();
    Ok(object(&[
        ("tensors", (state.tensors.len() as f64).into()),
        ("bytes", (stats.memory.live_bytes as f64).into()),
        ("peakBytes", (stats.memory.peak_bytes as f64).into()),
        ("pooledBytes", (stats.memory.pooled_bytes as f64).into()),
        ("buffersCreated", (stats.memory.buffers_created as f64).into()),
        ("launches", (stats.launches as f64).into()),
        ("submissions", (stats.submissions as f64).into()),
        ("planHits", (stats.plan_hits as f64).into()),
        ("planResizes", (stats.plan_resizes as f64).into()),
        ("planMisses", (stats.plan_misses as f64).into()),
        ("kernels", (stats.kernels as f64).into()),
        ("derivatives", (stats.derivatives as f64).into()),
        ("dispatches", (stats.api.dispatches as f64).into()),
        ("submits", (stats.api.submits as f64).into()),
        ("apiBuffers", (stats.api.buffers as f64).into()),
        ("bindGroups", (stats.api.bind_groups as f64).into()),
        ("pipelines", (stats.api.pipelines as f64).into()),
        ("programs", (stats.api.programs as f64).into()),
        ("tuned", (stats.api.tuned as f64).into()),
    ]))
}

/// Limits the total bytes of buffers; an infinite number removes the limit.
#[wasm_bindgen(js_name = setMemoryLimit)]
pub fn set_memory_limit(bytes: f64) -> Result<()> {
    state().device()?.memory().set_limit(bytes.is_finite().then_some(bytes as u64));
    Ok(())
}

/// Frees the pooled buffers.
#[wasm_bindgen(js_name = emptyCache)]
pub fn empty_cache() -> Result<()> {
    state().device()?.memory().empty_cache();
    Ok(())
}

/// Starts to collect recorded kernels and their plans.
#[wasm_bindgen(js_name = explainStart)]
pub fn explain_start() -> Result<()> {
    state().device()?.inspect().start_explaining();
    Ok(())
}

/// The kernels and plans collected since [`explain_start`].
#[wasm_bindgen(js_name = explainStop)]
pub fn explain_stop() -> Result<Object> {
    let explanation = state().device()?.inspect().stop_explaining();
    let kernels = explanation.kernels.iter().map(|kernel| {
        let sources: Array = kernel.sources.iter().map(|source| JsValue::from_str(source)).collect();
        object(&[("op", kernel.op.into()), ("kind", kernel.kind.into()), ("sources", sources.into())])
    });
    Ok(object(&[
        ("recorded", explanation.recorded.as_str().into()),
        ("rewritten", explanation.rewritten.as_str().into()),
        ("kernels", kernels.collect::<Array>().into()),
        ("text", explanation.to_string().into()),
    ]))
}

/// Starts to collect kernels to tune.
#[wasm_bindgen(js_name = tuneStart)]
pub fn tune_start() -> Result<()> {
    state().device()?.tuner().start();
    Ok(())
}

/// A promise of the measured times of the variants of the kernels used since [`tune_start`].
#[wasm_bindgen(js_name = tuneStop)]
pub fn tune_stop() -> Result<Promise> {
    let device = state().device()?;
    Ok(promise(async move {
        let tuned = device.tuner().stop().await?;
        let kernels = tuned.kernels.iter().map(|kernel| {
            let times: Vec<_> = kernel.times.iter().map(|&(variant, time)| (variant, JsValue::from(time))).collect();
            object(&[
                ("op", kernel.op.into()),
                ("class", kernel.class.as_str().into()),
                ("chosen", kernel.chosen.into()),
                ("microseconds", object(&times).into()),
            ])
        });
        let entries = [("kernels", kernels.collect::<Array>().into()), ("text", tuned.to_string().into())];
        Ok(object(&entries).into())
    }))
}

/// The current choices of kernel variants, as text to be saved.
#[wasm_bindgen(js_name = tuningGet)]
pub fn tuning() -> Result<String> {
    Ok(state().device()?.tuner().choices())
}

/// Loads saved choices.
#[wasm_bindgen(js_name = tuningSet)]
pub fn set_tuning(text: &str) -> Result<()> {
    state().device()?.tuner().restore(text);
    Ok(())
}

/// Starts to measure launches.
#[wasm_bindgen(js_name = profileStart)]
pub fn profile_start() -> Result<()> {
    state().device()?.inspect().start_profile();
    Ok(())
}

/// A promise of the measurements since [`profile_start`].
#[wasm_bindgen(js_name = profileStop)]
pub fn profile_stop() -> Result<Promise> {
    let device = state().device()?;
    Ok(promise(async move {
        let profile = device.inspect().stop_profile().await?;
        let rows = profile.rows().into_iter().map(|row| {
            object(&[
                ("op", row.op.into()),
                ("kernel", row.kind.into()),
                ("count", (row.count as f64).into()),
                ("milliseconds", (row.total / 1000.0).into()),
                ("share", row.share.into()),
            ])
        });
        let entries = [
            ("rows", rows.collect::<Array>().into()),
            ("note", profile.note.into()),
            ("table", profile.to_string().into()),
            ("trace", profile.to_trace().into()),
        ];
        Ok(object(&entries).into())
    }))
}

/// Runs the recorded kernels, without waiting.
#[wasm_bindgen(js_name = deviceFlush)]
pub fn flush() -> Result<()> {
    state().device()?.flush();
    Ok(())
}

/// Runs the recorded kernels, and returns a promise of their end.
#[wasm_bindgen(js_name = deviceSynchronize)]
pub fn synchronize() -> Result<Promise> {
    let device = state().device()?;
    device.flush();
    Ok(promise(async move {
        device.synchronize().await?;
        Ok(JsValue::UNDEFINED)
    }))
}

/// Panics, for tests of a panic's effect on callers.
#[wasm_bindgen(js_name = panicForTest)]
pub fn panic_for_test() {
    panic!("panicked for a test");
}

/// Why the device is lost, if it is.
#[wasm_bindgen(js_name = deviceLost)]
pub fn lost() -> Option<String> {
    let device = state().device.borrow().clone();
    device.and_then(|device| device.lost()).map(|error| error.to_string())
}
