//! The integers of groups by loops, of which LLVM makes vectors, as wide as the processor has them.

use super::{GROUP, IN_ORDER};
use lanthorn_ir::BlockFormat;

/// The order of [`bits`].
pub(super) const BITS: [u8; GROUP] = IN_ORDER;

/// The order of [`four_bits`] and [`five_bits`].
pub(super) const NIBBLES: [u8; GROUP] = IN_ORDER;

/// Integers of an order in the order of the numbers.
#[inline(always)]
pub(super) fn in_order(integers: [i16; GROUP], _: &[u8; GROUP]) -> [i16; GROUP] {
    integers
}

/// Bits of each of 32 bytes, from number `shift` on.
#[inline(always)]
pub(super) fn bits(bytes: &[u8], shift: u32, mask: u8) -> [i16; GROUP] {
    each(bytes, |byte| i16::from(byte >> shift & mask))
}

/// Integers of `LOW` bits with [`bits`] of other bytes above.
#[inline(always)]
pub(super) fn above<const LOW: u32>(mut integers: [i16; GROUP], bytes: &[u8], shift: u32, mask: u8) -> [i16; GROUP] {
    let bytes: &[u8; GROUP] = bytes.first_chunk().unwrap_or(&[0; GROUP]);
    integers.iter_mut().zip(bytes).for_each(|(integer, &byte)| *integer += i16::from(byte >> shift & mask) << LOW);
    integers
}

/// The four bits of 16 bytes: the second half of the numbers is in the upper half of each byte.
#[inline(always)]
pub(super) fn four_bits(bytes: &[u8]) -> [i16; GROUP] {
    halves(bytes, i16::from)
}

/// With a fifth bit from a field.
#[inline(always)]
pub(super) fn five_bits(field: &[u8], bytes: &[u8]) -> [i16; GROUP] {
    let field = u32::from_le_bytes([field[0], field[1], field[2], field[3]]);
    let mut integers = four_bits(bytes);
    for (at, integer) in integers.iter_mut().enumerate() {
        *integer += (field >> at & 1) as i16 * 16;
    }
    integers
}

/// The steps of the four bits of 16 bytes, in the order of the numbers.
#[inline(always)]
pub(super) fn steps(bytes: &[u8]) -> [i16; GROUP] {
    halves(bytes, |bits| i16::from(BlockFormat::STEPS[usize::from(bits)]))
}

#[inline(always)]
pub(super) fn signed_bytes(bytes: &[u8]) -> [i16; GROUP] {
    each(bytes, |byte| i16::from(byte as i8))
}

#[inline(always)]
fn each(bytes: &[u8], integer: impl Fn(u8) -> i16) -> [i16; GROUP] {
    let bytes: &[u8; GROUP] = bytes.first_chunk().unwrap_or(&[0; GROUP]);
    let mut integers = [0; GROUP];
    integers.iter_mut().zip(bytes).for_each(|(result, &byte)| *result = integer(byte));
    integers
}

/// The lower halves of 16 bytes, then the upper ones.
#[inline(always)]
fn halves(bytes: &[u8], integer: impl Fn(u8) -> i16) -> [i16; GROUP] {
    let bytes: &[u8; 16] = bytes.first_chunk().unwrap_or(&[0; 16]);
    let mut integers = [0; GROUP];
    for (at, &byte) in bytes.iter().enumerate() {
        integers[at] = integer(byte & 15);
        integers[at + 16] = integer(byte >> 4);
    }
    integers
}
