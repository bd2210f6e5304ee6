//! The suite runs this test first: without an adapter hundreds of others fail.

use lanthorn_wgpu::{Options, WgpuBackend};

#[test]
fn there_is_an_adapter() {
    let backend = pollster::block_on(WgpuBackend::new(Options::default()));
    assert!(
        backend.is_ok(),
        "no WebGPU adapter: install a Vulkan driver (mesa-vulkan-drivers will do). {}",
        backend.err().map(|error| error.to_string()).unwrap_or_default()
    );
}
