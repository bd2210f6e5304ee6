//! Numbers of the host that change from call to call, as PyTorch's `SymFloat`.
//!
//! A [`HostNumber`] is a learning rate, a count of steps, the offset of a random generator. Numbers
//! that a function computes from it during a recording are kept as formulas, so that a replay
//! computes them again and passes them to the kernels as launch parameters. Outside of a recording
//! a [`SymFloat`] is a plain number.

use super::capture;
use crate::{Generator, Operand, Scalar};
use std::{
    cell::Cell,
    cmp::Ordering,
    ops::{Add, Div, Mul, Neg, Sub},
    rc::Rc,
};

/// A number of the host that compiled functions read and write. Cloning shares it.
#[derive(Clone, Debug, Default)]
pub struct HostNumber(Rc<Cell<f64>>);

impl HostNumber {
    /// A number with this value.
    pub fn new(value: f64) -> HostNumber {
        HostNumber(Rc::new(Cell::new(value)))
    }

    /// The number, as something to compute with.
    pub fn get(&self) -> SymFloat {
        SymFloat { value: self.0.get(), node: capture::with(|capture| capture.formulas.read(self)).flatten() }
    }

    /// The number as it is, for a caller that keeps it: a recording does not notice.
    pub fn value(&self) -> f64 {
        self.0.get()
    }

    /// Writes the number. A replay writes the value of the same formula at that time.
    pub fn set(&self, number: impl Into<SymFloat>) {
        let number = number.into();
        capture::with(|capture| capture.formulas.write(self, number));
        self.0.set(number.value);
    }

    fn key(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }
}

/// A number with the formula that it was computed by, if it may change.
#[derive(Clone, Copy, Debug)]
pub struct SymFloat {
    value: f64,
    node: Option<u32>,
}

impl SymFloat {
    /// The value of now.
    pub(crate) fn value(self) -> f64 {
        self.value
    }

    /// The number of its formula in the recording under way.
    pub(crate) fn node(self) -> Option<u32> {
        self.node
    }

    /// The current value, on which the caller depends: a function is recorded again if the value
    /// differs.
    pub fn specialize(self) -> f64 {
        if let Some(node) = self.node {
            capture::with(|capture| capture.formulas.guard(node, None, self.value, true));
        }
        self.value
    }

    fn apply(self, other: impl Into<SymFloat>, operator: Operator) -> SymFloat {
        let other = other.into();
        let value = operator.apply(self.value, other.value);
        let node = match (self.node, other.node) {
            (None, None) => None,
            _ => capture::with(|capture| capture.formulas.compute(operator, self, other)),
        };
        SymFloat { value, node }
    }

    /// `self` to the power of `exponent`.
    pub fn powf(self, exponent: impl Into<SymFloat>) -> SymFloat {
        self.apply(exponent, Operator::Pow)
    }

    /// The square root.
    pub fn sqrt(self) -> SymFloat {
        self.apply(0.0, Operator::Sqrt)
    }

    /// The smaller of two numbers.
    pub fn min(self, other: impl Into<SymFloat>) -> SymFloat {
        self.apply(other, Operator::Min)
    }

    /// The larger of two numbers.
    pub fn max(self, other: impl Into<SymFloat>) -> SymFloat {
        self.apply(other, Operator::Max)
    }

    /// The number rounded to float32.
    pub fn rounded(self) -> SymFloat {
        self.apply(0.0, Operator::Round)
    }
}

impl From<f64> for SymFloat {
    fn from(value: f64) -> SymFloat {
        SymFloat { value, node: None }
    }
}

impl From<SymFloat> for Scalar {
    fn from(number: SymFloat) -> Scalar {
        match number.node {
            Some(_) => Scalar::Symbolic(number),
            None => Scalar::Float(number.value),
        }
    }
}

impl From<SymFloat> for Operand {
    fn from(number: SymFloat) -> Operand {
        Operand::Scalar(number.into())
    }
}

/// The result of a comparison is part of the recording: a replay needs the same result.
impl PartialEq<f64> for SymFloat {
    fn eq(&self, other: &f64) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialEq for SymFloat {
    fn eq(&self, other: &SymFloat) -> bool {
        self.apply(*other, Operator::Sub) == 0.0
    }
}

impl PartialOrd<f64> for SymFloat {
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        let found = self.value.partial_cmp(other);
        if let Some(node) = self.node {
            capture::with(|capture| capture.formulas.guard(node, found, *other, false));
        }
        found
    }
}

macro_rules! operators {
    ($($operator:ident, $method:ident;)*) => { $(
        impl<N: Into<SymFloat>> $operator<N> for SymFloat {
            type Output = SymFloat;
            fn $method(self, other: N) -> SymFloat {
                self.apply(other, Operator::$operator)
            }
        }
        impl $operator<SymFloat> for f64 {
            type Output = SymFloat;
            fn $method(self, other: SymFloat) -> SymFloat {
                SymFloat::from(self).apply(other, Operator::$operator)
            }
        }
    )* };
}

operators! { Add, add; Sub, sub; Mul, mul; Div, div; }

impl Neg for SymFloat {
    type Output = SymFloat;
    fn neg(self) -> SymFloat {
        0.0 - self
    }
}

