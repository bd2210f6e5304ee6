//! `block_mxfp4`, OCP's MXFP4: an exponent, e8m0, and the lower and upper halves of 16 bytes as
//! floats, e2m1.

use super::*;

/// `kvalues_mxfp4` of `ggml-common.h`: twice the numbers of e2m1, which are integers.
const E2M1: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

pub(super) const LAYOUT: BlockLayout = BlockLayout {
    name: "mxfp4",
    code: Some(39),
    elements: 32,
    bytes: 1 + 16,
    sub_block: 32,
    integers: Integers::table(&[BitPlane::new(1, 4, 16)], &E2M1),
    scale: Scale::new(Source::HalfE8m0, 0),
    offset: Offset::None,
};
