//! Why a script was refused or stopped.

use crate::source::Location;

/// The result of compiling or running a script.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a script was refused or stopped. A location shows the line with a caret.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The text is not of the language.
    #[error("syntax error: {message}{location}")]
    Syntax {
        /// What was expected.
        message: String,
        /// Where.
        location: Location,
    },
    /// An operation got values that it does not accept, or a name is not defined.
    #[error("{message}{location}")]
    Runtime {
        /// What failed.
        message: String,
        /// Where.
        location: Location,
    },
    /// The program raised an exception, or an assertion of it failed.
    #[error("{class}: {message}{location}")]
    Raised {
        /// The name of the exception's class, such as `ValueError`.
        class: String,
        /// Its message.
        message: String,
        /// Where.
        location: Location,
    },
    /// A tensor operation failed.
    #[error("{message}{location}")]
    Operation {
        /// The operation's error.
        message: String,
        /// Where in the script.
        location: Location,
    },
    /// The script calls operations that do not exist here.
    #[error("the operation {} is not available{location}", .missing.join(", "))]
    MissingOperations {
        /// The operation that was called first, then all others that the archive names.
        missing: Vec<String>,
        /// Where in the script.
        location: Location,
    },
    /// A limit of steps, depth or memory was reached.
    #[error("{message}{location}")]
    Limit {
        /// Which limit.
        message: String,
        /// Where.
        location: Location,
    },
    /// The run was aborted.
    #[error("the script was aborted{location}")]
    Aborted {
        /// Where.
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

    /// Where in the script it happened, if that is known.
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

    /// The same error at this location, unless it has one.
    pub(crate) fn at(mut self, place: impl FnOnce() -> Location) -> Error {
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
                *location = place();
            }
            _ => {}
        }
        self
    }
}
