//! Errors of reading and running programs.

use lanthorn_io::shorten;

/// The result of reading or running a program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The longest text from a file that a message quotes, in characters.
const QUOTE_LIMIT: usize = 2000;

/// An error from reading or running a program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Unknown operators. The list has all of a program, found when it is loaded.
    #[error("the program calls operators that lanthorn does not have: {}", .0.join(", "))]
    MissingOperators(Vec<String>),
    /// The arguments of a call do not match the operator's schema.
    #[error("{op}: {message}")]
    Argument {
        /// The operator.
        op: String,
        /// The mismatch.
        message: String,
    },
    /// An operation failed.
    #[error("{op}: {source}")]
    Operation {
        /// The operator.
        op: String,
        /// The error of the dispatcher or the device.
        source: Box<dyn std::error::Error>,
    },
    /// Inputs with another structure, shape or dtype than the program accepts.
    #[error("input: {0}")]
    Input(String),
    /// The program is not well formed.
    #[error("malformed program: {0}")]
    Malformed(String),
    /// A feature of the format that is not supported.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// A limit on size, depth or time was exceeded.
    #[error("limit exceeded: {0}")]
    Limit(String),
    /// An assertion or an exception of the program.
    #[error("{0}")]
    Raised(String),
    /// The file that contains the program was rejected.
    #[error(transparent)]
    File(#[from] lanthorn_io::Error),
    /// Another file with elements of tensors was rejected.
    #[error(transparent)]
    External(Box<dyn std::error::Error>),
}

impl From<lanthorn_call::Refusal> for Error {
    fn from(refusal: lanthorn_call::Refusal) -> Error {
        Error::argument(refusal.op, refusal.text)
    }
}

impl Error {
    /// The arguments of a call of `op` do not match.
    pub fn argument(op: impl Into<String>, message: impl AsRef<str>) -> Error {
        Error::Argument { op: op.into(), message: shorten(message.as_ref(), QUOTE_LIMIT).into_owned() }
    }

    /// The program is not well formed.
    pub fn malformed(message: impl AsRef<str>) -> Error {
        Error::Malformed(shorten(message.as_ref(), QUOTE_LIMIT).into_owned())
    }

    /// A feature of the format is not supported.
    pub fn unsupported(message: impl AsRef<str>) -> Error {
        Error::Unsupported(shorten(message.as_ref(), QUOTE_LIMIT).into_owned())
    }

    /// An operation failed with an error of the dispatcher.
    pub fn operation(op: impl Into<String>, source: impl Into<Box<dyn std::error::Error>>) -> Error {
        Error::Operation { op: op.into(), source: source.into() }
    }
}
