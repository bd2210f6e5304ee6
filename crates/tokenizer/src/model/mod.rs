//! Models: the tokens of a part of a text.

mod bpe;
mod merge;
mod sentence_piece;
mod unigram;
mod word_level;
mod word_piece;

pub(crate) use bpe::Bpe;
pub(crate) use sentence_piece::{Algorithm, PieceKind, SentencePiece};
pub(crate) use unigram::Unigram;
pub(crate) use word_level::WordLevel;
pub(crate) use word_piece::WordPiece;

use crate::Result;
use crate::json::Part;
use crate::vocabulary::Vocabulary;
use std::ops::Range;

/// A token of a part of a text: its id, its bytes in the part, and whether its text equals these
/// bytes, which the text of an unknown token does not.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) id: u32,
    pub(crate) range: Range<usize>,
    pub(crate) is_text: bool,
}

impl Token {
    pub(crate) fn new(id: u32, range: Range<usize>) -> Token {
        Token { id, range, is_text: true }
    }

    pub(crate) fn unknown(id: u32, range: Range<usize>) -> Token {
        Token { id, range, is_text: false }
    }
}

/// A model.
#[derive(Clone, Debug)]
pub(crate) enum Model {
    Bpe(Bpe),
    SentencePiece(SentencePiece),
    Unigram(Unigram),
    WordLevel(WordLevel),
    WordPiece(WordPiece),
}

impl Model {
    /// The model that a part of a file describes.
    ///
    /// # Errors
    /// It is not known, or its parts do not fit.
    pub(crate) fn from_json(part: &Part) -> Result<Model> {
        let kind = match part.get("type") {
            Some(kind) => kind.str()?,
            // Files from before models had a name.
            None if part.get("merges").is_some() => "BPE",
            None if part.get("continuing_subword_prefix").is_some() => "WordPiece",
            None if part.get("vocab").is_some_and(|vocab| vocab.value().is_array()) => "Unigram",
            None => return Err(part.malformed("has no \"type\"")),
        };
        match kind {
            "BPE" => Bpe::from_json(part).map(Model::Bpe),
            "Unigram" => Unigram::from_json(part).map(Model::Unigram),
            "WordLevel" => WordLevel::from_json(part).map(Model::WordLevel),
            "WordPiece" => WordPiece::from_json(part).map(Model::WordPiece),
            other => Err(part.unsupported(format!("of type {other:?}"))),
        }
    }

    /// Adds the tokens of a part of a text.
    ///
    /// # Errors
    /// The text has something unknown, and the vocabulary has no token for that.
    pub(crate) fn tokenize(&self, text: &str, tokens: &mut Vec<Token>) -> Result<()> {
        match self {
            Model::Bpe(model) => model.tokenize(text, tokens),
            Model::SentencePiece(model) => model.tokenize(text, tokens),
            Model::Unigram(model) => model.tokenize(text, tokens),
            Model::WordLevel(model) => model.tokenize(text, tokens),
            Model::WordPiece(model) => model.tokenize(text, tokens),
        }
    }

    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        match self {
            Model::Bpe(model) => &model.vocabulary,
            Model::SentencePiece(model) => &model.vocabulary,
            Model::Unigram(model) => &model.vocabulary,
            Model::WordLevel(model) => &model.vocabulary,
            Model::WordPiece(model) => &model.vocabulary,
        }
    }
}
