//! `block_q6_K`: 128 bytes of the lower 4 bits, 64 of the upper 2, a signed byte for each 16
//! numbers, and a float16.

use super::*;

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "q6_k",
    code: Some(14),
    elements: 256,
    bytes: 128 + 64 + 16 + 2,
    sub_block: 16,
    integers: Integers::bit_planes(&[BitPlane::new(0, 4, 64), BitPlane::new(128, 2, 32)], 32),
    scale: Scale::new(Source::Float16, 208).times(Integers::bytes(&[BitPlane::new(192, 8, 16)])),
    offset: Offset::None,
};
