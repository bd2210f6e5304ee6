//! SentencePiece's normalizer: replacements by the longest prefix, then spaces as `▁`.

use super::Charsmap;
use crate::piece::{Piece, Span};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The character that stands for a space.
pub(crate) const SPACE: char = '▁';

/// The normalization that a model specifies.
#[derive(Clone, Debug, Default)]
pub(crate) struct SentencePieceNormalizer {
    pub(crate) charsmap: Option<Charsmap>,
    /// Texts that stay as they are: the pieces that users defined.
    pub(crate) kept: Prefixes,
    pub(crate) add_dummy_prefix: bool,
    pub(crate) remove_extra_whitespaces: bool,
    pub(crate) escape_whitespaces: bool,
    /// Whether the space of a word follows it.
    pub(crate) whitespace_is_suffix: bool,
}

/// A set of texts, in which the longest that a text begins with is found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prefixes {
    nodes: FxHashMap<(u32, u8), u32>,
    /// The value of each node that is the end of a text.
    ends: FxHashMap<u32, u32>,
    count: u32,
}

impl Prefixes {
    /// Adds a text with a value. An empty text is not added.
    pub(crate) fn insert(&mut self, text: &str, value: u32) {
        let mut node = 0;
        for byte in text.bytes() {
            node = *self.nodes.entry((node, byte)).or_insert_with(|| {
                self.count += 1;
                self.count
            });
        }
        if node > 0 {
            self.ends.insert(node, value);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All texts of the set that a text begins with, the shortest first: their lengths and values.
    pub(crate) fn all<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = (usize, u32)> + 'a {
        let mut node = 0;
        let ends = text.iter().enumerate().map_while(move |(at, byte)| {
            node = *self.nodes.get(&(node, *byte))?;
            Some(self.ends.get(&node).map(|value| (at + 1, *value)))
        });
        ends.flatten()
    }

    /// The longest text of the set that a text begins with.
    pub(crate) fn longest(&self, text: &str) -> Option<(usize, u32)> {
        self.longest_bytes(text.as_bytes())
    }

    /// The longest text of the set that bytes begin with.
    pub(crate) fn longest_bytes(&self, bytes: &[u8]) -> Option<(usize, u32)> {
        self.all(bytes).last()
    }
}

/// The text that is built, with the origin of each byte.
struct Output {
    text: String,
    spans: Vec<Span>,
}

impl Output {
    fn push(&mut self, character: char, span: Span) {
        self.text.push(character);
        self.spans.extend((0..character.len_utf8()).map(|_| span));
    }
}

impl SentencePieceNormalizer {
    fn space(&self) -> char {
        if self.escape_whitespaces { SPACE } else { ' ' }
    }

    /// The length of the next part of the text, and what replaces it.
    fn next<'a>(&'a self, text: &'a str) -> (usize, &'a str) {
        if let Some((length, _)) = self.kept.longest(text) {
            return (length, text.get(..length).unwrap_or_default());
        }
        if let Some(found) = self.charsmap.as_ref().and_then(|charsmap| charsmap.longest(text)) {
            return found;
        }
        let length = text.chars().next().map_or(0, char::len_utf8);
        (length, text.get(..length).unwrap_or_default())
    }

    /// Normalizes a text.
    pub(crate) fn apply(&self, piece: &mut Piece) {
        let text = piece.text();
        let mut at = 0;
        while self.remove_extra_whitespaces && at < text.len() {
            let (length, replacement) = self.next(&text[at..]);
            if replacement != " " {
                break;
            }
            at += length;
        }
        if at == text.len() {
            *piece = Piece::from_parts(String::new(), Vec::new(), piece.start());
            return;
        }
        let mut output = Output { text: String::with_capacity(text.len() + 3), spans: Vec::new() };
        let first = piece.origin(at..at + 1).0;
        if self.add_dummy_prefix && !self.whitespace_is_suffix {
            output.push(self.space(), (first, first));
        }
        self.push_replacement(piece, at..text.len(), &mut output);
        if self.remove_extra_whitespaces {
            let length = output.text.trim_end_matches(self.space()).len();
            output.text.truncate(length);
            output.spans.truncate(length);
        }
        if self.add_dummy_prefix && self.whitespace_is_suffix {
            let end = output.spans.last().map_or(first, |span| span.1);
            output.push(self.space(), (end, end));
        }
        *piece = Piece::from_parts(output.text, output.spans, piece.start());
    }

    fn push_replacement(&self, piece: &Piece, range: Range<usize>, output: &mut Output) {
        let mut at = range.start;
        let mut is_after_space = self.remove_extra_whitespaces;
        while at < range.end {
            let (length, mut replacement) = self.next(&piece.text()[at..range.end]);
            if is_after_space {
                replacement = replacement.trim_start_matches(' ');
            }
            let span = piece.origin(at..at + length);
            for character in replacement.chars() {
                output.push(if character == ' ' { self.space() } else { character }, span);
            }
            if !replacement.is_empty() {
                is_after_space = replacement.ends_with(' ');
            }
            is_after_space &= self.remove_extra_whitespaces;
            at += length.max(1);
        }
    }
}
