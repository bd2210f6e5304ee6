//! The notation of expressions: methods and operators on [`Expr`] that read like the mathematics.

use super::{BinaryOp, Expr, Node, Type, UnaryOp};
use crate::DType;
use std::ops;

/// The right-hand side of an operator: an expression, or a number, which takes the type of the
/// left-hand side.
pub enum Operand {
    /// An expression.
    Expr(Expr),
    /// A number.
    Number(f64),
}

impl From<Expr> for Operand {
    fn from(expr: Expr) -> Operand {
        Operand::Expr(expr)
    }
}

impl From<&Expr> for Operand {
    fn from(expr: &Expr) -> Operand {
        Operand::Expr(expr.clone())
    }
}

impl From<f64> for Operand {
    fn from(number: f64) -> Operand {
        Operand::Number(number)
    }
}

impl Operand {
    fn with_type(self, ty: Type) -> Expr {
        match self {
            Operand::Expr(expr) => expr,
            Operand::Number(number) => Expr::constant(number, ty),
        }
    }
}

impl Expr {
    /// A function of one value.
    pub fn unary(&self, op: UnaryOp) -> Expr {
        Expr::new(Node::Unary(op, self.clone()), op.result(self.ty()))
    }

    /// A function of two values of the same type.
    pub fn binary(&self, op: BinaryOp, other: impl Into<Operand>) -> Expr {
        let other = other.into().with_type(self.ty());
        debug_assert_eq!(self.ty(), other.ty(), "{self} {} {other}", op.name());
        Expr::new(Node::Binary(op, self.clone(), other), op.result(self.ty()))
    }

    /// `self ? a : b`. `self` must be bool. Two numbers are float32.
    pub fn select(&self, a: impl Into<Operand>, b: impl Into<Operand>) -> Expr {
        let (a, b) = match (a.into(), b.into()) {
            (Operand::Expr(a), b) => (a.clone(), b.with_type(a.ty())),
            (a, Operand::Expr(b)) => (a.with_type(b.ty()), b),
            (a, b) => (a.with_type(Type::F32), b.with_type(Type::F32)),
        };
        debug_assert_eq!((self.ty(), a.ty()), (Type::Bool, b.ty()), "{self} ? {a} : {b}");
        let ty = a.ty();
        Expr::new(Node::Select(self.clone(), a, b), ty)
    }

    /// The value converted to `ty`.
    pub fn cast(&self, ty: Type) -> Expr {
        if self.ty() == ty { self.clone() } else { Expr::new(Node::Cast(self.clone()), ty) }
    }

    /// The value as it is stored in a tensor of type `dtype`: converted, and rounded if that is a
    /// half type.
    ///
    /// The rounding is part of the expression, so that a result has the same bits whether one
    /// kernel stores it and the next one reads it, or both are fused.
    ///
    /// ```
    /// use lanthorn_ir::{DType, expr::{Expr, Type}};
    /// let x = Expr::input(0, Type::I32);
    /// assert_eq!(x.stored(DType::BF16).to_string(), "bfloat16(f32(x0))");
    /// ```
    pub fn stored(&self, dtype: DType) -> Expr {
        let value = self.cast(dtype.into());
        let round = match dtype {
            DType::F16 => UnaryOp::ToF16,
            DType::BF16 => UnaryOp::ToBF16,
            _ => return value,
        };
        match value.node() {
            Node::Unary(op, _) if *op == round => value,
            _ => value.unary(round),
        }
    }

    /// One random word; see [`Node::Threefry`].
    pub fn threefry(key: [Expr; 2], counter: [Expr; 2]) -> Expr {
        let ([k0, k1], [c0, c1]) = (key, counter);
        Expr::new(Node::Threefry([k0, k1, c0, c1]), Type::U32)
    }

    /// `1 / (1 + exp(-x))`.
    pub fn sigmoid(&self) -> Expr {
        1.0 / (1.0 + (-self).exp())
    }

    /// `1 / x`.
    pub fn reciprocal(&self) -> Expr {
        1.0 / self
    }

    /// `x * x`.
    pub fn square(&self) -> Expr {
        self * self
    }
}

macro_rules! unary_methods {
    ($($name:ident $op:ident,)*) => {
        impl Expr { $(
            #[doc = concat!("[`UnaryOp::", stringify!($op), "`] of the value.")]
            pub fn $name(&self) -> Expr { self.unary(UnaryOp::$op) }
        )* }
    };
}

unary_methods! {
    abs Abs, sign Sign, logical_not Not, exp Exp, expm1 Expm1, log Log, log1p Log1p, sqrt Sqrt, sin Sin, cos Cos, tanh Tanh,
    erf Erf, floor Floor, ceil Ceil, round Round, trunc Trunc, is_nan IsNan,
    mantissa Mantissa, exponent Exponent,
}

macro_rules! binary_methods {
    ($($name:ident $op:ident,)*) => {
        impl Expr { $(
            #[doc = concat!("[`BinaryOp::", stringify!($op), "`] of the two values.")]
            pub fn $name(&self, other: impl Into<Operand>) -> Expr { self.binary(BinaryOp::$op, other) }
        )* }
    };
}

binary_methods! {
    pow Pow, max Max, min Min, remainder Rem, equal Eq, not_equal Ne, lt Lt, le Le, gt Gt, ge Ge, and And, or Or, xor Xor, normal Normal,
    shift_left ShiftLeft, shift_right ShiftRight, gcd Gcd, copysign CopySign, next_after NextAfter,
}

macro_rules! operators {
    ($($tr:ident $method:ident $op:ident,)*) => { $(
        impl<T: Into<Operand>> ops::$tr<T> for Expr {
            type Output = Expr;
            fn $method(self, other: T) -> Expr { self.binary(BinaryOp::$op, other) }
        }
        impl<T: Into<Operand>> ops::$tr<T> for &Expr {
            type Output = Expr;
            fn $method(self, other: T) -> Expr { self.binary(BinaryOp::$op, other) }
        }
        impl ops::$tr<Expr> for f64 {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr { Expr::constant(self, other.ty()).binary(BinaryOp::$op, other) }
        }
        impl ops::$tr<&Expr> for f64 {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr { Expr::constant(self, other.ty()).binary(BinaryOp::$op, other) }
        }
    )* };
}

operators! { Add add Add, Sub sub Sub, Mul mul Mul, Div div Div, }

impl ops::Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        self.unary(UnaryOp::Neg)
    }
}

impl ops::Neg for &Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        self.unary(UnaryOp::Neg)
    }
}
