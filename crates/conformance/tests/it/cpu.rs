//! Every op on the CPU, natively.

use lanthorn::{DType, Device, Optimizations};
use lanthorn_conformance::{gradcheck, samples, selection, transforms, types};
use pollster::block_on;

/// Allocated buffers are filled with garbage, so that a read before a write is noticed.
fn open_poisoned() -> Device {
    Device::new(lanthorn_cpu::CpuBackend::poisoned())
}

#[test]
fn samples_agree_with_float64() {
    selection::assert_all(&block_on(samples::check(&open_poisoned(), &lanthorn::cpu(), &samples::LAYOUTS, |_| true)));
}

#[test]
fn samples_agree_with_float64_unfused() {
    let device = open_poisoned();
    device.inspect().set_optimizations(Optimizations::none());
    selection::assert_all(&block_on(samples::check(&device, &lanthorn::cpu(), &samples::LAYOUTS, |_| true)));
}

#[test]
fn derivatives_agree_with_finite_differences() {
    selection::assert_all(&block_on(gradcheck::check(&open_poisoned(), |_| true)));
}

#[test]
fn batches_agree_with_their_samples() {
    selection::assert_all(&block_on(transforms::check(&open_poisoned(), |_| true)));
}

#[test]
fn half_types_agree_with_float64() {
    for half in [DType::F16, DType::BF16] {
        selection::assert_all(&block_on(types::check_half(&open_poisoned(), &lanthorn::cpu(), half, |_| true)));
    }
}

#[test]
fn half_types_agree_with_float64_unfused() {
    let device = open_poisoned();
    device.inspect().set_optimizations(Optimizations::none());
    for half in [DType::F16, DType::BF16] {
        selection::assert_all(&block_on(types::check_half(&device, &lanthorn::cpu(), half, |_| true)));
    }
}

#[test]
fn other_integer_types_agree_with_int32() {
    selection::assert_all(&block_on(types::check_integer(&open_poisoned(), DType::I64, |_| true)));
}
