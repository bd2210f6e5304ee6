//! Reads SentencePiece's models: the messages of `sentencepiece_model.proto` that encoding needs.

use crate::added::AddedTokens;
use crate::chat::ChatTemplates;
use crate::decoder::{Decoder, SentencePieceDecoder, UNKNOWN_SURFACE};
use crate::model::{Algorithm, Model, PieceKind, SentencePiece};
use crate::normalizer::{Charsmap, Normalizer, SentencePieceNormalizer};
use crate::vocabulary::Vocabulary;
use crate::{Error, Result, Tokenizer};

/// A field of a message.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Float(f32),
}

/// The fields of a message, in order.
struct Message<'a> {
    bytes: &'a [u8],
}

fn truncation_error() -> Error {
    Error::malformed("the file ends within a field")
}

impl<'a> Message<'a> {
    fn varint(&mut self) -> Result<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.bytes.split_first().ok_or_else(truncation_error)?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Error::malformed("a number of more than 64 bits"))
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8]> {
        let count = usize::try_from(count).map_err(|_| truncation_error())?;
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or_else(truncation_error)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn next(&mut self) -> Result<Option<(u64, Field<'a>)>> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let field = match key & 7 {
            0 => Field::Number(self.varint()?),
            1 => Field::Bytes(self.take(8)?),
            2 => {
                let length = self.varint()?;
                Field::Bytes(self.take(length)?)
            }
            5 => {
                let bytes = self.take(4)?.first_chunk::<4>().copied().ok_or_else(truncation_error)?;
                Field::Float(f32::from_le_bytes(bytes))
            }
            other => return Err(Error::malformed(format!("a field of wire type {other}"))),
        };
        Ok(Some((key >> 3, field)))
    }
}

/// Calls a function with each field of a message.
fn each<'a>(bytes: &'a [u8], mut read: impl FnMut(u64, Field<'a>) -> Result<()>) -> Result<()> {
    let mut message = Message { bytes };
    while let Some((number, field)) = message.next()? {
        read(number, field)?;
    }
    Ok(())
}

fn text(bytes: &[u8]) -> Result<String> {
    std::str::from_utf8(bytes).map(str::to_string).map_err(|_| Error::malformed("a text that is no UTF-8"))
}

/// The contents of a file.
struct File {
    pieces: Vec<(String, f32, PieceKind)>,
    model_type: u64,
    byte_fallback: bool,
    unknown_surface: String,
    normalizer: SentencePieceNormalizer,
}

impl File {
    fn read(bytes: &[u8]) -> Result<File> {
        let normalizer = SentencePieceNormalizer {
            add_dummy_prefix: true,
            remove_extra_whitespaces: true,
            escape_whitespaces: true,
            ..SentencePieceNormalizer::default()
        };
        let mut file = File {
            pieces: Vec::new(),
            model_type: 1,
            byte_fallback: false,
            unknown_surface: UNKNOWN_SURFACE.to_string(),
            normalizer,
        };
        each(bytes, |number, field| match (number, field) {
            (1, Field::Bytes(piece)) => file.piece(piece),
            (2, Field::Bytes(trainer)) => file.trainer(trainer),
            (3, Field::Bytes(normalizer)) => file.normalizer(normalizer),
            _ => Ok(()),
        })?;
        Ok(file)
    }

    fn piece(&mut self, bytes: &[u8]) -> Result<()> {
        let (mut piece, mut score, mut kind) = (String::new(), 0.0, PieceKind::Normal);
        each(bytes, |number, field| {
            match (number, field) {
                (1, Field::Bytes(bytes)) => piece = text(bytes)?,
                (2, Field::Float(value)) => score = value,
                (3, Field::Number(code)) => {
                    kind = PieceKind::from_code(code)
                        .ok_or_else(|| Error::unsupported(format!("piece {piece:?} of type {code}")))?;
                }
                _ => {}
            }
            Ok(())
        })?;
        self.pieces.push((piece, score, kind));
        Ok(())
    }

    fn trainer(&mut self, bytes: &[u8]) -> Result<()> {
        each(bytes, |number, field| {
            match (number, field) {
                (3, Field::Number(kind)) => self.model_type = kind,
                (24, Field::Number(suffix)) => self.normalizer.whitespace_is_suffix = suffix != 0,
                (35, Field::Number(fallback)) => self.byte_fallback = fallback != 0,
                (44, Field::Bytes(bytes)) => self.unknown_surface = text(bytes)?,
                _ => {}
            }
            Ok(())
        })
    }

