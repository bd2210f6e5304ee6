//! Quotients of floats rounded to integers, and the remainder of C's `fmod`.
//!
//! A rounded quotient is computed from the exact remainder, as in Python and PyTorch, because
//! `floor(x / y)` alone could round to the next integer. Infinities and signed zeros have PyTorch's
//! results.

use crate::expr::{Expr, Function};

/// `floor(x / y)`.
pub static FLOOR_DIVIDE: Function = Function {
    name: "floor_divide",
    definition: |operands| {
        let (x, y) = (&operands[0], &operands[1]);
        let rest = FMOD.call(&[x, y]);
        let truncated = (x - &rest) / y;
        // The truncated quotient is one too large if there is a remainder and the signs differ.
        let crossed = rest.not_equal(0.0).and(rest.lt(0.0).not_equal(y.lt(0.0)));
        let quotient = crossed.select(&truncated - 1.0, &truncated).round();
        // A zero takes the sign of the exact quotient.
        let signed = quotient.equal(0.0).select(quotient.copysign(x / y), &quotient);
        y.equal(0.0).select(x / y, signed)
    },
    derivative: flat,
};

/// `trunc(x / y)`.
pub static TRUNC_DIVIDE: Function =
    Function { name: "trunc_divide", definition: |operands| (&operands[0] / &operands[1]).trunc(), derivative: flat };

/// `x - y * trunc(x / y)`, which has the sign of `x`. It is computed from magnitudes, whose
/// remainder does not depend on a sign.
pub static FMOD: Function = Function {
    name: "fmod",
    definition: |operands| operands[0].abs().remainder(operands[1].abs()).copysign(&operands[0]),
    derivative: |operands, _, g| {
        let quotient = TRUNC_DIVIDE.call(&[&operands[0], &operands[1]]);
        vec![Some(g.clone()), Some(-(g * quotient))]
    },
};

/// The derivative of a step function: 0, even if the quotient is not finite.
fn flat(_: &[Expr], _: &Expr, g: &Expr) -> Vec<Option<Expr>> {
    vec![Some(Expr::constant(0.0, g.ty())); 2]
}
