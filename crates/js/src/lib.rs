//! The WebAssembly surface: a few generic entries over handles.
//!
//! JavaScript holds numbers, never Rust objects: after a panic, or a second `init`, a number is merely unknown, and that is a clear
//! error. An op is one entry, [`op::call`], with the op's place in the table; the methods that people call are TypeScript printed from
//! the same table (`crates/bindings`). Rejected: an export an op, which costs kilobytes of glue each.

mod arguments;
mod autograd;
mod callback;
mod error;
mod function;
mod gradients;
mod library;
mod module;
mod op;
mod optimizer;
mod promise;
mod runtime;
mod state;
mod tensor;
mod values;
