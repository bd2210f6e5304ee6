//! The integration tests of `lanthorn-tokenizer`: one binary, because linking takes seconds.

mod bad_input;
mod common;
mod references;
mod templates;
