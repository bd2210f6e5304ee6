//! Block-quantized operands: prints the functions that decode their numbers, from the expressions
//! of a format.

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

/// The name of the function that returns a number, a vector of four, or 32 numbers. WGSL cannot
/// pass a pointer to a buffer, so each buffer has its own function there.
fn name(language: Language, format: BlockFormat, buffer: &str, lanes: Lanes) -> String {
    let of = language.pick(buffer, format.name());
    match lanes {
        Lanes::Vector => format!("{of}_numbers"),
        Lanes::Block => format!("{of}_block"),
        _ => format!("{of}_number"),
    }
}

/// The call that returns the number at an index, or the numbers of a step.
pub(crate) fn at(language: Language, format: BlockFormat, buffer: &str, lanes: Lanes, index: &str) -> String {
    let function = name(language, format, buffer, lanes);
    if language.is_cuda() { format!("{function}({buffer}, {index})") } else { format!("{function}({index})") }
}

/// The value at a byte offset of the buffer.
fn read(language: Language, source: Source, buffer: &str, offset: &str) -> String {
    if language.is_cuda() {
        return match source {
            Source::Byte => format!("u32({buffer}[{offset}])"),
            Source::Float16 => format!("f32(*(const f16*)({buffer} + {offset}))"),
            Source::Float32 => format!("*(const f32*)({buffer} + {offset})"),
            Source::HalfE8m0 => half_e8m0(&format!("u32({buffer}[{offset}])")),
        };
    }
    let word = format!("{buffer}[({offset}) >> 2u]");
    match source {
        Source::Byte => format!("byte_at({word}, {offset})"),
        Source::Float16 => format!("f16_value(half_at({word}, ({offset}) >> 1u))"),
        Source::Float32 => format!("bitcast<f32>({word})"),
        Source::HalfE8m0 => half_e8m0(&format!("byte_at({word}, {offset})")),
    }
}

/// 2^(e - 128). The first two values are subnormal.
fn half_e8m0(e: &str) -> String {
    format!("bitcast<f32>(select(({e} - 1u) << 23u, 2097152u << ({e} & 1u), {e} < 2u))")
}

/// The text of the function that reads of a buffer call. Adds the library functions that it calls
/// to `functions`.
///
/// # Errors
/// None for the formats that exist.
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

/// Splits a byte offset into an expression and a constant.
fn split(offset: &Expr) -> (Expr, usize) {
    let constant = |expr: &Expr| match expr.node() {
        Node::Constant(Constant::U32(value)) => Some(*value as usize),
        _ => None,
    };
    match offset.node() {
        _ if let Some(value) = constant(offset) => (Expr::constant(0.0, Type::U32), value),
        Node::Binary(BinaryOp::Add, a, b) => match (split(a), split(b)) {
            ((a, m), (b, n)) if constant(&a) == Some(0) => (b, m + n),
            ((a, m), (b, n)) if constant(&b) == Some(0) => (a, m + n),
            ((a, m), (b, n)) => (a + b, m + n),
        },
        _ => (offset.clone(), 0),
    }
}

/// Whether a byte offset is certain to be a multiple of four, as the index is.
fn is_aligned(offset: &Expr) -> bool {
    match offset.node() {
        Node::Constant(Constant::U32(value)) => value.is_multiple_of(4),
        Node::Index => true,
        Node::Binary(BinaryOp::Add, a, b) => is_aligned(a) && is_aligned(b),
        Node::Binary(BinaryOp::Mul | BinaryOp::And, a, b) => is_aligned(a) || is_aligned(b),
        _ => false,
    }
}

/// Consecutive words of a block, which are read together.
struct Run {
    /// The byte offset of the first word is `base + offset`.
    base: Expr,
    offset: usize,
    /// The slots that the words are assigned to.
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

    /// Prints the statements of a program over the index `at`, and returns the names of its
    /// results.
    fn program(&mut self, program: &Program, input: &dyn Fn(usize) -> String, prefix: &str) -> Result<Vec<String>> {
        let none = |_, _| String::new();
        let names = Names { input, param: &none, index: "at", affine: &|_| String::new(), zero: "0u", prefix };
        let printed = print(self.language, program, &names)?;
        self.functions.extend(printed.functions);
        printed.statements.lines().for_each(|line| self.line(line));
        Ok(printed.outputs.into_iter().map(|(name, _)| name).collect())
    }

