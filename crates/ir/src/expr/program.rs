//! The flat form of expressions: one instruction per distinct node, in order of evaluation.

use super::{BinaryOp, Constant, Expr, Node, Type, UnaryOp};
use rustc_hash::FxHashMap;
use std::fmt::{self, Display, Formatter};

/// One step of a program. Operands are the numbers of earlier steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// The element of input `slot`.
    Input(usize),
    /// The launch parameter `slot`.
    Param(usize),
    /// A constant.
    Constant(Constant),
    /// The linear index of the element in the iteration space.
    Index,
    /// The affine index `slot` of the kernel.
    Affine(usize),
    /// A function of one value.
    Unary(UnaryOp, usize),
    /// A function of two values of one type.
    Binary(BinaryOp, usize, usize),
    /// `condition ? a : b`.
    Select(usize, usize, usize),
    /// Conversion to the step's type.
    Cast(usize),
    /// One random word from key and counter.
    Threefry([usize; 4]),
}

impl Instruction {
    /// The steps that the instruction reads.
    fn operands(&self) -> impl Iterator<Item = usize> {
        use Instruction::*;
        let (operands, count) = match *self {
            Input(_) | Param(_) | Constant(_) | Index | Affine(_) => ([0; 4], 0),
            Unary(_, a) | Cast(a) => ([a, 0, 0, 0], 1),
            Binary(_, a, b) => ([a, b, 0, 0], 2),
            Select(c, a, b) => ([c, a, b, 0], 3),
            Threefry(all) => (all, 4),
        };
        operands.into_iter().take(count)
    }

    /// The step's value over other operands. `at` returns the expression of a step.
    pub(crate) fn over(&self, ty: Type, at: impl Fn(usize) -> Expr) -> Expr {
        let node = match *self {
            Instruction::Input(slot) => Node::Input(slot),
            Instruction::Param(slot) => Node::Param(slot),
            Instruction::Constant(constant) => Node::Constant(constant),
            Instruction::Index => Node::Index,
            Instruction::Affine(slot) => Node::Affine(slot),
            Instruction::Unary(op, a) => Node::Unary(op, at(a)),
            Instruction::Binary(op, a, b) => Node::Binary(op, at(a), at(b)),
            Instruction::Select(c, a, b) => Node::Select(at(c), at(a), at(b)),
            Instruction::Cast(a) => Node::Cast(at(a)),
            Instruction::Threefry(all) => Node::Threefry(all.map(at)),
        };
        Expr::from_node(node, ty)
    }

    /// The instruction with the numbers of its operands replaced.
    fn renumber(&self, number: &[usize]) -> Instruction {
        use Instruction::*;
        match *self {
            Unary(op, a) => Unary(op, number[a]),
            Cast(a) => Cast(number[a]),
            Binary(op, a, b) => Binary(op, number[a], number[b]),
            Select(c, a, b) => Select(number[c], number[a], number[b]),
            Threefry(all) => Threefry(all.map(|operand| number[operand])),
            Input(_) | Param(_) | Constant(_) | Index | Affine(_) => self.clone(),
        }
    }
}

/// Expressions as a straight-line program, which a backend interprets or prints.
///
/// It is displayed as its steps and results, with `x` for inputs and `p` for parameters:
/// `v0 = x0; v1 = exp(v0) -> v1`.
///
/// ```
/// use lanthorn_ir::expr::{Expr, Program, Type};
/// let x = Expr::input(0, Type::F32);
/// let program = Program::new(&[x.tanh() * x.tanh()]);
/// assert_eq!(program.instructions.len(), 3); // load, tanh once, multiply
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// The steps, operands before users.
    pub instructions: Vec<(Instruction, Type)>,
    /// The step that holds each result.
    pub outputs: Vec<usize>,
}

impl Program {
    /// Flattens expressions. Shared nodes become one step, and a [`Function`](super::Function) is
    /// expanded to its definition.
    pub fn new(outputs: &[Expr]) -> Program {
        let order = Expr::topological(outputs);
        if order.iter().any(|expr| matches!(expr.node(), Node::Call(..))) {
            let expanded: Vec<Expr> = outputs.iter().map(Expr::expand).collect();
            return Program::new(&expanded);
        }
        let mut number: FxHashMap<Expr, usize> = FxHashMap::default();
        let mut instructions = Vec::new();
        for expr in order {
            let at = |operand: &Expr| number[operand];
            let instruction = match expr.node() {
                Node::Input(slot) => Instruction::Input(*slot),
                Node::Param(slot) => Instruction::Param(*slot),
                Node::Constant(constant) => Instruction::Constant(*constant),
                Node::Index => Instruction::Index,
                Node::Affine(slot) => Instruction::Affine(*slot),
                Node::Unary(op, a) => Instruction::Unary(*op, at(a)),
                Node::Binary(op, a, b) => Instruction::Binary(*op, at(a), at(b)),
                Node::Select(c, a, b) => Instruction::Select(at(c), at(a), at(b)),
                Node::Cast(a) => Instruction::Cast(at(a)),
                // All calls were expanded above.
                Node::Call(..) => continue,
                Node::Threefry([k0, k1, c0, c1]) => Instruction::Threefry([at(k0), at(k1), at(c0), at(c1)]),
            };
            instructions.push((instruction, expr.ty()));
            number.insert(expr, instructions.len() - 1);
        }
        Program { instructions, outputs: outputs.iter().map(|output| number[output]).collect() }
    }

