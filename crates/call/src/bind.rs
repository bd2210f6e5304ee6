//! The arguments of a call, checked against a schema.

use crate::{
    Caller, Handle, Refusal, Scalar, Value,
    texts::{self, fill},
};
use lanthorn_ir::DType;
use lanthorn_schema::{Default, Param, ParamType, Schema};
use std::borrow::Cow;

/// The parameters that are sizes of a tensor: a fraction among them is an error of shapes.
const SIZES: [&str; 2] = ["size", "shape"];

/// The dtypes, by the names that a call may give.
const DTYPES: &str = "a dtype: float32, float64, float16, bfloat16, int32, int64, uint8 or bool";

/// Fills in defaults, checks that nothing required is missing and that every argument is of its
/// parameter's type, and converts each to the form that the type has: a number to a list of one
/// where the type is a list, whole numbers to floats, an empty list to one of tensors, a name to
/// its dtype.
///
/// # Errors
///
/// A [`Refusal`] with the operation and the parameter as the caller names them, the parameter's
/// type, and the argument.
///
/// ```
/// use lanthorn_call::{Caller, Value, bind};
/// use lanthorn_schema::Schema;
/// let text = "sum(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor";
/// let schema = Schema::parse(text).unwrap();
/// let given: [Value<usize>; 2] = [7usize.into(), 1.into()];
/// let bound = bind(&schema, &given, Caller::PYTHON).unwrap();
/// assert!(matches!(&*bound[1], Value::Ints(dims) if dims == &[1]));
/// let refusal = bind(&schema, &[7usize.into(), "x".into()], Caller::PYTHON).unwrap_err();
/// let text = "the argument dim takes a list of whole numbers, not the string \"x\"";
/// assert_eq!(refusal.text, text);
/// ```
pub fn bind<'a, T: Handle>(
    schema: &Schema,
    given: &'a [Value<T>],
    caller: Caller,
) -> Result<Vec<Cow<'a, Value<T>>>, Refusal> {
    let params = &schema.params;
    if given.len() > params.len() {
        let signature = caller.signature(schema);
        let text = format!("takes {} arguments, {} were given: {signature}", params.len(), given.len());
        return Err(Refusal::new(caller.op(schema), text));
    }
    let one = |(index, param): (usize, &Param)| bind_one(schema, param, given.get(index), caller);
    params.iter().enumerate().map(one).collect()
}

fn bind_one<'a, T: Handle>(
    schema: &Schema,
    param: &Param,
    given: Option<&'a Value<T>>,
    caller: Caller,
) -> Result<Cow<'a, Value<T>>, Refusal> {
    let value = match (given, &param.default) {
        (Some(Value::Null), _) if param.ty.is_optional() => return Ok(Cow::Owned(Value::Null)),
        (Some(Value::Missing | Value::Null) | None, Some(default)) => {
            return Ok(canonical(param.ty, Cow::Owned(default_value(default))).unwrap_or(Cow::Owned(Value::Missing)));
        }
        (Some(Value::Missing | Value::Null) | None, None) => return Err(missing(schema, param, caller)),
        (Some(value), _) => value,
    };
    let takes_text = !matches!(value, Value::Str(text) if !param.takes(text));
    if !param.ty.kinds().contains(value.kind()) || !takes_text {
        return Err(refuse(schema, param, value, &describe_accepted(param), caller));
    }
    // A name is the one argument of the right kind that may still be wrong.
    canonical(param.ty, Cow::Borrowed(value)).ok_or_else(|| refuse(schema, param, value, DTYPES, caller))
}

/// The refusal of a call without an argument that it must have.
#[cold]
pub fn missing(schema: &Schema, param: &Param, caller: Caller) -> Refusal {
    let parts = [("name", &*caller.language.name(&param.name)), ("signature", &*caller.signature(schema))];
    Refusal::new(caller.op(schema), fill(texts::MISSING, &parts))
}

/// The refusal of an argument that `found` describes.
#[cold]
pub fn wrong(schema: &Schema, param: &Param, found: &str, caller: Caller) -> Refusal {
    not_accepted(schema, param, &describe_accepted(param), found, caller)
}

