//! Index arithmetic: the offset of an operand's element as text.
//!
//! The offset of an element, and each bounded index, are linear functions of the coordinates of the
//! iteration space. A kernel divides the dimensions into groups, each with one linear index: the
//! rows and columns of a product, or the kept and reduced dimensions. A function is then a sum of
//! one term per group, and each term is computed as soon as the index of its group is known. Steps
//! of 0 and 1 and offsets of 0 are code; all other numbers are data.
//!
//! The last dimension of one group can be processed four elements at a time. Operands that are
//! contiguous there are then read as vec4s. If an operand is block-quantized, the dimension can be
//! processed 32 elements at a time: each block is decoded as a whole, and the other operands are
//! read as eight vec4s.

mod cursor;
mod indexer;
mod source;
mod space;
mod term;

pub(super) use cursor::Cursor;
pub(super) use indexer::Indexer;
pub(super) use space::Space;

use lanthorn_ir::DType;

/// The elements of an operand in one step: one element, four lanes, or a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lanes {
    /// One element.
    One,
    /// Four adjacent elements, as a vec4.
    Vector,
    /// The same element in all four lanes.
    Broadcast,
    /// Four elements at a constant distance, loaded one by one.
    Strided,
    /// 32 numbers of a block, as an array of vec4s.
    Block,
}

/// The number of vec4s in a block of 32 numbers.
pub(super) const BLOCK_VECTORS: usize = 8;

/// The elements of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    One,
    Vector,
    Block,
}

impl Unit {
    /// The number of elements.
    pub(super) const fn elements(self) -> usize {
        match self {
            Unit::One => 1,
            Unit::Vector => 4,
            Unit::Block => 4 * BLOCK_VECTORS,
        }
    }
}

impl Lanes {
    /// The type of the elements of a step. It is also the element type of arrays in buffers that
    /// are not packed.
    pub(super) fn of(self, element: &str) -> String {
        if self == Lanes::Vector { format!("vec4<{element}>") } else { element.to_string() }
    }

    /// The elements of a step as one value to store.
    pub(super) fn gather(self, element: &str, values: &[String]) -> String {
        if self == Lanes::Vector { format!("{}({})", self.of(element), values.join(", ")) } else { values[0].clone() }
    }
}

/// The linear indices of the elements of step `linear`.
pub(super) fn positions(unit: Unit, linear: &str) -> Vec<String> {
    match unit.elements() {
        1 => vec![linear.to_string()],
        count => (0..count).map(|lane| format!("({linear} * {count}u + {lane}u)")).collect(),
    }
}

/// The type of an operand of which only the offsets are needed.
pub(super) const ANY: DType = DType::U8;

pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
