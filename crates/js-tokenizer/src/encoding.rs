//! Encodings as typed arrays, and the options of a call as numbers.

use crate::error::Thrown;
use js_sys::{Array, Int32Array, Uint32Array};
use lanthorn_tokenizer::{EncodeOptions, Encoding, Padding, Tokenizer, Truncation, TruncationStrategy};
use wasm_bindgen::JsValue;

/// What a call says; a number below 0 says nothing.
pub struct Options {
    add_special_tokens: bool,
    max_length: Option<usize>,
    truncate_left: bool,
    strategy: TruncationStrategy,
    /// The length, or `Some(None)` for that of the longest text.
    padding: Option<Option<usize>>,
    multiple_of: usize,
    pad_left: bool,
    pad_id: Option<u32>,
    pad_type_id: u32,
}

impl Options {
    /// `[addSpecialTokens, maxLength, truncateLeft, strategy, padding, padToMultipleOf, padLeft,
    /// padId, padTypeId]`; a padding of 0 is up to the longest text.
    pub fn from_numbers(numbers: &[f64]) -> Result<Options, Thrown> {
        let &[special, max_length, truncate_left, strategy, padding, multiple_of, pad_left, pad_id, pad_type_id] =
            numbers
        else {
            return Err(Thrown::argument("encode: the options of a call are nine numbers"));
        };
        let given = |number: f64| (number >= 0.0).then_some(number as usize);
        Ok(Options {
            add_special_tokens: special != 0.0,
            max_length: given(max_length),
            truncate_left: truncate_left > 0.0,
            strategy: match strategy as i32 {
                1 => TruncationStrategy::OnlyFirst,
                2 => TruncationStrategy::OnlySecond,
                _ => TruncationStrategy::LongestFirst,
            },
            padding: given(padding).map(|length| Some(length).filter(|length| *length > 0)),
            multiple_of: given(multiple_of).unwrap_or(1),
            pad_left: pad_left > 0.0,
            pad_id: given(pad_id).map(|id| id as u32),
            pad_type_id: given(pad_type_id).unwrap_or(0) as u32,
        })
    }

    /// The options, with what the tokenizer's file says of padding.
    pub fn over(self, tokenizer: &Tokenizer) -> EncodeOptions {
        let truncation = self.max_length.map(|max_length| Truncation {
            max_length,
            left: self.truncate_left,
            strategy: self.strategy,
        });
        let role = || tokenizer.token_of_role("pad_token").and_then(|token| tokenizer.token_to_id(token));
        let of_file = tokenizer.padding().map(|padding| padding.id);
        let padding = self.padding.map(|length| Padding {
            length,
            multiple_of: self.multiple_of,
            left: self.pad_left,
            id: self.pad_id.or(of_file).or_else(role).unwrap_or(0),
            type_id: self.pad_type_id,
        });
        EncodeOptions { add_special_tokens: self.add_special_tokens, truncation, padding }
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
