//! Prints a library over tensors, which is written once in Rust, as TypeScript.
//!
//! A library such as `torch.distributions` is a composition of tensor operations. Its source keeps
//! to a subset of Rust, in which every construct has one counterpart in a language with exceptions
//! and garbage collection. [`Library`] reads the declarations, the lowerer makes a typed tree of
//! each body, and [`typescript`] prints the trees.
//!
//! A construct outside of the subset, and an expression whose type is not known, are errors with a
//! position. The printed code is never a guess.
//!
//! Rejected: the library compiled to WebAssembly, where a program cannot extend a class, and every
//! call would cross into the module twice. Rejected: a table of formulas, which has no conditions,
//! loops or classes.

#![forbid(unsafe_code)]

mod error;
pub mod intrinsics;
mod layout;
pub mod library;
mod lower;
mod names;
pub mod operations;
mod syntax;
pub mod tree;
pub mod types;
pub mod typescript;

pub use error::{Error, Result};
pub use library::Library;
pub use operations::Operations;
