//! The integration tests of `lanthorn-io`: one binary, because linking takes seconds.

mod hostile;
mod old;
mod parts;
mod pytorch;
