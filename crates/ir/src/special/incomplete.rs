//! Incomplete gamma and beta integrals: the regularized incomplete gamma function, and the
//! derivatives of gamma and beta samples with respect to their parameters.
//!
//! Each is an integral from the argument to the end of the density's support on the side of the
//! smaller tail. In the logarithm of the distance to that end the integrand decreases like an
//! exponential, whose exponent is concave, so Gauss's quadrature with a fixed number of points is
//! accurate for all parameters: 20 points in float32 and 32 in float64. The quadrature is of the
//! cube root of the variable, so that points are close to each other at its start.
//!
//! Rejected: the power series, continued fractions and uniform expansions of Temme, of which an
//! expression would compute all for every element, and none has a derivative with respect to the
//! first parameter.

use super::{DIGAMMA, LGAMMA, nan};
use crate::expr::{Expr, Function, Type};
use std::f64::consts::PI;

/// The points and weights of Gauss's quadrature from 0 to 1, by Newton's method at the zeros of
/// Legendre's polynomial (DLMF 3.5.15, 18.9.1).
fn legendre(count: usize) -> Vec<(f64, f64)> {
    let evaluate = |t: f64| {
        let (mut before, mut value) = (1.0, t);
        for k in 2..=count {
            let k = k as f64;
            (before, value) = (value, ((2.0 * k - 1.0) * t * value - (k - 1.0) * before) / k);
        }
        let slope = count as f64 * (t * value - before) / (t * t - 1.0);
        (value, slope)
    };
    (0..count)
        .map(|i| {
            let mut t = (PI * (i as f64 + 0.75) / (count as f64 + 0.5)).cos();
            for _ in 0..6 {
                let (value, slope) = evaluate(t);
                t -= value / slope;
            }
            let (_, slope) = evaluate(t);
            ((1.0 - t) / 2.0, 1.0 / ((1.0 - t * t) * slope * slope))
        })
        .collect()
}

/// The number of points, and the exponent at which the integrand is negligible.
fn precision(ty: Type) -> (usize, f64) {
    if ty == Type::F64 { (32, 36.0) } else { (20, 18.0) }
}

/// The sum of `integrand(s)` over the points of the quadrature from 0 to `end`; the integrand
/// returns the summands of several integrals.
fn integrate<const N: usize>(end: &Expr, integrand: impl Fn(&Expr) -> [Expr; N]) -> [Expr; N] {
    let zero = Expr::constant(0.0, end.ty());
    let mut sums: [Expr; N] = std::array::from_fn(|_| zero.clone());
    for (point, weight) in legendre(precision(end.ty()).0) {
        let values = integrand(&(end * point.powi(3)));
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum = &*sum + value * (3.0 * weight * point * point);
        }
    }
    sums.map(|sum| sum * end)
}

/// The smallest `s` at which `slope s + curvature s^2 / 2` is the negligible exponent.
fn quadratic_end(slope: &Expr, curvature: &Expr) -> Expr {
    let negligible = precision(slope.ty()).1;
    let root = (slope.square() + curvature * (2.0 * negligible)).sqrt();
    Expr::constant(2.0 * negligible, slope.ty()) / (slope + root)
}

/// `exp(m) - 1 - m`, without cancellation where `m` is small.
fn expm1_less(m: &Expr) -> Expr {
    let terms = if m.ty() == Type::F64 { 12 } else { 6 };
    let mut series = Expr::constant(1.0, m.ty());
    for k in (3..=terms + 2).rev() {
        series = &series * m * (1.0 / f64::from(k)) + 1.0;
    }
    m.abs().lt(0.25).select(m.square() * series * 0.5, m.expm1() - m)
}

/// `log(1 + e) - e`, without cancellation where `e` is small: with `t = e / (2 + e)` the logarithm
/// is `2 artanh(t)`, and `2 t - e` is `-t e` (DLMF 4.37.24).
fn log1p_less(e: &Expr) -> Expr {
    let terms = if e.ty() == Type::F64 { 11 } else { 5 };
    let t = e / (e + 2.0);
    let square = t.square();
    let mut series = Expr::constant(0.0, e.ty());
    for k in (0..=terms).rev() {
        series = &series * &square + 1.0 / f64::from(2 * k + 3);
    }
    e.abs().lt(0.4).select(&square * &t * series * 2.0 - &t * e, e.log1p() - e)
}

