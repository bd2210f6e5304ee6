//! `block_q8_0`: a float16 and 32 signed bytes.

use super::*;

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "q8_0",
    code: Some(8),
    elements: 32,
    bytes: 2 + 32,
    sub_block: 32,
    integers: Integers::bytes(&[BitPlane::new(2, 8, 32)]),
    scale: Scale::new(Source::Float16, 0),
    offset: Offset::None,
};
