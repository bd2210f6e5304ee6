//! The tangent, the inverse trigonometric functions, and sinc.

use super::chebyshev;
use crate::expr::{Expr, Function};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// The tangent.
pub static TAN: Function = Function {
    name: "tan",
    definition: |x| x[0].sin() / x[0].cos(),
    derivative: |_, y, g| vec![Some(g * (y.square() + 1.0))],
};

/// The arc tangent.
pub static ATAN: Function = Function {
    name: "atan",
    definition: |x| {
        let size = x[0].abs();
        // Reduced to at most tan(pi / 8) by the addition theorem of the tangent.
        let (far, middle) = (size.gt(1.0 + std::f64::consts::SQRT_2), size.gt(std::f64::consts::SQRT_2 - 1.0));
        let reduced = far.select(-size.reciprocal(), middle.select((&size - 1.0) / (&size + 1.0), &size));
        let start = far.select(FRAC_PI_2, middle.select(Expr::constant(FRAC_PI_4, size.ty()), 0.0));
        (start + &reduced * atan_ratio(&reduced.square())).copysign(&x[0])
    },
    derivative: |x, _, g| vec![Some(g / (x[0].square() + 1.0))],
};

/// `atan(sqrt(z)) / sqrt(z)` for `z` in `0..=tan(pi / 8)^2`.
fn atan_ratio(z: &Expr) -> Expr {
    chebyshev(&(z * (2.0 / 0.171_572_875_253_809_9) - 1.0), ATAN_RATIO)
}

/// The arc sine.
pub static ASIN: Function = Function {
    name: "asin",
    definition: |x| {
        let (far, angle) = half_angle(&x[0]);
        far.select(FRAC_PI_2 - &angle * 2.0, angle).copysign(&x[0])
    },
    derivative: |x, _, g| vec![Some(g / (1.0 - x[0].square()).sqrt())],
};

/// The arc cosine.
pub static ACOS: Function = Function {
    name: "acos",
    definition: |x| {
        let (far, angle) = half_angle(&x[0]);
        let end = x[0].lt(0.0).select(PI - &angle * 2.0, &angle * 2.0);
        far.select(end, FRAC_PI_2 - angle.copysign(&x[0]))
    },
    derivative: |x, _, g| vec![Some(-(g / (1.0 - x[0].square()).sqrt()))],
};

/// Whether `|x|` is above 1/2; and an angle: `asin(sqrt((1 - |x|) / 2)) = acos(|x|) / 2` if it is,
/// otherwise `asin(|x|)`.
fn half_angle(x: &Expr) -> (Expr, Expr) {
    let size = x.abs();
    let far = size.gt(0.5);
    let z = far.select((1.0 - &size) * 0.5, size.square());
    let ratio = chebyshev(&(&z * 8.0 - 1.0), ASIN_RATIO);
    let angle = far.select(z.sqrt(), &size) * ratio;
    (far, angle)
}

/// `sin(pi x) / (pi x)`, and 1 at 0.
pub static SINC: Function = Function {
    name: "sinc",
    definition: |x| {
        let angle = &x[0] * PI;
        x[0].equal(0.0).select(1.0, angle.sin() / angle)
    },
    derivative: |x, _, g| {
        let (angle, square) = (&x[0] * PI, x[0].square() * PI);
        let slope = (&angle * angle.cos() - angle.sin()) / &square;
        vec![Some(square.equal(0.0).select(0.0, g * slope))]
    },
};

/// `atan(sqrt(z)) / sqrt(z)` over `0..=tan(pi / 8)^2`.
const ATAN_RATIO: &[f64] = &[
    0.973_410_230_344_744_2,
    -0.025_952_720_482_648_35,
    0.000_618_952_974_923_690_3,
    -1.753_749_333_545_473e-05,
    5.405_768_595_016_133e-07,
    -1.751_958_884_581_583_2e-08,
    5.870_281_888_102_748e-10,
    -2.014_243_197_913_43e-11,
    7.035_532_200_059_104e-13,
    -2.491_686_527_572_419e-14,
    8.922_736_554_855_606e-16,
    -3.224_307_727_535_369e-17,
];

/// `asin(sqrt(z)) / sqrt(z)` over `0..=1/4`.
const ASIN_RATIO: &[f64] = &[
    1.022_848_134_107_007_5,
    0.023_566_968_676_718_47,
    0.000_749_095_667_597_524_6,
    3.172_549_626_519_965_5e-05,
    1.541_301_362_047_303e-06,
    8.116_454_907_676_226e-08,
    4.506_869_497_413_732e-09,
    2.598_292_285_109_612e-10,
    1.540_460_337_546_080_6e-11,
    9.332_888_621_847_676e-13,
    5.752_740_049_682_507e-14,
    3.596_207_311_161_418e-15,
    2.274_542_532_865_218e-16,
    1.452_886_914_376_298_3e-17,
];
