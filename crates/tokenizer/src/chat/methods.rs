//! Python's methods of texts, lists, dictionaries and numbers.
//!
//! Rejected: `minijinja-contrib`, which has a third of the methods and few of their arguments.

use super::arguments::Arguments;
use super::codecs::{bytes, encode, translate, translations};
use super::text::{as_float, is_printable};
use super::views::View;
use minijinja::formatting::{FormatStyle, format};
use minijinja::value::{Tuple, ValueKind};
use minijinja::{Error, ErrorKind, State, Value};

/// A method of a value that the engine does not have; an unknown one is an error that names it.
pub(super) fn call(state: &mut State, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    let unknown = || Error::from(ErrorKind::UnknownMethod);
    match value.kind() {
        ValueKind::String => {
            let text = value.as_str().ok_or_else(unknown)?;
            if method == "format" {
                return format(FormatStyle::StrFormat, text, args).map(Value::from);
            }
            let mut arguments = Arguments::new(method, args)?;
            let result = string(state, text, method, &mut arguments)?.ok_or_else(unknown)?;
            arguments.finish()?;
            Ok(result)
        }
        ValueKind::Map => {
            let mut arguments = Arguments::new(method, args)?;
            let result = dictionary(value, method, &mut arguments)?.ok_or_else(unknown)?;
            arguments.finish()?;
            Ok(result)
        }
        ValueKind::Seq => {
            let mut arguments = Arguments::new(method, args)?;
            let result = list(value, method, &mut arguments)?.ok_or_else(unknown)?;
            arguments.finish()?;
            Ok(result)
        }
        ValueKind::Bytes => {
            let mut arguments = Arguments::new(method, args)?;
            let result = bytes(value.as_bytes().unwrap_or_default(), method, &mut arguments)?.ok_or_else(unknown)?;
            arguments.finish()?;
            Ok(result)
        }
        ValueKind::Number => match (method, as_float(value)) {
            ("is_integer", number) => Ok(number.is_none_or(|number| number.fract() == 0.0).into()),
            ("bit_length", None) => {
                let number = value.as_i64().ok_or_else(unknown)?;
                Ok((u64::BITS - number.unsigned_abs().leading_zeros()).into())
            }
            _ => Err(unknown()),
        },
        _ => Err(unknown()),
    }
}

/// A method of a dictionary. Those that change it are refused, as by Jinja's immutable sandbox.
fn dictionary(value: &Value, method: &str, arguments: &mut Arguments) -> Result<Option<Value>, Error> {
    let keys = || value.try_iter();
    let item = |key: &Value| value.get_item(key).unwrap_or_default();
    Ok(Some(match method {
        "get" => {
            let key = arguments.need("key")?;
            let default = arguments.next("default")?;
            match item(&key) {
                found if found.is_undefined() => default.unwrap_or(Value::from(())),
                found => found,
            }
        }
        "keys" => View::value("dict_keys", keys()?.collect()),
        "values" => View::value("dict_values", keys()?.map(|key| item(&key)).collect()),
        "fromkeys" => {
            let (names, value) = (arguments.need("iterable")?, arguments.next("value")?.unwrap_or(Value::from(())));
            Value::from_pairs(names.try_iter()?.map(|name| (name, value.clone())))
        }
        "items" => {
            let pair = |key: Value| {
                let value = item(&key);
                Value::from(Tuple::from([key, value]))
            };
            View::value("dict_items", keys()?.map(pair).collect())
        }
        "copy" => Value::from_pairs(keys()?.map(|key| (key.clone(), item(&key)))),
        "clear" | "pop" | "popitem" | "setdefault" | "update" => return Err(immutable(method, "dictionary")),
        _ => return Ok(None),
    }))
}

/// A method of a list or a tuple.
fn list(value: &Value, method: &str, arguments: &mut Arguments) -> Result<Option<Value>, Error> {
    Ok(Some(match method {
        "count" => {
            let wanted = arguments.need("value")?;
            value.try_iter()?.filter(|item| *item == wanted).count().into()
        }
        "index" => {
            let wanted = arguments.need("value")?;
            let found = value.try_iter()?.position(|item| item == wanted);
            found.ok_or_else(|| arguments.wrong(format!("{wanted} is not in the list")))?.into()
        }
        "copy" => value.try_iter()?.collect::<Vec<Value>>().into(),
        "append" | "clear" | "extend" | "insert" | "pop" | "remove" | "reverse" | "sort" => {
            return Err(immutable(method, "list"));
        }
        _ => return Ok(None),
    }))
}

fn immutable(method: &str, kind: &str) -> Error {
    let message = format!("{method} would change a {kind}, and templates change no values; use a namespace");
    Error::new(ErrorKind::InvalidOperation, message)
}

