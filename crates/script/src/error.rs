//! Errors of compiling and running scripts.

use crate::source::Location;

/// The result of compiling or running a script.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error from compiling or running a script. A location shows the line with a caret.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The text has a syntax error.
    #[error("syntax error: {message}{location}")]
    Syntax {
        /// The expected syntax.
        message: String,
        /// The location in the script.
        location: Location,
    },
    /// An operation received unsupported values, or a name is not defined.
    #[error("{message}{location}")]
    Runtime {
        /// The failure.
        message: String,
        /// The location in the script.
        location: Location,
    },
    /// The program raised an exception, or one of its assertions failed.
    #[error("{class}: {message}{location}")]
    Raised {
        /// The name of the exception's class, such as `ValueError`.
        class: String,
        /// Its message.
        message: String,
        /// The location in the script.
        location: Location,
    },
    /// A tensor operation failed.
    #[error("{message}{location}")]
    Operation {
        /// The operation's error.
        message: String,
        /// The location in the script.
        location: Location,
    },
    /// The script calls unknown operations.
    #[error("the operation {} is not available{location}", .missing.join(", "))]
    MissingOperations {
        /// The operation that was called, then all others that the archive uses.
        missing: Vec<String>,
        /// The location in the script.
        location: Location,
    },
    /// A limit of steps, depth or memory was exceeded.
    #[error("{message}{location}")]
    Limit {
        /// The limit.
        message: String,
        /// The location in the script.
        location: Location,
    },
    /// The run was aborted.
    #[error("the script was aborted{location}")]
    Aborted {
        /// The location in the script.
        location: Location,
    },
    /// The archive could not be read.
    #[error(transparent)]
    Archive(#[from] lanthorn_io::Error),
}

impl Error {
    /// A syntax error.
    pub(crate) fn syntax(message: impl Into<String>, location: Location) -> Error {
        Error::Syntax { message: message.into(), location }
    }

    /// A run-time error without a location, which the interpreter adds.
    pub(crate) fn runtime(message: impl Into<String>) -> Error {
        Error::Runtime { message: message.into(), location: Location::default() }
    }

    /// An operation's error without a location.
    pub(crate) fn operation(message: impl Into<String>) -> Error {
        Error::Operation { message: message.into(), location: Location::default() }
    }

    /// A limit that was reached.
    pub(crate) fn limit(message: impl Into<String>) -> Error {
        Error::Limit { message: message.into(), location: Location::default() }
    }

    /// Returns the location in the script, if it is known.
    pub fn location(&self) -> Option<&Location> {
        match self {
            Error::Syntax { location, .. }
            | Error::Runtime { location, .. }
            | Error::Raised { location, .. }
            | Error::Operation { location, .. }
            | Error::MissingOperations { location, .. }
            | Error::Limit { location, .. }
            | Error::Aborted { location } => location.is_known().then_some(location),
            Error::Archive(_) => None,
        }
    }

    /// Adds a location, unless the error has one.
    pub(crate) fn at(mut self, find: impl FnOnce() -> Location) -> Error {
        match &mut self {
            Error::Syntax { location, .. }
            | Error::Runtime { location, .. }
            | Error::Raised { location, .. }
            | Error::Operation { location, .. }
            | Error::MissingOperations { location, .. }
            | Error::Limit { location, .. }
            | Error::Aborted { location }
                if !location.is_known() =>
            {
                *location = find();
            }
            _ => {}
        }
        self
    }
}
