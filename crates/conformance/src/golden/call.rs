//! Binds a golden call to the op table: the op, the overload, and the parameter of each argument.

use super::{
    file::{ErrorCase, Sample, Value},
    names::{self, Form},
    tensors::{Loader, dtype_argument},
};
use lanthorn::{
    Error, Scalar, Tensor,
    ops::{Arg, Op},
};
use lanthorn_schema::{ParamType, Schema};
use std::collections::BTreeMap;

/// The reason why a call has no result.
#[derive(Debug)]
pub enum Failure {
    /// An error of lanthorn.
    Thrown(Error),
    /// An argument that Rust and JavaScript cannot express: a complex number, a sparse layout.
    Refused(String),
    /// A missing feature of the project: an op, a parameter, an element type.
    Missing(String),
    /// A reason why the file does not apply here.
    Skip(String),
    /// A file that contradicts its description.
    Broken(String),
    /// A result that differs from PyTorch's, and its distance in tolerances.
    Differs(String, f64),
    /// The code panicked, which is always an error.
    Panicked(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Thrown(error)
    }
}

impl Failure {
    /// The message.
    pub fn describe(&self) -> String {
        match self {
            Failure::Thrown(error) => error.to_string(),
            Failure::Panicked(why) => format!("panicked: {why}"),
            Failure::Refused(why) | Failure::Missing(why) | Failure::Skip(why) => why.clone(),
            Failure::Broken(why) | Failure::Differs(why, _) => why.clone(),
        }
    }
}

/// The arguments of a call, as in Python.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The positional ones.
    pub args: &'a [Value],
    /// The others.
    pub kwargs: &'a BTreeMap<String, Value>,
    /// The names of the positional ones, if PyTorch could determine them.
    pub names: Option<&'a [String]>,
}

impl<'a> From<&'a Sample> for Call<'a> {
    fn from(sample: &'a Sample) -> Call<'a> {
        Call { args: &sample.args, kwargs: &sample.kwargs, names: sample.arg_names.as_deref() }
    }
}

impl<'a> From<&'a ErrorCase> for Call<'a> {
    fn from(case: &'a ErrorCase) -> Call<'a> {
        Call { args: &case.args, kwargs: &case.kwargs, names: case.arg_names.as_deref() }
    }
}

/// Keywords without an effect here: there is one layout, the run selects the device, pinned memory
/// and memory formats change no value, and indices are always int32.
const WITHOUT_MEANING: &[&str] = &["device", "layout", "memory_format", "pin_memory", "requires_grad", "out_int32"];

/// Parameters that PyTorch can infer from the elements, with the value that requests this. Here it
/// is another overload, whose result is awaited.
const COUNTED: &[(&str, i64)] = &[("num_classes", -1)];

/// Flags that request another result. If they are false, the overload without them is used.
const OPTIONAL_FLAGS: &[&str] =
    &["antialias", "as_tuple", "recompute_scale_factor", "return_counts", "return_indices", "return_inverse", "stable"];

/// The op and its arguments, in the schema's order.
pub fn bind(
    op: &str,
    aliases: &[String],
    call: Call<'_>,
    loader: &mut Loader<'_>,
) -> Result<(&'static Op, Vec<Arg>), Failure> {
    // Python's `nonzero(x, as_tuple=True)` is a separate op in ATen.
    let parted = op == "nonzero" && call.kwargs.get("as_tuple") == Some(&Value::Bool(true));
    let (op, call) = match parted {
        true => ("nonzero_numpy", Call { kwargs: &BTreeMap::new(), ..call }),
        false => (op, call),
    };
    let (overloads, form) = names::find(op, aliases);
    let Some(&first) = overloads.first() else { return Err(Failure::Missing(format!("there is no op {op}"))) };
    let owned;
    let call = match form {
        Form::Plain if op == "to" => {
            owned = cast_arguments(target_type(call, loader)?, call)?;
            Call { args: &owned, kwargs: &BTreeMap::new(), names: None }
        }
        Form::Cast(name) => {
            owned = cast_arguments(Value::DType(name.into()), call)?;
            Call { args: &owned, kwargs: &BTreeMap::new(), names: None }
        }
        Form::Plain if op == "tensordot" => {
            owned = with_dims_of_both(call);
            Call { args: &owned, kwargs: &BTreeMap::new(), names: None }
        }
        Form::Swapped => {
            let [input @ Value::Tensor(_), other] = call.args else {
                return Err(Failure::Refused("a number has no such method".into()));
            };
            owned = vec![other.clone(), input.clone()];
            Call { args: &owned, names: None, ..call }
        }
        Form::Plain | Form::Index => call,
    };
    let mut reason = None;
    for &op in &overloads {
        loader.inputs.clear();
        match arrange(op.schema(), call).and_then(|values| arguments(values, form, loader)) {
            Ok(args) if op.accepts(&args) => return Ok((op, args)),
            Ok(_) => {}
            Err(failure) => {
                reason.get_or_insert(failure);
            }
        }
    }
    // No overload accepts them: report the first one's error.
    loader.inputs.clear();
    match arrange(first.schema(), call) {
        Ok(values) => Ok((first, arguments(values, form, loader)?)),
        Err(failure) => Err(reason.unwrap_or(failure)),
    }
}

