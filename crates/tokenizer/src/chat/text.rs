//! The text of values, as Python's `str` and `repr` write them.

use super::views::{Group, Range};
use minijinja::Value;
use minijinja::value::ValueKind;
use unicode_categories::UnicodeCategories;

/// A float as Python's `repr` writes it: the shortest digits that give the number, with an exponent
/// below 1e-4 and from 1e16 on.
pub(super) fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_string();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_string();
    }
    // Rust's exponents begin at the same numbers, without a sign and with one digit.
    let text = format!("{number:?}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
            let digits = digits.strip_suffix(".0").unwrap_or(digits);
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

/// The float that a value is; none for integers and other values.
pub(super) fn as_float(value: &Value) -> Option<f64> {
    let is_float = value.kind() == ValueKind::Number && !value.is_integer();
    is_float.then(|| f64::try_from(value.clone()).ok()).flatten()
}

/// A value as `str` writes it; nothing for one that is not defined, as in Jinja.
pub(super) fn text(value: &Value) -> String {
    match value.as_str().filter(|_| value.kind() == ValueKind::String) {
        Some(text) => text.to_string(),
        None if value.is_undefined() => String::new(),
        None => representation(value),
    }
}

/// The parts of a value.
pub(super) enum Shape {
    /// Items between brackets.
    Items(&'static str, Vec<Value>, &'static str),
    /// The entries of a dictionary.
    Entries(Vec<(Value, Value)>),
    /// No other values.
    Leaf,
}

/// The parts of a value, as `repr` shows it.
pub(super) fn shape(value: &Value) -> Shape {
    if let Some(group) = value.downcast_object_ref::<Group>() {
        return Shape::Items("(", group.parts().map(Value::clone).into(), ")");
    }
    let items = || value.try_iter().into_iter().flatten();
    match value.kind() {
        _ if value.downcast_object_ref::<Range>().is_some() => Shape::Leaf,
        ValueKind::Seq if value.is_tuple() => {
            let items: Vec<Value> = items().collect();
            let close = if items.len() == 1 { ",)" } else { ")" };
            Shape::Items("(", items, close)
        }
        ValueKind::Seq => Shape::Items("[", items().collect(), "]"),
        ValueKind::Map => {
            let entry = |key: Value| {
                let item = value.get_item(&key).unwrap_or_default();
                (key, item)
            };
            Shape::Entries(items().map(entry).collect())
        }
        _ => Shape::Leaf,
    }
}

/// A value as `repr` writes it.
pub(super) fn representation(value: &Value) -> String {
    match shape(value) {
        Shape::Items(open, items, close) => {
            let items: Vec<String> = items.iter().map(representation).collect();
            return format!("{open}{}{close}", items.join(", "));
        }
        Shape::Entries(entries) => {
            let entry = |(key, item): &(Value, Value)| format!("{}: {}", representation(key), representation(item));
            let entries: Vec<String> = entries.iter().map(entry).collect();
            return format!("{{{}}}", entries.join(", "));
        }
        Shape::Leaf => {}
    }
    match value.kind() {
        ValueKind::Undefined => "Undefined".to_string(),
        ValueKind::String => value.as_str().map_or_else(|| value.to_string(), quote),
        ValueKind::Bytes => quote_bytes(value.as_bytes().unwrap_or_default()),
        ValueKind::Number => as_float(value).map_or_else(|| value.to_string(), float),
        _ => value.to_string(),
    }
}

/// Bytes as Python writes them: `b'a\\xff'`.
fn quote_bytes(bytes: &[u8]) -> String {
    let mark = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    let mut made = format!("b{mark}");
    for &byte in bytes {
        match byte {
            b'\\' => made.push_str("\\\\"),
            b'\n' => made.push_str("\\n"),
            b'\r' => made.push_str("\\r"),
            b'\t' => made.push_str("\\t"),
            b' '..=b'~' if char::from(byte) != mark => made.push(char::from(byte)),
            b' '..=b'~' => made.extend(['\\', mark]),
            _ => made.push_str(&format!("\\x{byte:02x}")),
        }
    }
    made.push(mark);
    made
}

/// A text in quotes, which are double ones where only single ones occur in it.
fn quote(text: &str) -> String {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut made = String::from(mark);
    for character in text.chars() {
        match character {
            '\\' => made.push_str("\\\\"),
            '\n' => made.push_str("\\n"),
            '\r' => made.push_str("\\r"),
            '\t' => made.push_str("\\t"),
            _ if character == mark => made.extend(['\\', character]),
            _ if is_printable(character) => made.push(character),
            _ => made.push_str(&match character as u32 {
                code @ ..=0xff => format!("\\x{code:02x}"),
                code @ ..=0xffff => format!("\\u{code:04x}"),
                code => format!("\\U{code:08x}"),
            }),
        }
    }
    made.push(mark);
    made
}

/// Whether Python calls a character printable: neither a separator but the space nor one of the
/// categories of others.
pub(super) fn is_printable(character: char) -> bool {
    character == ' ' || !(character.is_other() || character.is_separator())
}