#[cold]
fn refuse<T: Handle>(schema: &Schema, param: &Param, value: &Value<T>, accepted: &str, caller: Caller) -> Refusal {
    if let (Value::Floats(sizes), true) = (value, SIZES.contains(&param.name.as_str()))
        && let Some(odd) = sizes.iter().find(|size| size.fract() != 0.0 || !size.is_finite())
    {
        let all: Vec<String> = sizes.iter().map(f64::to_string).collect();
        let text = format!("a size must be a whole number, not {odd}, in [{}]", all.join(", "));
        return Refusal { is_shape: true, ..Refusal::new(caller.op(schema), text) };
    }
    not_accepted(schema, param, accepted, &value.describe(), caller)
}

fn not_accepted(schema: &Schema, param: &Param, accepted: &str, found: &str, caller: Caller) -> Refusal {
    let parts = [("name", &*caller.language.name(&param.name)), ("accepted", accepted), ("found", found)];
    Refusal::new(caller.op(schema), fill(texts::WRONG, &parts))
}

/// The arguments that a parameter accepts, in words.
fn describe_accepted(param: &Param) -> Cow<'static, str> {
    let Some((last, rest)) = param.choices.split_last() else { return of_type(param.ty).into() };
    let mut words: Vec<String> = rest.iter().map(|choice| format!("{choice:?}")).collect();
    if !matches!(param.ty, ParamType::Str | ParamType::OptionalStr) {
        words.insert(0, of_type(param.ty).to_string());
    }
    match words.is_empty() {
        true => format!("{last:?}").into(),
        false => format!("{} or {last:?}", words.join(", ")).into(),
    }
}

/// The arguments that a parameter of type `ty` accepts, whatever their values.
fn of_type(ty: ParamType) -> &'static str {
    use ParamType as P;
    match ty {
        P::Tensor | P::OptionalTensor => "a tensor",
        P::Tensors | P::OptionalTensors | P::OptionalTensorList => "a list of tensors",
        P::TensorOrScalar => "a tensor or a number",
        P::Scalar | P::OptionalScalar | P::Float | P::OptionalFloat => "a number",
        P::Int | P::OptionalInt => "a whole number",
        P::Ints | P::OptionalInts | P::PartialInts | P::IntsOrStr | P::TensorOrInts => "a list of whole numbers",
        P::Floats | P::OptionalFloats | P::PartialFloats => "a list of numbers",
        P::Bool | P::OptionalBool => "true or false",
        P::Str | P::OptionalStr => "a string",
        P::DType | P::OptionalDType => "a dtype",
        P::OptionalDevice => "a device",
        P::Module | P::OptionalModule => "a module",
        P::ModuleOrStr => "a module",
    }
}

/// A default of a schema as an argument.
pub fn default_value<T: Handle>(default: &Default) -> Value<T> {
    match default {
        Default::None => Value::Missing,
        Default::Bool(value) => Value::Scalar(Scalar::Bool(*value)),
        Default::Int(value) => Value::Scalar(Scalar::Int(*value)),
        Default::Float(value) => Value::Scalar(Scalar::Float(*value)),
        Default::Ints(values) => Value::Ints(values.clone()),
        Default::Floats(values) => Value::Floats(values.clone()),
        Default::Str(text) => Value::Str(text.clone()),
    }
}

/// Whether a parameter's default, if it has one, is of its type.
pub fn is_default_of(param: &Param) -> bool {
    match &param.default {
        None => true,
        Some(Default::None) => param.ty.is_optional(),
        Some(default) => param.ty.kinds().contains(default_value::<usize>(default).kind()),
    }
}

