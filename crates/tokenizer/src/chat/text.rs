//! The text of values, as Python's `str` and `repr` write them.

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
    match value.as_str() {
        Some(text) => text.to_string(),
        None if value.is_undefined() => String::new(),
        None => representation(value),
    }
}

/// A value as `repr` writes it.
fn representation(value: &Value) -> String {
    let all = |close: &str, open: &str| {
        let items: Vec<String> = value.try_iter().into_iter().flatten().map(|item| representation(&item)).collect();
        let comma = if value.is_tuple() && items.len() == 1 { "," } else { "" };
        format!("{open}{}{comma}{close}", items.join(", "))
    };
    match value.kind() {
        ValueKind::Undefined => "Undefined".to_string(),
        ValueKind::String => value.as_str().map_or_else(|| value.to_string(), quote),
        ValueKind::Number => as_float(value).map_or_else(|| value.to_string(), float),
        ValueKind::Seq if value.is_tuple() => all(")", "("),
        ValueKind::Seq => all("]", "["),
        ValueKind::Map => {
            let entry = |key: Value| {
                let item = value.get_item(&key).unwrap_or_default();
                format!("{}: {}", representation(&key), representation(&item))
            };
            let entries: Vec<String> = value.try_iter().into_iter().flatten().map(entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
        _ => value.to_string(),
    }
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
