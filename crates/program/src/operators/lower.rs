//! How a call of an operator becomes a call of the table.

use super::{Args, Operator, args::of_default};
use crate::{Dispatch, Error, Outcome, Overload, Result, Value, device_dtype, value};
use lanthorn_io::{DType, TensorData};
use lanthorn_schema::{Param, ParamType, Schema};

/// How an operator is expressed.
#[derive(Debug)]
pub(crate) enum Lowering {
    /// By the operation of the same name, and its parameters of the same names.
    Same,
    /// By a call of another operation.
    Call(Template),
    /// By the function with this index.
    Function(usize),
}

/// A call with parameters of the operator and constants as arguments.
#[derive(Debug)]
pub(crate) struct Template {
    pub name: &'static str,
    pub args: Vec<(Option<&'static str>, Argument)>,
    /// Which of several results the operator returns.
    pub result: Option<usize>,
}

#[derive(Debug)]
pub(crate) enum Argument {
    Param(usize),
    Constant(Value<()>),
}

/// Parameters that say where and how memory is laid out. They do not change a result here.
pub(crate) const IGNORED: [&str; 9] =
    ["layout", "device", "pin_memory", "memory_format", "non_blocking", "generator", "implicit", "sparse", "copy"];

impl Lowering {
    /// Parses the text after `=`.
    pub fn parse(text: &'static str, schema: &Schema, functions: &[&str]) -> Option<Lowering> {
        if let Some(name) = text.strip_prefix('@') {
            return functions.iter().position(|known| *known == name).map(Lowering::Function);
        }
        let (name, rest) = text.split_once('(')?;
        let (list, rest) = rest.rsplit_once(')')?;
        let result = match rest {
            "" => None,
            rest => Some(rest.strip_prefix('[')?.strip_suffix(']')?.parse().ok()?),
        };
        let args = list.split(", ").filter(|item| !item.is_empty()).map(|item| {
            let (name, text) = item.split_once('=').map_or((None, item), |(name, text)| (Some(name), text));
            let param = schema.params.iter().position(|param| param.name == text);
            Some((
                name,
                param.map_or_else(|| constant(text).map(Argument::Constant), |index| Some(Argument::Param(index)))?,
            ))
        });
        Some(Lowering::Call(Template { name, args: args.collect::<Option<_>>()?, result }))
    }
}

impl Lowering {
    /// Whether the required parameters of a schema of the table are given, by name or position.
    pub fn fits(&self, operator: &Schema, table: &Schema) -> bool {
        let known = |name: &str| operator.params.iter().any(|param| param.name == name);
        let given = |index: usize, name: &str| match self {
            Lowering::Same => {
                known(name)
                    || operator
                        .params
                        .get(index)
                        .is_some_and(|param| !table.params.iter().any(|other| other.name == param.name))
            }
            Lowering::Call(template) => {
                let positional = template.args.iter().filter(|(name, _)| name.is_none()).count();
                index < positional || template.args.iter().any(|(given, _)| *given == Some(name))
            }
            Lowering::Function(_) => true,
        };
        let mut required = table.params.iter().enumerate().filter(|(_, param)| param.is_required());
        let named_exist = match self {
            Lowering::Call(template) => template
                .args
                .iter()
                .all(|(name, _)| name.is_none_or(|name| table.params.iter().any(|param| param.name == name))),
            _ => true,
        };
        named_exist && required.all(|(index, param)| given(index, &param.name))
    }
}

fn constant(text: &str) -> Option<Value<()>> {
    Some(match text {
        "None" => Value::None,
        "True" => Value::Bool(true),
        "False" => Value::Bool(false),
        "[]" => Value::List(vec![]),
        _ if text.starts_with('"') => Value::Str(text.trim_matches('"').to_string()),
        _ => match text.parse() {
            Ok(int) => Value::Int(int),
            Err(_) => Value::Float(text.parse().ok()?),
        },
    })
}

/// Runs an operator on bound arguments.
pub(super) fn run<'d, D: Dispatch>(
    dispatch: &'d D,
    operator: &'static Operator,
    mut args: Args<D::Tensor>,
    in_place: bool,
    run_function: impl FnOnce(usize, &'d D, Args<D::Tensor>) -> Result<Outcome<'d, D::Tensor>>,
) -> Result<Outcome<'d, D::Tensor>> {
    adapt(dispatch, &mut args)?;
    let target = if in_place { Some(first_tensor(&args)?) } else { None };
    let mut selected = None;
    let (outcome, written) = match &operator.lowering {
        Lowering::Same => same(dispatch, args, in_place)?,
        Lowering::Call(template) => {
            selected = template.result;
            let named = |wanted: bool| template.args.iter().filter(move |(name, _)| name.is_some() == wanted);
            let value = |argument: &Argument| match argument {
                Argument::Param(index) => args.values[*index].clone(),
                Argument::Constant(value) => retype(value),
            };
            let positional = named(false).map(|(_, argument)| value(argument)).collect();
            let keywords: Vec<(&str, Value<D::Tensor>)> =
                named(true).filter_map(|(name, argument)| Some(((*name)?, value(argument)))).collect();
            call(dispatch, template.name, positional, &keywords, in_place)?
        }
        // A function for `x_` writes its results itself.
        Lowering::Function(index) => (run_function(*index, dispatch, args)?, operator.schema.name.ends_with('_')),
    };
    outcome.then(move |value| {
        let value = match selected {
            Some(index) => select(value, index),
            None => value,
        };
        let value = match target.filter(|_| !written) {
            Some(target) => assign(dispatch, target, value)?,
            None => value,
        };
        Ok(shape_result(&operator.schema, value))
    })
}

