//! SentencePiece's models (<https://github.com/google/sentencepiece>): Unigram, and byte-pair
//! encoding by scores instead of a list of merges.

use super::Token;
use super::merge::Word;
use super::unigram::UNKNOWN_PENALTY;
use crate::Result;
use crate::bytes::token_of_byte;
use crate::normalizer::Prefixes;
use crate::vocabulary::Vocabulary;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ops::Range;

/// How a piece is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

impl PieceKind {
    /// The kind with this number, in a model and in GGUF.
    pub(crate) fn from_code(code: u64) -> Option<PieceKind> {
        Some(match code {
            1 => PieceKind::Normal,
            2 => PieceKind::Unknown,
            3 => PieceKind::Control,
            4 => PieceKind::UserDefined,
            5 => PieceKind::Unused,
            6 => PieceKind::Byte,
            _ => return None,
        })
    }
}

/// How pieces are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Unigram,
    Bpe,
}

/// A model of pieces with scores.
#[derive(Clone, Debug)]
pub(crate) struct SentencePiece {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) kinds: Vec<PieceKind>,
    scores: Vec<f32>,
    algorithm: Algorithm,
    unknown: u32,
    /// Pieces that text can have, and those that users defined.
    pieces: Prefixes,
    user_defined: Prefixes,
    /// The token of each byte, if the model falls back to bytes.
    byte_tokens: Vec<Option<u32>>,
    least: f32,
    greatest: f32,
}

/// The merges that made unused pieces, which are taken apart again.
type Splits = FxHashMap<Range<usize>, usize>;

#[derive(Clone, Copy)]
struct Best {
    score: f32,
    start: Option<usize>,
    id: u32,
}

/// The order of merges: greater scores first.
#[derive(Clone, Copy, PartialEq)]
struct Rank(f32);

impl Eq for Rank {}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Rank) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Rank) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0)
    }
}

/// A symbol of a word: whether it may be merged.
type IsFree = bool;

impl SentencePiece {
    /// A model. `kinds` and `scores` have an element for each token of the vocabulary.
    pub(crate) fn new(
        vocabulary: Vocabulary,
        kinds: Vec<PieceKind>,
        scores: Vec<f32>,
        algorithm: Algorithm,
        unknown: u32,
        byte_fallback: bool,
    ) -> SentencePiece {
        let (mut pieces, mut user_defined) = (Prefixes::default(), Prefixes::default());
        // The greatest score is none below 0, so that a piece of users is better than others.
        let (mut least, mut greatest) = (f32::MAX, f32::MIN_POSITIVE);
        for (id, (kind, score)) in (0..).zip(kinds.iter().zip(&scores)) {
            let token = vocabulary.token(id).unwrap_or_default();
            if matches!(kind, PieceKind::Normal | PieceKind::UserDefined | PieceKind::Unused) {
                pieces.insert(token, id);
            }
            match kind {
                PieceKind::UserDefined => user_defined.insert(token, id),
                PieceKind::Normal => (least, greatest) = (least.min(*score), greatest.max(*score)),
                _ => {}
            }
        }
        let token = |byte| vocabulary.id(&token_of_byte(byte)).filter(|_| byte_fallback);
        let byte_tokens = (0..=255).map(token).collect();
        SentencePiece {
            vocabulary,
            kinds,
            scores,
            algorithm,
            unknown,
            pieces,
            user_defined,
            byte_tokens,
            least,
            greatest,
        }
    }

    /// The texts that users defined.
    pub(crate) fn user_defined(&self) -> &Prefixes {
        &self.user_defined
    }

    fn kind(&self, id: u32) -> PieceKind {
        self.kinds.get(id as usize).copied().unwrap_or(PieceKind::Unknown)
    }

