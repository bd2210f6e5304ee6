//! Tokens of the language: Python's, with indentation as tokens.

use crate::{Error, Result, Source};
use std::rc::Rc;

/// A token and the byte offset where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub at: u32,
    pub kind: TokenKind,
}

/// The kinds of tokens.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// An identifier or a keyword.
    Name(Rc<str>),
    /// An integer; the sign is an operator.
    Int(u64),
    /// A float.
    Float(f64),
    /// A string with its escapes resolved.
    Str(Rc<str>),
    /// The text between the quotes of an f-string, and its offset.
    FString(Rc<str>),
    /// An operator or a delimiter.
    Symbol(&'static str),
    /// The end of a logical line.
    Newline,
    /// The start of a block.
    Indent,
    /// The end of a block.
    Dedent,
    /// The end of the text.
    End,
}

/// Longer symbols precede their prefixes.
const SYMBOLS: &[&str] = &[
    "**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "->", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "@=", ":=", "+", "-", "*", "/", "%", "@", "&", "|", "^", "~", "<", ">", "(", ")", "[", "]",
    "{", "}", ",", ":", ".", ";", "=", "!",
];

/// The deepest indentation and nesting of brackets.
const NESTING: usize = 200;

/// Splits a source text into tokens.
pub(crate) fn tokenize(source: &Source) -> Result<Vec<Token>> {
    if u32::try_from(source.text().len()).is_err() {
        return Err(Error::limit("a source text of more than 4 GiB"));
    }
    let mut lexer = Lexer { source, at: 0, tokens: Vec::new(), indents: vec![0], open: Vec::new() };
    lexer.run()?;
    Ok(lexer.tokens)
}

