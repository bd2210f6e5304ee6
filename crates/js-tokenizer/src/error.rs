//! Conversion of errors for JavaScript.

use js_sys::Reflect;
use lanthorn_tokenizer::Error;
use wasm_bindgen::{JsCast, JsValue};

/// The kind and message of a `LanthornError` to throw.
pub struct Thrown {
    kind: &'static str,
    message: String,
}

impl Thrown {
    /// An invalid argument.
    pub fn argument(message: &str) -> Thrown {
        Thrown { kind: "argument", message: message.to_string() }
    }
}

impl From<Error> for Thrown {
    fn from(error: Error) -> Thrown {
        let kind = match (error.is_argument(), error.is_unknown_id()) {
            (true, _) => "argument",
            (_, true) => "index",
            _ => "file",
        };
        Thrown { kind, message: error.to_string() }
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
