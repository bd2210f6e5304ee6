//! Conversions between types, selection, and random words.
//!
//! A float is converted to an 8-bit integer through 64 bits, so that it wraps as in PyTorch.
//! Conversions to int32 and int64 saturate, and NaN becomes 0 (PyTorch leaves both undefined).
//! Every value other than zero is true, NaN included.

use crate::{
    buffer::{elements, elements_mut},
    simd::dispatch,
};
use lanthorn_ir::{expr::Type, random};

#[inline(always)]
fn each<A: Copy, R>(target: &mut [R], a: &[A], f: impl Fn(A) -> R) {
    for (target, &a) in target.iter_mut().zip(a) {
        *target = f(a);
    }
}

macro_rules! casts {
    ($to:ident, $target:ident, $a:ident, $source:ident, $zero:expr, |$x:ident| $byte:expr, $word:expr) => {{
        let a = elements::<$source>($a);
        match $to {
            Type::Bool => each($target, a, |$x| u8::from($x != $zero)),
            Type::U8 => each($target, a, |$x| $byte),
            Type::I32 => each(elements_mut($target), a, |$x| $x as i32),
            Type::I64 => each(elements_mut($target), a, |$x| $x as i64),
            Type::U32 => each(elements_mut($target), a, |$x| $word),
            Type::F32 => each(elements_mut($target), a, |$x| $x as f32),
            Type::F64 => each(elements_mut($target), a, |$x| $x as f64),
        }
    }};
}

dispatch! {
    /// Converts a block of `from` to `to`, both given as bytes.
    pub(crate) fn cast(from: Type, to: Type, target: &mut [u8], a: &[u8]) {
        match from {
            Type::Bool | Type::U8 => casts!(to, target, a, u8, 0, |x| x, u32::from(x)),
            Type::I32 => casts!(to, target, a, i32, 0, |x| x as u8, x as u32),
            Type::I64 => casts!(to, target, a, i64, 0, |x| x as u8, x as u32),
            Type::U32 => casts!(to, target, a, u32, 0, |x| x as u8, x),
            Type::F32 => casts!(to, target, a, f32, 0.0, |x| x as i64 as u8, x as i64 as u32),
            Type::F64 => casts!(to, target, a, f64, 0.0, |x| x as i64 as u8, x as i64 as u32),
        }
    }
}

#[inline(always)]
fn choose<T: Copy>(target: &mut [T], condition: &[u8], a: &[T], b: &[T]) {
    for (((target, &condition), &a), &b) in target.iter_mut().zip(condition).zip(a).zip(b) {
        *target = if condition != 0 { a } else { b };
    }
}

dispatch! {
    /// `condition ? a : b` for elements of `size` bytes.
    pub(super) fn select(size: usize, target: &mut [u8], condition: &[u8], a: &[u8], b: &[u8]) {
        match size {
            1 => choose(target, condition, a, b),
            4 => choose::<u32>(elements_mut(target), condition, elements(a), elements(b)),
            _ => choose::<u64>(elements_mut(target), condition, elements(a), elements(b)),
        }
    }
}

dispatch! {
    /// One random word for each element.
    pub(super) fn threefry(target: &mut [u32], words: [&[u32]; 4]) {
        let [k0, k1, c0, c1] = words;
        for ((((target, &k0), &k1), &c0), &c1) in target.iter_mut().zip(k0).zip(k1).zip(c0).zip(c1) {
            *target = random::threefry([k0, k1], [c0, c1]);
        }
    }
}
