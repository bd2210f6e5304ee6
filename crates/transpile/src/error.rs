//! The error of a source that is not in the subset.

use proc_macro2::Span;
use std::fmt;
use syn::spanned::Spanned;

/// The reason why a library is not printed, with the position of the construct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The path of the file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The construct, and what to write instead.
    pub message: String,
}

/// The result of reading or printing a library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// An error at a position of a file.
    pub(crate) fn at(file: &str, span: Span, message: impl Into<String>) -> Error {
        let start = span.start();
        Error { file: file.to_string(), line: start.line, column: start.column + 1, message: message.into() }
    }
}

/// The error of a construct outside of the subset; the message quotes the construct.
pub(crate) fn unsupported<T>(file: &str, node: &(impl Spanned + quote::ToTokens), what: &str) -> Result<T> {
    let text: String = node.to_token_stream().to_string().chars().take(80).collect();
    Err(Error::at(file, node.span(), format!("{what} is not in the subset: `{text}`")))
}