    /// The program reduced to the results that are `kept`, without the steps that only the others
    /// need.
    ///
    /// ```
    /// use lanthorn_ir::expr::{Expr, Program, Type};
    /// let x = Expr::input(0, Type::F32);
    /// let program = Program::new(&[x.exp(), x.tanh()]);
    /// assert_eq!(program.with_results(&[false, true]), Program::new(&[x.tanh()]));
    /// ```
    pub fn with_results(&self, kept: &[bool]) -> Program {
        let outputs: Vec<usize> =
            self.outputs.iter().zip(kept).filter(|(_, kept)| **kept).map(|(step, _)| *step).collect();
        let mut needed = vec![false; self.instructions.len()];
        outputs.iter().for_each(|&step| needed[step] = true);
        for step in (0..self.instructions.len()).rev() {
            if needed[step] {
                self.instructions[step].0.operands().for_each(|operand| needed[operand] = true);
            }
        }
        let mut number = vec![0; self.instructions.len()];
        let mut instructions = Vec::new();
        for (step, (instruction, ty)) in self.instructions.iter().enumerate().filter(|(step, _)| needed[*step]) {
            number[step] = instructions.len();
            instructions.push((instruction.renumber(&number), *ty));
        }
        Program { instructions, outputs: outputs.into_iter().map(|step| number[step]).collect() }
    }

    /// The results as expressions over other inputs, with parameters renumbered from `first_param`
    /// on and the index replaced.
    ///
    /// ```
    /// use lanthorn_ir::expr::{Expr, Program, Type};
    /// let x = Expr::input(0, Type::F32);
    /// let square = Program::new(&[&x * &x]);
    /// assert_eq!(square.over(&[x.exp()], 0, &Expr::index()), [x.exp() * x.exp()]);
    /// ```
    pub fn over(&self, inputs: &[Expr], first_param: usize, index: &Expr) -> Vec<Expr> {
        self.over_indices(inputs, first_param, index, &[])
    }

    /// [`Program::over`] with other expressions for the affine indices. Indices beyond `affine` do
    /// not change.
    pub fn over_indices(&self, inputs: &[Expr], first_param: usize, index: &Expr, affine: &[Expr]) -> Vec<Expr> {
        let mut values: Vec<Expr> = Vec::with_capacity(self.instructions.len());
        for (instruction, ty) in &self.instructions {
            values.push(match instruction {
                Instruction::Input(slot) => inputs[*slot].clone(),
                Instruction::Param(slot) => Expr::param(first_param + slot, *ty),
                Instruction::Index => index.clone(),
                Instruction::Affine(slot) if *slot < affine.len() => affine[*slot].clone(),
                _ => instruction.over(*ty, |step| values[step].clone()),
            });
        }
        self.outputs.iter().map(|&step| values[step].clone()).collect()
    }

    /// Whether the program reads the linear index.
    pub fn uses_linear_index(&self) -> bool {
        self.instructions.iter().any(|(instruction, _)| matches!(instruction, Instruction::Index))
    }

    /// Whether the program reads the linear index or an affine one.
    pub fn uses_index(&self) -> bool {
        self.instructions
            .iter()
            .any(|(instruction, _)| matches!(instruction, Instruction::Index | Instruction::Affine(_)))
    }

    /// The type of a step's value.
    pub fn ty(&self, step: usize) -> Type {
        self.instructions[step].1
    }

    /// The number of launch parameters in use: the largest slot plus one.
    pub fn param_count(&self) -> usize {
        let slots = self.instructions.iter();
        slots.map(|(i, _)| if let Instruction::Param(slot) = i { slot + 1 } else { 0 }).max().unwrap_or(0)
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.instructions.is_empty() {
            return Ok(());
        }
        let values = |steps: &[usize]| steps.iter().map(|step| format!("v{step}")).collect::<Vec<_>>().join(", ");
        for (step, (instruction, ty)) in self.instructions.iter().enumerate() {
            write!(f, "{}v{step} = ", if step > 0 { "; " } else { "" })?;
            match instruction {
                Instruction::Input(slot) => write!(f, "x{slot}"),
                Instruction::Param(slot) => write!(f, "p{slot}"),
                Instruction::Constant(constant) => write!(f, "{constant}"),
                Instruction::Index => f.write_str("index"),
                Instruction::Affine(slot) => write!(f, "i{slot}"),
                Instruction::Unary(op, a) => write!(f, "{}(v{a})", op.name()),
                Instruction::Binary(op, a, b) => match op.symbol() {
                    Some(symbol) => write!(f, "v{a} {symbol} v{b}"),
                    None => write!(f, "{}(v{a}, v{b})", op.name()),
                },
                Instruction::Select(condition, a, b) => write!(f, "v{condition} ? v{a} : v{b}"),
                Instruction::Cast(a) => write!(f, "{}(v{a})", ty.name()),
                Instruction::Threefry(words) => write!(f, "threefry({})", values(words)),
            }?;
        }
        write!(f, " -> {}", values(&self.outputs))
    }
}
