//! Templates rewrite for the engine: `generation` blocks, the texts of `~`, and the sign `+`.
//!
//! `{% generation %}` marks the words of the assistant for training. It changes no text, and is a
//! separate scope, so it becomes `{% with %}`. The engine's `~` writes floats without exponents,
//! so both sides go through a filter that writes them as Python does. The engine has no sign `+`,
//! which changes no number. Rejected: replacing the texts of tags, which misses other spellings and
//! changes texts in quotes.

use super::filters::TEXT;

/// A token of an expression, with its bytes in the template.
#[derive(Clone, Copy)]
struct Token<'s> {
    text: &'s str,
    start: usize,
}

impl Token<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether an operand can end here: after it a sign is an operator of two sides.
    fn ends_operand(&self) -> bool {
        let first = self.text.chars().next().unwrap_or(' ');
        (is_word(first) && !KEYWORDS.contains(&self.text)) || matches!(first, '\'' | '"' | ')' | ']' | '}')
    }
}

/// Words that end an operand of `~`.
const KEYWORDS: [&str; 7] = ["if", "else", "elif", "and", "or", "not", "in"];

/// Operators that end an operand of `~`, besides signs.
const OPERATORS: [&str; 11] = [",", ":", "=", "==", "!=", "<", ">", "<=", ">=", "~", ";"];

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

/// Texts to insert at bytes of the template, and bytes to replace, in any order.
struct Edits(Vec<(usize, usize, String)>);

/// The template as the engine takes it.
pub(super) fn rewrite(source: &str) -> String {
    let mut edits = Edits(Vec::new());
    let mut at = 0;
    while let Some(found) = source[at..].find('{') {
        let start = at + found;
        at = match source[start + 1..].chars().next() {
            Some('#') => end_of(source, start + 2, "#}"),
            Some('{') => expression(source, start + 2, false, &mut edits).1,
            Some('%') => match expression(source, start + 2, true, &mut edits) {
                (true, end) => end_of_raw(source, end),
                (false, end) => end,
            },
            _ => start + 1,
        };
    }
    let Edits(mut edits) = edits;
    // Stable: texts that are inserted at one position keep their order.
    edits.sort_by_key(|(start, ..)| *start);
    let (mut made, mut from) = (String::with_capacity(source.len()), 0);
    for (start, end, text) in edits {
        made.push_str(&source[from..start]);
        made.push_str(&text);
        from = end;
    }
    made.push_str(&source[from..]);
    made
}

fn end_of(source: &str, from: usize, end: &str) -> usize {
    source[from..].find(end).map_or(source.len(), |at| from + at + end.len())
}

/// The end of a raw block's text: the beginning of its last tag.
fn end_of_raw(source: &str, mut from: usize) -> usize {
    while let Some(found) = source[from..].find("{%") {
        let tag = source[from + found + 2..].trim_start_matches(['-', '+']).trim_start();
        if tag.starts_with("endraw") {
            return end_of(source, from + found, "%}");
        }
        from += found + 2;
    }
    source.len()
}

/// Reads a tag after its first two characters. Returns whether a raw block begins, and the end of
/// the tag.
fn expression(source: &str, from: usize, is_block: bool, edits: &mut Edits) -> (bool, usize) {
    let (mut tokens, mut depth, mut at) = (Vec::new(), 0usize, from);
    let end = if is_block { "%}" } else { "}}" };
    // A sign at the beginning or the end of a tag is about whitespace.
    if source[at..].starts_with(['-', '+']) {
        at += 1;
    }
    loop {
        let rest = &source[at..];
        let Some(first) = rest.chars().next() else { return (false, source.len()) };
        let is_end = |rest: &str| rest.starts_with(end) && (is_block || depth == 0);
        if is_end(rest) || (rest.starts_with(['-', '+']) && is_end(&rest[1..])) {
            at += if is_end(rest) { 2 } else { 3 };
            break;
        }
        let length = match first {
            '\'' | '"' => string_length(rest, first),
            _ if is_word(first) => rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()),
            _ if ["==", "!=", "<=", ">=", "//", "**"].iter().any(|operator| rest.starts_with(operator)) => 2,
            _ => first.len_utf8(),
        };
        match first {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !first.is_whitespace() {
            tokens.push(Token { text: &rest[..length], start: at });
        }
        at += length;
    }
    if is_block && let [only] = tokens[..] {
        let plain = match only.text {
            "generation" => Some("with"),
            "endgeneration" => Some("endwith"),
            "raw" => return (true, at),
            _ => None,
        };
        edits.0.extend(plain.map(|plain| (only.start, only.end(), plain.to_string())));
    }
    for (before, sign) in tokens.windows(2).map(|pair| (pair[0], pair[1])).filter(|(_, sign)| sign.text == "+") {
        if !before.ends_operand() {
            edits.0.push((sign.start, sign.end(), " ".to_string()));
        }
    }
    if !is_block && let Some(sign) = tokens.first().filter(|sign| sign.text == "+") {
        edits.0.push((sign.start, sign.end(), " ".to_string()));
    }
    if tokens.iter().any(|token| token.text == "~") {
        concatenations(&tokens[usize::from(is_block).min(tokens.len())..], edits);
    }
    (false, at)
}

