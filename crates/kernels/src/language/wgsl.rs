//! WGSL, with and without the extension `f16`.
//!
//! WGSL lets an implementation assume that NaN and infinity never occur, specifies
//! loose error bounds for its functions, and defines integer division by zero in its own way. So
//! every operation that is sensitive to that is a call to a function of `shaders/common` (`exp_f32`,
//! `max_f32`, `div_i32`). A constant that is not an ordinary number is made from bits that the
//! compiler cannot fold.
//!
//! Its memory consists of 32-bit words: smaller elements are packed.

use super::{Dialect, function};
use lanthorn_ir::{
    DType, Error, Result,
    expr::{BinaryOp, Constant, Instruction, Program, Type, UnaryOp},
};
use std::collections::BTreeSet;

/// WGSL; with the extension `f16` float16 is a storage type.
#[derive(Clone, Copy)]
pub(super) struct Wgsl {
    pub(super) f16: bool,
}

/// A float32 from its bits, hidden from the compiler.
fn opaque(bits: u32, zero: &str) -> String {
    format!("bitcast<f32>({bits:#010x}u | {zero})")
}

impl Dialect for Wgsl {
    fn type_name(self, ty: Type) -> Result<&'static str> {
        match ty {
            Type::I64 => Err(Error::dtype("kernel", "WebGPU has no int64; convert to int32 or use the cpu device")),
            Type::F64 => Err(Error::dtype("kernel", "WebGPU has no float64; convert to float32 or use the cpu device")),
            _ => Ok(function::common_type_name(ty)),
        }
    }

    fn declare(self, ty: Type, name: &str) -> Result<String> {
        Ok(format!("let {name}: {}", self.type_name(ty)?))
    }

    fn constant(self, constant: Constant, zero: &str) -> Result<String> {
        match constant {
            Constant::Bool(v) => Ok(v.to_string()),
            Constant::U8(v) => Ok(format!("{v}u")),
            Constant::U32(v) => Ok(format!("{v}u")),
            Constant::I32(i32::MIN) => Ok("i32(-2147483648)".to_string()),
            Constant::I32(v) => Ok(format!("{v}i")),
            // NaN and infinity are refused as literals; subnormals and -0 may lose their bits.
            Constant::F32(bits) if !function::is_plain(bits) => Ok(opaque(bits, zero)),
            Constant::F32(bits) => Ok(function::decimal(bits)),
            Constant::I64(_) | Constant::F64(_) => self.type_name(constant.ty()).map(str::to_string),
        }
    }

    fn zero_factor(self, bits: u32, zero: &str, _value: String) -> String {
        opaque(bits, zero)
    }

    fn convert(self, from: Type, to: Type, a: &str, functions: &mut BTreeSet<String>) -> Result<String> {
        self.type_name(from)?;
        let name = self.type_name(to)?;
        Ok(match (from, to) {
            (from, to) if from == to => a.to_string(),
            (Type::F32 | Type::F64, _) => function::from_float(from, to, name, a, functions),
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

    fn unary(self, op: UnaryOp, ty: Type, a: &str, functions: &mut BTreeSet<String>) -> Result<String> {
        self.type_name(ty)?;
        function::unary(op, ty, a, functions)
    }

    fn binary(self, op: BinaryOp, ty: Type, a: &str, b: &str, functions: &mut BTreeSet<String>) -> Result<String> {
        self.type_name(ty)?;
        function::binary(op, ty, a, b, functions)
    }

    fn element(self, dtype: DType) -> Result<&'static str> {
        match dtype {
            DType::F16 if self.f16 => Ok("f16"),
            DType::Bool | DType::U8 | DType::F16 | DType::BF16 => Ok("u32"),
            DType::I32 | DType::I64 | DType::F32 | DType::F64 => self.type_name(Type::from(dtype)),
        }
    }

    fn elements_per_word(self, dtype: DType) -> Option<usize> {
        let has_type = dtype == DType::F16 && self.f16;
        (dtype.size() < 4 && !has_type).then(|| 4 / dtype.size())
    }

    fn word_type(self, dtype: DType) -> Result<&'static str> {
        self.element(dtype)?;
        Ok(if dtype == DType::F16 && self.f16 { "f16" } else { "u32" })
    }

    fn value(self, dtype: DType, element: &str) -> String {
        match dtype {
            DType::Bool => format!("({element} != 0u)"),
            DType::F16 if self.f16 => format!("f32({element})"),
            DType::F16 => format!("f16_value({element})"),
            DType::BF16 => format!("bitcast<f32>({element} << 16u)"),
            DType::U8 | DType::I32 | DType::I64 | DType::F32 | DType::F64 => element.to_string(),
        }
    }

    fn to_element(self, dtype: DType, value: &str, ty: Type, functions: &mut BTreeSet<String>) -> Result<String> {
        let converted = self.convert(ty, Type::from(dtype), value, functions)?;
        Ok(match dtype {
            DType::Bool => format!("select(0u, 1u, {converted})"),
            DType::F16 if self.f16 => format!("f16({converted})"),
            DType::F16 => function::call("f16_bits".to_string(), &[&converted], functions),
            DType::BF16 => format!("(bitcast<u32>({converted}) >> 16u)"),
            DType::U8 | DType::I32 | DType::I64 | DType::F32 | DType::F64 => converted,
        })
    }

    fn output(
        self,
        dtype: DType,
        program: &Program,
        output: usize,
        (value, ty): &(String, Type),
        functions: &mut BTreeSet<String>,
    ) -> Result<String> {
        let (round, name) = match dtype {
            DType::F16 => (UnaryOp::ToF16, "to_f16"),
            DType::BF16 => (UnaryOp::ToBF16, "to_bf16"),
            _ => return self.to_element(dtype, value, *ty, functions),
        };
        if matches!(program.instructions[program.outputs[output]].0, Instruction::Unary(op, _) if op == round) {
            return self.to_element(dtype, value, *ty, functions);
        }
        let converted = self.convert(*ty, Type::F32, value, functions)?;
        let rounded = function::call(name.to_string(), &[&converted], functions);
        self.to_element(dtype, &rounded, Type::F32, functions)
    }

    fn within(self, _ty: Type, condition: &str, value: &str, functions: &mut BTreeSet<String>) -> String {
        functions.insert("select_bits".to_string());
        format!("select_bits({value}, 0u, !({condition}))")
    }

    fn structure(self, name: &str, members: &[(&str, &str)]) -> String {
        let members: String = members.iter().map(|(member, ty)| format!("    {member}: {ty},\n")).collect();
        format!("struct {name} {{\n{members}}}\n")
    }

    fn construct(self, name: &str, members: &[&str]) -> String {
        format!("{name}({})", members.join(", "))
    }

    fn combination(self, name: &str, ty: &str, body: &str) -> String {
        format!("fn {name}(a: {ty}, b: {ty}) -> {ty} {{\n{body}\n}}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_keep_their_bits() {
        let constant = |constant| Wgsl { f16: false }.constant(constant, "zero").unwrap();
        for bits in [0x3dcc_cccd, 0x0080_0000, 0x7f7f_ffff, 0x3f80_0001, 0x4b80_0001, 0x3eaa_aaab, 0x0da2_4260u32] {
            let printed = constant(Constant::F32(bits));
            let number = printed.strip_suffix('f').unwrap();
            assert_eq!(number.parse::<f32>().unwrap().to_bits(), bits, "{printed}");
            assert_eq!((number.parse::<f64>().unwrap() as f32).to_bits(), bits, "{printed}");
        }
        assert_eq!(constant(Constant::F32(f32::INFINITY.to_bits())), "bitcast<f32>(0x7f800000u | zero)");
        assert_eq!(constant(Constant::I32(i32::MIN)), "i32(-2147483648)");
    }

    #[test]
    fn types_of_eight_bytes_are_refused() {
        for constant in [Constant::I64(1), Constant::F64(0)] {
            assert!(Wgsl { f16: true }.constant(constant, "zero").unwrap_err().is_dtype());
        }
    }
}
