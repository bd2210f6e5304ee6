//! Converts arguments of calls to the schema's JSON.

use super::{cannot_save, invalid, metas, name_object, string, union};
use crate::{
    Result, Value,
    graph::{Graph, Meta, Operand, ValueId},
    json::Json,
    pt2::numbers,
    value::dtype_of,
};
use lanthorn_schema::{Param, ParamType};

/// The deepest nesting of lists.
const MAX_DEPTH: usize = 32;

/// Returns the name of a value in the union of its kind.
pub(super) fn value(graph: &Graph, id: ValueId) -> Result<Json> {
    let name = graph.names.get(id).map_or("?", String::as_str);
    let symbol = || union("as_name", string(name));
    Ok(match graph.meta(id) {
        Some(Meta::Tensor(_)) => union("as_tensor", name_object(name)),
        Some(Meta::Int(_)) => union("as_sym_int", symbol()),
        Some(Meta::Float(_)) => union("as_sym_float", symbol()),
        Some(Meta::Bool(_)) => union("as_sym_bool", symbol()),
        None => return Err(no_description(name)),
    })
}

pub(super) fn no_description(name: &str) -> crate::Error {
    invalid(format!("nothing is known of the value {name}: its type and sizes are needed"))
}

/// Converts an argument for a parameter of an operator. An operator with blocks has no parameters.
pub(super) fn operand(graph: &Graph, operand: &Operand, param: Option<&Param>) -> Result<Json> {
    match operand {
        Operand::Value(id) => value(graph, *id),
        Operand::Constant(value) => constant(value, param, 0),
        Operand::List(items) => list(graph, items, param),
        Operand::Block(_) => Err(invalid("a block is the argument of an operator that takes none")),
    }
}

/// Converts a constant to an argument.
fn constant(value: &Value<()>, param: Option<&Param>, depth: usize) -> Result<Json> {
    if depth > MAX_DEPTH {
        return Err(cannot_save(format!("more than {MAX_DEPTH} nested lists")));
    }
    let ty = param.map(|param| param.ty);
    Ok(match value {
        Value::None => union("as_none", Json::Bool(true)),
        Value::Bool(value) => union("as_bool", Json::Bool(*value)),
        Value::Int(number) if matches!(ty, Some(ParamType::DType | ParamType::OptionalDType)) => {
            union("as_scalar_type", scalar_type(*number)?)
        }
        Value::Int(number) if param.is_some_and(|param| param.name == "memory_format") => {
            let known = numbers::memory_format_number(*number);
            let known = known.ok_or_else(|| cannot_save(format!("the memory format number {number}")))?;
            union("as_memory_format", Json::Int(known))
        }
        Value::Int(number) if param.is_some_and(|param| param.name == "layout") => match number {
            0 => union("as_layout", Json::Int(numbers::STRIDED)),
            number => return Err(cannot_save(format!("the layout number {number}"))),
        },
        Value::Int(value) => union("as_int", Json::Int(*value)),
        Value::Float(value) => union("as_float", metas::float(*value)),
        Value::Str(text) if matches!(ty, Some(ParamType::DType | ParamType::OptionalDType)) => {
            let dtype = lanthorn_io::DType::from_name(text);
            let dtype = dtype.ok_or_else(|| cannot_save(format!("the element type {text:?}")))?;
            union("as_scalar_type", metas::dtype(dtype)?)
        }
        Value::Str(text) if ty == Some(ParamType::OptionalDevice) => union("as_device", metas::device(text)),
        Value::Str(text) => union("as_string", string(text)),
        Value::List(items) | Value::Tuple(items) => constants(items, param, depth)?,
        Value::Dict(entries) => {
            let entries = entries.iter().map(|(key, value)| match key {
                Value::Str(key) => Ok((key.clone(), constant(value, None, depth + 1)?)),
                key => Err(cannot_save(format!("a dictionary with the key {}", key.short()))),
            });
            union("as_string_to_argument", Json::Object(entries.collect::<Result<_>>()?))
        }
        Value::Bytes(_) | Value::Tensor(()) => return Err(cannot_save("bytes or a tensor as a constant argument")),
    })
}

/// Converts c10's number of an element type.
fn scalar_type(c10: i64) -> Result<Json> {
    match dtype_of(c10) {
        Some(dtype) => metas::dtype(dtype),
        // The schema's numbers of complex types are one higher than c10's.
        None if numbers::is_complex(c10 + 1) => Ok(Json::Int(c10 + 1)),
        None => Err(cannot_save(format!("the element type number {c10}"))),
    }
}