struct Lexer<'s> {
    source: &'s Source,
    at: usize,
    tokens: Vec<Token>,
    indents: Vec<usize>,
    /// The offsets of open brackets.
    open: Vec<usize>,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        &self.source.text()[self.at..]
    }

    fn error<T>(&self, message: impl Into<String>, at: usize) -> Result<T> {
        Err(Error::syntax(message, self.source.locate(at)))
    }

    fn push(&mut self, at: usize, kind: TokenKind) {
        self.tokens.push(Token { at: at as u32, kind });
    }

    fn run(&mut self) -> Result<()> {
        self.indentation()?;
        while let Some(next) = self.rest().chars().next() {
            match next {
                '\n' => {
                    self.newline();
                    self.at += 1;
                    self.indentation()?;
                }
                ' ' | '\t' | '\r' | '\x0c' => self.at += 1,
                '#' => self.comment(),
                '\\' if self.rest()[1..].trim_start_matches('\r').starts_with('\n') => {
                    self.at += self.rest().find('\n').unwrap_or(0) + 1;
                }
                '0'..='9' => self.number()?,
                '.' if self.rest()[1..].starts_with(|next: char| next.is_ascii_digit()) => self.number()?,
                '"' | '\'' => self.string("")?,
                _ if next == '_' || next.is_alphabetic() => self.word()?,
                _ => self.symbol()?,
            }
        }
        if let Some(&open) = self.open.last() {
            return self.error("the bracket is not closed", open);
        }
        self.newline();
        while self.indents.pop().is_some_and(|indent| indent > 0) {
            self.push(self.at, TokenKind::Dedent);
        }
        self.push(self.at, TokenKind::End);
        Ok(())
    }

    fn comment(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// Ends a logical line, unless it is empty or within brackets.
    fn newline(&mut self) {
        let ends = !matches!(
            self.tokens.last(),
            None | Some(Token { kind: TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent, .. })
        );
        if self.open.is_empty() && ends {
            self.push(self.at, TokenKind::Newline);
        }
    }

    /// Compares the indentation of a line with the open blocks.
    fn indentation(&mut self) -> Result<()> {
        if !self.open.is_empty() {
            return Ok(());
        }
        let line = self.rest().trim_start_matches([' ', '\t', '\x0c']);
        let width = self.rest()[..self.rest().len() - line.len()].chars().fold(0, |width, next| match next {
            '\t' => (width / 8 + 1) * 8,
            _ => width + 1,
        });
        self.at += self.rest().len() - line.len();
        if line.trim_start_matches('\r').starts_with(['\n', '#']) || line.is_empty() {
            return Ok(());
        }
        let current = self.indents.last().copied().unwrap_or(0);
        if width > current {
            if self.indents.len() >= NESTING {
                return self.error(format!("blocks more than {NESTING} deep"), self.at);
            }
            self.indents.push(width);
            self.push(self.at, TokenKind::Indent);
        }
        while self.indents.last().is_some_and(|&indent| indent > width) {
            self.indents.pop();
            self.push(self.at, TokenKind::Dedent);
        }
        if self.indents.last() != Some(&width) {
            return self.error("the indentation matches no open block", self.at);
        }
        Ok(())
    }

    fn word(&mut self) -> Result<()> {
        let rest = self.rest();
        let end = rest.find(|next: char| next != '_' && !next.is_alphanumeric()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if after.starts_with(['"', '\'']) && word.len() <= 2 && word.chars().all(|next| "rRbBfFuU".contains(next)) {
            return self.string(word);
        }
        self.push(self.at, TokenKind::Name(word.into()));
        self.at += end;
        Ok(())
    }

    fn symbol(&mut self) -> Result<()> {
        let rest = self.rest();
        let Some(&symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) else {
            return self.error("an unknown character", self.at);
        };
        match symbol {
            "(" | "[" | "{" => {
                if self.open.len() >= NESTING {
                    return self.error(format!("brackets more than {NESTING} deep"), self.at);
                }
                self.open.push(self.at);
            }
            ")" | "]" | "}" if self.open.pop().is_none() => {
                return self.error("the bracket was not opened", self.at);
            }
            _ => {}
        }
        self.push(self.at, TokenKind::Symbol(symbol));
        self.at += symbol.len();
        Ok(())
    }

    fn number(&mut self) -> Result<()> {
        let (start, rest) = (self.at, self.rest());
        let bytes = rest.as_bytes();
        let radix = match rest.get(..2) {
            Some("0x" | "0X") => 16,
            Some("0o" | "0O") => 8,
            Some("0b" | "0B") => 2,
            _ => 10,
        };
        let mut end = if radix == 10 { 0 } else { 2 };
        let mut float = false;
        while let Some(&next) = bytes.get(end) {
            match next {
                b'_' => {}
                b'e' | b'E' if radix == 10 => {
                    float = true;
                    if matches!(bytes.get(end + 1), Some(b'+' | b'-')) {
                        end += 1;
                    }
                }
                b'.' if radix == 10 && !float => float = true,
                _ if char::from(next).is_digit(radix) => {}
                _ => break,
            }
            end += 1;
        }
        self.at += end;
        let text = rest[..end].replace('_', "");
        let kind = if float {
            text.parse().ok().map(TokenKind::Float)
        } else {
            let digits = if radix == 10 { &text[..] } else { &text[2..] };
            u64::from_str_radix(digits, radix).ok().map(TokenKind::Int)
        };
        match kind {
            Some(kind) if !self.rest().starts_with(|next: char| next == '_' || next.is_alphabetic()) => {
                self.push(start, kind);
                Ok(())
            }
            _ => self.error("not a number of 64 bits", start),
        }
    }

    /// Reads a string whose prefix letters begin at the current offset.
    fn string(&mut self, prefix: &str) -> Result<()> {
        let start = self.at;
        let prefix = prefix.to_lowercase();
        if prefix.contains('b') {
            return self.error("bytes are not part of the language", start);
        }
        self.at += prefix.len();
        let quoted = self.rest();
        let quote = if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") { &quoted[..3] } else { &quoted[..1] };
        self.at += quote.len();
        let (begin, rest) = (self.at, self.rest());
        let mut text = String::new();
        let mut chars = rest.char_indices();
        loop {
            let Some((index, next)) = chars.next() else { return self.error("the string does not end", start) };
            if rest[index..].starts_with(quote) {
                self.at += index + quote.len();
                break;
            }
            match next {
                '\n' if quote.len() == 1 => return self.error("the string does not end in its line", start),
                // The escapes of an f-string are resolved after its fields are split.
                '\\' if prefix.contains(['r', 'f']) => {
                    text.push(next);
                    text.extend(chars.next().map(|(_, next)| next));
                }
                '\\' => match unescape(&mut chars) {
                    Some(escaped) => text.push_str(&escaped),
                    None => return self.error("an escape that is no character", begin + index),
                },
                _ => text.push(next),
            }
        }
        let kind = if prefix.contains('f') { TokenKind::FString(text.into()) } else { TokenKind::Str(text.into()) };
        self.push(start, kind);
        Ok(())
    }
}

/// Resolves the escapes in the text of an f-string between its fields.
pub(crate) fn resolve_escapes(text: &str) -> Option<String> {
    let (mut result, mut chars) = (String::new(), text.char_indices());
    while let Some((_, next)) = chars.next() {
        match next {
            '\\' => result.push_str(&unescape(&mut chars)?),
            _ => result.push(next),
        }
    }
    Some(result)
}

/// Returns the character after a backslash, or `None` for an escaped end of line.
fn unescape(chars: &mut std::str::CharIndices) -> Option<String> {
    let (_, next) = chars.next()?;
    let mut code = |digits: usize, radix: u32, first: Option<char>| -> Option<String> {
        let mut value = match first {
            Some(first) => first.to_digit(radix)?,
            None => 0,
        };
        for _ in 0..digits {
            let mut ahead = chars.clone();
            match ahead.next().and_then(|(_, next)| next.to_digit(radix)) {
                Some(digit) => {
                    value = value.checked_mul(radix)?.checked_add(digit)?;
                    *chars = ahead;
                }
                None if radix == 8 => break,
                None => return None,
            }
        }
        char::from_u32(value).map(String::from)
    };
    match next {
        '\n' => Some(String::new()),
        'n' => Some("\n".to_string()),
        't' => Some("\t".to_string()),
        'r' => Some("\r".to_string()),
        'a' => Some("\x07".to_string()),
        'b' => Some("\x08".to_string()),
        'f' => Some("\x0c".to_string()),
        'v' => Some("\x0b".to_string()),
        'x' => code(2, 16, None),
        'u' => code(4, 16, None),
        'U' => code(8, 16, None),
        '0'..='7' => code(2, 8, Some(next)),
        '\\' | '\'' | '"' => Some(next.to_string()),
        _ => Some(format!("\\{next}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        tokenize(&Source::new("t", text)).unwrap().into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn blocks_are_tokens_and_brackets_join_lines() {
        use TokenKind::*;
        let name = |name: &str| Name(name.into());
        let expected = [
            name("if"),
            name("a"),
            Symbol(":"),
            Newline,
            Indent,
            name("f"),
            Symbol("("),
            Int(1),
            Symbol(","),
            Int(2),
            Symbol(")"),
            Newline,
            Dedent,
            name("b"),
            Newline,
            End,
        ];
        assert_eq!(kinds("if a:\n  # c\n\n  f(1,\n 2)\nb\n"), expected);
    }

    #[test]
    fn numbers_and_strings_have_pythons_forms() {
        use TokenKind::*;
        assert_eq!(kinds("1_000 0x1f 2. .5 1e-05")[..5], [Int(1000), Int(31), Float(2.0), Float(0.5), Float(1e-5)]);
        assert_eq!(kinds(r"'a\n\x41\101\u00e9' ")[0], Str("a\nAA\u{e9}".into()));
        assert_eq!(kinds("'''a\n'b'''")[0], Str("a\n'b".into()));
    }

    #[test]
    fn a_bad_character_is_an_error_with_its_position() {
        for text in ["x = $", "'abc", "f(1", ")", "  a\n b", "99999999999999999999", "1x", r"'\xzz'"] {
            let error = tokenize(&Source::new("t", text)).unwrap_err();
            assert!(matches!(error, Error::Syntax { .. }) && error.location().is_some(), "{text}: {error}");
        }
    }
}
