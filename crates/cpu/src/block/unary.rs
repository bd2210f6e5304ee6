//! Functions of one value, with a loop for each type.

use crate::{math, math_parts, math_wide, simd::dispatch};
use lanthorn_ir::{
    expr::{Type, UnaryOp},
    half,
};

/// Whether a loop exists. Preparing a program with another operation returns an error.
pub(super) fn supports(op: UnaryOp, ty: Type) -> bool {
    use UnaryOp::*;
    match op {
        Neg | Abs | Sign | Floor | Ceil | Round | Trunc | IsNan => true,
        Not => !ty.is_float(),
        ToF16 | ToBF16 => ty == Type::F32,
        Mantissa | Exponent | Exp | Expm1 | Log | Log1p | Sqrt | Sin | Cos | Tanh | Erf => ty.is_float(),
    }
}

#[inline(always)]
fn each<A: Copy, R>(target: &mut [R], a: &[A], f: impl Fn(A) -> R) {
    for (target, &a) in target.iter_mut().zip(a) {
        *target = f(a);
    }
}

#[inline(always)]
fn sign_f32(x: f32) -> f32 {
    f32::from(i8::from(x > 0.0) - i8::from(x < 0.0))
}

#[inline(always)]
fn sign_f64(x: f64) -> f64 {
    f64::from(i8::from(x > 0.0) - i8::from(x < 0.0))
}

dispatch! {
    pub(super) fn float32(op: UnaryOp, target: &mut [f32], a: &[f32]) {
        match op {
            UnaryOp::Neg => each(target, a, |x| -x),
            UnaryOp::Abs => each(target, a, f32::abs),
            UnaryOp::Sign => each(target, a, sign_f32),
            UnaryOp::Exp => each(target, a, math::exp),
            UnaryOp::Expm1 => each(target, a, math_wide::expm1),
            UnaryOp::Log => each(target, a, math::log),
            UnaryOp::Log1p => each(target, a, math_wide::log1p),
            UnaryOp::Sqrt => each(target, a, f32::sqrt),
            UnaryOp::Sin => math::sin_slice(target, a),
            UnaryOp::Cos => math::cos_slice(target, a),
            UnaryOp::Tanh => each(target, a, math::tanh),
            UnaryOp::Erf => each(target, a, math::erf),
            UnaryOp::Floor => each(target, a, f32::floor),
            UnaryOp::Ceil => each(target, a, f32::ceil),
            UnaryOp::Round => each(target, a, f32::round_ties_even),
            UnaryOp::Trunc => each(target, a, f32::trunc),
            UnaryOp::Mantissa => each(target, a, |x| math_parts::split(f64::from(x)).0 as f32),
            UnaryOp::Exponent => each(target, a, |x| math_parts::split(f64::from(x)).1 as f32),
            UnaryOp::ToF16 => each(target, a, |x| half::f16_to_f32(half::f16_from_f32(x))),
            UnaryOp::ToBF16 => each(target, a, |x| half::bf16_to_f32(half::bf16_from_f32(x))),
            UnaryOp::Not | UnaryOp::IsNan => {}
        }
    }
}

dispatch! {
    pub(super) fn float64(op: UnaryOp, target: &mut [f64], a: &[f64]) {
        match op {
            UnaryOp::Neg => each(target, a, |x| -x),
            UnaryOp::Abs => each(target, a, f64::abs),
            UnaryOp::Sign => each(target, a, sign_f64),
            UnaryOp::Exp => each(target, a, f64::exp),
            UnaryOp::Expm1 => each(target, a, f64::exp_m1),
            UnaryOp::Log => each(target, a, f64::ln),
            UnaryOp::Log1p => each(target, a, f64::ln_1p),
            UnaryOp::Sqrt => each(target, a, f64::sqrt),
            UnaryOp::Sin => each(target, a, f64::sin),
            UnaryOp::Cos => each(target, a, f64::cos),
            UnaryOp::Tanh => each(target, a, f64::tanh),
            UnaryOp::Erf => each(target, a, math::erf_f64),
            UnaryOp::Floor => each(target, a, f64::floor),
            UnaryOp::Ceil => each(target, a, f64::ceil),
            UnaryOp::Round => each(target, a, f64::round_ties_even),
            UnaryOp::Trunc => each(target, a, f64::trunc),
            UnaryOp::Mantissa => each(target, a, |x| math_parts::split(x).0),
            UnaryOp::Exponent => each(target, a, |x| math_parts::split(x).1),
            UnaryOp::Not | UnaryOp::IsNan | UnaryOp::ToF16 | UnaryOp::ToBF16 => {}
        }
    }
}

macro_rules! integers {
    ($($name:ident $ty:ident,)*) => { $(
        dispatch! {
            pub(super) fn $name(op: UnaryOp, target: &mut [$ty], a: &[$ty]) {
                match op {
                    UnaryOp::Neg => each(target, a, $ty::wrapping_neg),
                    UnaryOp::Abs => each(target, a, $ty::wrapping_abs),
                    UnaryOp::Sign => each(target, a, $ty::signum),
                    UnaryOp::Not => each(target, a, |x| !x),
                    // Integers need no rounding.
                    _ => target.copy_from_slice(a),
                }
            }
        }
    )* };
}

integers! { int32 i32, int64 i64, }

dispatch! {
    pub(super) fn uint32(op: UnaryOp, target: &mut [u32], a: &[u32]) {
        match op {
            UnaryOp::Neg => each(target, a, u32::wrapping_neg),
            UnaryOp::Sign => each(target, a, |x| u32::from(x > 0)),
            UnaryOp::Not => each(target, a, |x| !x),
            _ => target.copy_from_slice(a),
        }
    }
}

dispatch! {
    pub(super) fn uint8(op: UnaryOp, target: &mut [u8], a: &[u8]) {
        match op {
            UnaryOp::Neg => each(target, a, u8::wrapping_neg),
            UnaryOp::Sign => each(target, a, |x| u8::from(x > 0)),
            UnaryOp::Not => each(target, a, |x| !x),
            _ => target.copy_from_slice(a),
        }
    }
}

dispatch! {
    pub(super) fn boolean(op: UnaryOp, target: &mut [u8], a: &[u8]) {
        match op {
            UnaryOp::Not => each(target, a, |x| x ^ 1),
            _ => target.copy_from_slice(a),
        }
    }
}

dispatch! {
    pub(super) fn is_nan_f32(target: &mut [u8], a: &[f32]) {
        each(target, a, |x| u8::from(x.is_nan()));
    }
}

dispatch! {
    pub(super) fn is_nan_f64(target: &mut [u8], a: &[f64]) {
        each(target, a, |x| u8::from(x.is_nan()));
    }
}
