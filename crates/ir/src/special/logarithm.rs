//! Logarithms of sums of exponentials, products with a logarithm, and the logit.

use super::{is_infinite, nan};
use crate::expr::{Expr, Function};
use std::f64::consts::LN_2;

/// `2^x`.
fn exp2(x: &Expr) -> Expr {
    Expr::constant(2.0, x.ty()).pow(x)
}

/// `log(1 + exponential(-|a - b|))`, the amount by which the result exceeds the larger argument; 0
/// for two equal infinities.
fn excess(a: &Expr, b: &Expr, exponential: impl Fn(&Expr) -> Expr) -> Expr {
    let rest = exponential(&-(a - b).abs()).log1p();
    a.equal(b).and(is_infinite(a)).select(0.0, rest)
}

/// `log(exp(a) + exp(b))`.
pub static LOGADDEXP: Function = Function {
    name: "logaddexp",
    definition: |x| x[0].max(&x[1]) + excess(&x[0], &x[1], Expr::exp),
    derivative: |x, _, g| {
        let share = |mine: &Expr, other: &Expr| Some(g / ((other - mine).exp() + 1.0));
        vec![share(&x[0], &x[1]), share(&x[1], &x[0])]
    },
};

/// `log2(2^a + 2^b)`.
pub static LOGADDEXP2: Function = Function {
    name: "logaddexp2",
    definition: |x| x[0].max(&x[1]) + excess(&x[0], &x[1], exp2) * (1.0 / LN_2),
    derivative: |x, _, g| {
        let share = |mine: &Expr, other: &Expr| Some(g / (exp2(&(other - mine)) + 1.0));
        vec![share(&x[0], &x[1]), share(&x[1], &x[0])]
    },
};

/// `x * logarithm`, which is 0 for `x` of 0 even if the logarithm is infinite, and NaN if `y` is.
fn product(x: &Expr, y: &Expr, logarithm: Expr) -> Expr {
    y.is_nan().select(y, x.equal(0.0).select(0.0, x * logarithm))
}

/// `x * log(y)`; 0 if `x` is 0.
pub static XLOGY: Function = Function {
    name: "xlogy",
    definition: |x| product(&x[0], &x[1], x[1].log()),
    derivative: |x, _, g| {
        let flat = x[0].equal(0.0).and(x[1].le(0.0));
        vec![Some(flat.select(0.0, g * x[1].log())), Some(g * &x[0] / &x[1])]
    },
};

/// `x * log(1 + y)`; 0 if `x` is 0.
pub static XLOG1PY: Function = Function {
    name: "xlog1py",
    definition: |x| product(&x[0], &x[1], x[1].log1p()),
    derivative: |x, _, g| {
        let flat = x[0].equal(0.0).and(x[1].le(-1.0));
        vec![Some(flat.select(0.0, g * x[1].log1p())), Some(g * &x[0] / (&x[1] + 1.0))]
    },
};

/// `-x * log(x)`; 0 at 0, and negative infinity below.
pub static ENTR: Function = Function {
    name: "entr",
    definition: |x| {
        let x = &x[0];
        let low = x.equal(0.0).select(Expr::constant(0.0, x.ty()), f64::NEG_INFINITY);
        x.gt(0.0).or(x.is_nan()).select(-x * x.log(), low)
    },
    derivative: |x, _, g| vec![Some(g * (-x[0].log() - 1.0))],
};

/// `log(x / (1 - x))`.
pub static LOGIT: Function = Function {
    name: "logit",
    definition: |x| (&x[0] / (1.0 - &x[0])).log(),
    derivative: |x, _, g| {
        let outside = x[0].lt(0.0).or(x[0].gt(1.0));
        // The slope at -0 is that at 0.
        vec![Some(outside.select(nan(g), g / (&x[0] * (1.0 - &x[0])).abs()))]
    },
};

/// The binary cross entropy of a probability `x` and a target `y`, with logarithms of at least
/// -100. The divisor of its derivative is at least 1e-12, as PyTorch's is.
pub static BINARY_CROSS_ENTROPY: Function = Function {
    name: "binary_cross_entropy",
    definition: |x| {
        let limited = |log: Expr| log.lt(-100.0).select(-100.0, log);
        (&x[1] - 1.0) * limited((-&x[0]).log1p()) - &x[1] * limited(x[0].log())
    },
    derivative: |x, _, g| {
        let spread = ((1.0 - &x[0]) * &x[0]).max(1e-12);
        // The logarithms of the target's derivative have no limit in PyTorch.
        vec![Some(g * (&x[0] - &x[1]) / spread), Some(g * ((-&x[0]).log1p() - x[0].log()))]
    },
};

/// `1 / sqrt(x)`, with the derivative of the power of -1/2, which has no sign at 0.
pub static INVERSE_ROOT: Function = Function {
    name: "inverse_root",
    definition: |x| x[0].sqrt().reciprocal(),
    derivative: |x, _, g| {
        let exponent = Expr::constant(-1.5, x[0].ty());
        vec![Some(g * (x[0].pow(exponent) * -0.5))]
    },
};