/// Pays for bytes that are made.
fn charge(state: &State, bytes: usize) -> Result<(), Error> {
    state.consume_fuel((bytes / 64) as u64)
}

/// A method of a text; `None` for one that is not known.
fn string(state: &State, text: &str, method: &str, arguments: &mut Arguments) -> Result<Option<Value>, Error> {
    let all = |is: &dyn Fn(char) -> bool| Value::from(!text.is_empty() && text.chars().all(is));
    Ok(Some(match method {
        "upper" => text.to_uppercase().into(),
        "lower" => text.to_lowercase().into(),
        "casefold" => text.to_lowercase().replace('ß', "ss").replace('ς', "σ").into(),
        "capitalize" => {
            let mut rest = text.chars();
            let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
            (first + &rest.as_str().to_lowercase()).into()
        }
        "title" => title(text).into(),
        "swapcase" => {
            let swap =
                |c: char| if c.is_uppercase() { c.to_lowercase().to_string() } else { c.to_uppercase().to_string() };
            text.chars().map(swap).collect::<String>().into()
        }
        "isalnum" => all(&char::is_alphanumeric),
        "isalpha" => all(&char::is_alphabetic),
        "isascii" => text.is_ascii().into(),
        "isdecimal" | "isdigit" | "isnumeric" => all(&|c| is_numeric(c, method)),
        "isidentifier" => {
            let starts = text.starts_with(|c: char| c == '_' || c.is_alphabetic());
            (starts && text.chars().all(|c| c == '_' || c.is_alphanumeric())).into()
        }
        "islower" => (text.chars().any(char::is_lowercase) && !text.chars().any(char::is_uppercase)).into(),
        "isupper" => (text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase)).into(),
        "isprintable" => text.chars().all(is_printable).into(),
        "isspace" => all(&is_space),
        "istitle" => (text.chars().any(char::is_alphabetic) && title(text) == text).into(),
        "strip" => strip(text, arguments, true, true)?.into(),
        "lstrip" => strip(text, arguments, true, false)?.into(),
        "rstrip" => strip(text, arguments, false, true)?.into(),
        "removeprefix" => {
            let prefix = arguments.need_text("prefix")?;
            text.strip_prefix(prefix.as_str()).unwrap_or(text).into()
        }
        "removesuffix" => {
            let suffix = arguments.need_text("suffix")?;
            text.strip_suffix(suffix.as_str()).unwrap_or(text).into()
        }
        "replace" => replace_all(state, text, arguments)?.into(),
        "split" | "rsplit" => {
            let separator = arguments.text("sep")?;
            let most = arguments.int("maxsplit")?.unwrap_or(-1);
            if separator.as_deref() == Some("") {
                return Err(arguments.wrong("the separator is empty"));
            }
            let most = usize::try_from(most).ok();
            let parts = split(text, separator.as_deref(), most, method == "rsplit");
            parts.into_iter().map(Value::from).collect::<Vec<Value>>().into()
        }
        "splitlines" => {
            let keeps = arguments.next("keepends")?.is_some_and(|keeps| keeps.is_true());
            lines(text, keeps).into_iter().map(Value::from).collect::<Vec<Value>>().into()
        }
        "partition" | "rpartition" => {
            let separator = arguments.need_text("sep")?;
            if separator.is_empty() {
                return Err(arguments.wrong("the separator is empty"));
            }
            let parts = match method {
                "partition" => {
                    text.split_once(separator.as_str()).map_or([text, "", ""], |(a, b)| [a, separator.as_str(), b])
                }
                _ => text.rsplit_once(separator.as_str()).map_or(["", "", text], |(a, b)| [a, separator.as_str(), b]),
            };
            Tuple::from(parts.map(Value::from)).into()
        }
        "join" => {
            let items = arguments.need("iterable")?;
            let items = items.try_iter()?.map(|item| {
                let text = item.as_str().map(str::to_string);
                text.ok_or_else(|| arguments.wrong(format!("an item is {}, no text", item.kind())))
            });
            let items = items.collect::<Result<Vec<String>, Error>>()?;
            charge(state, text.len() * items.len())?;
            items.join(text).into()
        }
        "startswith" | "endswith" => {
            let affixes = arguments.need(if method == "startswith" { "prefix" } else { "suffix" })?;
            let part = slice(text, arguments)?.map_or("", |(part, _)| part);
            let holds = |affix: &Value| -> Result<bool, Error> {
                let affix = affix.as_str().ok_or_else(|| arguments.wrong("takes a text or a tuple of texts"))?;
                Ok(if method == "startswith" { part.starts_with(affix) } else { part.ends_with(affix) })
            };
            match affixes.kind() {
                ValueKind::Seq => {
                    let found = affixes.try_iter()?.map(|affix| holds(&affix)).collect::<Result<Vec<bool>, Error>>()?;
                    found.contains(&true).into()
                }
                _ => holds(&affixes)?.into(),
            }
        }
        "count" => {
            let wanted = arguments.need_text("sub")?;
            let part = slice(text, arguments)?;
            part.map_or(0, |(part, _)| {
                if wanted.is_empty() { part.chars().count() + 1 } else { part.matches(wanted.as_str()).count() }
            })
            .into()
        }
        "find" | "rfind" | "index" | "rindex" => {
            let wanted = arguments.need_text("sub")?;
            let found = slice(text, arguments)?.and_then(|(part, start)| {
                let at = if method.starts_with('r') { part.rfind(wanted.as_str()) } else { part.find(wanted.as_str()) };
                at.map(|at| start + part[..at].chars().count())
            });
            match found {
                Some(index) => index.into(),
                None if method.ends_with("find") => (-1).into(),
                None => return Err(arguments.wrong(format!("{wanted:?} is not in the text"))),
            }
        }
        "center" | "ljust" | "rjust" | "zfill" => justify(state, text, method, arguments)?.into(),
        "expandtabs" => {
            let size = arguments.int("tabsize")?.unwrap_or(8).clamp(0, 1000) as usize;
            charge(state, text.len() * size)?;
            expand_tabs(text, size).into()
        }
        "encode" => encode(text, arguments)?,
        "translate" => translate(text, arguments)?.into(),
        "maketrans" => translations(arguments)?,
        "format_map" => format(FormatStyle::StrFormat, text, &[keywords(&arguments.need("mapping")?)?])?.into(),
        _ => return Ok(None),
    }))
}

