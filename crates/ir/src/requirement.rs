//! Requirements on elements, which a kernel checks while it runs.
//!
//! A device reports an index out of range by the size of the dimension. A negative size is the
//! number of a requirement, so that requirements use the same mechanism: the launch fails, and
//! reading any result returns the error. Rejected: reading the elements before the launch, which
//! would wait for the device.

use crate::{
    Error,
    expr::{BinaryOp, Expr, Type},
};

/// The number of the first requirement. -1 is not used, because devices store the number plus 1,
/// and 0 means no error.
const FIRST: i32 = -2;

macro_rules! requirements {
    ($($name:ident: $message:literal,)*) => {
        /// A requirement on elements. The documentation of each is its message.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Requirement {
            $(#[doc = $message] $name,)*
        }

        const MESSAGES: &[&str] = &[$($message),*];
    };
}

requirements! {
    FiniteWeights: "a weight is negative, infinite or NaN",
    SomeWeight: "a row has no weight above 0",
    EnoughWeights: "a row has fewer weights above 0 than samples are drawn from it without replacement",
    Probability: "a probability is not from 0 to 1",
    Deviation: "a standard deviation is negative or NaN",
    InputProbability: "an element of the input is not from 0 to 1",
    TargetProbability: "an element of the target is not from 0 to 1",
    Variance: "a variance is negative",
    InputLength: "an element of input_lengths is negative or more than the number of frames",
    TargetLength: "an element of target_lengths is negative or more than the number of labels",
}

impl Requirement {
    fn number(self) -> i32 {
        FIRST - self as i32
    }
}

/// `value` if all requirements hold, each with its condition. Otherwise the launch fails with the
/// first requirement that does not hold.
///
/// ```
/// use lanthorn_ir::{Requirement, expr::{Expr, Type}, require_all};
/// let p = Expr::input(0, Type::F32);
/// let checked = require_all(&[(Requirement::Probability, p.ge(0.0).and(p.le(1.0)))], &p);
/// assert_eq!(checked.ty(), Type::F32);
/// ```
pub fn require_all(requirements: &[(Requirement, Expr)], value: &Expr) -> Expr {
    let number = |number: i32| Expr::constant(f64::from(number), Type::I32);
    let size = requirements
        .iter()
        .rev()
        .fold(number(1), |size, (requirement, holds)| holds.select(size, number(requirement.number())));
    // 0 is an index of a dimension of size 1, and of no dimension of negative size.
    let checked = number(0).binary(BinaryOp::CheckIndex, size);
    checked.equal(0.0).select(value, Expr::constant(0.0, value.ty()))
}

/// The error of a launch whose check failed: for a dimension of `size`, with the index if the
/// device reports the index, or for a requirement.
pub fn failed_check(op: &str, index: Option<i32>, size: i32) -> Error {
    if let Some(message) =
        FIRST.checked_sub(size).and_then(|number| usize::try_from(number).ok()).and_then(|number| MESSAGES.get(number))
    {
        return Error::argument(op, *message);
    }
    let index = index.map_or_else(|| "an index".to_string(), |index| format!("index {index}"));
    Error::index(op, format!("{index} is out of range for a dimension of size {size}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_size_is_a_requirement() {
        assert_eq!(
            failed_check("gather", None, 5).to_string(),
            "gather: an index is out of range for a dimension of size 5"
        );
        assert_eq!(failed_check("gather", Some(-1), 0).message(), "index -1 is out of range for a dimension of size 0");
        let error = failed_check("multinomial", Some(0), Requirement::SomeWeight.number());
        assert!(error.is_argument());
        assert_eq!(error.to_string(), "multinomial: a row has no weight above 0");
        assert_eq!(failed_check("x", None, Requirement::TargetLength.number()).message(), MESSAGES[MESSAGES.len() - 1]);
    }
}
