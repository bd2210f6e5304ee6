//! The complementary error function, its scaled form, the inverse error function, and the logarithm
//! of the normal distribution function.

use super::{chebyshev, nan};
use crate::expr::{Expr, Function};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI};

/// `exp(sign * x^2)` for `sign` 1 or -1. The square is split, so that its rounding error is not
/// amplified. `|x|` is at most a few hundred.
fn exp_of_square(x: &Expr, sign: f64) -> Expr {
    let near = (x * 16.0).round() * (1.0 / 16.0);
    let rest = (x - &near) * (x + &near);
    (near.square() * sign).exp() * (rest * sign).exp()
}

/// `exp(x^2) * erfc(x)` for `x >= 0`: `(1 + 2 x)` times that is a series in
/// `(x - 15/4) / (x + 15/4)` (Shepherd and Laframboise, 1981).
fn scaled_erfc(x: &Expr) -> Expr {
    let t = 1.0 - 7.5 / (x + 3.75);
    chebyshev(&t, SCALED) / (x * 2.0 + 1.0)
}

/// `min(|x|, 32)`: the exponential of the square of 32 is already infinite, or 0 for the negative.
fn limit_size(x: &Expr) -> Expr {
    let size = x.abs();
    size.gt(32.0).select(32.0, size)
}

/// `1 - erf(x)`, with full relative accuracy where it is small.
pub static ERFC: Function = Function {
    name: "erfc",
    definition: |x| {
        let size = limit_size(&x[0]);
        let tail = exp_of_square(&size, -1.0) * scaled_erfc(&size);
        x[0].lt(0.0).select(2.0 - &tail, tail)
    },
    derivative: |x, _, g| vec![Some(-(g * ((-x[0].square()).exp() * FRAC_2_SQRT_PI)))],
};

/// `exp(x^2) * erfc(x)`.
pub static ERFCX: Function = Function {
    name: "erfcx",
    definition: |x| {
        let tail = scaled_erfc(&x[0].abs());
        x[0].lt(0.0).select(exp_of_square(&limit_size(&x[0]), 1.0) * 2.0 - &tail, tail)
    },
    derivative: |x, y, g| vec![Some(g * (&x[0] * 2.0 * y - FRAC_2_SQRT_PI))],
};

/// The logarithm of the cumulative distribution function of the standard normal distribution.
pub static LOG_NDTR: Function = Function {
    name: "log_ndtr",
    definition: |x| {
        let scaled = &x[0] * FRAC_1_SQRT_2;
        let low = (ERFCX.call(&[&-&scaled]) * 0.5).log() - scaled.square();
        x[0].lt(-1.0).select(low, (ERFC.call(&[&scaled]) * -0.5).log1p())
    },
    derivative: |x, _, g| {
        let slope = g / ERFCX.call(&[&(&x[0] * -FRAC_1_SQRT_2)]) * (2.0 / PI).sqrt();
        // At negative infinity PyTorch's derivative is a difference of infinities: NaN.
        vec![Some(x[0].equal(f64::NEG_INFINITY).select(nan(g), slope))]
    },
};

/// The inverse of the error function; infinite at -1 and 1, NaN beyond.
pub static ERFINV: Function = Function {
    name: "erfinv",
    definition: |y| {
        // (1 - y) (1 + y) instead of 1 - y^2, which cancels near 1.
        let w = -((1.0 - &y[0]) * (1.0 + &y[0])).log();
        let central = w.le(5.0);
        let (low, high) = (5f64.sqrt(), 6.1);
        let root = (central.select(5.0, &w).sqrt() - (low + high) / 2.0) * (2.0 / (high - low));
        let ratio = central.select(chebyshev(&(&w * 0.4 - 1.0), CENTRAL), chebyshev(&root, TAIL));
        let inside = y[0].abs().lt(1.0);
        let outside = y[0].abs().equal(1.0).select(&y[0] * f64::INFINITY, nan(&y[0]));
        inside.select(&y[0] * ratio, outside)
    },
    derivative: |_, x, g| vec![Some(g * (x.square().exp() * (PI.sqrt() / 2.0)))],
};