fn retype<T>(value: &Value<()>) -> Value<T> {
    match value {
        Value::Bool(value) => Value::Bool(*value),
        Value::Int(value) => Value::Int(*value),
        Value::Float(value) => Value::Float(*value),
        Value::Str(text) => Value::Str(text.clone()),
        Value::List(_) => Value::List(vec![]),
        _ => Value::None,
    }
}

fn select<T>(value: Value<T>, index: usize) -> Value<T> {
    match value {
        Value::List(mut values) | Value::Tuple(mut values) if index < values.len() => values.swap_remove(index),
        value => value,
    }
}

fn first_tensor<T: Clone>(args: &Args<T>) -> Result<T> {
    let first = args.values.first().and_then(Value::as_tensor);
    first.cloned().ok_or_else(|| Error::argument(args.op(), "has no tensor to write to"))
}

/// Writes a result to the tensor that an in-place operator is called on.
fn assign<D: Dispatch>(dispatch: &D, target: D::Tensor, value: Value<D::Tensor>) -> Result<Value<D::Tensor>> {
    let Value::Tensor(source) = value else { return Err(Error::argument("copy_", "the result is not one tensor")) };
    if !dispatch.is_same(&target, &source) {
        dispatch.assign(&target, &source)?;
    }
    Ok(Value::Tensor(target))
}

/// Several results as a tuple, one as itself.
fn shape_result<T>(schema: &Schema, value: Value<T>) -> Value<T> {
    match value {
        Value::List(mut values) if schema.returns.len() > 1 => {
            // Results that only a derivative needs may be left out.
            values.resize_with(schema.returns.len().max(values.len()), || Value::None);
            Value::Tuple(values)
        }
        Value::Tensor(tensor) if schema.returns.len() > 1 => {
            let rest = std::iter::repeat_with(|| Value::None).take(schema.returns.len() - 1);
            Value::Tuple(std::iter::once(Value::Tensor(tensor)).chain(rest).collect())
        }
        Value::List(mut values)
            if schema.returns.len() == 1 && schema.returns[0].ty == "Tensor" && values.len() == 1 =>
        {
            values.remove(0)
        }
        value => value,
    }
}

