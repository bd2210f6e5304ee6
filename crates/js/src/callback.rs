//! JavaScript functions held by registrations.
//!
//! A registered op is the process's, so its functions are `Send + Sync`, which a JavaScript
//! function is not: a registration holds the function's index in a list of this thread. The list
//! only grows, as registrations are never taken back.

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
