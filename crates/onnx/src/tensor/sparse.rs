//! Converts sparse tensors to dense ones.

use super::{count, shape};
use crate::proto::SparseTensorProto;
use lanthorn_io::{DType, TensorData, byte_length};
use lanthorn_program::{Error, Result};

/// The most bytes of a sparse tensor in dense form. A few bytes of a file can declare any size.
pub const MAX_DENSE_BYTES: usize = 1 << 28;

impl SparseTensorProto {
    /// Returns the tensor's name, which is the name of its values.
    pub fn name(&self) -> &str {
        self.values.as_ref().map_or("", |values| values.name())
    }

    /// Returns the tensor in dense form. The indices are flat, or one row for each element, and
    /// ascend.
    ///
    /// # Errors
    ///
    /// The errors of [`TensorProto::data`](crate::proto::TensorProto::data); [`Error::Malformed`]
    /// if the numbers of indices and values differ, or indices are out of range or do not ascend;
    /// [`Error::Limit`] for more than [`MAX_DENSE_BYTES`].
    pub fn to_dense(&self) -> Result<TensorData<'static>> {
        let (Some(values), Some(indices)) = (&self.values, &self.indices) else {
            return Err(self.error("it has no values or no indices"));
        };
        let shape = shape(&self.dims, &self.describe())?;
        let (values, indices) = (values.data()?, indices.data()?);
        let (dtype, &[nonzero]) = (values.dtype(), values.shape()) else {
            return Err(self.error(format!("its values have the shape {:?}", values.shape())));
        };
        let flat = match indices.shape() {
            &[number] if number == nonzero => true,
            &[number, rank] if number == nonzero && rank == shape.len() => false,
            other => {
                return Err(self.error(format!("{nonzero} values of shape {shape:?} and indices of shape {other:?}")));
            }
        };
        if indices.dtype() != DType::I64 {
            return Err(self.error(format!("its indices are {}", indices.dtype())));
        }
        let too_large =
            || Error::Limit(format!("{}: dense, it has more than {MAX_DENSE_BYTES} bytes", self.describe()));
        let length = byte_length(dtype, &shape).filter(|&length| length <= MAX_DENSE_BYTES).ok_or_else(too_large)?;
        let mut dense = vec![0; length];
        let indices: Vec<i64> = indices.bytes().as_chunks().0.iter().map(|&index| i64::from_le_bytes(index)).collect();
        let (width, sizes) = if flat { (1, vec![count(&shape)]) } else { (shape.len(), shape.clone()) };
        let size = dtype.size();
        let mut next = 0;
        for (row, value) in values.bytes().chunks_exact(size).enumerate() {
            let index = &indices[row * width..(row + 1) * width];
            let position = position(index, &sizes)
                .ok_or_else(|| self.error(format!("the index {index:?} is outside of {shape:?}")))?;
            if position < next {
                return Err(self.error(format!("the index {index:?} is not after the one before it")));
            }
            next = position + 1;
            dense[position * size..next * size].copy_from_slice(value);
        }
        TensorData::new(dtype, shape, dense).ok_or_else(too_large)
    }

    fn describe(&self) -> String {
        self.values.as_ref().map_or_else(|| "tensor ``".to_string(), |values| values.describe())
    }

    fn error(&self, message: impl std::fmt::Display) -> Error {
        Error::malformed(format!("sparse {}: {message}", self.describe()))
    }
}

/// Returns the row-major offset of an element.
fn position(index: &[i64], sizes: &[usize]) -> Option<usize> {
    let mut position = 0;
    for (&index, &size) in index.iter().zip(sizes) {
        position = position * size + usize::try_from(index).ok().filter(|&index| index < size)?;
    }
    // A tensor without dimensions has one element.
    Some(position)
}
