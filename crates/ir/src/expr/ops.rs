//! The types, constants and functions of scalar expressions.

use crate::{DType, half};
use std::fmt;

/// The types in which kernels compute. Every [`DType`] has one; float16 and bfloat16 have `F32`.
/// `U32` is for indices and random bits, and no element type has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// True or false.
    Bool,
    /// Integers modulo 256. A target without bytes computes them in 32 bits and masks.
    U8,
    /// 32-bit two's complement, wrapping.
    I32,
    /// 64-bit two's complement, wrapping; on the CPU and CUDA only.
    I64,
    /// Unsigned 32-bit, wrapping; for counters, indices and random bits.
    U32,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl Type {
    /// The name used in printed expressions.
    pub const fn name(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::U8 => "u8",
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::U32 => "u32",
            Type::F32 => "f32",
            Type::F64 => "f64",
        }
    }

    /// Whether the type is floating point.
    pub const fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// The element type that stores values of this type exactly; `None` for `U32`.
    pub const fn dtype(self) -> Option<DType> {
        Some(match self {
            Type::Bool => DType::Bool,
            Type::U8 => DType::U8,
            Type::I32 => DType::I32,
            Type::I64 => DType::I64,
            Type::U32 => return None,
            Type::F32 => DType::F32,
            Type::F64 => DType::F64,
        })
    }
}

impl From<DType> for Type {
    fn from(dtype: DType) -> Type {
        match dtype {
            DType::Bool => Type::Bool,
            DType::U8 => Type::U8,
            DType::I32 => Type::I32,
            DType::I64 => Type::I64,
            DType::F16 | DType::BF16 | DType::F32 => Type::F32,
            DType::F64 => Type::F64,
        }
    }
}

/// A typed number. Floats compare by their bits, so that in a kernel's key -0 differs from 0 and
/// NaN equals itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// Of [`Type::Bool`].
    Bool(bool),
    /// Of [`Type::U8`].
    U8(u8),
    /// Of [`Type::I32`].
    I32(i32),
    /// Of [`Type::I64`].
    I64(i64),
    /// Of [`Type::U32`].
    U32(u32),
    /// The bits of a [`Type::F32`].
    F32(u32),
    /// The bits of a [`Type::F64`].
    F64(u64),
}

impl Constant {
    /// A number as a constant of `ty`; integers wrap, as casts do.
    pub fn new(value: f64, ty: Type) -> Constant {
        match ty {
            Type::Bool => Constant::Bool(value != 0.0),
            Type::U8 => Constant::U8(value as i64 as u8),
            Type::I32 => Constant::I32(value as i64 as i32),
            Type::I64 => Constant::I64(value as i64),
            Type::U32 => Constant::U32(value as i64 as u32),
            Type::F32 => Constant::F32((value as f32).to_bits()),
            Type::F64 => Constant::F64(value.to_bits()),
        }
    }

    /// The number as float64. Only an int64 beyond 2^53 may be rounded.
    pub fn to_f64(self) -> f64 {
        match self {
            Constant::Bool(v) => f64::from(u8::from(v)),
            Constant::U8(v) => f64::from(v),
            Constant::I32(v) => f64::from(v),
            Constant::I64(v) => v as f64,
            Constant::U32(v) => f64::from(v),
            Constant::F32(v) => f64::from(f32::from_bits(v)),
            Constant::F64(v) => f64::from_bits(v),
        }
    }

    /// The number as it is stored in a tensor of type `dtype`: rounded if that is a half type.
    pub fn stored(self, dtype: DType) -> Constant {
        match (self, dtype) {
            (Constant::F32(v), DType::F16) => {
                Constant::F32(half::f16_to_f32(half::f16_from_f32(f32::from_bits(v))).to_bits())
            }
            (Constant::F32(v), DType::BF16) => {
                Constant::F32(half::bf16_to_f32(half::bf16_from_f32(f32::from_bits(v))).to_bits())
            }
            _ => self,
        }
    }

    /// The type of the number.
    pub const fn ty(self) -> Type {
        match self {
            Constant::Bool(_) => Type::Bool,
            Constant::U8(_) => Type::U8,
            Constant::I32(_) => Type::I32,
            Constant::I64(_) => Type::I64,
            Constant::U32(_) => Type::U32,
            Constant::F32(_) => Type::F32,
            Constant::F64(_) => Type::F64,
        }
    }

    /// The 32-bit word in which a GPU kernel receives the number; `None` for int64 and float64.
    pub const fn to_word(self) -> Option<u32> {
        match self {
            Constant::Bool(v) => Some(v as u32),
            Constant::U8(v) => Some(v as u32),
            Constant::I32(v) => Some(v as u32),
            Constant::U32(v) | Constant::F32(v) => Some(v),
            Constant::I64(_) | Constant::F64(_) => None,
        }
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Bool(v) => write!(f, "{v}"),
            Constant::I64(v) => write!(f, "{v}"),
            other => write!(f, "{}", other.to_f64()),
        }
    }
}

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// Every function of this arity.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// The name used in printed expressions.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

