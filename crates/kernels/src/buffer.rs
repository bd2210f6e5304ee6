//! Bound buffers of elements: how they are declared, read and written.
//!
//! WGSL's memory consists of words. Smaller elements are packed there, two or four to a word, and what a thread has of one are its bits in a word of its own. Whoever has
//! all elements of a word writes it whole: four neighbours at once, or the elements of a word in turn. Elsewhere a word is shared with threads that write its other elements at
//! the same time. One atomic operation then changes the bits of an element, and keeps all others, whatever they become meanwhile.
//!
//! Rejected: a word an element, which is four times the memory, and compare-and-exchange, which is a loop.

use crate::{
    Dialect, Language, indent, prelude,
    walk::{COMPONENTS, Lanes},
};
use lanthorn_ir::{DType, Result};
use std::fmt::{self, Display, Formatter};

const IN_TURN: &str = include_str!("../../../shaders/packed/in_turn.wgsl");
const NEXT: &str = include_str!("../../../shaders/packed/next.wgsl");

/// What the elements of a buffer are.
#[derive(Clone, Copy)]
pub(crate) struct Element {
    pub(crate) language: Language,
    pub(crate) dtype: DType,
    /// They move as they are: nothing is done to them, and their type is that of words.
    pub(crate) moved: bool,
}

impl Element {
    /// An element that is computed with.
    pub(crate) fn of(language: Language, dtype: DType) -> Element {
        Element { language, dtype, moved: false }
    }

    /// An element that moves as it is.
    pub(crate) fn moved(language: Language, dtype: DType) -> Element {
        Element { language, dtype, moved: true }
    }

    /// The type of an element in a thread's hands, and in the buffer if it is not packed there.
    pub(crate) fn ty(self) -> Result<&'static str> {
        if self.moved { self.language.moved(self.dtype) } else { self.language.element(self.dtype) }
    }

    /// An element as a value.
    pub(crate) fn value(self, element: &str) -> String {
        if self.moved { element.to_string() } else { self.language.value(self.dtype, element) }
    }

    /// The function of the library that makes a value of an element, if that takes one.
    pub(crate) fn function(self) -> Option<&'static str> {
        let takes_one = self.dtype == DType::F16 && !self.moved && self.language.packed(self.dtype).is_some();
        takes_one.then_some("f16_value")
    }

    /// The type of what a buffer is an array of, to a kernel that takes so many at a time.
    pub(crate) fn declared(self, lanes: Lanes, access: Access) -> Result<String> {
        let ty = self.ty()?;
        Ok(match (self.language.packed(self.dtype), lanes, access) {
            (None, ..) => lanes.of(ty),
            (Some(2), Lanes::Vector, _) => "vec2<u32>".to_string(),
            (_, _, Access::Shared) => "atomic<u32>".to_string(),
            _ => "u32".to_string(),
        })
    }
}

/// How threads come to the words of a packed buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// It is only read, or a thread writes whole words.
    Plain,
    /// A thread writes all elements of a word, one after another: those from `begin` up to `stop`.
    InTurn,
    /// Threads write elements of the same word.
    Shared,
}

/// A bound buffer. It is displayed as its name.
#[derive(Clone)]
pub(crate) struct Buffer {
    pub(super) name: String,
    pub(super) element: Element,
    pub(super) lanes: Lanes,
    pub(super) access: Access,
}

impl Display for Buffer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Buffer {
    /// The one of two functions that is for elements of this size.
    fn packed<'t>(&self, halves: &'t str, bytes: &'t str) -> Option<&'t str> {
        self.element.language.packed(self.element.dtype).map(|count| if count == 2 { halves } else { bytes })
    }

    /// The function of the library that reading calls.
    pub(super) fn reading(&self) -> Option<&'static str> {
        if self.lanes == Lanes::Vector { self.packed("halves_of", "bytes_of") } else { self.packed("half_at", "byte_at") }
    }

    /// The function of the library that writing calls.
    pub(super) fn writing(&self) -> Option<&'static str> {
        match (self.lanes, self.access) {
            (Lanes::Vector, _) => self.packed("words_of_halves", "word_of_bytes"),
            (_, Access::InTurn) => None,
            _ => self.packed("half_change", "byte_change"),
        }
    }

    /// The word that has the element at a place.
    fn word(&self, place: &str) -> String {
        format!("{}[({place}) >> {}]", self.name, self.packed("1u", "2u").unwrap_or_default())
    }

    /// The element at a place, or the vector of those of a step.
    pub(crate) fn at(&self, place: &str) -> String {
        let Some(function) = self.reading() else { return format!("{}[{place}]", self.name) };
        match (self.lanes, self.access) {
            (Lanes::Vector, _) => format!("{function}({}[{place}])", self.name),
            (_, Access::Shared) => format!("{function}(atomicLoad(&{}), {place})", self.word(place)),
            _ => format!("{function}({}, {place})", self.word(place)),
        }
    }

    /// The four elements at a place as the vector of their values.
    pub(crate) fn vector(&self, place: &str, name: &str) -> String {
        if self.packed("", "").is_none() {
            return format!("let {name} = vec4<f32>({}[{place}]);\n", self.name);
        }
        let values = COMPONENTS.map(|lane| self.element.value(&format!("{name}_elements.{lane}")));
        format!("let {name}_elements = {};\nlet {name} = vec4<f32>({});\n", self.at(place), values.join(", "))
    }

    /// Statements that write the element at a place, or the vector of those of a step. In turn the place is `i`.
    pub(crate) fn store(&self, place: &str, element: &str) -> String {
        let name = &self.name;
        if let (Some(last), Access::InTurn) = (self.packed("1u", "3u"), self.access) {
            let (bits, word) = (self.packed("16u", "8u").unwrap_or_default(), self.word(place));
            let values = [("buffer", name.as_str()), ("element", element), ("last", last), ("bits", bits), ("place", &word)];
            return prelude::fill(NEXT, &values) + "\n";
        }
        match (self.writing(), self.lanes) {
            (Some(function), Lanes::Vector) => format!("{name}[{place}] = {function}({element});\n"),
            (Some(function), _) => {
                let word = self.word(place);
                format!("atomicXor(&{word}, {function}(atomicLoad(&{word}), {place}, {element}));\n")
            }
            (None, _) => format!("{name}[{place}] = {element};\n"),
        }
    }
}

/// How many elements of outputs a thread takes in turn, so that it has whole words of all of them.
pub(crate) fn turns(outputs: &[Buffer]) -> usize {
    outputs.iter().filter_map(|output| output.element.language.packed(output.element.dtype)).max().unwrap_or(1)
}

/// Statements that do `body` for `count` elements in turn, each as `i`, where the kernel's own `i` counts such steps.
pub(crate) fn in_turn(outputs: &[Buffer], count: usize, elements: &str, body: &str) -> String {
    let packed = outputs.iter().filter(|output| output.packed("", "").is_some());
    let begun: String = packed.map(|output| format!("var {output}_word = 0u;\n")).collect();
    let values = [("begun", begun.as_str()), ("count", &count.to_string()), ("elements", elements), ("body", &indent(body, 1))];
    prelude::fill(IN_TURN, &values)
}
