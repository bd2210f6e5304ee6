//! The WebAssembly surface: a few generic entries over handles.
//!
//! JavaScript holds numbers, never Rust objects: after a panic, or a second `init`, a stale number
//! is unknown and fails with a clear error. All ops have a single entry, [`op::call`], with the
//! op's index in the table; the methods that people call are TypeScript generated from the same
//! table (`crates/bindings`). Rejected: an export per op, which costs kilobytes of glue code each.

mod arguments;
mod autograd;
mod buffer;
mod callback;
mod compile;
mod control;
mod error;
mod func;
mod function;
mod gradients;
mod graph;
mod library;
mod library_kernel;
mod module;
mod op;
mod optimizer;
mod promise;
mod quantization;
mod runtime;
mod shared;
mod state;
mod tensor;
#[cfg(all(feature = "cpu", target_arch = "wasm32", target_feature = "atomics"))]
mod threads;
mod trace;
mod upload;
mod values;
