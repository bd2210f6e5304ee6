//! Tokens in addition to the model's tokens. They are found in the text before all other steps.

use crate::json::Part;
use crate::normalizer::{Normalizer, Prefixes};
use crate::piece::Piece;
use crate::vocabulary::Vocabulary;
use crate::{Error, Result};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// A token that was added to a vocabulary.
///
/// ```
/// # mod lanthorn { pub use lanthorn_tokenizer as tokenizer; }
/// use lanthorn::tokenizer::AddedToken;
/// let token = AddedToken::special("<|end|>");
/// assert!(token.special && !token.normalized);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddedToken {
    /// Its text.
    pub content: String,
    /// Whether it is no part of a word.
    pub single_word: bool,
    /// Whether spaces before it belong to it.
    pub lstrip: bool,
    /// Whether spaces after it belong to it.
    pub rstrip: bool,
    /// Whether it is looked for in the normalized text.
    pub normalized: bool,
    /// Whether decoding may skip it.
    pub special: bool,
}

impl AddedToken {
    /// A special token, which is looked for in the text as it was given.
    pub fn special(content: impl Into<String>) -> AddedToken {
        AddedToken { content: content.into(), special: true, ..AddedToken::default() }
    }

    fn from_json(part: &Part) -> Result<AddedToken> {
        let special = part.bool_or("special", false)?;
        Ok(AddedToken {
            content: part.need("content")?.str()?.to_string(),
            single_word: part.bool_or("single_word", false)?,
            lstrip: part.bool_or("lstrip", false)?,
            rstrip: part.bool_or("rstrip", false)?,
            normalized: part.bool_or("normalized", !special)?,
            special,
        })
    }
}

/// An added token and its text after normalization.
#[derive(Clone, Debug)]
struct Entry {
    token: AddedToken,
    text: String,
}

/// The added tokens by id, and where they are looked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddedTokens {
    by_id: BTreeMap<u32, Entry>,
    by_content: FxHashMap<String, u32>,
    given: Prefixes,
    normalized: Prefixes,
}

impl AddedTokens {
    /// The list of a file.
    ///
    /// # Errors
    /// Two tokens have the same id.
    pub(crate) fn from_json(part: &Part, model: &Vocabulary, normalizer: Option<&Normalizer>) -> Result<AddedTokens> {
        let mut added = AddedTokens::default();
        for token in part.list()? {
            let id = token.need("id")?.u32()?;
            let read = AddedToken::from_json(&token)?;
            added.add(read, Some(id), model, normalizer).map_err(|error| token.malformed(error))?;
        }
        Ok(added)
    }

    /// Adds a token, with the id that the model has for it, else the one given, else the next.
    ///
    /// # Errors
    /// Another token has the id.
    pub(crate) fn add(
        &mut self,
        token: AddedToken,
        id: Option<u32>,
        model: &Vocabulary,
        normalizer: Option<&Normalizer>,
    ) -> Result<u32> {
        if token.content.is_empty() {
            return Err(Error::malformed("an added token without text"));
        }
        let next = || {
            (0..).map(|more| model.len() as u32 + more).find(|id| self.get(*id).is_none() && model.token(*id).is_none())
        };
        let id = self.id(&token.content).or_else(|| model.id(&token.content)).or(id).or_else(next).unwrap_or(u32::MAX);
        let other = self.by_id.get(&id).map(|entry| &*entry.token.content).or_else(|| model.token(id));
        if let Some(other) = other.filter(|other| *other != token.content) {
            let content = &token.content;
            return Err(Error::malformed(format!("the token {content:?} has the id {id}, which is that of {other:?}")));
        }
        let text = match normalizer.filter(|_| token.normalized) {
            Some(normalizer) => normalizer.normalized(&token.content)?,
            None => token.content.clone(),
        };
        if token.normalized { &mut self.normalized } else { &mut self.given }.insert(&text, id);
        self.by_content.insert(token.content.clone(), id);
        self.by_id.insert(id, Entry { token, text });
        Ok(id)
    }

    pub(crate) fn get(&self, id: u32) -> Option<&AddedToken> {
        self.by_id.get(&id).map(|entry| &entry.token)
    }

    /// What decoders see of a token: its normalized text, which they turn back.
    pub(crate) fn text(&self, id: u32) -> Option<&str> {
        self.by_id.get(&id).map(|entry| &*entry.text)
    }

    pub(crate) fn id(&self, content: &str) -> Option<u32> {
        self.by_content.get(content).copied()
    }

    pub(crate) fn is_special(&self, content: &str) -> bool {
        self.id(content).and_then(|id| self.get(id)).is_some_and(|token| token.special)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &AddedToken)> {
        self.by_id.iter().map(|(id, entry)| (*id, &entry.token))
    }

    /// The number of tokens that the model does not have.
    pub(crate) fn beyond(&self, model: &Vocabulary) -> usize {
        self.by_id.keys().filter(|id| model.token(**id).is_none()).count()
    }

    /// Splits a text into added tokens and the texts between them; an empty text has no parts.
    pub(crate) fn split(&self, piece: Piece, is_normalized: bool) -> Vec<(Piece, Option<u32>)> {
        let prefixes = if is_normalized { &self.normalized } else { &self.given };
        if prefixes.is_empty() || piece.text().is_empty() {
            return vec![(piece, None)];
        }
        let (mut parts, mut end) = (Vec::new(), 0);
        for (found, id) in self.find_tokens(piece.text(), prefixes) {
            if end < found.start {
                parts.push((piece.slice(end..found.start), None));
            }
            end = found.end;
            parts.push((piece.slice(found), Some(id)));
        }
        if end < piece.text().len() {
            parts.push((piece.slice(end..piece.text().len()), None));
        }
        parts
    }

    fn find_tokens(&self, text: &str, prefixes: &Prefixes) -> Vec<(Range<usize>, u32)> {
        let (mut found, mut at, mut end) = (Vec::new(), 0, 0);
        while at < text.len() {
            let Some((length, id)) = prefixes.longest_bytes(&text.as_bytes()[at..]) else {
                at += 1;
                continue;
            };
            let range = at..at + length;
            at = range.end;
            if let Some(range) = self.accept(text, range, id, end) {
                end = range.end;
                found.push((range, id));
            }
        }
        found
    }

    /// The bytes of a token that was found, with the spaces that belong to it; `None` where it is a
    /// part of a word. `end` is the end of the previous token.
    fn accept(&self, text: &str, range: Range<usize>, id: u32, end: usize) -> Option<Range<usize>> {
        let token = self.get(id)?;
        let (before, behind) = (text.get(..range.start)?, text.get(range.end..)?);
        let is_in_word = before.chars().next_back().is_some_and(is_word) || behind.chars().next().is_some_and(is_word);
        if token.single_word && is_in_word {
            return None;
        }
        let mut range = range;
        if token.lstrip {
            range.start = before.trim_end().len().max(end);
        }
        if token.rstrip {
            range.end += behind.len() - behind.trim_start().len();
        }
        // Spaces after the previous token may be this token's text.
        (range.end > end).then(|| range.start.max(end)..range.end)
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