/// `tensordot(a, b, dims=(of_a, of_b))` with two separate lists, as in ATen; a single number is
/// unchanged.
fn with_dims_of_both(call: Call<'_>) -> Vec<Value> {
    let mut args = call.args.to_vec();
    match call.kwargs.get("dims") {
        Some(Value::List(lists) | Value::Tuple(lists)) => args.extend(lists.iter().cloned()),
        Some(count) => args.push(count.clone()),
        None => {}
    }
    args
}

/// The result of `x.to(device, dtype, non_blocking, copy)` and `x.to(other)`.
fn target_type(call: Call<'_>, loader: &Loader<'_>) -> Result<Value, Failure> {
    for value in call.args.iter().skip(1).chain(call.kwargs.values()) {
        match value {
            Value::DType(_) => return Ok(value.clone()),
            Value::Tensor(other) => {
                return Ok(Value::DType(loader.stored(other)?.dtype.into()));
            }
            _ => {}
        }
    }
    Err(Failure::Missing("to without a dtype".into()))
}

/// The tensor and the dtype of a cast.
fn cast_arguments(dtype: Value, call: Call<'_>) -> Result<Vec<Value>, Failure> {
    let input = call.args.first().ok_or_else(|| Failure::Broken("a cast of nothing".into()))?;
    Ok(vec![input.clone(), dtype])
}

/// A value for each given parameter.
pub(super) fn arrange(schema: &Schema, call: Call<'_>) -> Result<Vec<Option<Value>>, Failure> {
    let mut values: Vec<Option<Value>> = vec![None; schema.params.len()];
    let exactly = |name: &str| schema.params.iter().position(|param| param.name == name);
    // The two names of a method's tensor.
    let index_of = |name: &str| match name {
        "self" | "input" => exactly("self").or_else(|| exactly("input")),
        name => exactly(name),
    };
    let named = call.names.filter(|names| names.len() == call.args.len());
    // Fewer names than arguments: the last one takes all that follow, `*tensors`.
    let variadic_from =
        call.names.filter(|names| names.len() < call.args.len()).map(|names| names.len().saturating_sub(1));
    let mut next = 0;
    let counted = |name: &str, value: &Value| {
        COUNTED.iter().any(|&(param, number)| param == name && *value == Value::Int(number))
    };
    let unasked = |name: &str, value: &Value| {
        (*value == Value::Bool(false) && OPTIONAL_FLAGS.contains(&name)) || counted(name, value)
    };
    for (i, value) in call.args.iter().enumerate() {
        if named.is_some_and(|names| unasked(&names[i], value)) {
            continue;
        }
        let by_name = named.and_then(|names| index_of(&names[i])).filter(|&index| values[index].is_none());
        while values.get(next).is_some_and(Option::is_some) {
            next += 1;
        }
        let index = by_name.unwrap_or(next);
        let Some(param) = schema.params.get(index) else {
            // A flag that is false may be unknown.
            if matches!(value, Value::None | Value::Bool(false)) {
                continue;
            }
            // As in a call without names.
            return Err(
                Error::argument(&schema.name, format!("{} arguments are too many: {schema}", call.args.len())).into()
            );
        };
        let rest = &call.args[i..];
        let all = |is: fn(&Value) -> bool| rest.iter().all(is);
        let gathers = match param.ty {
            ParamType::Tensors => all(|value| matches!(value, Value::Tensor(_))),
            ParamType::Ints | ParamType::OptionalInts | ParamType::PartialInts => {
                variadic_from.is_some_and(|from| i >= from) && all(|value| matches!(value, Value::Int(_)))
            }
            _ => false,
        };
        if gathers {
            values[index] = Some(Value::List(rest.to_vec()));
            break;
        }
        values[index] = Some(value.clone());
    }
    for (name, value) in call.kwargs.iter().filter(|(name, value)| !unasked(name, value)) {
        let sides = exactly(&format!("{name}_self")).zip(exactly(&format!("{name}_other")));
        match index_of(name) {
            Some(index) => values[index] = Some(value.clone()),
            None if let (Some((left, right)), Value::Tuple(pair) | Value::List(pair)) = (sides, value)
                && let [of_left, of_right] = &pair[..] =>
            {
                // `dims` of Python's tensordot is `dims_self` and `dims_other` of ATen's.
                values[left] = Some(of_left.clone());
                values[right] = Some(of_right.clone());
            }
            None if WITHOUT_MEANING.contains(&name.as_str()) => without_meaning(value)?,
            None if *value == Value::None => {}
            None => return Err(Failure::Missing(format!("the parameter {name} is missing in {schema}"))),
        }
    }
    Ok(values)
}

