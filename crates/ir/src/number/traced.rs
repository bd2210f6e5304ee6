//! A number that records how it was computed.

use super::{
    Number,
    trace::{self, Operation},
};
use std::{
    cmp::Ordering,
    fmt::{self, Debug, Display, Formatter},
    hash::{Hash, Hasher},
    ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Rem, Sub, SubAssign},
};

/// A number of a kernel while it is planned: a handle of an expression in the thread's
/// [`Trace`](super::Trace), which stores its current value.
///
/// Arithmetic records an expression. A comparison is evaluated for the current values, and its
/// result is recorded as a condition: the results of the computation are valid for other inputs
/// only if every comparison has the same result. A number can only be read by comparisons, so every
/// decision is recorded. The only exception are comparisons of hash values: keys of a hash table
/// that differ now are not compared, and may be equal for other inputs. A table may thus be used to
/// find shared values, but not to prove that two keys differ.
///
/// A handle has the size of a `usize` in WebAssembly. Code that only moves numbers is then the same
/// for both types, and is stored once.
///
/// ```
/// use lanthorn_ir::number::{Trace, Traced};
/// let (product, trace) = Trace::record(|inputs| {
///     let [a, b] = [inputs.add(6), inputs.add(7)];
///     let product = if a < b { a * b } else { a };
///     assert_eq!(product.value(), 42);
///     product
/// });
/// let numbers = trace.evaluate(&[2, 30]).unwrap();
/// assert_eq!(numbers.of(product), 60);
/// assert!(trace.evaluate(&[30, 2]).is_none()); // a < b does not hold
/// ```
#[derive(Clone, Copy)]
pub struct Traced(u32);

/// The two forms of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A constant of 31 bits, which is its own handle.
    Constant(i64),
    /// An expression of the trace, by its index.
    Expression(u32),
}

impl Traced {
    /// A constant of 31 bits.
    pub(super) const fn small(value: i32) -> Traced {
        Traced((value << 1) as u32)
    }

    pub(super) fn expression(index: u32) -> Traced {
        Traced(index << 1 | 1)
    }

    /// A constant. One of more than 31 bits is an expression, so it exists only while a trace is
    /// recorded; otherwise it becomes the nearest one of 31 bits.
    pub(super) fn new(value: i64) -> Traced {
        let nearest = Traced::small(value.clamp(i64::from(i32::MIN >> 1), i64::from(i32::MAX >> 1)) as i32);
        if nearest.form() == Form::Constant(value) { nearest } else { trace::large_constant(value).unwrap_or(nearest) }
    }

    pub(super) fn form(self) -> Form {
        match self.0 & 1 {
            0 => Form::Constant(i64::from(self.0 as i32 >> 1)),
            _ => Form::Expression(self.0 >> 1),
        }
    }

    /// The current value, while the trace is recorded. Decisions based on it are not recorded.
    pub fn value(self) -> i64 {
        match self.form() {
            Form::Constant(value) => value,
            Form::Expression(index) => trace::value(index),
        }
    }

    /// Whether the number is the same for all inputs. It may be `false` for a constant of more than
    /// 31 bits.
    pub fn is_constant(self) -> bool {
        matches!(self.form(), Form::Constant(_))
    }

    /// Whether `divisor` divides the number.
    pub fn is_multiple_of(self, divisor: impl Into<Traced>) -> bool {
        self % divisor.into() == 0
    }

    /// The quotient, rounded up. Both numbers are positive.
    pub fn div_ceil(self, divisor: impl Into<Traced>) -> Traced {
        let divisor = divisor.into();
        (self + divisor - 1) / divisor
    }

    /// The number, if it is not negative.
    pub fn non_negative(self) -> Option<Traced> {
        (self >= Traced::small(0)).then_some(self)
    }
}

impl Number for Traced {
    type Signed = Traced;

    fn constant(value: usize) -> Traced {
        value.into()
    }

    fn to_signed(self) -> Traced {
        self
    }
}

macro_rules! from {
    ($($ty:ty),*) => {
        $(
            impl From<$ty> for Traced {
                fn from(value: $ty) -> Traced {
                    // A size or a stride fits 63 bits.
                    Traced::new(value as i64)
                }
            }

            impl PartialEq<$ty> for Traced {
                fn eq(&self, other: &$ty) -> bool {
                    *self == Traced::from(*other)
                }
            }
        )*
    };
}

from!(i16, u16, i32, usize, isize);

macro_rules! operators {
    ($($trait:ident $method:ident $operation:ident),*) => {
        $(
            impl $trait for Traced {
                type Output = Traced;
                fn $method(self, other: Traced) -> Traced {
                    trace::compute(Operation::$operation, self, other)
                }
            }

            impl $trait<i32> for Traced {
                type Output = Traced;
                fn $method(self, other: i32) -> Traced {
                    trace::compute(Operation::$operation, self, other.into())
                }
            }
        )*
    };
}

operators!(Add add Add, Sub sub Sub, Mul mul Mul, Div div Div, Rem rem Rem);

impl Neg for Traced {
    type Output = Traced;
    fn neg(self) -> Traced {
        Traced::small(0) - self
    }
}

impl AddAssign for Traced {
    fn add_assign(&mut self, other: Traced) {
        *self = *self + other;
    }
}

impl SubAssign for Traced {
    fn sub_assign(&mut self, other: Traced) {
        *self = *self - other;
    }
}

impl MulAssign for Traced {
    fn mul_assign(&mut self, other: Traced) {
        *self = *self * other;
    }
}

impl std::iter::Sum for Traced {
    fn sum<I: Iterator<Item = Traced>>(numbers: I) -> Traced {
        numbers.fold(Traced::small(0), |sum, number| sum + number)
    }
}

impl std::iter::Product for Traced {
    fn product<I: Iterator<Item = Traced>>(numbers: I) -> Traced {
        numbers.fold(Traced::small(1), |product, number| product * number)
    }
}

impl PartialEq for Traced {
    fn eq(&self, other: &Traced) -> bool {
        trace::equal(*self, *other)
    }
}

impl Eq for Traced {}

impl PartialOrd for Traced {
    fn partial_cmp(&self, other: &Traced) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    fn lt(&self, other: &Traced) -> bool {
        trace::less(*self, *other)
    }

    fn le(&self, other: &Traced) -> bool {
        !trace::less(*other, *self)
    }

    fn gt(&self, other: &Traced) -> bool {
        trace::less(*other, *self)
    }

    fn ge(&self, other: &Traced) -> bool {
        !trace::less(*self, *other)
    }
}

impl Ord for Traced {
    fn cmp(&self, other: &Traced) -> Ordering {
        if *self == *other {
            Ordering::Equal
        } else if *self < *other {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }
}

/// By the present value, so that numbers that are equal now have one hash.
impl Hash for Traced {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value().hash(state);
    }
}

impl Debug for Traced {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.value(), f)
    }
}

impl Display for Traced {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.value(), f)
    }
}
