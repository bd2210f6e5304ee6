//! ONNX: models are read into programs, run on the op table, and written.

pub mod hosted;
pub mod operators;
pub mod proto;

use lanthorn_io::DType;

/// The element type here of a number of ONNX's element types ([`proto::DataType`]): the nearest that
/// holds all values, uint64 but for values from 2⁶³.
pub fn dtype_of(number: i32) -> Option<DType> {
    use proto::DataType as T;
    Some(match T::try_from(number).ok()? {
        T::Bool => DType::Bool,
        T::Uint8 | T::Uint4 | T::Uint2 => DType::U8,
        T::Int8 | T::Int4 | T::Int2 => DType::I8,
        T::Int16 => DType::I16,
        T::Int32 | T::Uint16 => DType::I32,
        T::Int64 | T::Uint32 | T::Uint64 => DType::I64,
        T::Float16 => DType::F16,
        T::Bfloat16 => DType::BF16,
        T::Float
        | T::Float8e4m3fn
        | T::Float8e4m3fnuz
        | T::Float8e5m2
        | T::Float8e5m2fnuz
        | T::Float4e2m1
        | T::Float8e8m0 => DType::F32,
        T::Double => DType::F64,
        T::Undefined | T::String | T::Complex64 | T::Complex128 => return None,
    })
}
