//! Limits, with PyTorch's derivatives, which differ between limits that are numbers and limits that
//! are tensors. NaN in any argument returns NaN.

use crate::expr::{Expr, Function};

/// `max(x, low)`. The gradient goes to `x` if it is greater than `low`, otherwise to `low`. If `x`
/// is NaN, it gets none.
pub static CLAMP_MIN: Function = Function {
    name: "clamp_min",
    definition: |x| x[0].max(&x[1]),
    derivative: |x, _, g| vec![Some(x[0].gt(&x[1]).select(g, 0.0)), Some(x[0].le(&x[1]).select(g, 0.0))],
};

/// `min(x, high)`. The gradient goes to `x` if it is less than `high`, otherwise to `high`. If `x`
/// is NaN, it gets none.
pub static CLAMP_MAX: Function = Function {
    name: "clamp_max",
    definition: |x| x[0].min(&x[1]),
    derivative: |x, _, g| vec![Some(x[0].lt(&x[1]).select(g, 0.0)), Some(x[0].ge(&x[1]).select(g, 0.0))],
};

/// `min(max(x, low), high)`. The gradient is shared if `x` equals a limit, and goes to `high` if
/// `high` is less than `low`. If `x` is NaN, it gets its gradient.
pub static CLAMP: Function = Function {
    name: "clamp",
    definition: |x| x[0].max(&x[1]).min(&x[2]),
    derivative: |x, _, g| {
        let (x, low, high) = (&x[0], &x[1], &x[2]);
        let (ordered, crossed) = (low.lt(high), low.gt(high));
        let half = |tie: Expr, otherwise: &Expr| ordered.and(tie).select(g * 0.5, otherwise);
        let none = Expr::constant(0.0, g.ty());
        let of_x = x.lt(low).or(x.gt(high)).select(&none, half(x.equal(low).or(x.equal(high)), g));
        let of_low = x.lt(low).and(low.le(high)).select(g, half(x.equal(low), &none));
        let of_high = crossed.or(x.gt(high).and(low.le(high))).select(g, half(x.equal(high), &none));
        vec![Some(of_x), Some(of_low), Some(of_high)]
    },
};

/// `x`, but at least the second argument; NaN stays NaN. The derivative by `x` is 1 everywhere,
/// as for a limit that PyTorch sets on detached data.
pub static AT_LEAST: Function =
    Function { name: "at_least", definition: |x| x[0].max(&x[1]), derivative: |_, _, g| vec![Some(g.clone()), None] };

/// `x`, but 0 for NaN. The derivative is a factor of 1, or 0 for NaN.
pub static WITHOUT_NAN: Function = Function {
    name: "without_nan",
    definition: |x| x[0].is_nan().select(0.0, &x[0]),
    derivative: |x, _, g| vec![Some(g * x[0].is_nan().select(Expr::constant(0.0, g.ty()), 1.0))],
};
