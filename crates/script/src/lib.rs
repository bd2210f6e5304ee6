//! TorchScript.

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

#[cfg(test)]
mod corpus_tmp {
    #[test]
    fn parse_all() {
        let Ok(list) = std::env::var("PYFILES") else { return };
        for path in std::fs::read_to_string(list).unwrap().lines() {
            let text = std::fs::read_to_string(path).unwrap();
            if let Err(error) = crate::parser::parse(&crate::Source::new(path, text)) {
                panic!("{error}");
            }
        }
    }
}
