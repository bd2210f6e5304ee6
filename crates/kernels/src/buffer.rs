//! Bound buffers of elements: how they are declared, read and written.
//!
//! WGSL's memory consists of 32-bit words. Smaller elements are packed, two or four to a word. A
//! thread that owns all elements of a word writes the word with one store: either as four adjacent
//! elements, or in a packed loop. Otherwise several threads may write elements of one word at the
//! same time, and each uses one `atomicXor` that changes the bits of its element only.
//!
//! Rejected: a word for each element, which takes up to four times the memory; and
//! compare-and-exchange, which is a loop.

use crate::{Dialect, Language, blocks, indent, indexing::Lanes, prelude};
use lanthorn_ir::{BlockFormat, DType, Encoding, Result};
use std::fmt::{self, Display, Formatter};

const PACKED_LOOP: &str = include_str!("../shaders/packed/packed_loop.wgsl");
const WORD: &str = include_str!("../shaders/packed/word.wgsl");

/// The elements of a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Element {
    pub(crate) language: Language,
    pub(crate) encoding: Encoding,
    /// Whether elements are moved without being computed with. Their type is then an unsigned
    /// integer of their size.
    pub(crate) moved: bool,
}

impl Element {
    /// An element that kernels compute with.
    pub(crate) fn of(language: Language, encoding: impl Into<Encoding>) -> Element {
        Element { language, encoding: encoding.into(), moved: false }
    }

    /// An element that kernels only move.
    pub(crate) fn to_move(language: Language, dtype: DType) -> Element {
        Element { language, encoding: dtype.into(), moved: true }
    }

    /// The type of an element in a register, and in the buffer if it is not packed there.
    pub(crate) fn ty(self) -> Result<&'static str> {
        let dtype = self.encoding.dtype();
        if self.moved { self.language.word_type(dtype) } else { self.language.element(dtype) }
    }

    /// The block format, for block-quantized elements.
    pub(crate) fn blocks(self) -> Option<BlockFormat> {
        self.encoding.format()
    }

    /// The number of elements that share a word of the buffer; see [`Dialect::elements_per_word`].
    pub(crate) fn per_word(self) -> Option<usize> {
        self.language.elements_per_word(self.encoding.dtype())
    }

    /// An element as a value.
    pub(crate) fn value(self, element: &str) -> String {
        if self.moved { element.to_string() } else { self.language.value(self.encoding.dtype(), element) }
    }

    /// The library function that converts an element to a value, if one is needed.
    pub(crate) fn function(self) -> Option<&'static str> {
        let takes_one = self.encoding == DType::F16 && !self.moved && self.per_word().is_some();
        takes_one.then_some("f16_value")
    }

    /// The element type of the buffer's array, for a kernel that reads `lanes` elements at a time.
    pub(crate) fn declare(self, lanes: Lanes, access: Access) -> Result<String> {
        if self.blocks().is_some() {
            return Ok(self.language.pick("u32", "u8").to_string());
        }
        let ty = self.ty()?;
        Ok(match (self.per_word(), lanes, access) {
            (None, ..) => lanes.of(ty),
            (Some(2), Lanes::Vector, _) => "vec2<u32>".to_string(),
            (_, _, Access::Shared) => "atomic<u32>".to_string(),
            _ => "u32".to_string(),
        })
    }
}

/// How threads access the words of a packed buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// The buffer is only read, or each thread writes whole words.
    Plain,
    /// Several threads write elements of one word.
    Shared,
}

/// A bound buffer. It is displayed as its name.
#[derive(Clone)]
pub(crate) struct Buffer {
    pub(super) name: String,
    pub(super) element: Element,
    pub(super) lanes: Lanes,
    /// The lanes of the declaration. They may differ from `lanes` if several inputs read the
    /// buffer.
    pub(super) declared: Lanes,
    pub(super) access: Access,
}

impl Display for Buffer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Buffer {
    /// Returns the function for elements of this size.
    fn pick_by_size<'t>(&self, halves: &'t str, bytes: &'t str) -> Option<&'t str> {
        self.element.per_word().map(|count| if count == 2 { halves } else { bytes })
    }

