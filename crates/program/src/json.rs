//! JSON in archives and for viewers.
//!
//! Rejected: `serde_json`. Its derived readers of the schema were an eighth of the page's module of
//! programs. Here one function parses a text to a tree, and records are built from the tree.

use crate::{Error, Result};
use std::fmt::{self, Display, Formatter, Write};

/// The deepest nesting of arrays and objects.
const MAX_DEPTH: usize = 128;

/// The most values of a text. A program with the most nodes has half as many. As a tree they take
/// up to half a gigabyte.
const MAX_VALUES: usize = 1 << 24;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    Array(Vec<Json>),
    /// The entries in the order of the text.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses a text.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] with the offset of invalid JSON, [`Error::Limit`] for too many values.
    pub fn parse(text: &str) -> Result<Json> {
        let mut parser = Parser { text, next: 0, values: 0 };
        let parsed = parser.value(0).filter(|_| parser.peek().is_none());
        if parser.values > MAX_VALUES {
            return Err(Error::Limit(format!("more than {MAX_VALUES} values of JSON")));
        }
        parsed.ok_or_else(|| Error::malformed(format!("no JSON at byte {}", parser.next)))
    }

    /// An object.
    pub fn object<const N: usize>(entries: [(&str, Json); N]) -> Json {
        Json::Object(entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
    }

    /// A string or null.
    pub fn text(text: Option<&str>) -> Json {
        text.map_or(Json::Null, |text| Json::Str(text.to_string()))
    }

    /// Returns an entry of an object, or `None` if it is absent or null.
    pub fn get(&self, key: &str) -> Option<&Json> {
        let (_, value) = self.as_object()?.iter().find(|(known, _)| known == key)?;
        (*value != Json::Null).then_some(value)
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::Str(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the items of an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the entries of an object.
    pub fn as_object(&self) -> Option<&[(String, Json)]> {
        match self {
            Json::Object(entries) => Some(entries),
            _ => None,
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    /// The offset of the next byte.
    next: usize,
    /// The number of values so far.
    values: usize,
}

impl Parser<'_> {
    /// Returns the next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.as_bytes().get(self.next) {
            self.next += 1;
        }
        self.text.as_bytes().get(self.next).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.next += 1)
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        self.text.get(self.next..)?.starts_with(word).then(|| self.next += word.len())?;
        Some(value)
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        self.values += 1;
        if depth > MAX_DEPTH || self.values > MAX_VALUES {
            return None;
        }
        match self.peek()? {
            b'n' => self.word("null", Json::Null),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'"' => self.string().map(Json::Str),
            b'[' => {
                let mut items = Vec::new();
                self.list(b']', |parser| {
                    items.push(parser.value(depth + 1)?);
                    Some(())
                })?;
                Some(Json::Array(items))
            }
            b'{' => {
                let mut entries = Vec::new();
                self.list(b'}', |parser| {
                    parser.peek()?;
                    let key = parser.string()?;
                    parser.take(b':')?;
                    entries.push((key, parser.value(depth + 1)?));
                    Some(())
                })?;
                Some(Json::Object(entries))
            }
            _ => self.number(),
        }
    }

    /// Parses items between brackets, separated by commas.
    fn list(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.next += 1;
        if self.take(end).is_some() {
            return Some(());
        }
        loop {
            item(self)?;
            match self.peek()? {
                b',' => self.next += 1,
                byte if byte == end => return self.take(end),
                _ => return None,
            }
        }
    }

    fn number(&mut self) -> Option<Json> {
        let rest = &self.text[self.next..];
        let length = rest.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
        let number = &rest[..length.count()];
        let digits = number.strip_prefix('-').unwrap_or(number);
        if !digits.starts_with(|digit: char| digit.is_ascii_digit()) {
            return None;
        }
        let parsed = match number.parse() {
            Ok(int) => Json::Int(int),
            Err(_) => Json::Float(number.parse().ok()?),
        };
        self.next += number.len();
        Some(parsed)
    }

    fn string(&mut self) -> Option<String> {
        self.take(b'"')?;
        let mut string = String::new();
        loop {
            let rest = self.text.get(self.next..)?;
            let plain = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
            string.push_str(&rest[..plain]);
            self.next += plain + 1;
            match rest.as_bytes()[plain] {
                b'"' => return Some(string),
                b'\\' => string.push(self.escape()?),
                _ => return None,
            }
        }
    }

    /// Parses an escape after the backslash.
    fn escape(&mut self) -> Option<char> {
        let byte = *self.text.as_bytes().get(self.next)?;
        self.next += 1;
        Some(match byte {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => byte.into(),
            b'u' => match self.unit()? {
                high @ 0xd800..0xdc00 => {
                    self.word("\\u", Json::Null)?;
                    let low = self.unit()?.checked_sub(0xdc00).filter(|&low| low < 0x400)?;
                    char::from_u32(0x10000 + ((high - 0xd800) << 10) + low)?
                }
                unit => char::from_u32(unit)?,
            },
            _ => return None,
        })
    }

    /// Parses four hexadecimal digits of a UTF-16 unit.
    fn unit(&mut self) -> Option<u32> {
        let digits = self.text.get(self.next..self.next + 4)?;
        self.next += 4;
        u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
    }
}

impl Display for Json {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let separate = |f: &mut Formatter<'_>, index: usize| f.write_str(if index == 0 { "" } else { "," });
        match self {
            Json::Bool(value) => value.fmt(f),
            Json::Int(value) => value.fmt(f),
            // JSON lacks infinities and NaN.
            Json::Float(value) if value.is_finite() => write!(f, "{value:?}"),
            Json::Null | Json::Float(_) => f.write_str("null"),
            Json::Str(text) => string(text, f),
            Json::Array(items) => {
                f.write_char('[')?;
                for (index, item) in items.iter().enumerate() {
                    separate(f, index)?;
                    item.fmt(f)?;
                }
                f.write_char(']')
            }
            Json::Object(entries) => {
                f.write_char('{')?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    separate(f, index)?;
                    string(key, f)?;
                    f.write_char(':')?;
                    value.fmt(f)?;
                }
                f.write_char('}')
            }
        }
    }
}

fn string(text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(f, "\\{character}")?,
            '\0'..' ' => write!(f, "\\u{:04x}", u32::from(character))?,
            _ => f.write_char(character)?,
        }
    }
    f.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_written() {
        let text = r#"{"a":[1,-2.5,1e300,true,null],"b":{"":"x\"\\\u0001"},"c":[],"d":{}}"#;
        assert_eq!(Json::parse(text).unwrap().to_string(), text);
        assert_eq!(Json::parse(" [ ] ").unwrap(), Json::Array(vec![]));
        assert_eq!(Json::parse(r#""\ud83d\ude00\n\/""#).unwrap(), Json::Str("😀\n/".to_string()));
        assert_eq!(Json::parse("9223372036854775808").unwrap(), Json::Float(9_223_372_036_854_775_808.0));
    }

    #[test]
    fn other_texts_are_refused_with_an_offset() {
        let deep = "[".repeat(100_000);
        let bad =
            ["", "[1", "[1,]", "{\"a\"}", "{a:1}", "nul", "01x", "1 2", "\"\\q\"", "\"\\ud83d\"", "\"a\nb\"", "+1"];
        for text in bad.into_iter().chain([deep.as_str(), ".5", "--1", "1e", "\"é", "\"\\u12é\""]) {
            assert!(Json::parse(text).is_err(), "{text}");
        }
        assert_eq!(Json::parse("[1, x]").unwrap_err().to_string(), "malformed program: no JSON at byte 4");
    }
}
