//! The integration tests of `lanthorn-program`: one binary, because linking takes seconds.

mod complex;
mod corpus;
mod export;
mod mutations;
mod passes;
mod planned;
mod save;
mod training;
