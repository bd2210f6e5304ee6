//! Arrays on the host, the element type of samples and batches.

use lanthorn_tensor::{DType, Device, Error, Result, Tensor};

/// The elements of a [`HostArray`], by type.
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// `bool`.
    Bool(Vec<bool>),
    /// `uint8`.
    U8(Vec<u8>),
    /// `int32`.
    I32(Vec<i32>),
    /// `float32`.
    F32(Vec<f32>),
    /// `float64`.
    F64(Vec<f64>),
}

/// A Rust type that a [`HostArray`] can hold.
pub trait HostElement: Copy + Send + Sync + 'static {
    /// Its element type.
    const DTYPE: DType;
    /// The values as elements.
    fn wrap(values: Vec<Self>) -> Elements;
    /// The elements as values, or `None` if they are of another type.
    fn slice(elements: &Elements) -> Option<&[Self]>;
}

macro_rules! elements {
    ($($variant:ident: $rust:ty;)*) => {
        $(
            impl HostElement for $rust {
                const DTYPE: DType = DType::$variant;

                fn wrap(values: Vec<$rust>) -> Elements {
                    Elements::$variant(values)
                }

                fn slice(elements: &Elements) -> Option<&[$rust]> {
                    match elements {
                        Elements::$variant(values) => Some(values),
                        _ => None,
                    }
                }
            }
        )*

        impl Elements {
            /// The element type.
            pub fn dtype(&self) -> DType {
                match self { $(Elements::$variant(_) => DType::$variant,)* }
            }

            /// The number of elements.
            pub fn len(&self) -> usize {
                match self { $(Elements::$variant(values) => values.len(),)* }
            }

            /// Whether the array has no elements.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            fn bytes(&self) -> &[u8] {
                match self { $(Elements::$variant(values) => bytemuck::cast_slice(values),)* }
            }

            fn range(&self, range: std::ops::Range<usize>) -> Elements {
                match self { $(Elements::$variant(values) => Elements::$variant(values[range].to_vec()),)* }
            }

            /// Appends elements of the same type; elements of another type are ignored.
            fn extend(&mut self, other: &Elements) {
                match (self, other) {
                    $((Elements::$variant(values), Elements::$variant(more)) => values.extend_from_slice(more),)*
                    _ => {}
                }
            }
        }
    };
}

elements! {
    Bool: bool;
    U8: u8;
    I32: i32;
    F32: f32;
    F64: f64;
}

/// An array in row-major order on the host. Unlike a tensor it can be sent to another thread.
///
/// ```
/// use lanthorn::data::HostArray;
/// let rows = HostArray::new(vec![1.0f32, 2.0, 3.0, 4.0], [2, 2])?;
/// assert_eq!(rows.row(1)?.values::<f32>()?, [3.0, 4.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HostArray {
    shape: Vec<usize>,
    elements: Elements,
}

impl HostArray {
    /// An array of these values. The number of values must be the product of `shape`.
    ///
    /// # Errors
    ///
    /// `shape` if the number of values is not the product of `shape`.
    pub fn new<T: HostElement>(values: Vec<T>, shape: impl Into<Vec<usize>>) -> Result<HostArray> {
        let shape = shape.into();
        let wanted = shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        if wanted != Some(values.len()) {
            return Err(Error::shape("HostArray", format!("shape {shape:?} does not fit {} elements", values.len())));
        }
        Ok(HostArray { shape, elements: T::wrap(values) })
    }

