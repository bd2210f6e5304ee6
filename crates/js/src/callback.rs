//! JavaScript functions held by registrations.
//!
//! Registered ops belong to the process, so their functions must be `Send + Sync`, which JavaScript
//! functions are not: a registration holds the index of the function in a list of this thread. The
//! list only grows, because registrations are never removed.

use js_sys::{Array, Function};
use std::cell::RefCell;
use wasm_bindgen::JsValue;

thread_local! {
    static CALLBACKS: RefCell<Vec<Function>> = const { RefCell::new(Vec::new()) };
}

/// A JavaScript function by its index in the list.
#[derive(Clone, Copy)]
pub(crate) struct Callback(usize);

impl Callback {
    /// Adds a function to the list.
    pub fn new(function: Function) -> Callback {
        CALLBACKS.with_borrow_mut(|callbacks| {
            callbacks.push(function);
            Callback(callbacks.len() - 1)
        })
    }

    /// Calls the function; an exception is returned unchanged.
    pub fn call(self, args: &[JsValue]) -> std::result::Result<JsValue, JsValue> {
        // Cloned, because the function may register others.
        let function = CALLBACKS.with_borrow(|callbacks| callbacks.get(self.0).cloned());
        let function = function.ok_or_else(|| JsValue::from("a callback of another thread"))?;
        function.apply(&JsValue::UNDEFINED, &args.iter().collect::<Array>())
    }
}
