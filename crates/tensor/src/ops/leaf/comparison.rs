//! Comparisons and logic, with bool results that carry no gradient, and `where`, which selects by
//! them.

use crate::{
    DType, Error, Operand, Result, Tensor,
    ops::{
        Op,
        pointwise::{self, Argument, Rule},
    },
    promote::result_type,
    samples,
    scalar::ScalarParam,
};
use lanthorn_ir::expr::{Expr, Type};
use lanthorn_macros::op;

/// Whether `self == other`, broadcast; NaN equals nothing.
#[op(pointwise, "eq(Tensor self, Tensor|Scalar other) -> Tensor", result = bool, samples = || samples::binary_any(-2.0, 2.0))]
fn eq(x: &Expr, y: &Expr) -> Expr {
    x.equal(y)
}

/// Whether `self != other`, broadcast; NaN differs from everything.
#[op(
    pointwise,
    "ne(Tensor self, Tensor|Scalar other) -> Tensor",
    result = bool,
    samples = || samples::binary_any(-2.0, 2.0),
    aliases = ["not_equal"]
)]
fn ne(x: &Expr, y: &Expr) -> Expr {
    x.not_equal(y)
}

/// Whether `self < other`, broadcast; false where either is NaN.
#[op(
    pointwise,
    "lt(Tensor self, Tensor|Scalar other) -> Tensor",
    result = bool,
    samples = || samples::binary_any(-2.0, 2.0),
    aliases = ["less"]
)]
fn lt(x: &Expr, y: &Expr) -> Expr {
    x.lt(y)
}

/// Whether `self <= other`, broadcast; false where either is NaN.
#[op(
    pointwise,
    "le(Tensor self, Tensor|Scalar other) -> Tensor",
    result = bool,
    samples = || samples::binary_any(-2.0, 2.0),
    aliases = ["less_equal"]
)]
fn le(x: &Expr, y: &Expr) -> Expr {
    x.le(y)
}

/// Whether `self > other`, broadcast; false where either is NaN.
#[op(
    pointwise,
    "gt(Tensor self, Tensor|Scalar other) -> Tensor",
    result = bool,
    samples = || samples::binary_any(-2.0, 2.0),
    aliases = ["greater"]
)]
fn gt(x: &Expr, y: &Expr) -> Expr {
    x.gt(y)
}

/// Whether `self >= other`, broadcast; false where either is NaN.
#[op(
    pointwise,
    "ge(Tensor self, Tensor|Scalar other) -> Tensor",
    result = bool,
    samples = || samples::binary_any(-2.0, 2.0),
    aliases = ["greater_equal"]
)]
fn ge(x: &Expr, y: &Expr) -> Expr {
    x.ge(y)
}

/// Whether both elements are nonzero, broadcast.
#[op(
    pointwise,
    "logical_and(Tensor self, Tensor other) -> Tensor",
    result = bool,
    samples = || samples::calls([
        vec![samples::tensor(&[3, 4], DType::I32, 0.0, 2.0), samples::tensor(&[4], DType::Bool, 0.0, 2.0)],
        vec![samples::real(&[5], -1.0, 1.0), samples::real(&[5], -1.0, 1.0)],
    ])
)]
fn logical_and(x: &Expr, y: &Expr) -> Expr {
    x.cast(Type::Bool).and(y.cast(Type::Bool))
}

/// Whether at least one of the elements is nonzero, broadcast.
#[op(
    pointwise,
    "logical_or(Tensor self, Tensor other) -> Tensor",
    result = bool,
    samples = || samples::calls([
        vec![samples::tensor(&[3, 4], DType::I32, 0.0, 2.0), samples::tensor(&[4], DType::Bool, 0.0, 2.0)],
    ])
)]
fn logical_or(x: &Expr, y: &Expr) -> Expr {
    x.cast(Type::Bool).or(y.cast(Type::Bool))
}

/// Whether exactly one of the elements is nonzero, broadcast.
#[op(
    pointwise,
    "logical_xor(Tensor self, Tensor other) -> Tensor",
    result = bool,
    samples = || samples::calls([
        vec![samples::tensor(&[3, 4], DType::I32, 0.0, 2.0), samples::tensor(&[4], DType::Bool, 0.0, 2.0)],
    ])
)]
fn logical_xor(x: &Expr, y: &Expr) -> Expr {
    x.cast(Type::Bool).xor(y.cast(Type::Bool))
}

/// Whether the element is zero.
#[op(
    pointwise,
    "logical_not(Tensor self) -> Tensor",
    result = bool,
    samples = || samples::calls([vec![samples::tensor(&[3, 4], DType::I32, 0.0, 2.0)]])
)]
fn logical_not(x: &Expr) -> Expr {
    x.cast(Type::Bool).logical_not()
}