/// Only a strided layout can be omitted.
fn without_meaning(value: &Value) -> Result<(), Failure> {
    match value {
        Value::Other { kind, value } if kind == "layout" && value != "strided" => {
            Err(Failure::Refused(format!("there is no layout {value}")))
        }
        _ => Ok(()),
    }
}

pub(super) fn arguments(values: Vec<Option<Value>>, form: Form, loader: &mut Loader<'_>) -> Result<Vec<Arg>, Failure> {
    let mut args = Vec::with_capacity(values.len());
    for value in values {
        args.push(match value {
            Some(value) => argument(&value, loader)?,
            None => Arg::Missing,
        });
    }
    while matches!(args.last(), Some(Arg::Missing)) {
        args.pop();
    }
    if let (Form::Swapped, Some(Arg::Scalar(scalar))) = (form, args.first()) {
        // A number on the left is a 0-d tensor, whose type has lower priority in promotion.
        args[0] = Arg::Tensor(match *scalar {
            Scalar::Int(_) | Scalar::Number(_) => {
                Tensor::full_with([], *scalar, lanthorn::DType::I32, Some(loader.device))?
            }
            Scalar::Bool(value) => Tensor::full_with([], value, lanthorn::DType::Bool, Some(loader.device))?,
            Scalar::Float(_) | Scalar::Symbolic(_) => {
                Tensor::full_with([], *scalar, lanthorn::DType::F32, Some(loader.device))?
            }
        });
    }
    Ok(args)
}

/// A value as a dynamic argument.
pub fn argument(value: &Value, loader: &mut Loader<'_>) -> Result<Arg, Failure> {
    Ok(match value {
        Value::None => Arg::Null,
        Value::Bool(value) => Arg::Scalar(Scalar::Bool(*value)),
        Value::Int(value) => Arg::Scalar(Scalar::Int(*value)),
        Value::Float(value) => Arg::Scalar(Scalar::Float(*value)),
        Value::Str(text) if text == "cpu" => Arg::Device(loader.device.clone()),
        Value::Str(text) => Arg::Str(text.clone()),
        Value::DType(name) => Arg::DType(dtype_argument(name, loader.device)?),
        Value::Tensor(tensor) => Arg::Tensor(loader.argument(tensor)?),
        Value::Other { kind, .. } if kind == "device" => Arg::Device(loader.device.clone()),
        Value::List(items) | Value::Tuple(items) => list(items, loader)?,
        Value::Module(module) => super::module::argument(module, loader)?,
        Value::Function(name) => Arg::Str(name.clone()),
        other => return Err(Failure::Refused(format!("there is no argument like {other:?}"))),
    })
}

