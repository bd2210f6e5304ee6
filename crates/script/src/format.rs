//! Formats values like Python's `str`, `repr` and `format`.

use crate::{Error, Result, builtins::exception, context::Context, value::Value};
use lanthorn_program::Dispatch;
use std::fmt::Write;

/// The deepest nesting of formatted values.
const DEPTH: usize = 32;

/// `str(value)`.
pub(crate) fn str_of<D: Dispatch>(context: &mut Context<'_, D>, value: &Value<D::Tensor>) -> Result<String> {
    match value {
        Value::Str(text) => Ok(text.to_string()),
        value => repr(context, value),
    }
}

/// `repr(value)`.
pub(crate) fn repr<D: Dispatch>(context: &mut Context<'_, D>, value: &Value<D::Tensor>) -> Result<String> {
    let mut text = String::new();
    write(context, value, &mut text, 0)?;
    Ok(text)
}

fn write<D: Dispatch>(
    context: &mut Context<'_, D>,
    value: &Value<D::Tensor>,
    text: &mut String,
    depth: usize,
) -> Result<()> {
    if depth == DEPTH {
        return Err(Error::limit(format!("shows values nested more than {DEPTH} deep")));
    }
    context.charge(1)?;
    let mut items = |items: &[Value<D::Tensor>], text: &mut String| -> Result<()> {
        for (index, item) in items.iter().enumerate() {
            text.push_str(if index > 0 { ", " } else { "" });
            write(context, item, text, depth + 1)?;
        }
        Ok(())
    };
    match value {
        Value::None => text.push_str("None"),
        Value::Ellipsis => text.push_str("Ellipsis"),
        Value::Bool(value) => text.push_str(if *value { "True" } else { "False" }),
        Value::Int(value) => text.push_str(&value.to_string()),
        Value::Float(value) => text.push_str(&float(*value)),
        Value::Str(value) => {
            context.charge(value.len())?;
            text.push_str(&quote(value));
        }
        Value::Device(name) => text.push_str(name),
        Value::List(list) => {
            text.push('[');
            items(&list.items.borrow(), text)?;
            text.push(']');
        }
        Value::Tuple(tuple) => {
            if let Some(class) = &tuple.class {
                text.push_str(class.short_name());
            }
            text.push('(');
            items(&tuple.items, text)?;
            text.push_str(if tuple.items.len() == 1 && tuple.class.is_none() { ",)" } else { ")" });
        }
        Value::Dict(dict) => {
            text.push('{');
            for (index, (key, value)) in dict.entries.borrow().iter().enumerate() {
                text.push_str(if index > 0 { ", " } else { "" });
                write(context, key, text, depth + 1)?;
                text.push_str(": ");
                write(context, value, text, depth + 1)?;
            }
            text.push('}');
        }
        Value::Member(member) => {
            let _ = write!(text, "{}.{}", member.class.short_name(), member.name);
        }
        Value::Range(range) => {
            let _ = write!(text, "range({}, {})", range.start, range.stop);
        }
        Value::Scalar(scalar) if scalar.number.get().is_some() => {
            let number = scalar.number.get().map_or(0.0, |number| number.float());
            let _ = write!(text, "tensor({number})");
        }
        Value::Tensor(tensor) => {
            let (shape, dtype) = (context.dispatch.shape(tensor), context.dispatch.dtype(tensor));
            let _ = write!(text, "tensor(shape={shape:?}, dtype=torch.{dtype})");
        }
        value => {
            let _ = write!(text, "<{}>", value.type_name());
        }
    }
    Ok(())
}

/// A string with quotes.
fn quote(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut result = String::from(quote);
    for next in text.chars() {
        match next {
            '\n' => result.push_str("\\n"),
            '\t' => result.push_str("\\t"),
            '\r' => result.push_str("\\r"),
            '\\' => result.push_str("\\\\"),
            next if next == quote => {
                result.push('\\');
                result.push(next);
            }
            next => result.push(next),
        }
    }
    result.push(quote);
    result
}

/// Returns the shortest text that parses to the same float, in Python's format.
pub(crate) fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_string();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_string();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    let text = value.to_string();
    if text.contains('.') { text } else { format!("{text}.0") }
}

/// A format specification.
struct Spec<'s> {
    fill: char,
    align: Option<char>,
    sign: char,
    alternate: bool,
    width: usize,
    grouping: Option<char>,
    precision: Option<usize>,
    kind: &'s str,
}

/// The widest field, and the most digits.
const WIDTH: usize = 1000;

fn spec(text: &str) -> Option<Spec<'_>> {
    let mut spec = Spec {
        fill: ' ',
        align: None,
        sign: '-',
        alternate: false,
        width: 0,
        grouping: None,
        precision: None,
        kind: "",
    };
    let is_align = |next: char| matches!(next, '<' | '>' | '^' | '=');
    let mut rest = text;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(fill), Some(align)) if is_align(align) => {
            (spec.fill, spec.align) = (fill, Some(align));
            rest = &text[fill.len_utf8() + 1..];
        }
        (Some(align), _) if is_align(align) => {
            spec.align = Some(align);
            rest = &text[1..];
        }
        _ => {}
    }
    if rest.starts_with(['+', '-', ' ']) {
        spec.sign = rest.chars().next()?;
        rest = &rest[1..];
    }
    if let Some(after) = rest.strip_prefix('#') {
        spec.alternate = true;
        rest = after;
    }
    if rest.starts_with('0') && spec.align.is_none() {
        (spec.fill, spec.align) = ('0', Some('='));
    }
    let digits = |text: &str| text.find(|next: char| !next.is_ascii_digit()).unwrap_or(text.len());
    let end = digits(rest);
    if end > 0 {
        spec.width = rest[..end].parse().ok().filter(|&width| width <= WIDTH)?;
        rest = &rest[end..];
    }
    if rest.starts_with([',', '_']) {
        spec.grouping = rest.chars().next();
        rest = &rest[1..];
    }
    if let Some(after) = rest.strip_prefix('.') {
        let end = digits(after);
        spec.precision = Some(after[..end].parse().ok().filter(|&precision| precision <= WIDTH)?);
        rest = &after[end..];
    }
    spec.kind = rest;
    (rest.chars().count() <= 1).then_some(spec)
}

