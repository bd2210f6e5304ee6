//! The numbers of the schema's enums, which differ from c10's.

use lanthorn_io::DType;

/// The element types.
const DTYPES: [(i64, DType); 10] = [
    (1, DType::U8),
    (2, DType::I8),
    (3, DType::I16),
    (4, DType::I32),
    (5, DType::I64),
    (6, DType::F16),
    (7, DType::F32),
    (8, DType::F64),
    (12, DType::Bool),
    (13, DType::BF16),
];

/// Complex types, and the type of their parts.
const COMPLEX: [(i64, DType); 3] = [(9, DType::F16), (10, DType::F32), (11, DType::F64)];

/// The layout of dense tensors.
pub(super) const STRIDED: i64 = 7;

/// Memory formats: the schema's numbers and c10's (contiguous, channels last, channels last in
/// three dimensions, preserved).
const MEMORY_FORMATS: [(i64, i64); 4] = [(1, 0), (2, 2), (3, 3), (4, 1)];

/// Returns the element type of a number.
pub(super) fn dtype(number: i64) -> Option<DType> {
    DTYPES.iter().find(|(known, _)| *known == number).map(|(_, dtype)| *dtype)
}

/// Returns the number of an element type.
pub(super) fn dtype_number(dtype: DType) -> Option<i64> {
    DTYPES.iter().find(|(_, known)| *known == dtype).map(|(number, _)| *number)
}

/// Returns the type of the real and imaginary parts for the number of a complex type.
pub(super) fn pair_dtype(number: i64) -> Option<DType> {
    COMPLEX.iter().find(|(known, _)| *known == number).map(|(_, dtype)| *dtype)
}

/// Returns the number of the complex type whose parts have this type.
pub(super) fn complex_number(parts: DType) -> Option<i64> {
    COMPLEX.iter().find(|(_, known)| *known == parts).map(|(number, _)| *number)
}

/// Whether a number denotes a complex type.
pub(super) fn is_complex(number: i64) -> bool {
    pair_dtype(number).is_some()
}

/// Returns c10's number of a memory format.
pub(super) fn memory_format(number: i64) -> Option<i64> {
    MEMORY_FORMATS.iter().find(|(known, _)| *known == number).map(|(_, c10)| *c10)
}

/// Returns the schema's number of a memory format of c10.
pub(super) fn memory_format_number(c10: i64) -> Option<i64> {
    MEMORY_FORMATS.iter().find(|(_, known)| *known == c10).map(|(number, _)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_type_has_a_number() {
        for known in DType::all() {
            assert_eq!(dtype_number(known).and_then(dtype), Some(known), "{known}");
        }
    }
}
