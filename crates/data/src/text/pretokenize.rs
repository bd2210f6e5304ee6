//! Splits text into words as GPT-2 (Radford et al., 2019) does before it merges bytes:
//! `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`.
//!
//! Rejected: a crate for regular expressions. The ones that are safe on any input have no
//! look-ahead.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

const CONTRACTIONS: [&str; 7] = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"];

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Space,
    Letter,
    Number,
    Other,
}

fn class(character: char) -> Class {
    if character.is_whitespace() {
        return Class::Space;
    }
    match character.general_category_group() {
        GeneralCategoryGroup::Letter => Class::Letter,
        GeneralCategoryGroup::Number => Class::Number,
        _ => Class::Other,
    }
}

/// The words of a text; concatenated they are the text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (word, after) = rest.split_at(first(rest));
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// The length of the first word in bytes; 0 at the end.
fn first(text: &str) -> usize {
    if let Some(contraction) = CONTRACTIONS.iter().find(|contraction| text.starts_with(**contraction)) {
        return contraction.len();
    }
    let start = usize::from(text.starts_with(' '));
    if let Some(kind) = text[start..].chars().next().map(class).filter(|&kind| kind != Class::Space) {
        return start + run(&text[start..], kind);
    }
    let spaces = run(text, Class::Space);
    match text[..spaces].char_indices().next_back() {
        // The last space before a word belongs to the word.
        Some((last, _)) if spaces < text.len() && last > 0 => last,
        _ => spaces,
    }
}

/// The length in bytes of the leading run of one class.
fn run(text: &str, kind: Class) -> usize {
    text.char_indices().find(|&(_, character)| class(character) != kind).map_or(text.len(), |(end, _)| end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_gpt_2s() {
        let cases: [(&str, &[&str]); 6] = [
            ("Hello world's end", &["Hello", " world", "'s", " end"]),
            ("it'll  be\n\n 42!?", &["it", "'ll", " ", " be", "\n\n", " 42", "!?"]),
            ("tail  ", &["tail", "  "]),
            ("naïve 数学 ½x²", &["naïve", " 数学", " ½", "x", "²"]),
            (" \t x", &[" \t", " x"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text).collect::<Vec<_>>(), expected, "{text:?}");
        }
    }
}
