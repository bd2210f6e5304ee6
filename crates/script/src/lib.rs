//! TorchScript: archives of `torch.jit.save`, traced and scripted, and texts of the same language.
//!
//! A text is parsed to a tree, compiled to instructions of a small stack machine, and run by an
//! interpreter that calls operations through [`lanthorn_program::Dispatch`]. So it runs natively and
//! in a page, where the core is another WebAssembly module. Nothing but the language runs: there is
//! no import, and a name is a function of the text, a built-in function or an operation. The machine
//! has its own stack, and [`Limits`] bound its steps and the depth of calls: no text can overflow
//! the stack, hang, or take unbounded memory.
//!
//! Rejected: an interpreter that walks the tree by recursion, whose futures would nest as deeply as
//! the text's calls and expressions.

#![forbid(unsafe_code)]

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
