//! The error of this crate: an opaque type with predicates, instead of public variants to match on.

use crate::{Format, shorten};

/// The result of reading or writing a file.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error from reading or writing a file.
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// let error = lanthorn::io::safetensors::load(b"\xff\0\0\0\0\0\0\0{}").unwrap_err();
/// assert!(error.is_malformed());
/// assert_eq!(error.to_string(), "safetensors: malformed at byte 8: the header should have 255 bytes, 2 are left");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{}{}", .format.map_or(String::new(), |format| format!("{format}: ")), .kind.prefix(), .message)]
pub struct Error {
    format: Option<Format>,
    kind: Kind,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Malformed(u64),
    Unsupported,
    TooLarge,
    Unknown,
    UnsupportedDtype,
}

impl Kind {
    fn prefix(self) -> String {
        match self {
            Kind::Malformed(offset) => format!("malformed at byte {offset}: "),
            Kind::Unsupported => "not supported: ".to_string(),
            Kind::TooLarge => "too large: ".to_string(),
            Kind::Unknown | Kind::UnsupportedDtype => String::new(),
        }
    }
}

/// The longest message in characters. It may quote names and shapes of any length.
const MESSAGE_LIMIT: usize = 1000;

impl Error {
    /// An error with its message shortened.
    fn new(format: Option<Format>, kind: Kind, message: impl Into<String>) -> Error {
        Error { format, kind, message: shorten(&message.into(), MESSAGE_LIMIT).into_owned() }
    }

    /// A file that violates its format, with the byte offset (within the zip entry, for an
    /// archive).
    pub fn malformed(format: Format, offset: impl TryInto<u64>, message: impl Into<String>) -> Error {
        let kind = Kind::Malformed(offset.try_into().unwrap_or(u64::MAX));
        Error::new(Some(format), kind, message)
    }

    /// A file, or a value to write, that the format allows and this library does not support.
    pub fn unsupported(format: Format, message: impl Into<String>) -> Error {
        Error::new(Some(format), Kind::Unsupported, message)
    }

    /// A file that would exceed a memory limit.
    pub fn too_large(format: Format, message: impl Into<String>) -> Error {
        Error::new(Some(format), Kind::TooLarge, message)
    }

    /// A file of unknown format.
    pub fn unknown() -> Error {
        Error::new(None, Kind::Unknown, "the file is none of safetensors, PyTorch's, npy, npz and GGUF")
    }

    /// Elements of a type that the device does not support.
    pub(crate) fn unsupported_dtype(message: String) -> Error {
        Error::new(None, Kind::UnsupportedDtype, message)
    }

    /// Whether the file violates its format, for example because it is truncated.
    pub fn is_malformed(&self) -> bool {
        matches!(self.kind, Kind::Malformed(_))
    }

    /// Whether the file has a feature that is not supported for reading or writing.
    pub fn is_unsupported(&self) -> bool {
        self.kind == Kind::Unsupported
    }

    /// Whether a limit was exceeded.
    pub fn is_too_large(&self) -> bool {
        self.kind == Kind::TooLarge
    }

    /// Whether the format was not recognized.
    pub fn is_unknown_format(&self) -> bool {
        self.kind == Kind::Unknown
    }

    /// Whether the device does not support the element type of a tensor.
    pub fn is_unsupported_dtype(&self) -> bool {
        self.kind == Kind::UnsupportedDtype
    }

    /// The byte offset of the violation.
    pub fn offset(&self) -> Option<u64> {
        match self.kind {
            Kind::Malformed(offset) => Some(offset),
            _ => None,
        }
    }

    /// Adds a subject before the message of the error.
    pub fn concerning(self, what: impl std::fmt::Display) -> Error {
        Error::new(self.format, self.kind, format!("{what}: {}", self.message))
    }
}
