//! Functions of the language that are no single formula of the table: those whose operation checks
//! its arguments, or has a name that means something else of a tensor (`min`).

use lanthorn_ir::{expr::Expr, special};

/// The numbers that a function takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Domain {
    /// Any.
    Numbers,
    /// Floating-point numbers, which whole ones become.
    Floats,
    /// Whole numbers alone.
    Whole,
}

/// The expression of a function's value, from the expressions of its arguments, which have one type
/// and the function's number.
pub(super) type Build = fn(&[Expr]) -> Expr;

pub(super) struct Function {
    pub name: &'static str,
    /// The fewest and the most arguments.
    pub takes: (usize, usize),
    pub domain: Domain,
    pub build: Build,
}

const fn function(name: &'static str, takes: (usize, usize), domain: Domain, build: Build) -> Function {
    Function { name, takes, domain, build }
}

use Domain::{Floats, Numbers, Whole};

pub(super) const FUNCTIONS: &[Function] = &[
    function("min", (2, 8), Numbers, |x| fold(x, |a, b| a.min(b))),
    function("max", (2, 8), Numbers, |x| fold(x, |a, b| a.max(b))),
    function("clamp", (3, 3), Numbers, |x| {
        special::CLAMP_MAX.call(&[&special::CLAMP_MIN.call(&[&x[0], &x[1]]), &x[2]])
    }),
    function("clamp_min", (2, 2), Numbers, |x| special::CLAMP_MIN.call(&[&x[0], &x[1]])),
    function("clamp_max", (2, 2), Numbers, |x| special::CLAMP_MAX.call(&[&x[0], &x[1]])),
    function("square", (1, 1), Numbers, |x| x[0].square()),
    function("round", (1, 1), Numbers, |x| if x[0].ty().is_float() { x[0].round() } else { x[0].clone() }),
    function("frac", (1, 1), Floats, |x| &x[0] - x[0].trunc()),
    function("fmod", (2, 2), Floats, |x| special::FMOD.call(&[&x[0], &x[1]])),
    function("gelu", (1, 1), Floats, |x| &x[0] * 0.5 * (1.0 + (&x[0] * std::f64::consts::FRAC_1_SQRT_2).erf())),
    function("hypot", (2, 2), Floats, |x| special::HYPOT.call(&[&x[0], &x[1]])),
    function("logaddexp", (2, 2), Floats, |x| special::LOGADDEXP.call(&[&x[0], &x[1]])),
    function("logaddexp2", (2, 2), Floats, |x| special::LOGADDEXP2.call(&[&x[0], &x[1]])),
    function("nextafter", (2, 2), Floats, |x| x[0].next_after(&x[1])),
    function("gcd", (2, 2), Whole, |x| x[0].gcd(&x[1])),
    function("bitwise_and", (2, 2), Whole, |x| x[0].and(&x[1])),
    function("bitwise_or", (2, 2), Whole, |x| x[0].or(&x[1])),
    function("bitwise_xor", (2, 2), Whole, |x| x[0].xor(&x[1])),
    function("bitwise_not", (1, 1), Whole, |x| x[0].logical_not()),
    function("bitwise_left_shift", (2, 2), Whole, |x| x[0].shift_left(&x[1])),
    function("bitwise_right_shift", (2, 2), Whole, |x| x[0].shift_right(&x[1])),
];

fn fold(operands: &[Expr], f: fn(&Expr, &Expr) -> Expr) -> Expr {
    operands[1..].iter().fold(operands[0].clone(), |so_far, next| f(&so_far, next))
}