fn list(items: &[Value], loader: &mut Loader<'_>) -> Result<Arg, Failure> {
    let ints: Option<Vec<i64>> =
        items.iter().map(|item| if let Value::Int(value) = item { Some(*value) } else { None }).collect();
    if let Some(ints) = ints {
        return Ok(Arg::Ints(ints));
    }
    let partial = items.iter().map(|item| match item {
        Value::Int(value) => Some(Some(*value)),
        Value::None => Some(None),
        _ => None,
    });
    if let Some(partial) = partial.collect() {
        return Ok(Arg::PartialInts(partial));
    }
    let floats: Option<Vec<f64>> = items
        .iter()
        .map(|item| match item {
            Value::Int(value) => Some(*value as f64),
            Value::Float(value) => Some(*value),
            _ => None,
        })
        .collect();
    if let Some(floats) = floats {
        return Ok(Arg::Floats(floats));
    }
    let tensors = items.iter().map(|item| match item {
        Value::Tensor(tensor) => loader.argument(tensor).map(Some),
        Value::None => Ok(None),
        _ => Err(Failure::Refused(format!("there is no list like {items:?}"))),
    });
    let tensors = tensors.collect::<Result<Vec<Option<Tensor>>, _>>()?;
    Ok(match tensors.iter().cloned().collect() {
        Some(tensors) => Arg::Tensors(tensors),
        None => Arg::OptionalTensors(tensors),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn describe_arguments(schema: &str, call: serde_json::Value) -> Result<Vec<String>, String> {
        let schema = Schema::parse(schema).unwrap();
        let args: Vec<Value> = serde_json::from_value(call["args"].clone()).unwrap();
        let kwargs: BTreeMap<String, Value> = serde_json::from_value(call["kwargs"].clone()).unwrap_or_default();
        let names: Option<Vec<String>> = serde_json::from_value(call["names"].clone()).unwrap();
        let values = arrange(&schema, Call { args: &args, kwargs: &kwargs, names: names.as_deref() });
        let shown = |value: Option<Value>| match value {
            None => "-".to_string(),
            Some(Value::Int(value)) => value.to_string(),
            Some(Value::Tensor(tensor)) => tensor.name,
            Some(Value::List(items) | Value::Tuple(items)) => format!("list of {}", items.len()),
            Some(other) => format!("{other:?}"),
        };
        values.map(|values| values.into_iter().map(shown).collect()).map_err(|failure| failure.describe())
    }

    fn tensor(name: &str) -> serde_json::Value {
        json!({"$": "tensor", "ref": name, "dtype": "float32", "shape": [2]})
    }

    #[test]
    fn by_position_by_name_and_by_default() {
        let schema = "f(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor";
        let call = json!({"args": [tensor("x"), 3], "kwargs": {"keepdim": true}, "names": ["input", "dim"]});
        assert_eq!(describe_arguments(schema, call).unwrap(), ["x", "3", "Bool(true)", "-"]);
        // Python's order is not always ATen's: names take precedence.
        let call = json!({"args": [tensor("x"), tensor("c"), tensor("y")], "names": ["self", "condition", "other"]});
        let schema = "where(Tensor condition, Tensor input, Tensor other) -> Tensor";
        assert_eq!(describe_arguments(schema, call).unwrap(), ["c", "x", "y"]);
    }

    #[test]
    fn several_arguments_for_one_list() {
        let tensors = json!({"args": [tensor("x"), tensor("y")], "names": ["tensors"]});
        assert_eq!(
            describe_arguments("f(Tensor[] tensors, int dim=0) -> Tensor", tensors).unwrap(),
            ["list of 2", "-"]
        );
        let sizes = json!({"args": [tensor("x"), 2, 3], "names": ["x", "args"]});
        assert_eq!(describe_arguments("f(Tensor self, int[] size) -> Tensor", sizes).unwrap(), ["x", "list of 2"]);
        let dims = json!({"args": [tensor("x")], "kwargs": {"dims": [[0, 1], [1, 0]]}});
        let schema = "f(Tensor self, int[] dims_self, int[] dims_other) -> Tensor";
        assert_eq!(describe_arguments(schema, dims).unwrap(), ["x", "list of 2", "list of 2"]);
    }

    #[test]
    fn keywords_without_a_parameter() {
        let schema = "f(Tensor self) -> Tensor";
        let with = |name: &str, value: serde_json::Value| json!({"args": [tensor("x")], "kwargs": {name: value}});
        for (name, value) in [
            ("device", json!("cpu")),
            ("out_int32", json!(true)),
            ("return_indices", json!(false)),
            ("dtype", json!(null)),
        ] {
            assert_eq!(describe_arguments(schema, with(name, value)).unwrap(), ["x"], "{name}");
        }
        for (name, value) in [("return_indices", json!(true)), ("unbiased", json!(false)), ("dim", json!(1))] {
            assert!(describe_arguments(schema, with(name, value)).unwrap_err().contains("is missing"), "{name}");
        }
        let sparse = json!({"$": "layout", "v": "sparse_coo"});
        assert_eq!(describe_arguments(schema, with("layout", sparse)).unwrap_err(), "there is no layout sparse_coo");
        assert!(describe_arguments(schema, json!({"args": [tensor("x"), 1]})).unwrap_err().contains("too many"));
    }
}