#[derive(Clone, Copy, Debug)]
enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Sqrt,
    Min,
    Max,
    Round,
}

impl Operator {
    fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Operator::Add => a + b,
            Operator::Sub => a - b,
            Operator::Mul => a * b,
            Operator::Div => a / b,
            Operator::Pow => a.powf(b),
            Operator::Sqrt => a.sqrt(),
            Operator::Min => a.min(b),
            Operator::Max => a.max(b),
            Operator::Round => f64::from(a as f32),
        }
    }
}

/// A number of a formula: another formula, or one that does not change.
#[derive(Clone, Copy, Debug)]
enum Term {
    Formula(u32),
    Constant(f64),
}

impl From<SymFloat> for Term {
    fn from(number: SymFloat) -> Term {
        number.node.map_or(Term::Constant(number.value), Term::Formula)
    }
}

#[derive(Debug)]
enum Formula {
    /// The value at the call, by the number among those read.
    Read(usize),
    /// A word of the generator's key.
    Key(usize),
    /// The generator's offset plus the numbers that the call has drawn.
    Offset(u32),
    Compute(Operator, Term, Term),
}

/// A condition on a formula's value.
#[derive(Debug)]
struct Guard {
    formula: u32,
    /// The result of the comparison with `with`; ignored where the bits must equal `with`'s.
    order: Option<Ordering>,
    with: f64,
    exact: bool,
}

/// The formulas of a recording, operands before users.
#[derive(Debug, Default)]
pub(super) struct Formulas {
    formulas: Vec<Formula>,
    reads: Vec<HostNumber>,
    guards: Vec<Guard>,
    /// The last written formula of each number.
    writes: Vec<(HostNumber, Term)>,
    /// How much the call took from the generator.
    taken: u32,
}

impl Formulas {
    /// The formula of a number of the host, unless a constant was written to it meanwhile.
    fn read(&mut self, number: &HostNumber) -> Option<u32> {
        if let Some((_, term)) = self.writes.iter().find(|(written, _)| written.key() == number.key()) {
            return if let Term::Formula(formula) = term { Some(*formula) } else { None };
        }
        let read = self.reads.iter().position(|known| known.key() == number.key()).unwrap_or_else(|| {
            self.reads.push(number.clone());
            self.formulas.push(Formula::Read(self.reads.len() - 1));
            self.reads.len() - 1
        });
        let formula =
            self.formulas.iter().position(|formula| matches!(formula, Formula::Read(known) if *known == read));
        formula.map(|formula| formula as u32)
    }

    /// The formulas of the generator's key and of the next offset, of which `count` are taken.
    pub fn take_random(&mut self, count: u32) -> [u32; 3] {
        let first = self.formulas.len() as u32;
        self.formulas.extend([Formula::Key(0), Formula::Key(1), Formula::Offset(self.taken)]);
        self.taken = self.taken.wrapping_add(count);
        [first, first + 1, first + 2]
    }

    fn write(&mut self, number: &HostNumber, value: SymFloat) {
        let term = Term::from(value);
        match self.writes.iter_mut().find(|(written, _)| written.key() == number.key()) {
            Some((_, last)) => *last = term,
            None => self.writes.push((number.clone(), term)),
        }
    }

    fn compute(&mut self, operator: Operator, a: SymFloat, b: SymFloat) -> u32 {
        self.formulas.push(Formula::Compute(operator, a.into(), b.into()));
        self.formulas.len() as u32 - 1
    }

    fn guard(&mut self, formula: u32, order: Option<Ordering>, with: f64, exact: bool) {
        self.guards.push(Guard { formula, order, with, exact });
    }

    /// The value of every formula now; `None` where a guard does not hold.
    pub fn evaluate(&self, generator: &Generator) -> Option<Vec<f64>> {
        let (seed, offset) = generator.state();
        let mut values: Vec<f64> = Vec::with_capacity(self.formulas.len());
        for formula in &self.formulas {
            values.push(match formula {
                Formula::Read(read) => self.reads[*read].value(),
                Formula::Key(word) => f64::from((seed >> (32 * word)) as u32),
                Formula::Offset(taken) => f64::from(offset.wrapping_add(*taken)),
                Formula::Compute(operator, a, b) => operator.apply(a.value(&values), b.value(&values)),
            });
        }
        let holds = |guard: &Guard| {
            let value = values[guard.formula as usize];
            match guard.exact {
                true => value.to_bits() == guard.with.to_bits(),
                false => value.partial_cmp(&guard.with) == guard.order,
            }
        };
        self.guards.iter().all(holds).then_some(values)
    }

    /// Repeats the recorded writes with the current values, and advances the generator as the
    /// recorded call did.
    pub fn write_all(&self, values: &[f64], generator: &Generator) {
        if self.taken > 0 {
            generator.take(self.taken);
        }
        self.writes.iter().for_each(|(number, term)| number.0.set(term.value(values)));
    }
}

impl Term {
    fn value(self, values: &[f64]) -> f64 {
        match self {
            Term::Formula(formula) => values[formula as usize],
            Term::Constant(value) => value,
        }
    }
}
