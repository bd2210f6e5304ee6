//! Every op on WebGPU, natively: Vulkan, Metal or DirectX. A machine without an adapter fails.

use lanthorn::{Device, Optimizations, WgpuOptions};
use lanthorn_conformance::samples;
use pollster::block_on;

fn device(options: WgpuOptions) -> Device {
    block_on(lanthorn::wgpu_with(options)).expect("this test needs a WebGPU adapter; lavapipe will do")
}

/// Buffers handed out are poisoned, so that what is read before it is written shows.
#[test]
fn samples_agree_with_float64() {
    let report = block_on(samples::check(&device(WgpuOptions { poison: true, ..Default::default() }), &lanthorn::cpu(), |_| true));
    report.assert_all();
}

/// The floor that every kernel works on, and every kernel as its op recorded it.
#[test]
fn samples_agree_under_default_limits_unfused() {
    let device = device(WgpuOptions { default_limits: true, ..Default::default() });
    device.set_optimizations(Optimizations::none());
    block_on(samples::check(&device, &lanthorn::cpu(), |_| true)).assert_all();
}

/// Attention by its kernel, which an adapter in software would leave alone.
#[test]
fn attention_agrees_as_on_a_gpu() {
    let mut options = WgpuOptions { poison: true, ..Default::default() };
    options.tuning.software = Some(false);
    block_on(samples::check(&device(options), &lanthorn::cpu(), |op| op == "scaled_dot_product_attention")).assert_all();
}
