//! JSON as Python's `json.dumps` writes it, with the arguments and defaults of Hugging Face's
//! `tojson`.

use super::text::{as_float, float};
use super::views::Range;
use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{Error, ErrorKind, Value};
use std::cmp::Ordering;
use std::fmt::Write as _;

/// The deepest nesting of values.
const DEPTH_LIMIT: usize = 200;

/// The arguments of `tojson` in their order.
const ARGUMENTS: [&str; 4] = ["ensure_ascii", "indent", "separators", "sort_keys"];

fn refuse(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, format!("tojson: {}", message.into()))
}

struct Writer {
    text: String,
    ascii: bool,
    sorted: bool,
    /// The text of one level of indentation; all on one line if `None`.
    indent: Option<String>,
    /// What stands between items, and between a key and its value.
    separators: (String, String),
}

/// The filter `tojson(ensure_ascii=false, indent=none, separators=none, sort_keys=false)`.
pub(super) fn to_json(value: &Value, positional: Rest<Value>, named: Kwargs) -> Result<Value, Error> {
    if positional.len() > ARGUMENTS.len() {
        return Err(refuse(format!("takes {} arguments, not {}", ARGUMENTS.len(), positional.len())));
    }
    let argument = |index: usize| -> Result<Option<Value>, Error> {
        let given = named.get::<Option<Value>>(ARGUMENTS[index])?;
        match (positional.get(index), given) {
            (Some(_), Some(_)) => Err(refuse(format!("{} is given twice", ARGUMENTS[index]))),
            (first, second) => Ok(first.cloned().or(second).filter(|value| !value.is_none())),
        }
    };
    let is_set = |value: Option<Value>| value.is_some_and(|value| value.is_true());
    let indent = argument(1)?.map(|indent| indent_of(&indent)).transpose()?;
    let comma = if indent.is_some() { "," } else { ", " };
    let separators = argument(2)?.map_or_else(|| Ok((comma.to_string(), ": ".to_string())), |pair| pair_of(&pair))?;
    let mut writer =
        Writer { text: String::new(), ascii: is_set(argument(0)?), sorted: is_set(argument(3)?), indent, separators };
    named.assert_all_used()?;
    writer.value(value, 0)?;
    Ok(Value::from_safe_string(writer.text))
}

/// A number of spaces, or the text itself.
fn indent_of(indent: &Value) -> Result<String, Error> {
    if let Some(text) = indent.as_str() {
        return Ok(text.to_string());
    }
    let count = match indent.kind() {
        ValueKind::Bool => Some(i64::from(indent.is_true())),
        _ => indent.as_i64(),
    };
    match count {
        Some(count) if count <= 1000 => Ok(" ".repeat(count.max(0) as usize)),
        _ => Err(refuse(format!("indent takes a number up to 1000 or a text, not {indent}"))),
    }
}

fn pair_of(pair: &Value) -> Result<(String, String), Error> {
    let parts: Vec<Value> = pair.try_iter()?.collect();
    match &parts[..] {
        [item, key] if item.as_str().is_some() && key.as_str().is_some() => Ok((item.to_string(), key.to_string())),
        _ => Err(refuse(format!("separators takes two texts, not {pair}"))),
    }
}

impl Writer {
    fn line(&mut self, depth: usize) {
        if let Some(indent) = &self.indent {
            self.text.push('\n');
            (0..depth).for_each(|_| self.text.push_str(indent));
        }
    }

    /// Writes the separator and the line before an item of a container.
    fn begin(&mut self, index: usize, depth: usize) {
        if index > 0 {
            self.text.push_str(&self.separators.0);
        }
        self.line(depth + 1);
    }

    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        if depth > DEPTH_LIMIT {
            return Err(refuse(format!("values lie more than {DEPTH_LIMIT} deep in one another")));
        }
        match value.kind() {
            ValueKind::Map => self.map(value, depth)?,
            // Ranges, views of dictionaries and results of filters such as `map`, as in Python.
            _ if value.kind() == ValueKind::Iterable || value.downcast_object_ref::<Range>().is_some() => {
                return Err(refuse("a range or an iterator has no JSON; make it a list"));
            }
            ValueKind::Seq => {
                self.text.push('[');
                let mut count = 0;
                for (index, item) in value.try_iter()?.enumerate() {
                    self.begin(index, depth);
                    self.value(&item, depth + 1)?;
                    count += 1;
                }
                if count > 0 {
                    self.line(depth);
                }
                self.text.push(']');
            }
            ValueKind::String => self.string(value.as_str().unwrap_or_default()),
            ValueKind::None | ValueKind::Bool | ValueKind::Number => self.text.push_str(&plain(value)),
            ValueKind::Undefined => return Err(refuse("the value is not defined")),
            other => return Err(refuse(format!("a value of the kind {other} has no JSON"))),
        }
        Ok(())
    }

    fn map(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        let mut keys: Vec<Value> = value.try_iter()?.collect();
        if self.sorted {
            sort(&mut keys)?;
        }
        self.text.push('{');
        for (index, key) in keys.iter().enumerate() {
            self.begin(index, depth);
            match key.kind() {
                ValueKind::String => self.string(key.as_str().unwrap_or_default()),
                ValueKind::None | ValueKind::Bool | ValueKind::Number => self.string(&plain(key)),
                other => return Err(refuse(format!("a key of the kind {other}; keys are texts and numbers"))),
            }
            self.text.push_str(&self.separators.1);
            self.value(&value.get_item(key)?, depth + 1)?;
        }
        if !keys.is_empty() {
            self.line(depth);
        }
        self.text.push('}');
        Ok(())
    }

    fn string(&mut self, value: &str) {
        let text = &mut self.text;
        text.push('"');
        for character in value.chars() {
            match character {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                '\u{8}' => text.push_str("\\b"),
                '\u{c}' => text.push_str("\\f"),
                '\0'..='\u{1f}' => escape(text, character),
                '\u{7f}'.. if self.ascii => escape(text, character),
                other => text.push(other),
            }
        }
        text.push('"');
    }
}

/// A character as one or two units of UTF-16.
fn escape(text: &mut String, character: char) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        // Writing to a String cannot fail.
        let _ = write!(text, "\\u{unit:04x}");
    }
}

/// None, a truth value or a number.
fn plain(value: &Value) -> String {
    match (value.kind(), as_float(value)) {
        (ValueKind::None, _) => "null".to_string(),
        (ValueKind::Bool, _) => value.is_true().to_string(),
        (_, Some(number)) if number.is_nan() => "NaN".to_string(),
        (_, Some(number)) if number.is_infinite() => if number > 0.0 { "Infinity" } else { "-Infinity" }.to_string(),
        (_, Some(number)) => float(number),
        _ => value.to_string(),
    }
}

/// Sorts keys, texts among texts and numbers among numbers.
fn sort(keys: &mut [Value]) -> Result<(), Error> {
    let is_text = |key: &Value| key.kind() == ValueKind::String;
    if keys.len() > 1 && (keys.iter().any(is_text) && !keys.iter().all(is_text) || keys.iter().any(Value::is_none)) {
        return Err(refuse("sort_keys takes keys that are all texts or all numbers"));
    }
    keys.sort_by(|a, b| match (a.as_str(), b.as_str()) {
        (Some(a), Some(b)) => a.cmp(b),
        _ => a.partial_cmp(b).unwrap_or(Ordering::Equal),
    });
    Ok(())
}
