//! Promises of Rust futures.

use crate::error::Result;
use js_sys::Promise;
use std::{future::Future, pin::Pin};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::future_to_promise;

/// A promise of a future's value.
pub(crate) fn promise(future: impl Future<Output = Result<JsValue>> + 'static) -> Promise {
    // Boxed, so that the code that resolves a promise is compiled once and not for each future
    // type.
    fn of_boxed(future: Pin<Box<dyn Future<Output = Result<JsValue>>>>) -> Promise {
        future_to_promise(async { Ok(future.await?) })
    }
    of_boxed(Box::pin(future))
}
