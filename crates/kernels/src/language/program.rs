//! A [`Program`] as straight-line statements.
//!
//! The printer knows nothing of kernels: the caller names the inputs, the parameters and the index.
//! Functions that a language does not have, or has with less accuracy than PyTorch's tolerance, are
//! called by name and reported, so that a kernel includes only those that it needs.

use super::{Dialect, Language};
use lanthorn_ir::{
    Result,
    expr::{BinaryOp, Constant, Instruction, Program, Type},
};
use std::{collections::BTreeSet, fmt::Write};

/// The names of everything that the statements read but do not compute.
pub(crate) struct Names<'a> {
    /// The value of an input slot, as an expression of its type.
    pub(crate) input: &'a dyn Fn(usize) -> String,
    /// The value of a parameter slot, as an expression of its type.
    pub(crate) param: &'a dyn Fn(usize, Type) -> String,
    /// The linear index of the element, of type `u32`.
    pub(crate) index: &'a str,
    /// The value of an affine index, as an expression of type `i32`.
    pub(crate) affine: &'a dyn Fn(usize) -> String,
    /// A `u32` that is 0 at run time and unknown at compile time. Only WGSL needs it.
    pub(crate) zero: &'a str,
    /// The prefix of the name of each computed value.
    pub(crate) prefix: &'a str,
}

/// A program as text.
#[derive(Clone, Debug)]
pub(crate) struct Printed {
    /// One declaration per line.
    pub(crate) statements: String,
    /// The name and type of each output.
    pub(crate) outputs: Vec<(String, Type)>,
    /// The functions of `shaders/common` that are called.
    pub(crate) functions: BTreeSet<String>,
}

/// Prints a program.
///
/// # Errors
/// A dtype error for a type that the language does not have, or a function that the type does not
/// have.
pub(crate) fn print(language: Language, program: &Program, names: &Names) -> Result<Printed> {
    let mut printed = Printed { statements: String::new(), outputs: Vec::new(), functions: BTreeSet::new() };
    let functions = &mut printed.functions;
    for (step, (instruction, ty)) in program.instructions.iter().enumerate() {
        let value = |operand: usize| format!("{}{operand}", names.prefix);
        let text = match instruction {
            Instruction::Input(slot) => (names.input)(*slot),
            Instruction::Param(slot) => (names.param)(*slot, *ty),
            Instruction::Constant(c) => language.constant(*c, names.zero)?,
            Instruction::Index => names.index.to_string(),
            Instruction::Affine(slot) => (names.affine)(*slot),
            Instruction::Unary(op, a) => language.unary(*op, program.ty(*a), &value(*a), functions)?,
            Instruction::Binary(op @ (BinaryOp::ShiftLeft | BinaryOp::ShiftRight), a, b)
                if let Some(by) = constant_shift(program, *a, *b) =>
            {
                format!("{} {} {by}u", value(*a), if *op == BinaryOp::ShiftLeft { "<<" } else { ">>" })
            }
            Instruction::Binary(op, a, b) => {
                let factor = |operand: usize| match program.instructions[operand].0 {
                    Instruction::Constant(Constant::F32(bits)) if *op == BinaryOp::Mul && bits << 1 == 0 => {
                        language.zero_factor(bits, names.zero, value(operand))
                    }
                    _ => value(operand),
                };
                language.binary(*op, program.ty(*a), &factor(*a), &factor(*b), functions)?
            }
            Instruction::Select(c, a, b) => format!("select({}, {}, {})", value(*b), value(*a), value(*c)),
            Instruction::Cast(a) => language.convert(program.ty(*a), *ty, &value(*a), functions)?,
            Instruction::Threefry([k0, k1, c0, c1]) => {
                functions.insert("threefry".to_string());
                format!("threefry({}, {}, {}, {})", value(*k0), value(*k1), value(*c0), value(*c1))
            }
        };
        // Writing to a String does not fail.
        let _ = writeln!(printed.statements, "{} = {text};", language.declare(*ty, &value(step))?);
    }
    printed.outputs = program.outputs.iter().map(|&o| (format!("{}{o}", names.prefix), program.ty(o))).collect();
    Ok(printed)
}

/// The number of bits by which a word is shifted, if it is a constant for which the languages'
/// operators are defined.
fn constant_shift(program: &Program, word: usize, by: usize) -> Option<u32> {
    match program.instructions[by].0 {
        Instruction::Constant(Constant::U32(by @ 0..32)) if program.ty(word) == Type::U32 => Some(by),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_ir::expr::Expr;

    const NAMES: Names = Names {
        input: &|slot| format!("x{slot}"),
        param: &|slot, _| format!("p{slot}"),
        index: "i",
        affine: &|slot| format!("a{slot}"),
        zero: "zero",
        prefix: "v",
    };

    fn text(language: Language, roots: &[Expr]) -> Printed {
        print(language, &Program::new(roots), &NAMES).unwrap()
    }

    fn gelu() -> [Expr; 2] {
        let x = Expr::input(0, Type::F32);
        let gelu = 0.5 * &x * (1.0 + (&x * std::f64::consts::FRAC_1_SQRT_2).erf());
        [gelu.max(Expr::param(0, Type::F32)), x.cast(Type::U8)]
    }

    #[test]
    fn a_formula_reads_as_statements() {
        let printed = text(Language::Wgsl, &gelu());
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
        assert_eq!(printed.functions, BTreeSet::from(["erf_f32", "max_f32", "u8_of_f32"].map(String::from)));
    }

    #[test]
    fn zero_times_a_value_is_not_folded() {
        let printed = text(Language::Wgsl, &[Expr::input(0, Type::F32) * 0.0]);
        assert!(printed.statements.contains("v0 * bitcast<f32>(0x00000000u | zero)"), "{}", printed.statements);
    }

    #[test]
    fn float64_is_refused() {
        assert!(print(Language::Wgsl, &Program::new(&[Expr::input(0, Type::F64)]), &NAMES).unwrap_err().is_dtype());
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn the_same_formula_in_cuda() {
        insta::assert_snapshot!(text(Language::Cuda, &gelu()).statements, @r"
        const f32 v0 = 0.5f;
        const f32 v1 = x0;
        const f32 v2 = v0 * v1;
        const f32 v3 = 1.0f;
        const f32 v4 = 0.7071067690849304f;
        const f32 v5 = v1 * v4;
        const f32 v6 = erf_f32(v5);
        const f32 v7 = v3 + v6;
        const f32 v8 = v2 * v7;
        const f32 v9 = p0;
        const f32 v10 = max_f32(v8, v9);
        const u32 v11 = u8_of_f32(v1);
        ");
        let (x, j) = (Expr::input(0, Type::F64), Expr::input(1, Type::I64));
        insta::assert_snapshot!(text(Language::Cuda, &[x.pow(2.5) * 0.0, j.binary(BinaryOp::Div, &(&j + 1.0)), j.cast(Type::F64)]).statements, @r"
        const f64 v0 = x0;
        const f64 v1 = 2.5;
        const f64 v2 = pow_f64(v0, v1);
        const f64 v3 = 0.0;
        const f64 v4 = v2 * v3;
        const i64 v5 = x1;
        const i64 v6 = 1ll;
        const i64 v7 = add_i64(v5, v6);
        const i64 v8 = div_i64(v5, v7);
        const f64 v9 = f64(v5);
        ");
    }
}
