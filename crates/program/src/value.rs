//! The values of a program: the values of a checkpoint, with tensors of the dispatcher.
//!
//! As in TorchScript, a dtype is an integer (the number of a `ScalarType`), and so are a layout and
//! a memory format. A device is a string. So values need no variants for these, and the type of an
//! operator's parameter determines the meaning of an integer.

use crate::{Error, Result};
use lanthorn_call::{Handle, Scalar};
use lanthorn_io::{DType, TensorData};
use lanthorn_schema::ArgKind;

/// A value of a program.
pub type Value<T> = lanthorn_io::Value<T>;

/// The element types with the numbers of c10's `ScalarType`, which TorchScript uses.
const SCALAR_TYPES: [(i64, DType); 10] = [
    (0, DType::U8),
    (1, DType::I8),
    (2, DType::I16),
    (3, DType::I32),
    (4, DType::I64),
    (5, DType::F16),
    (6, DType::F32),
    (7, DType::F64),
    (11, DType::Bool),
    (15, DType::BF16),
];

/// Returns the element type of a number of c10.
pub fn dtype_of(scalar_type: i64) -> Option<DType> {
    SCALAR_TYPES.iter().find(|(number, _)| *number == scalar_type).map(|(_, dtype)| *dtype)
}

/// Returns c10's number of an element type.
pub fn scalar_type(dtype: DType) -> i64 {
    SCALAR_TYPES.iter().find(|(_, entry)| *entry == dtype).map_or(-1, |(number, _)| *number)
}

/// Whether an element type is floating-point.
pub fn is_floating_point(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16 | DType::F32 | DType::F64)
}

/// Returns the element type that holds the values of both, like `torch.promote_types`.
pub fn promote_types(a: DType, b: DType) -> DType {
    let category = |dtype: DType| match dtype {
        DType::Bool => 0,
        dtype if is_floating_point(dtype) => 2,
        _ => 1,
    };
    match (a, b) {
        (DType::F16, DType::BF16) | (DType::BF16, DType::F16) => DType::F32,
        (DType::U8, DType::I8) | (DType::I8, DType::U8) => DType::I16,
        (a, b) if (category(a), a.size()) >= (category(b), b.size()) => a,
        (_, b) => b,
    }
}

/// Creates a list of integers.
pub fn ints<T>(values: impl IntoIterator<Item = i64>) -> Value<T> {
    Value::List(values.into_iter().map(Value::Int).collect())
}

/// Creates a list of tensors.
pub fn tensors<T>(values: impl IntoIterator<Item = T>) -> Value<T> {
    Value::List(values.into_iter().map(Value::Tensor).collect())
}

/// Returns the elements of a list of integers, or `None` for another value.
pub fn as_ints<T>(value: &Value<T>) -> Option<Vec<i64>> {
    match value {
        Value::Int(value) => Some(vec![*value]),
        _ => value.as_list()?.iter().map(Value::as_int).collect(),
    }
}

/// Returns the elements of a tensor as values: booleans, integers or floats.
///
/// # Errors
///
/// [`Error::File`](crate::Error::File) for half types that cannot be converted.
pub fn elements<T>(data: &TensorData<'_>) -> Result<Vec<Value<T>>> {
    fn each<const N: usize, T>(bytes: &[u8], value: impl Fn([u8; N]) -> Value<T>) -> Vec<Value<T>> {
        bytes.as_chunks::<N>().0.iter().map(|&bytes| value(bytes)).collect()
    }
    let bytes = data.bytes();
    Ok(match data.dtype() {
        DType::Bool => each::<1, T>(bytes, |byte| Value::Bool(byte[0] != 0)),
        DType::U8 => each::<1, T>(bytes, |byte| Value::Int(byte[0].into())),
        DType::I8 => each(bytes, |bytes| Value::Int(i8::from_le_bytes(bytes).into())),
        DType::I16 => each(bytes, |bytes| Value::Int(i16::from_le_bytes(bytes).into())),
        DType::I32 => each(bytes, |bytes| Value::Int(i32::from_le_bytes(bytes).into())),
        DType::I64 => each(bytes, |bytes| Value::Int(i64::from_le_bytes(bytes))),
        DType::F32 => each(bytes, |bytes| Value::Float(f32::from_le_bytes(bytes).into())),
        DType::F64 => each(bytes, |bytes| Value::Float(f64::from_le_bytes(bytes))),
        DType::F16 | DType::BF16 => {
            let wide = data.clone().convert_for_device(&|dtype| dtype == DType::F32)?;
            each(wide.bytes(), |bytes| Value::Float(f32::from_le_bytes(bytes).into()))
        }
    })
}

/// Returns the kind of an argument, which selects an overload. Returns `None` for a value that no
/// operator accepts: a dictionary, or a list of mixed elements.
pub fn kind<T>(value: &Value<T>) -> Option<ArgKind> {
    Some(match value {
        Value::None => ArgKind::Null,
        Value::Bool(_) => ArgKind::Bool,
        Value::Int(_) => ArgKind::Int,
        Value::Float(_) => ArgKind::Float,
        Value::Str(_) => ArgKind::Str,
        Value::Tensor(_) => ArgKind::Tensor,
        Value::List(values) | Value::Tuple(values) => list_kind(values)?,
        Value::Bytes(_) | Value::Dict(_) => return None,
    })
}

