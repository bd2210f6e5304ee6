//! CUDA as a device, with the feature `cuda`. Without the feature every function returns an error
//! that says so, and the build contains nothing of CUDA.

#[cfg(not(feature = "cuda"))]
mod disabled;
#[cfg(feature = "cuda")]
mod enabled;

#[cfg(not(feature = "cuda"))]
pub use disabled::{cuda, cuda_device_count, cuda_is_available};
#[cfg(feature = "cuda")]
pub use enabled::{cuda, cuda_device_count, cuda_is_available, cuda_properties, cuda_with};
#[cfg(feature = "cuda-host")]
pub use lanthorn_cuda::emulator::Options as CudaHostOptions;
#[cfg(feature = "cuda")]
pub use lanthorn_cuda::{Properties as CudaProperties, Settings as CudaSettings};

use crate::{Device, Error, Result};

/// The device that a name selects: `cuda`, `cuda:1`; `None` for another name.
pub(crate) fn by_name(name: &str) -> Option<Result<Device>> {
    match name.strip_prefix("cuda")?.strip_prefix(':') {
        None if name == "cuda" => Some(cuda(0)),
        #[cfg(feature = "cuda-host")]
        None if name == "cuda-host" => Some(cuda_host(CudaHostOptions::default())),
        None => None,
        Some(ordinal) => Some(ordinal.parse().map_err(|_| bad_ordinal(name)).and_then(cuda)),
    }
}

fn bad_ordinal(name: &str) -> Error {
    Error::device("device", format!("{name:?} has no number behind its colon; devices are cuda:0, cuda:1 and so on"))
}

/// An emulated GPU on the host: CUDA kernels compiled by g++ and run one thread after another. For
/// tests of kernels, not for production.
///
/// # Errors
/// A device error where there is no compiler.
#[cfg(feature = "cuda-host")]
pub fn cuda_host(options: CudaHostOptions) -> Result<Device> {
    Ok(Device::new(lanthorn_cuda::emulator::open(options)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_cuda_devices() {
        assert!(by_name("cpu").is_none() && by_name("cudax").is_none());
        assert!(by_name("cuda:x").unwrap().unwrap_err().message().contains("no number"));
        assert!(by_name("cuda:4096").unwrap().unwrap_err().is_device());
    }

    #[cfg(not(feature = "cuda"))]
    #[test]
    fn a_build_without_it_says_so() {
        let error = by_name("cuda").unwrap().unwrap_err();
        assert!(error.is_device() && error.message().contains("built without the feature `cuda`"), "{error}");
        assert!(!cuda_is_available() && cuda_device_count().is_err());
    }
}
