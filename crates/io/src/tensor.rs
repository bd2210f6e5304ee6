//! A tensor in a file: an element type, a shape, and bytes.

use crate::{DType, Error, Format, Result};
use std::borrow::Cow;

/// The elements of a tensor, contiguous in row-major order and little-endian. They borrow from the
/// file if it stores them in this order, and are owned otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorData<'a> {
    dtype: DType,
    shape: Vec<usize>,
    bytes: Cow<'a, [u8]>,
}

/// Named tensors, in the file's order.
pub type Tensors<'a> = Vec<(String, TensorData<'a>)>;

/// Returns the size in bytes of a tensor of this type and shape, or `None` if it exceeds a `usize`.
pub fn byte_length(dtype: DType, shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(dtype.size(), |product, &size| product.checked_mul(size))
}

impl<'a> TensorData<'a> {
    /// A tensor of these bytes. Returns `None` if their number does not match the type and shape.
    ///
    /// ```
    /// # mod lanthorn { pub use lanthorn_io as io; }
    /// use lanthorn::io::{DType, TensorData};
    /// assert!(TensorData::new(DType::F32, vec![2], vec![0; 8]).is_some());
    /// assert!(TensorData::new(DType::F32, vec![3], vec![0; 8]).is_none());
    /// ```
    pub fn new(dtype: DType, shape: Vec<usize>, bytes: impl Into<Cow<'a, [u8]>>) -> Option<TensorData<'a>> {
        let bytes = bytes.into();
        (byte_length(dtype, &shape)? == bytes.len()).then_some(TensorData { dtype, shape, bytes })
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The size of each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Returns the elements, contiguous in row-major order, little-endian.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes; borrowed bytes are copied.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_owned()
    }

    /// Returns the tensor with owned bytes.
    pub fn into_owned(self) -> TensorData<'static> {
        TensorData { dtype: self.dtype, shape: self.shape, bytes: Cow::Owned(self.bytes.into_owned()) }
    }
}

/// Converts the sizes in a file to `usize`.
pub(crate) fn checked_shape(
    format: Format,
    dtype: DType,
    sizes: &[u64],
    concerning: &str,
) -> Result<(Vec<usize>, usize)> {
    let fits = || -> Option<(Vec<usize>, usize)> {
        let shape = sizes.iter().map(|&size| usize::try_from(size).ok()).collect::<Option<Vec<usize>>>()?;
        let length = byte_length(dtype, &shape)?;
        Some((shape, length))
    };
    fits().ok_or_else(|| {
        Error::too_large(format, format!("{concerning}: the bytes of shape {sizes:?} cannot be counted"))
    })
}

/// Returns a strided tensor of a storage. Offset and strides count elements. Returns `None` if an
/// element is outside of the storage, or if the result has more than `limit` bytes.
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// use lanthorn::io::{DType, strided};
/// let column = strided(DType::U8, &[1, 2, 3, 4], 1, &[2], &[2], 100).unwrap();
/// assert_eq!(column.bytes(), [2, 4]);
/// assert!(strided(DType::U8, &[1, 2, 3, 4], 1, &[3], &[2], 100).is_none());
/// ```
pub fn strided<'a>(
    dtype: DType,
    storage: &'a [u8],
    offset: u64,
    sizes: &[u64],
    strides: &[u64],
    limit: usize,
) -> Option<TensorData<'a>> {
    let shape = sizes.iter().map(|&size| usize::try_from(size).ok()).collect::<Option<Vec<usize>>>()?;
    let length = byte_length(dtype, &shape).filter(|&length| length <= limit && strides.len() == sizes.len())?;
    if length == 0 {
        return TensorData::new(dtype, shape, Vec::new());
    }
    let size = dtype.size();
    let bytes = |elements: u64| usize::try_from(elements).ok()?.checked_mul(size);
    let steps = sizes.iter().zip(strides).map(|(&size, &stride)| (size - 1).checked_mul(stride));
    let last = steps.into_iter().try_fold(offset, |last, step| last.checked_add(step?))?;
    let end = bytes(last.checked_add(1)?).filter(|&end| end <= storage.len())?;
    let start = bytes(offset)?;
    let byte_strides = strides.iter().map(|&stride| bytes(stride)).collect::<Option<Vec<usize>>>()?;
    let mut expected = size;
    let dims = shape.iter().zip(&byte_strides).rev();
    let contiguous = dims.into_iter().all(|(&size, &stride)| {
        let fits = size == 1 || stride == expected;
        expected *= size;
        fits
    });
    if contiguous {
        return TensorData::new(dtype, shape, &storage[start..end]);
    }
    let gathered = gather(storage, start, &shape, &byte_strides, size);
    TensorData::new(dtype, shape, gathered)
}

/// Gathers the elements of a strided tensor in row-major order. Offset and strides are in bytes.
/// Every element must be within `data`, unless the shape has no elements.
pub(crate) fn gather(data: &[u8], offset: usize, shape: &[usize], strides: &[usize], size: usize) -> Vec<u8> {
    let elements: usize = if shape.contains(&0) { 0 } else { shape.iter().product() };
    let mut gathered = Vec::with_capacity(elements * size);
    let mut index = vec![0; shape.len()];
    let mut at = offset;
    for _ in 0..elements {
        gathered.extend(&data[at..at + size]);
        for dim in (0..shape.len()).rev() {
            index[dim] += 1;
            at += strides[dim];
            if index[dim] < shape[dim] {
                break;
            }
            at -= strides[dim] * shape[dim];
            index[dim] = 0;
        }
    }
    gathered
}
