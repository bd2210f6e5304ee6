//! The tokens of a text as a model takes them.

use crate::json::Part;
use crate::{Error, Result};
use std::ops::Range;

/// The tokens of a text, or of two: lists of the same length.
///
/// ```
/// # mod lanthorn { pub use lanthorn_tokenizer as tokenizer; }
/// # let json = br#"{"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "?": 2}, "unk_token": "?"},
/// #   "pre_tokenizer": {"type": "WhitespaceSplit"}}"#;
/// let tokenizer = lanthorn::tokenizer::Tokenizer::from_json(json)?;
/// let encoding = tokenizer.encode("b  a x", &Default::default())?;
/// assert_eq!(encoding.ids, [1, 0, 2]);
/// assert_eq!(encoding.offsets, [0..1, 3..4, 5..6]);
/// # Ok::<(), lanthorn::tokenizer::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Encoding {
    /// The ids of the tokens.
    pub ids: Vec<u32>,
    /// Which text a token is of, 0 or 1, as the post-processor numbers them.
    pub type_ids: Vec<u32>,
    /// 1 for a token, 0 for padding.
    pub attention_mask: Vec<u32>,
    /// 1 for a token that the post-processor added, or padding.
    pub special_tokens_mask: Vec<u32>,
    /// The bytes of the text that a token stands for; `0..0` for one that was added.
    pub offsets: Vec<Range<usize>>,
    /// The part of the text, as it was split for the model, that a token is of.
    pub word_ids: Vec<Option<u32>>,
    /// The text that offsets are in: 0 for the first, 1 for the second.
    pub text_ids: Vec<u8>,
    /// The spaces at the ends of the tokens.
    pub(crate) spaces: Vec<Spaces>,
}

/// Spaces at the ends of a token: how many are in front, and the bytes of the text that they and
/// those behind are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spaces {
    pub(crate) leading: u32,
    pub(crate) front: u32,
    pub(crate) back: u32,
}

impl Encoding {
    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(crate) fn push(&mut self, id: u32, offsets: Range<usize>, word: Option<u32>, spaces: Spaces) {
        self.ids.push(id);
        self.type_ids.push(0);
        self.attention_mask.push(1);
        self.special_tokens_mask.push(u32::from(word.is_none()));
        self.offsets.push(offsets);
        self.word_ids.push(word);
        self.text_ids.push(0);
        self.spaces.push(spaces);
    }

    /// Tokens that a post-processor adds.
    pub(crate) fn special(ids: &[u32], type_id: u32) -> Encoding {
        let mut encoding = Encoding::default();
        ids.iter().for_each(|id| encoding.push(*id, 0..0, None, Spaces::default()));
        encoding.set_type_id(type_id);
        encoding
    }

    pub(crate) fn set_type_id(&mut self, type_id: u32) {
        self.type_ids.fill(type_id);
    }

    /// Adds the tokens of another text.
    pub(crate) fn append(&mut self, mut other: Encoding) {
        self.ids.append(&mut other.ids);
        self.type_ids.append(&mut other.type_ids);
        self.attention_mask.append(&mut other.attention_mask);
        self.special_tokens_mask.append(&mut other.special_tokens_mask);
        self.offsets.append(&mut other.offsets);
        self.word_ids.append(&mut other.word_ids);
        self.text_ids.append(&mut other.text_ids);
        self.spaces.append(&mut other.spaces);
    }

    /// Keeps `length` tokens: the last ones if `left`, else the first ones.
    fn truncate(&mut self, length: usize, left: bool) {
        fn keep<T>(all: &mut Vec<T>, length: usize, left: bool) {
            if left {
                all.drain(..all.len().saturating_sub(length));
            }
            all.truncate(length);
        }
        keep(&mut self.ids, length, left);
        keep(&mut self.type_ids, length, left);
        keep(&mut self.attention_mask, length, left);
        keep(&mut self.special_tokens_mask, length, left);
        keep(&mut self.offsets, length, left);
        keep(&mut self.word_ids, length, left);
        keep(&mut self.text_ids, length, left);
        keep(&mut self.spaces, length, left);
    }

    /// Adds padding up to a length.
    pub(crate) fn pad(&mut self, length: usize, padding: &Padding) {
        let count = length.saturating_sub(self.len());
        let mut pads = Encoding::special(&vec![padding.id; count], padding.type_id);
        pads.attention_mask.fill(0);
        if padding.left {
            std::mem::swap(self, &mut pads);
        }
        self.append(pads);
    }
}

/// How encodings are made equally long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Padding {
    /// The length; the length of the longest encoding of the batch if `None`.
    pub length: Option<usize>,
    /// The length is rounded up to a multiple of this; 0 is as 1.
    pub multiple_of: usize,
    /// Whether padding is put in front.
    pub left: bool,
    /// The token of padding.
    pub id: u32,
    /// The type id of padding.
    pub type_id: u32,
}

impl Padding {
    /// Padding after the tokens, up to the longest encoding of the batch, by a token.
    pub fn longest(id: u32) -> Padding {
        Padding { length: None, multiple_of: 1, left: false, id, type_id: 0 }
    }

    /// No padding, also where the tokenizer's file has one.
    pub fn off() -> Padding {
        // No encoding is shorter.
        Padding { length: Some(0), ..Padding::longest(0) }
    }

