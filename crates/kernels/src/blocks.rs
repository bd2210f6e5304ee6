//! Operands in blocks: the function that reads their numbers, written from a format's expressions.

use crate::{
    Dialect, Language,
    indexing::{BLOCK_VECTORS, Lanes, Unit},
    language::{Names, print},
};
use lanthorn_ir::{
    BlockFormat, Error, ReadOfFour, Result, Source,
    expr::{Expr, Node, Program, Type},
};
use std::collections::{BTreeMap, BTreeSet};

/// Whether the numbers of a block can be decoded together: the places of all that is read are then constants.
pub(crate) fn is_decoded_whole(format: BlockFormat) -> bool {
    format.elements() == Unit::Block.elements()
}

/// The name of the function that gives a number, a vector of four, or a block. In WGSL a function belongs to a
/// buffer, because a pointer to one is no parameter there.
fn name(language: Language, format: BlockFormat, buffer: &str, lanes: Lanes) -> String {
    let of = language.pick(buffer, format.name());
    match lanes {
        Lanes::Vector => format!("{of}_numbers"),
        Lanes::Block => format!("{of}_block"),
        _ => format!("{of}_number"),
    }
}

/// The number at an index, the vector of those of a step, or the block.
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
        };
    }
    let word = format!("{buffer}[({place}) >> 2u]");
    match source {
        Source::Byte => format!("byte_at({word}, {place})"),
        Source::Float16 => format!("f16_value(half_at({word}, ({place}) >> 1u))"),
        Source::Float32 => format!("bitcast<f32>({word})"),
    }
}

/// Four neighbouring bytes as a word, from an even byte of the buffer on.
fn read_four(language: Language, buffer: &str, place: &str) -> String {
    if language.is_cuda() {
        return format!(
            "u32(*(const u16*)({buffer} + {place})) | (u32(*(const u16*)({buffer} + {place} + 2u)) << 16u)"
        );
    }
    // The second word is the first where the place is that of a word, so that nothing behind the buffer is read.
    format!("word_from({buffer}[({place}) >> 2u], {buffer}[(({place}) + 2u) >> 2u], {place})")
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
    let mut text = Text { language, body: String::new(), functions };
    if lanes == Lanes::Block {
        return text.whole(format, buffer, pointer);
    }
    let first = if lanes == Lanes::Vector { "index * 4u" } else { "index" };
    text.line(&format!("{} = ({first}) / {}u * {}u;", text.word("block")?, format.elements(), format.bytes()));
    text.line(&format!("{} = ({first}) % {}u;", text.word("at")?, format.elements()));
    let decoding = format.decoding();
    let mut inputs = vec![];
    let (ty, result) = if lanes == Lanes::Vector {
        let four = decoding.of_four();
        for (slot, each) in four.reads.iter().enumerate() {
            match each {
                ReadOfFour::Shared(source, place) => {
                    let place = text.place(place, slot)?;
                    inputs.push(read(language, *source, pointer, &place));
                }
                ReadOfFour::Bytes(place) => {
                    let place = text.place(place, slot)?;
                    let word = format!("word{slot}");
                    text.line(&format!("{} = {};", text.word(&word)?, read_four(language, pointer, &place)));
                    inputs.push(word);
                }
            }
        }
        let values = text.program(&four.values, &|slot| inputs[slot].clone(), "v")?;
        ("vec4<f32>", format!("vec4<f32>({})", values.join(", ")))
    } else {
        for (slot, (source, place)) in decoding.reads.iter().enumerate() {
            let place = text.place(place, slot)?;
            inputs.push(read(language, *source, pointer, &place));
        }
        ("f32", text.program(&decoding.value, &|slot| inputs[slot].clone(), "v")?.swap_remove(0))
    };
    let name = name(language, format, buffer, lanes);
    let head = match language.is_cuda() {
        true => format!("__device__ inline {ty} {name}(const u8* blocks, u32 index)"),
        false => format!("fn {name}(index: u32) -> {ty}"),
    };
    let body = text.body;
    if !language.is_cuda() {
        functions.extend(["byte_at", "half_at", "f16_value", "word_from"].map(String::from));
    }
    Ok(format!("{head} {{\n{body}    return {result};\n}}\n"))
}

/// The value of a program of the index alone.
fn constant(program: &Program, index: &Expr) -> Result<usize> {
    match program.over(&[], 0, index).swap_remove(0).simplify().node() {
        Node::Constant(value) => Ok(value.to_f64() as usize),
        _ => Err(Error::kernel("dequantize", format!("{program} is no constant place in a block"))),
    }
}

