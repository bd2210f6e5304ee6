//! The WGSL printer.
//!
//! WGSL lets an implementation assume that NaN and infinity never occur, gives its functions loose error bounds, and divides integers by
//! zero in its own way. So everything that is sensitive to that is a call to a function of our own (`exp_f32`, `max_f32`, `div_i32`), and a
//! constant that is not an ordinary number is made from bits that the compiler cannot see through ([`Names::zero`]).
//!
//! A value of [`Type::U8`] is a `u32` below 256, masked after what may leave that range. [`Type::Bool`] is `bool` here and a `u32` in memory.

use crate::{
    Error, Result,
    expr::{BinaryOp, Constant, Instruction, Program, Type, UnaryOp},
};
use std::{collections::BTreeSet, fmt::Write};

/// What the printed statements call the things that they do not compute.
pub struct Names<'a> {
    /// The value of an input slot, as an expression of its type.
    pub input: &'a dyn Fn(usize) -> String,
    /// The value of a parameter slot, as an expression of its type.
    pub param: &'a dyn Fn(usize, Type) -> String,
    /// The linear index of the element, of type `u32`.
    pub index: &'a str,
    /// A `u32` that is 0 at run time and unknown when the shader is compiled.
    pub zero: &'a str,
    /// What the name of each value starts with.
    pub prefix: &'a str,
}

/// A program as WGSL.
#[derive(Clone, Debug)]
pub struct Printed {
    /// A `let` a line.
    pub statements: String,
    /// The name and type of each output.
    pub outputs: Vec<(String, Type)>,
    /// The functions that are called and must be defined; see `shaders/common`.
    pub functions: BTreeSet<&'static str>,
}

/// The WGSL name of a type. Float64 and int64 have none.
pub fn type_name(ty: Type) -> Result<&'static str> {
    match ty {
        Type::Bool => Ok("bool"),
        Type::U8 | Type::U32 => Ok("u32"),
        Type::I32 => Ok("i32"),
        Type::F32 => Ok("f32"),
        Type::I64 => Err(Error::dtype("kernel", "WebGPU has no int64; convert to int32 or use the cpu device")),
        Type::F64 => Err(Error::dtype("kernel", "WebGPU has no float64; convert to float32 or use the cpu device")),
    }
}

/// Prints a program.
///
/// ```
/// use lanthorn_ir::{expr::{Expr, Program, Type}, print::wgsl};
/// let x = Expr::input(0, Type::F32);
/// let names = wgsl::Names {
///     input: &|slot| format!("x{slot}"),
///     param: &|slot, _| format!("p{slot}"),
///     index: "i",
///     zero: "zero",
///     prefix: "v",
/// };
/// let printed = wgsl::print(&Program::new(&[x.exp() + 1.0]), &names).unwrap();
/// assert_eq!(printed.statements, "let v0: f32 = x0;\nlet v1: f32 = exp_f32(v0);\nlet v2: f32 = 1.0f;\nlet v3: f32 = v1 + v2;\n");
/// assert!(printed.functions.contains("exp_f32"));
/// ```
pub fn print(program: &Program, names: &Names) -> Result<Printed> {
    let mut printed = Printed { statements: String::new(), outputs: Vec::new(), functions: BTreeSet::new() };
    let functions = &mut printed.functions;
    for (step, (instruction, ty)) in program.instructions.iter().enumerate() {
        let value = |operand: usize| format!("{}{operand}", names.prefix);
        let text = match instruction {
            Instruction::Input(slot) => (names.input)(*slot),
            Instruction::Param(slot) => (names.param)(*slot, *ty),
            Instruction::Constant(c) => constant(*c, names.zero)?,
            Instruction::Index => names.index.to_string(),
            Instruction::Unary(op, a) => unary(*op, program.ty(*a), &value(*a), functions)?,
            Instruction::Binary(op, a, b) => {
                // A product with the literal 0 may be folded to 0, which is wrong for NaN and infinity.
                let factor = |operand: usize| match program.instructions[operand].0 {
                    Instruction::Constant(Constant::F32(bits)) if *op == BinaryOp::Mul && bits << 1 == 0 => {
                        opaque(bits, names.zero)
                    }
                    _ => value(operand),
                };
                binary(*op, program.ty(*a), &factor(*a), &factor(*b), functions)?
            }
            Instruction::Select(c, a, b) => format!("select({}, {}, {})", value(*b), value(*a), value(*c)),
            Instruction::Cast(a) => convert(program.ty(*a), *ty, &value(*a), functions)?,
            Instruction::Threefry([k0, k1, c0, c1]) => {
                functions.insert("threefry");
                format!("threefry({}, {}, {}, {})", value(*k0), value(*k1), value(*c0), value(*c1))
            }
        };
        // Writing to a String does not fail.
        let _ = writeln!(printed.statements, "let {}{step}: {} = {text};", names.prefix, type_name(*ty)?);
    }
    printed.outputs = program.outputs.iter().map(|&o| (format!("{}{o}", names.prefix), program.ty(o))).collect();
    Ok(printed)
}

