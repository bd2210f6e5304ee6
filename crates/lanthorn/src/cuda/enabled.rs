//! GPUs of NVIDIA's.

use super::{CudaProperties, CudaSettings};
use crate::{Device, Result};
use lanthorn_cuda::nvidia;

/// A GPU of NVIDIA's as a device, through CUDA; they are numbered from 0 on.
///
/// ```
/// match lanthorn::cuda(0) {
///     Ok(device) => println!("{}", device.capabilities().description),
///     Err(why) => println!("{why}"), // what is missing: the driver, NVRTC, a version, the device
/// }
/// ```
///
/// # Errors
/// A device error that says what is missing.
pub fn cuda(ordinal: usize) -> Result<Device> {
    cuda_with(ordinal, CudaSettings::default())
}

/// [`cuda`] with settings: TF32 for products, and what tests switch off.
///
/// # Errors
/// As [`cuda`].
pub fn cuda_with(ordinal: usize, settings: CudaSettings) -> Result<Device> {
    Ok(Device::new(nvidia::open(ordinal, settings)?))
}

/// How many devices [`cuda`] can open.
///
/// # Errors
/// A device error that says what is missing.
pub fn cuda_device_count() -> Result<usize> {
    nvidia::device_count()
}

/// Whether [`cuda`] can open a device, as `torch.cuda.is_available`.
pub fn cuda_is_available() -> bool {
    nvidia::is_available()
}

/// What a device is: its name, compute capability and memory.
///
/// # Errors
/// As [`cuda`].
pub fn cuda_properties(ordinal: usize) -> Result<CudaProperties> {
    nvidia::properties(ordinal)
}
