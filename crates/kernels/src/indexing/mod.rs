//! Where operands are read.
//!
//! The place of an element, and the coordinate of each window, are linear functions of the iteration space's coordinates. A kernel cuts the dimensions into
//! groups, each numbered by a linear index of its own (the rows and columns of a product, the kept and the reduced dimensions); the functions fall apart into one term a
//! group, so that each term is computed where its group's index is known and no sooner. Steps of 0 and 1 and offsets of 0 are code; all others are data.
//!
//! The last dimension of one group can be taken four elements at a time: then an operand that is contiguous there is read as vectors.

mod bound;
mod cursor;
mod source;
mod space;
mod term;

pub(super) use bound::Indexer;
pub(super) use cursor::Cursor;
pub(super) use space::Space;

use lanthorn_ir::DType;

/// How an operand gives the elements of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lanes {
    /// One element.
    One,
    /// Four neighbours, as a vector.
    Vector,
    /// The same element four times.
    Broadcast,
    /// Four elements, each found by itself.
    Strided,
}

impl Lanes {
    /// The type of the elements of a step, and of what a buffer of elements that are not packed is an array of.
    pub(super) fn of(self, element: &str) -> String {
        if self == Lanes::Vector { format!("vec4<{element}>") } else { element.to_string() }
    }

    /// The elements of a step as one value to store.
    pub(super) fn gather(self, element: &str, values: &[String]) -> String {
        if self == Lanes::Vector { format!("{}({})", self.of(element), values.join(", ")) } else { values[0].clone() }
    }
}

/// The positions of the elements of step `linear`: one, or four.
pub(super) fn positions(vec4: bool, linear: &str) -> Vec<String> {
    if vec4 { (0..4).map(|lane| format!("({linear} * 4u + {lane}u)")).collect() } else { vec![linear.to_string()] }
}

/// The type of an operand of which only the places are wanted.
pub(super) const ANY: DType = DType::U8;

pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
