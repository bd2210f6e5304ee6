//! Polar coordinates: the angle of a point and its distance from the origin.

use super::{ATAN, is_infinite};
use crate::expr::{Expr, Function};
use std::f64::consts::{FRAC_PI_2, PI};

/// `small / large`, which are magnitudes, in `0..=1`.
fn ratio(small: &Expr, large: &Expr) -> Expr {
    // For two zeros it is 0, and for two infinities 1.
    let regular = large.equal(0.0).select(large, small / large);
    is_infinite(small).and(is_infinite(large)).select(1.0, regular)
}

/// The angle of the point `(x, y)`; y is the first argument.
pub static ATAN2: Function = Function {
    name: "atan2",
    definition: |point| {
        let (y, x) = (&point[0], &point[1]);
        let (height, width) = (y.abs(), x.abs());
        let angle = ATAN.call(&[&ratio(&height.min(&width), &height.max(&width))]);
        let steep = height.gt(&width).select(FRAC_PI_2 - &angle, &angle);
        // The sign of a zero matters.
        let left = Expr::constant(1.0, x.ty()).copysign(x).lt(0.0);
        left.select(PI - &steep, &steep).copysign(y)
    },
    derivative: |point, _, g| {
        let (y, x) = (&point[0], &point[1]);
        let distance = y.square() + x.square();
        let origin = distance.equal(0.0);
        vec![Some(origin.select(0.0, g * x / &distance)), Some(origin.select(0.0, g * -y / &distance))]
    },
};

/// `sqrt(a^2 + b^2)`, where the squares do not overflow.
pub static HYPOT: Function = Function {
    name: "hypot",
    definition: |x| {
        let (a, b) = (x[0].abs(), x[1].abs());
        let large = a.max(&b);
        let length = &large * (ratio(&a.min(&b), &large).square() + 1.0).sqrt();
        // The result for infinity and NaN is infinity.
        is_infinite(&a).or(is_infinite(&b)).select(f64::INFINITY, length)
    },
    derivative: |x, y, g| vec![Some(g * (&x[0] / y)), Some(g * (&x[1] / y))],
};
