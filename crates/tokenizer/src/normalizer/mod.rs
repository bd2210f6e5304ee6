//! Normalization of the text before it is split: Unicode's normal forms, lower case, replacements.

mod bert;
mod charsmap;
mod sentence_piece;

pub(crate) use charsmap::Charsmap;
pub(crate) use sentence_piece::{Prefixes, SentencePieceNormalizer};

use crate::bytes;
use crate::json::Part;
use crate::piece::{Change, Piece, by_literal, by_regex};
use crate::regex::Regex;
use crate::{Error, Result};
pub(crate) use bert::BertNormalizer;
use unicode_normalization_alignments::UnicodeNormalization;
use unicode_normalization_alignments::char::is_combining_mark;

/// A normalizer, by its name in `tokenizer.json`; and SentencePiece's own.
#[derive(Clone, Debug)]
pub(crate) enum Normalizer {
    Bert(BertNormalizer),
    ByteLevel,
    Lowercase,
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
    Nmt,
    Precompiled(Charsmap),
    Prepend(String),
    Replace(Pattern, String),
    SentencePiece(SentencePieceNormalizer),
    Sequence(Vec<Normalizer>),
    Strip { left: bool, right: bool },
    StripAccents,
}

/// A text or a regular expression to search for.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Text(String),
    Regex(Regex),
}

impl Pattern {
    /// `{"String": …}` or `{"Regex": …}`.
    pub(crate) fn from_json(part: &Part) -> Result<Pattern> {
        match (part.get("String"), part.get("Regex")) {
            (Some(text), _) => Ok(Pattern::Text(text.str()?.to_string())),
            (None, Some(regex)) => Ok(Pattern::Regex(Regex::new(regex.str()?)?)),
            (None, None) => Err(part.unsupported("that is neither a String nor a Regex")),
        }
    }

    /// The stretches of a text that match.
    pub(crate) fn stretches(&self, text: &str) -> Result<Vec<crate::piece::Stretch>> {
        match self {
            Pattern::Text(literal) => Ok(by_literal(text, literal)),
            Pattern::Regex(regex) => by_regex(text, regex),
        }
    }
}

impl Normalizer {
    /// The normalizer that a part of a file describes.
    ///
    /// # Errors
    /// It is not known, or lacks something.
    pub(crate) fn from_json(part: &Part) -> Result<Normalizer> {
        Ok(match part.kind()? {
            "BertNormalizer" => Normalizer::Bert(BertNormalizer::from_json(part)?),
            "ByteLevel" => Normalizer::ByteLevel,
            "Lowercase" => Normalizer::Lowercase,
            "NFC" => Normalizer::Nfc,
            "NFD" => Normalizer::Nfd,
            "NFKC" => Normalizer::Nfkc,
            "NFKD" => Normalizer::Nfkd,
            "Nmt" => Normalizer::Nmt,
            "Precompiled" => Normalizer::Precompiled(charsmap_from_json(part)?),
            "Prepend" => Normalizer::Prepend(part.need("prepend")?.str()?.to_string()),
            "Replace" => {
                let content = part.need("content")?.str()?.to_string();
                Normalizer::Replace(Pattern::from_json(&part.need("pattern")?)?, content)
            }
            "Sequence" => {
                let all = part.need("normalizers")?.list()?;
                Normalizer::Sequence(all.iter().map(Normalizer::from_json).collect::<Result<_>>()?)
            }
            "Strip" => {
                Normalizer::Strip { left: part.bool_or("strip_left", true)?, right: part.bool_or("strip_right", true)? }
            }
            "StripAccents" => Normalizer::StripAccents,
            other => return Err(part.unsupported(format!("of type {other:?}"))),
        })
    }

    /// Changes a text.
    ///
    /// # Errors
    /// A regular expression takes too long.
    pub(crate) fn apply(&self, piece: &mut Piece) -> Result<()> {
        match self {
            Normalizer::Bert(bert) => bert.apply(piece),
            Normalizer::ByteLevel => byte_level(piece),
            Normalizer::Lowercase => lowercase(piece),
            Normalizer::Nfc => normal_form(piece, |text| text.nfc().collect()),
            Normalizer::Nfd => normal_form(piece, |text| text.nfd().collect()),
            Normalizer::Nfkc => normal_form(piece, |text| text.nfkc().collect()),
            Normalizer::Nfkd => normal_form(piece, |text| text.nfkd().collect()),
            Normalizer::Nmt => nmt(piece),
            Normalizer::Precompiled(charsmap) => charsmap.apply_to_graphemes(piece),
            Normalizer::Prepend(prefix) => piece.prepend(prefix),
            Normalizer::Replace(pattern, content) => {
                let stretches = pattern.stretches(piece.text())?;
                piece.replace(&stretches, content);
            }
            Normalizer::SentencePiece(normalizer) => normalizer.apply(piece),
            Normalizer::Sequence(all) => all.iter().try_for_each(|normalizer| normalizer.apply(piece))?,
            Normalizer::Strip { left, right } => piece.strip(*left, *right),
            Normalizer::StripAccents => piece.filter(|character| !is_combining_mark(character)),
        }
        Ok(())
    }
}

fn charsmap_from_json(part: &Part) -> Result<Charsmap> {
    let text = part.need("precompiled_charsmap")?;
    let bytes = base64(text.str()?).ok_or_else(|| text.malformed("is no base64"))?;
    Charsmap::parse(&bytes).map_err(|error| text.malformed(error))
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(text.len() / 4 * 3), 0u32, 0);
    for character in text.trim_end_matches('=').bytes() {
        let digit = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        (bits, count) = (bits << 6 | u32::from(digit), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

/// Most text is ASCII, which is its own normal form.
fn normal_form(piece: &mut Piece, changes: impl Fn(&str) -> Vec<Change>) {
    if !piece.text().is_ascii() {
        let changes = changes(piece.text());
        piece.transform(changes, 0);
    }
}

pub(crate) fn lowercase(piece: &mut Piece) {
    let lower = |character: char| {
        character.to_lowercase().enumerate().map(|(index, character)| (character, isize::from(index > 0)))
    };
    let changes: Vec<Change> = piece.text().chars().flat_map(lower).collect();
    piece.transform(changes, 0);
}

/// Each byte as a visible character.
pub(crate) fn byte_level(piece: &mut Piece) {
    let mut text = String::with_capacity(piece.text().len() * 2);
    let mut spans = Vec::with_capacity(piece.text().len() * 2);
    for (byte, span) in piece.text().bytes().zip(piece.spans()) {
        let character = bytes::char_of(byte);
        text.push(character);
        spans.extend((0..character.len_utf8()).map(|_| *span));
    }
    *piece = Piece::from_parts(text, spans, piece.start());
}

/// Controls are removed, and all spaces are one.
fn nmt(piece: &mut Piece) {
    piece.filter(|character| {
        !matches!(character, '\u{1}'..='\u{8}' | '\u{b}' | '\u{e}'..='\u{1f}' | '\u{7f}' | '\u{8f}' | '\u{9f}')
    });
    piece.map(|character| match character {
        '\t' | '\n' | '\u{c}' | '\r' | '\u{1680}' | '\u{200b}'..='\u{200f}' => ' ',
        '\u{2028}' | '\u{2029}' | '\u{2581}' | '\u{feff}' | '\u{fffd}' => ' ',
        other => other,
    });
}

impl Normalizer {
    /// The text that a normalizer makes of another.
    pub(crate) fn normalized(&self, text: &str) -> Result<String, Error> {
        let mut piece = Piece::new(text)?;
        self.apply(&mut piece)?;
        Ok(piece.text().to_string())
    }
}
