//! The expressions of decoded numbers, derived from the layout.

use super::{
    BlockFormat,
    layout::{BitPlane, Integers, Offset, Packing, Scale, Source, Values},
};
use crate::expr::{BinaryOp, Constant, Expr, Instruction, Node, Program, Type};

/// How a number of a block is computed. In all programs the index is the number's index in its
/// block.
pub struct Decoding {
    /// The reads, each with the program of its offset from the block's first byte, in bytes.
    pub reads: Vec<(Source, Program)>,
    /// The program of the number, as float32; its input slots are the reads.
    pub value: Program,
    /// The numbers of a block.
    elements: usize,
}

/// A read of [`DecodingOfNeighbours`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadOfNeighbours {
    /// One value.
    One(Source, Expr),
    /// Four adjacent bytes as a word. The offset is even if blocks have an even number of bytes.
    Bytes(Expr),
}

/// How adjacent numbers are computed together. The index of the first one in the block is a
/// multiple of their count, and is the index of all expressions. If they are all numbers of the
/// block, no expression has an index. Common parts are read and computed once.
pub struct DecodingOfNeighbours {
    /// The reads with their offsets as in [`Decoding`], without duplicates.
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
        for (source, offset) in &self.reads {
            let offsets = neighbours(offset, &[], &first, count);
            let of_four = |offsets: &[Expr]| match offsets {
                [first, second, ..] if first != second => slot(ReadOfNeighbours::Bytes(first.clone())),
                _ => slot(ReadOfNeighbours::One(*source, offsets[0].clone())),
            };
            inputs.push(offsets.chunks(FOUR).map(of_four).collect());
        }
        let values = neighbours(&self.value, &inputs, &first, count);
        DecodingOfNeighbours { reads, values }
    }
}

/// The value of an input slot for four neighbours.
enum Input {
    /// The same value.
    One(Expr),
    /// One byte of a word for each.
    Bytes(Expr),
}

/// An integer's neighbour.
fn plus(base: &Expr, distance: usize) -> Expr {
    if distance == 0 { base.clone() } else { base + number(distance) }
}

/// A word shifted by a number of bits. Combines it with an earlier shift.
fn shift(word: &Expr, bits: usize) -> Expr {
    if let Node::Binary(BinaryOp::ShiftRight, inner, by) = word.node()
        && let Node::Constant(Constant::U32(by)) = by.node()
    {
        return shift(inner, *by as usize + bits);
    }
    if bits == 0 { word.clone() } else { word.clone().shift_right(number(bits)) }
}

