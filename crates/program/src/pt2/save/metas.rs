//! Converts descriptions of values to the schema's JSON.

use super::{cannot_save, complex, invalid, names::is_identifier, string, union};
use crate::{
    ExportedProgram, Result,
    graph::{Size, Symbolic, TensorMeta, redeclare},
    json::Json,
    pt2::numbers,
};
use lanthorn_io::DType;

/// Checks the name of a symbol, which becomes part of an expression.
pub(super) fn check_symbol(name: &str) -> Result<()> {
    if is_identifier(name) { Ok(()) } else { Err(invalid(format!("the symbol {name:?} is no identifier of Python"))) }
}

/// Returns the number of an element type.
pub(super) fn dtype(dtype: DType) -> Result<Json> {
    numbers::dtype_number(dtype).map(Json::Int).ok_or_else(|| cannot_save(format!("the element type {dtype}")))
}

/// Describes a tensor.
pub(super) fn tensor(name: &str, meta: &TensorMeta, program: &ExportedProgram) -> Result<Json> {
    describe(name, meta, dtype(meta.dtype)?, program)
}

/// Describes a complex tensor from the description of its pairs.
pub(super) fn complex_tensor(name: &str, pairs: &TensorMeta, program: &ExportedProgram) -> Result<Json> {
    let (meta, number) = complex::of_pairs(name, pairs)?;
    describe(name, &meta, Json::Int(number), program)
}

fn describe(name: &str, meta: &TensorMeta, dtype: Json, program: &ExportedProgram) -> Result<Json> {
    if meta.sizes.len() != meta.strides.len() {
        let (sizes, strides) = (meta.sizes.len(), meta.strides.len());
        return Err(invalid(format!("{name} has {sizes} sizes and {strides} strides")));
    }
    let list = |sizes: &[Size]| sizes.iter().map(|size| int(size, program)).collect::<Result<_>>().map(Json::Array);
    Ok(Json::object([
        ("dtype", dtype),
        ("sizes", list(&meta.sizes)?),
        ("requires_grad", Json::Bool(meta.requires_grad)),
        ("device", device("cpu")),
        ("strides", list(&meta.strides)?),
        ("storage_offset", union("as_int", Json::Int(0))),
        ("layout", Json::Int(numbers::STRIDED)),
    ]))
}

/// Splits a device into its type and the index after the colon.
pub(super) fn device(text: &str) -> Json {
    let (ty, index) = text.split_once(':').unwrap_or((text, ""));
    Json::object([("type", string(ty)), ("index", index.parse().map_or(Json::Null, Json::Int))])
}

/// Converts an integer with its value in the exported example.
pub(super) fn int(size: &Size, program: &ExportedProgram) -> Result<Json> {
    if let Size::Int(value) = size {
        return Ok(union("as_int", Json::Int(*value)));
    }
    let hint = match size {
        Size::Unknown { hint, .. } => *hint,
        size => size.evaluate(&program.hints),
    };
    let hint = hint.map_or(Json::Null, |hint| union("as_int", Json::Int(hint)));
    Ok(union("as_expr", Json::object([("expr_str", string(size.sympy(&program.ranges)?)), ("hint", hint)])))
}

/// Converts a float or a boolean.
pub(super) fn symbolic<T: Copy>(
    meta: &Symbolic<T>,
    key: &str,
    json: fn(T) -> Json,
    program: &ExportedProgram,
) -> Result<Json> {
    Ok(match meta {
        Symbolic::Value(value) => union(key, json(*value)),
        Symbolic::Expression { sympy, hint } => {
            let hint = hint.map_or(Json::Null, |hint| union(key, json(hint)));
            let expression = redeclare(sympy, &program.ranges)?;
            union("as_expr", Json::object([("expr_str", string(expression)), ("hint", hint)]))
        }
    })
}

/// Converts a float, which becomes text if JSON lacks the number.
pub(super) fn float(value: f64) -> Json {
    match value {
        f64::INFINITY => string("Infinity"),
        f64::NEG_INFINITY => string("-Infinity"),
        value if value.is_nan() => string("NaN"),
        value => Json::Float(value),
    }
}
