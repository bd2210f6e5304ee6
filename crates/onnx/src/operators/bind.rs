//! Binds a node's inputs and attributes to the arguments of its operator.

use super::functions;
use crate::hosted::{Array, Elements, Hosted, Tensor};
use lanthorn_io::DType;
use lanthorn_program::{
    Dispatch, Error, Outcome, Result, Value,
    operators::{Args, Operator, of_default},
    value::{describe, ints, kind},
};
use lanthorn_schema::{Param, ParamType};

/// Calls an operator with a node's inputs, `None` for omitted ones, and its attributes.
///
/// # Errors
///
/// [`Error::Argument`] for inputs and attributes that the operator does not accept; otherwise the
/// errors of the operations.
pub fn call<'d, D: Dispatch>(
    hosted: &'d Hosted<D>,
    operator: &'static Operator,
    inputs: Vec<Value<Tensor<D::Tensor>>>,
    attributes: Vec<(String, Value<Tensor<D::Tensor>>)>,
) -> Result<Outcome<'d, Tensor<D::Tensor>>> {
    let values = arrange(operator, inputs, attributes)?;
    let waits =
        operator.schema.params.iter().zip(&values).any(|(param, value)| {
            is_read(param.ty) && value.as_tensor().is_some_and(|tensor| tensor.array().is_none())
        });
    if !waits {
        return run(hosted, operator, values);
    }
    Ok(Outcome::pending(async move {
        let mut read = Vec::with_capacity(values.len());
        for (param, value) in operator.schema.params.iter().zip(values) {
            read.push(match value {
                Value::Tensor(tensor) if is_read(param.ty) && tensor.array().is_none() => {
                    Value::Tensor(Tensor::from(Array::read(&hosted.read(&tensor).await?)?))
                }
                value => value,
            });
        }
        run(hosted, operator, read)?.value().await
    }))
}

/// Returns the values of the parameters. Inputs are in order, and the last parameter takes further
/// inputs as a list. Attributes are by name.
fn arrange<T: Clone>(
    operator: &Operator,
    inputs: Vec<Value<T>>,
    attributes: Vec<(String, Value<T>)>,
) -> Result<Vec<Value<T>>> {
    let schema = &operator.schema;
    let refuse = |message: String| Err(Error::argument(&schema.name, format!("{message}: {schema}")));
    let given = inputs.len();
    let mut inputs = inputs.into_iter();
    let mut attributes = attributes;
    let mut values = Vec::with_capacity(schema.params.len());
    for param in &schema.params {
        let found = match param.ty {
            _ if param.keyword_only => {
                let position = attributes.iter().position(|(name, _)| *name == param.name);
                position.map(|position| attributes.swap_remove(position).1)
            }
            // A sequence is one list. Another parameter of lists takes any number of inputs.
            ParamType::Tensors | ParamType::OptionalTensors => match inputs.next() {
                Some(Value::List(items)) => Some(Value::List(items)),
                first => Some(Value::List(first.into_iter().chain(inputs.by_ref()).collect())),
            },
            _ => inputs.next(),
        };
        let found = found.filter(|value| !matches!(value, Value::None) || param.ty.is_optional());
        values.push(match (found, &param.default) {
            (Some(value), _) => convert(param, value),
            (None, Some(default)) => of_default(default),
            (None, None) if param.ty.is_optional() => Value::None,
            (None, None) => {
                let what = if param.keyword_only { "attribute" } else { "input" };
                return refuse(format!("the {what} {} is missing", param.name));
            }
        });
    }
    if inputs.any(|value| !matches!(value, Value::None)) {
        return refuse(format!("{given} inputs are too many"));
    }
    match attributes.first() {
        Some((name, _)) => refuse(format!("has no attribute {name}")),
        None => Ok(values),
    }
}

/// Converts an attribute to the type of its parameter. ONNX attributes have no booleans.
fn convert<T>(param: &Param, value: Value<T>) -> Value<T> {
    match (param.ty, value) {
        (ParamType::Bool | ParamType::OptionalBool, Value::Int(value)) => Value::Bool(value != 0),
        (_, value) => value,
    }
}

/// Whether the operator reads the elements of a tensor argument of this type.
pub fn is_read(ty: ParamType) -> bool {
    !matches!(
        ty,
        ParamType::Tensor
            | ParamType::OptionalTensor
            | ParamType::TensorOrScalar
            | ParamType::Tensors
            | ParamType::OptionalTensors
    )
}

/// Runs an operator after its arguments were read.
fn run<'d, D: Dispatch>(
    hosted: &'d Hosted<D>,
    operator: &'static Operator,
    values: Vec<Value<Tensor<D::Tensor>>>,
) -> Result<Outcome<'d, Tensor<D::Tensor>>> {
    let schema = &operator.schema;
    let values = schema.params.iter().zip(values).map(|(param, value)| {
        let value = match value.as_tensor().and_then(Tensor::array) {
            Some(array) if is_read(param.ty) => plain(param.ty, array).ok_or_else(|| {
                let message = format!("{} cannot be a tensor of shape {:?}: {schema}", param.name, array.shape);
                Error::argument(&schema.name, message)
            })?,
            _ => value,
        };
        let takes = kind(&value).is_some_and(|kind| param.kinds().contains(kind));
        let takes = takes || (matches!(value, Value::None) && param.ty.is_optional());
        if takes {
            return Ok(value);
        }
        let message = format!("{} cannot be {}: {schema}", param.name, describe(&value));
        Err(Error::argument(&schema.name, message))
    });
    let args = Args { schema, values: values.collect::<Result<_>>()? };
    operator.run(hosted, args, false, functions::run)
}

/// Converts the elements of an array to an argument of this type. Returns `None` for another number
/// of elements.
fn plain<T>(ty: ParamType, array: &Array) -> Option<Value<T>> {
    let only = |values: Vec<Value<T>>| <[Value<T>; 1]>::try_from(values).ok().map(|[value]| value);
    let numbers = || -> Vec<Value<T>> {
        match &array.elements {
            Elements::Ints(values) if array.dtype == DType::Bool => {
                values.iter().map(|&value| Value::Bool(value != 0)).collect()
            }
            Elements::Ints(values) => values.iter().copied().map(Value::Int).collect(),
            Elements::Floats(values) => values.iter().copied().map(Value::Float).collect(),
        }
    };
    match ty {
        ParamType::Int | ParamType::OptionalInt if array.elements.count() == 1 => {
            array.elements.ints().first().copied().map(Value::Int)
        }
        ParamType::Ints | ParamType::OptionalInts => Some(ints(array.elements.ints())),
        ParamType::Floats | ParamType::OptionalFloats => {
            Some(Value::List(array.elements.floats().into_iter().map(Value::Float).collect()))
        }
        ParamType::Float | ParamType::OptionalFloat if array.elements.count() == 1 => {
            array.elements.floats().first().copied().map(Value::Float)
        }
        ParamType::Bool | ParamType::OptionalBool if array.elements.count() == 1 => {
            array.elements.floats().first().map(|&value| Value::Bool(value != 0.0))
        }
        ParamType::Scalar => only(numbers()),
        ParamType::OptionalScalar if array.elements.count() == 0 => Some(Value::None),
        ParamType::OptionalScalar => only(numbers()),
        _ => None,
    }
}
