//! Functions on a tensor's shape, element type and device, which need no operation.

use super::{Answer, Call, container::position};
use crate::value::Value;
use lanthorn_io::DType;
use lanthorn_program::{
    Dispatch,
    value::{dtype_of, is_floating_point as is_float, promote_types as promote, scalar_type},
};

/// Returns the shape and the element type of the first argument.
fn first<D: Dispatch>(call: &Call<'_, '_, D>) -> Option<(Vec<usize>, DType)> {
    match call.args.first()? {
        Value::Tensor(tensor) => Some((call.context.dispatch.shape(tensor), call.context.dispatch.dtype(tensor))),
        Value::Complex(pairs) => {
            let mut shape = call.context.dispatch.shape(pairs);
            shape.pop();
            Some((shape, call.context.dispatch.dtype(pairs)))
        }
        Value::Scalar(scalar) => Some((Vec::new(), scalar.dtype)),
        _ => None,
    }
}

/// The number of complex64 as an element type.
const COMPLEX: i64 = 9;

fn ints<T>(values: &[usize]) -> Value<T> {
    Value::ints(values.iter().map(|&value| value as i64))
}

pub(super) fn size<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some((shape, _)) = first(call) else { return Ok(None) };
    match call.arg(1, "dim").and_then(Value::number) {
        Some(dim) => Ok(Some(Value::Int(shape[position(dim.int()?, shape.len())?] as i64))),
        None => Ok(Some(ints(&shape))),
    }
}

pub(super) fn dim<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(first(call).map(|(shape, _)| Value::Int(shape.len() as i64)))
}

pub(super) fn numel<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(first(call).map(|(shape, _)| Value::Int(shape.iter().product::<usize>() as i64)))
}

pub(super) fn dtype<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    if let Some(Value::Complex(_)) = call.args.first() {
        return Ok(Some(Value::Int(COMPLEX)));
    }
    Ok(first(call).map(|(_, dtype)| Value::Int(scalar_type(dtype))))
}

/// `torch.device(…)`, and the device of a tensor.
pub(super) fn device<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(match &call.args[..] {
        [Value::Str(name)] => Some(Value::Device(name.clone())),
        [Value::Str(name), Value::Int(index)] => Some(Value::Device(format!("{name}:{index}").into())),
        [device @ Value::Device(_)] => Some(device.clone()),
        [value] if value.is_tensor() => Some(Value::Device(call.context.dispatch.device().into())),
        _ => None,
    })
}

pub(super) fn layout<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(first(call).map(|_| Value::Int(0)))
}

pub(super) fn is_floating_point<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let complex = matches!(call.args.first(), Some(Value::Complex(_)));
    Ok(first(call).map(|(_, dtype)| Value::Bool(is_float(dtype) && !complex)))
}

pub(super) fn is_complex<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let complex = matches!(call.args.first(), Some(Value::Complex(_)));
    Ok(first(call).map(|_| Value::Bool(complex)))
}

pub(super) fn is_false<D: Dispatch>(_call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(Some(Value::Bool(false)))
}

pub(super) fn zero<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(first(call).map(|_| Value::Int(0)))
}

pub(super) fn is_cpu<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(first(call).map(|_| Value::Bool(call.context.dispatch.device().starts_with("cpu"))))
}

pub(super) fn requires_grad<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(match &call.args[..] {
        [Value::Tensor(tensor)] => Some(Value::Bool(call.context.dispatch.requires_grad(tensor))),
        [Value::Scalar(_)] => Some(Value::Bool(false)),
        _ => None,
    })
}

pub(super) fn is_grad_enabled<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(Some(Value::Bool(call.context.dispatch.is_grad_enabled())))
}

pub(super) fn set_grad_enabled<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Bool(enabled)] = call.args[..] else { return Ok(None) };
    call.context.dispatch.set_grad_enabled(enabled);
    Ok(Some(Value::None))
}

pub(super) fn is_contiguous<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(Value::Tensor(tensor)) = call.args.first() else { return Ok(None) };
    let (shape, strides) = (call.context.dispatch.shape(tensor), call.context.dispatch.strides(tensor));
    let mut expected = 1;
    let mut contiguous = true;
    for (&size, &stride) in shape.iter().zip(&strides).rev() {
        contiguous &= size == 1 || stride == expected;
        expected *= size as i64;
    }
    Ok(Some(Value::Bool(contiguous || shape.contains(&0))))
}

pub(super) fn stride<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(Value::Tensor(tensor)) = call.args.first() else { return Ok(None) };
    let strides = call.context.dispatch.strides(tensor);
    match call.arg(1, "dim").and_then(Value::number) {
        Some(dim) => Ok(Some(Value::Int(strides[position(dim.int()?, strides.len())?]))),
        None => Ok(Some(Value::ints(strides))),
    }
}

pub(super) fn storage_offset<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(Value::Tensor(tensor)) = call.args.first() else { return Ok(None) };
    Ok(Some(Value::Int(call.context.dispatch.storage_offset(tensor) as i64)))
}

/// Returns the size of an element in bytes. A complex element has two numbers.
fn bytes_of_element<D: Dispatch>(call: &Call<'_, '_, D>, dtype: DType) -> usize {
    let numbers = if matches!(call.args.first(), Some(Value::Complex(_))) { 2 } else { 1 };
    numbers * dtype.size()
}

pub(super) fn element_size<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(first(call).map(|(_, dtype)| Value::Int(bytes_of_element(call, dtype) as i64)))
}

pub(super) fn nbytes<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let bytes = |(shape, dtype): (Vec<usize>, DType)| shape.iter().product::<usize>() * bytes_of_element(call, dtype);
    Ok(first(call).map(|tensor| Value::Int(bytes(tensor) as i64)))
}

pub(super) fn is_tensor<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(call.args.first().map(|value| Value::Bool(value.is_tensor())))
}

pub(super) fn promote_types<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Int(a), Value::Int(b)] = call.args[..] else { return Ok(None) };
    Ok(dtype_of(a).zip(dtype_of(b)).map(|(a, b)| Value::Int(scalar_type(promote(a, b)))))
}

pub(super) fn result_type<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [a, b] = &call.args[..] else { return Ok(None) };
    // A type with its priority: tensors with dimensions, then tensors without, then numbers.
    let typed = |value: &Value<D::Tensor>| match value {
        Value::Tensor(tensor) => {
            let dims = call.context.dispatch.shape(tensor).len();
            Some((call.context.dispatch.dtype(tensor), if dims > 0 { 2 } else { 1 }))
        }
        Value::Scalar(scalar) => Some((scalar.dtype, 1)),
        Value::Bool(_) => Some((DType::Bool, 0)),
        Value::Int(_) => Some((DType::I64, 0)),
        Value::Float(_) => Some((DType::F32, 0)),
        _ => None,
    };
    let Some(((a, x), (b, y))) = typed(a).zip(typed(b)) else { return Ok(None) };
    let (strong, weak) = if x >= y { (a, b) } else { (b, a) };
    let rank = |dtype: DType| usize::from(dtype != DType::Bool) + usize::from(is_float(dtype));
    let result = if x == y || rank(weak) > rank(strong) { promote(a, b) } else { strong };
    Ok(Some(Value::Int(scalar_type(result))))
}

/// Ignores a move to another device. All tensors stay on the device of the run.
pub(super) fn identity<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(call.args.first().filter(|value| value.is_tensor()).cloned())
}

pub(super) fn get_device<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(first(call).map(|_| Value::Int(-1)))
}
