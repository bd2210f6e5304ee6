//! The formats as expressions.

use super::BlockFormat;
use crate::expr::{Expr, Program, Type};

/// What is read at a byte of a block, in the order of little-endian machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A byte, as [`Type::U32`].
    Byte,
    /// A float16 at an even byte, as [`Type::F32`].
    Float16,
    /// A float32 at a byte that is a multiple of four, as [`Type::F32`].
    Float32,
}

impl Source {
    /// The type of the value.
    pub const fn ty(self) -> Type {
        match self {
            Source::Byte => Type::U32,
            Source::Float16 | Source::Float32 => Type::F32,
        }
    }
}

/// How a number of a block is computed. In all programs the index is that of the number in its
/// block.
pub struct Decoding {
    /// What is read, and the program of its place: the offset from the block's first byte, in bytes.
    pub reads: Vec<(Source, Program)>,
    /// The program of the number, as float32; its input slots are the reads.
    pub value: Program,
}

/// Collects the reads of a formula.
#[derive(Default)]
struct Reads(Vec<(Source, Program)>);

impl Reads {
    fn read(&mut self, source: Source, place: Expr) -> Expr {
        let slot = self.0.len();
        self.0.push((source, Program::new(&[place.simplify()])));
        Expr::input(slot, source.ty())
    }

    fn byte(&mut self, place: Expr) -> Expr {
        self.read(Source::Byte, place)
    }

    fn float16(&mut self, place: usize) -> Expr {
        self.read(Source::Float16, number(place))
    }
}

fn number(value: usize) -> Expr {
    Expr::constant(value as f64, Type::U32)
}

/// The index of the number in its block.
fn index() -> Expr {
    Expr::index()
}

fn quotient(divisor: usize) -> Expr {
    index() / number(divisor)
}

fn rest(divisor: usize) -> Expr {
    index().remainder(number(divisor))
}

/// The lowest bits of an integer shifted to the right.
fn bits(of: Expr, shift: Expr, mask: usize) -> Expr {
    of.shift_right(shift).and(number(mask))
}

fn float(of: Expr) -> Expr {
    of.cast(Type::I32).cast(Type::F32)
}

fn signed(of: Expr, offset: f64) -> Expr {
    (of.cast(Type::I32) - offset).cast(Type::F32)
}

/// A byte in two's complement.
fn signed_byte(of: Expr) -> Expr {
    signed(of.xor(number(128)), 128.0)
}

/// Four bits of 32 numbers from a place on: the second half of them is in the upper half of each byte.
fn four_bits(reads: &mut Reads, place: usize) -> Expr {
    let byte = reads.byte(number(place) + rest(16));
    bits(byte, quotient(16) * number(4), 15)
}

/// With a fifth bit from a bit field at another place.
fn five_bits(reads: &mut Reads, field: usize, place: usize) -> Expr {
    let low = four_bits(reads, place);
    let byte = reads.byte(number(field) + quotient(8));
    low + bits(byte, rest(8), 1) * number(16)
}

/// Two bits of 256 numbers from a place on: every 128 have 32 bytes, whose bit pairs belong to numbers 32 apart.
fn two_bits(reads: &mut Reads, place: usize) -> Expr {
    let byte = reads.byte(number(place) + quotient(128) * number(32) + rest(32));
    bits(byte, (rest(128) / number(32)) * number(2), 3)
}

/// The number and the scale and the offset of 6 bits of [`BlockFormat::Q4_K`] and [`BlockFormat::Q5_K`].
fn k_with_offset(reads: &mut Reads, fifth: Option<usize>, place: usize) -> Expr {
    let (scale, offset) = (reads.float16(0), reads.float16(2));
    let part = quotient(32);
    let mut packed = |from: usize| reads.byte(number(4 + from) + part.remainder(number(4)));
    let (first, second, third) = (packed(0), packed(4), packed(8));
    let upper = |of: &Expr| bits(of.clone(), number(6), 3) * number(16);
    let is_early = part.lt(number(4));
    let part_scale = is_early.select(first.and(number(63)), third.and(number(15)) + upper(&first));
    let part_offset = is_early.select(second.and(number(63)), third.shift_right(number(4)) + upper(&second));
    let byte = reads.byte(number(place) + quotient(64) * number(32) + rest(32));
    let mut value = bits(byte, (part.remainder(number(2))) * number(4), 15);
    if let Some(field) = fifth {
        let byte = reads.byte(number(field) + rest(32));
        value = value + bits(byte, part, 1) * number(16);
    }
    scale * float(part_scale) * float(value) - offset * float(part_offset)
}

impl BlockFormat {
    /// The 16 steps of [`BlockFormat::IQ4_NL`].
    pub const STEPS: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

    /// The expressions of a number.
    ///
    /// ```
    /// use lanthorn_ir::BlockFormat;
    /// let decoding = BlockFormat::Q8_0.decoding();
    /// assert_eq!(decoding.reads.len(), 2);
    /// ```
    pub fn decoding(self) -> Decoding {
        use BlockFormat::*;
        let reads = &mut Reads::default();
        let value = match self {
            Q4_0 => reads.float16(0) * signed(four_bits(reads, 2), 8.0),
            Q4_1 => reads.float16(0) * float(four_bits(reads, 4)) + reads.float16(2),
            Q5_0 => reads.float16(0) * signed(five_bits(reads, 2, 6), 16.0),
            Q5_1 => reads.float16(0) * float(five_bits(reads, 4, 8)) + reads.float16(2),
            Q8_0 => reads.float16(0) * signed_byte(reads.byte(number(2) + index())),
            Q2_K => {
                let (scale, offset) = (reads.float16(80), reads.float16(82));
                let part = reads.byte(quotient(16));
                let (scale, offset) =
                    (scale * float(part.and(number(15))), offset * float(part.shift_right(number(4))));
                scale * float(two_bits(reads, 16)) - offset
            }
            Q3_K => {
                let (scale, part) = (reads.float16(108), quotient(16));
                let low = reads.byte(number(96) + part.remainder(number(8)));
                let high = reads.byte(number(104) + part.remainder(number(4)));
                let low = bits(low, (&part / number(8)) * number(4), 15);
                let high = bits(high, (&part / number(4)) * number(2), 3);
                let third = reads.byte(rest(32));
                let third = bits(third, quotient(32), 1) * number(4);
                scale * signed(low + high * number(16), 32.0) * signed(two_bits(reads, 32) + third, 4.0)
            }
            Q4_K => k_with_offset(reads, None, 16),
            Q5_K => k_with_offset(reads, Some(16), 48),
            Q6_K => {
                let (scale, part) = (reads.float16(208), reads.byte(number(192) + quotient(16)));
                let low = reads.byte(quotient(128) * number(64) + rest(64));
                let low = bits(low, (rest(128) / number(64)) * number(4), 15);
                scale * signed_byte(part) * signed(low + two_bits(reads, 128) * number(16), 32.0)
            }
            Q8_K => {
                let scale = reads.read(Source::Float32, number(0));
                scale * signed_byte(reads.byte(number(4) + index()))
            }
            IQ4_NL => {
                let (scale, step) = (reads.float16(0), four_bits(reads, 2));
                let last = Expr::constant(f64::from(BlockFormat::STEPS[15]), Type::F32);
                let chosen = BlockFormat::STEPS[..15]
                    .iter()
                    .enumerate()
                    .rev()
                    .fold(last, |others, (at, &value)| step.equal(number(at)).select(f64::from(value), others));
                scale * chosen
            }
        };
        Decoding { value: Program::new(&[value.simplify()]), reads: std::mem::take(&mut reads.0) }
    }
}
