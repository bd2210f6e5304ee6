//! The logarithm of the gamma function and its derivatives.

use super::{chebyshev, is_infinite, nan, polynomial};
use crate::expr::{Constant, Expr, Function, Node, Type};
use std::f64::consts::PI;

/// The Bernoulli numbers B2, B4, ..., coefficients of the asymptotic series.
const BERNOULLI: [f64; 10] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
    -174_611.0 / 330.0,
];

/// The argument from which the asymptotic series are accurate, and the number of terms they take
/// there.
fn asymptotic(ty: Type) -> (u32, usize) {
    if ty == Type::F64 { (9, 10) } else { (6, 4) }
}

/// `pi` times the distance to the nearest integer: the reduced argument of `sin(pi x)`.
fn reflected_angle(x: &Expr) -> Expr {
    (x - x.round()) * PI
}

/// The logarithm of the absolute value of the gamma function.
pub static LGAMMA: Function = Function {
    name: "lgamma",
    definition: |x| {
        let z = x[0].abs();
        let (near_end, terms) = (3.0, asymptotic(z.ty()).1);
        // Near the zeros at 1 and 2: (y - 1) (y - 2) times a series for y in 1..=2, from which z is
        // at most one recurrence step away.
        let (below, above) = (z.lt(1.0), z.gt(2.0));
        let y = below.select(&z + 1.0, above.select(&z - 1.0, &z));
        let series = (&y - 1.0) * (&y - 2.0) * chebyshev(&(&y * 2.0 - 3.0), LGAMMA_RATIO);
        let step = below.select(&z, above.select(&y, 1.0)).log();
        let near = series + below.select(-&step, step);
        // Stirling's series; in float64 after six recurrence steps.
        let steps = if z.ty() == Type::F64 { 6 } else { 0 };
        let short = z.lt(9.0);
        let w = if steps > 0 { short.select(&z + f64::from(steps), &z) } else { z.clone() };
        let coefficients: Vec<f64> = (0..terms).map(|k| BERNOULLI[k] / ((2 * k + 1) * (2 * k + 2)) as f64).collect();
        let mut far = (&w - 0.5) * (w.log() - 1.0) + polynomial(&w.square().reciprocal(), &coefficients) / &w;
        far = far + (0.5 * (2.0 * PI).ln() - 0.5);
        if steps > 0 {
            let product = (1..steps).fold(z.clone(), |product, k| product * (&z + f64::from(k)));
            far = far - short.select(product, 1.0).log();
        }
        let positive = z.lt(near_end).select(near, far);
        // Gamma(x) Gamma(-x) = -pi / (x sin(pi x))
        let sine = reflected_angle(&z).sin().abs();
        let negative = PI.ln() - sine.log() - z.log() - &positive;
        let pole = is_infinite(&z).or(x[0].lt(0.0).and(sine.equal(0.0)));
        pole.select(f64::INFINITY, x[0].lt(0.0).select(negative, positive))
    },
    derivative: |x, _, g| vec![Some(g * DIGAMMA.call(&[&x[0]]))],
};

/// The derivative of [`LGAMMA`].
pub static DIGAMMA: Function = Function {
    name: "digamma",
    definition: |x| {
        let x = &x[0];
        let negative = x.lt(0.0);
        let z = negative.select(1.0 - x, x);
        let (enough, terms) = asymptotic(z.ty());
        // psi(z) = psi(z + n) - 1/z - 1/(z + 1) - ... - 1/(z + n - 1)
        let short = z.lt(f64::from(enough));
        let w = short.select(&z + f64::from(enough), &z);
        let steps = (1..enough).fold(z.reciprocal(), |sum, k| sum + (&z + f64::from(k)).reciprocal());
        let coefficients: Vec<f64> = (0..terms).map(|k| BERNOULLI[k] / (2 * k + 2) as f64).collect();
        let inverse = w.square().reciprocal();
        let far = w.log() - 0.5 / &w - polynomial(&inverse, &coefficients) * &inverse;
        let positive = far - short.select(steps, 0.0);
        // psi(x) = psi(1 - x) - pi / tan(pi x)
        let angle = reflected_angle(x);
        let value = negative.select(&positive - angle.cos() / angle.sin() * PI, &positive);
        let pole = negative.and(x.floor().equal(x));
        let at_zero = Expr::constant(f64::INFINITY, x.ty()).copysign(-x);
        x.equal(0.0).select(at_zero, pole.select(nan(x), value))
    },
    derivative: |x, _, g| vec![Some(g * polygamma(1, &x[0]))],
};

