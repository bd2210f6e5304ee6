//! The table of operations, for people.

use lanthorn::ops::{OpKind, all};

/// Prints a line an operation.
pub fn list() {
    for op in all() {
        let kind = match op.kind {
            OpKind::Pointwise => "pointwise",
            OpKind::Leaf => "leaf",
            OpKind::Composite => "composite",
        };
        println!("{:<16} {kind:<10} {}", op.name(), op.text);
    }
}
