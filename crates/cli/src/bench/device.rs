//! The devices of a run: the named device and, for products in TF32, a second device on the same
//! GPU, because TF32 is a setting of a device.

use super::Arithmetic;
use lanthorn::{DType, Device, Result};

/// The named device, and the device opened for TF32.
pub(super) struct Devices {
    name: String,
    plain: Device,
    tf32: Option<Device>,
}

impl Devices {
    pub(super) async fn open(name: &str) -> Result<Devices> {
        Ok(Devices { name: name.to_string(), plain: lanthorn::device(name).await?, tf32: None })
    }

    pub(super) fn plain(&self) -> &Device {
        &self.plain
    }

    /// Returns the device for products of a kind, or the reason why there is none.
    pub(super) fn with(&mut self, arithmetic: Arithmetic) -> Result<Result<Device, String>> {
        let lacks = |dtype| !self.plain.capabilities().dtypes.contains(&dtype);
        match arithmetic {
            Arithmetic::Bfloat16 if lacks(DType::BF16) => Ok(Err("the device has no bfloat16".into())),
            Arithmetic::Float32 | Arithmetic::Bfloat16 => Ok(Ok(self.plain.clone())),
            Arithmetic::Tf32 => {
                if self.tf32.is_none() {
                    self.tf32 = allowing_tf32(&self.name)?;
                }
                Ok(self.tf32.clone().ok_or_else(|| "TF32 is for CUDA alone".into()))
            }
        }
    }
}

/// Opens the device of this name with TF32 allowed. Returns `None` if it is not a CUDA device.
#[cfg(feature = "cuda")]
fn allowing_tf32(name: &str) -> Result<Option<Device>> {
    let ordinal =
        if name == "cuda" { Some(0) } else { name.strip_prefix("cuda:").and_then(|ordinal| ordinal.parse().ok()) };
    let settings = lanthorn::CudaSettings { allow_tf32: true, ..Default::default() };
    ordinal.map(|ordinal| lanthorn::cuda_with(ordinal, settings)).transpose()
}

/// A build without CUDA has no such device.
#[cfg(not(feature = "cuda"))]
fn allowing_tf32(_name: &str) -> Result<Option<Device>> {
    Ok(None)
}
