//! Special functions as expressions: inverse trigonometric, hyperbolic, error, gamma and Bessel
//! functions, rounded quotients, and limits.
//!
//! Each is defined once, in terms of functions that every backend has, and is accurate in float32
//! and in float64. Approximations are Chebyshev series. Each type uses the terms that exceed its
//! precision. The coefficients were computed for these functions and ranges with 50 digits.
//!
//! Rejected: minimax polynomials, one for each precision. They save one or two terms of ten, and
//! need a second table for float64.

mod bessel;
mod clamp;
mod division;
mod error_function;
mod gamma;
mod hyperbolic;
mod incomplete;
mod logarithm;
mod plane;
mod trigonometric;

pub use bessel::{I0, I0E, I1, I1E};
pub use clamp::{AT_LEAST, CLAMP, CLAMP_MAX, CLAMP_MIN, WITHOUT_NAN};
pub use division::{FLOOR_DIVIDE, FMOD, TRUNC_DIVIDE};
pub use error_function::{ERFC, ERFCX, ERFINV, LOG_NDTR};
pub use gamma::{DIGAMMA, LGAMMA, polygamma};
pub use hyperbolic::{ACOSH, ASINH, ATANH, COSH, SINH};
pub use incomplete::{BETA_GRAD, BETA_TAIL, GAMMA_GRAD, GAMMAINC, GAMMAINCC};
pub use logarithm::{BINARY_CROSS_ENTROPY, ENTR, INVERSE_ROOT, LOGADDEXP, LOGADDEXP2, LOGIT, XLOG1PY, XLOGY};
pub use plane::{ATAN2, HYPOT};
pub use trigonometric::{ACOS, ASIN, ATAN, SINC, TAN};

use crate::expr::{Expr, Type};

/// `sum of coefficients[k] * T_k(t)` for `t` in `-1..=1`, by Clenshaw's recurrence. Trailing terms
/// below the precision of `t`'s type are left out.
fn chebyshev(t: &Expr, coefficients: &[f64]) -> Expr {
    let largest = coefficients.iter().fold(0.0f64, |largest, c| largest.max(c.abs()));
    let shown = if t.ty() == Type::F64 { 0.0 } else { largest * 2f64.powi(-26) };
    let count = coefficients.iter().rposition(|c| c.abs() > shown).map_or(0, |last| last + 1);
    let twice = t * 2.0;
    let zero = Expr::constant(0.0, t.ty());
    let (sum, before) = coefficients[1..count].iter().rev().fold((zero.clone(), zero), |(sum, before), &c| {
        let next = (&twice * &sum).simplify() - before + c;
        (next, sum)
    });
    t * sum - before + coefficients[0]
}

/// `sum of coefficients[k] * x^k`, by Horner's rule.
fn polynomial(x: &Expr, coefficients: &[f64]) -> Expr {
    let (last, rest) = coefficients.split_last().expect("a polynomial has a coefficient");
    rest.iter().rev().fold(Expr::constant(*last, x.ty()), |sum, &c| sum * x + c)
}

/// NaN in the type of `x`.
fn nan(x: &Expr) -> Expr {
    Expr::constant(f64::NAN, x.ty())
}

/// Whether `x` is infinite.
fn is_infinite(x: &Expr) -> Expr {
    x.abs().equal(f64::INFINITY)
}
