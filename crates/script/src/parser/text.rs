//! Parses strings and f-strings.

use super::Parser;
use crate::{
    Error, Result, Source,
    ast::{Expr, ExprKind, Piece},
    lexer::{TokenKind, resolve_escapes, tokenize},
};

impl Parser<'_> {
    /// Parses adjacent strings and f-strings.
    pub(super) fn text(&mut self) -> Result<Expr> {
        let at = self.at();
        let mut pieces: Vec<Piece> = Vec::new();
        loop {
            match self.kind().clone() {
                TokenKind::Str(text) => pieces.push(Piece::Text(text)),
                TokenKind::FString(text) => self.fields(&text, &mut pieces)?,
                _ => break,
            }
            self.advance();
        }
        if let [Piece::Text(text)] = &pieces[..] {
            return Ok(Expr { at, kind: ExprKind::Str(text.clone()) });
        }
        if pieces.iter().all(|piece| matches!(piece, Piece::Text(_))) {
            let texts = pieces.iter().map(|piece| if let Piece::Text(text) = piece { text } else { "" });
            return Ok(Expr { at, kind: ExprKind::Str(texts.collect::<String>().into()) });
        }
        Ok(Expr { at, kind: ExprKind::Joined(pieces) })
    }

    /// Parses the pieces of an f-string.
    fn fields(&mut self, text: &str, pieces: &mut Vec<Piece>) -> Result<()> {
        let mut rest = text;
        let mut literal = String::new();
        while let Some(index) = rest.find(['{', '}']) {
            literal.push_str(&rest[..index]);
            let bracket = &rest[index..index + 1];
            rest = &rest[index + 1..];
            if rest.starts_with(bracket) {
                literal.push_str(bracket);
                rest = &rest[1..];
                continue;
            }
            if bracket == "}" {
                return self.error("a single `}` in an f-string");
            }
            self.literal(&mut literal, pieces)?;
            let Some(end) = outermost(rest, '}') else { return self.error("the field does not end") };
            pieces.push(self.field(&rest[..end])?);
            rest = &rest[end + 1..];
        }
        literal.push_str(rest);
        self.literal(&mut literal, pieces)
    }

    fn literal(&mut self, literal: &mut String, pieces: &mut Vec<Piece>) -> Result<()> {
        if !literal.is_empty() {
            let Some(text) = resolve_escapes(literal) else { return self.error("an escape that is no character") };
            pieces.push(Piece::Text(text.into()));
            literal.clear();
        }
        Ok(())
    }

    /// Parses one field: an expression, `!r`, and `:format`.
    fn field(&mut self, text: &str) -> Result<Piece> {
        let (text, format) = match outermost(text, ':') {
            Some(index) => (&text[..index], &text[index + 1..]),
            None => (text, ""),
        };
        let (text, conversion) = match text.rsplit_once('!') {
            Some((text, conversion)) if conversion.len() == 1 && !text.is_empty() => (text, conversion.chars().next()),
            _ => (text, None),
        };
        let at = self.at();
        let source = Source::new("", format!("({text})"));
        let relocate = |error: Error| match error {
            Error::Syntax { message, .. } => Error::syntax(message, self.source.locate(at as usize)),
            error => error,
        };
        let tokens = tokenize(&source).map_err(relocate)?;
        let depth = self.depth;
        let mut inner = Parser { source: self.source, tokens, index: 0, depth, offset: 0 };
        // All tokens in the field have the string's offset.
        inner.tokens.iter_mut().for_each(|token| token.at = at);
        let value = inner.expression()?;
        if !matches!(inner.kind(), TokenKind::Newline) {
            return self.error("a field of more than one expression");
        }
        Ok(Piece::Field(value, conversion, format.into()))
    }
}

/// Returns the index of the first `wanted` outside of brackets and strings.
fn outermost(text: &str, wanted: char) -> Option<usize> {
    let (mut depth, mut quote) = (0usize, None);
    for (index, next) in text.char_indices() {
        match (quote, next) {
            (Some(open), _) if open == next => quote = None,
            (Some(_), _) => {}
            (None, _) if next == wanted && depth == 0 => return Some(index),
            (None, '\'' | '"') => quote = Some(next),
            (None, '{' | '[' | '(') => depth += 1,
            (None, '}' | ']' | ')') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}
