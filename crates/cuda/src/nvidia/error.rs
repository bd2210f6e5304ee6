//! Converts the driver's errors.

use cudarc::driver::{DriverError, sys::CUresult};
use lanthorn_ir::{Error, Result};

/// Converts a result of the driver. `op` is the operation that failed.
pub(super) fn to_result<T>(op: &str, answer: Result<T, DriverError>) -> Result<T> {
    answer.map_err(|error| from_driver(op, error.0, &describe(&error)))
}

fn describe(error: &DriverError) -> String {
    let text = |part: Result<&std::ffi::CStr, DriverError>| {
        part.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
    };
    format!("{}: {}", text(error.error_name()), text(error.error_string()))
}

fn from_driver(op: &str, code: CUresult, text: &str) -> Error {
    use CUresult::*;
    match code {
        CUDA_ERROR_OUT_OF_MEMORY => {
            Error::out_of_memory(op, "the device has no room left; free tensors or use smaller ones")
        }
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => Error::limit(op, text),
        // After these errors a context is unusable.
        CUDA_ERROR_ILLEGAL_ADDRESS
        | CUDA_ERROR_LAUNCH_TIMEOUT
        | CUDA_ERROR_LAUNCH_FAILED
        | CUDA_ERROR_ASSERT
        | CUDA_ERROR_HARDWARE_STACK_ERROR
        | CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUDA_ERROR_MISALIGNED_ADDRESS
        | CUDA_ERROR_INVALID_ADDRESS_SPACE
        | CUDA_ERROR_INVALID_PC
        | CUDA_ERROR_ECC_UNCORRECTABLE
        | CUDA_ERROR_NVLINK_UNCORRECTABLE
        | CUDA_ERROR_CONTEXT_IS_DESTROYED
        | CUDA_ERROR_DEINITIALIZED
        | CUDA_ERROR_DEVICE_UNAVAILABLE
        | CUDA_ERROR_EXTERNAL_DEVICE => Error::device_lost(
            "cuda",
            format!("the GPU device is lost ({text}); make a new device and load a checkpoint"),
        ),
        CUDA_ERROR_NO_DEVICE
        | CUDA_ERROR_INVALID_DEVICE
        | CUDA_ERROR_NOT_INITIALIZED
        | CUDA_ERROR_STUB_LIBRARY
        | CUDA_ERROR_SYSTEM_NOT_READY
        | CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
        | CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE
        | CUDA_ERROR_OPERATING_SYSTEM
        | CUDA_ERROR_UNKNOWN => Error::device(op, text),
        _ => Error::kernel(op, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_their_kind() {
        let kind = |code| from_driver("launch", code, "TEXT");
        assert!(kind(CUresult::CUDA_ERROR_OUT_OF_MEMORY).is_out_of_memory());
        let lost = kind(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        assert!(lost.is_device_lost() && lost.message().contains("TEXT"), "{lost}");
        assert!(kind(CUresult::CUDA_ERROR_NO_DEVICE).is_device());
        assert!(kind(CUresult::CUDA_ERROR_INVALID_VALUE).is_kernel());
    }
}
