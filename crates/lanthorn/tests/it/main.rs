//! The integration tests of `lanthorn`: one binary, because linking takes seconds.

mod compile;
mod compile_random;
mod control;
mod files;
mod interop;
mod linalg;
mod new_sizes;
mod resume;
mod tuning;
