//! What the languages of devices call types and numbers.

use crate::{
    Error, Result,
    expr::{Constant, Type},
};

/// A language that kernels are printed in.
///
/// WGSL lets an implementation assume that NaN and infinity never occur, gives its functions loose error bounds, and divides integers by
/// zero in its own way. So everything that is sensitive to that is a call to a function of our own (`exp_f32`, `max_f32`, `div_i32`), and a
/// constant that is not an ordinary number is made from bits that the compiler cannot see through ([`Names::zero`](super::Names::zero)).
///
/// CUDA C++ keeps to IEEE 754, so its floats are compared by its operators. Its signed integers must not overflow: what may is a call (`add_i32`). A header gives
/// the rest of WGSL's words to C++: `select`, `bitcast<f32>(x)`, `vec4<f32>`, `u32`.
///
/// In both a value of [`Type::U8`] is a `u32` below 256, masked after what may leave that range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// WebGPU's shading language.
    #[default]
    Wgsl,
    /// WGSL with its extension `f16`: float16 has two bytes in memory. It is computed with in float32 all the same.
    WgslF16,
    /// CUDA C++, as NVRTC compiles it.
    #[cfg(feature = "cuda")]
    Cuda,
}

impl Language {
    /// Whether this is CUDA C++. Without the feature `cuda` it never is, and nothing that only CUDA needs stays in a program.
    #[inline(always)]
    pub const fn is_cuda(self) -> bool {
        #[cfg(feature = "cuda")]
        {
            matches!(self, Language::Cuda)
        }
        #[cfg(not(feature = "cuda"))]
        {
            false
        }
    }

    /// The name of a type. WGSL has none for float64 and int64.
    ///
    /// # Errors
    /// A dtype error for those.
    pub fn type_name(self, ty: Type) -> Result<&'static str> {
        match ty {
            Type::Bool => Ok("bool"),
            Type::U8 | Type::U32 => Ok("u32"),
            Type::I32 => Ok("i32"),
            Type::F32 => Ok("f32"),
            Type::I64 if self.is_cuda() => Ok("i64"),
            Type::F64 if self.is_cuda() => Ok("f64"),
            Type::I64 => Err(Error::dtype("kernel", "WebGPU has no int64; convert to int32 or use the cpu device")),
            Type::F64 => Err(Error::dtype("kernel", "WebGPU has no float64; convert to float32 or use the cpu device")),
        }
    }

    /// The declaration of a value that does not change, up to its `=`.
    pub(super) fn declare(self, ty: Type, name: &str) -> Result<String> {
        let ty = self.type_name(ty)?;
        Ok(if self.is_cuda() { format!("const {ty} {name}") } else { format!("let {name}: {ty}") })
    }

    /// An int32 as it is written.
    pub(super) fn int(self, value: i32) -> String {
        let suffix = if self.is_cuda() { "" } else { "i" };
        match value {
            i32::MIN if self.is_cuda() => "i32(-2147483647 - 1)".to_string(),
            i32::MIN => "i32(-2147483648)".to_string(),
            _ => format!("{value}{suffix}"),
        }
    }

    /// A constant that parses back to the same bits.
    pub(super) fn constant(self, constant: Constant, zero: &str) -> Result<String> {
        self.type_name(constant.ty())?;
        Ok(match constant {
            Constant::Bool(v) => v.to_string(),
            Constant::U8(v) => format!("{v}u"),
            Constant::U32(v) => format!("{v}u"),
            Constant::I32(v) => self.int(v),
            Constant::I64(i64::MIN) => "i64(-9223372036854775807ll - 1)".to_string(),
            Constant::I64(v) => format!("{v}ll"),
            Constant::F32(bits) => {
                let v = f32::from_bits(bits);
                // NaN and infinity are refused as literals; subnormals and -0 may lose their bits on the way.
                if !v.is_finite() || v.is_subnormal() || bits == 1 << 31 {
                    return Ok(self.opaque(bits, zero));
                }
                // A compiler may read the literal as float64 first: the shortest decimal of the float32 could then be rounded twice.
                format!("{:?}f", f64::from(v))
            }
            Constant::F64(bits) => {
                let v = f64::from_bits(bits);
                if v.is_finite() { format!("{v:?}") } else { format!("bitcast<f64>({bits:#018x}ull)") }
            }
        })
    }

    /// A float32 from its bits, which a compiler of WGSL must not see.
    fn opaque(self, bits: u32, zero: &str) -> String {
        if self.is_cuda() { format!("bitcast<f32>({bits:#010x}u)") } else { format!("bitcast<f32>({bits:#010x}u | {zero})") }
    }

    /// The literal 0 (its bits may have a sign) as a factor; `value` is its name. WGSL may fold the product to 0, which is wrong for NaN and infinity.
    pub(super) fn zero_factor(self, bits: u32, zero: &str, value: String) -> String {
        if self.is_cuda() { value } else { self.opaque(bits, zero) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_keep_their_bits() {
        let constant = |constant| Language::Wgsl.constant(constant, "zero").unwrap();
        for bits in [0x3dcc_cccd, 0x0080_0000, 0x7f7f_ffff, 0x3f80_0001, 0x4b80_0001, 0x3eaa_aaab, 0x0da2_4260u32] {
            let printed = constant(Constant::F32(bits));
            let number = printed.strip_suffix('f').unwrap();
            assert_eq!(number.parse::<f32>().unwrap().to_bits(), bits, "{printed}");
            assert_eq!((number.parse::<f64>().unwrap() as f32).to_bits(), bits, "{printed}");
        }
        assert_eq!(constant(Constant::F32(f32::INFINITY.to_bits())), "bitcast<f32>(0x7f800000u | zero)");
        assert_eq!(constant(Constant::I32(i32::MIN)), "i32(-2147483648)");
    }
}
