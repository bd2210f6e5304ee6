//! Jinja's filters that the engine lacks, or whose output differs in Python.

use super::arguments::Arguments;
use super::text::text;
use super::wrap::{Wrapping, wrap};
use super::{markup, methods, pretty, views};
use minijinja::value::{Kwargs, Rest, Tuple, ValueKind};
use minijinja::{Environment, Error, State, Value};

/// The name of the filter that the sides of `~` go through.
pub(super) const TEXT: &str = "__text";

pub(super) fn add(environment: &mut Environment) {
    let string = |value: &Value| if value.is_safe() { value.clone() } else { text(value).into() };
    environment.add_filter("string", string);
    environment.add_filter(TEXT, string);
    environment.add_filter("join", join);
    environment.add_filter("center", center);
    environment.add_filter("truncate", truncate);
    environment.add_filter("wordcount", |value: &Value| words(&text(value)));
    environment.add_filter("striptags", |value: &Value| striptags(&text(value)));
    for name in ["e", "escape"] {
        environment.add_filter(name, markup::escape_once);
    }
    environment.add_filter("forceescape", |value: &Value| Value::from_safe_string(markup::escape(&text(value))));
    environment.add_filter("xmlattr", markup::xmlattr);
    environment.add_filter("urlize", markup::urlize);
    environment.add_filter("wordwrap", wordwrap);
    environment.add_filter("filesizeformat", filesizeformat);
    environment.add_filter("groupby", views::groupby);
    environment.add_filter("pprint", pretty::pretty);
    environment.add_filter("urlencode", urlencode);
    environment.add_filter("indent", indent);
    environment.add_filter("dictsort", dictsort);
    // Jinja's filter sees attributes, which dictionaries have none of, and no items.
    environment.add_filter("attr", |value: &Value, name: &Value| match value.kind() {
        ValueKind::Map => Ok(Value::UNDEFINED),
        _ => value.get_item(name),
    });
    environment.add_test("sequence", |value: &Value| {
        matches!(value.kind(), ValueKind::Seq | ValueKind::String | ValueKind::Map | ValueKind::Undefined)
    });
    environment.add_test("callable", |value: &Value| {
        // Functions, macros, joiners: values that are neither data nor without a value.
        value.kind() == ValueKind::Plain
    });
}

fn attribute(value: &Value, path: &Value) -> Result<Value, Error> {
    if path.as_str().is_none() {
        return value.get_item(path);
    }
    path.to_string().split('.').try_fold(value.clone(), |value, part| match part.parse::<usize>() {
        Ok(index) => value.get_item_by_index(index),
        Err(_) => value.get_attr(part),
    })
}

/// `join(d='', attribute=none)`.
fn join(state: &State, value: &Value, args: Rest<Value>, named: Kwargs) -> Result<Value, Error> {
    let mut arguments = Arguments::of("join", args, named);
    let separator = arguments.next("d")?.map(|separator| text(&separator)).unwrap_or_default();
    let path = arguments.next("attribute")?.filter(|path| !path.is_none());
    let items = value.try_iter()?.map(|item| match &path {
        Some(path) => attribute(&item, path).map(|item| text(&item)),
        None => Ok(text(&item)),
    });
    let items = items.collect::<Result<Vec<String>, Error>>()?;
    arguments.finish()?;
    state.consume_fuel((separator.len() * items.len() / 64) as u64)?;
    Ok(items.join(&separator).into())
}

/// `center(width=80)`.
fn center(state: &mut State, value: &Value, args: Rest<Value>, named: Kwargs) -> Result<Value, Error> {
    let mut arguments = Arguments::of("center", args, named);
    let width = arguments.int("width")?.unwrap_or(80);
    arguments.finish()?;
    methods::call(state, &text(value).into(), "center", &[width.into()])
}

