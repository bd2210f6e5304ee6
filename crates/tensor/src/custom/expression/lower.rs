//! A formula's steps as an expression, in the type that the arguments of a call have.

use super::Step;
use crate::ops::Call;
use lanthorn_ir::expr::{BinaryOp, Expr, Type};

/// The expression of the last step. All `arguments` are of one type; a truth value is converted where a number is wanted, and
/// the other way round.
pub(super) fn lower(steps: &[Step], arguments: &[Expr]) -> Expr {
    let ty = arguments.first().map_or(Type::F32, Expr::ty);
    let mut values: Vec<Expr> = Vec::with_capacity(steps.len());
    for step in steps {
        let number = |step: &usize| values[*step].cast(ty);
        let truth = |step: &usize| truth(&values[*step]);
        let value = match step {
            Step::Argument(index) => arguments[*index].clone(),
            Step::Number(value) => Expr::constant(*value, ty),
            Step::Bool(value) => Expr::constant(f64::from(u8::from(*value)), Type::Bool),
            Step::Neg(a) => -number(a),
            Step::Not(a) => truth(a).logical_not(),
            Step::And(a, b) => truth(a).and(truth(b)),
            Step::Or(a, b) => truth(a).or(truth(b)),
            Step::Binary(BinaryOp::Pow, a, b) => power(&number(a), &number(b), &steps[*b]),
            Step::Binary(op, a, b) => number(a).binary(*op, number(b)),
            Step::Select(condition, a, b) => {
                let (a, b) = (&values[*a], &values[*b]);
                if a.ty() == b.ty() {
                    truth(condition).select(a, b)
                } else {
                    truth(condition).select(a.cast(ty), b.cast(ty))
                }
            }
            Step::Function(build, operands) => build(&operands.iter().map(number).collect::<Vec<_>>()),
            Step::Call(op, operands) => {
                let operands: Vec<Expr> = operands.iter().map(number).collect();
                match op.call {
                    Call::Pointwise(_, formula) => formula(&operands),
                    Call::Custom(definition) => match definition.formula() {
                        Some(formula) => (formula.of)(&operands),
                        None => unreachable!("the parser takes ops that are one formula"),
                    },
                    _ => unreachable!("the parser takes ops that are one formula"),
                }
            }
        };
        values.push(value);
    }
    values.pop().unwrap_or_else(|| Expr::constant(0.0, ty))
}

fn truth(value: &Expr) -> Expr {
    if value.ty() == Type::Bool { value.clone() } else { value.not_equal(0.0) }
}

/// A power; of a small constant as products or a root, whose derivatives need no logarithm.
fn power(base: &Expr, exponent: &Expr, written: &Step) -> Expr {
    match written {
        Step::Number(1.0) => base.clone(),
        Step::Number(2.0) => base.square(),
        Step::Number(3.0) => base.square() * base,
        Step::Number(0.5) if base.ty().is_float() => base.sqrt(),
        _ => base.pow(exponent),
    }
}
