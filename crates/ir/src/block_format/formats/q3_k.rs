//! `block_q3_K`: the third bits, 64 bytes of 2 bits, scales of 4 and 2 bits for each 16 numbers,
//! and a float16.

use super::*;

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "q3_k",
    code: Some(11),
    elements: 256,
    bytes: 32 + 64 + 12 + 2,
    sub_block: 16,
    integers: Integers::bit_planes(&[BitPlane::new(32, 2, 32), BitPlane::new(0, 1, 32)], 4),
    scale: Scale::new(Source::Float16, 108)
        .times(Integers::bit_planes(&[BitPlane::new(96, 4, 8), BitPlane::new(104, 2, 4)], 32)),
    offset: Offset::None,
};
