//! Operands in blocks: the function that reads their numbers, written from a format's expressions.

use crate::{
    Dialect, Language,
    indexing::{BLOCK_VECTORS, Lanes, Unit},
    language::{Names, print},
};
use lanthorn_ir::{
    BlockFormat, ReadOfNeighbours, Result, Source,
    expr::{BinaryOp, Constant, Expr, Node, Program, Type},
};
use std::collections::BTreeSet;

/// The name of the function that gives a number, a vector of four, or 32 numbers. In WGSL a function belongs to a
/// buffer, because a pointer to one is no parameter there.
fn name(language: Language, format: BlockFormat, buffer: &str, lanes: Lanes) -> String {
    let of = language.pick(buffer, format.name());
    match lanes {
        Lanes::Vector => format!("{of}_numbers"),
        Lanes::Block => format!("{of}_block"),
        _ => format!("{of}_number"),
    }
}

/// The number at an index, or the numbers of a step.
pub(crate) fn at(language: Language, format: BlockFormat, buffer: &str, lanes: Lanes, index: &str) -> String {
    let function = name(language, format, buffer, lanes);
    if language.is_cuda() { format!("{function}({buffer}, {index})") } else { format!("{function}({index})") }
}

/// What is read at a byte of the buffer.
fn read(language: Language, source: Source, buffer: &str, place: &str) -> String {
    if language.is_cuda() {
        return match source {
            Source::Byte => format!("u32({buffer}[{place}])"),
            Source::Float16 => format!("f32(*(const f16*)({buffer} + {place}))"),
            Source::Float32 => format!("*(const f32*)({buffer} + {place})"),
            Source::HalfE8m0 => half_e8m0(&format!("u32({buffer}[{place}])")),
        };
    }
    let word = format!("{buffer}[({place}) >> 2u]");
    match source {
        Source::Byte => format!("byte_at({word}, {place})"),
        Source::Float16 => format!("f16_value(half_at({word}, ({place}) >> 1u))"),
        Source::Float32 => format!("bitcast<f32>({word})"),
        Source::HalfE8m0 => half_e8m0(&format!("byte_at({word}, {place})")),
    }
}

/// 2^(e - 128), of which the first two are subnormal.
fn half_e8m0(e: &str) -> String {
    format!("bitcast<f32>(select(({e} - 1u) << 23u, 2097152u << ({e} & 1u), {e} < 2u))")
}

/// The text of the function that a buffer's reads call; the functions of the library that it calls
/// are added to `functions`.
///
/// # Errors
/// None of the formats that there are.
pub(crate) fn function(
    language: Language,
    format: BlockFormat,
    buffer: &str,
    lanes: Lanes,
    functions: &mut BTreeSet<String>,
) -> Result<String> {
    let pointer = if language.is_cuda() { "blocks" } else { buffer };
    let name = name(language, format, buffer, lanes);
    let (ty, count) = match lanes {
        Lanes::Vector => ("vec4<f32>".to_string(), Unit::Vector.elements()),
        Lanes::Block => {
            let array = format!("array<vec4<f32>, {BLOCK_VECTORS}>");
            (language.pick(array, "BlockNumbers".to_string()), Unit::Block.elements())
        }
        _ => ("f32".to_string(), 1),
    };
    let mut text = Text { language, pointer, format, body: String::new(), functions };
    let values = if count == 1 { text.one()? } else { text.neighbours(count)? };
    let vectors: Vec<String> = values.chunks(4).map(|four| format!("vec4<f32>({})", four.join(", "))).collect();
    let result = match lanes {
        Lanes::Block if language.is_cuda() => format!("BlockNumbers{{{{{}}}}}", vectors.join(", ")),
        Lanes::Block => format!("{ty}({})", vectors.join(", ")),
        Lanes::Vector => vectors.concat(),
        _ => values.concat(),
    };
    let head = match language.is_cuda() {
        true => format!("__device__ inline {ty} {name}(const u8* blocks, u32 index)"),
        false => format!("fn {name}(index: u32) -> {ty}"),
    };
    let body = text.body;
    if !language.is_cuda() {
        functions.extend(["byte_at", "half_at", "f16_value"].map(String::from));
    }
    Ok(format!("{head} {{\n{body}    return {result};\n}}\n"))
}

/// A place as an expression and the constant that is added to it.
fn split(place: &Expr) -> (Expr, usize) {
    let constant = |expr: &Expr| match expr.node() {
        Node::Constant(Constant::U32(value)) => Some(*value as usize),
        _ => None,
    };
    match place.node() {
        _ if let Some(value) = constant(place) => (Expr::constant(0.0, Type::U32), value),
        Node::Binary(BinaryOp::Add, a, b) => match (split(a), split(b)) {
            ((a, m), (b, n)) if constant(&a) == Some(0) => (b, m + n),
            ((a, m), (b, n)) if constant(&b) == Some(0) => (a, m + n),
            ((a, m), (b, n)) => (a + b, m + n),
        },
        _ => (place.clone(), 0),
    }
}

