//! The hyperbolic functions and their inverses.

use super::nan;
use crate::expr::Function;
use std::f64::consts::LN_2;

/// From this argument on, `x^2 + 1` rounds to `x^2`.
const FAR: f64 = 1e9;

/// The hyperbolic sine.
pub static SINH: Function = Function {
    name: "sinh",
    definition: |x| {
        let size = x[0].abs();
        let grown = size.expm1();
        // In two factors, so that it does not overflow before the result does.
        let root = (&size * 0.5).exp();
        let near = (&grown + &grown / (&grown + 1.0)) * 0.5;
        let far = &root * 0.5 * &root - 0.5 / root.square();
        size.lt(1.0).select(near, far).copysign(&x[0])
    },
    derivative: |x, _, g| vec![Some(g * COSH.call(&[&x[0]]))],
};

/// The hyperbolic cosine.
pub static COSH: Function = Function {
    name: "cosh",
    definition: |x| {
        let root = (x[0].abs() * 0.5).exp();
        &root * 0.5 * &root + 0.5 / root.square()
    },
    derivative: |x, _, g| vec![Some(g * SINH.call(&[&x[0]]))],
};

/// The inverse hyperbolic sine.
pub static ASINH: Function = Function {
    name: "asinh",
    definition: |x| {
        let size = x[0].abs();
        let near = (&size + size.square() / ((size.square() + 1.0).sqrt() + 1.0)).log1p();
        size.gt(FAR).select(size.log() + LN_2, near).copysign(&x[0])
    },
    derivative: |x, _, g| vec![Some(g / (x[0].square() + 1.0).sqrt())],
};

/// The inverse hyperbolic cosine; NaN below 1.
pub static ACOSH: Function = Function {
    name: "acosh",
    definition: |x| {
        let beyond = &x[0] - 1.0;
        let near = (&beyond + (&beyond * (&beyond + 2.0)).sqrt()).log1p();
        let far = x[0].gt(FAR).select(x[0].log() + LN_2, near);
        x[0].lt(1.0).select(nan(&x[0]), far)
    },
    derivative: |x, _, g| vec![Some(g / (x[0].square() - 1.0).sqrt())],
};

/// The inverse hyperbolic tangent; NaN outside `-1..=1`.
pub static ATANH: Function = Function {
    name: "atanh",
    definition: |x| {
        let size = x[0].abs();
        ((&size * 2.0 / (1.0 - &size)).log1p() * 0.5).copysign(&x[0])
    },
    derivative: |x, _, g| vec![Some(g / (1.0 - x[0].square()))],
};
