//! The encoding of calls: a row of numbers, and the strings that it refers to by index.
//!
//! An argument is the number of its [`ArgKind`](crate::ArgKind) and its content, as `docs/calls.md`
//! lists it. Rejected: JSON, which takes longer to write than most operations take to record; and
//! bytes, which JavaScript writes through a view for each type.

mod reader;
mod row;

pub use reader::{Malformed, Reader, Whole};
pub use row::Row;

/// The tag before an argument that is given by name. The index of the name follows, then the
/// argument.
pub const NAME: f64 = -1.0;
