//! A number as an argument.

use lanthorn_ir::{DType, Error};
use lanthorn_schema::ArgKind;
use std::convert::Infallible;

/// A number that may have another value at the next call of a compiled function.
pub trait Symbol: Copy {
    /// The current value. The caller will depend on it, so that a recorded function is recorded
    /// again if the value changes.
    fn specialize(self) -> f64;

    /// The current value, on which nothing depends.
    fn value(self) -> f64;
}

/// The symbols of a side that has none.
impl Symbol for Infallible {
    fn specialize(self) -> f64 {
        match self {}
    }

    fn value(self) -> f64 {
        match self {}
    }
}

/// A number as an argument of an op. Its kind takes part in type promotion: a float makes an
/// integer tensor float32, and never float64.
///
/// ```
/// use lanthorn_call::Scalar;
/// let whole: Scalar = 2.into();
/// assert_eq!((whole.to_int(), whole.to_f64()), (Some(2), 2.0));
/// assert_eq!(Scalar::<std::convert::Infallible>::from(2.0).to_int(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar<S = Infallible> {
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number of JavaScript, which has one type of numbers: an integer in type promotion,
    /// float32 where no tensor decides the type of a result, and with the sign of -0.
    Number(f64),
    /// A floating-point number.
    Float(f64),
    /// A floating-point number of the host that may be another at the next call of a compiled
    /// function, as PyTorch's `SymFloat`: a learning rate.
    Symbolic(S),
}

impl<S: Symbol> Scalar<S> {
    /// The kind of the number, which decides which parameters accept it.
    pub fn kind(self) -> ArgKind {
        match self {
            Scalar::Bool(_) => ArgKind::Bool,
            Scalar::Int(_) | Scalar::Number(_) => ArgKind::Int,
            Scalar::Float(_) | Scalar::Symbolic(_) => ArgKind::Float,
        }
    }

    /// The type of the number in promotion: bool, int32 or float32.
    pub fn dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::Int(_) | Scalar::Number(_) => DType::I32,
            Scalar::Float(_) | Scalar::Symbolic(_) => DType::F32,
        }
    }

    /// The type of a tensor that is made of the number alone.
    pub fn own_dtype(self) -> DType {
        if let Scalar::Number(_) = self { DType::F32 } else { self.dtype() }
    }

    /// The number as an integer, if it is one.
    pub fn to_int(self) -> Option<i64> {
        match self {
            Scalar::Int(value) => Some(value),
            Scalar::Number(value) => Some(value as i64),
            _ => None,
        }
    }

    /// Whether it is a floating-point number.
    pub fn is_float(self) -> bool {
        self.dtype() == DType::F32
    }

    /// The number as a float.
    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Bool(value) => f64::from(u8::from(value)),
            Scalar::Int(value) => value as f64,
            Scalar::Number(value) | Scalar::Float(value) => value,
            Scalar::Symbolic(number) => number.specialize(),
        }
    }

    /// Whether elements of type `dtype` can hold the number, by the rule of PyTorch: an integer
    /// type drops the fraction, and uint8 takes the negative of each of its numbers, modulo 256. A
    /// floating-point type rounds, to an infinity if the number is beyond it.
    pub fn fits(self, dtype: DType) -> bool {
        let (low, high) = match dtype {
            DType::U8 => (-256.0, 256.0),
            DType::I32 => (-2_147_483_649.0, 2_147_483_648.0),
            DType::I64 => (-9_223_372_036_854_777_856.0, 9_223_372_036_854_775_808.0),
            _ => return true,
        };
        // An int64 may not be exact as a float, and fits its own type.
        match self {
            Scalar::Int(_) if dtype == DType::I64 => true,
            Scalar::Symbolic(number) => number.value() > low && number.value() < high,
            _ => self.to_f64() > low && self.to_f64() < high,
        }
    }

    /// The error for a number that does not fit `dtype`.
    pub fn misfit(self, op: &str, dtype: DType) -> Error {
        Error::argument(op, format!("{dtype} cannot hold the number {}", self.to_f64()))
    }
}

macro_rules! from {
    ($($ty:ty => $variant:ident as $wide:ty,)*) => { $(
        impl<S> From<$ty> for Scalar<S> {
            fn from(value: $ty) -> Scalar<S> { Scalar::$variant(<$wide>::from(value)) }
        }
    )* };
}

from! { bool => Bool as bool, i32 => Int as i64, i64 => Int as i64, u8 => Int as i64, f32 => Float as f64, f64 => Float as f64, }
