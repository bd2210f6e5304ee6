//! Functions of values, and conversions, as expressions.

use super::Language;
use crate::{
    Error, Result,
    expr::{BinaryOp, Type, UnaryOp},
};
use std::collections::BTreeSet;

fn unsupported(name: &str, ty: Type) -> Error {
    Error::dtype("kernel", format!("{name} of {} has no form on this device", ty.name()))
}

impl Language {
    /// Converts a value by PyTorch's rules for `to`. What those leave open is as on the CPU: float to int32 saturates, to a narrower or unsigned type it
    /// wraps, and NaN gives 0.
    ///
    /// # Errors
    /// A dtype error for a type that the language has not.
    pub fn convert(self, from: Type, to: Type, a: &str, functions: &mut BTreeSet<String>) -> Result<String> {
        let mut call = |function: String| {
            let text = format!("{function}({a})");
            functions.insert(function);
            text
        };
        self.type_name(from)?;
        let name = self.type_name(to)?;
        Ok(match (from, to) {
            (from, to) if from == to => a.to_string(),
            (Type::F32 | Type::F64, Type::F32 | Type::F64) => format!("{name}({a})"),
            // Bytes are held in words: the function has the type's own name.
            (Type::F32 | Type::F64, to) => call(format!("{}_of_{}", to.name(), from.name())),
            (_, Type::Bool) if self.is_cuda() => format!("({a} != 0)"),
            (_, Type::U8) if self.is_cuda() => format!("(u32({a}) & 255u)"),
            _ if self.is_cuda() => format!("{name}({a})"),
            (Type::I32, Type::Bool) => format!("({a} != 0i)"),
            (_, Type::Bool) => format!("({a} != 0u)"),
            (Type::Bool, Type::I32) => format!("select(0i, 1i, {a})"),
            (Type::Bool, Type::F32) => format!("select(0.0f, 1.0f, {a})"),
            (Type::Bool, _) => format!("select(0u, 1u, {a})"),
            (_, Type::F32) => format!("f32({a})"),
            (_, Type::I32) => format!("bitcast<i32>({a})"),
            (Type::I32, Type::U32) => format!("bitcast<u32>({a})"),
            (Type::I32, Type::U8) => format!("(bitcast<u32>({a}) & 255u)"),
            (_, Type::U8) => format!("({a} & 255u)"),
            (_, _) => a.to_string(),
        })
    }

    pub(super) fn unary(self, op: UnaryOp, ty: Type, a: &str, functions: &mut BTreeSet<String>) -> Result<String> {
        use {Type::*, UnaryOp::*};
        self.type_name(ty)?;
        let mut call = |function: String| {
            let text = format!("{function}({a})");
            functions.insert(function);
            text
        };
        Ok(match (op, ty) {
            (Neg, U8) => format!("((0u - {a}) & 255u)"),
            (Neg, U32) => format!("(0u - {a})"),
            (Neg | Abs, I32 | I64) if self.is_cuda() => call(format!("{}_{}", op.name(), ty.name())),
            (Neg, I32 | I64 | F32 | F64) => format!("-{a}"),
            (Abs, I32) => format!("abs({a})"),
            (Abs, F32) => format!("bitcast<f32>(bitcast<u32>({a}) & 0x7fffffffu)"),
            (Sign, U8 | U32) => format!("min({a}, 1u)"),
            (Sign, I32 | I64) => format!("sign({a})"),
            (Not, Bool) => format!("!{a}"),
            (Not, U8) => format!("(~{a} & 255u)"),
            (Not, U32 | I32 | I64) => format!("~{a}"),
            (IsNan, F32 | F64) => call("is_nan".to_string()),
            (IsNan, _) => "false".to_string(),
            (Abs | Sign, Bool) | (Abs, U8 | U32) | (Floor | Ceil | Round | Trunc, U8 | U32 | I32 | I64) => a.to_string(),
            (ToF16, F32) => call("to_f16".to_string()),
            (ToBF16, F32) => call("to_bf16".to_string()),
            (
                Abs | Sign | Exp | Expm1 | Log | Log1p | Sqrt | Sin | Cos | Tanh | Erf | Floor | Ceil | Round | Trunc | Mantissa
                | Exponent,
                F32 | F64,
            ) => call(format!("{}_{}", op.name(), ty.name())),
            _ => return Err(unsupported(op.name(), ty)),
        })
    }

    /// A function of two values, as an expression; what it calls is added to `functions`.
    ///
    /// # Errors
    /// A dtype error for a type that the language has not, or that has no such function.
    pub fn binary(self, op: BinaryOp, ty: Type, a: &str, b: &str, functions: &mut BTreeSet<String>) -> Result<String> {
        use {BinaryOp::*, Type::*};
        self.type_name(ty)?;
        let mut call = |function: String| {
            let text = format!("{function}({a}, {b})");
            functions.insert(function);
            text
        };
        Ok(match (op, ty) {
            (Normal, U32) => call("normal".to_string()),
            (_, Bool) => match op {
                Add | Max | Or => format!("({a} | {b})"),
                Mul | Min | And | Div => format!("({a} & {b})"),
                Sub | Xor | Ne => format!("({a} != {b})"),
                Eq => format!("({a} == {b})"),
                Lt => format!("(!{a} & {b})"),
                Le => format!("(!{a} | {b})"),
                Gt => format!("({a} & !{b})"),
                Ge | Pow => format!("({a} | !{b})"),
                Rem => format!("({a} & !{b})"),
                Normal | CheckIndex | ShiftLeft | ShiftRight | Gcd | CopySign | NextAfter => {
                    return Err(unsupported(op.name(), ty));
                }
            },
            (CheckIndex, I32) => call("check_index".to_string()),
            (_, F32 | F64) => match op {
                Add | Sub | Mul | Div => format!("{a} {} {b}", infix(op)),
                Eq | Ne | Lt | Le | Gt | Ge if self.is_cuda() => format!("({a} {} {b})", infix(op)),
                Eq | Ne | Lt | Le | Gt | Ge | Max | Min | Rem | Pow | CopySign | NextAfter => {
                    call(format!("{}_{}", op.name(), ty.name()))
                }
                _ => return Err(unsupported(op.name(), ty)),
            },
            (Add | Sub | Mul, U8) => format!("(({a} {} {b}) & 255u)", infix(op)),
            (Pow, U8) => format!("({} & 255u)", call("pow_u32".to_string())),
            (ShiftLeft, U8) => format!("({} & 255u)", call("shift_left_u32".to_string())),
            (Add | Sub | Mul, I32 | I64) if self.is_cuda() => call(format!("{}_{}", op.name(), ty.name())),
            (Add | Sub | Mul | And | Or | Xor | Eq | Ne | Lt | Le | Gt | Ge, _) => format!("({a} {} {b})", infix(op)),
            (Max, _) => format!("max({a}, {b})"),
            (Min, _) => format!("min({a}, {b})"),
            // A byte is a word here.
            (Div | Rem | ShiftRight | Gcd, U8) => call(format!("{}_u32", op.name())),
            (Div | Rem | ShiftLeft | ShiftRight | Gcd | Pow, _) => call(format!("{}_{}", op.name(), ty.name())),
            _ => return Err(unsupported(op.name(), ty)),
        })
    }
}

fn infix(op: BinaryOp) -> &'static str {
    op.symbol().unwrap_or("?")
}
