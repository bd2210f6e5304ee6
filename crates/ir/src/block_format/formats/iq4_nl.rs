//! `block_iq4_nl`: a float16, and the lower and upper halves of 16 bytes as indices of a table.

use super::*;

/// `kvalues_iq4nl` of `ggml-common.h`.
pub(super) const STEPS: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "iq4_nl",
    code: Some(20),
    elements: 32,
    bytes: 2 + 16,
    sub_block: 32,
    integers: Integers::table(&[BitPlane::new(2, 4, 16)], &STEPS),
    scale: Scale::new(Source::Float16, 0),
    offset: Offset::None,
};
