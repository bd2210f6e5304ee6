//! The text that WGSL and CUDA share: type names, constants, and scalar functions as expressions.
//!
//! A language calls these after its own cases.

use lanthorn_ir::{
    Error, Result,
    expr::{BinaryOp, Type, UnaryOp},
};
use std::collections::BTreeSet;

fn unsupported(name: &str, ty: Type) -> Error {
    Error::dtype("kernel", format!("{name} of {} has no form on this device", ty.name()))
}

/// A call of a function of `shaders/common`.
pub(super) fn call(function: String, arguments: &[&str], functions: &mut BTreeSet<String>) -> String {
    let text = format!("{function}({})", arguments.join(", "));
    functions.insert(function);
    text
}

/// An operation with an operator, in parentheses.
pub(super) fn infix(op: BinaryOp, a: &str, b: &str) -> String {
    format!("({a} {} {b})", symbol(op))
}

fn symbol(op: BinaryOp) -> &'static str {
    op.symbol().unwrap_or("?")
}

/// The name of a type that both languages have, or CUDA's name.
pub(super) const fn common_type_name(ty: Type) -> &'static str {
    match ty {
        Type::U8 => "u32",
        _ => ty.name(),
    }
}

/// Whether a decimal literal keeps the bits of a float32: it is finite, normal, and not -0.
pub(super) fn is_plain(bits: u32) -> bool {
    let value = f32::from_bits(bits);
    value.is_finite() && !value.is_subnormal() && bits != 1 << 31
}

/// A float32 as a literal. A compiler may parse the literal as float64 and then round to float32.
/// The shortest decimal of the float32 could round twice, so this prints the decimal of the equal
/// float64.
pub(super) fn decimal(bits: u32) -> String {
    format!("{:?}f", f64::from(f32::from_bits(bits)))
}

/// A float converted to another type, whose name is given.
pub(super) fn from_float(from: Type, to: Type, name: &str, a: &str, functions: &mut BTreeSet<String>) -> String {
    match to {
        Type::F32 | Type::F64 => format!("{name}({a})"),
        // The function is named after the type itself, although bytes are computed as words.
        _ => call(format!("{}_of_{}", to.name(), from.name()), &[a], functions),
    }
}

/// A function of one value.
pub(super) fn unary(op: UnaryOp, ty: Type, a: &str, functions: &mut BTreeSet<String>) -> Result<String> {
    use {Type::*, UnaryOp::*};
    Ok(match (op, ty) {
        (Neg, U8) => format!("((0u - {a}) & 255u)"),
        (Neg, U32) => format!("(0u - {a})"),
        (Neg, I32 | I64 | F32 | F64) => format!("-{a}"),
        (Abs, I32) => format!("abs({a})"),
        (Abs, F32) => format!("bitcast<f32>(bitcast<u32>({a}) & 0x7fffffffu)"),
        (Sign, U8 | U32) => format!("min({a}, 1u)"),
        (Sign, I32 | I64) => format!("sign({a})"),
        (Not, Bool) => format!("!{a}"),
        (Not, U8) => format!("(~{a} & 255u)"),
        (Not, U32 | I32 | I64) => format!("~{a}"),
        (IsNan, F32 | F64) => call("is_nan".to_string(), &[a], functions),
        (IsNan, _) => "false".to_string(),
        (Abs | Sign, Bool) | (Abs, U8 | U32) | (Floor | Ceil | Round | Trunc, U8 | U32 | I32 | I64) => a.to_string(),
        (ToF16, F32) => call("to_f16".to_string(), &[a], functions),
        (ToBF16, F32) => call("to_bf16".to_string(), &[a], functions),
        (
            Abs | Sign | Exp | Expm1 | Log | Log1p | Sqrt | Sin | Cos | Tanh | Erf | Floor | Ceil | Round | Trunc
            | Mantissa | Exponent,
            F32 | F64,
        ) => call(format!("{}_{}", op.name(), ty.name()), &[a], functions),
        _ => return Err(unsupported(op.name(), ty)),
    })
}

/// A function of two values.
pub(super) fn binary(op: BinaryOp, ty: Type, a: &str, b: &str, functions: &mut BTreeSet<String>) -> Result<String> {
    use {BinaryOp::*, Type::*};
    let mut call = |function: String| call(function, &[a, b], functions);
    Ok(match (op, ty) {
        (Normal, U32) => call("normal".to_string()),
        (_, Bool) => return of_bools(op, a, b),
        (CheckIndex, I32) => call("check_index".to_string()),
        (_, F32 | F64) => match op {
            Add | Sub | Mul | Div => format!("{a} {} {b}", symbol(op)),
            Eq | Ne | Lt | Le | Gt | Ge | Max | Min | Rem | Pow | CopySign | NextAfter => {
                call(format!("{}_{}", op.name(), ty.name()))
            }
            _ => return Err(unsupported(op.name(), ty)),
        },
        (Add | Sub | Mul, U8) => format!("({} & 255u)", infix(op, a, b)),
        (Pow, U8) => format!("({} & 255u)", call("pow_u32".to_string())),
        (ShiftLeft, U8) => format!("({} & 255u)", call("shift_left_u32".to_string())),
        (Add | Sub | Mul | And | Or | Xor | Eq | Ne | Lt | Le | Gt | Ge, _) => infix(op, a, b),
        (Max, _) => format!("max({a}, {b})"),
        (Min, _) => format!("min({a}, {b})"),
        // A byte is computed as a word.
        (Div | Rem | ShiftRight | Gcd, U8) => call(format!("{}_u32", op.name())),
        (Div | Rem | ShiftLeft | ShiftRight | Gcd | Pow, _) => call(format!("{}_{}", op.name(), ty.name())),
        _ => return Err(unsupported(op.name(), ty)),
    })
}

fn of_bools(op: BinaryOp, a: &str, b: &str) -> Result<String> {
    use BinaryOp::*;
    Ok(match op {
        Add | Max | Or => format!("({a} | {b})"),
        Mul | Min | And | Div => format!("({a} & {b})"),
        Sub | Xor | Ne => format!("({a} != {b})"),
        Eq => format!("({a} == {b})"),
        Lt => format!("(!{a} & {b})"),
        Le => format!("(!{a} | {b})"),
        Gt => format!("({a} & !{b})"),
        Ge | Pow => format!("({a} | !{b})"),
        // The remainder by 1 or by 0.
        Rem => "false".to_string(),
        Normal | CheckIndex | ShiftLeft | ShiftRight | Gcd | CopySign | NextAfter => {
            return Err(unsupported(op.name(), Type::Bool));
        }
    })
}
