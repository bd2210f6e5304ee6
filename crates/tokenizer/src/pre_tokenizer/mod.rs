//! How a text is split before the model sees it.

mod scripts;

use crate::json::Part;
use crate::normalizer::{Pattern, byte_level};
use crate::piece::{Behavior, Piece, by_char, by_literal, by_regex, invert_stretches};
use crate::regex::Regex;
use crate::{Error, Result};
use scripts::Scripts;
use unicode_categories::UnicodeCategories;

/// The split of GPT-2: contractions, words, numbers, other signs, each with a space before it.
pub(crate) const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// Words, and runs of other signs.
const WORDS: &str =
    r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\s]+";

/// Where a space is put before a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PrependScheme {
    Always,
    First,
    Never,
}

impl PrependScheme {
    /// The scheme of a normalizer, pre-tokenizer or decoder `Metaspace`.
    pub(crate) fn from_json(part: &Part) -> Result<PrependScheme> {
        let scheme = match part.str_or("prepend_scheme", "always")? {
            "always" => PrependScheme::Always,
            "first" => PrependScheme::First,
            "never" => PrependScheme::Never,
            other => return Err(part.unsupported(format!("with the prepend_scheme {other:?}"))),
        };
        // Files from before there were schemes.
        if !part.bool_or("add_prefix_space", true)? {
            if part.get("prepend_scheme").is_some() && scheme != PrependScheme::Never {
                return Err(part.malformed("add_prefix_space and prepend_scheme contradict each other"));
            }
            return Ok(PrependScheme::Never);
        }
        Ok(scheme)
    }
}

/// A pre-tokenizer, by its name in `tokenizer.json`.
#[derive(Clone, Debug)]
pub(crate) enum PreTokenizer {
    Bert,
    ByteLevel { add_prefix_space: bool, regex: Option<Regex> },
    Delimiter(char),
    Digits { individual: bool },
    FixedLength(usize),
    Metaspace { replacement: char, scheme: PrependScheme, split: bool },
    Punctuation(Behavior),
    Sequence(Vec<PreTokenizer>),
    Split { pattern: Pattern, behavior: Behavior, invert: bool },
    UnicodeScripts(Scripts),
    Whitespace(Regex),
    WhitespaceSplit,
}

impl PreTokenizer {
    /// The pre-tokenizer that a part of a file describes.
    ///
    /// # Errors
    /// It is not known, or lacks something.
    pub(crate) fn from_json(part: &Part) -> Result<PreTokenizer> {
        Ok(match part.kind()? {
            "BertPreTokenizer" => PreTokenizer::Bert,
            "ByteLevel" => {
                PreTokenizer::byte_level(part.bool_or("add_prefix_space", true)?, part.bool_or("use_regex", true)?)?
            }
            "CharDelimiterSplit" => PreTokenizer::Delimiter(part.need("delimiter")?.char()?),
            "Digits" => PreTokenizer::Digits { individual: part.bool_or("individual_digits", false)? },
            "FixedLength" => match part.u32_or("length", 5)? {
                0 => return Err(part.malformed("has the length 0")),
                length => PreTokenizer::FixedLength(length as usize),
            },
            "Metaspace" => PreTokenizer::Metaspace {
                replacement: part.need("replacement")?.char()?,
                scheme: PrependScheme::from_json(part)?,
                split: part.bool_or("split", true)?,
            },
            "Punctuation" => PreTokenizer::Punctuation(behavior(part, "Isolated")?),
            "Sequence" => {
                let all = part.need("pretokenizers")?.list()?;
                PreTokenizer::Sequence(all.iter().map(PreTokenizer::from_json).collect::<Result<_>>()?)
            }
            "Split" => PreTokenizer::Split {
                pattern: Pattern::from_json(&part.need("pattern")?)?,
                behavior: behavior(part, "")?,
                invert: part.bool_or("invert", false)?,
            },
            "UnicodeScripts" => PreTokenizer::UnicodeScripts(Scripts::new()?),
            "Whitespace" => PreTokenizer::Whitespace(Regex::new(WORDS)?),
            "WhitespaceSplit" => PreTokenizer::WhitespaceSplit,
            other => return Err(part.unsupported(format!("of type {other:?}"))),
        })
    }

    /// Bytes as visible characters, behind GPT-2's split if it is wanted.
    pub(crate) fn byte_level(add_prefix_space: bool, use_regex: bool) -> Result<PreTokenizer> {
        let regex = if use_regex { Some(Regex::new(GPT2)?) } else { None };
        Ok(PreTokenizer::ByteLevel { add_prefix_space, regex })
    }

