//! The words of patterns: what another language writes itself.

/// The words of a side of a pattern: names, numbers, `...`, `(` and `)`; other characters are words
/// of one character.
pub(crate) fn words_of(text: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![];
    let mut is_open = false;
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if rest.starts_with("...") {
            words.push("...".into());
            is_open = false;
            rest = &rest[3..];
            continue;
        }
        let is_word = character.is_alphanumeric() || character == '_';
        match words.last_mut() {
            Some(word) if is_word && is_open => word.push(character),
            _ if !character.is_whitespace() => words.push(character.into()),
            _ => {}
        }
        is_open = is_word;
        rest = &rest[character.len_utf8()..];
    }
    words
}

/// The texts between separators.
pub(crate) fn split_text(text: &str, separator: &str) -> Vec<String> {
    text.split(separator).map(str::to_string).collect()
}

/// The number that a word is.
pub(crate) fn number_of_word(word: &str) -> Option<usize> {
    word.parse().ok()
}

/// Whether a word is the name of a dimension: letters, digits and `_`, no digit or `_` first and no
/// `_` last.
pub(crate) fn is_name(word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    word.starts_with(char::is_alphabetic) && word.chars().all(is_part) && !word.ends_with('_')
}

/// The letter of a number below 52, for `einsum`.
pub(crate) fn letter(index: usize) -> String {
    let letter = if index < 26 { b'a' + index as u8 } else { b'A' + (index as u8).wrapping_sub(26) };
    char::from(letter).to_string()
}

/// Sizes as an op takes them.
pub(crate) fn ints(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&size| size as i64).collect()
}