/// The bytes of a text in quotes, which has escapes.
fn string_length(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// An expression in brackets, or the whole one.
struct Level {
    /// The first token of the operand that is being read.
    start: usize,
    /// Whether a `~` is before it.
    is_right: bool,
}

/// Puts the sides of every `~` through the filter.
fn concatenations(tokens: &[Token], edits: &mut Edits) {
    let mut wrap = |start: usize, end: usize| {
        if start < end {
            let (first, last) = (tokens[start], tokens[end - 1]);
            edits.0.push((first.start, first.start, "(".to_string()));
            edits.0.push((last.end(), last.end(), format!(")|{TEXT}")));
        }
    };
    let mut levels = vec![Level { start: 0, is_right: false }];
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| tokens[before]);
        match token.text {
            "(" | "[" | "{" => {
                levels.push(Level { start: index + 1, is_right: false });
                continue;
            }
            ")" | "]" | "}" => {
                if let Some(level) = levels.pop().filter(|level| level.is_right) {
                    wrap(level.start, index);
                }
                continue;
            }
            _ => {}
        }
        let is_sign = matches!(token.text, "+" | "-") && before.is_some_and(|before| before.ends_operand());
        // A name behind a dot or a bar is no keyword.
        let is_member = before.is_some_and(|before| matches!(before.text, "." | "|"));
        let is_keyword = KEYWORDS.contains(&token.text) && !is_member && !is_test(tokens, index);
        if !(is_sign || is_keyword || OPERATORS.contains(&token.text)) {
            continue;
        }
        if let Some(level) = levels.last_mut() {
            let is_concatenation = token.text == "~";
            if level.is_right || is_concatenation {
                wrap(level.start, index);
            }
            *level = Level { start: index + 1, is_right: is_concatenation };
        }
    }
    if let Some(level) = levels.pop().filter(|level| level.is_right) {
        wrap(level.start, tokens.len());
    }
}

/// Whether a word is part of a test: `is not none`, `is in list`.
fn is_test(tokens: &[Token], index: usize) -> bool {
    let word = |back: usize| index.checked_sub(back).map_or("", |index| tokens[index].text);
    word(1) == "is" || (word(1) == "not" && word(2) == "is")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generation_blocks_become_scopes_in_any_spelling() {
        for (source, expected) in [
            ("{% generation %}a{% endgeneration %}", "{% with %}a{% endwith %}"),
            ("{%-generation-%}a{%+ endgeneration\n+%}", "{%-with-%}a{%+ endwith\n+%}"),
            ("{{ +3 }}{% set a = +b + c %}", "{{  3 }}{% set a =  b + c %}"),
            ("{{ '{% generation %}' }}{# {% generation %} #}", "{{ '{% generation %}' }}{# {% generation %} #}"),
            ("{% raw %}{% generation %}{%- endraw %}", "{% raw %}{% generation %}{%- endraw %}"),
            ("{% set generation = 1 %}{{ generation }}", "{% set generation = 1 %}{{ generation }}"),
            ("{ {{ {'a': {'b': '}}'}} }}{% generation %}", "{ {{ {'a': {'b': '}}'}} }}{% with %}"),
            ("{% generation", "{% generation"),
        ] {
            assert_eq!(rewrite(source), expected);
        }
    }

    #[test]
    fn both_sides_of_a_tilde_become_texts() {
        for (source, expected) in [
            ("{{ a ~ b }}", "{{ (a)|__text ~ (b)|__text }}"),
            ("{{ a * 2 ~ -b.c[1 ~ x] | f }}", "{{ (a * 2)|__text ~ (-b.c[(1)|__text ~ (x)|__text] | f)|__text }}"),
            ("{{ 1 + a ~ b - 2 }}", "{{ 1 + (a)|__text ~ (b)|__text - 2 }}"),
            ("{% if a ~ b == 'a ~ b' %}", "{% if (a)|__text ~ (b)|__text == 'a ~ b' %}"),
            (
                "{% set x = a ~ b if c else d ~ e -%}",
                "{% set x = (a)|__text ~ (b)|__text if c else (d)|__text ~ (e)|__text -%}",
            ),
            (
                "{{ a ~ (b is not none) ~ f(c, d ~ e) }}",
                "{{ (a)|__text ~ ((b is not none))|__text ~ (f(c, (d)|__text ~ (e)|__text))|__text }}",
            ),
        ] {
            assert_eq!(rewrite(source), expected);
        }
    }
}