    /// A split in which every match of a regular expression is a part.
    pub(crate) fn isolate(regex: &str) -> Result<PreTokenizer> {
        let pattern = Pattern::Regex(Regex::new(regex)?);
        Ok(PreTokenizer::Split { pattern, behavior: Behavior::Isolated, invert: false })
    }

    /// The parts of a part of a text.
    ///
    /// # Errors
    /// A regular expression takes too long.
    pub(crate) fn split(&self, mut piece: Piece) -> Result<Vec<Piece>> {
        Ok(match self {
            PreTokenizer::Bert => {
                let words = piece.split(by_char(piece.text(), char::is_whitespace), Behavior::Removed);
                let split = |word: Piece| word.split(by_char(word.text(), is_punctuation), Behavior::Isolated);
                words.into_iter().flat_map(split).collect()
            }
            PreTokenizer::ByteLevel { add_prefix_space, regex } => {
                if *add_prefix_space && !piece.text().starts_with(' ') {
                    piece.prepend(" ");
                }
                let mut parts = match regex {
                    Some(regex) => piece.split(by_regex(piece.text(), regex)?, Behavior::Isolated),
                    None => vec![piece],
                };
                parts.iter_mut().for_each(byte_level);
                parts
            }
            PreTokenizer::Delimiter(delimiter) => {
                piece.split(by_char(piece.text(), |character| character == *delimiter), Behavior::Removed)
            }
            PreTokenizer::Digits { individual } => {
                let behavior = if *individual { Behavior::Isolated } else { Behavior::Contiguous };
                piece.split(by_char(piece.text(), char::is_numeric), behavior)
            }
            PreTokenizer::FixedLength(length) => fixed_length(&piece, *length),
            PreTokenizer::Metaspace { replacement, scheme, split } => {
                metaspace(&mut piece, *replacement, *scheme);
                let replaced = |character| character == *replacement;
                match split {
                    true => piece.split(by_char(piece.text(), replaced), Behavior::MergedWithNext),
                    false => vec![piece],
                }
            }
            PreTokenizer::Punctuation(behavior) => piece.split(by_char(piece.text(), is_punctuation), *behavior),
            PreTokenizer::Sequence(all) => {
                let mut parts = vec![piece];
                for pre_tokenizer in all {
                    let next: Vec<Vec<Piece>> =
                        parts.into_iter().map(|part| pre_tokenizer.split(part)).collect::<Result<_>>()?;
                    parts = next.into_iter().flatten().filter(|part| !part.text().is_empty()).collect();
                }
                parts
            }
            PreTokenizer::Split { pattern, behavior, invert } => {
                let stretches = pattern.stretches(piece.text())?;
                piece.split(if *invert { invert_stretches(stretches) } else { stretches }, *behavior)
            }
            PreTokenizer::UnicodeScripts(scripts) => scripts.split(&piece),
            PreTokenizer::Whitespace(regex) => {
                piece.split(invert_stretches(by_regex(piece.text(), regex)?), Behavior::Removed)
            }
            PreTokenizer::WhitespaceSplit => piece.split(by_char(piece.text(), char::is_whitespace), Behavior::Removed),
        })
    }
}

fn behavior(part: &Part, default: &'static str) -> Result<Behavior, Error> {
    let name = part.str_or("behavior", default)?;
    Behavior::from_name(name).ok_or_else(|| part.unsupported(format!("with the behavior {name:?}")))
}

fn is_punctuation(character: char) -> bool {
    character.is_ascii_punctuation() || character.is_punctuation()
}

fn fixed_length(piece: &Piece, length: usize) -> Vec<Piece> {
    let starts: Vec<usize> = piece.text().char_indices().map(|(at, _)| at).step_by(length).collect();
    let ends = starts.iter().skip(1).copied().chain([piece.text().len()]);
    starts.iter().zip(ends).map(|(start, end)| piece.slice(*start..end)).collect()
}

/// Spaces are replaced, and one may be put in front.
fn metaspace(piece: &mut Piece, replacement: char, scheme: PrependScheme) {
    let text = replacement.to_string();
    let stretches = by_literal(piece.text(), " ");
    piece.replace(&stretches, &text);
    let wanted = match scheme {
        PrependScheme::Always => true,
        PrependScheme::First => piece.start() == 0,
        PrependScheme::Never => false,
    };
    if wanted && !piece.text().starts_with(replacement) {
        piece.prepend(&text);
    }
}