fn list_kind<T>(values: &[Value<T>]) -> Option<ArgKind> {
    let all = |test: fn(&Value<T>) -> bool| values.iter().all(test);
    let is_none = |value: &Value<T>| matches!(value, Value::None);
    if values.is_empty() {
        return Some(ArgKind::Empty);
    }
    if values.iter().all(is_none) {
        return Some(ArgKind::Nulls);
    }
    let nulls = values.iter().any(is_none);
    if all(|value| matches!(value, Value::Tensor(_) | Value::None)) {
        return Some(if nulls { ArgKind::OptionalTensors } else { ArgKind::Tensors });
    }
    if all(|value| matches!(value, Value::Int(_) | Value::Bool(_) | Value::None)) {
        return Some(if nulls { ArgKind::PartialInts } else { ArgKind::Ints });
    }
    (!nulls && all(|value| matches!(value, Value::Int(_) | Value::Float(_)))).then_some(ArgKind::Floats)
}

/// A value as an argument of the table.
///
/// # Errors
///
/// [`Error::Argument`] for a value that no operation takes.
pub fn to_argument<T: Handle>(op: &str, value: Value<T>) -> Result<lanthorn_call::Value<T>> {
    use lanthorn_call::Value as Argument;
    let odd = || Error::argument(op, format!("takes no argument like {}", describe(&value)));
    let list = || value.as_list().unwrap_or_default().iter();
    let int = |value: &Value<T>| match value {
        Value::Bool(value) => Some(i64::from(*value)),
        value => value.as_int(),
    };
    Ok(match kind(&value).ok_or_else(odd)? {
        ArgKind::Tensors => Argument::Tensors(list().filter_map(Value::as_tensor).cloned().collect()),
        ArgKind::OptionalTensors => Argument::OptionalTensors(list().map(|value| value.as_tensor().cloned()).collect()),
        ArgKind::Ints | ArgKind::Empty => Argument::Ints(list().filter_map(int).collect()),
        ArgKind::PartialInts | ArgKind::Nulls => Argument::PartialInts(list().map(int).collect()),
        ArgKind::Floats => Argument::Floats(list().filter_map(Value::as_float).collect()),
        _ => match value {
            Value::None => Argument::Null,
            Value::Bool(value) => Argument::Scalar(Scalar::Bool(value)),
            Value::Int(value) => Argument::Scalar(Scalar::Int(value)),
            Value::Float(value) => Argument::Scalar(Scalar::Float(value)),
            Value::Str(text) => Argument::Str(text),
            Value::Tensor(tensor) => Argument::Tensor(tensor),
            _ => return Err(odd()),
        },
    })
}

/// An argument of the table as a value. `tensor` converts each tensor.
pub fn of_argument<T: Handle, U>(argument: &lanthorn_call::Value<T>, tensor: &mut impl FnMut(&T) -> U) -> Value<U> {
    use lanthorn_call::Value as Argument;
    let mut tensor = |of: &T| Value::Tensor(tensor(of));
    match argument {
        Argument::Missing | Argument::Null | Argument::Device(_) | Argument::Object(_) | Argument::Foreign(_) => {
            Value::None
        }
        Argument::Tensor(of) => tensor(of),
        Argument::Tensors(list) => Value::List(list.iter().map(tensor).collect()),
        Argument::OptionalTensors(list) => {
            Value::List(list.iter().map(|of| of.as_ref().map_or(Value::None, &mut tensor)).collect())
        }
        Argument::Scalar(Scalar::Bool(value)) => Value::Bool(*value),
        Argument::Scalar(Scalar::Int(value)) => Value::Int(*value),
        // A whole number of a program has no -0.
        Argument::Scalar(Scalar::Number(value)) if !(*value == 0.0 && value.is_sign_negative()) => {
            Value::Int(*value as i64)
        }
        Argument::Scalar(scalar) => Value::Float(scalar.to_f64()),
        Argument::Ints(values) => ints(values.iter().copied()),
        Argument::PartialInts(values) => {
            Value::List(values.iter().map(|value| value.map_or(Value::None, Value::Int)).collect())
        }
        Argument::Floats(values) => Value::List(values.iter().copied().map(Value::Float).collect()),
        Argument::Str(text) => Value::Str(text.clone()),
        Argument::DType(dtype) => Value::Str(dtype.name().to_string()),
    }
}

/// Describes a value's type in a message.
pub fn describe<T>(value: &Value<T>) -> String {
    match value {
        Value::Str(text) => format!("the string {text:?}"),
        Value::Tensor(_) => "a tensor".to_string(),
        Value::List(values) | Value::Tuple(values) if values.len() <= 8 => {
            let values: Vec<String> = values.iter().map(Value::short).collect();
            format!("[{}]", values.join(", "))
        }
        value => value.short(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_the_kind_of_its_elements() {
        let list = |values: Vec<Value<()>>| kind(&Value::List(values));
        assert_eq!(list(vec![]), Some(ArgKind::Empty));
        assert_eq!(list(vec![Value::None]), Some(ArgKind::Nulls));
        assert_eq!(list(vec![Value::Int(1), Value::None]), Some(ArgKind::PartialInts));
        assert_eq!(list(vec![Value::Int(1), Value::Float(0.5)]), Some(ArgKind::Floats));
        assert_eq!(list(vec![Value::Tensor(()), Value::None]), Some(ArgKind::OptionalTensors));
        assert_eq!(list(vec![Value::Tensor(()), Value::Int(1)]), None);
    }

    #[test]
    fn a_dtype_is_found_by_its_number() {
        for dtype in DType::all() {
            assert_eq!(dtype_of(scalar_type(dtype)), Some(dtype));
        }
        assert_eq!(dtype_of(8), None);
    }
}