/// Whether the element is NaN.
#[op(pointwise, "isnan(Tensor self) -> Tensor", result = bool, samples = || samples::unary_any(-2.0, 2.0))]
fn isnan(x: &Expr) -> Expr {
    if x.ty().is_float() { x.is_nan() } else { Expr::constant(0.0, Type::Bool) }
}

/// Whether `|self - other| <= atol + rtol * |other|`, broadcast. Equal infinities are close, and so
/// are two NaN if `equal_nan` is true.
///
/// Errors: `argument` if `rtol` or `atol` is negative or NaN; `dtype` if the types of the tensors
/// differ.
#[op(
    pointwise,
    "isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -1.0, 1.0), samples::real(&[7], -1.0, 1.0), samples::float(0.2), samples::float(0.2)],
        vec![samples::tensor(&[9], DType::I32, -2.0, 2.0), samples::tensor(&[9], DType::I32, -2.0, 2.0)],
    ])
)]
fn isclose(x: &Tensor, y: &Tensor, rtol: f64, atol: f64, equal_nan: bool) -> Result<Tensor> {
    for (name, tolerance) in [("rtol", rtol), ("atol", atol)] {
        if tolerance.is_nan() || tolerance < 0.0 {
            return Err(Error::argument("isclose", format!("{name} must not be negative, and is {tolerance}")));
        }
    }
    if x.dtype() != y.dtype() {
        let message = format!("both tensors must be of one type, not {} and {}", x.dtype(), y.dtype());
        return Err(Error::dtype("isclose", message));
    }
    let equal = x.eq(y)?;
    let equal = if equal_nan { equal.logical_or(&x.isnan()?.logical_and(&y.isnan()?)?)? } else { equal };
    if rtol == 0.0 && atol == 0.0 {
        return Ok(equal);
    }
    let (x, y) = (x.detach(), y.detach());
    let (x, y) = if x.dtype().is_floating_point() { (x, y) } else { (x.to(DType::F32)?, y.to(DType::F32)?) };
    let arguments = [Argument::tensor(&x), Argument::tensor(&y)]
        .into_iter()
        .chain([rtol, atol].map(|tolerance| Argument::parameter(tolerance.into())))
        .collect::<Vec<_>>();
    let near = pointwise::apply(&ISCLOSE, Rule::Bool, &arguments, |values| {
        let distance = (&values[0] - &values[1]).abs();
        // An infinite distance is never close, even where `other` is infinite.
        let allowed = &values[3] + (&values[2] * &values[1]).abs();
        distance.lt(f64::INFINITY).and(distance.le(allowed))
    })?;
    equal.logical_or(&near)
}

/// `input` where `condition` is true, else `other`.
///
/// Shapes: the three arguments and the result broadcast together. The types of `input` and `other`
/// are promoted; a `condition` that is not bool is true where it differs from 0.
///
/// Errors: `shape` if the shapes do not broadcast.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[-1.0f32, 2.0], [2], &device)?;
/// let y = Tensor::r#where(&x.lt(0.0)?, 0.0, &x)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [0.0, 2.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    pointwise,
    "where(Tensor condition, Tensor|Scalar input, Tensor|Scalar other) -> Tensor",
    samples = || samples::calls([
        vec![samples::tensor(&[3, 4], DType::Bool, 0.0, 2.0), samples::real(&[4], -1.0, 1.0), samples::real(&[3, 1], -1.0, 1.0)],
        vec![samples::tensor(&[6], DType::Bool, 0.0, 2.0), samples::real(&[6], -1.0, 1.0), samples::float(0.5)],
        vec![samples::tensor(&[6], DType::Bool, 0.0, 2.0), samples::int(1), samples::tensor(&[2, 6], DType::I32, -9.0, 9.0)],
    ])
)]
fn r#where(condition: &Tensor, input: &Operand, other: &Operand) -> Result<Tensor> {
    let dtype = result_type([input, other]);
    let mut inputs = vec![condition.clone()];
    let mut params = Vec::new();
    let mut branch = |operand: &Operand| {
        Ok(match operand {
            Operand::Tensor(tensor) => {
                inputs.push(tensor.clone());
                Expr::input(inputs.len() - 1, tensor.dtype().into()).cast(dtype.into())
            }
            Operand::Scalar(scalar) => {
                params.push(scalar.element("where", dtype)?);
                Expr::param(params.len() - 1, dtype.into())
            }
        })
    };
    let (input, other) = (branch(input)?, branch(other)?);
    let chosen = Expr::input(0, condition.dtype().into()).cast(Type::Bool).select(input, other);
    pointwise::record("where", chosen, &inputs, &params, dtype)
}

pub(crate) static OPS: &[&Op] =
    &[&EQ, &NE, &LT, &LE, &GT, &GE, &LOGICAL_AND, &LOGICAL_OR, &LOGICAL_XOR, &LOGICAL_NOT, &ISNAN, &ISCLOSE, &WHERE];