    pub(super) fn tokenize(&self, text: &str, tokens: &mut Vec<Token>) -> Result<()> {
        let pieces = match self.algorithm {
            Algorithm::Unigram => self.unigram(text),
            Algorithm::Bpe => self.bpe(text),
        };
        let mut after_unknown = false;
        for (id, range) in pieces {
            let is_unknown = id == self.unknown;
            let fallback: Option<Vec<u32>> =
                text[range.clone()].bytes().map(|byte| self.byte_tokens[usize::from(byte)]).collect();
            match fallback.filter(|_| is_unknown) {
                Some(bytes) => tokens.extend(bytes.into_iter().map(|id| Token::unknown(id, range.clone()))),
                None => match tokens.last_mut() {
                    Some(last) if is_unknown && after_unknown => last.range.end = range.end,
                    _ => tokens.push(Token { id, range, is_text: !is_unknown }),
                },
            }
            after_unknown = is_unknown;
        }
        Ok(())
    }

    fn unigram(&self, text: &str) -> Vec<(u32, Range<usize>)> {
        let mut best = vec![Best { score: 0.0, start: None, id: 0 }; text.len() + 1];
        for (start, character) in text.char_indices() {
            let (before, width) = (best[start].score, character.len_utf8());
            let mut has_character = false;
            for (length, id) in self.pieces.all(&text.as_bytes()[start..]) {
                let kind = self.kind(id);
                if kind == PieceKind::Unused {
                    continue;
                }
                has_character |= length == width;
                let score = match kind {
                    PieceKind::UserDefined => (f64::from(length as f32 * self.greatest) - 0.1) as f32,
                    _ => self.scores[id as usize],
                };
                improve(&mut best[start + length], score + before, start, id);
            }
            if !has_character {
                let score = (self.least - UNKNOWN_PENALTY as f32) + before;
                improve(&mut best[start + width], score, start, self.unknown);
            }
        }
        let (mut path, mut end) = (Vec::new(), text.len());
        while let Some(Best { start: Some(start), id, .. }) = best.get(end).copied().filter(|_| end > 0) {
            path.push((id, start..end));
            end = start;
        }
        path.reverse();
        path
    }

    fn bpe(&self, text: &str) -> Vec<(u32, Range<usize>)> {
        let mut word: Word<IsFree> = Word::new();
        let mut at = 0;
        while let Some(character) = text[at..].chars().next() {
            let kept = self.user_defined.longest(&text[at..]);
            let length = kept.map_or(character.len_utf8(), |(length, _)| length);
            word.push(kept.is_none(), length);
            at += length;
        }
        let splits: RefCell<Splits> = RefCell::default();
        word.merge(|left, right, pair| {
            let range = pair.start..pair.start + pair.length;
            let id = self.piece(&text[range.clone()]).filter(|_| *left && *right)?;
            if self.kind(id) == PieceKind::Unused {
                splits.borrow_mut().insert(range, pair.middle);
            }
            Some((Rank(self.scores[id as usize]), true))
        });
        let (mut pieces, mut at) = (Vec::new(), 0);
        for symbol in word.symbols {
            self.take_apart(text, at..at + symbol.length, &splits.borrow(), &mut pieces);
            at += symbol.length;
        }
        pieces
    }

    /// The id of a text, if it is a piece.
    fn piece(&self, text: &str) -> Option<u32> {
        self.pieces.longest(text).filter(|(length, _)| *length == text.len()).map(|(_, id)| id)
    }

    /// Replaces unused pieces by those that they were merged from.
    fn take_apart(&self, text: &str, range: Range<usize>, splits: &Splits, pieces: &mut Vec<(u32, Range<usize>)>) {
        let mut left = vec![range];
        while let Some(range) = left.pop() {
            let id = self.piece(&text[range.clone()]).unwrap_or(self.unknown);
            match splits.get(&range).filter(|_| self.kind(id) == PieceKind::Unused) {
                Some(middle) => {
                    let middle = range.start + middle;
                    left.extend([middle..range.end, range.start..middle]);
                }
                None => pieces.push((id, range)),
            }
        }
    }
}

fn improve(best: &mut Best, score: f32, start: usize, id: u32) {
    if best.start.is_none() || score > best.score {
        *best = Best { score, start: Some(start), id };
    }
}
