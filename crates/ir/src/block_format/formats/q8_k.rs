//! `block_q8_K`: a float32, 256 signed bytes, and their sums, which decoding does not need.

use super::*;

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "q8_k",
    code: Some(15),
    elements: 256,
    bytes: 4 + 256 + 32,
    sub_block: 256,
    integers: Integers::bytes(&[BitPlane::new(4, 8, 32)]),
    scale: Scale::new(Source::Float32, 0),
    offset: Offset::None,
};
