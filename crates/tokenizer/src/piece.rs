//! Text with the origin of each of its bytes, so that tokens of normalized text have offsets in the
//! text as it was given.
//!
//! Origins are absolute: a part of a text keeps them, whatever it was cut from.

use crate::regex::Regex;
use crate::{Error, Result};
use std::ops::Range;

/// The bytes of the given text that a byte comes from, first and end.
pub(crate) type Span = (u32, u32);

/// A part of the text, normalized or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Piece {
    text: String,
    /// The origin of each byte of `text`.
    spans: Vec<Span>,
    /// The first byte of the given text that the part covers.
    start: u32,
}

/// The treatment of the text that a pattern matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behavior {
    /// It is dropped.
    Removed,
    /// Every match is a part.
    Isolated,
    /// It ends the part before it.
    MergedWithPrevious,
    /// It begins the part after it.
    MergedWithNext,
    /// Matches in a row are one part.
    Contiguous,
}

impl Behavior {
    /// The behavior of this name in `tokenizer.json`.
    pub(crate) fn from_name(name: &str) -> Option<Behavior> {
        Some(match name {
            "Removed" => Behavior::Removed,
            "Isolated" => Behavior::Isolated,
            "MergedWithPrevious" => Behavior::MergedWithPrevious,
            "MergedWithNext" => Behavior::MergedWithNext,
            "Contiguous" => Behavior::Contiguous,
            _ => return None,
        })
    }
}

/// A stretch of a text, and whether a pattern matched it. Stretches cover the text in order.
pub(crate) type Stretch = (Range<usize>, bool);

/// A character of the next text, and how it is made: 0 replaces the next character, 1 is added, and
/// `-n` replaces the next character and removes `n` after it.
pub(crate) type Change = (char, isize);

impl Piece {
    /// The whole of a text that was not changed.
    pub(crate) fn new(text: &str) -> Result<Piece> {
        if u32::try_from(text.len()).is_err() {
            return Err(Error::argument(format!("encode: a text of {} bytes; at most 4 GiB are taken", text.len())));
        }
        let mut spans = Vec::with_capacity(text.len());
        for (at, character) in text.char_indices() {
            let end = at + character.len_utf8();
            spans.extend((at..end).map(|_| (at as u32, end as u32)));
        }
        Ok(Piece { text: text.to_string(), spans, start: 0 })
    }

