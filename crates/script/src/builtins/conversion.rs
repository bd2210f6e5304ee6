//! Conversions to numbers and text.

use super::{Answer, Call, exception};
use crate::{
    Result,
    format::{format_text, repr, str_of},
    number::Number,
    value::Value,
};
use lanthorn_io::DType;
use lanthorn_program::Dispatch;

/// Whether a value is true. Returns `None` for a tensor, whose element must be read.
pub(crate) fn truth<T>(value: &Value<T>) -> Option<bool> {
    Some(match value {
        Value::None => false,
        Value::Str(text) => !text.is_empty(),
        Value::List(list) => !list.items.borrow().is_empty(),
        Value::Tuple(tuple) => !tuple.items.is_empty(),
        Value::Dict(dict) => dict.entries.borrow().iter().next().is_some(),
        Value::Range(range) => range.len() > 0,
        Value::Tensor(_) | Value::Complex(_) => return None,
        Value::Scalar(scalar) => scalar.number.get()?.truth(),
        value => value.number().is_none_or(Number::truth),
    })
}

pub(super) fn bool<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(match &call.args[..] {
        [] => Some(Value::Bool(false)),
        [value] => truth(value).map(Value::Bool),
        _ => None,
    })
}

pub(super) fn int<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [] => Ok(Some(Value::Int(0))),
        [Value::Str(text)] => match text.trim().replace('_', "").parse() {
            Ok(value) => Ok(Some(Value::Int(value))),
            Err(_) => call.raise("ValueError", format!("invalid literal for int() with base 10: {text:?}")),
        },
        [Value::Str(text), Value::Int(radix @ 2..=36)] => match i64::from_str_radix(text.trim(), *radix as u32) {
            Ok(value) => Ok(Some(Value::Int(value))),
            Err(_) => call.raise("ValueError", format!("invalid literal for int() with base {radix}: {text:?}")),
        },
        [Value::Member(member)] => Ok(member.value.number().map(Number::int).transpose()?.map(Value::Int)),
        [value] => Ok(value.number().map(Number::int).transpose()?.map(Value::Int)),
        _ => Ok(None),
    }
}

pub(super) fn float<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [] => Ok(Some(Value::Float(0.0))),
        [Value::Str(text)] => match text.trim().to_lowercase().parse() {
            Ok(value) => Ok(Some(Value::Float(value))),
            Err(_) => call.raise("ValueError", format!("could not convert string to float: {text:?}")),
        },
        [value] => Ok(value.number().map(|number| Value::Float(number.float()))),
        _ => Ok(None),
    }
}

pub(super) fn scalar<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [value @ (Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::None)] => Ok(Some(value.clone())),
        [Value::Scalar(scalar)] => {
            let number = scalar.number.get();
            Ok(number.map(|number| match (scalar.dtype, number) {
                (DType::Bool, number) => Value::Bool(number.truth()),
                (_, Number::Int(value)) => Value::Int(value),
                (_, Number::Float(value)) => Value::Float(value),
            }))
        }
        _ => Ok(None),
    }
}

/// `NumToTensor`.
pub(super) fn to_tensor<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(match &call.args[..] {
        [value] if value.is_tensor() => Some(value.clone()),
        [value] => value.number().map(|number| {
            let dtype = match value {
                Value::Bool(_) => DType::Bool,
                Value::Float(_) => DType::F64,
                _ => DType::I64,
            };
            Value::scalar(number, dtype)
        }),
        _ => None,
    })
}

pub(super) fn str<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [] => Ok(Some(Value::text(""))),
        [value] => Ok(Some(Value::text(&str_of(call.context, &value.clone())?))),
        _ => Ok(None),
    }
}

pub(super) fn chr<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Int(code)] = call.args[..] else { return Ok(None) };
    match u32::try_from(code).ok().and_then(char::from_u32) {
        Some(character) => Ok(Some(Value::text(&character.to_string()))),
        None => call.raise("ValueError", "chr() arg not in range(0x110000)"),
    }
}

pub(super) fn ord<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Str(text)] = &call.args[..] else { return Ok(None) };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(character), None) => Ok(Some(Value::Int(i64::from(u32::from(character))))),
        _ => call.raise("TypeError", "ord() expected a character"),
    }
}

