//! `block_q4_0`: a float16, and the lower and upper halves of 16 bytes.

use super::*;

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "q4_0",
    code: Some(2),
    elements: 32,
    bytes: 2 + 16,
    sub_block: 32,
    integers: Integers::bit_planes(&[BitPlane::new(2, 4, 16)], 8),
    scale: Scale::new(Source::Float16, 0),
    offset: Offset::None,
};