    /// The length of a batch whose longest encoding has a length.
    ///
    /// # Errors
    /// The length is beyond what 32 bits count.
    pub(crate) fn target(&self, longest: usize) -> Result<usize> {
        let length = self.length.unwrap_or(longest).checked_next_multiple_of(self.multiple_of.max(1));
        let length = length.filter(|length| *length <= u32::MAX as usize / 2);
        length.ok_or_else(|| Error::argument("encode: a padded length beyond 2147483647"))
    }

    pub(crate) fn from_json(part: &Part) -> Result<Padding> {
        let length = match part.get("strategy") {
            Some(strategy) if strategy.value().is_object() => Some(strategy.need("Fixed")?.u32()? as usize),
            _ => None,
        };
        Ok(Padding {
            length,
            multiple_of: part.u32_or("pad_to_multiple_of", 1)? as usize,
            left: part.str_or("direction", "Right")? == "Left",
            id: part.need("pad_id")?.u32()?,
            type_id: part.u32_or("pad_type_id", 0)?,
        })
    }
}

/// Which of two texts is shortened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TruncationStrategy {
    /// The longer one, until both are equally long.
    #[default]
    LongestFirst,
    /// The first.
    OnlyFirst,
    /// The second.
    OnlySecond,
}

/// How encodings are shortened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// The most tokens, with those that the post-processor adds.
    pub max_length: usize,
    /// Whether tokens in front are dropped instead of those at the end.
    pub left: bool,
    /// Which of two texts is shortened.
    pub strategy: TruncationStrategy,
}

impl Truncation {
    /// Keeps at most the first `max_length` tokens.
    pub fn new(max_length: usize) -> Truncation {
        Truncation { max_length, left: false, strategy: TruncationStrategy::LongestFirst }
    }

    /// No truncation, also where the tokenizer's file has one.
    pub fn off() -> Truncation {
        Truncation::new(usize::MAX)
    }

    pub(crate) fn from_json(part: &Part) -> Result<Truncation> {
        let strategy = match part.str_or("strategy", "LongestFirst")? {
            "LongestFirst" => TruncationStrategy::LongestFirst,
            "OnlyFirst" => TruncationStrategy::OnlyFirst,
            "OnlySecond" => TruncationStrategy::OnlySecond,
            other => return Err(part.unsupported(format!("with the strategy {other:?}"))),
        };
        let left = part.str_or("direction", "Right")? == "Left";
        Ok(Truncation { max_length: part.need("max_length")?.u32()? as usize, left, strategy })
    }

    /// Shortens a text and maybe a second, so that with `added` tokens they have the length.
    ///
    /// # Errors
    /// The length has no room for the added tokens, or the text to shorten has too few.
    pub(crate) fn apply(&self, first: &mut Encoding, second: Option<&mut Encoding>, added: usize) -> Result<()> {
        let room = self.max_length.checked_sub(added).ok_or_else(|| {
            Error::argument(format!("encode: maxLength is {}, and {added} special tokens are added", self.max_length))
        })?;
        let total = first.len() + second.as_ref().map_or(0, |second| second.len());
        if total <= room {
            return Ok(());
        }
        let excess = total - room;
        match (self.strategy, second) {
            (TruncationStrategy::LongestFirst, None) => first.truncate(room, self.left),
            (TruncationStrategy::LongestFirst, Some(second)) => {
                let (a, b) = shares(first.len(), second.len(), room);
                first.truncate(a, self.left);
                second.truncate(b, self.left);
            }
            (TruncationStrategy::OnlyFirst, _) => self.shorten(first, excess, "first")?,
            (TruncationStrategy::OnlySecond, Some(second)) => self.shorten(second, excess, "second")?,
            (TruncationStrategy::OnlySecond, None) => {
                return Err(Error::argument("encode: onlySecond shortens the second text, and there is none"));
            }
        }
        Ok(())
    }

    fn shorten(&self, encoding: &mut Encoding, excess: usize, which: &str) -> Result<()> {
        let length = encoding.len();
        if length <= excess {
            let message = format!("encode: the {which} text has {length} tokens, and {excess} are too many");
            return Err(Error::argument(message));
        }
        encoding.truncate(length - excess, self.left);
        Ok(())
    }
}

/// The lengths of two texts that are too long together: only the longer one is shortened if that is
/// enough.
fn shares(first: usize, second: usize, room: usize) -> (usize, usize) {
    let shorter = first.min(second);
    let half = room / 2;
    let (short, long) = match shorter > half {
        true => (half, room - half),
        false => (shorter, room - shorter),
    };
    if first > second { (long, short) } else { (short, long) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_texts_share_the_length() {
        assert_eq!(shares(10, 3, 8), (5, 3));
        assert_eq!(shares(10, 30, 9), (4, 5));
        assert_eq!(shares(30, 10, 9), (5, 4));
        assert_eq!(shares(2, 30, 9), (2, 7));
    }

    #[test]
    fn padding_goes_to_either_side() {
        let mut encoding = Encoding::default();
        encoding.push(7, 0..1, Some(0), Spaces::default());
        encoding.pad(3, &Padding { left: true, ..Padding::longest(9) });
        assert_eq!((encoding.ids, encoding.attention_mask), (vec![9, 9, 7], vec![0, 0, 1]));
        assert_eq!(Padding { multiple_of: 8, ..Padding::longest(0) }.target(9), Ok(16));
    }
}
