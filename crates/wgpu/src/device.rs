//! The adapter, the device, and their capabilities.
//!
//! The device requests all features and limits of the adapter. WebGPU's default limits are the
//! minimum: every kernel works with them, if necessary in parts. [`Options::default_limits`]
//! restricts a capable device to them, for tests.

use crate::{
    Options,
    failure::{Failures, Lost, from_wgpu},
};
use lanthorn_ir::{
    DType, Error, Result,
    backend::{Capabilities, CustomLanguage, MIN_PENDING_BYTES},
};
use std::sync::{Arc, PoisonError};

pub(crate) struct Device {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) limits: wgpu::Limits,
    pub(crate) lost: Arc<Lost>,
    /// Whether the adapter is a processor.
    pub(crate) software: bool,
    /// Whether the threads of a quad exchange values cheaply, and are adjacent as the kernels
    /// assume.
    pub(crate) quads: bool,
    /// Whether shaders support float16, so that it needs no packing.
    pub(crate) has_f16: bool,
    pub(crate) capabilities: Capabilities,
}

/// Storage buffers that a kernel may need in addition to inputs and outputs: the status buffer.
const RESERVED_BINDINGS: u32 = 1;

impl Device {
    pub(crate) async fn open(options: &Options, failures: &Failures) -> Result<Device> {
        #[cfg(target_arch = "wasm32")]
        if !crate::browser::has_webgpu() {
            let message = "WebGPU is not available here: use a browser that has it, in a page or a dedicated worker, or the cpu device";
            return Err(Error::device("init", message));
        }
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        // Validation layers are for debugging. naga validates every shader in our tests.
        descriptor.flags = wgpu::InstanceFlags::empty();
        let instance = wgpu::Instance::new(descriptor);
        let request = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = instance.request_adapter(&request).await.map_err(|error| {
            let message = format!(
                "no WebGPU adapter ({error}); use a browser with WebGPU enabled, or natively a Vulkan, Metal or DirectX 12 driver \
                 (Mesa's lavapipe is one in software), or the cpu device"
            );
            Error::device("init", message)
        })?;
        let info = adapter.get_info();
        let offered = adapter.limits();
        let required_limits = if options.default_limits { wgpu::Limits::default() } else { offered.clone() };
        let wanted = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::SUBGROUP | wgpu::Features::SHADER_F16;
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("lanthorn"),
                required_features: if options.default_limits {
                    wgpu::Features::empty()
                } else {
                    adapter.features() & wanted
                },
                required_limits,
                ..Default::default()
            })
            .await
            .map_err(|error| Error::device("init", format!("the adapter {} gives no device: {error}", info.name)))?;

        let uncaptured = failures.uncaptured.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            uncaptured.lock().unwrap_or_else(PoisonError::into_inner).push(from_wgpu("wgpu", &error));
        }));
        Ok(Device::new(device, queue, &info, options))
    }

    /// Wraps an open device, of this library or of the program.
    pub(crate) fn new(device: wgpu::Device, queue: wgpu::Queue, info: &wgpu::AdapterInfo, options: &Options) -> Device {
        let lost = Arc::new(Lost::default());
        let hears = lost.clone();
        device.set_device_lost_callback(move |reason, message| {
            hears.set(if message.is_empty() { format!("{reason:?}") } else { message })
        });
        let limits = device.limits();
        #[cfg(target_arch = "wasm32")]
        let description = crate::browser::adapter_name(&device).unwrap_or_else(|| "WebGPU".to_string());
        #[cfg(not(target_arch = "wasm32"))]
        let description = format!("{} ({}, {})", info.name, info.backend, info.driver);
        let name = description.to_ascii_lowercase();
        let is_processor = info.device_type == wgpu::DeviceType::Cpu
            || ["swiftshader", "llvmpipe", "lavapipe"].iter().any(|known| name.contains(known));
        // wgpu does not report subgroups in browsers yet. The package requests them.
        #[cfg(target_arch = "wasm32")]
        let has_subgroups = crate::browser::has_feature(&device, "subgroups");
        #[cfg(not(target_arch = "wasm32"))]
        let has_subgroups = device.features().contains(wgpu::Features::SUBGROUP);
        let software = options.tuning.software.unwrap_or(is_processor);
        // A buffer is bound as a whole, so the smaller of the two limits applies. Sizes are
        // multiples of 4.
        let max_buffer_bytes = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size) & !3;
        // WebGPU does not specify which threads form a quad. On these adapters they are adjacent in
        // the workgroup.
        let quads = has_subgroups && is_processor;
        let capabilities = Capabilities {
            name: "wgpu",
            description,
            dtypes: vec![DType::Bool, DType::U8, DType::I32, DType::F16, DType::BF16, DType::F32],
            max_buffer_bytes,
            // WebGPU does not report the size of memory, but adapters with large buffers have more.
            // With a limit of a quarter of a buffer, a training step of GPT-2 small took 77
            // submissions on an H200.
            max_pending_bytes: (2 * max_buffer_bytes).clamp(MIN_PENDING_BYTES, 16 * MIN_PENDING_BYTES),
            max_bindings: (limits.max_storage_buffers_per_shader_stage - RESERVED_BINDINGS) as usize,
            sync_read: false,
            prefers_fused_attention: !software,
            has_recurrent_kernel: false,
            gemm_tile: lanthorn_kernels::gemm_tile(software, quads),
            has_product_library: false,
            joins_products: true,
            pads_conv_input: false,
            custom_language: CustomLanguage::Wgsl,
        };
        let has_f16 = device.features().contains(wgpu::Features::SHADER_F16);
        Device { device, queue, limits, lost, software, quads, has_f16, capabilities }
    }

    /// Runs pending callbacks. The browser runs them itself.
    pub(crate) fn poll(&self) {
        // A device that cannot be polled is lost, and reports that by its callback.
        let _ = self.device.poll(wgpu::PollType::Poll);
    }

    pub(crate) fn check_lost(&self) -> Result<()> {
        self.lost.error().map_or(Ok(()), Err)
    }
}

/// Natively blocks until a submission is done. In browsers it does nothing, because the event loop
/// runs callbacks.
pub(crate) fn wait(device: &wgpu::Device, submission: wgpu::SubmissionIndex) {
    let _ = device.poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: None });
}
