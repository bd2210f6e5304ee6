//! NVIDIA GPUs.

use super::{CudaProperties, CudaSettings};
use crate::{Device, Result};
use lanthorn_cuda::nvidia;

/// An NVIDIA GPU as a device, through CUDA; GPUs are numbered from 0.
///
/// ```
/// match lanthorn::cuda(0) {
///     Ok(device) => println!("{}", device.capabilities().description),
///     Err(why) => println!("{why}"), // names the missing part: driver, NVRTC, version or device
/// }
/// ```
///
/// # Errors
/// A device error that names the missing part.
pub fn cuda(ordinal: usize) -> Result<Device> {
    cuda_with(ordinal, CudaSettings::default())
}

/// [`cuda`] with options: TF32 for products, and settings for tests.
///
/// # Errors
/// As [`cuda`].
pub fn cuda_with(ordinal: usize, settings: CudaSettings) -> Result<Device> {
    Ok(Device::new(nvidia::open(ordinal, settings)?))
}

/// The number of devices that [`cuda`] can open.
///
/// # Errors
/// A device error that names the missing part.
pub fn cuda_device_count() -> Result<usize> {
    nvidia::device_count()
}

/// Whether [`cuda`] can open a device, as `torch.cuda.is_available`.
pub fn cuda_is_available() -> bool {
    nvidia::is_available()
}

/// Properties of a device: its name, compute capability and memory.
///
/// # Errors
/// As [`cuda`].
pub fn cuda_properties(ordinal: usize) -> Result<CudaProperties> {
    nvidia::properties(ordinal)
}
