//! `block_q5_K`: `block_q4_K` with 32 bytes of the fifth bits before the bytes of 4 bits.

use super::*;

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "q5_k",
    code: Some(13),
    bytes: 4 + 12 + 32 + 128,
    integers: Integers::bit_planes(&[BitPlane::new(48, 4, 32), BitPlane::new(16, 1, 32)], 0),
    ..q4_k::LAYOUT
};