/// `truncate(length=255, killwords=false, end='...', leeway=5)`.
fn truncate(value: &Value, args: Rest<Value>, named: Kwargs) -> Result<Value, Error> {
    let mut arguments = Arguments::of("truncate", args, named);
    let length = arguments.int("length")?.unwrap_or(255).max(0) as usize;
    let cuts_words = arguments.next("killwords")?.is_some_and(|kills| kills.is_true());
    let end = arguments.text("end")?.unwrap_or_else(|| "...".to_string());
    let leeway = arguments.int("leeway")?.unwrap_or(5).max(0) as usize;
    let own = text(value);
    let (count, end_count) = (own.chars().count(), end.chars().count());
    if length < end_count {
        return Err(arguments.wrong(format!("length takes at least {end_count}, the end's length, not {length}")));
    }
    arguments.finish()?;
    if count <= length + leeway {
        return Ok(own.into());
    }
    let kept: String = own.chars().take(length - end_count).collect();
    let kept = if cuts_words { &kept[..] } else { kept.rsplit_once(' ').map_or(&kept[..], |(kept, _)| kept) };
    Ok((kept.to_string() + &end).into())
}

/// `dictsort(case_sensitive=false, by='key', reverse=false)`.
fn dictsort(value: &Value, args: Rest<Value>, named: Kwargs) -> Result<Value, Error> {
    let mut arguments = Arguments::of("dictsort", args, named);
    let case_sensitive = arguments.next("case_sensitive")?.is_some_and(|flag| flag.is_true());
    let by = arguments.text("by")?.unwrap_or_else(|| "key".to_string());
    let reverse = arguments.next("reverse")?.is_some_and(|flag| flag.is_true());
    if value.kind() != ValueKind::Map || !["key", "value"].contains(&by.as_str()) {
        return Err(arguments.wrong("takes a dictionary, and by 'key' or 'value'"));
    }
    let mut rows = value.try_iter()?.map(|key| Ok((key.clone(), value.get_item(&key)?)));
    let mut rows = rows.by_ref().collect::<Result<Vec<(Value, Value)>, Error>>()?;
    let sorted = |(key, value): &(Value, Value)| {
        let own = if by == "key" { key } else { value };
        match own.as_str().filter(|_| !case_sensitive) {
            Some(text) => text.to_lowercase().into(),
            None => own.clone(),
        }
    };
    let kinds: Vec<ValueKind> = rows.iter().map(|row| sorted(row).kind()).collect();
    if kinds.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err(arguments.wrong(format!("a {by} is {}, another one {}", kinds[0], kinds[1])));
    }
    arguments.finish()?;
    rows.sort_by(|a, b| {
        let order = sorted(a).cmp(&sorted(b));
        if reverse { order.reverse() } else { order }
    });
    let pair = |(key, value): (Value, Value)| Value::from(Tuple::from([key, value]));
    Ok(rows.into_iter().map(pair).collect::<Vec<Value>>().into())
}

/// `indent(width=4, first=false, blank=false)`; a width may be a text.
fn indent(value: &Value, args: Rest<Value>, named: Kwargs) -> Result<Value, Error> {
    let mut arguments = Arguments::of("indent", args, named);
    let width = arguments.next("width")?.unwrap_or_else(|| 4.into());
    let width = match (width.as_str(), width.as_usize()) {
        (Some(text), _) => text.to_string(),
        (None, Some(count)) if count <= 1000 => " ".repeat(count),
        _ => return Err(arguments.wrong(format!("width takes a number up to 1000 or a text, not {width}"))),
    };
    let mut is_set = |name: &str| Ok::<bool, Error>(arguments.next(name)?.is_some_and(|flag| flag.is_true()));
    let (first, blank) = (is_set("first")?, is_set("blank")?);
    arguments.finish()?;
    // The end of the last line begins another line.
    let own = text(value) + "\n";
    let lines = methods::lines(&own, false).into_iter().enumerate().map(|(index, line)| {
        let is_indented = if index == 0 { first } else { blank || !line.is_empty() };
        if is_indented { width.clone() + line } else { line.to_string() }
    });
    Ok(lines.collect::<Vec<String>>().join("\n").into())
}