/// Converts a list of constants.
fn constants(items: &[Value<()>], param: Option<&Param>, depth: usize) -> Result<Json> {
    let collect = |key: &str, item: fn(&Value<()>) -> Option<Json>| {
        items.iter().map(item).collect::<Option<Vec<Json>>>().map(|items| union(key, Json::Array(items)))
    };
    if items.is_empty() {
        return Ok(union(empty(param.map(|param| param.ty)), Json::Array(vec![])));
    }
    let none = |value: &Value<()>| matches!(value, Value::None).then(|| union("as_none", Json::Bool(true)));
    let found = collect("as_bools", |value| value.as_bool().map(Json::Bool))
        .or_else(|| collect("as_ints", |value| value.as_int().map(Json::Int)))
        .or_else(|| collect("as_floats", |value| value.as_float().map(metas::float)))
        .or_else(|| collect("as_strings", |value| value.as_str().map(string)))
        .or_else(|| collect("as_optional_tensors", none));
    if let Some(found) = found {
        return Ok(found);
    }
    // Lists of lists of numbers.
    let nested = items.iter().map(|item| match item {
        Value::List(_) | Value::Tuple(_) => constant(item, None, depth + 1),
        item => Err(cannot_save(format!("a list with {}", crate::value::describe(item)))),
    });
    let nested = nested.collect::<Result<Vec<Json>>>()?;
    for (inner, outer) in [("as_ints", "as_int_lists"), ("as_floats", "as_float_lists")] {
        let lists: Option<Vec<Json>> = nested.iter().map(|list| list.get(inner).cloned()).collect();
        if let Some(lists) = lists {
            return Ok(union(outer, Json::Array(lists)));
        }
    }
    Err(cannot_save("a list of lists of other elements than numbers"))
}

/// Returns the kind of an empty list.
fn empty(ty: Option<ParamType>) -> &'static str {
    match ty {
        Some(ParamType::Ints | ParamType::OptionalInts | ParamType::PartialInts | ParamType::IntsOrStr) => "as_ints",
        Some(ParamType::Floats | ParamType::OptionalFloats | ParamType::PartialFloats) => "as_floats",
        _ => "as_tensors",
    }
}

/// Converts a list with values of the graph.
fn list(graph: &Graph, items: &[Operand], param: Option<&Param>) -> Result<Json> {
    let constants: Option<Vec<Value<()>>> = items
        .iter()
        .map(|item| match item {
            Operand::Constant(value) => Some(value.clone()),
            _ => None,
        })
        .collect();
    if let Some(constants) = constants {
        return constant(&Value::List(constants), param, 0);
    }
    if items.iter().all(|item| matches!(item, Operand::List(_))) {
        let lists = items.iter().map(|item| match operand(graph, item, None)?.get("as_tensors") {
            Some(tensors) => Ok(tensors.clone()),
            None => Err(cannot_save("a list of lists of values that are not tensors")),
        });
        return Ok(union("as_nested_tensors", Json::Array(lists.collect::<Result<_>>()?)));
    }
    let arguments = items.iter().map(|item| operand(graph, item, None)).collect::<Result<Vec<Json>>>()?;
    // A list holds names of values together with constants.
    let collect = |key: &str, item: &dyn Fn(&Json) -> Option<Json>| {
        arguments.iter().map(item).collect::<Option<Vec<Json>>>().map(|items| union(key, Json::Array(items)))
    };
    let mixed = |key: &str, value: &str, of_value: &str| {
        let item = |argument: &Json| {
            let constant = || argument.get(of_value).map(|value| union(of_value, value.clone()));
            argument.get(value).cloned().or_else(constant)
        };
        collect(key, &item)
    };
    let optional = |argument: &Json| {
        let tensor = argument.get("as_tensor").map(|tensor| union("as_tensor", tensor.clone()));
        tensor.or_else(|| argument.get("as_none").map(|_| argument.clone()))
    };
    collect("as_tensors", &|argument| argument.get("as_tensor").cloned())
        .or_else(|| collect("as_optional_tensors", &optional))
        .or_else(|| mixed("as_sym_ints", "as_sym_int", "as_int"))
        .or_else(|| mixed("as_sym_floats", "as_sym_float", "as_float"))
        .or_else(|| mixed("as_sym_bools", "as_sym_bool", "as_bool"))
        .ok_or_else(|| cannot_save("a list of values of several kinds"))
}
