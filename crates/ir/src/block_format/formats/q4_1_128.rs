//! `q4_1` with one scale and one offset for 128 numbers, the usual group of weights of 4 bits.

use super::*;

pub(super) const LAYOUT: BlockLayout =
    BlockLayout { name: "q4_1_128", code: None, elements: 128, bytes: 4 + 64, sub_block: 128, ..q4_1::LAYOUT };
