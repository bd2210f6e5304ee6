//! Writes tensors as raw data.

use super::{
    element_type::{Encoding, Row},
    fields::packed_6,
};
use crate::proto::{DataType, TensorProto};
use lanthorn_io::{DType, TensorData, shorten};
use lanthorn_program::{Error, Result};

impl TensorProto {
    /// Returns a tensor with raw data, in the given element type or in the type of `data`.
    ///
    /// The numbers may have the wider type that devices use for the element type, which
    /// [`TensorData::convert_for_file`] converts. Floats of 4, 6 and 8 bits are rounded to the
    /// nearest.
    ///
    /// ```
    /// use lanthorn::io::{DType, TensorData};
    /// use lanthorn::onnx::proto::{DataType, TensorProto};
    /// let data = TensorData::new(DType::I8, vec![3], vec![7, 255, 1]).unwrap();
    /// let tensor = TensorProto::from_data("zero_points", data, Some(DataType::Int4))?;
    /// assert_eq!(tensor.raw_data(), [0xf7, 0x01]);
    /// # Ok::<(), lanthorn::program::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for a number that the element type cannot represent, and for an
    /// element type that does not match the type of `data`.
    pub fn from_data(name: &str, data: TensorData<'_>, data_type: Option<DataType>) -> Result<TensorProto> {
        let refused =
            |message: String| Error::unsupported(format!("tensor `{}`: {message}", shorten(name, super::NAME_LIMIT)));
        let dtype = data.dtype();
        let data_type = data_type.or_else(|| DataType::of(dtype));
        let row = data_type.and_then(|data_type| Some((data_type, data_type.row()?)));
        let Some((data_type, row)) = row else {
            let wanted = data_type.map_or("any element type", DataType::name);
            return Err(refused(format!("{dtype} cannot be written as {wanted}")));
        };
        let dims = data.shape().iter().map(|&size| size as i64).collect();
        let data = data.convert_for_file(row.dtype)?;
        if data.dtype() != row.dtype {
            return Err(refused(format!("{dtype} cannot be written as {}", row.name)));
        }
        let raw = match row.encoding {
            Encoding::Same => data.into_bytes(),
            _ => pack(&data, row).map_err(|number| refused(format!("{number} is no {}", row.name)))?,
        };
        Ok(TensorProto {
            dims,
            data_type: Some(data_type as i32),
            name: Some(name.to_string()),
            raw_data: Some(raw.into()),
            ..TensorProto::default()
        })
    }
}

/// Packs the elements into the bits of a type. An element that does not fit is the error.
fn pack(data: &TensorData<'_>, row: &Row) -> Result<Vec<u8>, f64> {
    let codes = codes(data, row)?;
    Ok(match row.bits {
        2 => codes.chunks(4).map(|codes| low_bits(codes, 2)).collect(),
        4 => codes.chunks(2).map(|codes| low_bits(codes, 4)).collect(),
        6 => codes
            .chunks(4)
            .flat_map(|codes| packed_6(&codes.iter().map(|&code| code as u8).collect::<Vec<u8>>()))
            .collect(),
        bits => codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(bits / 8)).collect(),
    })
}

fn low_bits(codes: &[u64], bits: usize) -> u8 {
    codes.iter().rev().fold(0, |byte, &code| byte << bits | code as u8)
}

fn codes(data: &TensorData<'_>, row: &Row) -> Result<Vec<u64>, f64> {
    let bytes = data.bytes();
    if let Encoding::Float(format) = row.encoding {
        let encode = format.encoder();
        let numbers = bytes.as_chunks().0.iter().map(|&number| f32::from_le_bytes(number));
        return numbers.map(|number| encode(number).map(u64::from).ok_or(f64::from(number))).collect();
    }
    let numbers: Vec<i64> = match data.dtype() {
        DType::U8 => bytes.iter().map(|&number| i64::from(number)).collect(),
        DType::I8 => bytes.iter().map(|&number| i64::from(number as i8)).collect(),
        DType::I32 => bytes.as_chunks().0.iter().map(|&number| i64::from(i32::from_le_bytes(number))).collect(),
        _ => bytes.as_chunks().0.iter().map(|&number| i64::from_le_bytes(number)).collect(),
    };
    let (low, high) = match row.encoding {
        Encoding::Signed => (-(1i64 << (row.bits - 1)), (1i64 << (row.bits - 1)) - 1),
        _ => (0, if row.bits == 64 { i64::MAX } else { (1 << row.bits) - 1 }),
    };
    let mask = u64::MAX >> (64 - row.bits);
    let code = |number: i64| (low..=high).contains(&number).then_some(number as u64 & mask).ok_or(number as f64);
    numbers.into_iter().map(code).collect()
}
