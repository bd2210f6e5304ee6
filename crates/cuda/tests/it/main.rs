//! The integration tests of `lanthorn-cuda`: one binary, because linking takes seconds.

mod blocks;
mod horizontal;
mod parity;
