//! TorchScript: archives of `torch.jit.save`, traced and scripted, and source texts of the same
//! language.
//!
//! A parser produces a tree, a compiler produces instructions of a small stack machine, and an
//! interpreter runs them and calls operations through [`lanthorn_program::Dispatch`]. So scripts
//! run natively and in a page, where the core is another WebAssembly module. A script can only run
//! the language itself. There are no imports, and a name is a function of the text, a built-in
//! function or an operation. The machine has its own stack, and [`Limits`] bound its steps and the
//! depth of calls: no text can overflow the stack, hang, or allocate unbounded memory.
//!
//! Rejected: an interpreter that recurses over the tree. Its futures would nest as deeply as the
//! calls and expressions of the text.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

mod archive;
mod ast;
mod builtins;
mod code;
mod compiler;
mod context;
mod dict;
mod error;
mod format;
mod interpreter;
mod lexer;
mod module;
#[cfg(feature = "tensor")]
mod native;
mod number;
mod parser;
mod source;
mod value;

pub use archive::detect;
pub use context::Limits;
pub use error::{Error, Result};
pub use module::{NamedTensor, Output, Script, ScriptModule, script};
#[cfg(feature = "tensor")]
pub use native::NativeModule;
pub use source::{Location, Source};
