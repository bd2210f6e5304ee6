//! Quotients, remainders, and the divisors of integers.
//!
//! PyTorch's CPU backend raises an error if an integer is divided by 0. Here the result is 0 on
//! every device.

use crate::{
    DType, Operand, Result, RoundingMode, Tensor,
    ops::{
        Op,
        pointwise::{self, Argument, Rule},
    },
    samples::{self, Sample},
};
use lanthorn_ir::{expr::Expr, special};
use lanthorn_macros::op;

/// `self / other`, broadcast.
///
/// Without a `rounding_mode` integers are divided as float32. `"trunc"` rounds the quotient towards
/// 0 and `"floor"` rounds it down; integers then stay integers, and divided by 0 they are 0.
///
/// Errors: `argument` if `rounding_mode` is another string; `dtype` if a quotient of two bool
/// tensors is to be rounded.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{RoundingMode, Tensor};
/// let (x, y) = (Tensor::arange(-3, 4, 3)?, Tensor::full([], 2)?);
/// assert_eq!(pollster::block_on(x.div(&y)?.to_vec::<f32>())?, [-1.5, 0.0, 1.5]);
/// let quotient = x.div_with(&y, RoundingMode::Floor)?;
/// assert_eq!(pollster::block_on(quotient.to_vec::<i32>())?, [-2, 0, 1]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    pointwise,
    "div(Tensor self, Tensor|Scalar other, *, str{trunc|floor}? rounding_mode=None) -> Tensor",
    in_place,
    samples = divisions,
    aliases = ["divide", "true_divide"]
)]
fn div(x: &Tensor, y: &Operand, rounding_mode: Option<RoundingMode>) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::operand(y)];
    let (rule, expression): (Rule, fn(&Expr, &Expr) -> Expr) = match rounding_mode {
        Some(RoundingMode::Trunc) => {
            (Rule::Same, |x, y| if x.ty().is_float() { special::TRUNC_DIVIDE.call(&[x, y]) } else { x / y })
        }
        Some(RoundingMode::Floor) => (Rule::Same, floor_quotient),
        None => (Rule::Float, |x, y| x / y),
    };
    if rule == Rule::Same {
        pointwise::require(&DIV, &arguments, is_number, "numbers to round a quotient")?;
    }
    pointwise::apply(&DIV, rule, &arguments, |values| expression(&values[0], &values[1]))
}

fn divisions() -> Vec<Sample> {
    let mut all = samples::binary_any(0.5, 3.0);
    for mode in ["trunc", "floor"] {
        all.extend(samples::calls([
            vec![samples::real(&[5, 7], -9.0, 9.0), samples::real(&[7], 0.6, 2.0), samples::text(mode)],
            vec![samples::tensor(&[40], DType::I32, -9.0, 9.0), samples::int(-3), samples::text(mode)],
        ]));
    }
    all
}

fn is_number(dtype: DType) -> bool {
    dtype != DType::Bool
}

/// `floor(self / other)`, broadcast. Integers stay integers, and divided by 0 they are 0.
///
/// Errors: `dtype` if both operands are bool.
#[op(
    pointwise,
    "floor_divide(Tensor self, Tensor|Scalar other) -> Tensor",
    in_place,
    samples = || samples::binary_any(1.1, 4.0)
)]
fn floor_divide(x: &Tensor, y: &Operand) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::operand(y)];
    pointwise::require(&FLOOR_DIVIDE, &arguments, is_number, "numbers")?;
    pointwise::apply(&FLOOR_DIVIDE, Rule::Same, &arguments, |values| floor_quotient(&values[0], &values[1]))
}

fn floor_quotient(x: &Expr, y: &Expr) -> Expr {
    if x.ty().is_float() {
        return special::FLOOR_DIVIDE.call(&[x, y]);
    }
    let (quotient, rest) = (x / y, x.remainder(y));
    // The truncated quotient is one too large if there is a remainder and the signs differ.
    let (zero, one) = (Expr::constant(0.0, x.ty()), Expr::constant(1.0, x.ty()));
    let crossed = rest.not_equal(&zero).and(x.lt(&zero).not_equal(y.lt(&zero)));
    crossed.select(&quotient - one, quotient)
}

/// The remainder of `self / other` with the sign of the divisor,
/// `self - other * floor(self / other)`, broadcast; as Python's `%`.
#[op(
    pointwise,
    "remainder(Tensor self, Tensor|Scalar other) -> Tensor",
    result = same,
    samples = || samples::binary_any(1.1, 4.0)
)]
fn remainder(x: &Expr, y: &Expr) -> Expr {
    x.remainder(y)
}

/// The remainder of `self / other` with the sign of the dividend,
/// `self - other * trunc(self / other)`, broadcast; as C's `fmod`.
///
/// Errors: `dtype` if both operands are bool.
#[op(pointwise, "fmod(Tensor self, Tensor|Scalar other) -> Tensor", in_place, samples = || samples::binary_any(1.1, 4.0))]
fn fmod(x: &Tensor, y: &Operand) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::operand(y)];
    pointwise::require(&FMOD, &arguments, is_number, "numbers")?;
    pointwise::apply(&FMOD, Rule::Same, &arguments, |values| {
        let (x, y) = (&values[0], &values[1]);
        if x.ty().is_float() {
            return special::FMOD.call(&[x, y]);
        }
        let rest = x.remainder(y);
        let zero = Expr::constant(0.0, x.ty());
        let other_sign = rest.not_equal(&zero).and(x.lt(&zero).not_equal(y.lt(&zero)));
        other_sign.select(&rest - y, rest)
    })
}

/// The greatest common divisor of two integers, broadcast.
///
/// Errors: `dtype` if the promoted type is not an integer type.
#[op(pointwise, "gcd(Tensor self, Tensor other) -> Tensor", in_place, samples = pairs_of_integers)]
fn gcd(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    of_integers(&GCD, x, y, |x, y| x.gcd(y))
}

/// The least common multiple of two integers, broadcast; 0 if either is 0.
///
/// Errors: `dtype` if the promoted type is not an integer type.
#[op(pointwise, "lcm(Tensor self, Tensor other) -> Tensor", in_place, samples = pairs_of_integers)]
fn lcm(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    of_integers(&LCM, x, y, |x, y| (x / x.gcd(y) * y).abs())
}

fn of_integers(op: &'static Op, x: &Tensor, y: &Tensor, expression: fn(&Expr, &Expr) -> Expr) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::tensor(y)];
    pointwise::require(op, &arguments, |dtype| is_number(dtype) && !dtype.is_floating_point(), "integers")?;
    pointwise::apply(op, Rule::Same, &arguments, |values| expression(&values[0], &values[1]))
}

fn pairs_of_integers() -> Vec<Sample> {
    samples::calls([
        vec![samples::tensor(&[5, 7], DType::I32, -30.0, 30.0), samples::tensor(&[7], DType::I32, -30.0, 30.0)],
        vec![samples::tensor(&[9], DType::U8, 0.0, 12.0), samples::tensor(&[9], DType::U8, 0.0, 12.0)],
    ])
}

pub(crate) static OPS: &[&Op] = &[&DIV, &FLOOR_DIVIDE, &REMAINDER, &FMOD, &GCD, &LCM];
