//! Parses tokens to a syntax tree, by recursive descent with limited nesting.
//!
//! Operators of one precedence, branches of an `if` and comparisons are lists, so a tree is only as
//! deep as the text's brackets and blocks. Later passes may therefore recurse too.

mod expression;
mod statement;
mod text;

use crate::{
    Error, Result, Source,
    ast::Block,
    lexer::{Token, TokenKind, tokenize},
};
use std::rc::Rc;

/// The deepest nesting of expressions and blocks. One level takes several stack frames.
const DEPTH: usize = 64;

/// Parses the statements of a source text.
pub(crate) fn parse(source: &Source) -> Result<Block> {
    let tokens = tokenize(source)?;
    Parser { source, tokens, index: 0, depth: 0, offset: 0 }.file()
}

/// The largest number of postfix operators (`.a`, `[i]`, `(x)`) on one value.
const POSTFIX: usize = 96;

struct Parser<'s> {
    source: &'s Source,
    tokens: Vec<Token>,
    index: usize,
    depth: usize,
    /// The offset of an f-string's field, which is added to the offsets of tokens.
    offset: u32,
}

impl Parser<'_> {
    fn kind(&self) -> &TokenKind {
        // The last token is `End`, which nothing consumes.
        &self.tokens[self.index.min(self.tokens.len() - 1)].kind
    }

    fn kind_after(&self) -> Option<&TokenKind> {
        self.tokens.get(self.index + 1).map(|token| &token.kind)
    }

    fn at(&self) -> u32 {
        self.tokens[self.index.min(self.tokens.len() - 1)].at + self.offset
    }

    fn advance(&mut self) {
        self.index += 1;
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        self.error_at(message, self.at())
    }

    fn error_at<T>(&self, message: impl Into<String>, at: u32) -> Result<T> {
        Err(Error::syntax(message, self.source.locate(at as usize)))
    }

    /// Runs a parser one level deeper.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == DEPTH {
            return self.error(format!("nested more than {DEPTH} deep"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.kind(), TokenKind::Symbol(next) if *next == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), TokenKind::Name(next) if &**next == word)
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.index += usize::from(found);
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.index += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<()> {
        if self.takes(symbol) { Ok(()) } else { self.error(format!("expected {symbol:?}")) }
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.takes_word(word) { Ok(()) } else { self.error(format!("expected {word:?}")) }
    }

    fn expect_kind(&mut self, kind: &TokenKind, what: &str) -> Result<()> {
        if self.kind() != kind {
            return self.error(format!("expected {what}"));
        }
        self.advance();
        Ok(())
    }

    /// Parses an identifier that is not a keyword.
    fn identifier(&mut self) -> Result<Rc<str>> {
        match self.kind() {
            TokenKind::Name(name) if !is_keyword(name) => {
                let name = name.clone();
                self.advance();
                Ok(name)
            }
            _ => self.error("expected a name"),
        }
    }
}

fn is_keyword(name: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ];
    KEYWORDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str) -> Result<Block> {
        parse(&Source::new("t", text))
    }

    #[test]
    fn a_syntax_error_says_what_and_where() {
        for (text, message, line, column) in [
            ("x = (1 +)\n", "expected an expression", 1, 9),
            ("if x\n  y\n", "expected \":\"", 1, 5),
            ("def f(x:\n  pass\n", "the bracket is not closed", 1, 6),
            ("x = 1\n import os\n", "unexpected block", 2, 2),
            ("import os\n", "`import` is not part of the language", 1, 1),
            ("f'{x'\n", "the field does not end", 1, 1),
            ("1 = x\n", "not something to assign to", 1, 1),
        ] {
            let error = parse_text(text).unwrap_err();
            let location = error.location().unwrap();
            assert!(error.to_string().contains(message), "{text}: {error}");
            assert_eq!((location.line, location.column), (line, column), "{error}");
        }
    }

    #[test]
    fn nesting_is_bounded_and_chains_are_not() {
        let nests = [
            format!("x = {}1{}", "(".repeat(150), ")".repeat(150)),
            format!("x = {}1", "-".repeat(5000)),
            format!("x = {}1", "not ".repeat(5000)),
            format!("x = a{}", ".b".repeat(5000)),
            format!("x = {}1{}", "[".repeat(10_000), "]".repeat(10_000)),
            format!("x = 2{}", " ** 2".repeat(5000)),
            (0..150).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect::<String>()
                + &" ".repeat(150)
                + "pass\n",
        ];
        for text in nests {
            assert!(parse_text(&text).is_err(), "{}", &text[..20]);
        }
        let chains = [
            format!("x = 1{}", " + 1".repeat(50_000)),
            format!("x = a{}", " and a".repeat(50_000)),
            format!("x = {}b", "a if c else ".repeat(50_000)),
            "if x:\n  y\n".to_string() + &"elif x:\n  y\n".repeat(10_000),
        ];
        for text in chains {
            parse_text(&text).unwrap();
        }
    }
}