/// The integrals of the gamma density of shape `a` from `x` to the nearer end, divided by the
/// density at `x` and by `x`: of 1, and of the absolute logarithm of the quotient with `x`. First,
/// whether that end is 0.
fn gamma_integrals(a: &Expr, x: &Expr) -> (Expr, [Expr; 2]) {
    let negligible = precision(a.ty()).1;
    let is_low = x.lt(a);
    let distance = (a - x).abs();
    let quadratic = quadratic_end(&distance, x);
    let wide = &quadratic * 1.3;
    let low_end = wide.gt(1.0).select(f64::INFINITY, &wide).min((x + negligible) / a);
    let ratio = Expr::constant(negligible, a.ty()) / x;
    let high_end = quadratic.min((&ratio + (&ratio * 2.0).sqrt()).log1p());
    let end = is_low.select(low_end, high_end);
    let integrals = integrate(&end, |s| {
        let moved = is_low.select(-s, s);
        let exponent = -(&distance * s) - x * expm1_less(&moved);
        let value = exponent.exp();
        [value.clone(), value * s]
    });
    (is_low, integrals)
}

/// `x^a exp(-x) / Gamma(a)`; from `a = 8` by Stirling's series, whose exponent does not cancel.
fn gamma_factor(a: &Expr, x: &Expr) -> Expr {
    let near = (x.log() * a - x - LGAMMA.call(&[a])).exp();
    let excess = (x - a) / a;
    let inverse = a.reciprocal();
    let series = &inverse * (1.0 / 12.0) - inverse.square() * &inverse * (1.0 / 360.0);
    let far = (a * (1.0 / (2.0 * PI))).sqrt() * (log1p_less(&excess) * a - series).exp();
    a.lt(8.0).select(near, far)
}

/// The regularized incomplete gamma functions, or only one of them by `is_upper`.
fn incomplete(arguments: &[Expr], is_upper: bool) -> Expr {
    let (a, x) = (&arguments[0], &arguments[1]);
    let (is_low, [integral, _]) = gamma_integrals(a, x);
    let tail = gamma_factor(a, x) * integral;
    let (at_zero, at_infinity) = if is_upper { (1.0, 0.0) } else { (0.0, 1.0) };
    let value = if is_upper { is_low.select(1.0 - &tail, tail) } else { is_low.select(tail.clone(), 1.0 - &tail) };
    // The order of the cases is PyTorch's: one infinite argument decides even beside NaN.
    let is_invalid = x.is_nan().or(a.is_nan());
    let inside = x.equal(f64::INFINITY).select(at_infinity, is_invalid.select(nan(x), value));
    let steep = x.equal(f64::INFINITY).select(nan(x), at_zero);
    let inside = x.equal(0.0).select(at_zero, a.equal(f64::INFINITY).select(steep, inside));
    let degenerate = x.gt(0.0).select(at_infinity, nan(x));
    let is_outside = x.lt(0.0).or(a.lt(0.0));
    is_outside.select(nan(x), a.equal(0.0).select(degenerate, inside))
}

/// The derivatives of [`GAMMAINC`]: with respect to the argument, the density of the gamma
/// distribution.
fn incomplete_derivative(arguments: &[Expr], adjoint: &Expr) -> Vec<Option<Expr>> {
    let (a, x) = (&arguments[0], &arguments[1]);
    vec![None, Some(adjoint * gamma_factor(a, x) / x)]
}

/// The regularized lower incomplete gamma function of shape `a`, the first argument, at `x`.
///
/// Source: DLMF 8.2.4, with the integral DLMF 8.2.1.
pub static GAMMAINC: Function = Function {
    name: "gammainc",
    definition: |arguments| incomplete(arguments, false),
    derivative: |arguments, _, g| incomplete_derivative(arguments, g),
};

/// The regularized upper incomplete gamma function.
pub static GAMMAINCC: Function = Function {
    name: "gammaincc",
    definition: |arguments| incomplete(arguments, true),
    derivative: |arguments, _, g| incomplete_derivative(arguments, &-g),
};