/// Turns numbers of dtypes into names of types that the device has, numbers of reductions into
/// names.
fn adapt<D: Dispatch>(dispatch: &D, args: &mut Args<D::Tensor>) -> Result<()> {
    for (index, param) in args.schema.params.iter().enumerate() {
        let given = &args.values[index];
        let adapted = match (param.ty, given) {
            (ParamType::DType | ParamType::OptionalDType, Value::Int(_) | Value::Str(_)) => {
                args.dtype(&param.name)?.map(|dtype| Value::Str(device_dtype(dispatch, dtype).name().to_string()))
            }
            (ParamType::Int, Value::Int(number)) if param.name == "reduction" => {
                let name =
                    usize::try_from(*number).ok().and_then(|number| ["none", "mean", "sum"].get(number).copied());
                let name = name.ok_or_else(|| Error::argument(args.op(), format!("no reduction {number}")))?;
                Some(Value::Str(name.to_string()))
            }
            (ParamType::Int | ParamType::OptionalInt, Value::Bool(value)) => Some(Value::Int(i64::from(*value))),
            (ParamType::Float | ParamType::OptionalFloat, Value::Bool(value)) => Some(Value::Float(f64::from(*value))),
            _ => None,
        };
        if let Some(adapted) = adapted {
            args.values[index] = adapted;
        }
    }
    Ok(())
}

/// An outcome, and whether it was written in place.
type Called<'d, D> = (Outcome<'d, <D as Dispatch>::Tensor>, bool);

/// Calls the operation of the operator's own name by the names of its parameters. Returns the
/// result, and whether it was written in place.
fn same<D: Dispatch>(dispatch: &D, args: Args<D::Tensor>, in_place: bool) -> Result<Called<'_, D>> {
    let overloads = dispatch.overloads(args.op());
    for overload in overloads.iter() {
        if let Some(values) = by_name(&args, &overload.schema) {
            return execute(dispatch, overload, values, in_place);
        }
    }
    // A number where the table takes a tensor only.
    let Some(args) = numbers_as_tensors(dispatch, &args)? else {
        return Err(no_overload(args.op(), &args.values));
    };
    for overload in overloads.iter() {
        if let Some(values) = by_name(&args, &overload.schema) {
            return execute(dispatch, overload, values, in_place);
        }
    }
    Err(no_overload(args.op(), &args.values))
}

/// The arguments with tensors for the numbers that were given for tensors. `None` if there are
/// none.
fn numbers_as_tensors<D: Dispatch>(dispatch: &D, args: &Args<D::Tensor>) -> Result<Option<Args<D::Tensor>>> {
    let like = args.values.iter().find_map(Value::as_tensor).map_or(DType::F32, |tensor| dispatch.dtype(tensor));
    let mut converted = args.clone();
    let mut any = false;
    for (param, value) in args.schema.params.iter().zip(&mut converted.values) {
        let is_tensor = matches!(param.ty, ParamType::Tensor | ParamType::OptionalTensor);
        if is_tensor && matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_)) {
            *value = Value::Tensor(number_tensor(dispatch, value.clone(), like)?);
            any = true;
        }
    }
    Ok(any.then_some(converted))
}

/// A number as a tensor without dimensions, of the type that a result with a tensor of type `like`
/// has.
///
/// # Errors
///
/// The errors of [`Dispatch::tensor`] and of the conversion.
pub fn number_tensor<D: Dispatch>(dispatch: &D, number: Value<D::Tensor>, like: DType) -> Result<D::Tensor> {
    let dtype = match number {
        Value::Float(_) if !value::is_floating_point(like) => DType::F32,
        Value::Int(_) if like == DType::Bool => DType::I32,
        _ => like,
    };
    // As data and not as a constant of the kernel, which shader compilers would fold.
    let wide = match number {
        Value::Float(value) => TensorData::new(DType::F64, vec![], value.to_le_bytes().to_vec()),
        Value::Int(value) => TensorData::new(DType::I64, vec![], value.to_le_bytes().to_vec()),
        value => TensorData::new(DType::Bool, vec![], vec![u8::from(value.as_bool().unwrap_or(false))]),
    };
    let wide = wide.ok_or_else(|| Error::malformed("a number of another size"))?;
    let uploaded = Value::Tensor(dispatch.tensor(wide)?);
    match table_call(dispatch, "to", vec![uploaded, Value::Str(dtype.name().to_string())], &[])?.ready("to")? {
        Value::Tensor(tensor) => Ok(tensor),
        _ => Err(Error::argument("to", "does not give one tensor")),
    }
}

fn no_overload<T>(op: &str, values: &[Value<T>]) -> Error {
    let values: Vec<String> = values.iter().map(value::describe).collect();
    Error::argument(op, format!("the table has no overload for ({})", values.join(", ")))
}