pub(super) fn radix<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Int(value)] = call.args[..] else { return Ok(None) };
    let (sign, digits) = (if value < 0 { "-" } else { "" }, value.unsigned_abs());
    Ok(Some(Value::text(&match call.name {
        "hex" => format!("{sign}0x{digits:x}"),
        "oct" => format!("{sign}0o{digits:o}"),
        _ => format!("{sign}0b{digits:b}"),
    })))
}

pub(super) fn hash<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let [value] = &call.args[..] else { return Ok(None) };
    let mut hasher = DefaultHasher::new();
    crate::dict::Key::of(value)?.hash(&mut hasher);
    Ok(Some(Value::Int(hasher.finish() as i64)))
}

/// `"{}".format(…)` with positions, names and format specifications.
pub(super) fn format<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(Value::Str(template)) = call.args.first().cloned() else { return Ok(None) };
    let (args, named) = (call.args[1..].to_vec(), std::mem::take(&mut call.named));
    let (mut text, mut rest, mut automatic) = (String::new(), &*template, 0);
    while let Some(index) = rest.find(['{', '}']) {
        text.push_str(&rest[..index]);
        let bracket = &rest[index..index + 1];
        rest = &rest[index + 1..];
        if rest.starts_with(bracket) {
            text.push_str(bracket);
            rest = &rest[1..];
            continue;
        }
        let Some(end) = rest.find('}').filter(|_| bracket == "{") else {
            return call.raise("ValueError", "a single bracket in a format string");
        };
        let (field, spec) = rest[..end].split_once(':').unwrap_or((&rest[..end], ""));
        let (field, conversion) = field.split_once('!').unwrap_or((field, ""));
        rest = &rest[end + 1..];
        let value = match field.parse::<usize>() {
            Ok(index) => args.get(index),
            Err(_) if field.is_empty() => {
                automatic += 1;
                args.get(automatic - 1)
            }
            Err(_) => named.iter().find(|(name, _)| **name == *field).map(|(_, value)| value),
        };
        let Some(value) = value else {
            return Err(exception("IndexError", format!("the format string has no value for {field:?}")));
        };
        let value = match conversion {
            "r" => Value::text(&repr(call.context, value)?),
            _ => value.clone(),
        };
        text.push_str(&format_text(call.context, &value, spec)?);
        call.context.charge(text.len() / 64 + 1)?;
    }
    text.push_str(rest);
    call.context.charge(text.len())?;
    Ok(Some(Value::text(&text)))
}

/// `"%s" % …`
pub(super) fn percent_format<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some((Value::Str(template), args)) = call.args.split_first() else { return Ok(None) };
    let (template, args) = (template.clone(), args.to_vec());
    percent(call, &template, &args).map(Some)
}

pub(crate) fn percent<D: Dispatch>(
    call: &mut Call<'_, '_, D>,
    template: &str,
    args: &[Value<D::Tensor>],
) -> Result<Value<D::Tensor>> {
    let args: Vec<Value<D::Tensor>> = match args {
        [Value::Tuple(tuple)] => tuple.items.clone(),
        args => args.to_vec(),
    };
    let (mut text, mut rest, mut args) = (String::new(), template, args.into_iter());
    while let Some(index) = rest.find('%') {
        text.push_str(&rest[..index]);
        rest = &rest[index + 1..];
        let Some(end) = rest.find(|next: char| next.is_alphabetic() || next == '%') else {
            return call.raise("ValueError", "incomplete format");
        };
        let (spec, kind) = (&rest[..end], &rest[end..end + rest[end..].chars().next().map_or(0, char::len_utf8)]);
        rest = &rest[end + kind.len()..];
        if kind == "%" {
            text.push('%');
            continue;
        }
        let Some(value) = args.next() else { return call.raise("TypeError", "not enough arguments for format string") };
        let spec = spec.strip_prefix('-').map_or_else(|| spec.to_string(), |spec| format!("<{spec}"));
        let formatted = match kind {
            "s" => {
                let text = Value::text(&str_of(call.context, &value)?);
                format_text(call.context, &text, &spec)?
            }
            "r" => repr(call.context, &value)?,
            "i" | "d" | "u" => {
                let int = value.number().map(Number::int).transpose()?.unwrap_or(0);
                format_text(call.context, &Value::Int(int), &format!("{spec}d"))?
            }
            kind => format_text(call.context, &value, &format!("{spec}{kind}"))?,
        };
        text.push_str(&formatted);
        call.context.charge(text.len() / 64 + 1)?;
    }
    text.push_str(rest);
    Ok(Value::text(&text))
}
