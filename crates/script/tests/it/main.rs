//! The integration tests of `lanthorn-script`: one binary, because linking takes seconds.

mod archives;
mod language;
