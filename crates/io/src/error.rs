//! Why a file was refused: one error type, with predicates instead of public variants to match on.

use crate::Format;

/// What reading or writing a file returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a file was refused, or a tensor cannot be written.
///
/// ```
/// let error = lanthorn_io::safetensors::load(b"\xff\0\0\0\0\0\0\0{}").unwrap_err();
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
    Unfit,
}

impl Kind {
    fn prefix(self) -> String {
        match self {
            Kind::Malformed(offset) => format!("malformed at byte {offset}: "),
            Kind::Unsupported => "not supported: ".to_string(),
            Kind::TooLarge => "too large: ".to_string(),
            Kind::Unknown | Kind::Unfit => String::new(),
        }
    }
}

impl Error {
    /// A file that breaks its format's rules, at this byte of it (of a zip's entry, where it lies in one).
    pub fn malformed(format: Format, offset: impl TryInto<u64>, message: impl Into<String>) -> Error {
        let kind = Kind::Malformed(offset.try_into().unwrap_or(u64::MAX));
        Error { format: Some(format), kind, message: message.into() }
    }

    /// A file, or a value to be written, that the format may hold and this library does not take.
    pub fn unsupported(format: Format, message: impl Into<String>) -> Error {
        Error { format: Some(format), kind: Kind::Unsupported, message: message.into() }
    }

    /// A file that would take more memory than its limit.
    pub fn too_large(format: Format, message: impl Into<String>) -> Error {
        Error { format: Some(format), kind: Kind::TooLarge, message: message.into() }
    }

    /// A file of no known format.
    pub fn unknown() -> Error {
        let message = "the file is none of safetensors, PyTorch's, npy, npz and GGUF".to_string();
        Error { format: None, kind: Kind::Unknown, message }
    }

    /// Elements that a device has no type for.
    pub(crate) fn unfit(message: String) -> Error {
        Error { format: None, kind: Kind::Unfit, message }
    }

    /// Whether the file breaks its format's rules; so does a truncated one.
    pub fn is_malformed(&self) -> bool {
        matches!(self.kind, Kind::Malformed(_))
    }

    /// Whether the file holds something that is not read, or cannot be written.
    pub fn is_unsupported(&self) -> bool {
        self.kind == Kind::Unsupported
    }

    /// Whether a limit was passed.
    pub fn is_too_large(&self) -> bool {
        self.kind == Kind::TooLarge
    }

    /// Whether the format was not recognized.
    pub fn is_unknown_format(&self) -> bool {
        self.kind == Kind::Unknown
    }

    /// Whether the device has no type for a tensor's elements.
    pub fn is_unfit(&self) -> bool {
        self.kind == Kind::Unfit
    }

    /// The byte where the file breaks its format's rules.
    pub fn offset(&self) -> Option<u64> {
        match self.kind {
            Kind::Malformed(offset) => Some(offset),
            _ => None,
        }
    }

    /// The same error, with what it concerns before its message.
    pub fn concerning(mut self, what: impl std::fmt::Display) -> Error {
        self.message = format!("{what}: {}", self.message);
        self
    }
}