/// The derivative of a sample `x`, the second argument, of the gamma distribution with respect to
/// its shape `a`, at a fixed probability: `-(dP / da) / (dP / dx)`.
///
/// Source: Figurnov, Mohamed and Mnih, "Implicit Reparameterization Gradients" (2018), equation 4.
pub static GAMMA_GRAD: Function = Function {
    name: "gamma_grad",
    definition: |arguments| {
        let (a, x) = (&arguments[0], &arguments[1]);
        let (is_low, [integral, logarithm]) = gamma_integrals(a, x);
        let centered = (x.log() - DIGAMMA.call(&[a])) * integral;
        let value = is_low.select(&logarithm - &centered, &centered + &logarithm) * x;
        x.equal(0.0).select(0.0, value)
    },
    derivative: |_, _, _| vec![None, None],
};

/// A point of the quadrature of the beta density: the density times the distance to the end, as a
/// quotient with those at `x`, and the logarithm of the point.
struct BetaPoint {
    weight: Expr,
    log: Expr,
}

/// The integral of the beta density from `x` to the end of the smaller tail, with values at the
/// points, divided by the density at `x` and by the distance of `x` to that end.
fn beta_integral(x: &Expr, a: &Expr, total: &Expr, value: impl Fn(&BetaPoint) -> Expr) -> Expr {
    let negligible = precision(x.ty()).1;
    let b = total - a;
    let is_low = is_low_tail(x, a, total);
    // The concentration on the side of the smaller tail, the other one, and the distances to both
    // ends.
    let (near, far) = (is_low.select(a, &b), is_low.select(&b, a));
    let rest = 1.0 - x;
    let (y, z) = (is_low.select(x, &rest), is_low.select(&rest, x));
    let growth = (&far - 1.0).max(0.0);
    let slope = (&near - (&near + &far - 1.0) * &y) / &z;
    let quadratic = quadratic_end(&slope, &(&growth * &y / z.square())) * 1.3;
    let general = (negligible - &growth * z.log()) / &near;
    let end = quadratic.le(&z).select(quadratic.min(&general), &general);
    let log = x.log();
    let [sum] = integrate(&end, |s| {
        let decay = -(-s).expm1();
        let weight = ((&y * &decay / &z).log1p() * (&far - 1.0) - &near * s).exp();
        let log = is_low.select(&log - s, (-(&y * (1.0 - &decay))).log1p());
        let at = BetaPoint { weight, log };
        [&at.weight * value(&at)]
    });
    sum
}

/// Whether 0 is the end of the smaller tail: `x` is below the mean.
fn is_low_tail(x: &Expr, a: &Expr, total: &Expr) -> Expr {
    (x * total).lt(a)
}

/// The probability of the smaller tail of the beta distribution at `x`, the first argument, divided
/// by the density at `x` and by the distance of `x` to the tail's end. The other arguments are the
/// concentration on the side of 1 and the sum of both.
pub static BETA_TAIL: Function = Function {
    name: "beta_tail",
    definition: |arguments| {
        let (x, a, total) = (&arguments[0], &arguments[1], &arguments[2]);
        beta_integral(x, a, total, |point| Expr::constant(1.0, point.log.ty()))
    },
    derivative: |_, _, _| vec![None, None, None],
};

/// The derivative of a sample `x`, the first argument, of the beta distribution with respect to its
/// first concentration, divided by `1 - x`. The other arguments are that concentration and the sum
/// of both.
///
/// Source: Figurnov, Mohamed and Mnih, "Implicit Reparameterization Gradients" (2018), equation 4.
pub static BETA_GRAD: Function = Function {
    name: "beta_grad",
    definition: |arguments| {
        let (x, a, total) = (&arguments[0], &arguments[1], &arguments[2]);
        let mean = DIGAMMA.call(&[a]) - DIGAMMA.call(&[total]);
        let sum = beta_integral(x, a, total, |point| &point.log - &mean);
        is_low_tail(x, a, total).select(-(&sum * x) / (1.0 - x), &sum)
    },
    derivative: |_, _, _| vec![None, None, None],
};
