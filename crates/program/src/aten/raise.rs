//! Converts a call of the table to a call of ATen: the inverse of lowering.
//!
//! If an operator is lowered to the operation of the same name or by a template, this module
//! inverts that automatically. If a function lowers it, a function in `functions` raises it.

mod functions;

use super::table;
use crate::{
    Value,
    operators::{Argument, IGNORED, Lowering, Operator, Template, of_default, takes},
    value::scalar_type,
};
use lanthorn_io::DType;
use lanthorn_schema::{Default, Param, ParamType, Schema};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// A call of ATen.
#[derive(Clone, Debug, PartialEq)]
pub struct Raised<T: 'static> {
    /// The operator's name with its overload: `add.Tensor`, `relu.default`.
    pub name: String,
    /// The positional arguments, without trailing defaults.
    pub args: Vec<Value<T>>,
    /// The named arguments that differ from their defaults.
    pub named: Vec<(String, Value<T>)>,
}

/// Operators without an in-place form in PyTorch, or whose in-place form has another overload's
/// name.
const NOT_IN_PLACE: [&str; 18] = [
    "bernoulli",
    "floor_divide",
    "fmax",
    "fmin",
    "hardshrink",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "ldexp",
    "log_sigmoid",
    "maximum",
    "minimum",
    "normal_functional",
    "pow",
    "signbit",
    "softplus",
];

/// Converts a call of the table's operation to a call of ATen. The arguments are complete and in
/// the schema's order. `shape` returns the shape of a tensor. Returns `None` if no operator
/// matches.
///
/// ```
/// # mod lanthorn { pub use lanthorn_program as program; }
/// use lanthorn::program::{Value, aten};
/// use lanthorn_schema::Schema;
/// let schema = Schema::parse("softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor").unwrap();
/// let raised = aten::raise(&schema, &[Value::Tensor(7), Value::Int(-1), Value::None], false, &|_| vec![2, 3]).unwrap();
/// assert_eq!(raised.name, "softmax.int");
/// assert_eq!(raised.args, [Value::Tensor(7), Value::Int(-1)]);
/// ```
pub fn raise<T: Clone>(
    schema: &Schema,
    args: &[Value<T>],
    in_place: bool,
    shape: &dyn Fn(&T) -> Vec<i64>,
) -> Option<Raised<T>> {
    if let Some(function) = functions::find(&schema.full_name()) {
        let given = functions::Given { schema, args, shape };
        let (name, wanted) = functions::run(function, &given)?;
        return from_wanted(name, &wanted, in_place);
    }
    candidates(&schema.name).filter(|operator| same_results(operator, schema)).find_map(|operator| {
        let values = match &operator.lowering {
            Lowering::Same => by_name(operator, schema, args),
            Lowering::Call(template) => by_template(operator, template, schema, args),
            Lowering::Function(_) => None,
        }?;
        complete(operator, values, in_place)
    })
}

/// Returns the operators that are lowered to operations of this name. Operators of the same name
/// come first.
fn candidates(name: &str) -> impl Iterator<Item = &'static Operator> {
    static BY_OPERATION: OnceLock<FxHashMap<&'static str, Vec<&'static Operator>>> = OnceLock::new();
    let map = BY_OPERATION.get_or_init(|| {
        let mut map: FxHashMap<&'static str, Vec<&'static Operator>> = FxHashMap::default();
        for operator in table::all() {
            if let Lowering::Call(template) = &operator.lowering
                && template.result.is_none()
            {
                map.entry(template.name.split('.').next().unwrap_or_default()).or_default().push(operator);
            }
        }
        map
    });
    let same = table::operators(name).unwrap_or_default().iter();
    let same = same.filter(|operator| matches!(operator.lowering, Lowering::Same));
    same.chain(map.get(name).into_iter().flatten().copied())
}

fn same_results(operator: &Operator, schema: &Schema) -> bool {
    let kinds =
        |schema: &Schema| -> Vec<bool> { schema.returns.iter().map(|result| result.ty.ends_with("[]")).collect() };
    kinds(&operator.schema) == kinds(schema)
}