/// Whether a place is known to be a multiple of four, as the index is.
fn is_aligned(place: &Expr) -> bool {
    match place.node() {
        Node::Constant(Constant::U32(value)) => value.is_multiple_of(4),
        Node::Index => true,
        Node::Binary(BinaryOp::Add, a, b) => is_aligned(a) && is_aligned(b),
        Node::Binary(BinaryOp::Mul | BinaryOp::And, a, b) => is_aligned(a) || is_aligned(b),
        _ => false,
    }
}

/// Words of neighbouring bytes, one after the other.
struct Run {
    /// The place of the first one, less `offset`.
    base: Expr,
    offset: usize,
    /// The slots that the words go to.
    slots: Vec<usize>,
}

/// The statements of a function.
struct Text<'a> {
    language: Language,
    /// The name of the buffer or, in CUDA, of the pointer to it.
    pointer: &'a str,
    format: BlockFormat,
    body: String,
    functions: &'a mut BTreeSet<String>,
}

impl Text<'_> {
    /// The declaration of a word.
    fn word(&self, name: &str) -> Result<String> {
        self.language.declare(Type::U32, name)
    }

    fn line(&mut self, text: &str) {
        self.body.push_str(&format!("    {text}\n"));
    }

    /// The statements of a program over the index `at`; the names of its results.
    fn program(&mut self, program: &Program, input: &dyn Fn(usize) -> String, prefix: &str) -> Result<Vec<String>> {
        let none = |_, _| String::new();
        let names = Names { input, param: &none, index: "at", affine: &|_| String::new(), zero: "0u", prefix };
        let printed = print(self.language, program, &names)?;
        self.functions.extend(printed.functions);
        printed.statements.lines().for_each(|line| self.line(line));
        Ok(printed.outputs.into_iter().map(|(name, _)| name).collect())
    }

    /// The first byte of the block of a number, and the number's index in it.
    fn locate(&mut self, first: &str) -> Result<()> {
        let (elements, bytes) = (self.format.elements(), self.format.bytes());
        self.line(&format!("{} = ({first}) / {elements}u * {bytes}u;", self.word("block")?));
        self.line(&format!("{} = ({first}) % {elements}u;", self.word("at")?));
        Ok(())
    }

    /// The number at `index`.
    fn one(&mut self) -> Result<Vec<String>> {
        self.locate("index")?;
        let decoding = self.format.decoding();
        let mut inputs = vec![];
        for (slot, (source, place)) in decoding.reads.iter().enumerate() {
            let place = self.program(place, &|_| String::new(), &format!("place{slot}_"))?.concat();
            inputs.push(read(self.language, *source, self.pointer, &format!("(block + {place})")));
        }
        self.program(&decoding.value, &|slot| inputs[slot].clone(), "v")
    }

    /// The numbers of a step; `index` counts steps of so many.
    fn neighbours(&mut self, count: usize) -> Result<Vec<String>> {
        let decoding = self.format.decoding().of_neighbours(count);
        let inputs = if count == self.format.elements() {
            self.parts_of_block(&decoding.reads)?
        } else {
            self.locate(&format!("index * {count}u"))?;
            self.reads(&decoding.reads)?
        };
        self.program(&Program::new(&decoding.values), &|slot| inputs[slot].clone(), "v")
    }

    /// What is read at places that depend on the index; words that follow one another share what they read.
    fn reads(&mut self, reads: &[ReadOfNeighbours]) -> Result<Vec<String>> {
        let places: Vec<(Expr, usize)> = reads
            .iter()
            .map(|read| match read {
                ReadOfNeighbours::One(_, place) | ReadOfNeighbours::Bytes(place) => split(place),
            })
            .collect();
        let bases: Vec<Expr> = places.iter().map(|(base, _)| base.clone()).collect();
        let bases = self.program(&Program::new(&bases), &|_| String::new(), "place")?;
        let mut runs: Vec<Run> = vec![];
        let mut inputs = vec![];
        for (slot, (read_at, (base, offset))) in reads.iter().zip(&places).enumerate() {
            inputs.push(match read_at {
                ReadOfNeighbours::One(source, _) => {
                    read(self.language, *source, self.pointer, &format!("(block + {} + {offset}u)", bases[slot]))
                }
                ReadOfNeighbours::Bytes(_) => {
                    let follows = |run: &&mut Run| run.base == *base && run.offset + 4 * run.slots.len() == *offset;
                    match runs.iter_mut().find(follows) {
                        Some(run) => run.slots.push(slot),
                        None => runs.push(Run { base: base.clone(), offset: *offset, slots: vec![slot] }),
                    }
                    format!("word{slot}")
                }
            });
        }
        for Run { base, offset, slots } in runs {
            let first = slots[0];
            self.line(&format!("{} = block + {} + {offset}u;", self.word(&format!("start{first}"))?, bases[first]));
            let is_aligned = is_aligned(&base) && offset.is_multiple_of(4);
            let alignment = self.alignment(if is_aligned { 4 } else { 2 });
            self.words(&format!("start{first}"), &slots, 4 * slots.len(), alignment)?;
        }
        Ok(inputs)
    }

    /// The alignment of bytes at a multiple of `within` from the beginning of a block on: 4, 2 or 1.
    fn alignment(&self, within: usize) -> usize {
        1 << (within | self.format.bytes()).trailing_zeros().min(2)
    }

    /// Reads the words of `bytes` bytes from `start` on, of the last word perhaps a part, to the
    /// names of `slots`.
    fn words(&mut self, start: &str, slots: &[usize], bytes: usize, alignment: usize) -> Result<()> {
        let (language, pointer) = (self.language, self.pointer);
        let of_word = |at: usize| (bytes - 4 * at).min(4);
        if language.is_cuda() {
            let ty = match alignment {
                4 => "u32",
                2 => "u16",
                _ => "u8",
            };
            for (at, slot) in slots.iter().enumerate() {
                let part = |byte: usize| {
                    let value = format!("u32(*(const {ty}*)({pointer} + {start} + {}u))", 4 * at + byte);
                    if byte == 0 { value } else { format!("({value} << {}u)", 8 * byte) }
                };
                let value: Vec<String> = (0..of_word(at)).step_by(alignment).map(part).collect();
                self.line(&format!("{} = {};", self.word(&format!("word{slot}"))?, value.join(" | ")));
            }
            return Ok(());
        }
        let word = |at: usize| format!("{pointer}[({start} >> 2u) + {at}u]");
        if alignment == 4 {
            slots.iter().enumerate().for_each(|(at, slot)| self.line(&format!("let word{slot} = {};", word(at))));
            return Ok(());
        }
        let read = |at: usize| format!("{start}_{at}");
        (0..slots.len()).for_each(|at| self.line(&format!("let {} = {};", read(at), word(at))));
        let last = slots.len();
        // The word that has a byte of the next one, at the least alignment.
        let has_next = |at: usize| of_word(at) > alignment;
        if has_next(last - 1) {
            // The word before it where the run begins at a word: nothing after the buffer is read.
            self.line(&format!("let {} = {pointer}[({start} + {}u) >> 2u];", read(last), bytes - 1));
        }
        let shift = if alignment == 2 { "16u".to_string() } else { format!("{start}_shift") };
        if alignment == 2 {
            self.line(&format!("let {start}_shifted = ({start} & 2u) != 0u;"));
        } else {
            self.line(&format!("let {shift} = ({start} & 3u) * 8u;"));
            self.line(&format!("let {start}_shifted = {shift} != 0u;"));
        }
        for (at, slot) in slots.iter().enumerate() {
            let next = match (has_next(at), alignment) {
                (false, _) => String::new(),
                (true, 2) => format!(" | ({} << 16u)", read(at + 1)),
                (true, _) => format!(" | ({} << ((32u - {shift}) & 31u))", read(at + 1)),
            };
            let shifted = format!("({} >> {shift}){next}", read(at));
            self.line(&format!("let word{slot} = select({}, {shifted}, {start}_shifted);", read(at)));
        }
        Ok(())
    }

    /// The parts of a block, whose words are read once, and shifted where it begins at half of a word.
    fn parts_of_block(&mut self, reads: &[ReadOfNeighbours]) -> Result<Vec<String>> {
        let (language, bytes) = (self.language, self.format.bytes());
        self.line(&format!("{} = index * {bytes}u;", self.word("start")?));
        let words: Vec<usize> = (0..bytes.div_ceil(4)).collect();
        self.words("start", &words, bytes, self.alignment(4))?;
        let mut names = vec![];
        for (slot, read) in reads.iter().enumerate() {
            let (source, place) = match read {
                ReadOfNeighbours::One(source, place) => (Some(*source), split(place).1),
                ReadOfNeighbours::Bytes(place) => (None, split(place).1),
            };
            let name = format!("part{slot}");
            let ty = source.map_or(Type::U32, Source::ty);
            self.line(&format!("{} = {};", language.declare(ty, &name)?, self.part(source, place)));
            names.push(name);
        }
        Ok(names)
    }

    /// What is read at a byte of the block, from its words: one value, or four bytes from an even place on.
    fn part(&self, source: Option<Source>, place: usize) -> String {
        let (word, bit) = (format!("word{}", place / 4), place % 4 * 8);
        let shifted = if bit == 0 { word.clone() } else { format!("({word} >> {bit}u)") };
        match source {
            None if bit == 0 => word,
            None => format!("{shifted} | (word{} << {}u)", place / 4 + 1, 32 - bit),
            Some(Source::Byte) => format!("{shifted} & 255u"),
            Some(Source::Float16) => self
                .language
                .pick(format!("f16_value({shifted} & 65535u)"), format!("f32(bitcast<f16>(u16({shifted})))")),
            Some(Source::Float32) => format!("bitcast<f32>({word})"),
            Some(Source::HalfE8m0) => half_e8m0(&format!("({shifted} & 255u)")),
        }
    }
}
