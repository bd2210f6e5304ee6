//! ONNX's element types, and lanthorn's types that hold their elements.

use super::small_float::SmallFloat;
use crate::proto::DataType;
use lanthorn_io::DType;

/// The conversion of elements to a type of [`DType`].
#[derive(Clone, Copy)]
pub(super) enum Encoding {
    /// The bytes stay the same.
    Same,
    /// An unsigned integer is zero-extended.
    Unsigned,
    /// A signed integer is sign-extended.
    Signed,
    /// A float of at most 8 bits becomes float32.
    Float(SmallFloat),
}

pub(super) struct Row {
    data_type: DataType,
    pub name: &'static str,
    /// The number of bits of an element in raw data.
    pub bits: usize,
    pub dtype: DType,
    pub encoding: Encoding,
}

const fn row(data_type: DataType, name: &'static str, bits: usize, dtype: DType, encoding: Encoding) -> Row {
    Row { data_type, name, bits, dtype, encoding }
}

static ROWS: [Row; 25] = [
    row(DataType::Float, "float32", 32, DType::F32, Encoding::Same),
    row(DataType::Uint8, "uint8", 8, DType::U8, Encoding::Same),
    row(DataType::Int8, "int8", 8, DType::I8, Encoding::Same),
    row(DataType::Uint16, "uint16", 16, DType::I32, Encoding::Unsigned),
    row(DataType::Int16, "int16", 16, DType::I16, Encoding::Same),
    row(DataType::Int32, "int32", 32, DType::I32, Encoding::Same),
    row(DataType::Int64, "int64", 64, DType::I64, Encoding::Same),
    row(DataType::Bool, "bool", 8, DType::Bool, Encoding::Same),
    row(DataType::Float16, "float16", 16, DType::F16, Encoding::Same),
    row(DataType::Double, "float64", 64, DType::F64, Encoding::Same),
    row(DataType::Uint32, "uint32", 32, DType::I64, Encoding::Unsigned),
    row(DataType::Uint64, "uint64", 64, DType::I64, Encoding::Unsigned),
    row(DataType::Bfloat16, "bfloat16", 16, DType::BF16, Encoding::Same),
    row(DataType::Float8e4m3fn, "float8e4m3fn", 8, DType::F32, Encoding::Float(SmallFloat::E4M3FN)),
    row(DataType::Float8e4m3fnuz, "float8e4m3fnuz", 8, DType::F32, Encoding::Float(SmallFloat::E4M3FNUZ)),
    row(DataType::Float8e5m2, "float8e5m2", 8, DType::F32, Encoding::Float(SmallFloat::E5M2)),
    row(DataType::Float8e5m2fnuz, "float8e5m2fnuz", 8, DType::F32, Encoding::Float(SmallFloat::E5M2FNUZ)),
    row(DataType::Float8e8m0, "float8e8m0", 8, DType::F32, Encoding::Float(SmallFloat::E8M0)),
    row(DataType::Uint4, "uint4", 4, DType::U8, Encoding::Unsigned),
    row(DataType::Int4, "int4", 4, DType::I8, Encoding::Signed),
    row(DataType::Uint2, "uint2", 2, DType::U8, Encoding::Unsigned),
    row(DataType::Int2, "int2", 2, DType::I8, Encoding::Signed),
    row(DataType::Float4e2m1, "float4e2m1", 4, DType::F32, Encoding::Float(SmallFloat::E2M1)),
    row(DataType::Float6e2m3, "float6e2m3", 6, DType::F32, Encoding::Float(SmallFloat::E2M3)),
    row(DataType::Float6e3m2, "float6e3m2", 6, DType::F32, Encoding::Float(SmallFloat::E3M2)),
];

impl DataType {
    pub(super) fn row(self) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.data_type == self)
    }

    /// Returns lanthorn's element type that holds the elements, or `None` for text and complex
    /// numbers.
    ///
    /// uint16 becomes int32. uint32 and uint64 become int64; a uint64 above the largest int64 is an
    /// error. int4 and int2 become int8, and uint4 and uint2 become uint8. Floats of 4, 6 and 8
    /// bits become float32, which represents them exactly. Other types stay the same.
    ///
    /// ```
    /// use lanthorn::io::DType;
    /// use lanthorn::onnx::proto::DataType;
    /// assert_eq!(DataType::Uint16.dtype(), Some(DType::I32));
    /// assert_eq!(DataType::String.dtype(), None);
    /// ```
    pub fn dtype(self) -> Option<DType> {
        self.row().map(|row| row.dtype)
    }

    /// Returns ONNX's type for one of lanthorn's.
    pub fn of(dtype: DType) -> Option<DataType> {
        let same = |row: &&Row| row.dtype == dtype && matches!(row.encoding, Encoding::Same);
        ROWS.iter().find(same).map(|row| row.data_type)
    }

    /// Returns the type's name: `float32`, `uint4`.
    pub fn name(self) -> &'static str {
        match self {
            DataType::Undefined => "undefined",
            DataType::String => "string",
            DataType::Complex64 => "complex64",
            DataType::Complex128 => "complex128",
            _ => self.row().map_or("unknown", |row| row.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_type_has_a_name_and_numbers_a_type() {
        for number in 1..=28 {
            let data_type = DataType::try_from(number).unwrap();
            assert_ne!(data_type.name(), "unknown", "{data_type:?}");
            let no_number = matches!(data_type, DataType::String | DataType::Complex64 | DataType::Complex128);
            assert_eq!(data_type.dtype().is_none(), no_number, "{data_type:?}");
        }
        for dtype in DType::all() {
            assert_eq!(DataType::of(dtype).and_then(DataType::dtype), Some(dtype));
        }
    }
}
