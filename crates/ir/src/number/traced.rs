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

/// A number of a kernel while it is planned: its present value, and the expression that it is the
/// value of.
///
/// Arithmetic with it records an expression in the thread's [`Trace`](super::Trace). A comparison is
/// answered for the present values, and the answer is recorded as a condition: the results of the
/// computation are valid for other inputs only where it has the same answer. Since a number can be
/// looked at in no other way, no decision escapes the record. Comparisons of hash values are the one
/// exception: keys of a hash table that are not equal now are not compared, and may be equal for other
/// inputs. A table may thus be used to find what can be shared, but not to prove that two keys differ.
///
/// ```
/// use lanthorn_ir::number::{Trace, Traced};
/// let (product, trace) = Trace::record(|inputs| {
///     let [a, b] = [inputs.add(6), inputs.add(7)];
///     if a < b { a * b } else { a }
/// });
/// assert_eq!(product.value(), 42);
/// let numbers = trace.evaluate(&[2, 30]).unwrap();
/// assert_eq!(numbers.of(product), 60);
/// assert!(trace.evaluate(&[30, 2]).is_none()); // a < b does not hold
/// ```
#[derive(Clone, Copy)]
pub struct Traced {
    pub(super) value: i64,
    /// The number of the expression; `CONSTANT` for a constant, which has none.
    pub(super) expression: u32,
}

pub(super) const CONSTANT: u32 = u32::MAX;

impl Traced {
    pub(super) const fn new(value: i64) -> Traced {
        Traced { value, expression: CONSTANT }
    }

    /// The present value, for people to read. A decision by it is not recorded.
    pub fn value(self) -> i64 {
        self.value
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
        (self >= Traced::new(0)).then_some(self)
    }
}

impl Number for Traced {
    type Signed = Traced;

    fn constant(value: usize) -> Traced {
        value.into()
    }

    fn signed(self) -> Traced {
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
        Traced::new(0) - self
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
        numbers.fold(Traced::new(0), |sum, number| sum + number)
    }
}

impl std::iter::Product for Traced {
    fn product<I: Iterator<Item = Traced>>(numbers: I) -> Traced {
        numbers.fold(Traced::new(1), |product, number| product * number)
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
        self.value.hash(state);
    }
}

impl Debug for Traced {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.value, f)
    }
}

impl Display for Traced {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.value, f)
    }
}