    /// The size of each dimension; empty for a single number.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.elements.dtype()
    }

    /// The elements by type.
    pub fn elements(&self) -> &Elements {
        &self.elements
    }

    /// The elements as a slice of `T`; an error if they are of another type.
    ///
    /// # Errors
    ///
    /// `dtype` if the elements are of another type.
    pub fn values<T: HostElement>(&self) -> Result<&[T]> {
        let wrong =
            || Error::dtype("HostArray", format!("elements are {}, not {}", self.dtype().name(), T::DTYPE.name()));
        T::slice(&self.elements).ok_or_else(wrong)
    }

    /// The elements as float32.
    pub fn to_f32(&self) -> Vec<f32> {
        match &self.elements {
            Elements::Bool(values) => values.iter().map(|&value| f32::from(u8::from(value))).collect(),
            Elements::U8(values) => values.iter().map(|&value| f32::from(value)).collect(),
            Elements::I32(values) => values.iter().map(|&value| value as f32).collect(),
            Elements::F32(values) => values.clone(),
            Elements::F64(values) => values.iter().map(|&value| value as f32).collect(),
        }
    }

    /// `array[index]`: the subarray at this index of the first dimension.
    ///
    /// # Errors
    ///
    /// `shape` for a single number, and `index` beyond the rows.
    pub fn row(&self, index: usize) -> Result<HostArray> {
        let Some((&count, shape)) = self.shape.split_first() else {
            return Err(Error::shape("HostArray", "a single number has no rows"));
        };
        if index >= count {
            return Err(Error::index("HostArray", format!("index {index} is out of range for {count} rows")));
        }
        let size: usize = shape.iter().product();
        Ok(HostArray { shape: shape.to_vec(), elements: self.elements.range(index * size..(index + 1) * size) })
    }

    /// The arrays stacked along a new first dimension, as `torch.stack` does. All must have the
    /// same shape and type.
    ///
    /// # Errors
    ///
    /// `shape` for no arrays or arrays of several shapes, and `dtype` for several types.
    pub fn stack(arrays: &[HostArray]) -> Result<HostArray> {
        let Some((first, rest)) = arrays.split_first() else {
            return Err(Error::shape("stack", "there is nothing to stack"));
        };
        let mut elements = first.elements.clone();
        for (index, array) in rest.iter().enumerate() {
            if array.shape != first.shape {
                let [one, other] = [&first.shape, &array.shape];
                return Err(Error::shape(
                    "stack",
                    format!("arrays must have one shape: {one:?} at 0, {other:?} at {}", index + 1),
                ));
            }
            if array.dtype() != first.dtype() {
                let [one, other] = [first.dtype().name(), array.dtype().name()];
                return Err(Error::dtype(
                    "stack",
                    format!("arrays must have one type: {one} at 0, {other} at {}", index + 1),
                ));
            }
            elements.extend(&array.elements);
        }
        let shape = std::iter::once(arrays.len()).chain(first.shape.iter().copied()).collect();
        Ok(HostArray { shape, elements })
    }

    /// A tensor with the same shape, type and elements.
    ///
    /// # Errors
    ///
    /// The error of the device.
    pub fn to_tensor(&self, device: &Device) -> Result<Tensor> {
        let shape: Vec<i64> = self.shape.iter().map(|&size| size as i64).collect();
        Tensor::from_bytes(self.dtype(), self.elements.bytes(), shape, device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_has_the_elements_of_the_array() {
        let device = Device::new(lanthorn_cpu::CpuBackend::new());
        let array = HostArray::new(vec![true, false, true], [3]).unwrap();
        assert_eq!(array.to_tensor(&device).unwrap().dtype(), DType::Bool);
        let array = HostArray::new(vec![1.5f32, -2.0], [2, 1]).unwrap();
        let tensor = array.to_tensor(&device).unwrap();
        assert_eq!(tensor.shape().to_i64(), [2, 1]);
        assert_eq!(pollster::block_on(tensor.to_vec::<f32>()).unwrap(), [1.5, -2.0]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(HostArray::new(vec![1.0f32], [2]).unwrap_err().is_shape());
        assert!(HostArray::new(Vec::<f32>::new(), [usize::MAX, 2]).unwrap_err().is_shape());
        let array = HostArray::new(vec![1.0f32, 2.0], [2]).unwrap();
        assert!(array.row(2).unwrap_err().is_index());
        assert!(array.row(0).unwrap().row(0).unwrap_err().is_shape());
        assert!(array.values::<u8>().unwrap_err().is_dtype());
        assert!(HostArray::stack(&[]).unwrap_err().is_shape());
        let other = HostArray::new(vec![1u8, 2], [2]).unwrap();
        assert!(HostArray::stack(&[array.clone(), other]).unwrap_err().is_dtype());
        assert!(HostArray::stack(&[array.clone(), array.row(0).unwrap()]).unwrap_err().is_shape());
    }
}
