//! Conversion of errors for JavaScript.

use js_sys::Reflect;
use lanthorn::Error;
use std::cell::RefCell;
use wasm_bindgen::{JsCast, JsValue};

/// The result of an export.
pub type Result<T> = std::result::Result<T, Thrown>;

/// A value to throw.
pub enum Thrown {
    /// An error of lanthorn.
    Error(Error),
    /// A value that JavaScript threw or returned.
    Value(JsValue),
}

impl From<Error> for Thrown {
    fn from(error: Error) -> Thrown {
        Thrown::Error(error)
    }
}

impl From<Thrown> for Error {
    /// The error inside a callback of the core, which ends in one of our exports.
    fn from(thrown: Thrown) -> Error {
        match thrown {
            Thrown::Error(error) => error,
            Thrown::Value(value) => from_callback(value),
        }
    }
}

thread_local! {
    /// The exception of a JavaScript callback inside one of our calls, which is thrown again
    /// unchanged.
    static CALLBACK_EXCEPTION: RefCell<Option<JsValue>> = const { RefCell::new(None) };
}

/// Stores the exception of a callback and returns an error that ends our own call.
pub(crate) fn from_callback(exception: JsValue) -> Error {
    CALLBACK_EXCEPTION.set(Some(exception));
    Error::argument("callback", "a JavaScript callback threw")
}

impl From<Thrown> for JsValue {
    fn from(thrown: Thrown) -> JsValue {
        if let Some(exception) = CALLBACK_EXCEPTION.take() {
            return exception;
        }
        let error = match thrown {
            Thrown::Error(error) => error,
            Thrown::Value(value) => return value,
        };
        let thrown = js_sys::Error::new(&error.to_string());
        thrown.set_name("LanthornError");
        for (key, value) in [("kind", error.kind_name()), ("op", error.op())] {
            // Setting a property of a fresh Error object cannot fail.
            let _ = Reflect::set(thrown.unchecked_ref(), &key.into(), &value.into());
        }
        thrown.into()
    }
}
