//! The integers of groups, by loops that LLVM vectorizes for the processor's register width.

use super::{GROUP, IN_ORDER};

/// The lane order of [`bits`].
pub(super) const BITS: [u8; GROUP] = IN_ORDER;

/// The lane order of [`nibbles`] and [`add_bit_field`].
pub(super) const NIBBLES: [u8; GROUP] = IN_ORDER;

/// Sorts integers from a lane order into the order of the numbers.
#[inline(always)]
pub(super) fn sort_lanes(integers: [i16; GROUP], _: &[u8; GROUP]) -> [i16; GROUP] {
    integers
}

/// The masked bits of each of 32 bytes, from bit `shift` on.
#[inline(always)]
pub(super) fn bits(bytes: &[u8], shift: u32, mask: u8) -> [i16; GROUP] {
    map_bytes(bytes, |byte| i16::from(byte >> shift & mask))
}

/// Adds [`bits`] of other bytes above the `below` lowest ones.
#[inline(always)]
pub(super) fn add_bits(mut integers: [i16; GROUP], below: u32, bytes: &[u8], shift: u32, mask: u8) -> [i16; GROUP] {
    let bytes: &[u8; GROUP] = bytes.first_chunk().unwrap_or(&[0; GROUP]);
    integers.iter_mut().zip(bytes).for_each(|(integer, &byte)| *integer += i16::from(byte >> shift & mask) << below);
    integers
}

/// The four-bit halves of 16 bytes. The upper halves are the second half of the numbers.
#[inline(always)]
pub(super) fn nibbles(bytes: &[u8]) -> [i16; GROUP] {
    map_nibbles(bytes, i16::from)
}

/// Adds the bits of four bytes above the `below` lowest ones.
#[inline(always)]
pub(super) fn add_bit_field(mut integers: [i16; GROUP], below: u32, bytes: &[u8]) -> [i16; GROUP] {
    let field = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    for (at, integer) in integers.iter_mut().enumerate() {
        *integer += ((field >> at & 1) as i16) << below;
    }
    integers
}

/// The entries of a table at the four-bit halves of 16 bytes, in the order of the numbers.
#[inline(always)]
pub(super) fn look_up(table: &[i8; 16], bytes: &[u8]) -> [i16; GROUP] {
    map_nibbles(bytes, |bits| i16::from(table[usize::from(bits)]))
}

/// 32 bytes in two's complement.
#[inline(always)]
pub(super) fn signed_bytes(bytes: &[u8]) -> [i16; GROUP] {
    map_bytes(bytes, |byte| i16::from(byte as i8))
}

#[inline(always)]
fn map_bytes(bytes: &[u8], integer: impl Fn(u8) -> i16) -> [i16; GROUP] {
    let bytes: &[u8; GROUP] = bytes.first_chunk().unwrap_or(&[0; GROUP]);
    let mut integers = [0; GROUP];
    integers.iter_mut().zip(bytes).for_each(|(result, &byte)| *result = integer(byte));
    integers
}

/// Maps the lower halves of 16 bytes, then the upper halves.
#[inline(always)]
fn map_nibbles(bytes: &[u8], integer: impl Fn(u8) -> i16) -> [i16; GROUP] {
    let bytes: &[u8; 16] = bytes.first_chunk().unwrap_or(&[0; 16]);
    let mut integers = [0; GROUP];
    for (at, &byte) in bytes.iter().enumerate() {
        integers[at] = integer(byte & 15);
        integers[at + 16] = integer(byte >> 4);
    }
    integers
}
