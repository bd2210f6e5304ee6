//! A program prepared to run: registers are assigned by liveness, and values that are equal for all
//! elements are computed once.
//!
//! A step that depends only on constants, parameters and one-element inputs belongs to the prelude,
//! which runs once a launch. Adam's `1 - beta ^ t` is then one power, not one for each element. The
//! other steps write to registers, which are reused as soon as their values are dead, or directly
//! to the output.

use super::REGISTER_BYTES;
use lanthorn_ir::{
    Error, Result,
    expr::{BinaryOp, Constant, Instruction, Program, Type, UnaryOp},
};

/// The location of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Register(usize),
    Input(usize),
    Output(usize),
}

/// The operation of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    Unary(UnaryOp, Location),
    Binary(BinaryOp, Location, Location),
    Select(Location, Location, Location),
    Cast(Location),
    Threefry([Location; 4]),
    Move(Location),
}

/// One loop over a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub action: Action,
    /// The type of the operands. For a selection, the type of the two alternatives.
    pub from: Type,
    /// The type of the result.
    pub to: Type,
    pub target: Location,
}

/// A number that fills a register before the first block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scalar {
    Constant(Constant),
    Param(usize),
}

/// The types of a program's slots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Slots {
    /// The type of each input, and whether the input is one element for all.
    pub inputs: Vec<(Type, bool)>,
    /// Whether each affine index is one number for all elements.
    pub indices: Vec<bool>,
}

/// A program prepared to run.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub scalars: Vec<(usize, Scalar)>,
    pub prelude: Vec<Step>,
    pub body: Vec<Step>,
    pub registers: usize,
    /// The location of each result after a block. Stored results are in outputs.
    pub results: Vec<(Location, Type)>,
    /// The number of input slots. The linear index and the affine indices follow them.
    pub inputs: usize,
    /// For each input slot and each index, whether a step reads it.
    pub reads: Vec<bool>,
    /// Number of elements of a block.
    pub block: usize,
}

/// The size of a value in a register.
pub(crate) const fn size_of_type(ty: Type) -> usize {
    match ty {
        Type::Bool | Type::U8 => 1,
        Type::I32 | Type::U32 | Type::F32 => 4,
        Type::I64 | Type::F64 => 8,
    }
}

impl Code {
    /// Prepares a program. Results from number `stored` on are stored. Callers read the results
    /// before that after each block.
    pub fn new(op: &str, program: &Program, slots: &Slots, params: &[Type], stored: usize) -> Result<Code> {
        check(op, program, slots, params)?;
        let (steps, inputs) = (&program.instructions, slots.inputs.len());
        let uniform = uniform_steps(program, slots);
        let last_use = last_uses(program);
        let mut code = Code {
            scalars: vec![],
            prelude: vec![],
            body: vec![],
            registers: 0,
            results: vec![],
            inputs,
            reads: vec![false; inputs + 1 + slots.indices.len()],
            block: REGISTER_BYTES / steps.iter().map(|(_, ty)| size_of_type(*ty)).max().unwrap_or(4).max(4),
        };
        let mut locations: Vec<Location> = Vec::with_capacity(steps.len());
        let mut free: Vec<usize> = vec![];
        for (number, (instruction, ty)) in steps.iter().enumerate() {
            let at = |operand: &usize| locations[*operand];
            let (action, first) = match instruction {
                Instruction::Input(_) | Instruction::Index | Instruction::Affine(_) => {
                    let slot = match instruction {
                        Instruction::Input(slot) => *slot,
                        Instruction::Affine(slot) => inputs + 1 + slot,
                        _ => inputs,
                    };
                    code.reads[slot] = true;
                    locations.push(Location::Input(slot));
                    continue;
                }
                Instruction::Param(_) | Instruction::Constant(_) => {
                    let scalar = match instruction {
                        Instruction::Constant(constant) => Scalar::Constant(*constant),
                        Instruction::Param(slot) => Scalar::Param(*slot),
                        _ => continue,
                    };
                    code.scalars.push((code.registers, scalar));
                    locations.push(Location::Register(code.registers));
                    code.registers += 1;
                    continue;
                }
                Instruction::Unary(op, a) => (Action::Unary(*op, at(a)), *a),
                Instruction::Binary(op, a, b) => (Action::Binary(*op, at(a), at(b)), *a),
                Instruction::Select(c, a, b) => (Action::Select(at(c), at(a), at(b)), *a),
                Instruction::Cast(a) => (Action::Cast(at(a)), *a),
                Instruction::Threefry(words) => (Action::Threefry([0, 1, 2, 3].map(|i| at(&words[i]))), words[0]),
            };
            // The register of a scalar is never reused, because the prelude fills it once for all
            // blocks.
            let mut outputs = program.outputs.iter().enumerate().skip(stored);
            let output = outputs.find(|&(_, &output)| output == number && !uniform[number]);
            let reused = if uniform[number] { None } else { free.pop() };
            let target = match output {
                Some((output, _)) => {
                    free.extend(reused);
                    Location::Output(output - stored)
                }
                None => Location::Register(reused.unwrap_or_else(|| {
                    code.registers += 1;
                    code.registers - 1
                })),
            };
            locations.push(target);
            let step = Step { action, from: program.ty(first), to: *ty, target };
            if uniform[number] {
                code.prelude.push(step)
            } else {
                code.body.push(step)
            }
            for operand in operands(instruction) {
                if last_use[operand] == number
                    && !uniform[operand]
                    && let Location::Register(register) = locations[operand]
                    && !free.contains(&register)
                {
                    free.push(register);
                }
            }
        }
        for (number, &output) in program.outputs.iter().enumerate() {
            let (location, ty) = (locations[output], program.ty(output));
            let written = number.checked_sub(stored).map(Location::Output);
            if let Some(target) = written.filter(|&written| written != location) {
                code.body.push(Step { action: Action::Move(location), from: ty, to: ty, target });
            }
            code.results.push((written.unwrap_or(location), ty));
        }
        Ok(code)
    }

