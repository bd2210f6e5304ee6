#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

pub mod checkpoint;
#[cfg(not(target_arch = "wasm32"))]
mod cuda;
#[cfg(not(target_arch = "wasm32"))]
mod tuning;

#[cfg(not(target_arch = "wasm32"))]
pub use cuda::*;

// Inline, so that rustdoc writes their pages and finds their items in this crate.
#[cfg(feature = "audio")]
#[doc(inline)]
pub use lanthorn_audio as audio;
#[doc(inline)]
pub use lanthorn_data as data;
#[cfg(all(feature = "distributed", not(target_arch = "wasm32")))]
#[doc(inline)]
pub use lanthorn_distributed as distributed;
#[cfg(feature = "distributions")]
#[doc(inline)]
pub use lanthorn_distributions as distributions;
#[cfg(feature = "einops")]
#[doc(inline)]
pub use lanthorn_einops as einops;
#[doc(inline)]
pub use lanthorn_io as io;
#[cfg(feature = "metrics")]
#[doc(inline)]
pub use lanthorn_metrics as metrics;
#[cfg(feature = "models")]
#[doc(inline)]
pub use lanthorn_models as models;
#[doc(inline)]
pub use lanthorn_nn as nn;
#[cfg(feature = "onnx")]
#[doc(inline)]
pub use lanthorn_onnx as onnx;
#[doc(inline)]
pub use lanthorn_optim as optim;
#[cfg(feature = "program")]
#[doc(inline)]
pub use lanthorn_program as program;
#[cfg(feature = "script")]
#[doc(inline)]
pub use lanthorn_script as script;
pub use lanthorn_serialization::{Value, from_bytes, from_bytes_tensors_only, state_dict_of, tensor_of, to_bytes};
#[cfg(not(target_arch = "wasm32"))]
pub use lanthorn_serialization::{load, load_with, save};
pub use lanthorn_tensor::*;
#[cfg(feature = "tokenizer")]
#[doc(inline)]
pub use lanthorn_tokenizer as tokenizer;
#[cfg(feature = "vision")]
#[doc(inline)]
pub use lanthorn_vision as vision;
#[cfg(feature = "webgpu")]
pub use lanthorn_wgpu::{Options as WgpuOptions, Tuning as WgpuTuning};
#[cfg(not(target_arch = "wasm32"))]
pub use tuning::tune;

/// The threads of the CPU's kernels, as `torch.set_num_threads`.
///
/// ```
/// lanthorn::set_num_threads(2)?;
/// assert_eq!(lanthorn::num_threads(), 2);
/// assert!(lanthorn::set_num_threads(0).is_err());
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[cfg(feature = "cpu")]
pub use lanthorn_cpu::{MAX_THREADS, num_threads, set_num_threads};

/// The CPU as a device.
#[cfg(feature = "cpu")]
pub fn cpu() -> Device {
    Device::new(lanthorn_cpu::CpuBackend::new())
}

/// WebGPU as a device: the browser's, or natively Vulkan, Metal or DirectX 12.
///
/// # Errors
///
/// `device` if there is no adapter.
#[cfg(feature = "webgpu")]
pub async fn wgpu() -> Result<Device> {
    wgpu_with(WgpuOptions::default()).await
}

/// [`wgpu`] with options.
///
/// # Errors
///
/// `device` if there is no adapter.
#[cfg(feature = "webgpu")]
pub async fn wgpu_with(options: WgpuOptions) -> Result<Device> {
    let device = Device::new(lanthorn_wgpu::WgpuBackend::new(options).await?);
    #[cfg(not(target_arch = "wasm32"))]
    tuning::restore(&device);
    Ok(device)
}

/// A device of the program's own as a device of this library, so that tensors and the program share
/// buffers: see [`Tensor::from_buffer`] and [`Tensor::share_buffer`]. The library takes the callback for the
/// loss of the device.
///
/// ```no_run
/// # async fn share(device: wgpu::Device, queue: wgpu::Queue) -> lanthorn::Result<()> {
/// use lanthorn::{Tensor, WgpuOptions};
/// let lanthorn = lanthorn::wgpu_on(device, queue, WgpuOptions::default());
/// let x = Tensor::randn([1024])?;
/// let shared = x.share_buffer().await?;
/// let buffer: &wgpu::Buffer = shared.native.downcast_ref().unwrap();
/// # Ok(()) }
/// ```
#[cfg(all(feature = "webgpu", not(target_arch = "wasm32")))]
pub fn wgpu_on(device: lanthorn_wgpu::RawDevice, queue: lanthorn_wgpu::RawQueue, options: WgpuOptions) -> Device {
    let device = Device::new(lanthorn_wgpu::WgpuBackend::with_device(device, queue, options));
    tuning::restore(&device);
    device
}

/// A device by name: `cpu`, `wgpu` (or `webgpu`), `cuda` (or `cuda:1` for the second GPU), or
/// `auto`, which is WebGPU where there is an adapter and the CPU otherwise.
///
/// The crate's features decide which devices exist: `cpu` and `webgpu`, both on by default, and
/// `cuda`.
///
/// # Errors
///
/// `device` for another name, and for a device that cannot be opened.
pub async fn device(name: &str) -> Result<Device> {
    match name {
        #[cfg(feature = "cpu")]
        "cpu" => Ok(cpu()),
        #[cfg(feature = "webgpu")]
        "wgpu" | "webgpu" => wgpu().await,
        #[cfg(all(feature = "cpu", feature = "webgpu"))]
        "auto" => Ok(wgpu().await.unwrap_or_else(|_| cpu())),
        #[cfg(all(feature = "cpu", not(feature = "webgpu")))]
        "auto" => Ok(cpu()),
        #[cfg(all(feature = "webgpu", not(feature = "cpu")))]
        "auto" => wgpu().await,
        _ => {
            #[cfg(not(target_arch = "wasm32"))]
            if let Some(device) = cuda::by_name(name) {
                return device;
            }
            Err(Error::device(
                "device",
                format!("there is no device {name:?} in this build; choose cpu, wgpu, cuda or auto"),
            ))
        }
    }
}

/// The programs of the guide, which run as tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/rust.md")]
#[doc = include_str!("../../../docs/guides/functions-of-functions.md")]
struct Guide;