    fn normalizer(&mut self, bytes: &[u8]) -> Result<()> {
        each(bytes, |number, field| {
            let normalizer = &mut self.normalizer;
            match (number, field) {
                (2, Field::Bytes([])) => {}
                (2, Field::Bytes(map)) => {
                    normalizer.charsmap =
                        Some(Charsmap::parse(map).map_err(|error| Error::malformed(error.to_string()))?);
                }
                (3, Field::Number(value)) => normalizer.add_dummy_prefix = value != 0,
                (4, Field::Number(value)) => normalizer.remove_extra_whitespaces = value != 0,
                (5, Field::Number(value)) => normalizer.escape_whitespaces = value != 0,
                _ => {}
            }
            Ok(())
        })
    }
}

/// The parts that models of SentencePiece and of GGUF's `llama` and `t5` share.
pub(crate) struct Parts {
    pub(crate) pieces: Vec<(String, f32, PieceKind)>,
    pub(crate) algorithm: Algorithm,
    pub(crate) byte_fallback: bool,
    pub(crate) unknown_surface: String,
    pub(crate) normalizer: SentencePieceNormalizer,
}

/// The tokenizer of a model of pieces.
pub(crate) fn assemble(parts: Parts) -> Result<Tokenizer> {
    let Parts { pieces, algorithm, byte_fallback, unknown_surface, mut normalizer } = parts;
    let unknown = pieces.iter().position(|(.., kind)| *kind == PieceKind::Unknown);
    let unknown = unknown.ok_or_else(|| Error::malformed("no piece is the unknown one"))?;
    if let Some((piece, score, _)) = pieces.iter().find(|(_, score, _)| score.is_nan()) {
        return Err(Error::malformed(format!("the piece {piece:?} has the score {score}")));
    }
    let vocabulary = Vocabulary::from_list(pieces.iter().map(|(piece, ..)| piece.as_str()));
    if byte_fallback
        && let Some(byte) = (0..=255).find(|byte| vocabulary.id(&crate::bytes::token_of_byte(*byte)).is_none())
    {
        let token = crate::bytes::token_of_byte(byte);
        return Err(Error::malformed(format!("the model falls back to bytes, and the piece {token} is missing")));
    }
    let decoder = SentencePieceDecoder {
        add_dummy_prefix: normalizer.add_dummy_prefix,
        remove_extra_whitespaces: normalizer.remove_extra_whitespaces,
        unknown: (pieces[unknown].0.clone(), unknown_surface),
    };
    let kinds = pieces.iter().map(|(.., kind)| *kind).collect();
    let scores = pieces.iter().map(|(_, score, _)| *score).collect();
    let model = SentencePiece::new(vocabulary, kinds, scores, algorithm, unknown as u32, byte_fallback);
    normalizer.kept = model.user_defined().clone();
    Ok(Tokenizer {
        normalizer: Some(Normalizer::SentencePiece(normalizer)),
        pre_tokenizer: None,
        model: Model::SentencePiece(model),
        post_processor: None,
        decoder: Some(Decoder::SentencePiece(decoder)),
        added: AddedTokens::default(),
        truncation: None,
        padding: None,
        chat: ChatTemplates::default(),
    })
}

impl Tokenizer {
    /// Reads a SentencePiece model: Unigram or BPE, with its normalizer, byte fallback, and pieces
    /// of control and of users. As SentencePiece does, it adds no token around a text, and does not
    /// look for pieces of control in it; [`Tokenizer::add_token`] makes it do so.
    ///
    /// # Errors
    /// The bytes are no such model, or it is of another type, which the message names.
    ///
    /// ```
    /// # mod lanthorn { pub use lanthorn_tokenizer as tokenizer; }
    /// use lanthorn::tokenizer::Tokenizer;
    /// let error = Tokenizer::from_sentence_piece(b"\x0a\xffnonsense").unwrap_err();
    /// assert!(error.is_malformed());
    /// ```
    pub fn from_sentence_piece(bytes: &[u8]) -> Result<Tokenizer> {
        let read = || {
            let file = File::read(bytes)?;
            if file.pieces.is_empty() {
                return Err(Error::malformed("the file has no pieces"));
            }
            let algorithm = match file.model_type {
                1 => Algorithm::Unigram,
                2 => Algorithm::Bpe,
                3 => return Err(Error::unsupported("a model of whole words")),
                4 => return Err(Error::unsupported("a model of characters")),
                other => return Err(Error::unsupported(format!("a model of type {other}"))),
            };
            let File { pieces, byte_fallback, unknown_surface, normalizer, .. } = file;
            assemble(Parts { pieces, algorithm, byte_fallback, unknown_surface, normalizer })
        };
        read().map_err(|error: Error| error.within("SentencePiece model"))
    }
}
