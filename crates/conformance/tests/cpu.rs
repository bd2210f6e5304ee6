//! Every op on the CPU, natively.

use lanthorn::{DType, Device, Optimizations};
use lanthorn_conformance::{gradcheck, samples, types};
use pollster::block_on;

/// Allocated buffers are filled with garbage, so that a read before a write is noticed.
fn poisoned() -> Device {
    Device::new(lanthorn_cpu::CpuBackend::poisoned())
}

#[test]
fn samples_agree_with_float64() {
    block_on(samples::check(&poisoned(), &lanthorn::cpu(), &samples::LAYOUTS, |_| true)).assert_all();
}

#[test]
fn samples_agree_with_float64_unfused() {
    let device = poisoned();
    device.set_optimizations(Optimizations::none());
    block_on(samples::check(&device, &lanthorn::cpu(), &samples::LAYOUTS, |_| true)).assert_all();
}

#[test]
fn derivatives_agree_with_finite_differences() {
    block_on(gradcheck::check(&poisoned(), |_| true)).assert_all();
}

#[test]
fn half_types_agree_with_float64() {
    for half in [DType::F16, DType::BF16] {
        block_on(types::check_half(&poisoned(), &lanthorn::cpu(), half, |_| true)).assert_all();
    }
}

#[test]
fn half_types_agree_with_float64_unfused() {
    let device = poisoned();
    device.set_optimizations(Optimizations::none());
    for half in [DType::F16, DType::BF16] {
        block_on(types::check_half(&device, &lanthorn::cpu(), half, |_| true)).assert_all();
    }
}

#[test]
fn other_integer_types_agree_with_int32() {
    block_on(types::check_integer(&poisoned(), DType::I64, |_| true)).assert_all();
}
