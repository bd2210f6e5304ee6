//! Elementary functions of float32 without branches, so that loops over them vectorize, and the
//! error function.
//!
//! libm's functions are calls for one element at a time, which are slow in WebAssembly. These
//! functions are polynomials with selects, in plain multiplications and additions, so the bits are
//! the same on every target. The coefficients of `log` and `tanh` are from S. L. Moshier's Cephes
//! library (single precision). The coefficients of `exp` minimize the largest relative error
//! (3.1e-9). The coefficients of `erf` are from N. Juffa (float32) and from Sun's fdlibm (float64).
//! Sine and cosine reduce their argument in float64.

use std::f32::consts::{LOG2_E, SQRT_2};

/// `e^x`, within 1 ulp, with gradual underflow.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    // Adding 1.5 * 2^23 rounds a small number to an integer, which is then in the low bits. This
    // adds 254 to the integer.
    const ROUND: f32 = 12_582_912.0 + 254.0;
    // Comparisons with NaN are false, so NaN passes the clamp.
    let x = if x < -104.0 { -104.0 } else { x };
    let x = if x > 89.0 { 89.0 } else { x };
    let shifted = x * LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * 0.693_359_4;
    let r = r - n * -2.121_944_4e-4;
    let p = 1.381_443_3e-3;
    let p = p * r + 8.368_797e-3;
    let p = p * r + 4.166_839_6e-2;
    let p = p * r + 1.666_652e-1;
    let p = p * r + 4.999_999_4e-1;
    let y = p * (r * r) + r + 1.0;
    // 2^n in two factors: n is from -150 to 128, which exceeds the range of a float at both ends.
    // 254 is the sum of the two biases of the exponents. Higher bits are shifted out of the word.
    // For NaN the factors have arbitrary bits, and the product is NaN.
    let bits = shifted.to_bits();
    let (both, half) = (bits << 23, bits >> 1 << 23);
    y * f32::from_bits(half) * f32::from_bits(both.wrapping_sub(half))
}

/// The natural logarithm, within 2 ulp.
#[inline(always)]
pub(crate) fn log(x: f32) -> f32 {
    let subnormal = x < f32::MIN_POSITIVE;
    let scaled = if subnormal { x * 8_388_608.0 } else { x };
    let bits = scaled.to_bits();
    // The mantissa in [1, 2), then in [sqrt 1/2, sqrt 2).
    let mantissa = f32::from_bits((bits & 0x007f_ffff) | 0x3f80_0000);
    let exponent = ((bits >> 23) & 0xff) as i32 - 127 - if subnormal { 23 } else { 0 };
    let high = mantissa > SQRT_2;
    let m = if high { mantissa * 0.5 } else { mantissa } - 1.0;
    let e = (exponent + i32::from(high)) as f32;
    let z = m * m;
    let p = 7.037_683_6e-2;
    let p = p * m - 1.151_461e-1;
    let p = p * m + 1.167_699_87e-1;
    let p = p * m - 1.242_014_1e-1;
    let p = p * m + 1.424_932_3e-1;
    let p = p * m - 1.666_805_7e-1;
    let p = p * m + 2.000_071_4e-1;
    let p = p * m - 2.499_999_4e-1;
    let p = p * m + 3.333_333e-1;
    let y = p * m * z + e * -2.121_944_4e-4 - 0.5 * z;
    let y = m + y + e * 0.693_359_4;
    let y = if x == 0.0 { f32::NEG_INFINITY } else { y };
    let y = if x == f32::INFINITY { f32::INFINITY } else { y };
    if x >= 0.0 { y } else { f32::NAN }
}

/// The hyperbolic tangent, within 2 ulp.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let a = x.abs();
    let z = x * x;
    let p = -5.704_988_7e-3;
    let p = p * z + 2.063_909e-2;
    let p = p * z - 5.373_971_6e-2;
    let p = p * z + 1.333_144_2e-1;
    let p = p * z - 3.333_328e-1;
    let small = p * z * x + x;
    let large = 1.0 - 2.0 / (exp(a + a) + 1.0);
    // The sum above turns -0 into 0.
    (if a < 0.625 { small } else { large }).copysign(x)
}

