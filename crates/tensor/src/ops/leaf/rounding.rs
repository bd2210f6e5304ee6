//! Rounding to integers. The derivative is 0, and integers stay as they are.

use crate::{
    DType, Result, Tensor,
    ops::{
        Op,
        pointwise::{self, Argument, Rule},
    },
    samples,
};
use lanthorn_ir::expr::Expr;
use lanthorn_macros::op;

fn round_if_float(x: &Expr, round: impl FnOnce(&Expr) -> Expr) -> Expr {
    if x.ty().is_float() { round(x) } else { x.clone() }
}

/// The largest integer that is not above the element.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[-1.5f32, 0.5, 2.7], [3], &device)?;
/// assert_eq!(pollster::block_on(x.floor()?.to_vec::<f32>())?, [-2.0, 0.0, 2.0]);
/// assert_eq!(pollster::block_on(x.round()?.to_vec::<f32>())?, [-2.0, 0.0, 3.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(pointwise, "floor(Tensor self) -> Tensor", result = same, samples = || samples::unary_any(-3.0, 3.0))]
fn floor(x: &Expr) -> Expr {
    round_if_float(x, Expr::floor)
}

/// The smallest integer that is not below the element.
#[op(pointwise, "ceil(Tensor self) -> Tensor", result = same, samples = || samples::unary_any(-3.0, 3.0))]
fn ceil(x: &Expr) -> Expr {
    round_if_float(x, Expr::ceil)
}

/// The nearest integer, or the nearest multiple of `10^-decimals`; ties go to the even neighbour.
///
/// Errors: `dtype` if `decimals` is not 0 and `self` is not floating point.
#[op(
    pointwise,
    "round(Tensor self, *, int decimals=0) -> Tensor",
    in_place,
    samples = || {
        let mut all = samples::unary_any(-3.0, 3.0);
        all.extend(samples::calls([
            vec![samples::real(&[9], -3.0, 3.0), samples::int(2)],
            vec![samples::real(&[9], -999.0, 999.0), samples::int(-1)],
        ]));
        all
    },
    aliases = ["special_round"]
)]
fn round(x: &Tensor, decimals: i64) -> Result<Tensor> {
    let arguments = [Argument::tensor(x)];
    if decimals == 0 {
        return pointwise::apply(&ROUND, Rule::Same, &arguments, |values| round_if_float(&values[0], Expr::round));
    }
    pointwise::require(&ROUND, &arguments, DType::is_floating_point, "a floating point tensor to round to decimals")?;
    // A power of ten with a negative exponent is not exact, so that the exact positive power
    // divides.
    let scale = 10f64.powi(decimals.unsigned_abs().min(400) as i32);
    let scale = Argument::parameter(scale.into());
    let [x] = arguments;
    pointwise::apply(&ROUND, Rule::Same, &[x, scale], |values| {
        let (x, scale) = (&values[0], &values[1]);
        if decimals > 0 { (x * scale).round() / scale } else { (x / scale).round() * scale }
    })
}

/// The element rounded towards 0.
#[op(pointwise, "trunc(Tensor self) -> Tensor", result = same, samples = || samples::unary_any(-3.0, 3.0), aliases = ["fix"])]
fn trunc(x: &Expr) -> Expr {
    round_if_float(x, Expr::trunc)
}

pub(crate) static OPS: &[&Op] = &[&FLOOR, &CEIL, &ROUND, &TRUNC];
