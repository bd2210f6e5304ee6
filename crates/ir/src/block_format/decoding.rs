//! The formats as expressions.

use super::BlockFormat;
use crate::expr::{BinaryOp, Constant, Expr, Instruction, Node, Program, Type};

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
    /// The numbers of a block.
    elements: usize,
}

/// What [`DecodingOfNeighbours`] reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadOfNeighbours {
    /// One value.
    One(Source, Expr),
    /// Four neighbouring bytes, from an even place on, as a word.
    Bytes(Expr),
}

/// How neighbouring numbers are computed together, from one on whose index in the block is a multiple of their count. That index
/// is the index of all expressions; no expression has it if they are all numbers of the block. What they have in common is read and
/// computed once.
pub struct DecodingOfNeighbours {
    /// What is read, with its place as in [`Decoding`], each at one place once.
    pub reads: Vec<ReadOfNeighbours>,
    /// The numbers, as float32; their input slots are the reads.
    pub values: Vec<Expr>,
}

/// Numbers whose bytes are read together.
const FOUR: usize = 4;

impl Decoding {
    /// The decoding of `count` numbers at once, a multiple of four that divides the block.
    ///
    /// ```
    /// use lanthorn_ir::{BlockFormat, ReadOfNeighbours};
    /// let decoding = BlockFormat::Q4_0.decoding().of_neighbours(4);
    /// assert!(matches!(decoding.reads[..], [ReadOfNeighbours::One(..), ReadOfNeighbours::Bytes(_)])); // scale, four bits each
    /// ```
    pub fn of_neighbours(&self, count: usize) -> DecodingOfNeighbours {
        let first = if count == self.elements { number(0) } else { index() };
        let mut reads: Vec<ReadOfNeighbours> = vec![];
        let mut slot = |read: ReadOfNeighbours| {
            let at = reads.iter().position(|known| *known == read).unwrap_or_else(|| {
                reads.push(read.clone());
                reads.len() - 1
            });
            match read {
                ReadOfNeighbours::One(source, _) => Input::One(Expr::input(at, source.ty())),
                ReadOfNeighbours::Bytes(_) => Input::Bytes(Expr::input(at, Type::U32)),
            }
        };
        let mut inputs: Vec<Vec<Input>> = vec![];
        for (source, place) in &self.reads {
            let places = neighbours(place, &[], &first, count);
            let of_four = |places: &[Expr]| match places {
                [first, second, ..] if first != second => slot(ReadOfNeighbours::Bytes(first.clone())),
                _ => slot(ReadOfNeighbours::One(*source, places[0].clone())),
            };
            inputs.push(places.chunks(FOUR).map(of_four).collect());
        }
        let values = neighbours(&self.value, &inputs, &first, count);
        DecodingOfNeighbours { reads, values }
    }
}

/// What four neighbours have in an input slot.
enum Input {
    /// The same value.
    One(Expr),
    /// A byte of a word each.
    Bytes(Expr),
}

/// An integer's neighbour.
fn plus(base: &Expr, distance: usize) -> Expr {
    if distance == 0 { base.clone() } else { base + number(distance) }
}

/// A word shifted by a number of places, in one step where it was shifted before.
fn shifted(word: &Expr, places: usize) -> Expr {
    if let Node::Binary(BinaryOp::ShiftRight, inner, by) = word.node()
        && let Node::Constant(Constant::U32(by)) = by.node()
    {
        return shifted(inner, *by as usize + places);
    }
    if places == 0 { word.clone() } else { word.clone().shift_right(number(places)) }
}

