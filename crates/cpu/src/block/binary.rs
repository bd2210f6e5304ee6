//! Functions of two values, with a loop for each common type.

use super::cast;
use crate::{math_parts, math_wide, simd::dispatch};
use bytemuck::{cast_slice, cast_slice_mut};
use lanthorn_ir::expr::{BinaryOp, Type};

/// Whether a loop exists. Preparing a program with another operation returns an error.
pub(super) fn supports(op: BinaryOp, ty: Type) -> bool {
    match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => !ty.is_float(),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::Gcd => !ty.is_float() && ty != Type::Bool,
        BinaryOp::CopySign | BinaryOp::NextAfter => ty.is_float(),
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
    /// Clamps indices into range, and returns the first index that was out of range, with its size.
    pub(super) fn check_index(target: &mut [i32], index: &[i32], size: &[i32]) -> Option<(i32, i32)> {
        each(target, index, size, |index, size| index.min(size - 1).max(0));
        let moved = target.iter().zip(index).fold(false, |moved, (target, index)| moved | (target != index));
        // With a size of 0, every index is out of range.
        let empty = size.iter().fold(false, |empty, &size| empty | (size <= 0));
        if !moved && !empty {
            return None;
        }
        index.iter().zip(size).map(|(&index, &size)| (index, size)).find(|&(index, size)| !(0..size).contains(&index))
    }
}

macro_rules! floats {
    ($($name:ident $ty:ident $power:ident $any_power:path, $next_after:path;)*) => { $(
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
                    // A comparison with NaN is false. The result is then `b`, so only a NaN in `a`
                    // needs a test.
                    BinaryOp::Max => each(target, a, b, |a, b| if a > b || a.is_nan() { a } else { b }),
                    BinaryOp::Min => each(target, a, b, |a, b| if a < b || a.is_nan() { a } else { b }),
                    BinaryOp::CopySign => each(target, a, b, $ty::copysign),
                    BinaryOp::NextAfter => each(target, a, b, $next_after),
                    _ => {}
                }
            }
        }

        /// Powers. An exponent that is equal for the whole block is usually a small constant, which
        /// has a faster loop.
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

floats! {
    float32 f32 power_f32 math_wide::power, math_parts::next_after_f32;
    float64 f64 power_f64 powers_f64, math_parts::next_after_f64;
}

#[inline(always)]
fn powers_f64(target: &mut [f64], a: &[f64], b: &[f64]) {
    each(target, a, b, f64::powf);
}

macro_rules! integers {
    ($($name:ident $ty:ident $quotient:ident $rest:ident $power:ident $gcd:ident,)*) => { $(
        /// The truncated quotient; 0 for a division by 0.
        #[inline(always)]
        fn $quotient(a: $ty, b: $ty) -> $ty {
            if b == 0 { 0 } else { a.wrapping_div(b) }
        }

        /// The remainder with the sign of the divisor; 0 for a division by 0.
        #[inline(always)]
        fn $rest(a: $ty, b: $ty) -> $ty {
            let rest = if b == 0 { 0 } else { a.wrapping_rem(b) };
            if rest != 0 && (rest < 0) != (b < 0) { rest.wrapping_add(b) } else { rest }
        }

        #[inline(always)]
        fn $power(a: $ty, b: $ty) -> $ty {
            if b < 0 {
                let inverse = if a == 1 || a == -1 { a } else { 0 };
                return if b & 1 == 1 { inverse } else { inverse.wrapping_mul(inverse) };
            }
            // Squares for each bit of the exponent: at most 64 iterations, even if the exponent
            // does not fit in 32 bits.
            let (mut result, mut square, mut exponent) = (1, a, b);
            while exponent > 0 {
                result = if exponent & 1 == 1 { square.wrapping_mul(result) } else { result };
                square = square.wrapping_mul(square);
                exponent >>= 1;
            }
            result
        }

        dispatch! {
            pub(super) fn $name(op: BinaryOp, target: &mut [$ty], a: &[$ty], b: &[$ty]) {
                match op {
                    BinaryOp::Add => each(target, a, b, $ty::wrapping_add),
                    BinaryOp::Sub => each(target, a, b, $ty::wrapping_sub),
                    BinaryOp::Mul => each(target, a, b, $ty::wrapping_mul),
                    BinaryOp::Div => each(target, a, b, $quotient),
                    BinaryOp::Rem => each(target, a, b, $rest),
                    BinaryOp::Pow => each(target, a, b, $power),
                    BinaryOp::Max => each(target, a, b, $ty::max),
                    BinaryOp::Min => each(target, a, b, $ty::min),
                    BinaryOp::And => each(target, a, b, |a, b| a & b),
                    BinaryOp::Or => each(target, a, b, |a, b| a | b),
                    BinaryOp::Xor => each(target, a, b, |a, b| a ^ b),
                    BinaryOp::ShiftLeft => each(target, a, b, |a, b| a.unbounded_shl(u32::try_from(b).unwrap_or(u32::MAX))),
                    // A negative number of bits counts as too large.
                    BinaryOp::ShiftRight => each(target, a, b, |a, b| a.unbounded_shr(u32::try_from(b).unwrap_or(u32::MAX))),
                    BinaryOp::Gcd => each(target, a, b, math_parts::$gcd),
                    _ => {}
                }
            }
        }
    )* };
}

