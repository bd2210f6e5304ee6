//! Byte-pair encoding with a list of merges (Sennrich et al., <https://aclanthology.org/P16-1162/>).

use super::Token;
use super::merge::Word;
use crate::bytes::token_of_byte;
use crate::json::Part;
use crate::vocabulary::Vocabulary;
use crate::{Error, Result};
use rustc_hash::FxHashMap;
use serde_json::Value;

/// The model of `tokenizer.json`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bpe {
    pub(crate) vocabulary: Vocabulary,
    /// The rank of a pair, and the id of the merged token.
    merges: FxHashMap<(u32, u32), (u32, u32)>,
    unknown: Option<u32>,
    prefix: Option<String>,
    suffix: Option<String>,
    fuse_unknown: bool,
    byte_fallback: bool,
    ignore_merges: bool,
}

impl Bpe {
    pub(crate) fn from_json(part: &Part) -> Result<Bpe> {
        if part.get("dropout").is_some_and(|dropout| dropout.value().as_f64() != Some(0.0)) {
            return Err(part.unsupported("with dropout, which makes encoding random"));
        }
        let text = |name| part.get(name).map(|part| part.str().map(str::to_string)).transpose();
        let vocabulary = Vocabulary::from_json(&part.need("vocab")?)?;
        let unknown = part.get("unk_token").map(|token| vocabulary.need(token.str()?, "unknown token")).transpose()?;
        let mut model = Bpe {
            vocabulary,
            unknown,
            prefix: text("continuing_subword_prefix")?,
            suffix: text("end_of_word_suffix")?,
            fuse_unknown: part.bool_or("fuse_unk", false)?,
            byte_fallback: part.bool_or("byte_fallback", false)?,
            ignore_merges: part.bool_or("ignore_merges", false)?,
            ..Bpe::default()
        };
        let merges = part.need("merges")?;
        for (index, merge) in merges.values()?.iter().enumerate() {
            let pair = match merge {
                Value::Array(pair) => match &pair[..] {
                    [Value::String(left), Value::String(right)] => Some((left.as_str(), right.as_str())),
                    _ => None,
                },
                other => other.as_str().and_then(|pair| pair.split_once(' ')),
            };
            let (left, right) = pair.ok_or_else(|| merges.item(index, merge).malformed("is no pair"))?;
            let added = model.add_merge(left, right, index as u32);
            added.map_err(|error| merges.item(index, merge).malformed(error))?;
        }
        Ok(model)
    }

    /// The model of a vocabulary and merges `left right`, as GGUF has them.
    pub(crate) fn new<'m>(
        vocabulary: Vocabulary,
        merges: impl Iterator<Item = &'m str>,
        ignore_merges: bool,
    ) -> Result<Bpe> {
        let mut model = Bpe { vocabulary, ignore_merges, ..Bpe::default() };
        for (merge, rank) in merges.zip(0..) {
            let pair = merge.split_once(' ');
            let (left, right) = pair.ok_or_else(|| Error::malformed(format!("the merge {merge:?} is no pair")))?;
            model.add_merge(left, right, rank)?;
        }
        Ok(model)
    }

    /// Adds a merge; of a pair that is there twice, the later rank counts.
    fn add_merge(&mut self, left: &str, right: &str, rank: u32) -> Result<()> {
        let rest = match &self.prefix {
            Some(prefix) => right.strip_prefix(prefix.as_str()).unwrap_or(right),
            None => right,
        };
        let id = |token: &str| self.vocabulary.need(token, "token of a merge,");
        let (first, second, merged) = (id(left)?, id(right)?, id(&format!("{left}{rest}"))?);
        self.merges.insert((first, second), (rank, merged));
        Ok(())
    }

    pub(super) fn tokenize(&self, text: &str, tokens: &mut Vec<Token>) -> Result<()> {
        if let Some(id) = self.vocabulary.id(text).filter(|_| self.ignore_merges) {
            tokens.push(Token::new(id, 0..text.len()));
            return Ok(());
        }
        let mut word = self.word(text)?;
        word.merge(|left: &(u32, bool), right, _| {
            self.merges.get(&(left.0, right.0)).map(|(rank, merged)| (*rank, (*merged, true)))
        });
        let mut at = 0;
        for symbol in word.symbols {
            let (id, is_text) = symbol.symbol;
            let range = at..at + symbol.length;
            at = range.end;
            tokens.push(Token { id, range, is_text });
        }
        Ok(())
    }

    /// The characters of a text as tokens: id, and whether it is known.
    fn word(&self, text: &str) -> Result<Word<(u32, bool)>> {
        let mut word = Word::new();
        let mut unknown: Option<(u32, usize)> = None;
        let mut buffer = String::new();
        for (at, character) in text.char_indices() {
            let length = character.len_utf8();
            let plain = &text[at..at + length];
            let name = self.add_affixes(plain, at == 0, at + length == text.len(), &mut buffer);
            if let Some(id) = self.vocabulary.id(name) {
                if let Some((id, length)) = unknown.take() {
                    word.push((id, false), length);
                }
                word.push((id, true), length);
            } else if let Some(ids) = self.fallback(name) {
                ids.into_iter().for_each(|id| word.push((id, true), 1));
            } else if let Some(id) = self.unknown {
                unknown = match unknown.take() {
                    Some((id, before)) if self.fuse_unknown => Some((id, before + length)),
                    Some((before, before_length)) => {
                        word.push((before, false), before_length);
                        Some((id, length))
                    }
                    None => Some((id, length)),
                };
            }
        }
        if let Some((id, length)) = unknown {
            word.push((id, false), length);
        }
        Ok(word)
    }

    /// A character with the marks of those inside of a word, and of the last.
    fn add_affixes<'b>(&self, plain: &'b str, is_first: bool, is_last: bool, buffer: &'b mut String) -> &'b str {
        let prefix = self.prefix.as_deref().filter(|_| !is_first);
        let suffix = self.suffix.as_deref().filter(|_| is_last);
        if prefix.is_none() && suffix.is_none() {
            return plain;
        }
        buffer.clear();
        buffer.extend([prefix.unwrap_or_default(), plain, suffix.unwrap_or_default()]);
        buffer
    }

    /// The tokens of the bytes of a character, if all of them are there.
    fn fallback(&self, name: &str) -> Option<Vec<u32>> {
        let ids = |byte| self.vocabulary.id(&token_of_byte(byte));
        self.byte_fallback.then(|| name.bytes().map(ids).collect()).flatten()
    }
}
