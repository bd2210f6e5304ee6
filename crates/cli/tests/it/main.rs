//! The integration tests of `lanthorn-cli`: one binary, because linking takes seconds.

mod bench;
mod convert;
mod distributed;
mod generate;
mod inspect;
mod run;
mod train;
