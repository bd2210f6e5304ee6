//! `block_iq4_xs`: a float16, scales of 2 upper bits in two bytes and 4 lower bits in four for each
//! 32 numbers, and 128 bytes of indices of a table.

use super::*;

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "iq4_xs",
    code: Some(23),
    elements: 256,
    bytes: 2 + 2 + 4 + 128,
    sub_block: 32,
    integers: Integers::table(&[BitPlane::new(8, 4, 16)], &iq4_nl::STEPS),
    scale: Scale::new(Source::Float16, 0)
        .times(Integers::bit_planes(&[BitPlane::new(4, 4, 1), BitPlane::new(2, 2, 1)], 32)),
    offset: Offset::None,
};
