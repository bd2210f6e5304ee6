//! Operands in blocks: the functions that read their numbers, written from a format's expressions.

use crate::{
    Dialect, Language,
    indexing::Lanes,
    language::{Names, print},
};
use lanthorn_ir::{BlockFormat, Result, Source};
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

/// The text of the functions that a buffer's reads call; the functions of the library that they call
/// are added to `functions`.
///
/// # Errors
/// None of the formats that there are.
pub(crate) fn functions(
    language: Language,
    format: BlockFormat,
    buffer: &str,
    lanes: Lanes,
    functions: &mut BTreeSet<String>,
) -> Result<Vec<String>> {
    let pointer = if language.is_cuda() { "blocks" } else { buffer };
    let decoding = format.decoding();
    let mut body = format!(
        "    {} = (index / {}u) * {}u;\n    {} = index % {}u;\n",
        language.declare(lanthorn_ir::expr::Type::U32, "block")?,
        format.elements(),
        format.bytes(),
        language.declare(lanthorn_ir::expr::Type::U32, "at")?,
        format.elements(),
    );
    let mut add = |program, input: &dyn Fn(usize) -> String, prefix: &str| -> Result<String> {
        let none = |_, _| String::new();
        let names = Names { input, param: &none, index: "at", affine: &|_| String::new(), zero: "0u", prefix };
        let printed = print(language, program, &names)?;
        functions.extend(printed.functions);
        body.extend(printed.statements.lines().map(|line| format!("    {line}\n")));
        Ok(printed.outputs[0].0.clone())
    };
    let mut reads = vec![];
    for (slot, (source, place)) in decoding.reads.iter().enumerate() {
        let place = add(place, &|_| String::new(), &format!("place{slot}_"))?;
        reads.push(read(language, *source, pointer, &format!("(block + {place})")));
    }
    let value = add(&decoding.value, &|slot| reads[slot].clone(), "v")?;
    if !language.is_cuda() {
        functions.extend(["byte_at", "half_at", "f16_value"].map(String::from));
    }
    let one = name(language, format, buffer, Lanes::One);
    let (head, parameters) = match language.is_cuda() {
        true => (format!("__device__ inline f32 {one}(const u8* blocks, u32 index)"), "blocks, "),
        false => (format!("fn {one}(index: u32) -> f32"), ""),
    };
    let mut texts = vec![format!("{head} {{\n{body}    return {value};\n}}\n")];
    if lanes == Lanes::Vector {
        let four = name(language, format, buffer, lanes);
        let head = match language.is_cuda() {
            true => format!("__device__ inline vec4<f32> {four}(const u8* blocks, u32 index)"),
            false => format!("fn {four}(index: u32) -> vec4<f32>"),
        };
        let numbers: Vec<String> = (0..4).map(|lane| format!("{one}({parameters}index * 4u + {lane}u)")).collect();
        texts.push(format!("{head} {{\n    return vec4<f32>({});\n}}\n", numbers.join(", ")));
    }
    Ok(texts)
}
