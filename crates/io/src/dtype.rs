//! The element types of files, with their names in each format.

use std::fmt;

/// The element type of a tensor in a file.
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// use lanthorn::io::DType;
/// assert_eq!(DType::BF16.name(), "bfloat16");
/// assert_eq!(DType::from_safetensors("BF16"), Some(DType::BF16));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// One byte, 0 or 1.
    Bool,
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// IEEE half precision.
    F16,
    /// The upper 16 bits of a float32.
    BF16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

/// The names of an element type: PyTorch's, safetensors', PyTorch's storage class, NumPy's
/// little-endian descriptor.
struct Names {
    dtype: DType,
    size: usize,
    pytorch: &'static str,
    safetensors: &'static str,
    storage: &'static str,
    numpy: Option<&'static str>,
}

const fn names(
    dtype: DType,
    size: usize,
    pytorch: &'static str,
    safetensors: &'static str,
    storage: &'static str,
    numpy: Option<&'static str>,
) -> Names {
    Names { dtype, size, pytorch, safetensors, storage, numpy }
}

/// In declaration order, so that a type as an integer is its index here.
static NAMES: [Names; 10] = [
    names(DType::Bool, 1, "bool", "BOOL", "BoolStorage", Some("|b1")),
    names(DType::U8, 1, "uint8", "U8", "ByteStorage", Some("|u1")),
    names(DType::I8, 1, "int8", "I8", "CharStorage", Some("|i1")),
    names(DType::I16, 2, "int16", "I16", "ShortStorage", Some("<i2")),
    names(DType::I32, 4, "int32", "I32", "IntStorage", Some("<i4")),
    names(DType::I64, 8, "int64", "I64", "LongStorage", Some("<i8")),
    names(DType::F16, 2, "float16", "F16", "HalfStorage", Some("<f2")),
    names(DType::BF16, 2, "bfloat16", "BF16", "BFloat16Storage", None),
    names(DType::F32, 4, "float32", "F32", "FloatStorage", Some("<f4")),
    names(DType::F64, 8, "float64", "F64", "DoubleStorage", Some("<f8")),
];

impl DType {
    /// Every element type.
    pub fn all() -> impl Iterator<Item = DType> {
        NAMES.iter().map(|names| names.dtype)
    }

    fn names(self) -> &'static Names {
        &NAMES[self as usize]
    }

    fn find(matches: impl Fn(&Names) -> bool) -> Option<DType> {
        NAMES.iter().find(|names| matches(names)).map(|names| names.dtype)
    }

    /// PyTorch's name: `float32`, `uint8`, `bool`.
    pub fn name(self) -> &'static str {
        self.names().pytorch
    }

    /// The size of an element in bytes.
    pub fn size(self) -> usize {
        self.names().size
    }

    /// Whether the devices of a page support this type. Only the CPU, a `wide` device, supports
    /// 64-bit types.
    pub fn is_in_page(self, wide: bool) -> bool {
        match self {
            DType::I8 | DType::I16 => false,
            DType::I64 | DType::F64 => wide,
            _ => true,
        }
    }

    /// The name in a safetensors header: `F32`.
    pub fn safetensors(self) -> &'static str {
        self.names().safetensors
    }

    /// The name of PyTorch's storage class for this type: `FloatStorage`.
    pub fn storage(self) -> &'static str {
        self.names().storage
    }

    /// NumPy's descriptor, little-endian: `<f4`. NumPy has none for bfloat16.
    pub fn numpy(self) -> Option<&'static str> {
        self.names().numpy
    }

    /// The type with this PyTorch name.
    pub fn from_name(name: &str) -> Option<DType> {
        DType::find(|names| names.pytorch == name)
    }

    /// The type with this name in a safetensors header.
    pub fn from_safetensors(name: &str) -> Option<DType> {
        DType::find(|names| names.safetensors == name)
    }

    /// The type of a PyTorch storage with this class name.
    pub fn from_storage(name: &str) -> Option<DType> {
        DType::find(|names| names.storage == name)
    }
}

/// A type of files that no device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotOfDevices(DType);

impl fmt::Display for NotOfDevices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tensors of {}", self.0)
    }
}

impl std::error::Error for NotOfDevices {}

impl TryFrom<DType> for lanthorn_ir::DType {
    type Error = NotOfDevices;

    fn try_from(dtype: DType) -> Result<lanthorn_ir::DType, NotOfDevices> {
        use lanthorn_ir::DType as Device;
        Ok(match dtype {
            DType::Bool => Device::Bool,
            DType::U8 => Device::U8,
            DType::I32 => Device::I32,
            DType::I64 => Device::I64,
            DType::F16 => Device::F16,
            DType::BF16 => Device::BF16,
            DType::F32 => Device::F32,
            DType::F64 => Device::F64,
            DType::I8 | DType::I16 => return Err(NotOfDevices(dtype)),
        })
    }
}

/// Files have every type of devices.
impl From<lanthorn_ir::DType> for DType {
    fn from(dtype: lanthorn_ir::DType) -> DType {
        use lanthorn_ir::DType as Device;
        match dtype {
            Device::Bool => DType::Bool,
            Device::U8 => DType::U8,
            Device::I32 => DType::I32,
            Device::I64 => DType::I64,
            Device::F16 => DType::F16,
            Device::BF16 => DType::BF16,
            Device::F32 => DType::F32,
            Device::F64 => DType::F64,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_its_own_index() {
        for dtype in DType::all() {
            assert_eq!(dtype.names().dtype, dtype);
            assert_eq!(DType::from_name(dtype.name()), Some(dtype));
            assert_eq!(DType::from_safetensors(dtype.safetensors()), Some(dtype));
            assert_eq!(DType::from_storage(dtype.storage()), Some(dtype));
        }
        assert_eq!(DType::from_safetensors("F8_E4M3"), None);
    }

    #[test]
    fn a_type_of_devices_is_one_of_files() {
        for device in lanthorn_ir::DType::ALL {
            let dtype = DType::from(device);
            assert_eq!((dtype.name(), dtype.size()), (device.name(), device.size()));
            assert_eq!(lanthorn_ir::DType::try_from(dtype), Ok(device));
        }
        let odd = lanthorn_ir::DType::try_from(DType::I8).unwrap_err();
        assert_eq!(odd.to_string(), "tensors of int8");
        assert_eq!(DType::all().filter(|&dtype| lanthorn_ir::DType::try_from(dtype).is_err()).count(), 2);
    }
}