    /// The types of the results, in order.
    pub fn types(&self) -> impl Iterator<Item = Type> {
        self.results.iter().map(|(_, ty)| *ty)
    }

    /// Whether the only result is the first input itself.
    pub fn is_identity(&self) -> bool {
        match self.body.as_slice() {
            [] => self.results.iter().all(|(location, _)| *location == Location::Input(0)),
            [Step { action: Action::Move(Location::Input(0)), .. }] => true,
            _ => false,
        }
    }
}

/// The steps whose results an instruction reads.
pub(crate) fn operands(instruction: &Instruction) -> Vec<usize> {
    match instruction {
        Instruction::Input(_)
        | Instruction::Param(_)
        | Instruction::Constant(_)
        | Instruction::Index
        | Instruction::Affine(_) => {
            vec![]
        }
        Instruction::Unary(_, a) | Instruction::Cast(a) => vec![*a],
        Instruction::Binary(_, a, b) => vec![*a, *b],
        Instruction::Select(c, a, b) => vec![*c, *a, *b],
        Instruction::Threefry(words) => words.to_vec(),
    }
}

/// The instruction with renumbered operands.
pub(crate) fn remap(instruction: &Instruction, number: impl Fn(usize) -> usize) -> Instruction {
    match instruction {
        leaf @ (Instruction::Input(_)
        | Instruction::Param(_)
        | Instruction::Constant(_)
        | Instruction::Index
        | Instruction::Affine(_)) => leaf.clone(),
        Instruction::Unary(op, a) => Instruction::Unary(*op, number(*a)),
        Instruction::Cast(a) => Instruction::Cast(number(*a)),
        Instruction::Binary(op, a, b) => Instruction::Binary(*op, number(*a), number(*b)),
        Instruction::Select(c, a, b) => Instruction::Select(number(*c), number(*a), number(*b)),
        Instruction::Threefry(words) => Instruction::Threefry(words.map(number)),
    }
}

fn uniform_steps(program: &Program, slots: &Slots) -> Vec<bool> {
    let mut uniform = Vec::with_capacity(program.instructions.len());
    for (instruction, _) in &program.instructions {
        uniform.push(match instruction {
            Instruction::Input(slot) => slots.inputs[*slot].1,
            Instruction::Affine(slot) => slots.indices[*slot],
            Instruction::Index => false,
            other => operands(other).iter().all(|&operand| uniform[operand]),
        });
    }
    uniform
}

