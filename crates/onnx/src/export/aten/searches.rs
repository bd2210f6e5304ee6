//! Searches.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Dim, Item},
    },
    Call, Functions,
};
use lanthorn_io::DType;
use lanthorn_program::{Error, Result, Value, value::promote_types};

pub const FUNCTIONS: Functions = &[
    ("_embedding_bag", embedding_bag),
    ("_embedding_bag_forward_only", embedding_bag),
    ("embedding_bag", embedding_bag),
    ("bucketize", searchsorted),
    ("isin", isin),
    ("masked_scatter", masked_scatter),
    ("searchsorted", searchsorted),
];

/// Counts the sorted numbers that are less than a number, or not greater.
fn searchsorted(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let is_bucketize = call.base == "bucketize";
    let sorted = call.tensor(if is_bucketize { "boundaries" } else { "sorted_sequence" })?;
    if call.args.is_given("sorter") {
        return Err(Error::unsupported("with a custom order"));
    }
    let values = call.args.get("self").clone();
    let dtype = match &values {
        Value::Tensor(item) => promote_types(item.dtype()?, sorted.dtype()?),
        _ => sorted.dtype()?,
    };
    let (values, sorted) = (exporter.operand(&values, dtype)?, exporter.cast(&sorted, dtype));
    let right = call.args.bool("right") || call.args.get("side").as_str() == Some("right");
    let column = exporter.unsqueeze(&values, &[-1])?;
    let sorted = match sorted.rank()? {
        1 => sorted,
        rank => exporter.unsqueeze(&sorted, &[rank - 1])?,
    };
    let op = if right { "LessOrEqual" } else { "Less" };
    let below = exporter.op_of(op, &[&sorted, &column], &[], Some(DType::Bool));
    let (ones, last) = (exporter.cast(&below, DType::I64), exporter.ints(&[-1])?);
    Ok(Value::Tensor(exporter.op("ReduceSum", &[&ones, &last], &[("keepdims", Attr::Int(0))])))
}

/// Reduces rows of a table for each bag. A row belongs to the last bag that begins before it.
fn embedding_bag(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (weight, indices) = (call.tensor("weight")?, call.tensor("indices")?);
    let offsets = exporter.cast(&call.tensor("offsets")?, DType::I64);
    let padding = call.int_or("padding_idx", -1)?;
    if call.args.bool("include_last_offset") || padding >= 0 || indices.rank()? != 1 {
        return Err(Error::unsupported("with padding, bags of two dimensions, or a last offset"));
    }
    let (mode, dtype) = (call.int("mode")?, weight.dtype()?);
    let mut rows = exporter.op("Gather", &[&weight, &indices], &[("axis", Attr::Int(0))]);
    if let Some(factors) = call.optional("per_sample_weights") {
        let column = exporter.unsqueeze(&factors, &[-1])?;
        rows = exporter.op("Mul", &[&rows, &column], &[]);
    }
    let count = exporter.dim_of(&indices, 0)?;
    let (zero, one) = (exporter.int(0)?, exporter.int(1)?);
    let count = exporter.item_of(&count)?;
    let positions = exporter.op_of("Range", &[&zero, &count, &one], &[], Some(DType::I64));
    let column = exporter.unsqueeze(&positions, &[-1])?;
    let begun = exporter.op_of("LessOrEqual", &[&offsets, &column], &[], Some(DType::Bool));
    let (begun, last) = (exporter.cast(&begun, DType::I64), exporter.ints(&[-1])?);
    let bag = exporter.op("ReduceSum", &[&begun, &last], &[("keepdims", Attr::Int(1))]);
    let bag = exporter.op("Sub", &[&bag, &one], &[]);
    let sizes = [exporter.dim_of(&offsets, 0)?, exporter.dim_of(&weight, 1)?];
    let shape = exporter.shape(&sizes)?;
    let (start, name) = if mode == 2 { (f64::NEG_INFINITY, "max") } else { (0.0, "add") };
    let start = exporter.fill_like(&Value::Float(start), &shape, dtype)?;
    let reduction = [("reduction", Attr::Str(name.to_string()))];
    let mut result = exporter.op("ScatterND", &[&start, &bag, &rows], &reduction);
    if mode == 1 {
        let ones_shape = exporter.op_of("Shape", &[&rows], &[], Some(DType::I64));
        let ones = exporter.fill_like(&Value::Int(1), &ones_shape, dtype)?;
        let zeros = exporter.fill_like(&Value::Int(0), &shape, dtype)?;
        let sizes = exporter.op("ScatterND", &[&zeros, &bag, &ones], &reduction);
        let least = exporter.number(1.0, dtype)?;
        let sizes = exporter.op("Max", &[&sizes, &least], &[]);
        result = exporter.op("Div", &[&result, &sizes], &[]);
    }
    Ok(Value::List(vec![Value::Tensor(result), Value::None, Value::None, Value::None]))
}

/// Whether elements are in a set.
fn isin(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (elements, others) = (call.tensor("elements")?, call.tensor("test_elements")?);
    let dtype = promote_types(elements.dtype()?, others.dtype()?);
    let (elements, others) = (exporter.cast(&elements, dtype), exporter.cast(&others, dtype));
    let (column, others) = (exporter.unsqueeze(&elements, &[-1])?, exporter.reshape(&others, &[Dim::Int(-1)])?);
    let equal = exporter.op_of("Equal", &[&column, &others], &[], Some(DType::Bool));
    let (ones, last) = (exporter.cast(&equal, DType::I64), exporter.ints(&[-1])?);
    let count = exporter.op("ReduceSum", &[&ones, &last], &[("keepdims", Attr::Int(0))]);
    let found = exporter.cast(&count, DType::Bool);
    Ok(Value::Tensor(match call.args.bool("invert") {
        true => exporter.op("Not", &[&found], &[]),
        false => found,
    }))
}

/// Writes the next elements of a source where a mask is true.
fn masked_scatter(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, mask, source) = (call.tensor("self")?, call.tensor("mask")?, call.tensor("source")?);
    let shape = exporter.shape_of(&item)?;
    let mask = exporter.op("Expand", &[&mask, &shape], &[]);
    let (flat, first) = (exporter.reshape(&mask, &[Dim::Int(-1)])?, exporter.int(0)?);
    let ones = exporter.cast(&flat, DType::I64);
    let positions = exporter.op("CumSum", &[&ones, &first], &[]);
    // Elements before the first true one are not used, so their index is arbitrary.
    let one = exporter.int(1)?;
    let positions = exporter.op("Sub", &[&positions, &one], &[]);
    let positions = exporter.op("Max", &[&positions, &first], &[]);
    let source = exporter.reshape(&source, &[Dim::Int(-1)])?;
    // Elements after the last true one are not used either.
    let count = exporter.op_of("Size", &[&source], &[], Some(DType::I64));
    let end = exporter.op("Sub", &[&count, &one], &[]);
    let positions = exporter.op("Min", &[&positions, &end], &[]);
    let taken = exporter.op("Gather", &[&source, &positions], &[("axis", Attr::Int(0))]);
    let taken = exporter.op("Reshape", &[&taken, &shape], &[]);
    let dtype = item.dtype()?;
    let chosen: Item = exporter.choose(&mask, &Value::Tensor(taken), &Value::Tensor(item), dtype)?;
    Ok(Value::Tensor(chosen))
}