/// The results of a program at an index `first` that is a multiple of `count`, and at those that
/// follow.
fn neighbours(program: &Program, inputs: &[Vec<Input>], first: &Expr, count: usize) -> Vec<Expr> {
    let constant = |step: usize| match program.instructions[step].0 {
        Instruction::Constant(Constant::U32(value)) => Some(value),
        _ => None,
    };
    // The words whose bytes are the results of a step, one for each four numbers.
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
                Input::Bytes(word) => shift(word, 8 * (lane % FOUR)).and(number(255)),
            },
            _ => instruction.over(*ty, |step| values[step][lane].clone()),
        };
        let all =
            |value: &dyn Fn(usize) -> Expr| (0..count).map(|lane| value(lane).simplify_root()).collect::<Vec<_>>();
        let of_index = match *instruction {
            Instruction::Index => Some((all(&|lane| plus(first, lane)), true)),
            Instruction::Binary(op, a, b) if consecutive[a] => {
                constant(b).and_then(|constant| divide(&values[a][0], op, constant, count))
            }
            _ => None,
        };
        // Bits of a byte are bits of its word, because a mask never extends beyond the byte that
        // was shifted.
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
                    shift(&word, 8 * (lane % FOUR)).and(number(mask as usize))
                });
                Some(all)
            }
            Instruction::Binary(BinaryOp::Xor, a, b) => {
                let (words, bits) = (words(a)?, constant(b)? as usize * 0x0101_0101);
                Some(all(&|lane| {
                    shift(&words[lane / FOUR].clone().xor(number(bits)), 8 * (lane % FOUR)).and(number(255))
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

/// The quotients or remainders of consecutive integers that start at a multiple of their count, and
/// whether the results are consecutive in the same way. `None` for another operation, or if neither
/// the divisor nor the count divides the other.
fn divide(base: &Expr, op: BinaryOp, constant: u32, count: usize) -> Option<(Vec<Expr>, bool)> {
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

/// Collects the reads of an expression, without duplicates.
#[derive(Default)]
struct Reads(Vec<(Source, Program)>);

impl Reads {
    fn read(&mut self, source: Source, offset: Expr) -> Expr {
        let read = (source, Program::new(&[offset.simplify()]));
        let slot = self.0.iter().position(|known| *known == read).unwrap_or_else(|| {
            self.0.push(read);
            self.0.len() - 1
        });
        Expr::input(slot, source.ty())
    }

    fn byte(&mut self, offset: Expr) -> Expr {
        self.read(Source::Byte, offset)
    }
}

fn number(value: usize) -> Expr {
    Expr::constant(value as f64, Type::U32)
}

/// The index of the number in its block.
fn index() -> Expr {
    Expr::index()
}

/// The quotient by a divisor of an integer below `limit`.
fn quotient(of: &Expr, divisor: usize, limit: usize) -> Expr {
    match divisor {
        1 => of.clone(),
        _ if divisor >= limit => number(0),
        _ => of / number(divisor),
    }
}

/// The remainder of an integer below `limit`.
fn remainder(of: &Expr, divisor: usize, limit: usize) -> Expr {
    if divisor >= limit { of.clone() } else { of.remainder(number(divisor)) }
}

/// The lowest bits of an integer shifted to the right.
fn bits(of: Expr, shift: Expr, mask: usize) -> Expr {
    if shift == number(0) { of.and(number(mask)) } else { of.shift_right(shift).and(number(mask)) }
}

fn subtract_zero_point(of: Expr, zero_point: f64) -> Expr {
    (of.cast(Type::I32) - zero_point).cast(Type::F32)
}

impl BitPlane {
    /// The bits of integer `index` of `count`.
    fn expression(self, reads: &mut Reads, index: &Expr, count: usize) -> Expr {
        let (chunk, per_byte) = (self.run * self.per_byte(), self.per_byte());
        if self.bits == 8 {
            return reads.byte(plus(index, self.start));
        }
        let chunks = (chunk < count).then(|| quotient(index, chunk, count) * number(self.run));
        let rest = (self.run > 1).then(|| remainder(index, self.run, count));
        let offset = chunks.into_iter().chain(rest).reduce(|a, b| a + b).unwrap_or_else(|| number(0));
        let byte = reads.byte(plus(&offset, self.start));
        let slots = count.div_ceil(self.run);
        if slots.min(per_byte) == 1 {
            return bits(byte, number(self.lowest as usize), self.mask().into());
        }
        let slot = remainder(&quotient(index, self.run, count), per_byte, slots);
        bits(byte, plus(&(slot * number(self.bits as usize)), self.lowest as usize), self.mask().into())
    }
}

impl Integers {
    /// Integer `index` of `count`, as float32.
    fn expression(&self, reads: &mut Reads, index: &Expr, count: usize) -> Expr {
        let value = self.packing.expression(reads, index, count);
        match self.values {
            Values::Unsigned { zero_point: 0 } => value.cast(Type::I32).cast(Type::F32),
            Values::Unsigned { zero_point } => subtract_zero_point(value, zero_point.into()),
            Values::Signed => subtract_zero_point(value.xor(number(128)), 128.0),
            Values::Table(table) => entry(table, &value),
        }
    }
}

impl Packing {
    /// The bits of integer `index` of `count`.
    fn expression(self, reads: &mut Reads, index: &Expr, count: usize) -> Expr {
        let (start, is_scale) = match self {
            Packing::Planes([first, further @ ..]) => {
                let (mut value, mut below) = (first.expression(reads, index, count), first.bits);
                for plane in further {
                    value = value + plane.expression(reads, index, count) * number(1 << below);
                    below += plane.bits;
                }
                return value;
            }
            Packing::Planes([]) => return number(0),
            Packing::SixBitScales(start) => (start, true),
            Packing::SixBitOffsets(start) => (start, false),
        };
        let mut packed = |from: usize| reads.byte(plus(&index.remainder(number(4)), start + from));
        let (first, third) = (packed(if is_scale { 0 } else { 4 }), packed(8));
        let low = if is_scale { third.and(number(15)) } else { third.shift_right(number(4)) };
        let upper = bits(first.clone(), number(6), 3) * number(16);
        index.lt(number(4)).select(first.and(number(63)), low + upper)
    }
}

impl Scale {
    /// The scale of sub-block `part` of `count`.
    fn expression(&self, reads: &mut Reads, part: &Expr, count: usize) -> Expr {
        let scale = reads.read(self.source, number(self.start));
        match &self.factors {
            Some(factors) => scale * factors.expression(reads, part, count),
            None => scale,
        }
    }
}

/// The entry of four bits: a byte of one of four words.
fn entry(table: &[i8; 16], bits: &Expr) -> Expr {
    let word = |at: usize| {
        let byte = |entry: i8| (entry as u8 ^ 128) as usize;
        let bytes = table[4 * at..][..4].iter().rev();
        number(bytes.fold(0, |word, &entry| word << 8 | byte(entry)))
    };
    let below = |limit: usize| bits.lt(number(limit));
    let word = below(8).select(below(4).select(word(0), word(1)), below(12).select(word(2), word(3)));
    subtract_zero_point(word.shift_right(bits.clone().and(number(3)) * number(8)).and(number(255)), 128.0)
}

impl BlockFormat {
    /// The expressions of a number.
    ///
    /// ```
    /// # use lanthorn_ir as lanthorn;
    /// use lanthorn::BlockFormat;
    /// let decoding = BlockFormat::Q8_0.decoding();
    /// assert_eq!(decoding.reads.len(), 2);
    /// ```
    pub fn decoding(self) -> Decoding {
        let layout = self.layout();
        let reads = &mut Reads::default();
        let parts = layout.elements / layout.sub_block;
        let part = quotient(&index(), layout.sub_block, layout.elements);
        let scale = layout.scale.expression(reads, &part, parts);
        let scaled = scale * layout.integers.expression(reads, &index(), layout.elements);
        let value = match &layout.offset {
            Offset::None => scaled,
            Offset::Plus(offset) => scaled + offset.expression(reads, &part, parts),
            Offset::Minus(offset) => scaled - offset.expression(reads, &part, parts),
        };
        Decoding {
            value: Program::new(&[value.simplify()]),
            reads: std::mem::take(&mut reads.0),
            elements: layout.elements,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The offset that a program computes.
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
                ref other => panic!("an offset never needs {other:?}"),
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
                            ReadOfNeighbours::One(source, offset) => {
                                vec![(*source, at(&Program::new(std::slice::from_ref(offset)), first))]
                            }
                            ReadOfNeighbours::Bytes(offset) => {
                                let offset = at(&Program::new(std::slice::from_ref(offset)), first);
                                let is_even = format.bytes() % 2 == 0;
                                assert!(offset.is_multiple_of(2) || !is_even, "{format}, number {index}");
                                (offset..offset + 4).map(|offset| (Source::Byte, offset)).collect()
                            }
                        })
                        .collect();
                    for (source, offset) in &one.reads {
                        assert!(found.contains(&(*source, at(offset, index))), "{format}, number {index} of {count}");
                    }
                }
                let most = if format.elements() == 32 { 11 } else { 22 };
                assert!(count == 4 || together.reads.len() <= most, "{format}: {:#?}", together.reads);
            }
        }
    }
}
