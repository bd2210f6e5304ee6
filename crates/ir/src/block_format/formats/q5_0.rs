//! `block_q5_0`: a float16, a field of the fifth bits, and the halves of 16 bytes.

use super::*;

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "q5_0",
    code: Some(6),
    elements: 32,
    bytes: 2 + 4 + 16,
    sub_block: 32,
    integers: Integers::bit_planes(&[BitPlane::new(6, 4, 16), BitPlane::new(2, 1, 1)], 16),
    scale: Scale::new(Source::Float16, 0),
    offset: Offset::None,
};
