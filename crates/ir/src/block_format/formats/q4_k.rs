//! `block_q4_K`: two float16, scales and offsets of 6 bits for each 32 numbers in 12 bytes, and 128
//! bytes of 4 bits.

use super::*;

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "q4_k",
    code: Some(12),
    elements: 256,
    bytes: 4 + 12 + 128,
    sub_block: 32,
    integers: Integers::bit_planes(&[BitPlane::new(16, 4, 32)], 0),
    scale: Scale::new(Source::Float16, 0).times(Integers::six_bits(Packing::SixBitScales(4))),
    offset: Offset::Minus(Scale::new(Source::Float16, 2).times(Integers::six_bits(Packing::SixBitOffsets(4)))),
};
