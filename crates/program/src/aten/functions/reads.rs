//! Operators that read elements.

use super::{super::Args, tensor};
use crate::{Dispatch, Error, Result, Value, value::ints};
use lanthorn_io::{DType, TensorData};

type Given<D> = Args<<D as Dispatch>::Tensor>;
type Output<D> = Result<Value<<D as Dispatch>::Tensor>>;

/// The elements of a tensor as values.
pub(crate) fn elements<T>(data: &TensorData<'_>) -> Result<Vec<Value<T>>> {
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

async fn read_one<D: Dispatch>(dispatch: &D, op: &str, tensor: &D::Tensor) -> Output<D> {
    let shape = dispatch.shape(tensor);
    let one = if shape.iter().product::<usize>() == 1 {
        elements(&dispatch.read(tensor).await?)?.into_iter().next()
    } else {
        None
    };
    one.ok_or_else(|| Error::argument(op, format!("takes a tensor of one element, not of shape {shape:?}")))
}

async fn read_self<D: Dispatch>(dispatch: &D, args: &Given<D>) -> Output<D> {
    match args.values.first() {
        Some(Value::Tensor(tensor)) => read_one(dispatch, args.op(), tensor).await,
        Some(value) => Ok(value.clone()),
        None => Ok(Value::None),
    }
}

/// The one element.
pub async fn item<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    read_self(dispatch, &args).await
}

/// The one element as an integer, truncated.
pub async fn item_int<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(match read_self(dispatch, &args).await? {
        Value::Bool(value) => Value::Int(value.into()),
        Value::Float(value) => Value::Int(value as i64),
        value => value,
    })
}

/// The one element as a float.
pub async fn item_float<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(match read_self(dispatch, &args).await? {
        Value::Bool(value) => Value::Float(value.into()),
        Value::Int(value) => Value::Float(value as f64),
        value => value,
    })
}

/// Whether the one element is not zero.
pub async fn item_bool<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Bool(is_true(&read_self(dispatch, &args).await?)))
}

fn is_true<T>(value: &Value<T>) -> bool {
    match value {
        Value::Bool(value) => *value,
        value => value.as_float().is_some_and(|value| value != 0.0),
    }
}

fn check<D: Dispatch>(args: &Given<D>, value: &Value<D::Tensor>) -> Output<D> {
    let message = args.get("assert_msg").as_str().unwrap_or("an assertion of the program does not hold");
    if is_true(value) { Ok(args.get("dep_token").clone()) } else { Err(Error::Raised(message.to_string())) }
}

/// An error if a number is zero.
pub async fn assert_scalar<D: Dispatch>(_: &D, args: Given<D>) -> Output<D> {
    check::<D>(&args, args.get("self"))
}

/// An error if the one element is zero.
pub async fn assert_async<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let value = read_self(dispatch, &args).await?;
    check::<D>(&args, &value)
}

async fn all_true<D: Dispatch>(dispatch: &D, args: Given<D>, test: &str) -> Output<D> {
    if dispatch.shape(args.tensor("self")?) != dispatch.shape(args.tensor("other")?) && test == "eq" {
        return Ok(Value::Bool(false));
    }
    let equal = tensor(dispatch, test, args.values).await?;
    let all = tensor(dispatch, "all", vec![Value::Tensor(equal)]).await?;
    read_one(dispatch, test, &all).await
}

/// Whether two tensors have one shape and equal elements.
pub async fn equal<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    all_true(dispatch, args, "eq").await
}

/// Whether two tensors are equal within a tolerance.
pub async fn allclose<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    all_true(dispatch, args, "isclose").await
}

/// A tensor in the shape that another one contains.
pub async fn reshape_from_tensor<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let sizes = elements::<D::Tensor>(&dispatch.read(args.tensor("shape")?).await?)?;
    let sizes = ints(sizes.iter().filter_map(Value::as_int));
    Ok(Value::Tensor(tensor(dispatch, "reshape", vec![args.take("self"), sizes]).await?))
}
