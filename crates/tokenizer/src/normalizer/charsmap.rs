//! SentencePiece's compiled replacements: a double array (as Darts has it) from texts to offsets in
//! a list of replacements.

use crate::piece::{Change, Piece};
use std::fmt;
use unicode_segmentation::UnicodeSegmentation;

/// The longest grapheme that `tokenizer.json`'s normalizer replaces as one, in bytes, and one more.
const GRAPHEME_LIMIT: usize = 6;

/// A map from texts to their replacements.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Charsmap {
    units: Vec<u32>,
    /// Replacements, each with a zero after it.
    replacements: String,
}

/// Why bytes are no map.
#[derive(Debug)]
pub(crate) enum CharsmapError {
    Length,
    Utf8,
}

impl fmt::Display for CharsmapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CharsmapError::Length => "the character map ends within its double array",
            CharsmapError::Utf8 => "the replacements of the character map are no UTF-8",
        })
    }
}

impl Charsmap {
    /// Reads the length of the double array in bytes, the array, and the replacements.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Charsmap, CharsmapError> {
        let (length, rest) = bytes.split_first_chunk::<4>().ok_or(CharsmapError::Length)?;
        let length = u32::from_le_bytes(*length) as usize;
        if length == 0 || !length.is_multiple_of(4) || length > rest.len() {
            return Err(CharsmapError::Length);
        }
        let (units, replacements) = rest.split_at(length);
        let units = units.as_chunks::<4>().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        let replacements = std::str::from_utf8(replacements).map_err(|_| CharsmapError::Utf8)?.to_string();
        Ok(Charsmap { units, replacements })
    }

    /// The prefixes of a text that have replacements, the shortest first: their lengths, and where
    /// the replacements begin.
    fn prefixes<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = (usize, usize)> + 'a {
        let root = self.units.first().map_or(0, |unit| offset(*unit));
        let mut node = Some(root);
        text.iter()
            .take_while(|byte| **byte != 0)
            .enumerate()
            .map_while(move |(at, byte)| {
                let next = node? ^ u32::from(*byte);
                let unit = *self.units.get(next as usize)?;
                if unit & (1 << 31 | 0xFF) != u32::from(*byte) {
                    return None;
                }
                let child = next ^ offset(unit);
                node = Some(child);
                let is_end = unit >> 8 & 1 == 1;
                let value = is_end.then(|| self.units.get(child as usize)).flatten();
                Some(value.map(|value| (at + 1, (value & !(1 << 31)) as usize)))
            })
            .flatten()
    }

    fn replacement(&self, start: usize) -> Option<&str> {
        let rest = self.replacements.get(start..)?;
        Some(rest.split_once('\0').map_or(rest, |(replacement, _)| replacement))
    }

    /// The longest prefix that has a replacement: its length, and the replacement.
    pub(crate) fn longest<'a>(&'a self, text: &'a str) -> Option<(usize, &'a str)> {
        let (length, start) = self.prefixes(text.as_bytes()).last()?;
        text.is_char_boundary(length).then(|| self.replacement(start)).flatten().map(|found| (length, found))
    }

    /// The replacement of a grapheme or character: the replacement of its shortest prefix that has
    /// one.
    fn of(&self, text: &str) -> Option<&str> {
        let (_, start) = self.prefixes(text.as_bytes()).next()?;
        self.replacement(start)
    }

    /// Replaces graphemes, and characters of those that have no replacement, as the normalizer
    /// `Precompiled` of `tokenizer.json` does. SentencePiece itself looks for the longest prefix.
    pub(crate) fn apply_to_graphemes(&self, piece: &mut Piece) {
        let mut changes: Vec<Change> = Vec::with_capacity(piece.text().len());
        for grapheme in piece.text().graphemes(true) {
            match self.of(grapheme).filter(|_| grapheme.len() < GRAPHEME_LIMIT) {
                Some(replacement) => replace(&mut changes, grapheme.chars().count(), replacement),
                None => self.apply_to_chars(grapheme, &mut changes),
            }
        }
        piece.transform(changes, 0);
    }

    fn apply_to_chars(&self, text: &str, changes: &mut Vec<Change>) {
        let mut buffer = [0; 4];
        for character in text.chars() {
            match self.of(character.encode_utf8(&mut buffer)) {
                Some(replacement) => replace(changes, 1, replacement),
                None => changes.push((character, 0)),
            }
        }
    }
}

/// The changes that replace `old` characters.
fn replace(changes: &mut Vec<Change>, old: usize, replacement: &str) {
    let new = replacement.chars().count();
    changes.extend(replacement.chars().enumerate().map(|(at, character)| (character, isize::from(at >= old))));
    if let Some((_, change)) = changes.last_mut()
        && new < old
    {
        *change -= (old - new) as isize;
    }
}

fn offset(unit: u32) -> u32 {
    (unit >> 10) << ((unit & 1 << 9) >> 6)
}