/// Converts an argument that a parameter of type `ty` accepts to the form of that type. `None` if a
/// name stands for no dtype.
fn canonical<T: Handle>(ty: ParamType, value: Cow<'_, Value<T>>) -> Option<Cow<'_, Value<T>>> {
    use ParamType as P;
    let converted = match (ty, &*value) {
        (
            P::Ints | P::OptionalInts | P::PartialInts | P::IntsOrStr | P::TensorOrInts,
            Value::Scalar(scalar @ (Scalar::Int(_) | Scalar::Number(_))),
        ) => Value::Ints(scalar.to_int().into_iter().collect()),
        (P::Floats | P::OptionalFloats | P::PartialFloats, Value::Ints(values)) => {
            Value::Floats(values.iter().map(|&value| value as f64).collect())
        }
        (P::PartialFloats, Value::PartialInts(values)) => {
            Value::Floats(values.iter().map(|value| value.map_or(f64::NAN, |value| value as f64)).collect())
        }
        (P::Floats | P::OptionalFloats | P::PartialFloats, Value::Scalar(scalar)) => {
            Value::Floats(vec![scalar.to_f64()])
        }
        (P::Tensors | P::OptionalTensorList, Value::Ints(_)) => Value::Tensors(vec![]),
        (P::OptionalTensors, Value::Tensors(tensors)) => {
            Value::OptionalTensors(tensors.iter().cloned().map(Some).collect())
        }
        (P::OptionalTensors, Value::Ints(_)) => Value::OptionalTensors(vec![]),
        (P::OptionalTensors, Value::PartialInts(values)) => Value::OptionalTensors(vec![None; values.len()]),
        (P::DType | P::OptionalDType, Value::Str(name)) => Value::DType(DType::from_name(name)?),
        _ => return Some(value),
    };
    Some(Cow::Owned(converted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    fn refusal_of(schema: &str, given: &[Value<usize>], language: Language) -> Refusal {
        bind(&Schema::parse(schema).unwrap(), given, language.into()).unwrap_err()
    }

    #[test]
    fn a_refusal_has_the_names_of_the_language() {
        let pool = "pool(Tensor self, bool return_indices) -> Tensor";
        let missing = |language| refusal_of(pool, &[1usize.into()], language).text;
        assert!(missing(Language::JavaScript).starts_with("the argument returnIndices is missing: pool("));
        assert!(missing(Language::Python).starts_with("the argument return_indices is missing: pool("));
        let odd = [1usize.into(), Value::Foreign("a function".into())];
        let text = refusal_of(pool, &odd, Language::JavaScript).text;
        assert_eq!(text, "the argument returnIndices takes true or false, not a function");
    }

    #[test]
    fn a_fraction_among_sizes_is_an_error_of_shapes() {
        let schema = "zeros(int[] size) -> Tensor";
        let refusal = refusal_of(schema, &[vec![2.0, 2.5].into()], Language::Python);
        assert_eq!(refusal.text, "a size must be a whole number, not 2.5, in [2, 2.5]");
        assert!(refusal.is_shape && refusal.into_error().is_shape());
        assert!(!refusal_of(schema, &["2".into()], Language::Python).is_shape);
    }

    #[test]
    fn an_argument_takes_the_form_of_its_parameter() {
        let schema = "f(Tensor[] a, float[] b, ScalarType? c=None, Tensor?[] d=[]) -> Tensor";
        let schema = Schema::parse(schema).unwrap();
        let given: Vec<Value<usize>> = vec![Value::Ints(vec![]), 2.into(), "half".into(), vec![3usize].into()];
        let bound = bind(&schema, &given, Caller::PYTHON).unwrap();
        assert!(matches!(&*bound[0], Value::Tensors(list) if list.is_empty()));
        assert!(matches!(&*bound[1], Value::Floats(list) if list == &[2.0]));
        assert!(matches!(&*bound[2], Value::DType(DType::F16)));
        assert!(matches!(&*bound[3], Value::OptionalTensors(list) if list == &[Some(3)]));
        let given = [Value::Ints(vec![]), 2.into(), "complex64".into()];
        let text = bind::<usize>(&schema, &given, Caller::PYTHON).unwrap_err().text;
        assert!(text.contains("the argument c takes a dtype: float32") && text.contains("complex64"), "{text}");
    }
}
