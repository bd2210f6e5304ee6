//! The parts of a float, its neighbours, and the greatest common divisor.

/// Mantissa and exponent: `x = m * 2^e` with 1/2 <= |m| < 1. 0, infinity and NaN are their own
/// mantissa, with exponent 0.
#[inline(always)]
pub(crate) fn split(x: f64) -> (f64, f64) {
    const SUBNORMAL: f64 = f64::MIN_POSITIVE;
    if x == 0.0 || !x.is_finite() {
        return (x, 0.0);
    }
    let scaled = if x.abs() < SUBNORMAL { x * 2f64.powi(54) } else { x };
    let shift = if x.abs() < SUBNORMAL { 54 } else { 0 };
    let bits = scaled.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1022 - shift;
    (f64::from_bits((bits & 0x800f_ffff_ffff_ffff) | 0x3fe0_0000_0000_0000), f64::from(exponent))
}

macro_rules! next_after {
    ($name:ident $ty:ident) => {
        /// The float next to `a` in the direction of `b`.
        #[inline(always)]
        pub(crate) fn $name(a: $ty, b: $ty) -> $ty {
            if a.is_nan() || b.is_nan() {
                a + b
            } else if a < b {
                a.next_up()
            } else if a > b {
                a.next_down()
            } else {
                b
            }
        }
    };
}

next_after!(next_after_f32 f32);
next_after!(next_after_f64 f64);

macro_rules! greatest_common_divisors {
    ($($name:ident $ty:ident,)*) => { $(
        /// The greatest common divisor, by Euclid's algorithm; 0 for two zeros.
        pub(crate) fn $name(a: $ty, b: $ty) -> $ty {
            let (mut large, mut small) = (a.unsigned_abs(), b.unsigned_abs());
            while small != 0 {
                (large, small) = (small, large % small);
            }
            // Only the magnitude of the smallest number does not fit, and wraps.
            large as $ty
        }
    )* };
}

greatest_common_divisors! { gcd_i32 i32, gcd_i64 i64, }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_is_its_mantissa_times_a_power_of_two() {
        for x in [1.0, -0.75, 3.9e300, 2f64.powi(-1074), -2.5e-310, f64::MIN_POSITIVE, f64::MAX] {
            let (mantissa, exponent) = split(x);
            assert!((0.5..1.0).contains(&mantissa.abs()), "{x:e}: {mantissa}");
            let half = (exponent / 2.0).floor();
            assert_eq!(mantissa * half.exp2() * (exponent - half).exp2(), x);
        }
        assert_eq!((split(0.0), split(f64::INFINITY)), ((0.0, 0.0), (f64::INFINITY, 0.0)));
        assert!(split(f64::NAN).0.is_nan());
    }

    #[test]
    fn the_next_float_goes_towards_the_other() {
        assert_eq!(
            (next_after_f32(1.0, 2.0), next_after_f32(1.0, 0.0)),
            (1.0 + f32::EPSILON, 1.0 - f32::EPSILON / 2.0)
        );
        assert_eq!((next_after_f32(0.0, -1.0).to_bits(), next_after_f64(0.0, 1.0).to_bits()), (0x8000_0001, 1));
        assert_eq!((next_after_f32(f32::MAX, f32::INFINITY), next_after_f64(3.0, 3.0)), (f32::INFINITY, 3.0));
        assert!(next_after_f32(f32::NAN, 0.0).is_nan() && next_after_f64(0.0, f64::NAN).is_nan());
    }

    #[test]
    fn divisors_have_no_sign() {
        assert_eq!(gcd_i32(-12, 18), 6);
        assert_eq!((gcd_i32(0, -5), gcd_i32(0, 0)), (5, 0));
        assert_eq!(gcd_i32(i32::MIN, 0), i32::MIN);
        assert_eq!(gcd_i64(3 << 40, -(9 << 38)), 3 << 38);
    }
}
