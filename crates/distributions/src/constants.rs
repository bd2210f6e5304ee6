//! Constants of mathematics that the standard library does not have.

/// The logarithm of pi.
pub(crate) const LN_PI: f64 = 1.144_729_885_849_400_2;

/// Half of the logarithm of 2 pi.
pub(crate) const HALF_LN_TAU: f64 = 0.918_938_533_204_672_8;

/// The constant of Euler and Mascheroni.
pub(crate) const EULER: f64 = 0.577_215_664_901_532_9;
