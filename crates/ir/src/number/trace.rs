//! The record of a computation with numbers: its expressions, and the conditions under which it
//! takes the same path.
//!
//! `torch.compile` does the same with symbolic integers and guards. The expressions are not
//! simplified beyond constants and neutral elements, because evaluating one costs a nanosecond.

use super::{Traced, traced::Form};
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
    fn simplify(self, a: Traced, b: Traced) -> Option<Traced> {
        let is = |number: Traced, value: i64| number.form() == Form::Constant(value);
        match self {
            Operation::Add if is(a, 0) => Some(b),
            Operation::Add | Operation::Sub if is(b, 0) => Some(a),
            Operation::Mul if is(a, 1) || is(b, 0) => Some(b),
            Operation::Mul | Operation::Div if is(b, 1) => Some(a),
            Operation::Mul if is(a, 0) => Some(a),
            Operation::Rem if is(b, 1) => Some(Traced::small(0)),
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

/// A comparison of two expressions, and its result.
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
    /// The current value of each expression.
    present: Vec<i64>,
}

/// A trace that is being recorded.
#[derive(Default)]
struct Recording {
    trace: Trace,
    /// A lower bound of each expression, if one is known.
    least: Vec<i64>,
    known: FxHashMap<Expression, u32>,
    conditions: FxHashSet<Condition>,
    inputs: u32,
}

thread_local! {
    static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

/// Runs a function on the active recording. Without one, there are only constants.
fn with_recording<T>(function: impl FnOnce(&mut Recording) -> T) -> Option<T> {
    RECORDING.with_borrow_mut(|recording| recording.as_mut().map(function))
}

/// The present value of an expression; 0 if no trace is recorded.
pub(super) fn value(expression: u32) -> i64 {
    with_recording(|recording| recording.trace.present.get(expression as usize).copied()).flatten().unwrap_or(0)
}

/// A constant that does not fit in a handle; `None` if no trace is recorded.
pub(super) fn large_constant(value: i64) -> Option<Traced> {
    with_recording(|recording| Traced::expression(recording.add(Expression::Constant(value), value, value)))
}

/// The source of the inputs of a [`Trace`].
pub struct Inputs(());

impl Inputs {
    /// Adds the next input, with its current value. Later values must have the same
    /// [`Trace::class`]: 0 and 1 become constants, and the sign of the others is not recorded as a
    /// condition.
    pub fn add(&mut self, value: i64) -> Traced {
        let input = with_recording(|recording| {
            let input = recording.inputs;
            recording.inputs += 1;
            if (0..2).contains(&value) {
                return Traced::small(value as i32);
            }
            let least = if value < 0 { i64::MIN } else { 2 };
            Traced::expression(recording.add(Expression::Input(input), value, least))
        });
        input.unwrap_or_else(|| Traced::new(value))
    }
}

impl Recording {
    /// The index of an expression with its present value and the least value that it can have.
    fn add(&mut self, expression: Expression, value: i64, least: i64) -> u32 {
        *self.known.entry(expression).or_insert_with(|| {
            self.trace.expressions.push(expression);
            self.trace.present.push(value);
            self.least.push(least);
            self.least.len() as u32 - 1
        })
    }

    /// The index of a number's expression.
    fn operand(&mut self, number: Traced) -> u32 {
        match number.form() {
            Form::Constant(value) => self.add(Expression::Constant(value), value, value),
            Form::Expression(index) => index,
        }
    }

    fn value(&self, number: Traced) -> i64 {
        match number.form() {
            Form::Constant(value) => value,
            Form::Expression(index) => self.trace.present[index as usize],
        }
    }

    fn least(&self, number: Traced) -> i64 {
        match number.form() {
            Form::Constant(value) => value,
            Form::Expression(index) => self.least[index as usize],
        }
    }

    fn compute(&mut self, operation: Operation, a: Traced, b: Traced) -> Traced {
        let (x, y) = (self.least(a), self.least(b));
        let least = match operation {
            Operation::Add if x >= 0 && y >= 0 => x.saturating_add(y),
            Operation::Mul if x >= 0 && y >= 0 => x.saturating_mul(y),
            Operation::Div | Operation::Rem if x >= 0 && y >= 0 => 0,
            _ => i64::MIN,
        };
        // A result without a value fails the computation for all inputs: its evaluation does.
        let value = operation.apply(self.value(a), self.value(b)).unwrap_or(0);
        let mut operands = [self.operand(a), self.operand(b)];
        if matches!(operation, Operation::Add | Operation::Mul) {
            operands.sort_unstable();
        }
        Traced::expression(self.add(Expression::Operation(operation, operands[0], operands[1]), value, least))
    }

    /// Records the result of a comparison, unless it is the same for all inputs.
    fn compare(&mut self, relation: Relation, a: Traced, b: Traced) -> bool {
        let (x, y) = (self.value(a), self.value(b));
        let is_constant = |number: Traced| number.is_constant();
        let (holds, decided) = match relation {
            Relation::Equal => {
                let differs =
                    |number: Traced, value: i64, other: Traced| is_constant(number) && value < self.least(other);
                (x == y, differs(a, x, b) || differs(b, y, a))
            }
            Relation::Less => (x < y, is_constant(a) && x < self.least(b) || is_constant(b) && y <= self.least(a)),
        };
        if !decided {
            let mut operands = [self.operand(a), self.operand(b)];
            if relation == Relation::Equal {
                operands.sort_unstable();
            }
            let condition = Condition { relation, operands, holds };
            if self.conditions.insert(condition) {
                self.trace.conditions.push(condition);
            }
        }
        holds
    }
}

pub(super) fn compute(operation: Operation, a: Traced, b: Traced) -> Traced {
    if let Some(known) = operation.simplify(a, b) {
        return known;
    }
    if let (Form::Constant(a), Form::Constant(b)) = (a.form(), b.form())
        && let Some(value) = operation.apply(a, b)
    {
        return Traced::new(value);
    }
    with_recording(|recording| recording.compute(operation, a, b)).unwrap_or(Traced::small(0))
}

fn compare(relation: Relation, a: Traced, b: Traced) -> bool {
    let answer = |a: i64, b: i64| match relation {
        Relation::Equal => a == b,
        Relation::Less => a < b,
    };
    match (a.form(), b.form()) {
        (Form::Constant(a), Form::Constant(b)) => answer(a, b),
        (a, b) if a == b => relation == Relation::Equal,
        _ => with_recording(|recording| recording.compare(relation, a, b)).unwrap_or(false),
    }
}

pub(super) fn equal(a: Traced, b: Traced) -> bool {
    compare(Relation::Equal, a, b)
}

pub(super) fn less(a: Traced, b: Traced) -> bool {
    compare(Relation::Less, a, b)
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
        (result, recording.trace)
    }

    /// The numbers of the computation as it was recorded.
    pub fn present(&self) -> Values {
        Values(self.present.clone())
    }

    /// The numbers of the computation for other inputs; `None` if it would have taken another path.
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
    /// The value of a number of the computation.
    pub fn of(&self, number: Traced) -> i64 {
        match number.form() {
            Form::Constant(value) => value,
            Form::Expression(index) => self.0.get(index as usize).copied().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_course_is_valid() {
        let (rest, trace) = Trace::record(|inputs| {
            let [size, step, offset] = [inputs.add(12), inputs.add(4), inputs.add(-3)];
            let rest = if size.is_multiple_of(step) { size / step } else { size };
            if rest > Traced::from(2) { rest * 2 + offset } else { rest }
        });
        assert_eq!(trace.present().of(rest), 3);
        let at = |inputs: [i64; 3]| trace.evaluate(&inputs).map(|values| values.of(rest));
        assert_eq!(at([12, 4, -3]), Some(3));
        assert_eq!(at([30, 5, -7]), Some(5));
        // Not a multiple; a quotient of 2; a division by zero; too few inputs; more than 63 bits.
        assert_eq!([at([13, 4, -3]), at([8, 4, -3]), at([8, 0, -3])], [None; 3]);
        assert!(trace.evaluate(&[12, 4]).is_none());
        assert_eq!(at([i64::MAX - 1, 2, 5]), None);
    }

    #[test]
    fn what_the_class_of_an_input_decides_is_no_condition() {
        let (found, trace) = Trace::record(|inputs| {
            let [one, size, other] = [inputs.add(1), inputs.add(7), inputs.add(9)];
            [one == 1, size == 1, size * other == 0, size + other > Traced::from(1), size == size]
        });
        assert_eq!(found, [true, false, false, true, true]);
        assert!(trace.conditions.is_empty(), "{trace:?}");
        assert_eq!([-4, 0, 1, 2, 99].map(Trace::class), [-1, 0, 1, 2, 2]);
    }

    #[test]
    fn outside_of_a_recording_there_are_constants() {
        let product = Traced::from(6usize) * Traced::from(7usize);
        assert!((product + 1).value() == 43 && product == 42 && product < Traced::from(50));
        assert_eq!([-7, 0, 7].map(|value| (Traced::from(value) / Traced::from(2)).value()), [-3, 0, 3]);
    }

    #[test]
    fn constants_of_any_size_keep_their_value() {
        let values = [0, -1, (1 << 30) - 1, 1 << 30, -(1 << 30), -(1 << 30) - 1, 1 << 40, i64::MAX, i64::MIN];
        let (numbers, trace) = Trace::record(|inputs| {
            let numbers = values.map(Traced::new);
            assert_eq!(numbers.map(Traced::value), values);
            assert!(numbers[6] > numbers[3] && numbers[3] == Traced::new(1 << 30) && inputs.add(5) < numbers[6]);
            numbers
        });
        assert_eq!(numbers.map(|number| trace.present().of(number)), values);
        assert_eq!(trace.evaluate(&[9]).map(|found| numbers.map(|number| found.of(number))), Some(values));
    }
}
