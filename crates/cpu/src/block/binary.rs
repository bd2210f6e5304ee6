//! Functions of two values, a loop for each and type.

use crate::{math_wide, simd::dispatch};
use lanthorn_ir::expr::{BinaryOp, Type};

/// Whether a loop exists; the rest is refused when a program is made ready.
pub(super) fn supports(op: BinaryOp, ty: Type) -> bool {
    match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => !ty.is_float(),
        BinaryOp::Normal => ty == Type::U32,
        BinaryOp::CheckIndex => ty == Type::I32,
        _ => true,
    }
}

#[inline(always)]
fn each<A: Copy, R>(target: &mut [R], a: &[A], b: &[A], f: impl Fn(A, A) -> R) {
    for ((target, &a), &b) in target.iter_mut().zip(a).zip(b) {
        *target = f(a, b);
    }
}

dispatch! {
    /// Moves indices into the range of the sizes, and gives back the first that was not, with its size.
    pub(super) fn check_index(target: &mut [i32], index: &[i32], size: &[i32]) -> Option<(i32, i32)> {
        each(target, index, size, |index, size| index.min(size - 1).max(0));
        let moved = target.iter().zip(index).fold(false, |moved, (target, index)| moved | (target != index));
        // A size of 0 has no index at all.
        let empty = size.iter().fold(false, |empty, &size| empty | (size <= 0));
        if !moved && !empty {
            return None;
        }
        index.iter().zip(size).map(|(&index, &size)| (index, size)).find(|&(index, size)| !(0..size).contains(&index))
    }
}

macro_rules! floats {
    ($($name:ident $ty:ident $power:ident $any_power:path,)*) => { $(
        dispatch! {
            pub(super) fn $name(op: BinaryOp, target: &mut [$ty], a: &[$ty], b: &[$ty]) {
                match op {
                    BinaryOp::Add => each(target, a, b, |a, b| a + b),
                    BinaryOp::Sub => each(target, a, b, |a, b| a - b),
                    BinaryOp::Mul => each(target, a, b, |a, b| a * b),
                    BinaryOp::Div => each(target, a, b, |a, b| a / b),
                    BinaryOp::Rem => each(target, a, b, |a, b| {
                        let rest = a % b;
                        if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
                    }),
                    BinaryOp::Pow => $power(target, a, b),
                    // A comparison with NaN is false: a NaN in b is taken by it, one in a must be asked for.
                    BinaryOp::Max => each(target, a, b, |a, b| if a > b || a.is_nan() { a } else { b }),
                    BinaryOp::Min => each(target, a, b, |a, b| if a < b || a.is_nan() { a } else { b }),
                    _ => {}
                }
            }
        }

        /// Powers; an exponent that is the same for all of a block is usually a small constant with a shorter way.
        #[inline(always)]
        fn $power(target: &mut [$ty], a: &[$ty], b: &[$ty]) {
            let first = b.first().copied().unwrap_or(1.0);
            let same = b.iter().fold(true, |same, &b| same & (b == first));
            match first {
                2.0 if same => each(target, a, b, |a, _| a * a),
                3.0 if same => each(target, a, b, |a, _| a * a * a),
                1.0 if same => target.copy_from_slice(a),
                0.0 if same => target.fill(1.0),
                -1.0 if same => each(target, a, b, |a, _| 1.0 / a),
                -2.0 if same => each(target, a, b, |a, _| 1.0 / (a * a)),
                0.5 if same => each(target, a, b, |a, _| a.sqrt()),
                -0.5 if same => each(target, a, b, |a, _| 1.0 / a.sqrt()),
                _ => $any_power(target, a, b),
            }
        }
    )* };
}

floats! { float32 f32 power_f32 math_wide::power, float64 f64 power_f64 powers_f64, }

#[inline(always)]
fn powers_f64(target: &mut [f64], a: &[f64], b: &[f64]) {
    each(target, a, b, f64::powf);
}