/// A dictionary as the keyword arguments of a call.
fn keywords(mapping: &Value) -> Result<Value, Error> {
    let entries = mapping.try_iter()?.map(|key| Ok((key.to_string(), mapping.get_item(&key)?)));
    let entries = entries.collect::<Result<Vec<(String, Value)>, Error>>()?;
    Ok(entries.into_iter().collect::<minijinja::value::Kwargs>().into())
}

/// Whitespace as Python's texts have it, which counts four controls more than Unicode's property.
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

/// Whether a character is a decimal digit, a digit or a number, as the method's name says.
fn is_numeric(character: char, method: &str) -> bool {
    use unicode_categories::UnicodeCategories;
    let is_decimal = character.is_number_decimal_digit();
    // Superscripts, subscripts and circled digits.
    let is_digit = || matches!(character, '²' | '³' | '¹' | '⁰' | '⁴'..='⁹' | '₀'..='₉' | '①'..='⑨' | '⑴'..='⑼' | '⒈'..='⒐' | '➀'..='➈');
    match method {
        "isdecimal" => is_decimal,
        "isdigit" => is_decimal || is_digit(),
        _ => character.is_numeric(),
    }
}

fn title(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut in_word = false;
    for character in text.chars() {
        match in_word {
            true => made.extend(character.to_lowercase()),
            false => made.extend(character.to_uppercase()),
        }
        in_word = character.is_lowercase() || character.is_uppercase();
    }
    made
}

fn strip<'t>(text: &'t str, arguments: &mut Arguments, front: bool, back: bool) -> Result<&'t str, Error> {
    let characters = arguments.text("chars")?;
    let goes = |c: char| characters.as_ref().map_or_else(|| is_space(c), |characters| characters.contains(c));
    let text = if front { text.trim_start_matches(goes) } else { text };
    Ok(if back { text.trim_end_matches(goes) } else { text })
}

fn replace_all(state: &State, text: &str, arguments: &mut Arguments) -> Result<String, Error> {
    let (old, new) = (arguments.need_text("old")?, arguments.need_text("new")?);
    let count = arguments.int("count")?.and_then(|count| usize::try_from(count).ok());
    let most = if old.is_empty() { text.len() + 1 } else { text.len() / old.len() };
    let most = most.min(count.unwrap_or(usize::MAX));
    charge(state, most.saturating_mul(new.len()))?;
    Ok(match count {
        Some(count) => text.replacen(old.as_str(), &new, count),
        None => text.replace(old.as_str(), &new),
    })
}