/// The derivative of order `n` of [`DIGAMMA`].
pub fn polygamma(n: u32, x: &Expr) -> Expr {
    if n == 0 {
        return DIGAMMA.call(&[x]);
    }
    // (-1)^n psi_n(1 - x) - psi_n(x) is the n-th derivative of pi cot(pi x), which is pi^(n + 1)
    // times a polynomial in the cotangent: the derivative of cot(pi x)^k is -pi k (cot^(k - 1) +
    // cot^(k + 1)).
    let mut reflected = vec![0.0, 1.0];
    for _ in 0..n {
        let mut next = vec![0.0; reflected.len() + 1];
        for (k, coefficient) in reflected.iter().enumerate().skip(1) {
            next[k - 1] -= k as f64 * coefficient;
            next[k + 1] -= k as f64 * coefficient;
        }
        reflected = next;
    }
    let low = x.lt(0.5);
    let angle = low.select(reflected_angle(x), 1.0);
    let reflection = polynomial(&(angle.cos() / angle.sin()), &reflected) * PI.powi(n as i32 + 1);
    let sign = if n.is_multiple_of(2) { -1.0 } else { 1.0 };
    let factorial: f64 = (1..=n).map(f64::from).product();
    let zeta = ZETA.call(&[&low.select(1.0 - x, x), &Expr::constant(f64::from(n) + 1.0, x.ty())]) * factorial;
    low.select(-reflection - &zeta, &zeta * sign)
}

/// The Hurwitz zeta function, `sum over k of 1 / (q + k)^s`, for `q >= 1/2` (the first argument)
/// and a constant integer `s >= 2`, by the Euler-Maclaurin formula.
static ZETA: Function = Function {
    name: "zeta",
    definition: |arguments| {
        let (q, s) = (&arguments[0], exponent(&arguments[1]));
        let (steps, terms) = asymptotic(q.ty());
        let power_of = |base: &Expr, s: f64| match s {
            1.0 => base.clone(),
            2.0 => base.square(),
            3.0 => base.square() * base,
            _ => base.pow(s),
        };
        let power = |base: &Expr| power_of(base, s);
        let direct = (1..steps).fold(power(&q.reciprocal()), |sum, k| sum + power(&(q + f64::from(k)).reciprocal()));
        let inverse = (q + f64::from(steps)).reciprocal();
        // w^-s (w / (s - 1) + 1/2 + sum of B2k / (2k)! s (s + 1) .. (s + 2k - 2) w^(1 - 2k))
        let mut factor = 1.0;
        let coefficients: Vec<f64> = (0..terms)
            .map(|k| {
                let order = (2 * k) as f64;
                factor *= if k == 0 { s } else { (s + order - 1.0) * (s + order) };
                factor /= (order + 1.0) * (order + 2.0);
                BERNOULLI[k] * factor
            })
            .collect();
        let tail = 0.5 + polynomial(&inverse.square(), &coefficients) * &inverse;
        let leading = power_of(&inverse, s - 1.0) * (1.0 / (s - 1.0));
        direct + leading + power(&inverse) * tail
    },
    derivative: |arguments, _, g| {
        let s = exponent(&arguments[1]);
        let next = ZETA.call(&[&arguments[0], &Expr::constant(s + 1.0, g.ty())]);
        vec![Some(g * (next * -s)), None]
    },
};

/// The value of a constant exponent.
fn exponent(s: &Expr) -> f64 {
    match s.node() {
        Node::Constant(constant @ (Constant::F32(_) | Constant::F64(_))) => constant.to_f64(),
        _ => f64::NAN,
    }
}

/// `lgamma(y) / ((y - 1) (y - 2))` over 1..=2.
const LGAMMA_RATIO: &[f64] = &[
    0.491_415_393_029_387_14,
    -0.076_114_161_670_435_85,
    0.008_432_324_965_932_778,
    -0.001_079_493_726_328_608,
    0.000_149_007_480_036_929_63,
    -2.151_239_988_855_678_4e-05,
    3.197_932_986_086_218_6e-06,
    -4.851_693_012_139_927e-07,
    7.471_487_821_163_16e-08,
    -1.163_829_670_017_051_8e-08,
    1.829_400_437_118_668e-09,
    -2.896_918_060_712_960_7e-10,
    4.615_701_406_209_09e-11,
    -7.392_810_230_497_983e-12,
    1.189_428_000_833_308_5e-12,
    -1.921_206_867_652_280_5e-13,
    3.113_975_526_387_164e-14,
    -5.062_843_298_448_611_4e-15,
    8.254_150_281_631_144e-16,
    -1.349_057_898_757_484_4e-16,
    2.209_876_116_782_623e-17,
];
