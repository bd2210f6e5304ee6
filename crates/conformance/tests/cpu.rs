//! Every op on the CPU, natively.

use lanthorn::{Device, Optimizations};
use lanthorn_conformance::{gradcheck, samples};
use pollster::block_on;

/// Buffers handed out are poisoned, so that what is read before it is written shows.
fn poisoned() -> Device {
    Device::new(lanthorn_cpu::CpuBackend::poisoned())
}

#[test]
fn samples_agree_with_float64() {
    block_on(samples::check(&poisoned(), &lanthorn::cpu(), |_| true)).assert_all();
}

#[test]
fn samples_agree_with_float64_unfused() {
    let device = poisoned();
    device.set_optimizations(Optimizations::none());
    block_on(samples::check(&device, &lanthorn::cpu(), |_| true)).assert_all();
}

#[test]
fn derivatives_agree_with_finite_differences() {
    block_on(gradcheck::check(&poisoned(), |_| true)).assert_all();
}
