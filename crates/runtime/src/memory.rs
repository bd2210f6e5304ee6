//! The view of a device's memory. `shared` has the part for memory that other threads and processes
//! write.

use crate::Device;

/// The memory of a device; from [`Device::memory`].
#[derive(Clone, Copy)]
pub struct DeviceMemory<'a>(pub(crate) &'a Device);

impl DeviceMemory<'_> {
    /// Sets or removes a limit for the size of all buffers in bytes. Free buffers are released
    /// before an allocation fails. An allocation beyond the limit fails with kind `out_of_memory`,
    /// at the upload or at the read that needs it, and the device stays usable.
    ///
    /// ```
    /// # mod lanthorn {
    /// #     pub use lanthorn_tensor::*;
    /// #     pub fn cpu() -> Device { Device::new(lanthorn_cpu::CpuBackend::new()) }
    /// # }
    /// use lanthorn::Tensor;
    /// let device = lanthorn::cpu();
    /// device.memory().set_limit(Some(1 << 20));
    /// let x = Tensor::ones([1024, 1024])?;
    /// assert!(pollster::block_on(x.to_vec::<f32>()).unwrap_err().is_out_of_memory());
    /// let y = Tensor::ones([16])?;
    /// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [1.0; 16]);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn set_limit(&self, bytes: Option<u64>) {
        self.0.executor().pool().set_limit(bytes);
    }

    /// Releases free buffers to the device, as `torch.cuda.empty_cache`.
    pub fn empty_cache(&self) {
        self.0.executor().empty_cache();
    }
}