fn fits_name(template: &Template, schema: &Schema) -> bool {
    template.name == schema.name || template.name == schema.full_name()
}

/// The values of an operator's parameters.
type Values<T> = Vec<Option<Value<T>>>;

/// Assigns the arguments to the parameters of the same name or position, like lowering does.
fn by_name<T: Clone>(operator: &Operator, schema: &Schema, args: &[Value<T>]) -> Option<Values<T>> {
    let (own, params) = (&operator.schema.params, &schema.params);
    let known = |name: &str| own.iter().any(|param| param.name == name);
    let mut used = vec![false; params.len()];
    let mut values = Vec::with_capacity(own.len());
    for (index, param) in own.iter().enumerate() {
        let same_name = params.iter().position(|other| other.name == param.name);
        let same_position =
            (!param.keyword_only && index < params.len() && !known(&params[index].name)).then_some(index);
        let position = same_name.or(same_position).filter(|_| !IGNORED.contains(&param.name.as_str()));
        // A single number as a list would apply to every dimension.
        if position.is_some_and(|position| param.ty == ParamType::Ints && params[position].ty == ParamType::Int) {
            return None;
        }
        values.push(position.map(|position| {
            used[position] = true;
            args[position].clone()
        }));
    }
    rest_is_default(schema, args, &used).then_some(values)
}

/// Inverts a template: extracts the operator's own arguments from the operation's.
fn by_template<T: Clone>(
    operator: &Operator,
    template: &Template,
    schema: &Schema,
    args: &[Value<T>],
) -> Option<Values<T>> {
    if !fits_name(template, schema) {
        return None;
    }
    let mut used = vec![false; args.len()];
    let mut values: Values<T> = vec![None; operator.schema.params.len()];
    for (index, (name, argument)) in template.args.iter().enumerate() {
        let position = match name {
            Some(name) => schema.params.iter().position(|param| param.name == *name)?,
            None => index,
        };
        let value = args.get(position)?;
        used[position] = true;
        match argument {
            Argument::Param(param) => values[*param] = Some(value.clone()),
            Argument::Constant(constant) if is_equal(constant, value) => {}
            Argument::Constant(_) => return None,
        }
    }
    rest_is_default(schema, args, &used).then_some(values)
}

fn rest_is_default<T>(schema: &Schema, args: &[Value<T>], used: &[bool]) -> bool {
    schema.params.iter().zip(args).zip(used).all(|((param, value), used)| *used || is_default(param, value))
}

fn is_default<T>(param: &Param, value: &Value<T>) -> bool {
    match &param.default {
        Some(default) => is_equal(&of_default(default), value),
        None => false,
    }
}

/// Whether two constants are equal. An integer equals the float of its value, and a number equals
/// the list of it.
fn is_equal<T>(constant: &Value<()>, value: &Value<T>) -> bool {
    match (constant, value) {
        (Value::None, Value::None) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::List(a) | Value::Tuple(a), Value::List(b) | Value::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (Value::Int(_) | Value::Float(_), Value::List(b) | Value::Tuple(b)) if !b.is_empty() => {
            b.iter().all(|b| is_equal(constant, b))
        }
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => constant.as_float() == value.as_float(),
        _ => false,
    }
}

