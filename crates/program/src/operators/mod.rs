//! Operators of a file's format, declared as lines of text on the operations of the table.
//!
//! A line is an operator's signature, and after `=` how it is expressed where the operation of the
//! same name and parameters is not it: a call of another operation
//! (`_softmax(…) -> Tensor = softmax(self, dim)`) or a function of the set (`= @batch_norm`). ATen's
//! lines are in [`crate::aten`]; other formats bring their own.

mod args;
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
}

impl Operator {
    /// The operator of a line. `functions` are the names of the set's functions. `None` for a line that
    /// is no signature, or names a function that does not exist.
    pub fn parse(line: &'static str, functions: &[&str]) -> Option<Operator> {
        let (schema, lowering) = line.split_once(" = ").map_or((line, None), |(schema, how)| (schema, Some(how)));
        Operator::new(Schema::parse(schema).ok()?, lowering, functions)
    }

    /// The operator of a signature that is expressed as a text says: the part of a line after `=`.
    pub fn new(schema: Schema, lowering: Option<&'static str>, functions: &[&str]) -> Option<Operator> {
        let lowering = match lowering {
            None => Lowering::Same,
            Some(how) => Lowering::parse(how, &schema, functions)?,
        };
        Some(Operator { schema, lowering })
    }

    /// Whether the required parameters of an operation of the table are given, by their names or places.
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

    /// Runs the operator on bound arguments. `run_function` runs a function of the set by its index.
    ///
    /// # Errors
    ///
    /// Those of the operation and of the function.
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
