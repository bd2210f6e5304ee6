//! `block_q5_1`: two float16, the scale and the offset, a field of the fifth bits, and the halves
//! of 16 bytes.

use super::*;

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "q5_1",
    code: Some(7),
    elements: 32,
    bytes: 4 + 4 + 16,
    sub_block: 32,
    integers: Integers::bit_planes(&[BitPlane::new(8, 4, 16), BitPlane::new(4, 1, 1)], 0),
    scale: Scale::new(Source::Float16, 0),
    offset: Offset::Plus(Scale::new(Source::Float16, 2)),
};