/// The error function, within 2 ulp.
#[inline(always)]
pub(crate) fn erf(x: f32) -> f32 {
    let t = x.abs();
    let s = x * x;
    let p = -5.967_617e-4;
    let p = p * s + 4.991_194_2e-3;
    let p = p * s - 2.676_813_5e-2;
    let p = p * s + 1.128_199_25e-1;
    let p = p * s - 3.761_253_4e-1;
    let p = p * s + 1.283_791_7e-1;
    let small = p * x + x;
    let q = -1.728_534_7e-5 * t + 3.831_972e-4;
    let u = -3.883_964_4e-3 * t + 2.425_462e-2;
    let q = q * s + u;
    let q = q * t - 1.067_778_8e-1;
    let q = q * t - 6.348_467e-1;
    let q = q * t - 1.287_175_1e-1;
    let q = q * t - t;
    // Beyond 4 the result is 1, and the polynomial does not apply.
    let large = if t > 4.0 { 1.0 } else { 1.0 - exp(q) };
    if t > 0.927_734_4 { large.copysign(x) } else { small }
}

/// Up to this magnitude, the reduced argument of sine and cosine in float64 has more digits than a
/// float32 result.
const MAX_REDUCED: f32 = 1_000_000.0;

/// Sine and cosine of `x + quarter * pi / 2`, for `|x|` at most [`MAX_REDUCED`].
#[inline(always)]
fn sine(x: f32, quarter: i32) -> f32 {
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    let x = f64::from(x);
    let shifted = x * std::f64::consts::FRAC_2_PI + ROUND;
    let n = shifted - ROUND;
    // pi/2 in two parts, the first of 33 bits, so that its product with n is exact.
    let r = (x - n * 1.570_796_326_734_125_6) - n * 6.077_100_506_506_192e-11;
    let quadrant = (shifted.to_bits() as i32).wrapping_add(quarter);
    let z = r * r;
    // A Taylor polynomial: the first omitted term is below 2^-28 of the result on [-pi/4, pi/4].
    let s = 1.0 / 362_880.0;
    let s = s * z - 1.0 / 5040.0;
    let s = s * z + 1.0 / 120.0;
    let s = s * z - 1.0 / 6.0;
    let s = s * z * r + r;
    let c = -1.0 / 3_628_800.0;
    let c = c * z + 1.0 / 40_320.0;
    let c = c * z - 1.0 / 720.0;
    let c = c * z + 1.0 / 24.0;
    let c = c * z - 0.5;
    let c = c * z + 1.0;
    let y = (if quadrant & 1 == 0 { s } else { c }) as f32;
    if quadrant & 2 == 0 { y } else { -y }
}

/// `sin(x)` of every element, within 1 ulp.
#[inline(always)]
pub(crate) fn sin_slice(target: &mut [f32], x: &[f32]) {
    if within_reduction(x) {
        target.iter_mut().zip(x).for_each(|(y, &x)| *y = sine(x, 0));
        // The reduction loses the sign of a zero.
        target.iter_mut().zip(x).for_each(|(y, &x)| *y = if x == 0.0 { x } else { *y });
    } else {
        target.iter_mut().zip(x).for_each(|(y, &x)| *y = f64::from(x).sin() as f32);
    }
}

/// `cos(x)` of every element, within 1 ulp.
#[inline(always)]
pub(crate) fn cos_slice(target: &mut [f32], x: &[f32]) {
    if within_reduction(x) {
        target.iter_mut().zip(x).for_each(|(y, &x)| *y = sine(x, 1));
    } else {
        target.iter_mut().zip(x).for_each(|(y, &x)| *y = f64::from(x).cos() as f32);
    }
}

/// Whether the short reduction is exact enough for all elements of a block. Otherwise libm's long
/// one (Payne and Hanek) is used.
#[inline(always)]
fn within_reduction(x: &[f32]) -> bool {
    // `all` would stop at the first element, which does not vectorize. With this comparison, NaN
    // counts as within.
    !x.iter().fold(false, |far, x| far | (x.abs() > MAX_REDUCED))
}

