//! Products of matrices.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Dim, Item},
    },
    Call, Functions,
};
use lanthorn_program::{Error, Result, Value};

pub const FUNCTIONS: Functions = &[
    ("_cdist_forward", cdist),
    ("_linalg_det", det),
    ("_weight_norm", weight_norm),
    ("bilinear", bilinear),
    ("cdist", cdist),
    ("cross", cross),
    ("einsum", einsum),
    ("inner", inner),
    ("linalg_cross", cross),
    ("linear", linear),
    ("outer", outer),
    ("trace", trace),
];

fn tensor(item: Item) -> Result<Arg> {
    Ok(Value::Tensor(item))
}

/// Multiplies by the transposed weight.
fn linear(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, weight) = (call.tensor("input")?, call.tensor("weight")?);
    let bias = call.optional("bias");
    if item.rank()? == 2 && weight.rank()? == 2 {
        let transposed = [("transB", Attr::Int(1))];
        let inputs: Vec<&Item> = [&item, &weight].into_iter().chain(&bias).collect();
        return tensor(exporter.op("Gemm", &inputs, &transposed));
    }
    let perm: Vec<i64> = (0..weight.rank()?).rev().collect();
    let weight = exporter.transpose(&weight, &perm);
    let product = exporter.op("MatMul", &[&item, &weight], &[]);
    tensor(match bias {
        Some(bias) => exporter.op("Add", &[&product, &bias], &[]),
        None => product,
    })
}

fn bilinear(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let equation = [("equation", Attr::Str("...i,kij,...j->...k".to_string()))];
    let (a, weight, b) = (call.tensor("input1")?, call.tensor("weight")?, call.tensor("input2")?);
    let product = exporter.op("Einsum", &[&a, &weight, &b], &equation);
    tensor(match call.optional("bias") {
        Some(bias) => exporter.op("Add", &[&product, &bias], &[]),
        None => product,
    })
}

fn einsum(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let equation = call.args.get("equation").as_str().unwrap_or_default().to_string();
    let items = call.tensors("tensors")?;
    tensor(exporter.op("Einsum", &items.iter().collect::<Vec<_>>(), &[("equation", Attr::Str(equation))]))
}

/// Writes the distances of all pairs of rows.
fn cdist(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (a, b) = (call.tensor("x1")?, call.tensor("x2")?);
    let op = match call.float_or("p", 2.0)? {
        1.0 => "ReduceL1",
        2.0 => "ReduceL2",
        _ => return Err(Error::unsupported("of another order than 1 and 2")),
    };
    let (a, b) = (exporter.unsqueeze(&a, &[-2])?, exporter.unsqueeze(&b, &[-3])?);
    let apart = exporter.op("Sub", &[&a, &b], &[]);
    let last = exporter.ints(&[-1])?;
    tensor(exporter.op(op, &[&apart, &last], &[("keepdims", Attr::Int(0))]))
}

/// Writes the cross product along a dimension.
fn cross(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (a, b) = (call.tensor("self")?, call.tensor("other")?);
    let axis = match call.args.get("dim") {
        Value::None => return Err(Error::unsupported("without a dimension")),
        _ => [("axis", Attr::Int(call.int("dim")?))],
    };
    let (next, last) = (exporter.ints(&[1, 2, 0])?, exporter.ints(&[2, 0, 1])?);
    let mut product = |a: &Item, b: &Item| {
        let (a, b) = (exporter.op("Gather", &[a, &next], &axis), exporter.op("Gather", &[b, &last], &axis));
        exporter.op("Mul", &[&a, &b], &[])
    };
    let (ab, ba) = (product(&a, &b), product(&b, &a));
    tensor(exporter.op("Sub", &[&ab, &ba], &[]))
}

/// Writes the determinant. The factors of the decomposition are not results.
fn det(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let det = exporter.op("Det", &[&call.tensor("A")?], &[]);
    Ok(Value::List(vec![Value::Tensor(det), Value::None, Value::None]))
}

/// Writes the dot products of rows.
fn inner(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (a, b) = (call.tensor("self")?, call.tensor("other")?);
    if b.rank()? > 2 || a.rank()? == 0 || b.rank()? == 0 {
        return Err(Error::unsupported("of such dimensions"));
    }
    let b = if b.rank()? == 2 { exporter.transpose(&b, &[1, 0]) } else { b };
    tensor(exporter.op("MatMul", &[&a, &b], &[]))
}

/// Writes the sum of the diagonal.
fn trace(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let unit = exporter.op("EyeLike", &[&item], &[]);
    let product = exporter.op("Mul", &[&item, &unit], &[]);
    tensor(exporter.op("ReduceSum", &[&product], &[("keepdims", Attr::Int(0))]))
}

fn outer(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (a, b) = (call.tensor("self")?, call.tensor("vec2")?);
    let column = exporter.reshape(&a, &[Dim::Int(-1), Dim::Int(1)])?;
    tensor(exporter.op("Mul", &[&column, &b], &[]))
}

/// Scales rows to the norms in another tensor.
fn weight_norm(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (direction, length) = (call.tensor("v")?, call.tensor("g")?);
    let dim = direction.dim(call.int("dim")?)?;
    let others: Vec<i64> = (0..direction.rank()?).filter(|&other| other != dim).collect();
    let axes = exporter.ints(&others)?;
    let norm = exporter.op("ReduceL2", &[&direction, &axes], &[("keepdims", Attr::Int(1))]);
    let scale = exporter.op("Div", &[&length, &norm], &[]);
    tensor(exporter.op("Mul", &[&direction, &scale], &[]))
}
