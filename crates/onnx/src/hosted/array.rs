//! Small arrays on the host: sizes, axes, indices.

use lanthorn_io::{DType, TensorData};
use lanthorn_program::{
    Result, Value,
    value::{elements, is_floating_point},
};

/// The most elements of an array on the host. Larger arrays are on the device.
pub const MAX_ELEMENTS: usize = 1024;

/// An array of numbers. Booleans are 0 and 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The element type. Half types are float32 here, as on devices without them.
    pub dtype: DType,
    /// The shape.
    pub shape: Vec<usize>,
    /// The elements in row-major order. Every type that is not a float is an integer.
    pub elements: Elements,
}

/// The elements of an [`Array`].
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// Integers and booleans.
    Ints(Vec<i64>),
    /// Floats that the array's type represents exactly.
    Floats(Vec<f64>),
}

impl Elements {
    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        match self {
            Elements::Ints(values) => values.len(),
            Elements::Floats(values) => values.len(),
        }
    }

    /// Returns the elements at these indices.
    pub fn pick(&self, offsets: impl Iterator<Item = usize>) -> Elements {
        match self {
            Elements::Ints(values) => Elements::Ints(offsets.map(|offset| values[offset]).collect()),
            Elements::Floats(values) => Elements::Floats(offsets.map(|offset| values[offset]).collect()),
        }
    }

    /// Returns the elements as floats.
    pub fn floats(&self) -> Vec<f64> {
        match self {
            Elements::Ints(values) => values.iter().map(|&value| value as f64).collect(),
            Elements::Floats(values) => values.clone(),
        }
    }

    /// Returns the elements as integers; floats are truncated.
    pub fn ints(&self) -> Vec<i64> {
        match self {
            Elements::Ints(values) => values.clone(),
            Elements::Floats(values) => values.iter().map(|&value| value as i64).collect(),
        }
    }
}

impl Array {
    /// An array of integers that wrap to their type, or of booleans.
    pub fn ints(dtype: DType, shape: Vec<usize>, mut values: Vec<i64>) -> Array {
        values.iter_mut().for_each(|value| *value = wrap(dtype, *value));
        Array { dtype, shape, elements: Elements::Ints(values) }
    }

    /// An array of floats rounded to their type.
    pub fn floats(dtype: DType, shape: Vec<usize>, mut values: Vec<f64>) -> Array {
        let dtype = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
        if dtype == DType::F32 {
            values.iter_mut().for_each(|value| *value = f64::from(*value as f32));
        }
        Array { dtype, shape, elements: Elements::Floats(values) }
    }

    /// Converts the elements to another type by the rules of PyTorch.
    pub fn to(&self, dtype: DType) -> Array {
        let shape = self.shape.clone();
        if is_floating_point(dtype) {
            return Array::floats(dtype, shape, self.elements.floats());
        }
        if dtype == DType::Bool {
            let values = self.elements.floats().iter().map(|&value| i64::from(value != 0.0)).collect();
            return Array::ints(dtype, shape, values);
        }
        Array::ints(dtype, shape, self.elements.ints())
    }

    /// Reads the elements of a tensor.
    ///
    /// # Errors
    ///
    /// The errors of [`elements`].
    pub fn read(data: &TensorData<'_>) -> Result<Array> {
        let values = elements::<()>(data)?;
        let shape = data.shape().to_vec();
        Ok(if is_floating_point(data.dtype()) {
            let values = values.iter().filter_map(Value::as_float).collect();
            Array::floats(data.dtype(), shape, values)
        } else {
            let int = |value: &Value<()>| match value {
                Value::Bool(value) => Some(i64::from(*value)),
                value => value.as_int(),
            };
            Array::ints(data.dtype(), shape, values.iter().filter_map(int).collect())
        })
    }

    /// Encodes the elements as they are in a file.
    pub fn data(&self) -> Option<TensorData<'static>> {
        let bytes: Vec<u8> = match (&self.elements, self.dtype) {
            (Elements::Ints(values), DType::I64) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            (Elements::Ints(values), DType::I32) => {
                values.iter().flat_map(|&value| (value as i32).to_le_bytes()).collect()
            }
            (Elements::Ints(values), DType::I16) => {
                values.iter().flat_map(|&value| (value as i16).to_le_bytes()).collect()
            }
            (Elements::Ints(values), _) => values.iter().map(|&value| value as u8).collect(),
            (Elements::Floats(values), DType::F64) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            (Elements::Floats(values), _) => values.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect(),
        };
        TensorData::new(self.dtype, self.shape.clone(), bytes)
    }

    /// Gathers an array of a shape. `source` maps an index of the result to an offset in this
    /// array.
    pub fn gather(&self, shape: Vec<usize>, source: impl Fn(&[usize]) -> usize) -> Array {
        let elements = self.elements.pick(indices(&shape).iter().map(|index| source(index)));
        Array { dtype: self.dtype, shape, elements }
    }

    /// Returns the row-major offset of an index.
    pub fn offset(&self, index: &[usize]) -> usize {
        index.iter().zip(&self.shape).fold(0, |offset, (&index, &size)| offset * size + index)
    }

    /// Broadcasts the array to a shape. Returns `None` if it does not broadcast.
    pub fn broadcast(&self, shape: &[usize]) -> Option<Array> {
        let added = shape.len().checked_sub(self.shape.len())?;
        let fits = self.shape.iter().zip(&shape[added..]).all(|(&own, &size)| own == size || own == 1);
        let offset = |index: &[usize]| {
            let own = index[added..].iter().zip(&self.shape);
            own.fold(0, |offset, (&index, &size)| offset * size + if size == 1 { 0 } else { index })
        };
        (fits && count(shape)? <= MAX_ELEMENTS).then(|| self.gather(shape.to_vec(), offset))
    }
}

/// Returns the number of elements of a shape.
pub fn count(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |product, &size| product.checked_mul(size))
}

/// Returns all indices of a shape in row-major order.
pub fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &size in shape {
        all = all
            .into_iter()
            .flat_map(|index| {
                (0..size).map(move |last| {
                    let mut index = index.clone();
                    index.push(last);
                    index
                })
            })
            .collect();
    }
    all
}

/// Returns the shape to which shapes broadcast, or `None`.
pub fn broadcast_shape<'s>(shapes: impl Iterator<Item = &'s [usize]> + Clone) -> Option<Vec<usize>> {
    let rank = shapes.clone().map(<[usize]>::len).max().unwrap_or(0);
    let mut result = vec![1; rank];
    for shape in shapes {
        for (size, &own) in result[rank - shape.len()..].iter_mut().zip(shape) {
            match (*size, own) {
                (_, 1) => {}
                (1, own) => *size = own,
                (size, own) if size == own => {}
                _ => return None,
            }
        }
    }
    Some(result)
}

/// Wraps an integer to a type.
fn wrap(dtype: DType, value: i64) -> i64 {
    match dtype {
        DType::Bool => i64::from(value != 0),
        DType::U8 => i64::from(value as u8),
        DType::I8 => i64::from(value as i8),
        DType::I16 => i64::from(value as i16),
        DType::I32 => i64::from(value as i32),
        _ => value,
    }
}