/// `wordwrap(width=79, break_long_words=true, wrapstring=none, break_on_hyphens=true)`.
fn wordwrap(state: &State, value: &Value, args: Rest<Value>, named: Kwargs) -> Result<String, Error> {
    let mut arguments = Arguments::of("wordwrap", args, named);
    let width = arguments.int("width")?.unwrap_or(79);
    let is_set = |name: &str, arguments: &mut Arguments| -> Result<bool, Error> {
        Ok(arguments.next(name)?.is_none_or(|flag| flag.is_true()))
    };
    let long_words = is_set("break_long_words", &mut arguments)?;
    let end = arguments.text("wrapstring")?.unwrap_or_else(|| "\n".to_string());
    let hyphens = is_set("break_on_hyphens", &mut arguments)?;
    let Some(own) = value.as_str() else { return Err(arguments.wrong(format!("takes a text, not {}", value.kind()))) };
    let width = usize::try_from(width).ok().filter(|&width| width > 0);
    let width = width.ok_or_else(|| arguments.wrong("width takes a number above 0"))?;
    arguments.finish()?;
    let wrapping = Wrapping { width, long_words, hyphens };
    let paragraphs = methods::lines(own, false).into_iter();
    let lines: Vec<String> = paragraphs.map(|line| wrap(line, &wrapping).join(&end)).collect();
    state.consume_fuel((end.len() * own.len() / 64) as u64)?;
    Ok(lines.join(&end))
}

/// `filesizeformat(binary=false)`.
fn filesizeformat(value: &Value, args: Rest<Value>, named: Kwargs) -> Result<String, Error> {
    let mut arguments = Arguments::of("filesizeformat", args, named);
    let is_binary = arguments.next("binary")?.is_some_and(|flag| flag.is_true());
    let number = match value.as_str() {
        Some(text) => text.trim_matches(methods::is_space).parse::<f64>().ok(),
        None if value.kind() == ValueKind::Bool => Some(f64::from(u8::from(value.is_true()))),
        None => f64::try_from(value.clone()).ok(),
    };
    let number = number.ok_or_else(|| arguments.wrong(format!("takes a number, not {value}")))?;
    arguments.finish()?;
    let base: f64 = if is_binary { 1024.0 } else { 1000.0 };
    if number == 1.0 {
        return Ok("1 Byte".to_string());
    }
    if number < base {
        return Ok(format!("{} Bytes", number as i64));
    }
    let prefixes = if is_binary {
        ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"]
    } else {
        ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"]
    };
    let power = (2..9).find(|&power| number < base.powi(power)).unwrap_or(9);
    Ok(format!("{:.1} {}", base * number / base.powi(power), prefixes[power as usize - 2]))
}

/// The number of words: runs of letters, digits and underscores.
fn words(text: &str) -> usize {
    text.split(|c: char| !(c == '_' || c.is_alphanumeric())).filter(|word| !word.is_empty()).count()
}

/// The text without tags and comments of HTML, with single spaces.
fn striptags(text: &str) -> String {
    let (mut made, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('<') {
        let end = if rest[at..].starts_with("<!--") { "-->" } else { ">" };
        let Some(length) = rest[at..].find(end) else { break };
        made.push_str(&rest[..at]);
        rest = &rest[at + length + end.len()..];
    }
    made.push_str(rest);
    made.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// A text, or the pairs of a dictionary, as parts of a URL.
fn urlencode(value: &Value, named: Kwargs) -> Result<String, Error> {
    named.assert_all_used()?;
    let quote = |text: &str, keeps_slash: bool| -> String {
        let byte = |byte: u8| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-' | b'~' => char::from(byte).to_string(),
            b'/' if keeps_slash => "/".to_string(),
            byte => format!("%{byte:02X}"),
        };
        text.bytes().map(byte).collect()
    };
    if value.kind() != ValueKind::Map {
        return Ok(quote(&text(value), true));
    }
    let pairs = value.try_iter()?.map(|key| {
        let part = |value: &Value| quote(&text(value), false).replace("%20", "+");
        Ok(format!("{}={}", part(&key), part(&value.get_item(&key)?)))
    });
    Ok(pairs.collect::<Result<Vec<String>, Error>>()?.join("&"))
}
