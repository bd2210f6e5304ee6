//! The integration tests of `lanthorn-models`: one binary, because linking takes seconds.

mod bad_input;
mod files;
mod golden;
mod text;
