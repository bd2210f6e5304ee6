//! Why a file or a call was refused: one opaque error type with predicates.

use lanthorn_io::shorten;

/// The result of reading a tokenizer or of using it.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The most characters of a message, which may quote a file.
const MESSAGE_LIMIT: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Malformed,
    Unsupported,
    Argument,
    UnknownId,
}

/// Why a tokenizer cannot be read, or why it cannot encode or decode.
///
/// ```
/// # mod lanthorn { pub use lanthorn_tokenizer as tokenizer; }
/// let error = lanthorn::tokenizer::Tokenizer::from_json(br#"{"model": {"type": "Oracle"}}"#).unwrap_err();
/// assert!(error.is_unsupported());
/// assert_eq!(error.to_string(), r#"tokenizer.json: not supported: model of type "Oracle""#);
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: Kind,
    message: String,
}

impl Error {
    fn new(kind: Kind, message: impl AsRef<str>) -> Error {
        Error { kind, message: shorten(message.as_ref(), MESSAGE_LIMIT).into_owned() }
    }

    /// A file that violates its format, or whose parts do not fit together.
    pub(crate) fn malformed(message: impl AsRef<str>) -> Error {
        Error::new(Kind::Malformed, message)
    }

    /// A part of a file that this library does not know, by its name.
    pub(crate) fn unsupported(message: impl AsRef<str>) -> Error {
        Error::new(Kind::Unsupported, format!("not supported: {}", message.as_ref()))
    }

    /// An argument that the call does not take.
    pub(crate) fn argument(message: impl AsRef<str>) -> Error {
        Error::new(Kind::Argument, message)
    }

    /// An id that no token has.
    pub(crate) fn unknown_id(id: u32, size: usize) -> Error {
        Error::new(Kind::UnknownId, format!("decode: no token has the id {id}; the vocabulary has {size} tokens"))
    }

    /// The same error, with its subject before the message.
    pub(crate) fn within(self, subject: &str) -> Error {
        Error::new(self.kind, format!("{subject}: {}", self.message))
    }

    /// Whether the file violates its format, or its parts do not fit together.
    pub fn is_malformed(&self) -> bool {
        self.kind == Kind::Malformed
    }

    /// Whether the file has a part that is not supported; the message names it.
    pub fn is_unsupported(&self) -> bool {
        self.kind == Kind::Unsupported
    }

    /// Whether an argument of the call was refused.
    pub fn is_argument(&self) -> bool {
        self.kind == Kind::Argument
    }

    /// Whether an id that was to be decoded is outside of the vocabulary.
    pub fn is_unknown_id(&self) -> bool {
        self.kind == Kind::UnknownId
    }
}