/// The statements of a function.
struct Text<'a> {
    language: Language,
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

    /// The function of a block: its words are read once, and shifted where it begins at half of a word.
    fn whole(mut self, format: BlockFormat, buffer: &str, pointer: &str) -> Result<String> {
        let (language, bytes) = (self.language, format.bytes());
        self.line(&format!("{} = index * {bytes}u;", self.word("start")?));
        let count = bytes.div_ceil(4);
        let word = |at: usize| {
            language.pick(
                format!("{pointer}[(start >> 2u) + {at}u]"),
                format!("half_words[{}] | (u32(half_words[{}]) << 16u)", 2 * at, 2 * at + 1),
            )
        };
        if language.is_cuda() {
            self.body.push_str(&format!("    const u16* half_words = (const u16*)({pointer} + start);\n"));
            for at in 0..count {
                let value = if 4 * at + 4 > bytes { format!("half_words[{}]", 2 * at) } else { word(at) };
                self.line(&format!("{} = {value};", self.word(&format!("word{at}"))?));
            }
        } else if bytes.is_multiple_of(4) {
            for at in 0..count {
                self.line(&format!("let word{at} = {};", word(at)));
            }
        } else {
            // The last word holds half of what the first does not.
            (0..count).for_each(|at| self.line(&format!("let read{at} = {};", word(at))));
            self.line("let is_shifted = (start & 2u) != 0u;");
            for at in 0..count {
                let next = if at + 1 < count { format!(" | (read{} << 16u)", at + 1) } else { String::new() };
                self.line(&format!("let word{at} = select(read{at}, (read{at} >> 16u){next}, is_shifted);"));
            }
        }
        let decoding = format.decoding().of_four();
        let mut known = BTreeMap::new();
        let mut vectors = Vec::with_capacity(BLOCK_VECTORS);
        for vector in 0..BLOCK_VECTORS {
            let index = Expr::constant((4 * vector) as f64, Type::U32);
            let mut inputs = Vec::with_capacity(decoding.reads.len());
            for read in &decoding.reads {
                let (place, source) = match read {
                    ReadOfFour::Shared(source, place) => (place, Some(*source)),
                    ReadOfFour::Bytes(place) => (place, None),
                };
                let place = constant(place, &index)?;
                let fresh = known.len();
                let name = known.entry((place, source.is_none())).or_insert_with(|| format!("part{fresh}")).clone();
                if known.len() > fresh {
                    let ty = source.map_or(Type::U32, Source::ty);
                    self.line(&format!("{} = {};", language.declare(ty, &name)?, self.part(source, place)));
                }
                inputs.push(name);
            }
            let typed = |slot: usize| {
                let ty = match &decoding.reads[slot] {
                    ReadOfFour::Shared(source, _) => source.ty(),
                    ReadOfFour::Bytes(_) => Type::U32,
                };
                Expr::input(slot, ty)
            };
            let slots: Vec<Expr> = (0..decoding.reads.len()).map(typed).collect();
            let values: Vec<Expr> = decoding.values.over(&slots, 0, &index).iter().map(Expr::simplify).collect();
            let values = self.program(&Program::new(&values), &|slot| inputs[slot].clone(), &format!("v{vector}_"))?;
            vectors.push(format!("vec4<f32>({})", values.join(", ")));
        }
        let name = name(language, format, buffer, Lanes::Block);
        let (head, result) = match language.is_cuda() {
            true => (
                format!("__device__ inline BlockNumbers {name}(const u8* blocks, u32 index)"),
                format!("BlockNumbers{{{{{}}}}}", vectors.join(", ")),
            ),
            false => (
                format!("fn {name}(index: u32) -> array<vec4<f32>, {BLOCK_VECTORS}>"),
                format!("array<vec4<f32>, {BLOCK_VECTORS}>({})", vectors.join(", ")),
            ),
        };
        if !language.is_cuda() {
            self.functions.insert("f16_value".to_string());
        }
        Ok(format!("{head} {{\n{}    return {result};\n}}\n", self.body))
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
        }
    }

    /// The byte of the buffer that a read begins at.
    fn place(&mut self, place: &Program, slot: usize) -> Result<String> {
        Ok(format!("(block + {})", self.program(place, &|_| String::new(), &format!("place{slot}_"))?[0]))
    }
}