/// Returns a call of the operator with these values, if its parameters accept them.
fn complete<T: Clone>(operator: &Operator, values: Values<T>, in_place: bool) -> Option<Raised<T>> {
    let schema = &operator.schema;
    if in_place && (NOT_IN_PLACE.contains(&schema.name.as_str()) || schema.name.starts_with("special_")) {
        return None;
    }
    let mut given = Vec::with_capacity(values.len());
    for (param, value) in schema.params.iter().zip(values) {
        // `None` for a parameter that does not accept it means an omitted argument.
        let value = value.filter(|value| !matches!(value, Value::None) || param.ty.is_optional());
        // Integers without a dtype are int32 in the table and int64 in ATen, whose default is an
        // integer.
        let integers = param.ty == ParamType::OptionalDType && matches!(param.default, Some(Default::Int(_)));
        let value = match value {
            Some(Value::None) if integers => Some(Value::Int(scalar_type(DType::I32))),
            value => value,
        };
        let value = value.map(|value| convert(schema, param, value)).filter(|value| !is_default(param, value));
        match &value {
            Some(value) if !takes(param, value, super::Numbers::Apart) => return None,
            _ => {}
        }
        // The choice of a PyTorch library does not change a result.
        let value = value.or_else(|| param.name.starts_with("cudnn").then_some(Value::Bool(true)));
        if value.is_none() && param.is_required() {
            return None;
        }
        given.push(value);
    }
    let count = schema.params.iter().take_while(|param| !param.keyword_only).count();
    // `from` is a Python keyword and cannot name an argument, so PyTorch requires it by position.
    let is_placed = |(param, value): (&Param, &Option<Value<T>>)| value.is_some() || param.name == "from";
    let positional = schema.params.iter().zip(&given).take(count).rposition(is_placed).map_or(0, |last| last + 1);
    let named = schema.params.iter().zip(&given).skip(positional);
    let named = named.filter_map(|(param, value)| Some((param.name.clone(), value.clone()?))).collect();
    let args = schema.params.iter().zip(given).take(positional);
    let default = |param: &Param| Some(convert(schema, param, of_default(param.default.as_ref()?)));
    let args = args.map(|(param, value)| value.or_else(|| default(param)));
    let writes = if in_place && !schema.name.ends_with('_') { "_" } else { "" };
    let overload = if schema.overload.is_empty() { "default" } else { &schema.overload };
    Some(Raised { name: format!("{}{writes}.{overload}", schema.name), args: args.collect::<Option<_>>()?, named })
}

/// Arguments of an operator by the names of its parameters.
type Wanted<T> = Vec<(&'static str, Value<T>)>;

fn from_wanted<T: Clone>(name: &'static str, wanted: &Wanted<T>, in_place: bool) -> Option<Raised<T>> {
    let target = super::find(name)?;
    let operator = target.operators().first()?;
    let value = |param: &Param| wanted.iter().find(|(name, _)| *name == param.name).map(|(_, value)| value.clone());
    complete(operator, operator.schema.params.iter().map(value).collect(), in_place)
}

/// Returns the number of spatial dimensions in an operator's name, as in `conv2d`.
fn spatial_dimensions(name: &str) -> Option<usize> {
    let known = [("1d", 1), ("2d", 2), ("3d", 3), ("im2col", 2), ("col2im", 2)];
    known.into_iter().find(|(part, _)| name.contains(part)).map(|(_, dims)| dims)
}

/// Converts a value to ATen's form: the number of a dtype or reduction, a float for a float
/// parameter, and a number for each spatial dimension.
fn convert<T: Clone>(schema: &Schema, param: &Param, value: Value<T>) -> Value<T> {
    match (param.ty, &value) {
        (ParamType::Ints | ParamType::OptionalInts, Value::Int(_)) => {
            Value::List(vec![value; spatial_dimensions(&schema.name).unwrap_or(1)])
        }
        (ParamType::Ints | ParamType::OptionalInts, Value::List(items)) if items.len() == 1 => {
            Value::List(vec![items[0].clone(); spatial_dimensions(&schema.name).unwrap_or(1)])
        }
        (ParamType::DType | ParamType::OptionalDType, Value::Str(name)) => {
            DType::from_name(name).map_or(value, |dtype| Value::Int(scalar_type(dtype)))
        }
        (ParamType::Int, Value::Str(name)) if param.name == "reduction" => {
            let number = ["none", "mean", "sum"].iter().position(|known| known == name);
            number.map_or(value, |number| Value::Int(number as i64))
        }
        (ParamType::Float | ParamType::OptionalFloat, Value::Int(number)) => Value::Float(*number as f64),
        _ => value,
    }
}
