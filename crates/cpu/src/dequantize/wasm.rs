//! The integers of groups, by WebAssembly SIMD instructions, because LLVM vectorizes the loops only
//! partly.
//!
//! A register has eight words of two bytes. Shifted and masked, it contains the integers of every
//! other byte, without widening. The lane orders follow from that.

use super::{GROUP, IN_ORDER};
use std::{arch::wasm32::*, array::from_fn, mem::transmute};

/// The lane order of four registers of integers. Each register has the number of its first integer,
/// and the distance between its integers.
const fn order(registers: [[u8; 2]; 4]) -> [u8; GROUP] {
    let mut order = IN_ORDER;
    let mut at = 0;
    while at < GROUP {
        let [first, step] = registers[at / 8];
        order[at] = first + (at % 8) as u8 * step;
        at += 1;
    }
    order
}

/// The lane order of [`bits`]: in each half, the even numbers, then the odd numbers.
pub(super) const BITS: [u8; GROUP] = order([[0, 2], [1, 2], [16, 2], [17, 2]]);

/// The lane order of [`nibbles`] and [`add_bit_field`], where the upper halves of bytes are the
/// second half of the numbers.
pub(super) const NIBBLES: [u8; GROUP] = order([[0, 2], [16, 2], [1, 2], [17, 2]]);

/// The integers of four registers.
#[inline(always)]
fn together(registers: [v128; 4]) -> [i16; GROUP] {
    // SAFETY: four registers and 32 integers are 64 bytes, of any bits.
    unsafe { transmute(registers) }
}

/// Sorts integers from a lane order into the order of the numbers.
#[inline(always)]
pub(super) fn sort_lanes(integers: [i16; GROUP], order: &[u8; GROUP]) -> [i16; GROUP] {
    // SAFETY: as for `together`.
    let [a, b, c, d]: [v128; 4] = unsafe { transmute(integers) };
    // Combines the registers that have alternate numbers of a half, by the number of lane 8.
    let ((a, b), (c, d)) = match order[8] {
        1 => ((a, b), (c, d)),
        16 => ((a, c), (b, d)),
        _ => return integers,
    };
    let low = |a, b| i16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>(a, b);
    let high = |a, b| i16x8_shuffle::<4, 12, 5, 13, 6, 14, 7, 15>(a, b);
    together([low(a, b), high(a, b), low(c, d), high(c, d)])
}

/// The first 16 bytes.
#[inline(always)]
fn load(bytes: &[u8]) -> v128 {
    // SAFETY: there are 16 bytes, and a load needs no alignment.
    unsafe { v128_load(bytes[..16].as_ptr().cast()) }
}

/// The masked bits of each of 32 bytes, from bit `shift` on.
#[inline(always)]
pub(super) fn bits(bytes: &[u8], shift: u32, mask: u8) -> [i16; GROUP] {
    let mask = u16x8_splat(mask.into());
    // Two shifts, because a shift by a number that is not constant takes three instructions.
    let (low, high) = (u16x8_shr(load(bytes), shift), u16x8_shr(load(&bytes[16..]), shift));
    together([low, u16x8_shr(low, 8), high, u16x8_shr(high, 8)].map(|words| v128_and(words, mask)))
}

/// Adds [`bits`] of other bytes above the `below` lowest ones.
#[inline(always)]
pub(super) fn add_bits(integers: [i16; GROUP], below: u32, bytes: &[u8], shift: u32, mask: u8) -> [i16; GROUP] {
    join(integers, below, bits(bytes, shift, mask))
}

/// Integers of `below` bits, joined with higher bits.
#[inline(always)]
fn join(low: [i16; GROUP], below: u32, high: [i16; GROUP]) -> [i16; GROUP] {
    // SAFETY: as for `together`.
    let (low, high): ([v128; 4], [v128; 4]) = unsafe { (transmute(low), transmute(high)) };
    together(from_fn(|at| v128_or(low[at], i16x8_shl(high[at], below))))
}

/// The four-bit halves of 16 bytes.
#[inline(always)]
pub(super) fn nibbles(bytes: &[u8]) -> [i16; GROUP] {
    let words = load(bytes);
    together([0, 4, 8, 12].map(|shift| v128_and(u16x8_shr(words, shift), u16x8_splat(15))))
}

/// Adds the bits of four bytes above the `below` lowest ones.
#[inline(always)]
pub(super) fn add_bit_field(integers: [i16; GROUP], below: u32, bytes: &[u8]) -> [i16; GROUP] {
    let even = u16x8(1, 1 << 2, 1 << 4, 1 << 6, 1 << 8, 1 << 10, 1 << 12, 1 << 14);
    let odd = u16x8_shl(even, 1);
    let half = |at: usize| u16x8_splat(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    // 1 if the bit is set in a half of the field.
    let flag = |half: v128, bits: v128| v128_and(i16x8_eq(v128_and(half, bits), bits), u16x8_splat(1));
    let (low, high) = (half(0), half(2));
    join(integers, below, together([flag(low, even), flag(high, even), flag(low, odd), flag(high, odd)]))
}

/// The entries of a table at the four-bit halves of 16 bytes, in the order of the numbers.
#[inline(always)]
pub(super) fn look_up(table: &[i8; 16], bytes: &[u8]) -> [i16; GROUP] {
    // SAFETY: the table has 16 bytes.
    let (bytes, table) = (load(bytes), unsafe { v128_load(table.as_ptr().cast()) });
    widen([v128_and(bytes, u8x16_splat(15)), u8x16_shr(bytes, 4)].map(|bits| i8x16_swizzle(table, bits)))
}

/// 32 bytes, in the order of the numbers.
#[inline(always)]
pub(super) fn signed_bytes(bytes: &[u8]) -> [i16; GROUP] {
    widen([load(bytes), load(&bytes[16..])])
}

#[inline(always)]
fn widen([low, high]: [v128; 2]) -> [i16; GROUP] {
    together([
        i16x8_extend_low_i8x16(low),
        i16x8_extend_high_i8x16(low),
        i16x8_extend_low_i8x16(high),
        i16x8_extend_high_i8x16(high),
    ])
}