/// A float32 from bits that the compiler does not see.
fn opaque(bits: u32, zero: &str) -> String {
    format!("bitcast<f32>({bits:#010x}u | {zero})")
}

/// A constant that parses back to the same bits.
fn constant(constant: Constant, zero: &str) -> Result<String> {
    Ok(match constant {
        Constant::Bool(v) => v.to_string(),
        Constant::U8(v) => format!("{v}u"),
        Constant::U32(v) => format!("{v}u"),
        Constant::I32(i32::MIN) => "i32(-2147483648)".to_string(),
        Constant::I32(v) => format!("{v}i"),
        Constant::F32(bits) => {
            let v = f32::from_bits(bits);
            // NaN and infinity are refused as literals; subnormals and -0 may lose their bits on the way.
            if !v.is_finite() || v.is_subnormal() || bits == 1 << 31 {
                return Ok(opaque(bits, zero));
            }
            // A compiler may read the literal as float64 first: the shortest decimal of the float32 could then be rounded twice.
            format!("{:?}f", f64::from(v))
        }
        Constant::I64(_) | Constant::F64(_) => type_name(constant.ty())?.to_string(),
    })
}

/// Converts a value by PyTorch's rules for `to`. What those leave open is as on the CPU: float to int32 saturates, to a narrower or unsigned type it
/// wraps, and NaN gives 0.
pub fn convert(from: Type, to: Type, a: &str, functions: &mut BTreeSet<&'static str>) -> Result<String> {
    let mut call = |function: &'static str| {
        functions.insert(function);
        format!("{function}({a})")
    };
    type_name(from)?;
    type_name(to)?;
    Ok(match (from, to) {
        (from, to) if from == to => a.to_string(),
        (Type::F32, Type::Bool) => call("bool_of_f32"),
        (Type::F32, Type::I32) => call("i32_of_f32"),
        (Type::F32, Type::U32) => call("u32_of_f32"),
        (Type::F32, Type::U8) => call("u8_of_f32"),
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

fn unsupported(name: &str, ty: Type) -> Error {
    Error::dtype("kernel", format!("{name} of {} has no WGSL form", ty.name()))
}

fn unary(op: UnaryOp, ty: Type, a: &str, functions: &mut BTreeSet<&'static str>) -> Result<String> {
    use UnaryOp::*;
    let mut call = |function: &'static str| {
        functions.insert(function);
        format!("{function}({a})")
    };
    Ok(match (op, ty) {
        (Neg, Type::U8) => format!("((0u - {a}) & 255u)"),
        (Neg, Type::U32) => format!("(0u - {a})"),
        (Neg, Type::I32 | Type::F32) => format!("-{a}"),
        (Abs, Type::I32) => format!("abs({a})"),
        (Abs, Type::F32) => format!("bitcast<f32>(bitcast<u32>({a}) & 0x7fffffffu)"),
        (Sign, Type::U8 | Type::U32) => format!("min({a}, 1u)"),
        (Sign, Type::I32) => format!("sign({a})"),
        (Sign, Type::F32) => call("sign_f32"),
        (Not, Type::Bool) => format!("!{a}"),
        (Not, Type::U8) => format!("(~{a} & 255u)"),
        (Not, Type::U32 | Type::I32) => format!("~{a}"),
        (IsNan, Type::F32) => call("is_nan"),
        (IsNan, _) => "false".to_string(),
        (Abs | Sign, Type::Bool)
        | (Abs, Type::U8 | Type::U32)
        | (Floor | Ceil | Round | Trunc, Type::U8 | Type::U32 | Type::I32) => a.to_string(),
        (Exp, Type::F32) => call("exp_f32"),
        (Expm1, Type::F32) => call("expm1_f32"),
        (Log, Type::F32) => call("log_f32"),
        (Log1p, Type::F32) => call("log1p_f32"),
        (Sqrt, Type::F32) => call("sqrt_f32"),
        (Sin, Type::F32) => call("sin_f32"),
        (Cos, Type::F32) => call("cos_f32"),
        (Tanh, Type::F32) => call("tanh_f32"),
        (Erf, Type::F32) => call("erf_f32"),
        (Floor, Type::F32) => call("floor_f32"),
        (Ceil, Type::F32) => call("ceil_f32"),
        (Round, Type::F32) => call("round_f32"),
        (Trunc, Type::F32) => call("trunc_f32"),
        (Mantissa, Type::F32) => call("mantissa_f32"),
        (Exponent, Type::F32) => call("exponent_f32"),
        (ToF16, Type::F32) => call("to_f16"),
        (ToBF16, Type::F32) => call("to_bf16"),
        _ => return Err(unsupported(op.name(), ty)),
    })
}

/// A function of two values, as an expression; what it calls is added to `functions`.
pub fn binary(op: BinaryOp, ty: Type, a: &str, b: &str, functions: &mut BTreeSet<&'static str>) -> Result<String> {
    use BinaryOp::*;
    let mut call = |function: &'static str| {
        functions.insert(function);
        format!("{function}({a}, {b})")
    };
    Ok(match (op, ty) {
        (Normal, Type::U32) => call("normal"),
        (_, Type::Bool) => match op {
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
        (CheckIndex, Type::I32) => call("check_index"),
        (_, Type::F32) => match op {
            Add | Sub | Mul | Div => format!("{a} {} {b}", infix(op)),
            Eq => call("eq_f32"),
            Ne => call("ne_f32"),
            Lt => call("lt_f32"),
            Le => call("le_f32"),
            Gt => call("gt_f32"),
            Ge => call("ge_f32"),
            Max => call("max_f32"),
            Min => call("min_f32"),
            Rem => call("rem_f32"),
            Pow => call("pow_f32"),
            CopySign => call("copysign_f32"),
            NextAfter => call("nextafter_f32"),
            _ => return Err(unsupported(op.name(), ty)),
        },
        (Add | Sub | Mul, Type::U8) => format!("(({a} {} {b}) & 255u)", infix(op)),
        (Pow, Type::U8) => format!("({} & 255u)", call("pow_u32")),
        (Add | Sub | Mul | And | Or | Xor | Eq | Ne | Lt | Le | Gt | Ge, _) => format!("({a} {} {b})", infix(op)),
        (Max, _) => format!("max({a}, {b})"),
        (Min, _) => format!("min({a}, {b})"),
        (Div, Type::I32) => call("div_i32"),
        (Rem, Type::I32) => call("rem_i32"),
        (ShiftLeft, Type::I32) => call("shift_left_i32"),
        (ShiftRight, Type::I32) => call("shift_right_i32"),
        (Gcd, Type::I32) => call("gcd_i32"),
        (ShiftLeft, Type::U8) => format!("({} & 255u)", call("shift_left_u32")),
        (ShiftLeft, Type::U32) => call("shift_left_u32"),
        (ShiftRight, Type::U8 | Type::U32) => call("shift_right_u32"),
        (Gcd, Type::U8 | Type::U32) => call("gcd_u32"),
        (Pow, Type::I32) => call("pow_i32"),
        (Div, Type::U8 | Type::U32) => call("div_u32"),
        (Rem, Type::U8 | Type::U32) => call("rem_u32"),
        (Pow, Type::U32) => call("pow_u32"),
        _ => return Err(unsupported(op.name(), ty)),
    })
}

fn infix(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Ne => "!=",
        other => other.symbol().unwrap_or("?"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Expr;

    fn text(roots: &[Expr]) -> Printed {
        let names = Names {
            input: &|slot| format!("x{slot}"),
            param: &|slot, _| format!("p{slot}"),
            index: "i",
            zero: "zero",
            prefix: "v",
        };
        print(&Program::new(roots), &names).unwrap()
    }

    #[test]
    fn constants_keep_their_bits() {
        for bits in [0x3dcc_cccd, 0x0080_0000, 0x7f7f_ffff, 0x3f80_0001, 0x4b80_0001, 0x3eaa_aaab, 0x0da2_4260u32] {
            let printed = constant(Constant::F32(bits), "zero").unwrap();
            let number = printed.strip_suffix('f').unwrap();
            assert_eq!(number.parse::<f32>().unwrap().to_bits(), bits, "{printed}");
            assert_eq!((number.parse::<f64>().unwrap() as f32).to_bits(), bits, "{printed}");
        }
        assert_eq!(constant(Constant::F32(f32::INFINITY.to_bits()), "zero").unwrap(), "bitcast<f32>(0x7f800000u | zero)");
        assert_eq!(constant(Constant::I32(i32::MIN), "zero").unwrap(), "i32(-2147483648)");
    }

    #[test]
    fn a_formula_reads_as_statements() {
        let x = Expr::input(0, Type::F32);
        let gelu = 0.5 * &x * (1.0 + (&x * std::f64::consts::FRAC_1_SQRT_2).erf());
        let printed = text(&[gelu.max(Expr::param(0, Type::F32)), x.cast(Type::U8)]);
        insta::assert_snapshot!(printed.statements, @r"
        let v0: f32 = 0.5f;
        let v1: f32 = x0;
        let v2: f32 = v0 * v1;
        let v3: f32 = 1.0f;
        let v4: f32 = 0.7071067690849304f;
        let v5: f32 = v1 * v4;
        let v6: f32 = erf_f32(v5);
        let v7: f32 = v3 + v6;
        let v8: f32 = v2 * v7;
        let v9: f32 = p0;
        let v10: f32 = max_f32(v8, v9);
        let v11: u32 = u8_of_f32(v1);
        ");
        assert_eq!(printed.functions, BTreeSet::from(["erf_f32", "max_f32", "u8_of_f32"]));
    }

    #[test]
    fn zero_times_a_value_is_not_folded() {
        let printed = text(&[Expr::input(0, Type::F32) * 0.0]);
        assert!(printed.statements.contains("v0 * bitcast<f32>(0x00000000u | zero)"), "{}", printed.statements);
    }

    #[test]
    fn float64_is_refused() {
        let names = Names { input: &|_| String::new(), param: &|_, _| String::new(), index: "i", zero: "z", prefix: "v" };
        assert!(print(&Program::new(&[Expr::input(0, Type::F64)]), &names).unwrap_err().is_dtype());
    }
}
