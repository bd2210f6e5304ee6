//! The integration tests of `lanthorn-distributions`: one binary, because linking takes seconds.

mod arguments;
mod golden;
mod samplers;