/// The parts of a text between separators, or between runs of whitespace, with at most `most`
/// splits, counted from the right if `right`.
fn split<'t>(text: &'t str, separator: Option<&str>, most: Option<usize>, right: bool) -> Vec<&'t str> {
    let limit = most.map_or(usize::MAX, |most| most.saturating_add(1));
    match separator {
        Some(separator) if right => {
            let mut parts: Vec<&str> = text.rsplitn(limit, separator).collect();
            parts.reverse();
            parts
        }
        Some(separator) => text.splitn(limit, separator).collect(),
        None => {
            let mut rest = text.trim_matches(is_space);
            let mut parts = Vec::new();
            while !rest.is_empty() {
                let found = if right { rest.rfind(is_space) } else { rest.find(is_space) };
                let Some(at) = found.filter(|_| parts.len() + 1 < limit) else { break };
                let end = at + rest[at..].chars().next().map_or(1, char::len_utf8);
                let part;
                (part, rest) = match right {
                    true => (&rest[end..], rest[..at].trim_end_matches(is_space)),
                    false => (&rest[..at], rest[end..].trim_start_matches(is_space)),
                };
                parts.push(part);
            }
            if !rest.is_empty() {
                // With no split left, the other end of the text keeps its whitespace.
                parts.push(match (right, most) {
                    (false, Some(most)) if parts.len() == most => {
                        let start = rest.as_ptr() as usize - text.as_ptr() as usize;
                        &text[start..]
                    }
                    (true, Some(most)) if parts.len() == most => {
                        let end = rest.as_ptr() as usize - text.as_ptr() as usize + rest.len();
                        &text[..end]
                    }
                    _ => rest,
                });
            }
            if right {
                parts.reverse();
            }
            parts
        }
    }
}

/// The lines of a text, by all of Python's ends of lines.
pub(super) fn lines(text: &str, keeps: bool) -> Vec<&str> {
    let is_end = |c: char| {
        matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
    };
    let (mut lines, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let Some(at) = rest.find(is_end) else {
            lines.push(rest);
            break;
        };
        let length =
            if rest[at..].starts_with("\r\n") { 2 } else { rest[at..].chars().next().map_or(1, char::len_utf8) };
        lines.push(&rest[..if keeps { at + length } else { at }]);
        rest = &rest[at + length..];
    }
    lines
}

/// The part of a text between the arguments `start` and `end`, which count characters, and the
/// first one's index;
/// `None` where they leave nothing, not even an empty part.
fn slice<'t>(text: &'t str, arguments: &mut Arguments) -> Result<Option<(&'t str, usize)>, Error> {
    let (start, end) = (arguments.int("start")?, arguments.int("end")?);
    if start.is_none() && end.is_none() {
        return Ok(Some((text, 0)));
    }
    let count = text.chars().count() as i64;
    let from_end = |index: i64| if index < 0 { (index + count).max(0) } else { index };
    let (start, end) = (from_end(start.unwrap_or(0)), from_end(end.unwrap_or(count)).min(count));
    if start > end {
        return Ok(None);
    }
    let byte = |index: i64| text.char_indices().nth(index as usize).map_or(text.len(), |(at, _)| at);
    Ok(Some((&text[byte(start)..byte(end)], start as usize)))
}

/// A text made as long as the argument `width` says.
fn justify(state: &State, text: &str, method: &str, arguments: &mut Arguments) -> Result<String, Error> {
    let width = arguments.need_int("width")?;
    let fill = if method == "zfill" { None } else { arguments.text("fillchar")? };
    let fill = match (method, fill) {
        ("zfill", _) => '0',
        (_, None) => ' ',
        (_, Some(fill)) => match &fill.chars().collect::<Vec<char>>()[..] {
            &[fill] => fill,
            _ => return Err(arguments.wrong("fillchar takes one character")),
        },
    };
    let room = usize::try_from(width).unwrap_or(0);
    let missing = room.saturating_sub(text.chars().count());
    charge(state, missing.saturating_mul(4))?;
    let fills = |count: usize| std::iter::repeat_n(fill, count).collect::<String>();
    Ok(match method {
        "ljust" => text.to_string() + &fills(missing),
        "rjust" => fills(missing) + text,
        "zfill" => match text.strip_prefix(['+', '-']) {
            Some(digits) => text[..1].to_string() + &fills(missing) + digits,
            None => fills(missing) + text,
        },
        _ => {
            // Python puts the odd one in front only where the width is odd, too.
            let front = missing / 2 + (missing & room & 1);
            fills(front) + text + &fills(missing - front)
        }
    })
}

fn expand_tabs(text: &str, size: usize) -> String {
    let (mut made, mut column) = (String::new(), 0);
    for character in text.chars() {
        match character {
            '\t' if size > 0 => {
                let count = size - column % size;
                made.extend(std::iter::repeat_n(' ', count));
                column += count;
            }
            '\t' => {}
            _ => {
                made.push(character);
                column = if matches!(character, '\n' | '\r') { 0 } else { column + 1 };
            }
        }
    }
    made
}
