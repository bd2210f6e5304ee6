//! Encodings as typed arrays, and the options of a call as numbers.

use crate::error::Thrown;
use js_sys::{Array, Int32Array, Uint32Array};
use lanthorn_tokenizer::{EncodeOptions, Encoding, Padding, Tokenizer, Truncation, TruncationStrategy};
use wasm_bindgen::JsValue;

/// An option of a call that the tokenizer's file may have, too.
#[derive(Clone, Copy)]
enum Given {
    /// The call does not have it: as the file says.
    Not,
    /// The call switches it off.
    Off,
    Number(usize),
}

impl Given {
    fn from_number(number: f64) -> Given {
        match number as i64 {
            -2 => Given::Off,
            number => usize::try_from(number).map_or(Given::Not, Given::Number),
        }
    }

    fn number(self) -> Option<usize> {
        match self {
            Given::Number(number) => Some(number),
            Given::Not | Given::Off => None,
        }
    }
}

/// The options of a call: -1 is not given, and -2 switches truncation or padding off.
pub struct Options {
    add_special_tokens: bool,
    max_length: Given,
    truncate_left: Given,
    strategy: Given,
    /// The length, or 0 for the longest text's.
    padding: Given,
    multiple_of: Given,
    pad_left: Given,
    pad_id: Given,
    pad_type_id: Given,
}

impl Options {
    /// `[addSpecialTokens, maxLength, truncateLeft, strategy, padding, padToMultipleOf, padLeft,
    /// padId, padTypeId]`; a padding of 0 is up to the longest text.
    pub fn from_numbers(numbers: &[f64]) -> Result<Options, Thrown> {
        let &[special, ref given @ ..] = numbers else {
            return Err(Thrown::argument("encode: the options of a call are nine numbers"));
        };
        let given: Vec<Given> = given.iter().copied().map(Given::from_number).collect();
        let &[max_length, truncate_left, strategy, padding, multiple_of, pad_left, pad_id, pad_type_id] = &given[..]
        else {
            return Err(Thrown::argument("encode: the options of a call are nine numbers"));
        };
        Ok(Options {
            add_special_tokens: special != 0.0,
            max_length,
            truncate_left,
            strategy,
            padding,
            multiple_of,
            pad_left,
            pad_id,
            pad_type_id,
        })
    }

    /// The options of the call over the tokenizer file's, one by one.
    pub fn over(self, tokenizer: &Tokenizer) -> EncodeOptions {
        let (truncation, padding) = (Some(self.truncation(tokenizer)), Some(self.padding(tokenizer)));
        EncodeOptions { add_special_tokens: self.add_special_tokens, truncation, padding }
    }

    fn truncation(&self, tokenizer: &Tokenizer) -> Truncation {
        let of_file = tokenizer.truncation().cloned();
        let mut truncation = match (self.max_length, of_file) {
            (Given::Off, _) | (Given::Not, None) => return Truncation::off(),
            (Given::Not, Some(of_file)) => of_file,
            (Given::Number(length), of_file) => {
                Truncation { max_length: length, ..of_file.unwrap_or_else(Truncation::off) }
            }
        };
        if let Some(left) = self.truncate_left.number() {
            truncation.left = left > 0;
        }
        if let Some(strategy) = self.strategy.number() {
            truncation.strategy = match strategy {
                1 => TruncationStrategy::OnlyFirst,
                2 => TruncationStrategy::OnlySecond,
                _ => TruncationStrategy::LongestFirst,
            };
        }
        truncation
    }

    fn padding(&self, tokenizer: &Tokenizer) -> Padding {
        let of_file = tokenizer.padding().cloned();
        let usual = || {
            let role = tokenizer.token_of_role("pad_token").and_then(|token| tokenizer.token_to_id(token));
            Padding::longest(role.unwrap_or(0))
        };
        let mut padding = match (self.padding, of_file) {
            (Given::Off, _) | (Given::Not, None) => return Padding::off(),
            (Given::Not, Some(of_file)) => of_file,
            (Given::Number(length), of_file) => {
                Padding { length: Some(length).filter(|length| *length > 0), ..of_file.unwrap_or_else(usual) }
            }
        };
        if let Some(multiple_of) = self.multiple_of.number() {
            padding.multiple_of = multiple_of;
        }
        if let Some(left) = self.pad_left.number() {
            padding.left = left > 0;
        }
        if let Some(id) = self.pad_id.number() {
            padding.id = id as u32;
        }
        if let Some(type_id) = self.pad_type_id.number() {
            padding.type_id = type_id as u32;
        }
        padding
    }
}

/// The columns of an encoding: ids, type ids, attention mask, special tokens, offsets in units of
/// JavaScript's strings, and words (-1 where there is none).
pub fn to_js(encoding: &Encoding, texts: (&str, Option<&str>)) -> Array {
    let numbers =
        |all: &[u32]| JsValue::from(Int32Array::from(&all.iter().map(|id| *id as i32).collect::<Vec<_>>()[..]));
    let words: Vec<i32> = encoding.word_ids.iter().map(|word| word.map_or(-1, |word| word as i32)).collect();
    let columns = [
        numbers(&encoding.ids),
        numbers(&encoding.type_ids),
        numbers(&encoding.attention_mask),
        numbers(&encoding.special_tokens_mask),
        JsValue::from(Uint32Array::from(&utf16_offsets(encoding, texts)[..])),
        JsValue::from(Int32Array::from(&words[..])),
    ];
    columns.into_iter().collect()
}

/// First and end of each token's text in units of UTF-16.
fn utf16_offsets(encoding: &Encoding, (first, second): (&str, Option<&str>)) -> Vec<u32> {
    let tables = [utf16_table(first), second.map(utf16_table).unwrap_or_default()];
    let is_ascii = [first.is_ascii(), second.is_none_or(str::is_ascii)];
    let rows = encoding.offsets.iter().zip(&encoding.text_ids);
    let unit = |text: usize, at: usize| match is_ascii[text] {
        true => at as u32,
        false => tables[text].get(at).copied().unwrap_or(at as u32),
    };
    rows.flat_map(|(range, text)| [unit(usize::from(*text), range.start), unit(usize::from(*text), range.end)])
        .collect()
}

/// The unit of UTF-16 at each byte; none for ASCII, where it is the byte's own offset.
fn utf16_table(text: &str) -> Vec<u32> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut table = Vec::with_capacity(text.len() + 1);
    let mut unit = 0;
    for character in text.chars() {
        table.extend(std::iter::repeat_n(unit, character.len_utf8()));
        unit += character.len_utf16() as u32;
    }
    table.push(unit);
    table
}
