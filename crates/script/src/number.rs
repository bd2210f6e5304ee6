//! Python's arithmetic of numbers. Integers have 64 bits, and overflow is an error.

use crate::{Error, Result, ast::BinaryOp};
use lanthorn_program::number;
use std::cmp::Ordering;

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    /// Returns the number as a float.
    pub fn float(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
        }
    }

    /// Returns the number as an integer, truncated toward zero.
    pub fn int(self) -> Result<i64> {
        match self {
            Number::Int(value) => Ok(value),
            // The bounds are powers of two, so they are exact.
            Number::Float(value) if (i64::MIN as f64..-(i64::MIN as f64)).contains(&value) => Ok(value as i64),
            Number::Float(value) => Err(Error::runtime(format!("the float {value} is no integer of 64 bits"))),
        }
    }

    /// Whether the number is nonzero.
    pub fn truth(self) -> bool {
        match self {
            Number::Int(value) => value != 0,
            Number::Float(value) => value != 0.0,
        }
    }

    /// Returns the order of two numbers, or `None` if one is NaN.
    pub fn compare(self, other: Number) -> Option<Ordering> {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
            (a, b) => a.float().partial_cmp(&b.float()),
        }
    }
}

fn overflow(op: &str) -> Error {
    Error::runtime(format!("the result of {op} is no integer of 64 bits"))
}

fn zero() -> Error {
    Error::Raised {
        class: "ZeroDivisionError".to_string(),
        message: "division by zero".to_string(),
        location: crate::Location::default(),
    }
}

/// Applies an operator to two numbers.
pub(crate) fn binary(op: BinaryOp, a: Number, b: Number) -> Result<Number> {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => ints(op, a, b),
        (a, b) => floats(op, a.float(), b.float()).map(Number::Float),
    }
}

fn ints(op: BinaryOp, a: i64, b: i64) -> Result<Number> {
    let (result, sign) = match op {
        BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::Mod if b == 0 => return Err(zero()),
        BinaryOp::Div => return Ok(Number::Float(a as f64 / b as f64)),
        BinaryOp::Pow if b < 0 => return Ok(Number::Float((a as f64).powf(b as f64))),
        BinaryOp::MatMul => return Err(Error::runtime("@ takes tensors")),
        BinaryOp::Add => (a.checked_add(b), "+"),
        BinaryOp::Sub => (a.checked_sub(b), "-"),
        BinaryOp::Mul => (a.checked_mul(b), "*"),
        BinaryOp::FloorDiv => (number::floor_div(a, b), "//"),
        BinaryOp::Mod => (number::modulo(a, b), "%"),
        BinaryOp::Pow => (number::power(a, b), "**"),
        BinaryOp::And => (Some(a & b), "&"),
        BinaryOp::Or => (Some(a | b), "|"),
        BinaryOp::Xor => (Some(a ^ b), "^"),
        BinaryOp::LeftShift => (number::shift_left(a, b), "<<"),
        BinaryOp::RightShift => (number::shift_right(a, b), ">>"),
    };
    result.map(Number::Int).ok_or_else(|| overflow(sign))
}

fn floats(op: BinaryOp, a: f64, b: f64) -> Result<f64> {
    Ok(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::Mod if b == 0.0 => return Err(zero()),
        BinaryOp::Div => a / b,
        BinaryOp::FloorDiv => (a / b).floor(),
        BinaryOp::Mod => number::float_modulo(a, b),
        BinaryOp::Pow => a.powf(b),
        _ => return Err(Error::runtime("the operator takes integers")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_divide_as_in_python_and_overflow_is_an_error() {
        let int = |op, a, b| binary(op, Number::Int(a), Number::Int(b));
        assert_eq!(int(BinaryOp::FloorDiv, -7, 2).unwrap(), Number::Int(-4));
        assert_eq!(int(BinaryOp::Mod, -7, 2).unwrap(), Number::Int(1));
        assert_eq!(int(BinaryOp::Mod, 7, -2).unwrap(), Number::Int(-1));
        assert_eq!(int(BinaryOp::Pow, 2, -1).unwrap(), Number::Float(0.5));
        for (op, a, b) in [
            (BinaryOp::Add, i64::MAX, 1),
            (BinaryOp::FloorDiv, i64::MIN, -1),
            (BinaryOp::FloorDiv, 1, 0),
            (BinaryOp::Pow, 10, 19),
            (BinaryOp::LeftShift, 1, 64),
        ] {
            assert!(int(op, a, b).is_err());
        }
    }
}
