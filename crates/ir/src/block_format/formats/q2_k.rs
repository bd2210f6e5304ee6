//! `block_q2_K`: a scale and an offset of 4 bits for each 16 numbers in a byte, 64 bytes of 2 bits,
//! and two float16.

use super::*;

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "q2_k",
    code: Some(10),
    elements: 256,
    bytes: 16 + 64 + 4,
    sub_block: 16,
    integers: Integers::bit_planes(&[BitPlane::new(16, 2, 32)], 0),
    scale: Scale::new(Source::Float16, 80).times(Integers::bit_planes(&[BitPlane::new(0, 4, 16)], 0)),
    offset: Offset::Minus(
        Scale::new(Source::Float16, 82)
            .times(Integers::bit_planes(&[BitPlane { lowest: 4, ..BitPlane::new(0, 4, 16) }], 0)),
    ),
};
