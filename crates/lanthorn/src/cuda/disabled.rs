//! The errors of a build without CUDA.

use crate::{Device, Error, Result};

fn without() -> Error {
    Error::device(
        "cuda",
        "this program was built without the feature `cuda` of lanthorn; build it with `--features cuda`",
    )
}

/// An NVIDIA GPU as a device, through CUDA. This build has no CUDA: it needs the feature `cuda`.
///
/// # Errors
/// Always a device error.
pub fn cuda(_ordinal: usize) -> Result<Device> {
    Err(without())
}

/// The number of devices that [`cuda`] can open.
///
/// # Errors
/// Always a device error: this build has no CUDA.
pub fn cuda_device_count() -> Result<usize> {
    Err(without())
}

/// Whether [`cuda`] can open a device, as `torch.cuda.is_available`: not in this build.
pub fn cuda_is_available() -> bool {
    false
}
