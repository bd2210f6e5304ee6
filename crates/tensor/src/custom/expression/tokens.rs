//! Cuts the text of a formula into tokens.

use super::Mistake;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Name(&'a str),
    /// A number, and whether it is written as a whole one.
    Number(f64, bool),
    Symbol(&'static str),
    End,
}

/// The longer ones first, as `<` begins `<=`.
const SYMBOLS: &[&str] = &[
    "->", "**", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "!", "?", ":", "(", ")", ",",
    "=",
];

/// The tokens, each with the byte that it begins at; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token<'_>)>, Mistake> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = name_length(rest);
            found.push((at, Token::Name(&rest[..length])));
            at += length;
        } else if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            let (length, value, whole) =
                number(rest).ok_or_else(|| Mistake::new(at, "a number that cannot be read"))?;
            found.push((at, Token::Number(value, whole)));
            at += length;
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            found.push((at, Token::Symbol(symbol)));
            at += symbol.len();
        } else {
            return Err(Mistake::new(at, format!("`{first}` is no part of a formula")));
        }
    }
    found.push((at, Token::End));
    Ok(found)
}

/// A name, which may have a namespace.
fn name_length(text: &str) -> usize {
    let plain = |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let length = plain(text);
    match text[length..].strip_prefix("::") {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => length + 2 + name_length(rest),
        _ => length,
    }
}

/// The length of a decimal number, its value, and whether it is written as a whole one.
fn number(text: &str) -> Option<(usize, f64, bool)> {
    let bytes = text.as_bytes();
    let (mut digits, mut exponent, mut at): (u64, i32, usize) = (0, 0, 0);
    let mut fraction = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' => {
                digits = digits.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
                exponent -= i32::from(fraction);
            }
            b'.' if !fraction => fraction = true,
            _ => break,
        }
        at += 1;
    }
    let mut whole = !fraction;
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let negative = bytes.get(at + 1) == Some(&b'-');
        at += 1 + usize::from(negative || bytes.get(at + 1) == Some(&b'+'));
        let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let written: i32 = text[at..at + length].parse().ok()?;
        exponent += if negative { -written } else { written };
        at += length;
        whole = false;
    }
    let ends = !matches!(bytes.get(at), Some(b'.' | b'_' | b'a'..=b'z' | b'A'..=b'Z'));
    ends.then_some((at, scale(digits, exponent), whole))
}

/// `digits * 10^exponent`, rounded once for every number that a person writes.
///
/// Rejected: `str::parse`, whose table of powers would add 10 KB to a page.
fn scale(digits: u64, exponent: i32) -> f64 {
    const EXACT: u32 = 19;
    let power = exponent.unsigned_abs();
    match (u128::from(digits), 10u128.checked_pow(power)) {
        (digits, Some(power)) if exponent >= 0 && digits.checked_mul(power).is_some() => (digits * power) as f64,
        (0, _) => 0.0,
        (digits, Some(divisor)) if power <= EXACT => {
            // A quotient of more bits than a float has, and one more bit for whether there is a
            // rest, is rounded as the quotient.
            let shift = digits.leading_zeros();
            let (quotient, rest) = ((digits << shift) / divisor, (digits << shift) % divisor);
            (quotient | u128::from(rest != 0)) as f64 * 2f64.powi(-(shift as i32))
        }
        _ => digits as f64 * 10f64.powi(exponent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_nearest_float() {
        for text in [
            "0",
            "1",
            "4.0",
            "0.5",
            "0.044715",
            "1.4142135623730951",
            "0.7978845608028654",
            "1e-8",
            "1e22",
            "3.",
            ".25",
            "9e15",
        ] {
            let (length, value, _) = number(text).unwrap();
            assert_eq!((length, value), (text.len(), text.parse().unwrap()), "{text}");
        }
        let (_, tiny, _) = number("1e-30").unwrap();
        assert!((tiny / 1e-30 - 1.0).abs() < 1e-15);
        assert_eq!(number("1e400").unwrap().1, f64::INFINITY);
        for text in ["1.2.3", "1x", "1e", "99999999999999999999", "1e99999999999"] {
            assert!(number(text).is_none(), "{text}");
        }
    }
}