/// The results of a program at an index `first` that is a multiple of `count`, and at those that follow.
fn neighbours(program: &Program, inputs: &[Vec<Input>], first: &Expr, count: usize) -> Vec<Expr> {
    let constant = |step: usize| match program.instructions[step].0 {
        Instruction::Constant(Constant::U32(value)) => Some(value),
        _ => None,
    };
    // The words of which a step is the bytes, one for each four numbers.
    let words = |step: usize| match program.instructions[step].0 {
        Instruction::Input(slot) => {
            let word = |input: &Input| if let Input::Bytes(word) = input { Some(word.clone()) } else { None };
            inputs[slot].iter().map(word).collect::<Option<Vec<_>>>()
        }
        _ => None,
    };
    let mut values: Vec<Vec<Expr>> = vec![];
    // Steps that are consecutive from a multiple of the count on.
    let mut consecutive: Vec<bool> = vec![];
    for (instruction, ty) in &program.instructions {
        let at = |lane: usize| match instruction {
            Instruction::Input(slot) => match &inputs[*slot][lane / FOUR] {
                Input::One(value) => value.clone(),
                Input::Bytes(word) => shifted(word, 8 * (lane % FOUR)).and(number(255)),
            },
            _ => instruction.over(*ty, |step| values[step][lane].clone()),
        };
        let all =
            |value: &dyn Fn(usize) -> Expr| (0..count).map(|lane| value(lane).simplify_root()).collect::<Vec<_>>();
        let of_index = match *instruction {
            Instruction::Index => Some((all(&|lane| plus(first, lane)), true)),
            Instruction::Binary(op, a, b) if consecutive[a] => {
                constant(b).and_then(|constant| divided(&values[a][0], op, constant, count))
            }
            _ => None,
        };
        // Bits of a byte are those of a word: a mask never reaches beyond the byte that was shifted.
        let of_words = || match *instruction {
            Instruction::Binary(BinaryOp::And, a, b) => {
                let mask = constant(b)?;
                let Instruction::Binary(BinaryOp::ShiftRight, bytes, by) = program.instructions[a].0 else {
                    return None;
                };
                let words = words(bytes)?;
                let by = &values[by];
                let same = |four: &[Expr]| four.iter().all(|other| *other == four[0]);
                if !by.chunks(FOUR).all(same) {
                    return None;
                }
                let all = all(&|lane| {
                    let word = words[lane / FOUR].clone().shift_right(by[lane].clone());
                    shifted(&word, 8 * (lane % FOUR)).and(number(mask as usize))
                });
                Some(all)
            }
            Instruction::Binary(BinaryOp::Xor, a, b) => {
                let (words, bits) = (words(a)?, constant(b)? as usize * 0x0101_0101);
                Some(all(&|lane| {
                    shifted(&words[lane / FOUR].clone().xor(number(bits)), 8 * (lane % FOUR)).and(number(255))
                }))
            }
            _ => None,
        };
        let (value, follows) = of_index.unwrap_or_else(|| (of_words().unwrap_or_else(|| all(&at)), false));
        values.push(value);
        consecutive.push(follows);
    }
    values[program.outputs[0]].clone()
}

/// The quotients or remainders of integers that are consecutive from a multiple of their count on, and whether they are that
/// themselves; `None` of another operation, or where the divisor and the count do not divide one another.
fn divided(base: &Expr, op: BinaryOp, constant: u32, count: usize) -> Option<(Vec<Expr>, bool)> {
    let (is_quotient, divisor) = match op {
        BinaryOp::Div => (true, constant),
        BinaryOp::ShiftRight => (true, 1u32.checked_shl(constant)?),
        BinaryOp::Rem => (false, constant),
        BinaryOp::And if constant.wrapping_add(1).is_power_of_two() => (false, constant + 1),
        _ => return None,
    };
    let divisor = Some(divisor as usize).filter(|&divisor| divisor > 0)?;
    let quotient = (base / number(divisor)).simplify_root();
    let each = |value: &dyn Fn(usize) -> Expr| (0..count).map(|lane| value(lane).simplify_root()).collect();
    if divisor.is_multiple_of(count) {
        let remainder = base.clone().remainder(number(divisor)).simplify_root();
        return Some(match is_quotient {
            true => (vec![quotient; count], false),
            false => (each(&|lane| plus(&remainder, lane)), true),
        });
    }
    count.is_multiple_of(divisor).then(|| match is_quotient {
        true => (each(&|lane| plus(&quotient, lane / divisor)), false),
        false => (each(&|lane| number(lane % divisor)), false),
    })
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

/// The step of four bits: a byte of one of four words.
fn step_at(bits: &Expr) -> Expr {
    let word = |at: usize| {
        let byte = |step: i8| (step as u8 ^ 128) as usize;
        let bytes = BlockFormat::STEPS[4 * at..][..4].iter().rev();
        number(bytes.fold(0, |word, &step| word << 8 | byte(step)))
    };
    let below = |limit: usize| bits.lt(number(limit));
    let word = below(8).select(below(4).select(word(0), word(1)), below(12).select(word(2), word(3)));
    signed(word.shift_right(bits.clone().and(number(3)) * number(8)).and(number(255)), 128.0)
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
                scale * step_at(&step)
            }
        };
        Decoding {
            value: Program::new(&[value.simplify()]),
            reads: std::mem::take(&mut reads.0),
            elements: self.elements(),
        }
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
    fn neighbours_read_what_each_of_them_reads() {
        for format in BlockFormat::ALL {
            let one = format.decoding();
            for count in [4, 32] {
                let together = one.of_neighbours(count);
                for index in 0..format.elements() {
                    let first = index / count * count;
                    let found: Vec<(Source, u32)> = together
                        .reads
                        .iter()
                        .flat_map(|read| match read {
                            ReadOfNeighbours::One(source, place) => {
                                vec![(*source, at(&Program::new(std::slice::from_ref(place)), first))]
                            }
                            ReadOfNeighbours::Bytes(place) => {
                                let place = at(&Program::new(std::slice::from_ref(place)), first);
                                assert_eq!(place % 2, 0, "{format}, number {index}");
                                (place..place + 4).map(|place| (Source::Byte, place)).collect()
                            }
                        })
                        .collect();
                    for (source, place) in &one.reads {
                        assert!(found.contains(&(*source, at(place, index))), "{format}, number {index} of {count}");
                    }
                }
                let most = if format.elements() == 32 { 11 } else { 22 };
                assert!(count == 4 || together.reads.len() <= most, "{format}: {:#?}", together.reads);
            }
        }
    }
}