/// `format(value, spec)`.
pub(crate) fn format_text<D: Dispatch>(
    context: &mut Context<'_, D>,
    value: &Value<D::Tensor>,
    text: &str,
) -> Result<String> {
    if text.is_empty() {
        return str_of(context, value);
    }
    let invalid = || exception("ValueError", format!("invalid format specifier {text:?}"));
    let spec = spec(text).ok_or_else(invalid)?;
    let (body, numeric) = match (value, spec.kind) {
        (Value::Str(text), "s" | "") => {
            let precision = spec.precision.unwrap_or(usize::MAX);
            (text.chars().take(precision).collect(), false)
        }
        (Value::Int(_) | Value::Bool(_), "d" | "" | "n" | "x" | "X" | "o" | "b" | "c") => {
            let value = value.number().map_or(Ok(0), |number| number.int())?;
            (integer(value, &spec), true)
        }
        (Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Scalar(_), _) => {
            let number = value.number().ok_or_else(invalid)?.float();
            (real(number, &spec).ok_or_else(invalid)?, true)
        }
        (value, "" | "s") => (str_of(context, value)?, false),
        _ => return Err(invalid()),
    };
    Ok(align(&body, &spec, numeric))
}

fn sign_text(negative: bool, spec: &Spec) -> &'static str {
    match (negative, spec.sign) {
        (true, _) => "-",
        (false, '+') => "+",
        (false, ' ') => " ",
        _ => "",
    }
}

fn group_digits(digits: &str, spec: &Spec) -> String {
    let Some(separator) = spec.grouping else { return digits.to_string() };
    let end = digits.find(|next: char| !next.is_ascii_digit()).unwrap_or(digits.len());
    let mut result = String::new();
    for (index, digit) in digits[..end].chars().enumerate() {
        if index > 0 && (end - index).is_multiple_of(3) {
            result.push(separator);
        }
        result.push(digit);
    }
    result + &digits[end..]
}

fn integer(value: i64, spec: &Spec) -> String {
    let magnitude = value.unsigned_abs();
    let (prefix, digits) = match spec.kind {
        "x" => ("0x", format!("{magnitude:x}")),
        "X" => ("0X", format!("{magnitude:X}")),
        "o" => ("0o", format!("{magnitude:o}")),
        "b" => ("0b", format!("{magnitude:b}")),
        "c" => return u32::try_from(value).ok().and_then(char::from_u32).map_or(String::new(), String::from),
        _ => ("", group_digits(&magnitude.to_string(), spec)),
    };
    format!("{}{}{digits}", sign_text(value < 0, spec), if spec.alternate { prefix } else { "" })
}

fn real(value: f64, spec: &Spec) -> Option<String> {
    let magnitude = value.abs();
    let sign = sign_text(value.is_sign_negative() && !value.is_nan(), spec);
    if !value.is_finite() {
        return Some(format!("{sign}{}", if value.is_nan() { "nan" } else { "inf" }));
    }
    let precision = spec.precision.unwrap_or(6);
    let digits = match spec.kind {
        "f" | "F" => format!("{magnitude:.precision$}"),
        "%" => format!("{:.precision$}%", magnitude * 100.0),
        "e" | "E" => exponential(magnitude, precision),
        "g" | "G" => general(magnitude, precision.max(1)),
        "" if spec.precision.is_none() => float(magnitude),
        "" => general(magnitude, precision.max(1)),
        _ => return None,
    };
    let digits = if spec.kind.chars().all(char::is_uppercase) { digits.to_uppercase() } else { digits };
    Some(format!("{sign}{}", group_digits(&digits, spec)))
}

fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn general(value: f64, precision: usize) -> String {
    let scientific = exponential(value, precision - 1);
    let exponent: i64 = scientific.rsplit_once('e').and_then(|(_, text)| text.parse().ok()).unwrap_or(0);
    let trimmed = |text: &str| {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text.to_string() }
    };
    if exponent < -4 || exponent >= precision as i64 {
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    let decimals = (precision as i64 - 1 - exponent).clamp(0, WIDTH as i64) as usize;
    trimmed(&format!("{value:.decimals$}"))
}

fn align(body: &str, spec: &Spec, numeric: bool) -> String {
    let missing = spec.width.saturating_sub(body.chars().count());
    let fill = |count: usize| std::iter::repeat_n(spec.fill, count).collect::<String>();
    match spec.align.unwrap_or(if numeric { '>' } else { '<' }) {
        '<' => format!("{body}{}", fill(missing)),
        '^' => format!("{}{body}{}", fill(missing / 2), fill(missing - missing / 2)),
        '=' => {
            let sign = usize::from(body.starts_with(['+', '-', ' ']));
            format!("{}{}{}", &body[..sign], fill(missing), &body[sign..])
        }
        _ => format!("{}{body}", fill(missing)),
    }
}