/// The last step that reads each value. Results are read after all steps.
fn last_uses(program: &Program) -> Vec<usize> {
    let mut last = vec![0; program.instructions.len()];
    for (number, (instruction, _)) in program.instructions.iter().enumerate() {
        operands(instruction).into_iter().for_each(|operand| last[operand] = number);
    }
    program.outputs.iter().for_each(|&output| last[output] = usize::MAX);
    last
}

/// Returns an error for a program that the loops cannot run: missing slots, or operations that a
/// type does not have.
fn check(op: &str, program: &Program, slots: &Slots, params: &[Type]) -> Result<()> {
    let broken = |number: usize, what: &str| {
        let (instruction, ty) = &program.instructions[number];
        Err(Error::kernel(op, format!("{what} in step {number} of a program: {instruction:?} of type {}", ty.name())))
    };
    for (number, (instruction, ty)) in program.instructions.iter().enumerate() {
        if operands(instruction).iter().any(|&operand| operand >= number) {
            return broken(number, "an operand that is not computed yet");
        }
        let of = |operand: usize| program.ty(operand);
        let fits = match instruction {
            Instruction::Input(slot) => slots.inputs.get(*slot).is_some_and(|input| input.0 == *ty),
            Instruction::Affine(slot) => *slot < slots.indices.len() && *ty == Type::I32,
            Instruction::Param(slot) => params.get(*slot) == Some(ty),
            Instruction::Constant(constant) => constant.ty() == *ty,
            Instruction::Index => *ty == Type::U32,
            Instruction::Unary(op, a) => op.result(of(*a)) == *ty && super::unary::supports(*op, of(*a)),
            Instruction::Binary(op, a, b) => {
                of(*a) == of(*b) && op.result(of(*a)) == *ty && super::binary::supports(*op, of(*a))
            }
            Instruction::Select(c, a, b) => of(*c) == Type::Bool && of(*a) == *ty && of(*b) == *ty,
            Instruction::Cast(_) => true,
            Instruction::Threefry(words) => *ty == Type::U32 && words.iter().all(|&word| of(word) == Type::U32),
        };
        if !fits {
            return broken(number, "types or slots that do not fit");
        }
    }
    match program.outputs.iter().all(|&output| output < program.instructions.len()) {
        true => Ok(()),
        false => Err(Error::kernel(op, "a program has an output that no step computes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_ir::expr::Expr;

    fn x(slot: usize) -> Expr {
        Expr::input(slot, Type::F32)
    }

    fn slots(ty: Type) -> Slots {
        Slots { inputs: vec![(ty, false)], indices: vec![] }
    }

    #[test]
    fn scalars_leave_the_loop_and_dead_registers_are_used_again() {
        let p = Expr::param(0, Type::F32);
        let y = ((x(0) + (1.0 - p.pow(2.0))).exp() * 2.0).tanh().sin();
        let code = Code::new("test", &Program::new(&[y]), &slots(Type::F32), &[Type::F32], 0).unwrap();
        assert_eq!((code.prelude.len(), code.body.len()), (2, 5));
        // Three constants and a parameter, two in the prelude, and two that alternate.
        assert!(code.registers <= 4 + 2 + 2, "{code:?}");
        assert_eq!(code.body.last().unwrap().target, Location::Output(0));
    }

    #[test]
    fn a_block_is_as_long_as_a_register_holds_of_the_widest_type() {
        let block = |expr: Expr, ty| Code::new("test", &Program::new(&[expr]), &slots(ty), &[], 0).unwrap().block;
        assert_eq!(block(x(0).exp(), Type::F32), 1024);
        assert_eq!(block(x(0).cast(Type::F64), Type::F32), 512);
    }

    #[test]
    fn refuses_what_cannot_run() {
        let program = Program::new(&[x(1)]);
        assert!(Code::new("test", &program, &slots(Type::F32), &[], 0).unwrap_err().is_kernel());
        let sine_of_bool = Program::new(&[Expr::input(0, Type::Bool).sin()]);
        assert!(Code::new("test", &sine_of_bool, &slots(Type::Bool), &[], 0).is_err());
    }
}
