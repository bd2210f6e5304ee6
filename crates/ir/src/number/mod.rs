//! The numbers in a kernel: sizes, strides and offsets.
//!
//! The types that describe a kernel ([`Shape`](crate::Shape), [`Layout`](crate::Layout),
//! [`Kernel`](crate::Kernel)) are generic over the type of their numbers, which is `usize` by
//! default. The planner uses [`Traced`] instead: a number that records how it was computed and
//! which comparisons were made with it. A plan for one set of sizes can then compute its numbers
//! for another set, and can determine for which sets it is valid.
//!
//! Rejected: a plan that stores concrete numbers and a rule for changing each. Nothing would ensure
//! that the rule matches the code of the passes.

mod trace;
mod traced;

pub use trace::{Inputs, Trace, Values};
pub use traced::Traced;

use std::{
    fmt::{Debug, Display},
    hash::Hash,
    ops::{Add, Mul, Sub},
};

/// A size or an offset.
pub trait Number:
    Copy + Ord + PartialEq<usize> + Hash + Debug + Display + Add<Output = Self> + Mul<Output = Self> + From<u16> + 'static
{
    /// A stride, or another number that may be negative.
    type Signed: Copy
        + Ord
        + PartialEq<isize>
        + Hash
        + Debug
        + Display
        + Add<Output = Self::Signed>
        + Sub<Output = Self::Signed>
        + Mul<Output = Self::Signed>
        + From<i16>
        + 'static;

    /// A number that does not depend on any other.
    fn constant(value: usize) -> Self;

    /// The number as one that may be negative.
    fn to_signed(self) -> Self::Signed;

    /// The number, or 1 if it is 0.
    fn or_one(self) -> Self {
        if self == 0 { Self::from(1) } else { self }
    }
}

impl Number for usize {
    type Signed = isize;

    fn constant(value: usize) -> usize {
        value
    }

    fn to_signed(self) -> isize {
        self as isize
    }
}

/// A function that converts the numbers of a kernel to another type.
///
/// It is called once for each number, always in the same order for kernels of the same structure.
/// It is not called again for the shape of an operand that is by definition the iteration space of
/// its kernel.
pub trait Convert<N: Number, M: Number> {
    /// Converts a size or an offset.
    fn number(&mut self, number: N) -> M;

    /// Converts a stride, or another number that may be negative.
    fn to_signed(&mut self, number: N::Signed) -> M::Signed;
}
