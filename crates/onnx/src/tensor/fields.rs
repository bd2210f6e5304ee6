//! Lays out elements in fields of numbers as raw data.

use super::{count, raw_length};
use crate::proto::{DataType, TensorProto};
use lanthorn_program::Result;
use std::borrow::Cow;

impl TensorProto {
    /// Whether the tensor has a field of elements, or is a segment, which has only some of them.
    pub(crate) fn has_elements(&self) -> bool {
        self.segment.is_some() || self.filled_fields().next().is_some()
    }

    /// Returns the fields that have elements, with their lengths.
    fn filled_fields(&self) -> impl Iterator<Item = (&'static str, usize)> + use<> {
        let fields = [
            ("raw_data", self.raw_data().len()),
            ("float_data", self.float_data.len()),
            ("int32_data", self.int32_data.len()),
            ("int64_data", self.int64_data.len()),
            ("double_data", self.double_data.len()),
            ("uint64_data", self.uint64_data.len()),
            ("string_data", self.string_data.len()),
        ];
        fields.into_iter().filter(|&(_, length)| length > 0)
    }

    /// Returns the elements as raw data, whichever field holds them.
    pub(super) fn raw_elements(&self) -> Result<Cow<'_, [u8]>> {
        let row = self.row()?;
        let data_type = self.element_type()?;
        if self.segment.is_some() {
            return Err(self.error("it is a segment of a tensor"));
        }
        let mut filled = self.filled_fields();
        let first = filled.next();
        if let (Some((first, _)), Some((second, _))) = (first, filled.next()) {
            return Err(self.error(format!("it has elements in both {first} and {second}")));
        }
        let Some((field, length)) = first else { return Ok(Cow::Borrowed(&[])) };
        if field == "raw_data" {
            return Ok(Cow::Borrowed(self.raw_data()));
        }
        let expected = field_of(data_type);
        if field != expected {
            return Err(self.error(format!("elements of {} are in {expected}, not in {field}", row.name)));
        }
        // An entry holds one byte of packed elements, except for elements of 6 bits.
        let shape = self.shape()?;
        let entries = match row.bits {
            bits @ (2 | 4) => raw_length(bits, count(&shape)).ok_or_else(|| self.too_large())?,
            _ => count(&shape),
        };
        if length != entries {
            let message = format!("{} of shape {shape:?} takes {entries} of {field}, and there are {length}", row.name);
            return Err(self.error(message));
        }
        Ok(Cow::Owned(match field {
            "float_data" => bytes(&self.float_data, f32::to_le_bytes),
            "double_data" => bytes(&self.double_data, f64::to_le_bytes),
            "int64_data" => bytes(&self.int64_data, i64::to_le_bytes),
            "uint64_data" if row.bits == 64 => bytes(&self.uint64_data, u64::to_le_bytes),
            "uint64_data" => {
                self.narrow(&self.uint64_data, |number| u32::try_from(number).ok().map(u32::to_le_bytes))?
            }
            _ => self.int32_elements(data_type, row.bits)?,
        }))
    }

    fn int32_elements(&self, data_type: DataType, bits: usize) -> Result<Vec<u8>> {
        let numbers = &self.int32_data;
        match (data_type, bits) {
            (DataType::Bool, _) => Ok(numbers.iter().map(|&number| u8::from(number != 0)).collect()),
            (DataType::Int8, _) => self.narrow(numbers, |number| Some(i8::try_from(number).ok()?.to_le_bytes())),
            (DataType::Int16, _) => self.narrow(numbers, |number| Some(i16::try_from(number).ok()?.to_le_bytes())),
            (_, 32) => Ok(bytes(numbers, i32::to_le_bytes)),
            (_, 16) => self.narrow(numbers, |number| {
                Some((code(number, 16, data_type != DataType::Uint16)? as u16).to_le_bytes())
            }),
            (_, 6) => {
                let codes = self.narrow(numbers, |number| Some([code(number, 6, false)? as u8]))?;
                Ok(codes.chunks(4).flat_map(packed_6).collect())
            }
            _ => self.narrow(numbers, |number| Some([code(number, 8, data_type != DataType::Uint8)? as u8])),
        }
    }

    fn narrow<T: Copy + std::fmt::Display, const N: usize>(
        &self,
        numbers: &[T],
        narrow: impl Fn(T) -> Option<[u8; N]>,
    ) -> Result<Vec<u8>> {
        let name = self.row()?.name;
        let mut bytes = Vec::with_capacity(numbers.len() * N);
        for &number in numbers {
            bytes.extend(narrow(number).ok_or_else(|| self.error(format!("{number} is no {name}")))?);
        }
        Ok(bytes)
    }
}

/// Checks that a number fits into `bits` bits. Some writers sign-extend the bits of a float, and
/// others do not.
fn code(number: i32, bits: u32, extended: bool) -> Option<i32> {
    let low = number & ((1 << bits) - 1);
    let shift = i32::BITS - bits;
    (number == low || extended && number << shift >> shift == number).then_some(low)
}

/// Returns the field that holds a type's elements if `raw_data` is absent.
fn field_of(data_type: DataType) -> &'static str {
    match data_type {
        DataType::Float => "float_data",
        DataType::Double => "double_data",
        DataType::Int64 => "int64_data",
        DataType::Uint32 | DataType::Uint64 => "uint64_data",
        _ => "int32_data",
    }
}

fn bytes<T: Copy, const N: usize>(numbers: &[T], encode: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(|&number| encode(number)).collect()
}

/// Packs at most four codes of 6 bits, from the lowest bit of the first byte.
pub(super) fn packed_6(codes: &[u8]) -> impl Iterator<Item = u8> + use<> {
    let packed = codes.iter().rev().fold(0u32, |packed, &code| packed << 6 | u32::from(code));
    packed.to_le_bytes().into_iter().take((codes.len() * 6).div_ceil(8))
}