/// The arguments in the order of a schema of the table: each goes to the parameter of its name, or
/// to that at its position if neither name is in the other signature.
fn by_name<T: Clone>(args: &Args<T>, schema: &Schema) -> Option<Vec<Value<T>>> {
    let mut values: Vec<Option<Value<T>>> = vec![None; schema.params.len()];
    let known = |name: &str| args.schema.params.iter().any(|param| param.name == name);
    for (index, param) in args.schema.params.iter().enumerate() {
        let given = &args.values[index];
        let same_name = schema.params.iter().position(|other| other.name == param.name);
        let same_index =
            (!param.keyword_only && index < schema.params.len() && !known(&schema.params[index].name)).then_some(index);
        if IGNORED.contains(&param.name.as_str()) {
            continue;
        }
        match same_name.or(same_index) {
            Some(index) => values[index] = Some(given.clone()),
            None if matches!(given, Value::None) || is_default(param, given) => {}
            None => return None,
        }
    }
    complete(schema, values)
}

/// Whether a value equals the parameter's default.
fn is_default<T>(param: &Param, value: &Value<T>) -> bool {
    let Some(default) = &param.default else { return false };
    match (of_default::<T>(default), value) {
        (Value::Bool(a), Value::Bool(b)) => a == *b,
        (Value::Str(a), Value::Str(b)) => a == *b,
        (a, b) => a.as_float().is_some() && a.as_float() == b.as_float(),
    }
}

/// Fills in the defaults of missing arguments, and checks kinds.
fn complete<T>(schema: &Schema, values: Vec<Option<Value<T>>>) -> Option<Vec<Value<T>>> {
    let fill = |(param, given): (&Param, Option<Value<T>>)| {
        let given = given.filter(|value| !matches!(value, Value::None) || param.ty.is_optional());
        let value = given.or_else(|| param.default.as_ref().map(of_default))?;
        (param.kinds().contains(value::kind(&value)?)).then_some(value)
    };
    schema.params.iter().zip(values).map(fill).collect()
}

fn execute<'d, D: Dispatch>(
    dispatch: &'d D,
    overload: &Overload,
    values: Vec<Value<D::Tensor>>,
    in_place: bool,
) -> Result<Called<'d, D>> {
    let in_place = in_place && overload.in_place;
    Ok((dispatch.run(&overload.schema.full_name(), values, in_place)?, in_place))
}

/// Calls an operation of the table by name, with positional and named arguments; the first overload
/// that takes them. `x_` is the in-place form.
///
/// # Errors
///
/// [`Error::Argument`] if the table has no operation that takes the arguments; [`Error::Operation`]
/// of the dispatcher.
pub fn table_call<'d, D: Dispatch>(
    dispatch: &'d D,
    name: &str,
    args: Vec<Value<D::Tensor>>,
    named: &[(&str, Value<D::Tensor>)],
) -> Result<Outcome<'d, D::Tensor>> {
    let (name, in_place) = match name.strip_suffix('_') {
        Some(name) => (name, true),
        None => (name, false),
    };
    Ok(call(dispatch, name, args, named, in_place)?.0)
}

fn call<'d, D: Dispatch>(
    dispatch: &'d D,
    name: &str,
    args: Vec<Value<D::Tensor>>,
    named: &[(&str, Value<D::Tensor>)],
    in_place: bool,
) -> Result<Called<'d, D>> {
    let overloads = dispatch.overloads(name);
    for overload in overloads.iter() {
        let schema = &overload.schema;
        if name.contains('.') && schema.full_name() != name {
            continue;
        }
        let position = |name: &str| schema.params.iter().position(|param| param.name == name);
        let mut values: Vec<Option<Value<D::Tensor>>> = args.iter().cloned().map(Some).collect();
        if values.len() > schema.params.len() {
            continue;
        }
        values.resize(schema.params.len(), None);
        let mut indices = named.iter().map(|(name, value)| Some((position(name)?, value)));
        let fits =
            indices.all(|index| index.is_some_and(|(index, value)| values[index].replace(value.clone()).is_none()));
        if let Some(values) = complete(schema, values).filter(|_| fits) {
            return execute(dispatch, overload, values, in_place);
        }
    }
    Err(no_overload(name, &args))
}