named! {
    /// Functions of one value. The result has the type of the operand unless noted.
    UnaryOp {
        /// `-x`; integers wrap.
        Neg = "neg",
        /// `|x|`.
        Abs = "abs",
        /// -1, 0 or 1; of NaN, 0.
        Sign = "sign",
        /// Logical for bool, bitwise for integers.
        Not = "not",
        /// The exponential.
        Exp = "exp",
        /// `exp(x) - 1`, accurate near 0.
        Expm1 = "expm1",
        /// The natural logarithm.
        Log = "log",
        /// `log(1 + x)`, accurate near 0.
        Log1p = "log1p",
        /// The square root.
        Sqrt = "sqrt",
        /// The sine, with full range reduction.
        Sin = "sin",
        /// The cosine, with full range reduction.
        Cos = "cos",
        /// The hyperbolic tangent.
        Tanh = "tanh",
        /// The error function.
        Erf = "erf",
        /// Rounds down.
        Floor = "floor",
        /// Rounds up.
        Ceil = "ceil",
        /// Rounds to nearest, ties to even.
        Round = "round",
        /// Rounds towards 0.
        Trunc = "trunc",
        /// Whether x is NaN; bool.
        IsNan = "isnan",
        /// The m of `x = m * 2^e` with `1/2 <= |m| < 1`; of 0, infinity and NaN, x.
        Mantissa = "mantissa",
        /// The e of `x = m * 2^e` with `1/2 <= |m| < 1`; of 0, infinity and NaN, 0.
        Exponent = "exponent",
        /// The nearest float16, ties to even, as a float32; infinity on overflow.
        ToF16 = "float16",
        /// The nearest bfloat16, ties to even, as a float32.
        ToBF16 = "bfloat16",
    }
}

named! {
    /// Functions of two values of the same type. The result has that type; comparisons give bool.
    BinaryOp {
        /// `a + b`; integers wrap, bool is "or".
        Add = "add",
        /// `a - b`.
        Sub = "sub",
        /// `a * b`; bool is "and".
        Mul = "mul",
        /// `a / b`; integers truncate, and division of an integer by 0 is 0 on every backend.
        Div = "div",
        /// The remainder with the sign of the divisor, as Python's `%`; of integers by 0 it is 0.
        Rem = "rem",
        /// `a` to the power `b`. Integers wrap; a negative exponent results in 0 unless |a| is 1.
        Pow = "pow",
        /// The larger; NaN if either is.
        Max = "max",
        /// The smaller; NaN if either is.
        Min = "min",
        /// `a == b`.
        Eq = "eq",
        /// `a != b`.
        Ne = "ne",
        /// `a < b`.
        Lt = "lt",
        /// `a <= b`.
        Le = "le",
        /// `a > b`.
        Gt = "gt",
        /// `a >= b`.
        Ge = "ge",
        /// Logical for bool, bitwise for integers.
        And = "and",
        /// Logical for bool, bitwise for integers.
        Or = "or",
        /// Logical for bool, bitwise for integers.
        Xor = "xor",
        /// `a` shifted left by `b` bits; 0 if `b` is negative or at least the width.
        ShiftLeft = "shift_left",
        /// `a` shifted right by `b` bits, with sign extension; only the sign remains if `b` is
        /// negative or at least the width.
        ShiftRight = "shift_right",
        /// The greatest common divisor of two integers, which is not negative.
        Gcd = "gcd",
        /// `|a|` with the sign of `b`, for floats; zeros have signs too.
        CopySign = "copysign",
        /// The next float after `a` in the direction of `b`.
        NextAfter = "nextafter",
        /// A normal deviate from two random u32 words, as float32; the same bits on every backend.
        /// See
        /// [`random`](crate::random).
        Normal = "normal",
        /// The int32 `a` as an index. If it is not in `0..b`, the launch fails, which is reported
        /// after it has run; the value is then some number in that range, so that no foreign memory
        /// is read.
        CheckIndex = "check_index",
    }
}

impl UnaryOp {
    /// Whether the function is transcendental, so that backends compute it by a polynomial.
    pub const fn is_transcendental(self) -> bool {
        use UnaryOp::*;
        matches!(self, Exp | Expm1 | Log | Log1p | Sin | Cos | Tanh | Erf)
    }

    /// The result's type for an operand of type `ty`.
    pub const fn result(self, ty: Type) -> Type {
        match self {
            UnaryOp::IsNan => Type::Bool,
            _ => ty,
        }
    }
}

impl BinaryOp {
    /// Whether the function is defined for floating-point numbers.
    pub const fn takes_floats(self) -> bool {
        use BinaryOp::*;
        !matches!(self, And | Or | Xor | ShiftLeft | ShiftRight | Gcd | Normal | CheckIndex)
    }

    /// The operator symbol, if there is one.
    pub const fn symbol(self) -> Option<&'static str> {
        Some(match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            _ => return None,
        })
    }

    /// Whether the result is a bool, whatever the operands are.
    pub const fn is_comparison(self) -> bool {
        matches!(self, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
    }

    /// The result's type for operands of type `ty`.
    pub const fn result(self, ty: Type) -> Type {
        match self {
            BinaryOp::Normal => Type::F32,
            _ if self.is_comparison() => Type::Bool,
            _ => ty,
        }
    }
}