    /// Prints the offset of the block that contains a number, and the number's index in the block.
    fn locate(&mut self, first: &str) -> Result<()> {
        let (elements, bytes) = (self.format.elements(), self.format.bytes());
        self.line(&format!("{} = ({first}) / {elements}u * {bytes}u;", self.word("block")?));
        self.line(&format!("{} = ({first}) % {elements}u;", self.word("at")?));
        Ok(())
    }

    /// Prints the number at `index`.
    fn one(&mut self) -> Result<Vec<String>> {
        self.locate("index")?;
        let decoding = self.format.decoding();
        let mut inputs = vec![];
        for (slot, (source, offset)) in decoding.reads.iter().enumerate() {
            let offset = self.program(offset, &|_| String::new(), &format!("offset{slot}_"))?.concat();
            inputs.push(read(self.language, *source, self.pointer, &format!("(block + {offset})")));
        }
        self.program(&decoding.value, &|slot| inputs[slot].clone(), "v")
    }

    /// Prints the `count` numbers of a step. `index` counts steps.
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

    /// Prints reads at offsets that depend on the index. Consecutive words share their loads.
    fn reads(&mut self, reads: &[ReadOfNeighbours]) -> Result<Vec<String>> {
        let offsets: Vec<(Expr, usize)> = reads
            .iter()
            .map(|read| match read {
                ReadOfNeighbours::One(_, offset) | ReadOfNeighbours::Bytes(offset) => split(offset),
            })
            .collect();
        let bases: Vec<Expr> = offsets.iter().map(|(base, _)| base.clone()).collect();
        let bases = self.program(&Program::new(&bases), &|_| String::new(), "offset")?;
        let mut runs: Vec<Run> = vec![];
        let mut inputs = vec![];
        for (slot, (read_at, (base, offset))) in reads.iter().zip(&offsets).enumerate() {
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

    /// The alignment in bytes (4, 2 or 1) of an offset in a block that is a multiple of `within`.
    fn alignment(&self, within: usize) -> usize {
        1 << (within | self.format.bytes()).trailing_zeros().min(2)
    }

    /// Prints the words `slots`, which have `bytes` bytes from `start` on. The last word may be
    /// incomplete.
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
        // Whether the word includes bytes of the next word, at the smallest possible alignment.
        let has_next = |at: usize| of_word(at) > alignment;
        if has_next(last - 1) {
            // If the run is aligned, this loads the last word again, and not the word after the
            // buffer.
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

    /// Prints the parts of a block. Each word is loaded once, and shifted if the block starts
    /// within a word.
    fn parts_of_block(&mut self, reads: &[ReadOfNeighbours]) -> Result<Vec<String>> {
        let (language, bytes) = (self.language, self.format.bytes());
        self.line(&format!("{} = index * {bytes}u;", self.word("start")?));
        let words: Vec<usize> = (0..bytes.div_ceil(4)).collect();
        self.words("start", &words, bytes, self.alignment(4))?;
        let mut names = vec![];
        for (slot, read) in reads.iter().enumerate() {
            let (source, offset) = match read {
                ReadOfNeighbours::One(source, offset) => (Some(*source), split(offset).1),
                ReadOfNeighbours::Bytes(offset) => (None, split(offset).1),
            };
            let name = format!("part{slot}");
            let ty = source.map_or(Type::U32, Source::ty);
            self.line(&format!("{} = {};", language.declare(ty, &name)?, self.part(source, offset)));
            names.push(name);
        }
        Ok(names)
    }

    /// The value at a byte offset of the block, from its words: one value, or four bytes from an
    /// even offset.
    fn part(&self, source: Option<Source>, offset: usize) -> String {
        let (word, bit) = (format!("word{}", offset / 4), offset % 4 * 8);
        let shifted = if bit == 0 { word.clone() } else { format!("({word} >> {bit}u)") };
        match source {
            None if bit == 0 => word,
            None => format!("{shifted} | (word{} << {}u)", offset / 4 + 1, 32 - bit),
            Some(Source::Byte) => format!("{shifted} & 255u"),
            Some(Source::Float16) => self
                .language
                .pick(format!("f16_value({shifted} & 65535u)"), format!("f32(bitcast<f16>(u16({shifted})))")),
            Some(Source::Float32) => format!("bitcast<f32>({word})"),
            Some(Source::HalfE8m0) => half_e8m0(&format!("({shifted} & 255u)")),
        }
    }
}
