//! CUDA C++.
//!
//! It conforms to IEEE 754, so its operators compare floats. Signed integers must not overflow:
//! arithmetic that may is a call (`add_i32`). `shaders/common/words.cuh` defines WGSL's other
//! words: `select`, `bitcast<f32>(x)`, `vec4<f32>`, `u32`. Elements have their own sizes in memory.

use super::{Dialect, function};
use lanthorn_ir::{
    DType, Result,
    expr::{BinaryOp, Constant, Program, Type, UnaryOp},
};
use std::collections::BTreeSet;

/// CUDA C++, as NVRTC compiles it.
#[derive(Clone, Copy)]
pub(super) struct Cuda;

impl Dialect for Cuda {
    fn type_name(self, ty: Type) -> Result<&'static str> {
        Ok(match ty {
            Type::I64 => "i64",
            Type::F64 => "f64",
            _ => function::common_type_name(ty),
        })
    }

    fn declare(self, ty: Type, name: &str) -> Result<String> {
        Ok(format!("const {} {name}", self.type_name(ty)?))
    }

    fn constant(self, constant: Constant, _zero: &str) -> Result<String> {
        Ok(match constant {
            Constant::Bool(v) => v.to_string(),
            Constant::U8(v) => format!("{v}u"),
            Constant::U32(v) => format!("{v}u"),
            Constant::I32(i32::MIN) => "i32(-2147483647 - 1)".to_string(),
            Constant::I32(v) => v.to_string(),
            Constant::I64(i64::MIN) => "i64(-9223372036854775807ll - 1)".to_string(),
            Constant::I64(v) => format!("{v}ll"),
            Constant::F32(bits) if !function::is_plain(bits) => format!("bitcast<f32>({bits:#010x}u)"),
            Constant::F32(bits) => function::decimal(bits),
            Constant::F64(bits) => {
                let v = f64::from_bits(bits);
                if v.is_finite() { format!("{v:?}") } else { format!("bitcast<f64>({bits:#018x}ull)") }
            }
        })
    }

    fn zero_factor(self, _bits: u32, _zero: &str, value: String) -> String {
        value
    }

    fn convert(self, from: Type, to: Type, a: &str, functions: &mut BTreeSet<String>) -> Result<String> {
        let name = self.type_name(to)?;
        Ok(match (from, to) {
            (from, to) if from == to => a.to_string(),
            (Type::F32 | Type::F64, _) => function::from_float(from, to, name, a, functions),
            (_, Type::Bool) => format!("({a} != 0)"),
            (_, Type::U8) => format!("(u32({a}) & 255u)"),
            _ => format!("{name}({a})"),
        })
    }

    fn unary(self, op: UnaryOp, ty: Type, a: &str, functions: &mut BTreeSet<String>) -> Result<String> {
        match (op, ty) {
            (UnaryOp::Neg | UnaryOp::Abs, Type::I32 | Type::I64) => {
                Ok(function::call(format!("{}_{}", op.name(), ty.name()), &[a], functions))
            }
            _ => function::unary(op, ty, a, functions),
        }
    }

    fn binary(self, op: BinaryOp, ty: Type, a: &str, b: &str, functions: &mut BTreeSet<String>) -> Result<String> {
        use BinaryOp::*;
        match (op, ty) {
            (Eq | Ne | Lt | Le | Gt | Ge, Type::F32 | Type::F64) => Ok(function::infix(op, a, b)),
            (Add | Sub | Mul, Type::I32 | Type::I64) => {
                Ok(function::call(format!("{}_{}", op.name(), ty.name()), &[a, b], functions))
            }
            _ => function::binary(op, ty, a, b, functions),
        }
    }

    fn element(self, dtype: DType) -> Result<&'static str> {
        match dtype {
            DType::Bool | DType::U8 => Ok("u8"),
            DType::F16 => Ok("f16"),
            DType::BF16 => Ok("bf16"),
            DType::I32 | DType::I64 | DType::F32 | DType::F64 => self.type_name(Type::from(dtype)),
        }
    }

    fn elements_per_word(self, _dtype: DType) -> Option<usize> {
        None
    }

    fn word_type(self, dtype: DType) -> Result<&'static str> {
        Ok(match dtype.size() {
            1 => "u8",
            2 => "u16",
            8 => "u64",
            _ => "u32",
        })
    }

    fn value(self, dtype: DType, element: &str) -> String {
        match dtype {
            DType::Bool => format!("({element} != 0u)"),
            DType::U8 => format!("u32({element})"),
            DType::F16 | DType::BF16 => format!("f32({element})"),
            DType::I32 | DType::I64 | DType::F32 | DType::F64 => element.to_string(),
        }
    }

    /// The conversion to a half type rounds.
    fn to_element(self, dtype: DType, value: &str, ty: Type, functions: &mut BTreeSet<String>) -> Result<String> {
        let converted = self.convert(ty, Type::from(dtype), value, functions)?;
        Ok(match dtype {
            DType::Bool | DType::U8 | DType::F16 | DType::BF16 => format!("{}({converted})", self.element(dtype)?),
            DType::I32 | DType::I64 | DType::F32 | DType::F64 => converted,
        })
    }

    fn output(
        self,
        dtype: DType,
        _program: &Program,
        _output: usize,
        (value, ty): &(String, Type),
        functions: &mut BTreeSet<String>,
    ) -> Result<String> {
        self.to_element(dtype, value, *ty, functions)
    }

    fn within(self, ty: Type, condition: &str, value: &str, _functions: &mut BTreeSet<String>) -> String {
        format!("({condition} ? {value} : {}(0))", ty.name())
    }

    fn structure(self, name: &str, members: &[(&str, &str)]) -> String {
        let members: String = members.iter().map(|(member, ty)| format!("    {ty} {member};\n")).collect();
        format!("struct {name} {{\n{members}}};\n")
    }

    fn construct(self, name: &str, members: &[&str]) -> String {
        format!("{name}{{{}}}", members.join(", "))
    }

    fn combination(self, name: &str, ty: &str, body: &str) -> String {
        format!("__device__ inline {ty} {name}({ty} a, {ty} b) {{\n{body}\n}}\n")
    }
}