    /// The library function that reads call.
    pub(super) fn reading(&self) -> Option<&'static str> {
        if self.lanes == Lanes::Vector {
            self.pick_by_size("halves_of", "bytes_of")
        } else {
            self.pick_by_size("half_at", "byte_at")
        }
    }

    /// The library function that writes call.
    pub(super) fn writing(&self) -> Option<&'static str> {
        match (self.lanes, self.access) {
            (Lanes::Vector, _) => self.pick_by_size("words_of_halves", "word_of_bytes"),
            (_, Access::Shared) => self.pick_by_size("half_change", "byte_change"),
            (_, Access::Plain) => None,
        }
    }

    /// The word that contains the element at an index.
    fn word(&self, index: &str) -> String {
        let shift = self.pick_by_size("1u", "2u").unwrap_or_default();
        self.part(&format!("({index}) >> {shift}"), self.pick_by_size("1u", "0u"))
    }

    /// The part of an array at an index. In an array of vectors, the index counts components, and
    /// `shift` is the logarithm of a vector's length.
    fn part(&self, index: &str, shift: Option<&str>) -> String {
        match (self.declared == self.lanes || self.declared != Lanes::Vector, shift) {
            (false, Some(shift)) if shift != "0u" => {
                let last = if shift == "1u" { "1u" } else { "3u" };
                format!("{}[({index}) >> {shift}][({index}) & {last}]", self.name)
            }
            _ => format!("{}[{index}]", self.name),
        }
    }

    /// The vector at an index, composed from an array of components.
    fn compose(&self, vector: &str, count: usize, index: &str) -> String {
        let part = |at: usize| format!("{}[({index}) * {count}u + {at}u]", self.name);
        format!("{vector}({})", (0..count).map(part).collect::<Vec<_>>().join(", "))
    }

    /// The element at an index, or the vector of a step.
    pub(crate) fn at(&self, index: &str) -> String {
        if let Some(format) = self.element.blocks() {
            return blocks::at(self.element.language, format, &self.name, self.lanes, index);
        }
        let composes = self.lanes == Lanes::Vector && self.declared != Lanes::Vector;
        let Some(function) = self.reading() else {
            return match self.element.ty() {
                Ok(ty) if composes => self.compose(&Lanes::Vector.of(ty), 4, index),
                _ => self.part(index, Some("2u")),
            };
        };
        match (self.lanes, self.access) {
            (Lanes::Vector, _) if composes && self.pick_by_size("", "bytes") == Some("") => {
                format!("{function}({})", self.compose("vec2<u32>", 2, index))
            }
            (Lanes::Vector, _) => format!("{function}({}[{index}])", self.name),
            (_, Access::Shared) => format!("{function}(atomicLoad(&{}), {index})", self.word(index)),
            _ => format!("{function}({}, {index})", self.word(index)),
        }
    }

    /// Statements that write the element at an index, or the vector of a step. Elements packed in a
    /// word of one thread are written by a [`packed_loop`].
    pub(crate) fn store(&self, index: &str, element: &str) -> String {
        let name = &self.name;
        match (self.writing(), self.lanes) {
            (Some(function), Lanes::Vector) => format!("{name}[{index}] = {function}({element});\n"),
            (Some(function), _) => {
                let word = self.word(index);
                format!("atomicXor(&{word}, {function}(atomicLoad(&{word}), {index}, {element}));\n")
            }
            (None, _) => format!("{name}[{index}] = {element};\n"),
        }
    }
}

/// The number of elements of a packed loop. A multiple of every output's elements per word.
pub(crate) fn turns(language: Language, outputs: &[DType]) -> usize {
    outputs.iter().filter_map(|&dtype| language.elements_per_word(dtype)).max().unwrap_or(1)
}

/// A loop of `body` over `turns` elements, each with its index `i`, followed by statements that
/// write the words of each output. The kernel's own `i` counts such loops. The number of turns is a
/// constant, so that compilers unroll the loop.
pub(crate) fn packed_loop(turns: usize, outputs: &[(Buffer, String)], elements: &str, body: &str) -> String {
    let (mut begun, mut each, mut ended) = (String::new(), body.to_string(), String::new());
    for (output, element) in outputs {
        let (Some(last), Some(bits)) = (output.pick_by_size("1u", "3u"), output.pick_by_size("16u", "8u")) else {
            each.push_str(&format!("if (begin + turn < {elements}) {{\n    {output}[i] = {element};\n}}\n"));
            continue;
        };
        begun.push_str(&format!("var {output}_word = 0u;\n"));
        each.push_str(&format!("{output}_word = {output}_word | (({element}) << ((turn & {last}) * {bits}));\n"));
        if output.element.per_word() == Some(turns) {
            ended.push_str(&format!("{output}[i] = {output}_word;\n"));
        } else {
            let values = [
                ("output", output.name.as_str()),
                ("last", last),
                ("word", &output.word("begin + turn")),
                ("elements", elements),
            ];
            each.push_str(&(prelude::fill(WORD, &values) + "\n"));
        }
    }
    let turns = turns.to_string();
    let values = [
        ("begun", begun.as_str()),
        ("turns", &turns),
        ("elements", elements),
        ("body", &indent(&each, 1)),
        ("ended", &ended),
    ];
    prelude::fill(PACKED_LOOP, &values)
}
