//! Attention.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Dim, Item},
    },
    Call, Functions,
};
use lanthorn_io::DType;
use lanthorn_program::{Error, Result, Value};

pub const FUNCTIONS: Functions = &[
    ("_scaled_dot_product_efficient_attention", attention),
    ("_scaled_dot_product_flash_attention", attention),
    ("_scaled_dot_product_flash_attention_for_cpu", attention),
    ("_safe_softmax", safe_softmax),
    ("scaled_dot_product_attention", attention),
];

/// Writes scores, their softmax, and the product with the values. A row without any allowed key is
/// zero.
fn attention(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (query, mut key, mut value) = (call.tensor("query")?, call.tensor("key")?, call.tensor("value")?);
    if call.float_or("dropout_p", 0.0)? != 0.0 {
        return Err(Error::unsupported("with dropout"));
    }
    let dtype = query.dtype()?;
    let rank = key.rank()?;
    if rank < 2 || query.rank()? < 2 || value.rank()? < 2 {
        return Err(Error::malformed("attention of tensors with less than two dimensions"));
    }
    if call.args.bool("enable_gqa") {
        (key, value) = (repeated_heads(exporter, &query, &key)?, repeated_heads(exporter, &query, &value)?);
    }
    let mut perm: Vec<i64> = (0..rank).collect();
    perm.swap(rank as usize - 1, rank as usize - 2);
    let turned = exporter.transpose(&key, &perm);
    let scale = match call.args.get("scale") {
        Value::None => match exporter.dim_of(&query, query.rank()? - 1)? {
            Dim::Int(size) => exporter.number(1.0 / (size as f64).sqrt(), dtype)?,
            Dim::Item(size) => {
                let size = exporter.cast(&size, dtype);
                let root = exporter.op("Sqrt", &[&size], &[]);
                exporter.op("Reciprocal", &[&root], &[])
            }
        },
        scale => exporter.operand(&scale.clone(), dtype)?,
    };
    let scaled = exporter.op("Mul", &[&query, &scale], &[]);
    let mut scores = exporter.op("MatMul", &[&scaled, &turned], &[]);
    let mut is_masked = false;
    if call.args.bool("is_causal") {
        let mask = causal(exporter, &query, &key)?;
        let mask = additive(exporter, &mask, dtype)?;
        scores = exporter.op("Add", &[&scores, &mask], &[]);
    }
    if let Some(mask) = call.optional("attn_mask").or_else(|| call.optional("attn_bias")) {
        is_masked = true;
        let mask =
            if mask.dtype()? == DType::Bool { additive(exporter, &mask, dtype)? } else { exporter.cast(&mask, dtype) };
        scores = exporter.op("Add", &[&scores, &mask], &[]);
    }
    let mut weights = exporter.op("Softmax", &[&scores], &[("axis", Attr::Int(-1))]);
    if is_masked {
        weights = without_nan(exporter, &weights, dtype)?;
    }
    let result = exporter.op("MatMul", &[&weights, &value], &[]);
    let mut items = vec![Value::Tensor(result)];
    items.extend(call.results.iter().skip(1).map(|_| Value::None));
    Ok(if items.len() == 1 { items.remove(0) } else { Value::List(items) })
}

/// Replaces NaN by zero. Softmax of a fully masked row is NaN, and PyTorch returns zeros.
fn without_nan(exporter: &mut Exporter<'_>, weights: &Item, dtype: DType) -> Result<Item> {
    let none = exporter.op_of("IsNaN", &[weights], &[], Some(DType::Bool));
    exporter.choose(&none, &Value::Int(0), &Value::Tensor(weights.clone()), dtype)
}

fn safe_softmax(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dtype = call.dtype()?;
    let item = exporter.operand(call.args.get("self"), dtype)?;
    let weights = exporter.op("Softmax", &[&item], &[("axis", Attr::Int(call.int("dim")?))]);
    without_nan(exporter, &weights, dtype).map(Value::Tensor)
}

/// Returns an additive mask: zero where a mask is true, minus infinity elsewhere.
fn additive(exporter: &mut Exporter<'_>, mask: &Item, dtype: DType) -> Result<Item> {
    exporter.choose(mask, &Value::Int(0), &Value::Float(f64::NEG_INFINITY), dtype)
}

/// Returns a causal mask: a query attends to no later position.
fn causal(exporter: &mut Exporter<'_>, query: &Item, key: &Item) -> Result<Item> {
    let rank = query.rank()?;
    let sizes = [exporter.dim_of(query, rank - 2)?, exporter.dim_of(key, key.rank()? - 2)?];
    let ones = exporter.fill(&Value::Int(1), &sizes, DType::I64)?;
    let lower = exporter.op("Trilu", &[&ones], &[("upper", Attr::Int(0))]);
    Ok(exporter.cast(&lower, DType::Bool))
}

/// Repeats keys or values for each query head.
fn repeated_heads(exporter: &mut Exporter<'_>, query: &Item, item: &Item) -> Result<Item> {
    let rank = item.rank()?;
    if rank < 3 {
        return Err(Error::malformed("attention without heads"));
    }
    let (heads, own) = (query.size(rank - 3)?, item.size(rank - 3)?);
    if heads == own || own < 1 {
        return Ok(item.clone());
    }
    let column = exporter.unsqueeze(item, &[rank - 2])?;
    let mut repeats = vec![1; rank as usize + 1];
    repeats[rank as usize - 2] = heads / own;
    let repeats = exporter.ints(&repeats)?;
    let wide = exporter.op("Tile", &[&column, &repeats], &[]);
    let mut dims = (0..rank).map(|dim| exporter.dim_of(item, dim)).collect::<Result<Vec<Dim>>>()?;
    dims[rank as usize - 3] = Dim::Int(heads);
    exporter.reshape(&wide, &dims)
}
