//! Devices, elements and comparisons for all tests.

use lanthorn_cpu::CpuBackend;
use lanthorn_tensor::{Device, Tensor};
use pollster::block_on;

/// A CPU whose new buffers have poisoned contents, as the default device of the thread.
pub fn device() -> Device {
    let device = Device::new(CpuBackend::poisoned());
    device.set_default();
    device
}

/// The elements of a tensor.
pub fn read(tensor: &Tensor) -> Vec<f32> {
    block_on(tensor.to_vec::<f32>()).unwrap()
}

/// Compares shapes, and elements to 1e-5.
pub fn assert_close(got: &Tensor, want: &Tensor) {
    assert_eq!(got.shape(), want.shape());
    for (got, want) in read(got).into_iter().zip(read(want)) {
        assert!((got - want).abs() < 1e-5, "{got}, expected {want}");
    }
}
