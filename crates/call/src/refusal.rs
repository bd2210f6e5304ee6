//! Why a call is refused.

use lanthorn_ir::Error;

/// Why a call is refused: an argument that is missing, unknown or wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The operation.
    pub op: String,
    /// The reason, with the name of the argument in the caller's language.
    pub text: String,
    /// Whether the reason is a size, so that the error is one of shapes.
    pub is_shape: bool,
}

impl Refusal {
    /// A refusal because of an argument.
    pub(crate) fn new(op: &str, text: impl Into<String>) -> Refusal {
        Refusal { op: op.to_string(), text: text.into(), is_shape: false }
    }

    /// The error. This is a method because a second `From` for [`Error`] would make the type of `?`
    /// ambiguous in closures.
    pub fn into_error(self) -> Error {
        match self.is_shape {
            true => Error::shape(self.op, self.text),
            false => Error::argument(self.op, self.text),
        }
    }
}
