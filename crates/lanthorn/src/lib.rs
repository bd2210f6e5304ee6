#![doc = include_str!("../../../README.md")]

pub mod checkpoint;
mod files;
#[cfg(not(target_arch = "wasm32"))]
mod tuning;

pub use files::{Value, from_bytes, state_dict_of, to_bytes};
#[cfg(not(target_arch = "wasm32"))]
pub use files::{load, load_with, save};

pub use lanthorn_data as data;
pub use lanthorn_io as io;
pub use lanthorn_nn as nn;
pub use lanthorn_optim as optim;
pub use lanthorn_tensor::*;
pub use lanthorn_wgpu::Options as WgpuOptions;
#[cfg(not(target_arch = "wasm32"))]
pub use tuning::tune;

/// The CPU as a device.
pub fn cpu() -> Device {
    Device::new(lanthorn_cpu::CpuBackend::new())
}

/// WebGPU as a device: the browser's, or natively Vulkan, Metal or DirectX 12.
///
/// Fails where there is no adapter.
pub async fn wgpu() -> Result<Device> {
    wgpu_with(WgpuOptions::default()).await
}

/// [`wgpu`] with options.
pub async fn wgpu_with(options: WgpuOptions) -> Result<Device> {
    let device = Device::new(lanthorn_wgpu::WgpuBackend::new(options).await?);
    #[cfg(not(target_arch = "wasm32"))]
    tuning::restore(&device);
    Ok(device)
}

/// A device by name: `cpu`, `wgpu` (or `webgpu`), or `auto` for WebGPU where there is an adapter and else the CPU.
pub async fn device(name: &str) -> Result<Device> {
    match name {
        "cpu" => Ok(cpu()),
        "wgpu" | "webgpu" => wgpu().await,
        "auto" => Ok(wgpu().await.unwrap_or_else(|_| cpu())),
        _ => Err(Error::device("device", format!("there is no device {name:?}; choose cpu, wgpu or auto"))),
    }
}
