//! Comparisons and logic; the results are bool and carry no gradient. `where` chooses by them.

use crate::{
    Operand, Result, Tensor,
    ops::{Op, pointwise},
    promote::result_type,
    samples,
};
use lanthorn_ir::expr::{Expr, Type};
use lanthorn_macros::op;

/// Whether the elements are equal.
#[op(pointwise, "eq(Tensor self, Tensor|Scalar other) -> Tensor", result = bool, samples = || samples::binary_any(-2.0, 2.0))]
fn eq(x: &Expr, y: &Expr) -> Expr {
    x.equal(y)
}

/// Whether the elements differ; NaN differs from everything.
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

/// Whether `self < other`.
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

/// Whether `self <= other`.
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

/// Whether `self > other`.
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

/// Whether `self >= other`.
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

/// Whether both elements are nonzero.
#[op(
    pointwise,
    "logical_and(Tensor self, Tensor other) -> Tensor",
    result = bool,
    samples = || samples::calls([
        vec![samples::tensor(&[3, 4], lanthorn_ir::DType::I32, 0.0, 2.0), samples::tensor(&[4], lanthorn_ir::DType::Bool, 0.0, 2.0)],
        vec![samples::real(&[5], -1.0, 1.0), samples::real(&[5], -1.0, 1.0)],
    ])
)]
fn logical_and(x: &Expr, y: &Expr) -> Expr {
    x.cast(Type::Bool).and(y.cast(Type::Bool))
}

/// Whether either element is nonzero.
#[op(
    pointwise,
    "logical_or(Tensor self, Tensor other) -> Tensor",
    result = bool,
    samples = || samples::calls([
        vec![samples::tensor(&[3, 4], lanthorn_ir::DType::I32, 0.0, 2.0), samples::tensor(&[4], lanthorn_ir::DType::Bool, 0.0, 2.0)],
    ])
)]
fn logical_or(x: &Expr, y: &Expr) -> Expr {
    x.cast(Type::Bool).or(y.cast(Type::Bool))
}

/// Whether the element is zero.
#[op(
    pointwise,
    "logical_not(Tensor self) -> Tensor",
    result = bool,
    samples = || samples::calls([vec![samples::tensor(&[3, 4], lanthorn_ir::DType::I32, 0.0, 2.0)]])
)]
fn logical_not(x: &Expr) -> Expr {
    x.cast(Type::Bool).logical_not()
}

/// Whether the element is NaN.
#[op(pointwise, "isnan(Tensor self) -> Tensor", result = bool, samples = || samples::unary_any(-2.0, 2.0))]
fn isnan(x: &Expr) -> Expr {
    if x.ty().is_float() { x.is_nan() } else { Expr::constant(0.0, Type::Bool) }
}

/// `input` where `condition` is true, else `other`; all three are broadcast together.
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
    leaf,
    "where(Tensor condition, Tensor|Scalar input, Tensor|Scalar other) -> Tensor",
    samples = || samples::calls([
        vec![samples::tensor(&[3, 4], lanthorn_ir::DType::Bool, 0.0, 2.0), samples::real(&[4], -1.0, 1.0), samples::real(&[3, 1], -1.0, 1.0)],
        vec![samples::tensor(&[6], lanthorn_ir::DType::Bool, 0.0, 2.0), samples::real(&[6], -1.0, 1.0), samples::float(0.5)],
        vec![samples::tensor(&[6], lanthorn_ir::DType::Bool, 0.0, 2.0), samples::int(1), samples::tensor(&[2, 6], lanthorn_ir::DType::I32, -9.0, 9.0)],
    ])
)]
fn r#where(condition: &Tensor, input: &Operand, other: &Operand) -> Result<Tensor> {
    let dtype = result_type([input, other]);
    let mut inputs = vec![condition.clone()];
    let mut params = Vec::new();
    let mut branch = |operand: &Operand| match operand {
        Operand::Tensor(tensor) => {
            inputs.push(tensor.clone());
            Expr::input(inputs.len() - 1, tensor.dtype().into()).cast(dtype.into())
        }
        Operand::Scalar(scalar) => {
            params.push(scalar.constant(dtype.into()));
            Expr::param(params.len() - 1, dtype.into())
        }
    };
    let (input, other) = (branch(input), branch(other));
    let chosen = Expr::input(0, condition.dtype().into()).cast(Type::Bool).select(input, other);
    pointwise::record("where", chosen, &inputs, &params, dtype)
}

pub(crate) static OPS: &[&Op] = &[&EQ, &NE, &LT, &LE, &GT, &GE, &LOGICAL_AND, &LOGICAL_OR, &LOGICAL_NOT, &ISNAN, &WHERE];
