//! Evenly and logarithmically spaced numbers. The ends may be 0-d tensors, which are not read on
//! the host.

use super::create::device_or_default;
use crate::{
    DType, Device, Error, Operand, Result, Tensor, default_dtype,
    ops::{
        Op,
        pointwise::{common_device, launch},
    },
    samples::{self, Sample},
    scalar::ScalarParam,
};
use lanthorn_ir::{
    Shape,
    expr::{Constant, Expr, Type},
};
use lanthorn_macros::op;
use lanthorn_runtime::Param;

/// Records `steps` evenly spaced numbers from `start` to `end`, mapped by `expression`.
fn between(
    op: &'static str,
    ends: [&Operand; 2],
    steps: i64,
    dtype: Option<DType>,
    device: Option<&Device>,
    expression: impl FnOnce(Expr) -> Expr,
) -> Result<Tensor> {
    let dtype = dtype.unwrap_or_else(default_dtype);
    let ty = if dtype.is_floating_point() { Type::from(dtype) } else { Type::F32 };
    let (mut inputs, mut params, mut values): (Vec<Tensor>, Vec<Param>, Vec<Expr>) = Default::default();
    for end in ends {
        values.push(match end {
            Operand::Tensor(end) if end.rank() > 0 => {
                return Err(Error::shape(op, format!("takes 0-d tensors as ends, not shape {}", end.shape())));
            }
            Operand::Tensor(end) => {
                inputs.push(end.clone());
                Expr::input(inputs.len() - 1, end.dtype().into()).cast(ty)
            }
            Operand::Scalar(end) => {
                params.push(end.param(ty));
                Expr::param(params.len() - 1, ty)
            }
        });
    }
    let device = if inputs.is_empty() { device_or_default(device)? } else { common_device(op, &inputs)? };
    let shape = Shape::new(op, &[steps])?;
    let mut number = |value: f64, ty: Type| {
        params.push(Constant::new(value, ty).into());
        Expr::param(params.len() - 1, ty)
    };
    let (last, half) = (number((steps - 1).max(1) as f64, Type::U32), number((steps / 2) as f64, Type::U32));
    // Computed from the nearer end, so that both ends are exact.
    let (start, end) = (&values[0], &values[1]);
    let step = (end - start) / last.cast(ty);
    let position = Expr::index();
    let from_end = (&last - &position).cast(ty);
    let value = if steps == 1 {
        start.clone()
    } else {
        position.lt(half).select(start + &step * position.cast(ty), end - &step * from_end)
    };
    launch(op, &expression(value), &inputs, &params, dtype, &shape, &device)
}

fn ranges() -> Vec<Sample> {
    samples::calls([
        vec![samples::float(-2.0), samples::int(1), samples::int(7)],
        vec![samples::int(3), samples::int(-1), samples::int(1)],
        vec![samples::tensor(&[], DType::I32, 1.0, 3.0), samples::float(2.5), samples::int(4)],
        vec![samples::int(0), samples::int(1), samples::int(0)],
    ])
}

/// `steps` evenly spaced numbers from `start` to `end`, both included.
///
/// Shapes: `start` and `end` are numbers or 0-d tensors; the result is `[steps]`, float32 without
/// `dtype`. With one step the result is `start`.
///
/// Errors: `shape` if an end is a tensor with dimensions, or if `steps` is negative; `dtype` if the
/// device does not support the type.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// assert_eq!(pollster::block_on(Tensor::linspace(0, 1, 5)?.to_vec::<f32>())?, [0.0, 0.25, 0.5, 0.75, 1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "linspace(Tensor|Scalar start, Tensor|Scalar end, int steps, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = ranges
)]
fn linspace(
    start: &Operand,
    end: &Operand,
    steps: i64,
    dtype: Option<DType>,
    device: Option<&Device>,
) -> Result<Tensor> {
    between("linspace", [start, end], steps, dtype, device, |value| value)
}

/// `base` to the power of the numbers of [`linspace`](Tensor::linspace).
///
/// Shapes and errors: as of [`linspace`](Tensor::linspace).
#[op(
    leaf,
    "logspace(Tensor|Scalar start, Tensor|Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || {
        let mut all = ranges();
        all.extend(samples::calls([vec![samples::int(0), samples::int(5), samples::int(6), samples::float(3.0), samples::dtype(DType::I32)]]));
        all
    }
)]
fn logspace(
    start: &Operand,
    end: &Operand,
    steps: i64,
    base: f64,
    dtype: Option<DType>,
    device: Option<&Device>,
) -> Result<Tensor> {
    between("logspace", [start, end], steps, dtype, device, |exponent| {
        let power = Expr::constant(base, exponent.ty()).pow(exponent);
        if dtype.is_none_or(DType::is_floating_point) {
            return power;
        }
        // A result just below an integer because of rounding is not truncated to the integer before
        // it.
        let nearest = power.round();
        (&power - &nearest).abs().le(&power * 1e-5).select(nearest, power)
    })
}

pub(crate) static OPS: &[&Op] = &[&LINSPACE, &LOGSPACE];
