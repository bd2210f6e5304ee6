//! Unigram (Kudo, <https://aclanthology.org/P18-1007/>) as `tokenizer.json` has it: the split of a
//! text whose tokens have the greatest sum of scores.
//!
//! SentencePiece's own models are read by [`super::SentencePiece`]: they compute in float32, and
//! know kinds of pieces.

use super::Token;
use crate::bytes::token_of_byte;
use crate::json::Part;
use crate::normalizer::Prefixes;
use crate::vocabulary::Vocabulary;
use crate::{Error, Result};
use std::ops::Range;

/// How much worse an unknown character is than the worst token.
pub(super) const UNKNOWN_PENALTY: f64 = 10.0;

/// The model of `tokenizer.json`.
#[derive(Clone, Debug)]
pub(crate) struct Unigram {
    pub(crate) vocabulary: Vocabulary,
    scores: Vec<f64>,
    prefixes: Prefixes,
    unknown: Option<u32>,
    unknown_score: f64,
    /// The token of each byte, if all are there and the model falls back to bytes.
    byte_tokens: Vec<Option<u32>>,
}

/// The best way to an offset: its score, and the token that ends there and begins at `start`.
#[derive(Clone, Copy)]
struct Best {
    score: f64,
    start: Option<usize>,
    id: u32,
}

impl Unigram {
    pub(crate) fn from_json(part: &Part) -> Result<Unigram> {
        let list = part.need("vocab")?;
        let (mut tokens, mut scores) = (Vec::new(), Vec::new());
        for (index, row) in list.values()?.iter().enumerate() {
            let pair = match row.as_array().map(Vec::as_slice) {
                Some([token, score]) => token.as_str().zip(score.as_f64()),
                _ => None,
            };
            let wrong = || list.item(index, row).malformed("is no pair of a token and a score");
            let (token, score) = pair.ok_or_else(wrong)?;
            tokens.push(token);
            scores.push(score);
        }
        let unknown = part.get("unk_id").map(|id| id.u32()).transpose()?;
        if let Some(id) = unknown.filter(|id| *id as usize >= tokens.len()) {
            return Err(part.malformed(format!("unk_id is {id}, and the vocabulary has {} tokens", tokens.len())));
        }
        let mut vocabulary = Vocabulary::from_list(tokens.iter().copied());
        let mut prefixes = Prefixes::default();
        for (token, id) in tokens.iter().zip(0..) {
            // Of equal tokens, the last counts.
            vocabulary.insert(token, id);
            prefixes.insert(token, id);
        }
        let byte_fallback = part.bool_or("byte_fallback", false)?;
        let byte_tokens = (0..=255).map(|byte| vocabulary.id(&token_of_byte(byte)).filter(|_| byte_fallback)).collect();
        let worst = scores.iter().copied().fold(f64::INFINITY, f64::min);
        let unknown_score = worst - UNKNOWN_PENALTY;
        Ok(Unigram { vocabulary, scores, prefixes, unknown, unknown_score, byte_tokens })
    }

    pub(super) fn tokenize(&self, text: &str, tokens: &mut Vec<Token>) -> Result<()> {
        for (id, range) in self.path(text)? {
            // A text that is unknown as a whole may be a token, because unknown characters are joined.
            let known = self.vocabulary.id(&text[range.clone()]);
            match (known, self.fallback(&text[range.clone()]).filter(|_| known.is_none())) {
                (Some(id), _) => tokens.push(Token::new(id, range)),
                (None, Some(ids)) => tokens.extend(ids.into_iter().map(|id| Token::unknown(id, range.clone()))),
                (None, None) => tokens.push(Token { id, range, is_text: true }),
            }
        }
        Ok(())
    }

    fn fallback(&self, text: &str) -> Option<Vec<u32>> {
        text.bytes().map(|byte| self.byte_tokens[usize::from(byte)]).collect()
    }

    /// The tokens of the best split, with unknown ones in a row joined.
    fn path(&self, text: &str) -> Result<Vec<(u32, Range<usize>)>> {
        let best = self.best(text)?;
        let mut path: Vec<(u32, Range<usize>)> = Vec::new();
        let mut end = text.len();
        while let Some(Best { start: Some(start), id, .. }) = best.get(end).copied().filter(|_| end > 0) {
            match path.last_mut() {
                Some((after, range)) if Some(id) == self.unknown && *after == id => range.start = start,
                _ => path.push((id, start..end)),
            }
            end = start;
        }
        path.reverse();
        Ok(path)
    }

    fn best(&self, text: &str) -> Result<Vec<Best>> {
        let mut best = vec![Best { score: 0.0, start: None, id: 0 }; text.len() + 1];
        for (start, character) in text.char_indices() {
            let (before, width) = (best[start].score, character.len_utf8());
            let mut has_character = false;
            for (length, id) in self.prefixes.all(&text.as_bytes()[start..]) {
                has_character |= length == width;
                improve(&mut best[start + length], self.scores[id as usize] + before, start, id);
            }
            if !has_character {
                let unknown = self.unknown.ok_or_else(|| {
                    Error::argument(format!("encode: {character:?} is unknown, and the vocabulary has no unk_id"))
                })?;
                improve(&mut best[start + width], self.unknown_score + before, start, unknown);
            }
        }
        Ok(best)
    }
}

fn improve(best: &mut Best, score: f64, start: usize, id: u32) {
    if best.start.is_none() || score > best.score {
        *best = Best { score, start: Some(start), id };
    }
}
