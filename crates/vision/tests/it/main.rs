//! The integration tests of `lanthorn-vision`: one binary, because linking takes seconds.

mod arguments;
mod golden;
mod models;
mod sizes_only;
mod transforms;
