//! Methods of strings.

use super::{Answer, Call};
use crate::value::Value;
use lanthorn_program::Dispatch;

/// Returns the string and the other strings among the arguments.
fn texts<'c, D: Dispatch>(call: &'c Call<'_, '_, D>) -> Option<(&'c str, Vec<&'c str>)> {
    let (Value::Str(text), rest) = call.args.split_first()? else { return None };
    let rest = rest.iter().filter_map(|value| if let Value::Str(text) = value { Some(&**text) } else { None });
    Some((text, rest.collect()))
}

fn strings<T>(items: impl IntoIterator<Item = impl AsRef<str>>) -> Value<T> {
    Value::list(items.into_iter().map(|item| Value::text(item.as_ref())).collect())
}

pub(super) fn simple<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some((text, _)) = texts(call) else { return Ok(None) };
    let capitalized = |word: &str| -> String {
        let mut chars = word.chars();
        chars
            .next()
            .map_or(String::new(), |first| first.to_uppercase().chain(chars.as_str().to_lowercase().chars()).collect())
    };
    let result = match call.name {
        "upper" => text.to_uppercase(),
        "lower" | "casefold" => text.to_lowercase(),
        "capitalize" => capitalized(text),
        "title" => {
            let words = text.split_inclusive(|next: char| !next.is_alphabetic());
            words.map(capitalized).collect()
        }
        _ => text
            .chars()
            .flat_map(|next| -> Vec<char> {
                if next.is_uppercase() { next.to_lowercase().collect() } else { next.to_uppercase().collect() }
            })
            .collect(),
    };
    call.context.charge(result.len())?;
    Ok(Some(Value::text(&result)))
}

pub(super) fn strip<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some((text, rest)) = texts(call) else { return Ok(None) };
    let strips = |next: char| match rest.first() {
        Some(chars) => chars.contains(next),
        None => next.is_whitespace(),
    };
    Ok(Some(Value::text(match call.name {
        "lstrip" => text.trim_start_matches(strips),
        "rstrip" => text.trim_end_matches(strips),
        _ => text.trim_matches(strips),
    })))
}

pub(super) fn starts_with<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some((text, rest)) = texts(call) else { return Ok(None) };
    let candidates: Vec<&str> = match call.args.get(1) {
        Some(Value::Tuple(tuple)) => {
            let texts = tuple.items.iter();
            texts.filter_map(|item| if let Value::Str(text) = item { Some(&**text) } else { None }).collect()
        }
        _ => rest,
    };
    let test: fn(&str, &str) -> bool =
        if call.name == "endswith" { |text, part| text.ends_with(part) } else { |text, part| text.starts_with(part) };
    Ok(Some(Value::Bool(candidates.into_iter().any(|part| test(text, part)))))
}

/// `find`, `rfind`, `index`, `rindex` and `count`, with positions in characters.
pub(super) fn search<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Str(text), Value::Str(part), bounds @ ..] = &call.args[..] else { return Ok(None) };
    let chars: Vec<char> = text.chars().collect();
    call.context.charge(chars.len())?;
    let mut bounds = bounds.to_vec();
    bounds.truncate(2);
    let positions = super::container::slice_positions(&bounds, chars.len())?;
    let start = positions.first().copied().unwrap_or(0);
    let within: String = positions.iter().map(|&index| chars[index]).collect();
    if call.name == "count" {
        let count = if part.is_empty() { positions.len() + 1 } else { within.matches(&**part).count() };
        return Ok(Some(Value::Int(count as i64)));
    }
    let found = if call.name.starts_with('r') { within.rfind(&**part) } else { within.find(&**part) };
    match found {
        Some(byte) => Ok(Some(Value::Int((start + within[..byte].chars().count()) as i64))),
        None if call.name.ends_with("index") => call.raise("ValueError", "substring not found"),
        None => Ok(Some(Value::Int(-1))),
    }
}

pub(super) fn replace<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Str(text), Value::Str(old), Value::Str(new), rest @ ..] = &call.args[..] else { return Ok(None) };
    let most = match rest.first() {
        Some(Value::Int(count)) => usize::try_from(*count).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    let count = text.matches(&**old).count().min(most);
    call.context.charge(text.len() + count.saturating_mul(new.len()))?;
    Ok(Some(Value::text(&text.replacen(&**old, new, most))))
}

