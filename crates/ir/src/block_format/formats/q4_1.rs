//! `block_q4_1`: two float16, the scale and the offset, and the lower and upper halves of 16 bytes.

use super::*;

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "q4_1",
    code: Some(3),
    elements: 32,
    bytes: 4 + 16,
    sub_block: 32,
    integers: Integers::bit_planes(&[BitPlane::new(4, 4, 16)], 0),
    scale: Scale::new(Source::Float16, 0),
    offset: Offset::Plus(Scale::new(Source::Float16, 2)),
};