integers! { int32 i32 quotient_i32 rest_i32 power_i32 gcd_i32, int64 i64 quotient_i64 rest_i64 power_i64 gcd_i64, }

/// Functions of words: int32 loops if the bits are equal, otherwise one by one, which is rare.
pub(super) fn uint32(op: BinaryOp, target: &mut [u32], a: &[u32], b: &[u32]) {
    let one: fn(u32, u32) -> u32 = match op {
        BinaryOp::Div => |a, b| a.checked_div(b).unwrap_or(0),
        BinaryOp::Rem => |a, b| a.checked_rem(b).unwrap_or(0),
        BinaryOp::Pow => u32::wrapping_pow,
        BinaryOp::Max => u32::max,
        BinaryOp::Min => u32::min,
        BinaryOp::ShiftRight => u32::unbounded_shr,
        _ => return int32(op, cast_slice_mut(target), cast_slice(a), cast_slice(b)),
    };
    each(target, a, b, one);
}

/// Number of bytes that are computed as int32 at once.
const AT_ONCE: usize = 256;

/// Functions of bytes, computed as int32. Wrapped, the results are equal.
pub(super) fn uint8(op: BinaryOp, target: &mut [u8], a: &[u8], b: &[u8]) {
    let (mut wide_a, mut wide_b, mut results) = ([0; AT_ONCE], [0; AT_ONCE], [0; AT_ONCE]);
    for ((target, a), b) in target.chunks_mut(AT_ONCE).zip(a.chunks(AT_ONCE)).zip(b.chunks(AT_ONCE)) {
        let n = target.len();
        cast(Type::U8, Type::I32, cast_slice_mut(&mut wide_a[..n]), a);
        cast(Type::U8, Type::I32, cast_slice_mut(&mut wide_b[..n]), b);
        int32(op, &mut results[..n], &wide_a[..n], &wide_b[..n]);
        cast(Type::I32, Type::U8, target, cast_slice(&results[..n]));
    }
}

dispatch! {
    pub(super) fn boolean(op: BinaryOp, target: &mut [u8], a: &[u8], b: &[u8]) {
        match op {
            BinaryOp::Add | BinaryOp::Max | BinaryOp::Or => each(target, a, b, |a, b| a | b),
            BinaryOp::Mul | BinaryOp::Min | BinaryOp::And | BinaryOp::Div => each(target, a, b, |a, b| a & b),
            BinaryOp::Sub | BinaryOp::Xor => each(target, a, b, |a, b| a ^ b),
            // The integers 0 and 1: a ** 0 is 1, and a remainder by 1 or 0 is 0.
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
    pub(super) fn compare_i64(op: BinaryOp, target: &mut [u8], a: &[i64], b: &[i64]) { comparison(op, target, a, b) }
}
/// Comparisons of words, one by one, because they are rare.
pub(super) fn compare_u32(op: BinaryOp, target: &mut [u8], a: &[u32], b: &[u32]) {
    each(target, a, b, |a, b| {
        u8::from(match op {
            BinaryOp::Eq => a == b,
            BinaryOp::Ne => a != b,
            BinaryOp::Lt => a < b,
            BinaryOp::Le => a <= b,
            BinaryOp::Gt => a > b,
            _ => a >= b,
        })
    });
}
dispatch! {
    pub(super) fn compare_u8(op: BinaryOp, target: &mut [u8], a: &[u8], b: &[u8]) { comparison(op, target, a, b) }
}