pub(super) fn split<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(Value::Str(text)) = call.args.first().cloned() else { return Ok(None) };
    call.context.charge(text.len())?;
    let most = call.int(2, "maxsplit", -1)?;
    let most = usize::try_from(most).map_or(usize::MAX, |most| most.saturating_add(1));
    let from_end = call.name == "rsplit";
    let mut parts: Vec<&str> = match call.arg(1, "sep") {
        Some(Value::Str(separator)) if separator.is_empty() => return call.raise("ValueError", "empty separator"),
        Some(Value::Str(separator)) if from_end => text.rsplitn(most, &**separator).collect(),
        Some(Value::Str(separator)) => text.splitn(most, &**separator).collect(),
        _ if from_end => {
            let mut parts = Vec::new();
            let mut rest = text.trim_end();
            while !rest.is_empty() {
                let start = rest.rfind(char::is_whitespace).filter(|_| parts.len() + 1 < most);
                let start = start.map_or(0, |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
                parts.push(&rest[start..]);
                rest = rest[..start].trim_end();
            }
            parts
        }
        _ => {
            let mut parts = Vec::new();
            let mut rest = text.trim_start();
            while !rest.is_empty() {
                let end = rest.find(char::is_whitespace).filter(|_| parts.len() + 1 < most).unwrap_or(rest.len());
                parts.push(&rest[..end]);
                rest = rest[end..].trim_start();
            }
            parts
        }
    };
    if from_end {
        parts.reverse();
    }
    Ok(Some(strings(parts)))
}

pub(super) fn split_lines<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some((text, _)) = texts(call) else { return Ok(None) };
    let keep = matches!(call.arg(1, "keepends"), Some(Value::Bool(true)));
    let lines: Vec<String> = if keep {
        text.split_inclusive('\n').map(String::from).collect()
    } else {
        text.lines().map(String::from).collect()
    };
    call.context.charge(lines.len())?;
    Ok(Some(strings(lines)))
}

pub(super) fn partition<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Str(text), Value::Str(separator)] = &call.args[..] else { return Ok(None) };
    let from_end = call.name == "rpartition";
    let found = if from_end { text.rsplit_once(&**separator) } else { text.split_once(&**separator) };
    let parts = match found {
        Some((before, after)) => [before, separator, after],
        None if from_end => ["", "", text],
        None => [text, "", ""],
    };
    Ok(Some(Value::tuple(parts.into_iter().map(Value::text).collect())))
}

pub(super) fn join<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Str(separator), items] = &call.args[..] else { return Ok(None) };
    let (separator, items) = (separator.clone(), items.clone());
    let items = super::container::items(call.context, &items)?;
    let mut texts: Vec<&str> = Vec::with_capacity(items.len());
    for item in &items {
        let Value::Str(text) = item else { return call.refuse("joins strings") };
        call.context.charge(text.len() + separator.len())?;
        texts.push(text);
    }
    Ok(Some(Value::text(&texts.join(&separator))))
}

pub(super) fn pad<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Str(text), Value::Int(width), rest @ ..] = &call.args[..] else { return Ok(None) };
    let fill = match rest.first() {
        Some(Value::Str(fill)) => fill.chars().next().unwrap_or(' '),
        _ if call.name == "zfill" => '0',
        _ => ' ',
    };
    let missing = usize::try_from(*width).unwrap_or(0).saturating_sub(text.chars().count());
    call.context.charge(missing.saturating_add(text.len()))?;
    let filled = |count: usize| std::iter::repeat_n(fill, count).collect::<String>();
    let sign = usize::from(call.name == "zfill" && text.starts_with(['+', '-']));
    Ok(Some(Value::text(&match call.name {
        "ljust" => format!("{text}{}", filled(missing)),
        "center" => format!("{}{text}{}", filled(missing / 2), filled(missing - missing / 2)),
        _ => format!("{}{}{}", &text[..sign], filled(missing), &text[sign..]),
    })))
}

pub(super) fn expand_tabs<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let size = usize::try_from(call.int(1, "tabsize", 8)?).unwrap_or(0).min(64);
    let Some((text, _)) = texts(call) else { return Ok(None) };
    let (mut result, mut column) = (String::new(), 0);
    for next in text.chars() {
        match next {
            '\t' if size > 0 => {
                let count = size - column % size;
                result.extend(std::iter::repeat_n(' ', count));
                column += count;
            }
            '\t' => {}
            next => {
                result.push(next);
                column = if next == '\n' { 0 } else { column + 1 };
            }
        }
    }
    call.context.charge(result.len())?;
    Ok(Some(Value::text(&result)))
}

pub(super) fn is<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some((text, _)) = texts(call) else { return Ok(None) };
    let all = |test: fn(char) -> bool| !text.is_empty() && text.chars().all(test);
    let cased = |test: fn(char) -> bool| text.chars().any(test);
    Ok(Some(Value::Bool(match call.name {
        "isdigit" | "isdecimal" | "isnumeric" => all(char::is_numeric),
        "isalpha" => all(char::is_alphabetic),
        "isalnum" => all(char::is_alphanumeric),
        "isspace" => all(char::is_whitespace),
        "isupper" => cased(char::is_uppercase) && !cased(char::is_lowercase),
        "islower" => cased(char::is_lowercase) && !cased(char::is_uppercase),
        "istitle" => {
            let mut words = text.split(|next: char| !next.is_alphabetic()).filter(|word| !word.is_empty()).peekable();
            words.peek().is_some()
                && words
                    .all(|word| word.starts_with(char::is_uppercase) && !word.chars().skip(1).any(char::is_uppercase))
        }
        "isidentifier" => all(|next| next == '_' || next.is_alphanumeric()) && !text.starts_with(char::is_numeric),
        _ => text.chars().all(|next| !next.is_control()),
    })))
}