/// `(1 + 2 x) exp(x^2) erfc(x)` over `t = (x - 15/4) / (x + 15/4)`.
const SCALED: &[f64] = &[
    1.177_578_934_567_401_7,
    -0.004_590_054_580_646_478,
    -0.084_249_133_366_517_92,
    0.059_209_939_998_191_89,
    -0.026_658_668_435_305_753,
    0.009_074_997_670_705_265,
    -0.002_413_163_540_417_608,
    0.000_490_775_836_525_808_6,
    -6.916_973_302_501_207e-05,
    4.139_027_986_073_01e-06,
    7.740_383_066_198_49e-07,
    -2.188_640_104_923_439_7e-07,
    1.076_499_946_567_091e-08,
    4.521_959_811_218_287e-09,
    -7.754_400_208_831_351e-10,
    -6.318_088_340_886_684e-11,
    2.868_795_010_930_67e-11,
    1.945_586_854_577_734_7e-13,
    -9.654_696_748_433_44e-13,
    3.252_548_148_148_74e-14,
    3.347_811_948_286_805_6e-14,
    -1.864_562_880_419_313e-15,
    -1.250_795_053_068_864_8e-15,
    7.418_235_256_624_044e-17,
    5.068_148_904_796_111e-17,
];

/// `erfinv(y) / y` over `w = -log(1 - y^2)` in 0..=5.
const CENTRAL: &[f64] = &[
    1.491_298_940_474_490_3,
    0.601_756_303_410_83,
    -0.009_170_559_500_080_926,
    -0.004_962_635_326_766_425,
    0.000_915_379_670_007_964_2,
    -3.889_562_757_083e-06,
    -2.420_259_940_494_408_5e-05,
    3.266_571_592_584_233_4e-06,
    2.775_888_980_373_663_4e-07,
    -1.302_336_301_364_302_5e-07,
    8.104_643_424_791_87e-09,
    2.862_438_517_693_075e-09,
    -5.975_090_007_034_137e-10,
    -1.222_297_879_869_563e-11,
    1.959_596_397_135_697e-11,
    -2.051_040_720_737_084_5e-12,
    -3.446_860_461_222_800_4e-13,
    1.054_675_167_696_923_8e-13,
    -2.449_375_549_080_520_7e-15,
    -2.948_685_683_278_964e-15,
    4.407_386_071_103_585_7e-16,
    3.679_429_175_171_005e-17,
    -1.824_698_458_338_388_6e-17,
];

/// `erfinv(y) / y` over `sqrt(w)` in `sqrt(5)..=6.1`, the largest value for a float64 below 1.
const TAIL: &[f64] = &[
    4.013_544_468_332_795,
    1.944_207_165_168_62,
    0.005_213_435_233_027_498,
    -0.003_021_090_037_641_388_4,
    0.001_323_294_487_704_026_5,
    -0.000_567_965_380_612_331,
    0.000_235_634_967_642_627_08,
    -8.716_247_159_717_88e-05,
    2.545_243_206_562_661e-05,
    -4.087_406_949_191_783e-06,
    -9.951_076_991_795_929e-07,
    1.110_412_226_726_096_4e-06,
    -4.770_795_134_358_494e-07,
    1.092_342_939_294_236_3e-07,
    3.955_672_433_310_575_5e-09,
    -1.522_927_212_758_235e-08,
    6.842_884_988_887_376e-09,
    -1.461_133_311_044_452_4e-09,
    -8.764_212_400_398_621e-11,
    1.947_727_000_775_758_4e-10,
    -7.657_207_966_233_89e-11,
    1.387_821_772_906_743e-11,
    1.372_881_522_844_404_7e-12,
    -1.878_820_452_653_519e-12,
    6.870_576_020_034_272e-13,
    -1.337_240_684_381_484_3e-13,
    -1.306_298_093_957_062_3e-15,
    1.297_047_585_327_233_4e-14,
    -6.221_779_458_134_828e-15,
    1.807_890_866_033_636_3e-15,
    -2.494_574_445_931_818_5e-16,
    -7.791_941_829_948_317e-17,
    6.900_843_290_532_431e-17,
];
