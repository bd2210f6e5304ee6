//! Operators of a file's format, declared as lines of text on the operations of the table.
//!
//! A line is an operator's signature, and after `=` how it is expressed where the operation of the
//! same name and parameters is not it: a call of another operation (`_softmax(…) -> Tensor =
//! softmax(self, dim)`) or a function of the set (`= @batch_norm`). A line may end with `tags:
//! nondeterministic_seeded`, PyTorch's tag of operators that draw random numbers. ATen's lines are
//! in [`crate::aten`]; other formats bring their own, and declare their functions by
//! [`functions!`](crate::functions).

mod args;
pub mod functions;
mod lower;

pub use args::{Args, Numbers, of_default};
pub use lower::{number_tensor, table_call};
pub(crate) use {
    args::takes,
    lower::{Argument, IGNORED, Lowering, Template},
};

use crate::{Dispatch, Outcome, Result};
use lanthorn_schema::Schema;

/// One operator of a set.
#[derive(Debug)]
pub struct Operator {
    /// Its signature in the format.
    pub schema: Schema,
    pub(crate) lowering: Lowering,
    /// Whether it draws random numbers, so that equal calls have different results.
    pub is_random: bool,
}

/// The tag of a line of an operator that draws random numbers.
const RANDOM: &str = "nondeterministic_seeded";

impl Operator {
    /// The operator of a line. `functions` are the names of the set's functions. `None` for a line
    /// that is no signature, names a function that does not exist, or has an unknown tag.
    pub fn parse(line: &'static str, functions: &[&str]) -> Option<Operator> {
        Operator::parse_with(line, functions, |text| Schema::parse(text).ok())
    }

    /// [`parse`](Operator::parse) with another reader of the signature, which is the part of a line
    /// before `=`.
    pub fn parse_with(
        line: &'static str,
        functions: &[&str],
        signature: impl FnOnce(&str) -> Option<Schema>,
    ) -> Option<Operator> {
        let (line, tags) = line.split_once(" tags: ").map_or((line, None), |(line, tags)| (line, Some(tags)));
        let (schema, lowering) = line.split_once(" = ").map_or((line, None), |(schema, how)| (schema, Some(how)));
        let schema = signature(schema)?;
        let lowering = match lowering {
            None => Lowering::Same,
            Some(how) => Lowering::parse(how, &schema, functions)?,
        };
        tags.is_none_or(|tags| tags == RANDOM).then_some(Operator { schema, lowering, is_random: tags.is_some() })
    }

    /// Whether the required parameters of an operation of the table are given, by name or position.
    /// A function checks its own calls.
    pub fn fits(&self, operation: &Schema) -> bool {
        self.lowering.fits(&self.schema, operation)
    }

    /// The name of the operation of the table that it calls. `None` for a function.
    pub fn operation(&self) -> Option<&str> {
        match &self.lowering {
            Lowering::Same => Some(&self.schema.name),
            Lowering::Call(template) => Some(template.name),
            Lowering::Function(_) => None,
        }
    }

    /// Runs the operator on bound arguments. `run_function` runs a function of the set by its
    /// index.
    ///
    /// # Errors
    ///
    /// The errors of the operation and of the function.
    pub fn run<'d, D: Dispatch>(
        &'static self,
        dispatch: &'d D,
        args: Args<D::Tensor>,
        in_place: bool,
        run_function: impl FnOnce(usize, &'d D, Args<D::Tensor>) -> Result<Outcome<'d, D::Tensor>>,
    ) -> Result<Outcome<'d, D::Tensor>> {
        lower::run(dispatch, self, args, in_place, run_function)
    }
}
