//! The formats as expressions.

use super::BlockFormat;
use crate::expr::{BinaryOp, Constant, Expr, Instruction, Program, Type};
use std::array;

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

/// What [`DecodingOfFour`] reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadOfFour {
    /// One value for all four numbers, in one input slot.
    Shared(Source, Program),
    /// Four neighbouring bytes, from an even place on, as a word in one slot.
    Bytes(Program),
}

/// How four neighbouring numbers are computed together, from one whose index in the block is a multiple of four, which is
/// the index of all programs. What the four have in common is read and computed once.
pub struct DecodingOfFour {
    /// What is read, with the program of its place as in [`Decoding`].
    pub reads: Vec<ReadOfFour>,
    /// The program of the four numbers, as float32; its input slots are those of the reads.
    pub values: Program,
}

impl Decoding {
    /// The decoding of four numbers at once.
    ///
    /// ```
    /// use lanthorn_ir::{BlockFormat, ReadOfFour};
    /// let decoding = BlockFormat::Q4_0.decoding().of_four();
    /// assert!(matches!(decoding.reads[..], [ReadOfFour::Shared(..), ReadOfFour::Bytes(_)])); // scale, four bits each
    /// ```
    pub fn of_four(&self) -> DecodingOfFour {
        let mut slots = vec![];
        let mut next = 0..;
        let mut slot = |ty| Expr::input(next.next().unwrap_or_default(), ty);
        let reads = self.reads.iter().map(|(source, place)| {
            let [first, second, ..] = of_neighbours(place, &[]);
            let place = Program::new(&[first.simplify()]);
            if first == second {
                slots.push(Input::Shared(slot(source.ty())));
                ReadOfFour::Shared(*source, place)
            } else {
                slots.push(Input::Bytes(slot(Type::U32)));
                ReadOfFour::Bytes(place)
            }
        });
        let reads = reads.collect();
        let values = of_neighbours(&self.value, &slots).map(|value| value.simplify());
        DecodingOfFour { reads, values: Program::new(&values) }
    }
}

/// What four neighbours have in an input slot.
enum Input {
    /// The same value.
    Shared(Expr),
    /// A byte of a word each.
    Bytes(Expr),
}

/// The bytes of a word.
fn bytes(word: &Expr) -> [Expr; 4] {
    array::from_fn(|lane| match lane {
        0 => word.clone().and(number(255)),
        3 => word.clone().shift_right(number(24)),
        _ => word.clone().shift_right(number(8 * lane)).and(number(255)),
    })
}

/// A byte in each byte of a word.
fn in_each_byte(byte: u32) -> Expr {
    number(byte as usize * 0x0101_0101)
}

