//! The cost of an instruction, relative to an addition.
//!
//! A [`CostModel`] is a table: a weight for each class of [`Instruction`]. The compiler estimates
//! three quantities, so there are three tables: the length of the generated code, the work that
//! fusion repeats by computing a value twice, and the time of a vectorized interpreter. All have
//! the same unit: one elementary arithmetic operation (an addition) is 1.
//!
//! Rejected: measured times. They differ between devices, and a decision that depends on them would
//! lead to different programs on each.

use super::{BinaryOp, Instruction, Program, UnaryOp};

/// The weight of each class of instruction. The unit is one addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostModel {
    /// Inputs, parameters, constants and the index: values that are there already.
    pub leaf: u32,
    /// Addition, multiplication, comparison, selection, conversion, bitwise and rounding functions.
    pub simple: u32,
    /// Division and square root: one slow instruction of the hardware.
    pub division: u32,
    /// The remainder.
    pub remainder: u32,
    /// The greatest common divisor: a loop.
    pub gcd: u32,
    /// Rounding to float16 in integer arithmetic.
    pub to_f16: u32,
    /// Exponentials, logarithms, tanh and erf: a polynomial.
    pub transcendental: u32,
    /// Sine and cosine: a polynomial after a full range reduction.
    pub trigonometric: u32,
    /// Powers and normal deviates: several polynomials.
    pub power: u32,
    /// A random word: 20 rounds of Threefry.
    pub threefry: u32,
}

impl CostModel {
    /// The number of instructions that a device's compiler generates for the printed text. It
    /// limits how often a program is unrolled.
    pub const CODE_SIZE: CostModel = CostModel {
        leaf: 1,
        simple: 1,
        division: 1,
        remainder: 15,
        gcd: 15,
        to_f16: 15,
        transcendental: 15,
        trigonometric: 40,
        power: 40,
        threefry: 40,
    };

    /// The work of computing a value again instead of storing and reading it, for decisions about
    /// fusion. Leaves are free, because the caller counts the operands that are read.
    pub const RECOMPUTE: CostModel = CostModel {
        leaf: 0,
        simple: 1,
        division: 1,
        remainder: 1,
        gcd: 1,
        to_f16: 1,
        transcendental: 8,
        trigonometric: 8,
        power: 8,
        threefry: 40,
    };

    /// The time per element of a CPU's vector loops, for the choice between keeping a block of
    /// values and computing it again.
    pub const VECTOR_TIME: CostModel = CostModel {
        leaf: 1,
        simple: 1,
        division: 3,
        remainder: 3,
        gcd: 20,
        to_f16: 1,
        transcendental: 8,
        trigonometric: 8,
        power: 20,
        threefry: 20,
    };

    /// The cost of one instruction, its operands not included.
    pub fn of(&self, instruction: &Instruction) -> u32 {
        match instruction {
            Instruction::Input(_) | Instruction::Param(_) | Instruction::Constant(_) | Instruction::Index => self.leaf,
            // A multiplication and an addition per element.
            Instruction::Affine(_) => self.simple,
            Instruction::Threefry(_) => self.threefry,
            Instruction::Binary(op, ..) => match op {
                BinaryOp::Div => self.division,
                BinaryOp::Rem => self.remainder,
                BinaryOp::Gcd => self.gcd,
                BinaryOp::Pow | BinaryOp::Normal => self.power,
                _ => self.simple,
            },
            Instruction::Unary(op, _) => match op {
                UnaryOp::Sqrt => self.division,
                UnaryOp::ToF16 => self.to_f16,
                UnaryOp::Sin | UnaryOp::Cos => self.trigonometric,
                op if op.is_transcendental() => self.transcendental,
                _ => self.simple,
            },
            Instruction::Select(..) | Instruction::Cast(_) => self.simple,
        }
    }

    /// The cost of all instructions of a program.
    ///
    /// ```
    /// use lanthorn_ir::expr::{CostModel, Expr, Program, Type};
    /// let x = Expr::input(0, Type::F32);
    /// let program = Program::new(&[x.exp() + 1.0]);
    /// assert_eq!(CostModel::RECOMPUTE.of_program(&program), 9);
    /// ```
    pub fn of_program(&self, program: &Program) -> usize {
        program.instructions.iter().map(|(instruction, _)| self.of(instruction) as usize).sum()
    }
}
