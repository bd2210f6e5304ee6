//! Conversion of errors for JavaScript, and back.

use js_sys::Reflect;
use lanthorn_program::Error as ProgramError;
#[cfg(feature = "pytorch")]
use lanthorn_script::Error as ScriptError;
use std::cell::RefCell;
use wasm_bindgen::{JsCast, JsValue};

/// The kind and message of a `LanthornError` to throw.
pub struct Thrown {
    kind: String,
    message: String,
}

/// An error of the core: its kind and its message.
#[derive(Clone)]
struct Failure {
    kind: String,
    message: String,
}

thread_local! {
    /// The core's last error. Errors of programs keep its message but not its kind.
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

fn text(value: &JsValue, key: &str) -> Option<String> {
    Reflect::get(value, &key.into()).ok().and_then(|text| text.as_string())
}

/// Converts an exception of a function of the core to an error of a program.
#[cfg(any(feature = "pytorch", feature = "onnx"))]
pub fn failure(op: &str, error: JsValue) -> ProgramError {
    let kind = text(&error, "kind").unwrap_or_else(|| "argument".to_string());
    let message = text(&error, "message").or_else(|| error.as_string()).unwrap_or_default();
    // The core's message begins with the operation, and so does the program's.
    let own = text(&error, "op").and_then(|op| message.strip_prefix(&format!("{op}: ")).map(str::to_string));
    let message = own.unwrap_or(message);
    LAST.set(Some(Failure { kind, message: message.clone() }));
    ProgramError::operation(op, message)
}

/// The kind of the core's error whose message is part of this one.
fn kind_in(message: &str) -> String {
    let last = LAST.with_borrow(Clone::clone);
    let known = last.filter(|failure| message.contains(&failure.message));
    known.map_or_else(|| "argument".to_string(), |failure| failure.kind)
}

impl Thrown {
    /// An invalid argument.
    pub fn argument(message: impl Into<String>) -> Thrown {
        Thrown { kind: "argument".to_string(), message: message.into() }
    }

    /// A file that is not a program.
    pub fn file(message: impl Into<String>) -> Thrown {
        Thrown { kind: "file".to_string(), message: message.into() }
    }

    /// A call that its signal stopped. The package rejects with the signal's reason instead.
    pub fn aborted() -> Thrown {
        Thrown { kind: "aborted".to_string(), message: "the call was aborted".to_string() }
    }

    #[cfg(feature = "pytorch")]
    /// The error of an archive's code: whatever is wrong with it is wrong with the file.
    pub fn of_archive(error: ScriptError) -> Thrown {
        match error {
            ScriptError::Syntax { .. } => Thrown { kind: "file".to_string(), message: error.to_string() },
            error => error.into(),
        }
    }
}

/// The kind of an error of a file.
fn kind_of_file(error: &lanthorn_io::Error) -> String {
    if error.is_unsupported_dtype() { "dtype" } else { "file" }.to_string()
}

impl From<ProgramError> for Thrown {
    fn from(error: ProgramError) -> Thrown {
        let message = error.to_string();
        let kind = match &error {
            ProgramError::Operation { .. } => kind_in(&message),
            ProgramError::File(error) => kind_of_file(error),
            ProgramError::MissingOperators(_)
            | ProgramError::Malformed(_)
            | ProgramError::Unsupported(_)
            | ProgramError::External(_) => "file".into(),
            ProgramError::Limit(_) => "limit".into(),
            _ => "argument".into(),
        };
        Thrown { kind, message }
    }
}

#[cfg(feature = "pytorch")]
impl From<ScriptError> for Thrown {
    fn from(error: ScriptError) -> Thrown {
        let message = error.to_string();
        let kind = match &error {
            ScriptError::Operation { .. } => kind_in(&message),
            ScriptError::Archive(error) => kind_of_file(error),
            ScriptError::Limit { .. } => "limit".into(),
            _ => "argument".into(),
        };
        Thrown { kind, message }
    }
}

impl From<JsValue> for Thrown {
    fn from(value: JsValue) -> Thrown {
        let kind = text(&value, "kind").unwrap_or_else(|| "argument".to_string());
        Thrown { kind, message: text(&value, "message").unwrap_or_default() }
    }
}

impl From<Thrown> for JsValue {
    fn from(thrown: Thrown) -> JsValue {
        let error = js_sys::Error::new(&thrown.message);
        // Setting a property of a fresh Error object cannot fail.
        let _ = Reflect::set(error.unchecked_ref(), &"kind".into(), &thrown.kind.into());
        error.into()
    }
}
