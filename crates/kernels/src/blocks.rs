//! Operands in blocks: the function that reads their numbers, written from a format's expressions.

use crate::{
    Dialect, Language,
    indexing::Lanes,
    language::{Names, print},
};
use lanthorn_ir::{
    BlockFormat, ReadOfFour, Result, Source,
    expr::{Program, Type},
};
use std::collections::BTreeSet;

/// The name of the function that gives a number, or a vector of four. In WGSL a function belongs to a
/// buffer, because a pointer to one is no parameter there.
fn name(language: Language, format: BlockFormat, buffer: &str, lanes: Lanes) -> String {
    let of = language.pick(buffer, format.name());
    if lanes == Lanes::Vector { format!("{of}_numbers") } else { format!("{of}_number") }
}

/// The number at an index, or the vector of those of a step.
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

    /// The byte of the buffer that a read begins at.
    fn place(&mut self, place: &Program, slot: usize) -> Result<String> {
        Ok(format!("(block + {})", self.program(place, &|_| String::new(), &format!("place{slot}_"))?[0]))
    }
}
