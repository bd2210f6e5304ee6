//! The language of formulas in text: `x, b=4.0 -> 0.5 * (x + sqrt(x * x + b))`.
//!
//! [`tokens`] cuts the text, [`parser`] reads it once into steps in order of evaluation, at
//! registration; [`lower`] turns them into an expression at each call, in the type that the
//! arguments have then. A function is any operation of the table that is one formula, so the
//! language has PyTorch's names; [`functions`] has the few others. Rejected: a tree, whose depth a
//! small stack would bound again, and text kept until the call, whose errors would come late.

mod functions;
mod lower;
mod parser;
mod tokens;

use super::definition::Formula;
use crate::{
    Error, Result,
    ops::{Call, Op, Rule},
};
use lanthorn_ir::expr::BinaryOp;
use lanthorn_schema::Param;

/// One step of a formula; operands are steps before it.
enum Step {
    /// Argument number so.
    Argument(usize),
    Number(f64),
    Bool(bool),
    Neg(usize),
    Not(usize),
    Binary(BinaryOp, usize, usize),
    And(usize, usize),
    Or(usize, usize),
    Select(usize, usize, usize),
    /// A function of the language alone.
    Function(functions::Build, Vec<usize>),
    /// The formula of an op.
    Call(&'static Op, Vec<usize>),
}

/// The formula of an op, with the type that it computes in; none where it is more than one formula.
fn formula_of(op: &'static Op) -> Option<(Rule, Rule)> {
    match op.call {
        Call::Pointwise(rule, _) => Some((rule, rule)),
        Call::Custom(definition) => {
            let formula = definition.formula()?;
            Some((formula.computes, if formula.is_bool { Rule::Bool } else { formula.computes }))
        }
        _ => None,
    }
}

/// Reads `arguments -> formula`. Errors name the op and show the position in the text.
pub(super) fn parse(name: &str, text: &str) -> Result<(Vec<Param>, Formula)> {
    let parsed = parser::parse(text).map_err(|error| error.in_text(name, text))?;
    let steps = parsed.steps;
    let formula = Formula {
        computes: parsed.computes,
        is_bool: parsed.is_bool,
        whole: parsed.whole,
        of: Box::new(move |arguments| lower::lower(&steps, arguments)),
    };
    Ok((parsed.params, formula))
}

/// A mistake in a formula, at a byte of its text.
struct Mistake {
    at: usize,
    message: String,
}

impl Mistake {
    fn new(at: usize, message: impl Into<String>) -> Mistake {
        Mistake { at, message: message.into() }
    }

    /// The error, with the line and column, that line of the text, and a caret below it.
    fn in_text(self, name: &str, text: &str) -> Error {
        let (line, column, shown) = line_and_column(text, self.at);
        let caret = " ".repeat(column - 1);
        Error::argument(name, format!("line {line}, column {column}: {}\n  {shown}\n  {caret}^", self.message))
    }
}

/// The line and column of a byte, from 1, and the line itself. A column is a character.
fn line_and_column(text: &str, at: usize) -> (usize, usize, &str) {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let end = after.find('\n').map_or(text.len(), |newline| before.len() + newline);
    let line = before.matches('\n').count() + 1;
    (line, before[start..].chars().count() + 1, &text[start..end])
}
