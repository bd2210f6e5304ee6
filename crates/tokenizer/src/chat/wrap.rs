//! Lines of a width, as Python's `textwrap` makes them.

use super::methods::is_space;

/// How lines are broken.
pub(super) struct Wrapping {
    pub width: usize,
    /// Whether words that are longer than a line are broken.
    pub long_words: bool,
    /// Whether words are broken after their hyphens.
    pub hyphens: bool,
}

/// The whitespace at which `textwrap` breaks lines.
fn is_break(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ')
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

fn is_letter(character: char) -> bool {
    use unicode_categories::UnicodeCategories;
    is_word(character) && !character.is_number_decimal_digit()
}

fn is_punctuated(character: char) -> bool {
    is_word(character) || "!\"'&.,?".contains(character)
}

/// The characters of a line, by their indices; none outside.
struct Line<'l>(&'l [char]);

impl Line<'_> {
    fn at(&self, index: usize, back: usize, is: fn(char) -> bool) -> bool {
        index.checked_sub(back).and_then(|index| self.0.get(index)).is_some_and(|&character| is(character))
    }

    fn is(&self, index: usize, is: fn(char) -> bool) -> bool {
        self.at(index, 0, is)
    }

    /// The end of the dashes that begin at an index and join two words, `a--b`.
    fn dash(&self, index: usize) -> Option<usize> {
        let end = self.run(index, |character| character == '-');
        (end >= index + 2 && self.at(index, 1, is_punctuated) && self.is(end, is_word)).then_some(end)
    }

    /// The end of the characters of a kind that begin at an index.
    fn run(&self, index: usize, is: fn(char) -> bool) -> usize {
        index + self.0[index..].iter().take_while(|&&character| is(character)).count()
    }

    /// Whether a word can be broken after the hyphen at an index.
    fn breaks_behind(&self, index: usize) -> bool {
        let hyphen = |character: char| character == '-';
        let before = self.at(index, 1, is_letter)
            && (self.at(index, 2, is_letter) || (self.at(index, 2, hyphen) && self.at(index, 3, is_letter)));
        let after = self.is(index + 1, is_letter)
            && (self.is(index + 2, is_letter) || (self.is(index + 2, hyphen) && self.is(index + 3, is_letter)));
        self.is(index, hyphen) && before && after
    }

    /// The end of the part that begins at an index: whitespace, a dash, or a word up to where it
    /// can be broken.
    fn end_of_part(&self, start: usize, hyphens: bool) -> usize {
        if self.is(start, is_break) {
            return self.run(start, is_break);
        }
        if !hyphens {
            return self.run(start, |character| !is_break(character));
        }
        if let Some(end) = self.dash(start) {
            return end;
        }
        let mut end = start + 1;
        while end < self.0.len() && !self.is(end, is_break) && self.dash(end).is_none() {
            if self.breaks_behind(end) {
                return end + 1;
            }
            end += 1;
        }
        end
    }
}

/// The lines of a text, whose own ends of lines are whitespace like any other.
pub(super) fn wrap(text: &str, wrapping: &Wrapping) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let line = Line(&characters);
    let mut parts: Vec<&[char]> = Vec::new();
    let mut start = 0;
    while start < characters.len() {
        let end = line.end_of_part(start, wrapping.hyphens);
        parts.push(&characters[start..end]);
        start = end;
    }
    parts.reverse();
    fill(parts, wrapping)
}

fn is_blank(part: &[char]) -> bool {
    part.iter().all(|&character| is_space(character))
}

/// Lines of parts, of which the first is the last in the list.
fn fill(mut parts: Vec<&[char]>, wrapping: &Wrapping) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    while let Some(first) = parts.last() {
        if is_blank(first) && !lines.is_empty() {
            parts.pop();
        }
        let (mut line, mut length): (Vec<&[char]>, usize) = (Vec::new(), 0);
        while let Some(part) = parts.pop_if(|part| length + part.len() <= wrapping.width) {
            length += part.len();
            line.push(part);
        }
        if let Some(long) = parts.pop_if(|part| part.len() > wrapping.width) {
            let room = wrapping.width - length;
            if wrapping.long_words {
                let end = split_index(long, room, wrapping.hyphens);
                line.push(&long[..end]);
                parts.push(&long[end..]);
            } else if line.is_empty() {
                line.push(long);
            } else {
                parts.push(long);
            }
        }
        line.pop_if(|part| is_blank(part));
        if !line.is_empty() {
            lines.push(line.concat().into_iter().collect());
        }
    }
    lines
}

/// The index at which a word that is longer than a line is broken: after its last hyphen that
/// fits, or where the line ends.
fn split_index(word: &[char], room: usize, hyphens: bool) -> usize {
    let hyphen = word[..room].iter().rposition(|&character| character == '-').filter(|_| hyphens);
    match hyphen.filter(|&at| at > 0 && word[..at].iter().any(|&character| character != '-')) {
        Some(at) => at + 1,
        None => room,
    }
}
