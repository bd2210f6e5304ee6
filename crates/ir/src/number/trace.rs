//! The record of a computation with numbers: its expressions, and the conditions under which it takes
//! the same course.
//!
//! This is what `torch.compile` does with its symbolic integers and guards. The expressions are not
//! simplified beyond constants and neutral elements, because evaluating one costs a nanosecond.

use super::{Traced, traced::CONSTANT};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// An arithmetic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl Operation {
    /// The result; `None` for a division by 0, and for results of more than 63 bits.
    fn apply(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Operation::Add => a.checked_add(b),
            Operation::Sub => a.checked_sub(b),
            Operation::Mul => a.checked_mul(b),
            Operation::Div => a.checked_div(b),
            Operation::Rem => a.checked_rem(b),
        }
    }

    /// The operand that the result is equal to, whatever the other one is.
    fn simplified(self, a: Traced, b: Traced) -> Option<Traced> {
        let is = |number: Traced, value: i64| number.expression == CONSTANT && number.value == value;
        match self {
            Operation::Add if is(a, 0) => Some(b),
            Operation::Add | Operation::Sub if is(b, 0) => Some(a),
            Operation::Mul if is(a, 1) || is(b, 0) => Some(b),
            Operation::Mul | Operation::Div if is(b, 1) => Some(a),
            Operation::Mul if is(a, 0) => Some(a),
            Operation::Rem if is(b, 1) => Some(Traced::new(0)),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Expression {
    Input(u32),
    Constant(i64),
    Operation(Operation, u32, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Relation {
    Equal,
    Less,
}

/// A comparison of two expressions, and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Condition {
    relation: Relation,
    operands: [u32; 2],
    holds: bool,
}

/// The expressions and conditions that a computation recorded.
#[derive(Debug, Default)]
pub struct Trace {
    expressions: Vec<Expression>,
    conditions: Vec<Condition>,
}

/// A trace that is being recorded.
#[derive(Default)]
struct Recording {
    expressions: Vec<Expression>,
    /// The least value that each expression can have, where one is known.
    least: Vec<i64>,
    known: FxHashMap<Expression, u32>,
    conditions: FxHashSet<Condition>,
    ordered: Vec<Condition>,
    inputs: u32,
}

thread_local! {
    static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

/// Runs a function on the recording under way, if there is one. Without one, numbers are their present values.
fn with_recording<T>(function: impl FnOnce(&mut Recording) -> T) -> Option<T> {
    RECORDING.with_borrow_mut(|recording| recording.as_mut().map(function))
}

/// The source of the inputs of a [`Trace`].
pub struct Inputs(());

impl Inputs {
    /// The next input, with its present value. Numbers of another [`Trace::class`] must not take its
    /// place later: 0 and 1 become constants, and the sign of the others is not recorded as a condition.
    pub fn add(&mut self, value: i64) -> Traced {
        let input = with_recording(|recording| {
            let input = recording.inputs;
            recording.inputs += 1;
            if (0..2).contains(&value) {
                return Traced::new(value);
            }
            let least = if value < 0 { i64::MIN } else { 2 };
            Traced { value, expression: recording.number(Expression::Input(input), least) }
        });
        input.unwrap_or(Traced::new(value))
    }
}

impl Recording {
    fn number(&mut self, expression: Expression, least: i64) -> u32 {
        *self.known.entry(expression).or_insert_with(|| {
            self.expressions.push(expression);
            self.least.push(least);
            self.expressions.len() as u32 - 1
        })
    }

    fn operand(&mut self, number: Traced) -> u32 {
        match number.expression {
            CONSTANT => self.number(Expression::Constant(number.value), number.value),
            expression => expression,
        }
    }

    fn least(&self, number: Traced) -> i64 {
        if number.expression == CONSTANT { number.value } else { self.least[number.expression as usize] }
    }

    fn compare(&mut self, relation: Relation, a: Traced, b: Traced, holds: bool) {
        let operands = [self.operand(a), self.operand(b)];
        let condition = Condition { relation, operands, holds };
        if self.conditions.insert(condition) {
            self.ordered.push(condition);
        }
    }
}

pub(super) fn compute(operation: Operation, a: Traced, b: Traced) -> Traced {
    if let Some(known) = operation.simplified(a, b) {
        return known;
    }
    // A result that has no value fails the computation for all inputs: its condition never holds.
    let value = operation.apply(a.value, b.value);
    if let (CONSTANT, CONSTANT, Some(value)) = (a.expression, b.expression, value) {
        return Traced::new(value);
    }
    let recorded = with_recording(|recording| {
        let (x, y) = (recording.least(a), recording.least(b));
        let least = match operation {
            Operation::Add if x >= 0 && y >= 0 => x.saturating_add(y),
            Operation::Mul if x >= 0 && y >= 0 => x.saturating_mul(y),
            Operation::Div | Operation::Rem if x >= 0 && y >= 0 => 0,
            _ => i64::MIN,
        };
        let mut operands = [recording.operand(a), recording.operand(b)];
        if matches!(operation, Operation::Add | Operation::Mul) {
            operands.sort_unstable();
        }
        let expression = recording.number(Expression::Operation(operation, operands[0], operands[1]), least);
        Traced { value: value.unwrap_or(0), expression }
    });
    recorded.unwrap_or(Traced::new(value.unwrap_or(0)))
}

pub(super) fn equal(a: Traced, b: Traced) -> bool {
    let holds = a.value == b.value;
    let constant = a.expression == CONSTANT && b.expression == CONSTANT;
    if constant || a.expression == b.expression && a.expression != CONSTANT {
        return holds;
    }
    with_recording(|recording| {
        let decided = |number: Traced, other: Traced| number.expression == CONSTANT && number.value < recording.least(other);
        if !decided(a, b) && !decided(b, a) {
            let (a, b) = if recording.operand(a) <= recording.operand(b) { (a, b) } else { (b, a) };
            recording.compare(Relation::Equal, a, b, holds);
        }
    });
    holds
}

pub(super) fn less(a: Traced, b: Traced) -> bool {
    let holds = a.value < b.value;
    let constant = a.expression == CONSTANT && b.expression == CONSTANT;
    if constant || a.expression == b.expression && a.expression != CONSTANT {
        return holds;
    }
    with_recording(|recording| {
        let decided = match (a.expression, b.expression) {
            (CONSTANT, _) => a.value < recording.least(b),
            (_, CONSTANT) => b.value <= recording.least(a),
            _ => false,
        };
        if !decided {
            recording.compare(Relation::Less, a, b, holds);
        }
    });
    holds
}

impl Trace {
    /// The class of an input: 0, 1, negative (-1) or larger (2). 0 and 1 are special to most
    /// computations.
    pub fn class(value: i64) -> i64 {
        value.clamp(-1, 2)
    }

    /// Runs a computation with traced numbers. Its numbers have a meaning in the trace that is
    /// returned with it; a computation inside of another one is not supported.
    pub fn record<T>(computation: impl FnOnce(&mut Inputs) -> T) -> (T, Trace) {
        RECORDING.set(Some(Recording::default()));
        let result = computation(&mut Inputs(()));
        let recording = RECORDING.take().unwrap_or_default();
        (result, Trace { expressions: recording.expressions, conditions: recording.ordered })
    }

    /// The numbers of the computation for other inputs; `None` if it would have taken another course.
    pub fn evaluate(&self, inputs: &[i64]) -> Option<Values> {
        let mut values: Vec<i64> = Vec::with_capacity(self.expressions.len());
        for expression in &self.expressions {
            values.push(match *expression {
                Expression::Input(input) => *inputs.get(input as usize)?,
                Expression::Constant(value) => value,
                Expression::Operation(operation, a, b) => operation.apply(values[a as usize], values[b as usize])?,
            });
        }
        let agrees = |condition: &Condition| {
            let [a, b] = condition.operands.map(|operand| values[operand as usize]);
            let holds = match condition.relation {
                Relation::Equal => a == b,
                Relation::Less => a < b,
            };
            holds == condition.holds
        };
        self.conditions.iter().all(agrees).then_some(Values(values))
    }
}

/// The numbers of a computation for one set of inputs.
#[derive(Debug)]
pub struct Values(Vec<i64>);

impl Values {
    /// The values that the numbers of every computation have at present.
    pub fn present() -> Values {
        Values(vec![])
    }

    /// The value of a number of the computation.
    pub fn of(&self, number: Traced) -> i64 {
        match number.expression {
            CONSTANT => number.value,
            expression => self.0.get(expression as usize).copied().unwrap_or(number.value),
        }
    }
}
