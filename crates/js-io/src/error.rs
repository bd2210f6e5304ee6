//! Conversion of errors for JavaScript.

use js_sys::Reflect;
use lanthorn_io::Error;
use wasm_bindgen::{JsCast, JsValue};

/// The kind and message of a `LanthornError` to throw.
pub struct Thrown {
    kind: &'static str,
    message: String,
}

impl Thrown {
    /// An invalid argument.
    pub fn argument(message: String) -> Thrown {
        Thrown { kind: "argument", message }
    }
}

impl From<Error> for Thrown {
    fn from(error: Error) -> Thrown {
        Thrown { kind: if error.is_unsupported_dtype() { "dtype" } else { "file" }, message: error.to_string() }
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
