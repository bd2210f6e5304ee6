//! Regular expressions of tokenizers: Unicode classes, look-around, possessive repetition.
//!
//! Files are written for Oniguruma, as Python's library has it, so `^` and `$` are the ends of
//! lines. This is a backtracking matcher over a small program, with a limit of steps, so that an
//! expression of a file cannot hang a page. Classes come from `regex-syntax`. Rejected: a general
//! engine with automata, which is a quarter of a megabyte that the few expressions of tokenizers
//! gain nothing from; and the page's own `RegExp`, which native programs do not have.

mod class;
mod compile;
mod matcher;
mod parse;

use crate::{Error, Result};
use class::Class;
use compile::Instruction;
use std::ops::Range;

/// A compiled expression.
#[derive(Clone, Debug)]
pub(crate) struct Regex {
    source: String,
    program: Vec<Instruction>,
    classes: Vec<Class>,
}

impl Regex {
    /// Compiles an expression.
    ///
    /// # Errors
    /// It is no expression, or has a part that is not supported, which the message names.
    pub(crate) fn new(source: &str) -> Result<Regex> {
        let parsed = parse::parse(source).map_err(|error| error.within(&format!("regular expression {source:?}")))?;
        let program =
            compile::compile(&parsed.node).map_err(|error| error.within(&format!("regular expression {source:?}")))?;
        Ok(Regex { source: source.to_string(), program, classes: parsed.classes })
    }

    /// The ranges that the expression matches, from left to right, without overlaps.
    ///
    /// # Errors
    /// It takes too long.
    pub(crate) fn find_all(&self, text: &str) -> Result<Vec<Range<usize>>> {
        let mut matcher = matcher::Matcher::new(&self.program, &self.classes, text);
        let (mut found, mut from, mut last_end): (Vec<Range<usize>>, usize, Option<usize>) = (Vec::new(), 0, None);
        while from <= text.len() {
            let Some(range) = matcher.find(from).map_err(|_| self.too_long(text))? else { break };
            // After an empty match, the search continues after the next character.
            from = if range.is_empty() { range.end + next_width(text, range.end) } else { range.end };
            if !(range.is_empty() && last_end == Some(range.end)) {
                last_end = Some(range.end);
                found.push(range);
            }
        }
        Ok(found)
    }

    fn too_long(&self, text: &str) -> Error {
        let length = text.len();
        Error::argument(format!("encode: the regular expression {:?} takes too long on {length} bytes", self.source))
    }
}

/// The bytes of the character at an offset; 1 at the end.
fn next_width(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<'t>(source: &str, text: &'t str) -> Vec<&'t str> {
        Regex::new(source).unwrap().find_all(text).unwrap().into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn expressions_of_tokenizers() {
        let gpt2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
        assert_eq!(all(gpt2, "I'm  here, été 42!"), ["I", "'m", " ", " here", ",", " été", " 42", "!"]);
        let llama = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
        assert_eq!(all(llama, "WE'RE 12345\n\n x"), ["WE", "'RE", " ", "123", "45", "\n\n", " x"]);
    }

    #[test]
    fn operators() {
        assert_eq!(all("a+?", "aaa"), ["a", "a", "a"]);
        assert_eq!(all("a++b|a", "aab aa"), ["aab", "a", "a"]);
        assert_eq!(all("(?<=x)ab?", "xa ab xab"), ["a", "ab"]);
        assert_eq!(all("(?<!x)a", "xaa"), ["a"]);
        assert_eq!(all("^b$", "a\nb\nc"), ["b"]);
        assert_eq!(all(r"\bcat\b", "cat concat cat"), ["cat", "cat"]);
        assert_eq!(all("(?i)straße", "STRAßE"), ["STRAßE"]);
        assert_eq!(all("[一-龥]{2}", "天地玄"), ["天地"]);
        assert_eq!(all("x*", "xxa"), ["xx", ""]);
        assert_eq!(all("(?>a|ab)c", "abc ac"), ["ac"]);
        assert_eq!(all(r"[^\S\n]+", "a \t\nb"), [" \t"]);
        assert_eq!(all("(ab|a)(bc)?$", "abc"), ["abc"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (source, part) in [
            ("a(", "group"),
            ("[a", "class"),
            ("*a", "repeat"),
            (r"(a)\1", "back-reference"),
            (r"\p{Nonsense}", "Nonsense"),
            ("(a*)*", "nothing"),
            ("a{1000000}", "large"),
            ("a)", ")"),
            (r"\", "end"),
        ] {
            let error = Regex::new(source).unwrap_err();
            assert!(error.to_string().contains(part), "{source}: {error}");
        }
    }

    #[test]
    fn an_expression_that_takes_too_long_is_an_error() {
        let slow = Regex::new("(a|aa)+(a|aa)+(a|aa)+b").unwrap();
        assert!(slow.find_all(&"a".repeat(5000)).unwrap_err().is_argument());
    }
}