#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// The error function in float64, within 1 ulp: fdlibm's `s_erf.c`.
pub(crate) fn erf_f64(x: f64) -> f64 {
    let a = x.abs();
    if x.is_nan() {
        return x;
    }
    if a < 0.84375 {
        if a < 2f64.powi(-28) {
            return x + 1.283_791_670_955_126e-1 * x;
        }
        let z = x * x;
        let p = [
            1.283_791_670_955_125_6e-1,
            -3.250_421_072_470_015e-1,
            -2.848_174_957_559_851e-2,
            -5.770_270_296_489_442e-3,
            -2.376_301_665_665_016_3e-5,
        ];
        let q = [
            1.0,
            3.979_172_239_591_553_5e-1,
            6.502_224_998_876_73e-2,
            5.081_306_281_875_766e-3,
            1.324_947_380_043_216_4e-4,
            -3.960_228_278_775_368e-6,
        ];
        return x + x * (polynomial(z, p) / polynomial(z, q));
    }
    if a < 1.25 {
        let s = a - 1.0;
        let p = [
            -2.362_118_560_752_659_4e-3,
            4.148_561_186_837_483_3e-1,
            -3.722_078_760_357_013e-1,
            3.183_466_199_011_617_5e-1,
            -1.108_946_942_823_966_8e-1,
            3.547_830_432_561_823_6e-2,
            -2.166_375_594_868_791e-3,
        ];
        let q = [
            1.0,
            1.064_208_804_008_442_3e-1,
            5.403_979_177_021_71e-1,
            7.182_865_441_419_627e-2,
            1.261_712_198_087_616_4e-1,
            1.363_708_391_202_905e-2,
            1.198_449_984_679_910_7e-2,
        ];
        return (8.450_629_115_104_675e-1 + polynomial(s, p) / polynomial(s, q)).copysign(x);
    }
    if a >= 6.0 {
        return 1f64.copysign(x);
    }
    let s = 1.0 / (a * a);
    let ratio = if a < 1.0 / 0.35 {
        let r = [
            -9.864_944_034_847_148e-3,
            -6.938_585_727_071_818e-1,
            -1.055_862_622_532_329e1,
            -6.237_533_245_032_601e1,
            -1.623_966_694_625_734_7e2,
            -1.846_050_929_067_110_4e2,
            -8.128_743_550_630_66e1,
            -9.814_329_344_169_145,
        ];
        let q = [
            1.0,
            1.965_127_166_743_925_7e1,
            1.376_577_541_435_190_4e2,
            4.345_658_774_752_292_3e2,
            6.453_872_717_332_679e2,
            4.290_081_400_275_678_3e2,
            1.086_350_055_417_794_4e2,
            6.570_249_770_319_282,
            -6.042_441_521_485_81e-2,
        ];
        polynomial(s, r) / polynomial(s, q)
    } else {
        let r = [
            -9.864_942_924_700_1e-3,
            -7.992_832_376_805_23e-1,
            -1.775_795_491_775_475_2e1,
            -1.606_363_848_558_219_2e2,
            -6.375_664_433_683_896e2,
            -1.025_095_131_611_077_2e3,
            -4.835_191_916_086_514e2,
        ];
        let q = [
            1.0,
            3.033_806_074_348_246e1,
            3.257_925_129_965_739e2,
            1.536_729_586_084_437e3,
            3.199_858_219_508_595_5e3,
            2.553_050_406_433_164_4e3,
            4.745_285_412_069_554e2,
            -2.244_095_244_658_582e1,
        ];
        polynomial(s, r) / polynomial(s, q)
    };
    // exp(-a^2) in two factors: z is a with fewer bits, so its square is exact.
    let z = f64::from_bits(a.to_bits() & 0xffff_ffff_0000_0000);
    let tail = (-z * z - 0.5625).exp() * ((z - a) * (z + a) + ratio).exp() / a;
    (1.0 - tail).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest error in units of the last place of the float32 result, over points spread
    /// through `range`.
    fn worst(f: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64, range: [f32; 2]) -> f64 {
        let points = 200_000;
        let at = |i: u32| range[0] + (range[1] - range[0]) * (i as f32 / points as f32);
        (0..=points).map(at).fold(0.0, |worst, x| {
            let exact = exact(f64::from(x));
            let unit = f64::from((exact.abs() as f32).max(f32::MIN_POSITIVE)).log2().floor().exp2() * 2f64.powi(-23);
            worst.max((f64::from(f(x)) - exact).abs() / unit)
        })
    }

    fn one(f: fn(&mut [f32], &[f32])) -> impl Fn(f32) -> f32 {
        move |x| {
            let mut y = [0.0];
            f(&mut y, &[x]);
            y[0]
        }
    }

    #[test]
    fn agree_with_float64_to_two_units() {
        for (name, error) in [
            ("exp", worst(exp, f64::exp, [-87.0, 88.7])),
            ("exp near 0", worst(exp, f64::exp, [-1.0, 1.0])),
            ("log", worst(log, f64::ln, [1e-30, 3.0])),
            ("log large", worst(log, f64::ln, [1.0, 1e38])),
            ("log near 1", worst(log, f64::ln, [0.99, 1.01])),
            ("tanh", worst(tanh, f64::tanh, [-12.0, 12.0])),
            ("tanh near 0", worst(tanh, f64::tanh, [-0.7, 0.7])),
            ("erf", worst(erf, erf_f64, [-5.0, 5.0])),
            ("erf near 0", worst(erf, erf_f64, [-1.0, 1.0])),
            ("sin", worst(one(sin_slice), f64::sin, [-20.0, 20.0])),
            ("cos", worst(one(cos_slice), f64::cos, [-20.0, 20.0])),
            ("sin far", worst(one(sin_slice), f64::sin, [0.0, 1e6])),
            ("cos very far", worst(one(cos_slice), f64::cos, [-1e30, 1e30])),
        ] {
            assert!(error <= 2.0, "{name}: {error} ulp");
        }
    }

    #[test]
    fn limits_and_special_values() {
        let inf = f32::INFINITY;
        for f in [exp, log, tanh, erf] {
            assert!(f(f32::NAN).is_nan());
        }
        assert!(one(sin_slice)(inf).is_nan() && one(cos_slice)(f32::NAN).is_nan());
        assert_eq!((exp(inf), exp(-inf), exp(0.0), exp(88.8), exp(-110.0)), (inf, 0.0, 1.0, inf, 0.0));
        assert_eq!(exp(-100.0), (-100f64).exp() as f32, "subnormal results");
        assert_eq!((log(0.0), log(-0.0), log(inf), log(1.0)), (-inf, -inf, inf, 0.0));
        assert!(log(-1.0).is_nan() && log(-inf).is_nan());
        assert!((log(1e-42) - 1e-42f32.ln()).abs() < 1e-5, "subnormal arguments");
        assert_eq!((tanh(inf), tanh(-inf), tanh(100.0), tanh(1e-20)), (1.0, -1.0, 1.0, 1e-20));
        assert_eq!((erf(inf), erf(-inf)), (1.0, -1.0));
        assert!((erf(1e-20) / 1.128_379_2e-20 - 1.0).abs() < 2e-7);
        assert!([tanh(-0.0), erf(-0.0), one(sin_slice)(-0.0)].iter().all(|y| y.to_bits() == (-0f32).to_bits()));
    }

    #[test]
    fn erf_in_float64_agrees_with_published_values() {
        // Abramowitz and Stegun, table 7.1, and the tail from the continued fraction.
        for (x, y) in [
            (0.1, 0.112_462_916_018_284_89),
            (0.5, 0.520_499_877_813_046_5),
            (0.84, 0.765_142_711_454_994_6),
            (1.0, 0.842_700_792_949_714_9),
            (1.2, 0.910_313_978_229_635_4),
            (1.5, 0.966_105_146_475_310_8),
            (2.0, 0.995_322_265_018_952_7),
            (2.8, 0.999_924_986_805_334_6),
            (3.0, 0.999_977_909_503_001_4),
            (4.0, 0.999_999_984_582_742_1),
        ] {
            assert!((erf_f64(x) / y - 1.0).abs() < 4e-16, "erf({x}) = {:e}, not {y:e}", erf_f64(x));
            assert_eq!(erf_f64(-x), -erf_f64(x));
        }
        assert_eq!((erf_f64(f64::INFINITY), erf_f64(0.0)), (1.0, 0.0));
        assert!(erf_f64(f64::NAN).is_nan());
    }
}