/// The result of a program at an index that is a multiple of four, and at the three that follow. What a program does with the
/// bits of a byte is done with those of four bytes at once.
fn of_neighbours(program: &Program, inputs: &[Input]) -> [Expr; 4] {
    let is_index = |step: usize| program.instructions[step].0 == Instruction::Index;
    let constant = |step: usize| match program.instructions[step].0 {
        Instruction::Constant(Constant::U32(value)) => Some(value),
        _ => None,
    };
    let word = |step: usize| match program.instructions[step].0 {
        Instruction::Input(slot) => match &inputs[slot] {
            Input::Bytes(word) => Some(word.clone()),
            Input::Shared(_) => None,
        },
        _ => None,
    };
    let mut values: Vec<[Expr; 4]> = vec![];
    for (instruction, ty) in &program.instructions {
        // The word shifted by as much for all of its bytes.
        let shifted = |step: usize| match program.instructions[step].0 {
            Instruction::Binary(BinaryOp::ShiftRight, a, by) => {
                let by: &[Expr; 4] = &values[by];
                let same = by.iter().all(|other| *other == by[0]);
                word(a).filter(|_| same).map(|word| word.shift_right(by[0].clone()))
            }
            _ => None,
        };
        let of_words = match *instruction {
            // A mask never reaches beyond the byte that was shifted.
            Instruction::Binary(BinaryOp::And, a, b) => {
                shifted(a).zip(constant(b)).map(|(word, mask)| word.and(in_each_byte(mask)))
            }
            Instruction::Binary(BinaryOp::Xor, a, b) => {
                word(a).zip(constant(b)).map(|(word, bits)| word.xor(in_each_byte(bits)))
            }
            _ => None,
        };
        if let Some(word) = of_words {
            values.push(bytes(&word));
            continue;
        }
        let at = |lane: usize| match instruction {
            Instruction::Input(slot) => match &inputs[*slot] {
                Input::Shared(value) => value.clone(),
                Input::Bytes(word) => bytes(word)[lane].clone(),
            },
            Instruction::Index => index() + number(lane),
            _ => instruction.over(*ty, |step| values[step][lane].clone()),
        };
        // The four have one quotient by a multiple of four, and neighbouring remainders; powers of two are shifts and masks.
        values.push(match *instruction {
            Instruction::Binary(op, a, b) if is_index(a) => match (op, constant(b)) {
                (BinaryOp::Div, Some(n)) if n % 4 == 0 => array::from_fn(|_| at(0)),
                (BinaryOp::ShiftRight, Some(2..)) => array::from_fn(|_| at(0)),
                (BinaryOp::Rem, Some(n)) if n % 4 == 0 => array::from_fn(|lane| at(0) + number(lane)),
                (BinaryOp::And, Some(mask)) if mask % 4 == 3 => array::from_fn(|lane| at(0) + number(lane)),
                _ => array::from_fn(at),
            },
            _ => array::from_fn(at),
        });
    }
    values[program.outputs[0]].clone()
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
            Q4_1_128 => {
                // Sixteen bytes for every 32 numbers.
                let byte = reads.byte(number(4) + quotient(32) * number(16) + rest(16));
                let value = bits(byte, (rest(32) / number(16)) * number(4), 15);
                reads.float16(0) * float(value) + reads.float16(2)
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The place that a program computes.
    fn at(program: &Program, index: usize) -> u32 {
        let mut values: Vec<u32> = vec![];
        for (instruction, _) in &program.instructions {
            values.push(match *instruction {
                Instruction::Index => index as u32,
                Instruction::Constant(Constant::U32(n)) => n,
                Instruction::Binary(BinaryOp::Add, a, b) => values[a] + values[b],
                Instruction::Binary(BinaryOp::Mul, a, b) => values[a] * values[b],
                Instruction::Binary(BinaryOp::Div, a, b) => values[a] / values[b],
                Instruction::Binary(BinaryOp::Rem, a, b) => values[a] % values[b],
                Instruction::Binary(BinaryOp::And, a, b) => values[a] & values[b],
                Instruction::Binary(BinaryOp::ShiftRight, a, b) => values[a] >> values[b],
                ref other => panic!("no place needs {other:?}"),
            });
        }
        values[program.outputs[0]]
    }

    #[test]
    fn four_numbers_read_what_each_of_them_reads() {
        for format in BlockFormat::ALL {
            let (one, four) = (format.decoding(), format.decoding().of_four());
            assert_eq!(one.reads.len(), four.reads.len());
            for ((source, place), read) in one.reads.iter().zip(&four.reads) {
                for index in 0..format.elements() {
                    let (first, lane) = (index / 4 * 4, index % 4);
                    let found = match read {
                        ReadOfFour::Shared(of, shared) => {
                            assert_eq!(of, source);
                            at(shared, first)
                        }
                        ReadOfFour::Bytes(first_place) => {
                            assert_eq!(at(first_place, first) % 2, 0, "{format}, number {index}");
                            at(first_place, first) + lane as u32
                        }
                    };
                    assert_eq!(found, at(place, index), "{format}, number {index}");
                }
            }
        }
    }
}