    /// A piece of parts that fit: a span for each byte.
    pub(crate) fn from_parts(text: String, spans: Vec<Span>, start: u32) -> Piece {
        debug_assert_eq!(text.len(), spans.len());
        Piece { text, spans, start }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The first byte of the given text that the part covers.
    pub(crate) fn start(&self) -> u32 {
        self.start
    }

    /// The origin of a range of bytes.
    pub(crate) fn origin(&self, range: Range<usize>) -> Span {
        match self.spans.get(range.clone()) {
            Some([first, .., last]) => (first.0, last.1),
            Some([only]) => *only,
            _ => (self.start + range.start as u32, self.start + range.end as u32),
        }
    }

    /// A part, between characters.
    pub(crate) fn slice(&self, range: Range<usize>) -> Piece {
        let start = self.origin(range.clone()).0;
        let text = self.text.get(range.clone()).unwrap_or_default();
        Piece { text: text.to_string(), spans: self.spans.get(range).unwrap_or_default().to_vec(), start }
    }

    /// Replaces the text by changed characters; `skipped` characters at the front are removed.
    pub(crate) fn transform(&mut self, changes: impl IntoIterator<Item = Change>, skipped: usize) {
        let mut old = self.text.chars();
        let mut offset: usize = old.by_ref().take(skipped).map(char::len_utf8).sum();
        let (mut text, mut spans) = (String::with_capacity(self.text.len()), Vec::with_capacity(self.spans.len()));
        for (character, change) in changes {
            let span = match change > 0 {
                true if offset == 0 => (self.start, self.start),
                true => self.spans.get(offset - 1).copied().unwrap_or_default(),
                false => self.spans.get(offset).copied().unwrap_or_default(),
            };
            if change <= 0 {
                let replaced = 1 + change.unsigned_abs();
                offset += old.by_ref().take(replaced).map(char::len_utf8).sum::<usize>();
            }
            text.push(character);
            spans.extend((0..character.len_utf8()).map(|_| span));
        }
        (self.text, self.spans) = (text, spans);
    }

    /// Replaces each character by another.
    pub(crate) fn map(&mut self, map: impl Fn(char) -> char) {
        let changes: Vec<Change> = self.text.chars().map(|character| (map(character), 0)).collect();
        self.transform(changes, 0);
    }

    /// Keeps some of the characters.
    pub(crate) fn filter(&mut self, keep: impl Fn(char) -> bool) {
        let (mut changes, mut skipped): (Vec<Change>, usize) = (Vec::new(), 0);
        for character in self.text.chars() {
            match (keep(character), changes.last_mut()) {
                (true, _) => changes.push((character, 0)),
                (false, Some((_, change))) => *change -= 1,
                (false, None) => skipped += 1,
            }
        }
        self.transform(changes, skipped);
    }

    /// Puts text before the first character, if there is one; its origin is that character.
    pub(crate) fn prepend(&mut self, prefix: &str) {
        let Some(&first) = self.spans.first() else { return };
        let width = prefix.len();
        self.text.insert_str(0, prefix);
        self.spans.splice(0..0, std::iter::repeat_n(first, width));
    }

    /// Removes white space at the ends.
    pub(crate) fn strip(&mut self, left: bool, right: bool) {
        let start = if left { self.text.len() - self.text.trim_start().len() } else { 0 };
        let end = if right { self.text.trim_end().len().max(start) } else { self.text.len() };
        self.text.truncate(end);
        self.text.drain(..start);
        self.spans.truncate(end);
        self.spans.drain(..start);
    }

    /// Replaces the matches. The origin of new text is the last byte that it replaces.
    pub(crate) fn replace(&mut self, stretches: &[Stretch], content: &str) {
        if !stretches.iter().any(|(_, matched)| *matched) {
            return;
        }
        let (mut text, mut spans) = (String::with_capacity(self.text.len()), Vec::with_capacity(self.spans.len()));
        for (range, matched) in stretches {
            if *matched {
                let before = range.end.checked_sub(1).and_then(|last| self.spans.get(last));
                let span = before.copied().unwrap_or((self.start, self.start));
                text.push_str(content);
                spans.extend((0..content.len()).map(|_| span));
            } else {
                text.push_str(self.text.get(range.clone()).unwrap_or_default());
                spans.extend_from_slice(self.spans.get(range.clone()).unwrap_or_default());
            }
        }
        (self.text, self.spans) = (text, spans);
    }

    /// The matches and the parts between them.
    pub(crate) fn split(&self, stretches: Vec<Stretch>, behavior: Behavior) -> Vec<Piece> {
        parts(stretches, behavior).into_iter().map(|range| self.slice(range)).collect()
    }
}

/// The ranges that a behavior makes of stretches, without empty ones.
fn parts(stretches: Vec<Stretch>, behavior: Behavior) -> Vec<Range<usize>> {
    let all = stretches.into_iter();
    let ranges: Vec<Range<usize>> = match behavior {
        Behavior::Removed => all.filter(|(_, matched)| !matched).map(|(range, _)| range).collect(),
        Behavior::Isolated => all.map(|(range, _)| range).collect(),
        Behavior::Contiguous => join_stretches(all, |previous, matched| previous == matched),
        Behavior::MergedWithPrevious => join_stretches(all, |previous, matched| matched && !previous),
        Behavior::MergedWithNext => {
            let mut ranges = join_stretches(all.rev(), |next, matched| matched && !next);
            ranges.reverse();
            ranges
        }
    };
    ranges.into_iter().filter(|range| !range.is_empty()).collect()
}

/// Joins a stretch to the previous one where `joins(before, this)`. Before the first stretch,
/// nothing is matched.
fn join_stretches(stretches: impl Iterator<Item = Stretch>, joins: impl Fn(bool, bool) -> bool) -> Vec<Range<usize>> {
    let (mut ranges, mut before): (Vec<Range<usize>>, bool) = (Vec::new(), false);
    for (range, matched) in stretches {
        match ranges.last_mut() {
            Some(last) if joins(before, matched) => *last = last.start.min(range.start)..last.end.max(range.end),
            _ => ranges.push(range),
        }
        before = matched;
    }
    ranges
}

/// The stretches of characters that a predicate holds for, each on its own.
pub(crate) fn by_char(text: &str, matches: impl Fn(char) -> bool) -> Vec<Stretch> {
    let found = text.char_indices().filter(|(_, character)| matches(*character));
    covering(text, found.map(|(at, character)| at..at + character.len_utf8()))
}

/// The stretches of a literal text; none of an empty one.
pub(crate) fn by_literal(text: &str, literal: &str) -> Vec<Stretch> {
    if literal.is_empty() {
        return covering(text, std::iter::empty());
    }
    covering(text, text.match_indices(literal).map(|(at, found)| at..at + found.len()))
}

/// The stretches of a regular expression.
///
/// # Errors
/// The expression takes too long.
pub(crate) fn by_regex(text: &str, regex: &Regex) -> Result<Vec<Stretch>> {
    Ok(covering(text, regex.find_all(text)?.into_iter()))
}

fn covering(text: &str, found: impl Iterator<Item = Range<usize>>) -> Vec<Stretch> {
    let (mut stretches, mut end) = (Vec::new(), 0);
    for range in found {
        if end < range.start {
            stretches.push((end..range.start, false));
        }
        end = range.end;
        stretches.push((range, true));
    }
    if end < text.len() {
        stretches.push((end..text.len(), false));
    }
    stretches
}

/// Exchanges matched and unmatched stretches.
pub(crate) fn invert_stretches(stretches: Vec<Stretch>) -> Vec<Stretch> {
    stretches.into_iter().map(|(range, matched)| (range, !matched)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pieces: &[Piece]) -> Vec<&str> {
        pieces.iter().map(Piece::text).collect()
    }

    #[test]
    fn a_split_keeps_or_joins_what_was_matched() {
        let piece = Piece::new("the-final--countdown").unwrap();
        let split = |behavior| piece.split(by_literal(piece.text(), "-"), behavior);
        assert_eq!(texts(&split(Behavior::Removed)), ["the", "final", "countdown"]);
        assert_eq!(texts(&split(Behavior::Isolated)), ["the", "-", "final", "-", "-", "countdown"]);
        assert_eq!(texts(&split(Behavior::MergedWithPrevious)), ["the-", "final-", "-", "countdown"]);
        assert_eq!(texts(&split(Behavior::MergedWithNext)), ["the", "-final", "-", "-countdown"]);
        assert_eq!(texts(&split(Behavior::Contiguous)), ["the", "-", "final", "--", "countdown"]);
    }

    #[test]
    fn changed_text_remembers_its_origin() {
        let mut piece = Piece::new("xéa").unwrap();
        piece.filter(|character| character != 'x');
        piece.replace(&by_literal("éa", "é"), "ee");
        piece.prepend("_");
        assert_eq!(piece.text(), "_eea");
        assert_eq!(piece.spans(), [(1, 3), (1, 3), (1, 3), (3, 4)]);
        assert_eq!(piece.slice(3..4).start(), 3);
    }
}
