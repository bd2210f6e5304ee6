//! Values over several lines of 80 characters, as Python's `pprint` writes them.

use super::methods;
use super::text::{Shape, representation, shape};
use minijinja::Value;

const WIDTH: usize = 80;

/// A value as `pprint.pformat` writes it.
pub(super) fn pretty(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value, 0, 0, 1);
    text
}

/// The text of a value on one line, with the keys of dictionaries sorted.
fn on_one_line(value: &Value) -> String {
    match shape(value) {
        Shape::Items(open, items, close) => {
            let items: Vec<String> = items.iter().map(on_one_line).collect();
            format!("{open}{}{close}", items.join(", "))
        }
        Shape::Entries(entries) => {
            let entry = |(key, value): &(Value, Value)| format!("{}: {}", on_one_line(key), on_one_line(value));
            let entries: Vec<String> = sorted(entries).iter().map(entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Shape::Leaf => representation(value),
    }
}

/// Entries by their keys; keys that cannot be compared by their types.
fn sorted(mut entries: Vec<(Value, Value)>) -> Vec<(Value, Value)> {
    let kind = |key: &Value| match key.as_str() {
        Some(_) => "str",
        None if key.is_none() => "NoneType",
        None => "number",
    };
    entries.sort_by(|(a, _), (b, _)| kind(a).cmp(kind(b)).then_with(|| a.cmp(b)));
    entries
}

/// Writes a value that begins behind `indent` characters, and that `allowance` more follow.
fn write(text: &mut String, value: &Value, indent: usize, allowance: usize, level: usize) {
    let line = on_one_line(value);
    if line.chars().count() + indent + allowance <= WIDTH {
        text.push_str(&line);
        return;
    }
    match shape(value) {
        Shape::Items(open, items, close) => {
            text.push_str(open);
            let count = items.len();
            for (index, item) in items.iter().enumerate() {
                let is_last = index + 1 == count;
                write(text, item, indent + 1, if is_last { allowance + close.len() } else { 1 }, level + 1);
                if !is_last {
                    next_line(text, ",", indent + 1);
                }
            }
            text.push_str(close);
        }
        Shape::Entries(entries) => {
            text.push('{');
            let count = entries.len();
            for (index, (key, item)) in sorted(entries).iter().enumerate() {
                let (key, is_last) = (on_one_line(key), index + 1 == count);
                text.push_str(&key);
                text.push_str(": ");
                let indent = indent + 1 + key.chars().count() + 2;
                write(text, item, indent, if is_last { allowance + 1 } else { 1 }, level + 1);
                if !is_last {
                    next_line(text, ",", indent - key.chars().count() - 2);
                }
            }
            text.push('}');
        }
        Shape::Leaf => match value.as_str() {
            Some(own) if !own.is_empty() => write_string(text, own, indent, allowance, level),
            _ => text.push_str(&line),
        },
    }
}

fn next_line(text: &mut String, end: &str, indent: usize) {
    text.push_str(end);
    text.push('\n');
    text.extend(std::iter::repeat_n(' ', indent));
}

/// Writes a text as texts one below the other, in brackets where it is the whole value.
fn write_string(text: &mut String, own: &str, indent: usize, allowance: usize, level: usize) {
    let (indent, allowance) = if level == 1 { (indent + 1, allowance + 1) } else { (indent, allowance) };
    let chunks = chunks(own, WIDTH.saturating_sub(indent), allowance);
    let is_bracketed = level == 1 && chunks.len() > 1;
    if is_bracketed {
        text.push('(');
    }
    for (index, chunk) in chunks.iter().enumerate() {
        if index > 0 {
            next_line(text, "", indent);
        }
        text.push_str(chunk);
    }
    if is_bracketed {
        text.push(')');
    }
}

/// The parts of a text in quotes: its lines, and the words of those that are too long.
fn chunks(own: &str, width: usize, allowance: usize) -> Vec<String> {
    let quoted = |part: &str| representation(&part.into());
    let lines = methods::lines(own, true);
    let mut chunks = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let is_last = index + 1 == lines.len();
        let room = |is_end: bool| if is_last && is_end { width.saturating_sub(allowance) } else { width };
        let whole = quoted(line);
        if whole.chars().count() <= room(true) {
            chunks.push(whole);
            continue;
        }
        let words = words(line);
        let mut current = String::new();
        for (position, word) in words.iter().enumerate() {
            let candidate = current.clone() + word;
            if quoted(&candidate).chars().count() <= room(position + 1 == words.len()) {
                current = candidate;
                continue;
            }
            if !current.is_empty() {
                chunks.push(quoted(&current));
            }
            current = word.to_string();
        }
        if !current.is_empty() {
            chunks.push(quoted(&current));
        }
    }
    chunks
}

/// Words with the whitespace after them.
fn words(line: &str) -> Vec<&str> {
    let (mut words, mut start, mut in_space) = (Vec::new(), 0, false);
    for (at, character) in line.char_indices() {
        let is_space = methods::is_space(character);
        if in_space && !is_space {
            words.push(&line[start..at]);
            start = at;
        }
        in_space = is_space;
    }
    words.push(&line[start..]);
    words
}
