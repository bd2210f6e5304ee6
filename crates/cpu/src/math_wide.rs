//! Functions of float32 that are computed in float64: powers, `log1p` and `expm1`.
//!
//! In float32 a logarithm's error would be multiplied by a large factor, or digits would cancel. In
//! float64, short polynomials are accurate enough and still vectorize: a power takes 140 ns an
//! element with libm in WebAssembly, and a few with this one. Selects handle the special cases of
//! C99.

/// `ln(x)` to about 1e-10, for `x` in the range of positive normal float64 numbers.
#[inline(always)]
fn log(x: f64) -> f64 {
    // Moves the mantissa to [sqrt 1/2, sqrt 2): the constant is the bits of sqrt 1/2.
    const HALF_ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
    let shifted = x.to_bits().wrapping_sub(HALF_ROOT);
    let exponent = (shifted as i64 >> 52) as i32;
    let mantissa = f64::from_bits((shifted & 0x000f_ffff_ffff_ffff).wrapping_add(HALF_ROOT));
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    let p = 2.0 / 11.0;
    let p = p * z + 2.0 / 9.0;
    let p = p * z + 2.0 / 7.0;
    let p = p * z + 2.0 / 5.0;
    let p = p * z + 2.0 / 3.0;
    let p = p * z + 2.0;
    p * s + f64::from(exponent) * std::f64::consts::LN_2
}

/// `e^x` to about 1e-11. Outside of float32's range, 0 or a number that is infinite in float32.
#[inline(always)]
fn exp(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    let x = if x < -200.0 { -200.0 } else { x };
    let x = if x > 200.0 { 200.0 } else { x };
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * std::f64::consts::LN_2;
    let p = 1.0 / 362_880.0;
    let p = p * r + 1.0 / 40_320.0;
    let p = p * r + 1.0 / 5040.0;
    let p = p * r + 1.0 / 720.0;
    let p = p * r + 1.0 / 120.0;
    let p = p * r + 1.0 / 24.0;
    let p = p * r + 1.0 / 6.0;
    let p = p * r + 0.5;
    let p = p * r + 1.0;
    let p = p * r + 1.0;
    // The low bits of the shifted number are n. For NaN the scale is arbitrary, and the product is
    // NaN.
    p * f64::from_bits((shifted.to_bits().wrapping_add(1023) & 0x7ff) << 52)
}

/// `|a|` to the power `b`, except where the power is 1 by definition.
#[inline(always)]
fn magnitude(a: f32, b: f32) -> f32 {
    let base = f64::from(a).abs();
    let log = log(base);
    let log = if base == 0.0 { f64::NEG_INFINITY } else { log };
    let log = if base == f64::INFINITY { f64::INFINITY } else { log };
    let log = if base.is_nan() { f64::NAN } else { log };
    exp(f64::from(b) * log) as f32
}

/// The power from its magnitude: handles signs, and numbers without a logarithm.
#[inline(always)]
fn with_sign(a: f32, b: f32, magnitude: f32) -> f32 {
    let half = b * 0.5;
    let whole = b.trunc() == b;
    let odd = whole & (half.trunc() != half);
    let y = if (a < 0.0) & !whole & (a != f32::NEG_INFINITY) { f32::NAN } else { magnitude };
    // Reads the sign bit instead of comparing, because of -0.
    let sign = if odd { a.to_bits() & (1 << 31) } else { 0 };
    let y = f32::from_bits(y.to_bits() ^ sign);
    if (b == 0.0) | (a == 1.0) | ((a == -1.0) & (b.abs() == f32::INFINITY)) { 1.0 } else { y }
}

/// `a` to the power `b` for every element, within 1 ulp. There are two loops, because LLVM
/// vectorizes each of them but not both in one.
#[inline(always)]
pub(crate) fn power(target: &mut [f32], a: &[f32], b: &[f32]) {
    for ((target, &a), &b) in target.iter_mut().zip(a).zip(b) {
        *target = magnitude(a, b);
    }
    for ((target, &a), &b) in target.iter_mut().zip(a).zip(b) {
        *target = with_sign(a, b, *target);
    }
}

/// `ln(1 + x)`, within 1 ulp.
#[inline(always)]
pub(crate) fn log1p(x: f32) -> f32 {
    let wide = f64::from(x);
    let sum = 1.0 + wide;
    let large = log(sum);
    let small = wide - wide * wide * (0.5 - wide * (1.0 / 3.0));
    let y = if wide.abs() < 1e-4 { small } else { large } as f32;
    let y = if x == -1.0 { f32::NEG_INFINITY } else { y };
    let y = if x == f32::INFINITY { x } else { y };
    let y = if x == 0.0 { x } else { y };
    if x >= -1.0 { y } else { f32::NAN }
}

/// `e^x - 1`, within 1 ulp.
#[inline(always)]
pub(crate) fn expm1(x: f32) -> f32 {
    let wide = f64::from(x);
    let large = exp(wide) - 1.0;
    let small = wide + wide * wide * (0.5 + wide * (1.0 / 6.0 + wide * (1.0 / 24.0 + wide * (1.0 / 120.0))));
    let y = if wide.abs() < 1e-2 { small } else { large } as f32;
    if x == 0.0 { x } else { y }
}

#[cfg(test)]
mod tests {
    use super::{expm1, log1p};

    fn power(a: f32, b: f32) -> f32 {
        let mut y = [0.0];
        super::power(&mut y, &[a], &[b]);
        y[0]
    }

    fn same(name: &str, x: f32, got: f32, exact: f64) {
        let rounded = exact as f32;
        let unit = f64::from(f32::from_bits(rounded.abs().to_bits() + 1)) - f64::from(rounded.abs());
        let close = (f64::from(got) - exact).abs() <= unit;
        assert!(got == rounded || close || (got.is_nan() && exact.is_nan()), "{name}({x}) = {got}, not {exact}");
    }

    #[test]
    fn powers_agree_with_float64() {
        let numbers = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -3.0, 1e-20, 7.3, 1e30, -8.0, 127.0, 1e-40];
        let special = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        for a in numbers.into_iter().chain(special) {
            for b in numbers.into_iter().chain(special) {
                let (got, exact) = (power(a, b), f64::from(a).powf(f64::from(b)));
                same(&format!("{a} to the power"), b, got, exact);
                assert!(got.is_nan() || got.is_sign_negative() == exact.is_sign_negative(), "{a} {b}");
            }
        }
        for i in 1..100_000 {
            let a = i as f32 * 0.001;
            for b in [1.7, -2.3, 12.5] {
                same(&format!("{a} to the power"), b, power(a, b), f64::from(a).powf(f64::from(b)));
            }
        }
    }

    #[test]
    fn log1p_and_expm1_agree_with_float64() {
        let spread = (-100_000..100_000).map(|i| i as f32 * 0.001);
        let tiny = (-1000..1000).map(|i| i as f32 * 1.7e-5);
        let special = [0.0, -0.0, -1.0, -2.0, 1e-30, -1e-8, 3e38, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        for x in spread.chain(tiny).chain(special) {
            same("log1p", x, log1p(x), f64::from(x).ln_1p());
            same("expm1", x, expm1(x), f64::from(x).exp_m1());
        }
        assert!(log1p(-0.0).is_sign_negative() && expm1(-0.0).is_sign_negative());
    }
}