macro_rules! integers {
    ($($name:ident $ty:ident |$rest:ident, $divisor:ident| $floor:expr, |$base:ident| $inverse:expr;)*) => { $(
        dispatch! {
            pub(super) fn $name(op: BinaryOp, target: &mut [$ty], a: &[$ty], b: &[$ty]) {
                match op {
                    BinaryOp::Add => each(target, a, b, $ty::wrapping_add),
                    BinaryOp::Sub => each(target, a, b, $ty::wrapping_sub),
                    BinaryOp::Mul => each(target, a, b, $ty::wrapping_mul),
                    BinaryOp::Div => each(target, a, b, |a, b| if b == 0 { 0 } else { a.wrapping_div(b) }),
                    BinaryOp::Rem => each(target, a, b, |a, b| {
                        let ($rest, $divisor) = (if b == 0 { 0 } else { a.wrapping_rem(b) }, b);
                        $floor
                    }),
                    BinaryOp::Pow => each(target, a, b, |a, b| match u32::try_from(b) {
                        Ok(exponent) => a.wrapping_pow(exponent),
                        Err(_) => {
                            let ($base, odd) = (a, b & 1 == 1);
                            let inverse: $ty = $inverse;
                            if odd { inverse } else { inverse.wrapping_mul(inverse) }
                        }
                    }),
                    BinaryOp::Max => each(target, a, b, $ty::max),
                    BinaryOp::Min => each(target, a, b, $ty::min),
                    BinaryOp::And => each(target, a, b, |a, b| a & b),
                    BinaryOp::Or => each(target, a, b, |a, b| a | b),
                    BinaryOp::Xor => each(target, a, b, |a, b| a ^ b),
                    _ => {}
                }
            }
        }
    )* };
}

integers! {
    int32 i32 |rest, b| if rest != 0 && (rest < 0) != (b < 0) { rest.wrapping_add(b) } else { rest },
        |base| if base == 1 || base == -1 { base } else { 0 };
    uint32 u32 |rest, _b| rest, |base| base;
    uint8 u8 |rest, _b| rest, |base| base;
}

dispatch! {
    pub(super) fn boolean(op: BinaryOp, target: &mut [u8], a: &[u8], b: &[u8]) {
        match op {
            BinaryOp::Add | BinaryOp::Max | BinaryOp::Or => each(target, a, b, |a, b| a | b),
            BinaryOp::Mul | BinaryOp::Min | BinaryOp::And | BinaryOp::Div => each(target, a, b, |a, b| a & b),
            BinaryOp::Sub | BinaryOp::Xor => each(target, a, b, |a, b| a ^ b),
            // The integers 0 and 1: a ** 0 is 1, and a rest by 1 or 0 is 0.
            BinaryOp::Pow => each(target, a, b, |a, b| a | (b ^ 1)),
            _ => target.fill(0),
        }
    }
}

#[inline(always)]
fn comparison<A: Copy + PartialOrd>(op: BinaryOp, target: &mut [u8], a: &[A], b: &[A]) {
    match op {
        BinaryOp::Eq => each(target, a, b, |a, b| u8::from(a == b)),
        BinaryOp::Ne => each(target, a, b, |a, b| u8::from(a != b)),
        BinaryOp::Lt => each(target, a, b, |a, b| u8::from(a < b)),
        BinaryOp::Le => each(target, a, b, |a, b| u8::from(a <= b)),
        BinaryOp::Gt => each(target, a, b, |a, b| u8::from(a > b)),
        BinaryOp::Ge => each(target, a, b, |a, b| u8::from(a >= b)),
        _ => {}
    }
}

dispatch! {
    pub(super) fn compare_f32(op: BinaryOp, target: &mut [u8], a: &[f32], b: &[f32]) { comparison(op, target, a, b) }
}
dispatch! {
    pub(super) fn compare_f64(op: BinaryOp, target: &mut [u8], a: &[f64], b: &[f64]) { comparison(op, target, a, b) }
}
dispatch! {
    pub(super) fn compare_i32(op: BinaryOp, target: &mut [u8], a: &[i32], b: &[i32]) { comparison(op, target, a, b) }
}
dispatch! {
    pub(super) fn compare_u32(op: BinaryOp, target: &mut [u8], a: &[u32], b: &[u32]) { comparison(op, target, a, b) }
}
dispatch! {
    pub(super) fn compare_u8(op: BinaryOp, target: &mut [u8], a: &[u8], b: &[u8]) { comparison(op, target, a, b) }
}
