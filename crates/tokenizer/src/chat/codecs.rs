//! Bytes of texts, and tables of characters: Python's `encode`, `decode`, `translate`, `maketrans`.

use super::arguments::Arguments;
use minijinja::value::ValueKind;
use minijinja::{Error, Value};

/// An encoding by one of Python's names.
fn encoding(arguments: &mut Arguments) -> Result<&'static str, Error> {
    let name = arguments.text("encoding")?.unwrap_or_else(|| "utf-8".to_string());
    match name.to_lowercase().replace('_', "-").as_str() {
        "utf-8" | "utf8" | "u8" => Ok("utf-8"),
        "ascii" | "us-ascii" | "646" => Ok("ascii"),
        "latin-1" | "latin1" | "iso-8859-1" | "iso8859-1" | "l1" => Ok("latin-1"),
        _ => Err(arguments.wrong(format!("there is no encoding {name:?} here; choose utf-8, ascii or latin-1"))),
    }
}

/// `encode(encoding='utf-8', errors='strict')`.
pub(super) fn encode(text: &str, arguments: &mut Arguments) -> Result<Value, Error> {
    let encoding = encoding(arguments)?;
    let errors = arguments.text("errors")?.unwrap_or_else(|| "strict".to_string());
    let last = if encoding == "ascii" { '\x7f' } else { '\u{ff}' };
    let mut made = Vec::with_capacity(text.len());
    for character in text.chars() {
        match (encoding, u8::try_from(u32::from(character)), errors.as_str()) {
            ("utf-8", ..) => made.extend(character.encode_utf8(&mut [0; 4]).bytes()),
            (_, Ok(byte), _) if character <= last => made.push(byte),
            (.., "ignore") => {}
            (.., "replace") => made.push(b'?'),
            (.., "xmlcharrefreplace") => made.extend(format!("&#{};", u32::from(character)).bytes()),
            (.., "backslashreplace") => made.extend(match u32::from(character) {
                code @ ..=0xff => format!("\\x{code:02x}").into_bytes(),
                code @ ..=0xffff => format!("\\u{code:04x}").into_bytes(),
                code => format!("\\U{code:08x}").into_bytes(),
            }),
            (.., "strict") => return Err(arguments.wrong(format!("{encoding} has no {character:?}"))),
            (.., other) => return Err(arguments.wrong(format!("errors takes no {other:?}"))),
        }
    }
    Ok(Value::from_bytes(made))
}

/// A method of bytes.
pub(super) fn bytes(bytes: &[u8], method: &str, arguments: &mut Arguments) -> Result<Option<Value>, Error> {
    Ok(Some(match method {
        "decode" => {
            let encoding = encoding(arguments)?;
            let errors = arguments.text("errors")?.unwrap_or_else(|| "strict".to_string());
            let decoded = match encoding {
                "latin-1" => Some(bytes.iter().map(|&byte| char::from(byte)).collect()),
                "ascii" if !bytes.is_ascii() => None,
                _ => std::str::from_utf8(bytes).ok().map(str::to_string),
            };
            match (decoded, errors.as_str()) {
                (Some(text), _) => text.into(),
                (None, "replace") if encoding == "utf-8" => String::from_utf8_lossy(bytes).into(),
                (None, _) => return Err(arguments.wrong(format!("the bytes are no {encoding}"))),
            }
        }
        "hex" => bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into(),
        _ => return Ok(None),
    }))
}

/// `translate(table)`: a dictionary of numbers of characters to numbers, texts or none.
pub(super) fn translate(text: &str, arguments: &mut Arguments) -> Result<String, Error> {
    let table = arguments.need("table")?;
    let mut made = String::with_capacity(text.len());
    for character in text.chars() {
        let found = table.get_item(&u32::from(character).into())?;
        match (found.as_str(), found.as_usize()) {
            _ if found.is_undefined() => made.push(character),
            _ if found.is_none() => {}
            (Some(text), _) => made.push_str(text),
            (None, Some(code)) => {
                let other = u32::try_from(code).ok().and_then(char::from_u32);
                made.push(other.ok_or_else(|| arguments.wrong(format!("no character has the number {code}")))?);
            }
            (None, None) => return Err(arguments.wrong("the table has a value that is no number, text or none")),
        }
    }
    Ok(made)
}

/// `maketrans(x, y, z)`: the table for `translate`.
pub(super) fn translations(arguments: &mut Arguments) -> Result<Value, Error> {
    let first = arguments.need("x")?;
    let code = |character: char| Value::from(u32::from(character));
    if first.kind() == ValueKind::Map {
        let keys = first.try_iter()?.map(|key| {
            let number = match key.as_str() {
                Some(text) => text.chars().next().filter(|_| text.chars().count() == 1).map(code),
                None => Some(key.clone()),
            };
            let number = number.ok_or_else(|| arguments.wrong("a key is a text of several characters"))?;
            Ok((number, first.get_item(&key)?))
        });
        return Ok(Value::from_pairs(keys.collect::<Result<Vec<(Value, Value)>, Error>>()?));
    }
    let from = first.as_str().ok_or_else(|| arguments.wrong("takes a dictionary or texts"))?.to_string();
    let (to, gone) = (arguments.need_text("y")?, arguments.text("z")?.unwrap_or_default());
    if from.chars().count() != to.chars().count() {
        return Err(arguments.wrong("the first two texts have different lengths"));
    }
    let mut table: Vec<(Value, Value)> = Vec::new();
    let pairs = from.chars().zip(to.chars()).map(|(from, to)| (code(from), code(to)));
    for (key, value) in pairs.chain(gone.chars().map(|gone| (code(gone), Value::from(())))) {
        match table.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => table.push((key, value)),
        }
    }
    Ok(Value::from_pairs(table))
}
