//! Tokens back to text.

use crate::bytes::{byte_of, byte_of_token};
use crate::json::Part;
use crate::normalizer::Pattern;
use crate::pre_tokenizer::PrependScheme;
use crate::{Error, Result};

/// What SentencePiece writes for an unknown piece, unless the model says otherwise.
pub(crate) const UNKNOWN_SURFACE: &str = " \u{2047} ";

/// How SentencePiece turns pieces into text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SentencePieceDecoder {
    /// Whether one space at the front was added by the normalizer.
    pub(crate) add_dummy_prefix: bool,
    /// Whether no spaces at the front can be the text's.
    pub(crate) remove_extra_whitespaces: bool,
    /// The piece of unknown text, and its text.
    pub(crate) unknown: (String, String),
}

/// A decoder, by its name in `tokenizer.json`.
#[derive(Clone, Debug)]
pub(crate) enum Decoder {
    Bpe { suffix: String },
    ByteFallback,
    ByteLevel,
    Ctc { pad: String, delimiter: String, cleanup: bool },
    Fuse,
    Metaspace { replacement: char, scheme: PrependScheme },
    Replace(Pattern, String),
    SentencePiece(SentencePieceDecoder),
    Sequence(Vec<Decoder>),
    Strip { content: char, start: usize, stop: usize },
    WordPiece { prefix: String, cleanup: bool },
}

impl Decoder {
    /// The decoder that a part of a file describes.
    ///
    /// # Errors
    /// It is not known, or lacks something.
    pub(crate) fn from_json(part: &Part) -> Result<Decoder> {
        let text = |name, default| part.str_or(name, default).map(str::to_string);
        Ok(match part.kind()? {
            "BPEDecoder" => Decoder::Bpe { suffix: text("suffix", "</w>")? },
            "ByteFallback" => Decoder::ByteFallback,
            "ByteLevel" => Decoder::ByteLevel,
            "CTC" => Decoder::Ctc {
                pad: text("pad_token", "<pad>")?,
                delimiter: text("word_delimiter_token", "|")?,
                cleanup: part.bool_or("cleanup", true)?,
            },
            "Fuse" => Decoder::Fuse,
            "Metaspace" => Decoder::Metaspace {
                replacement: part.need("replacement")?.char()?,
                scheme: PrependScheme::from_json(part)?,
            },
            "Replace" => {
                let content = part.need("content")?.str()?.to_string();
                Decoder::Replace(Pattern::from_json(&part.need("pattern")?)?, content)
            }
            "Sequence" => {
                let all = part.need("decoders")?.list()?;
                Decoder::Sequence(all.iter().map(Decoder::from_json).collect::<Result<_>>()?)
            }
            "Strip" => Decoder::Strip {
                content: part.need("content")?.char()?,
                start: part.u32_or("start", 0)? as usize,
                stop: part.u32_or("stop", 0)? as usize,
            },
            "WordPiece" => {
                Decoder::WordPiece { prefix: text("prefix", "##")?, cleanup: part.bool_or("cleanup", true)? }
            }
            other => return Err(part.unsupported(format!("of type {other:?}"))),
        })
    }

    /// The parts of the text that tokens become.
    ///
    /// # Errors
    /// A regular expression takes too long.
    pub(crate) fn decode(&self, mut tokens: Vec<String>) -> Result<Vec<String>, Error> {
        match self {
            Decoder::Bpe { suffix } => {
                let last = tokens.len().saturating_sub(1);
                let replaced =
                    |(index, token): (usize, String)| token.replace(suffix, if index == last { "" } else { " " });
                Ok(tokens.into_iter().enumerate().map(replaced).collect())
            }
            Decoder::ByteFallback => Ok(byte_fallback(tokens)),
            Decoder::ByteLevel => Ok(vec![byte_level(&tokens)]),
            Decoder::Ctc { pad, delimiter, cleanup } => {
                tokens.dedup();
                let cleaned = tokens.into_iter().map(|token| {
                    let token = token.replace(pad, "");
                    if *cleanup { cleaned_up(&token).replace(delimiter, " ") } else { token }
                });
                Ok(cleaned.filter(|token| !token.is_empty()).collect())
            }
            Decoder::Fuse => Ok(vec![tokens.concat()]),
            Decoder::Metaspace { replacement, scheme } => {
                for (index, token) in tokens.iter_mut().enumerate() {
                    let is_front = index == 0 && *scheme != PrependScheme::Never;
                    *token = token.replace(*replacement, if is_front { "" } else { " " });
                }
                Ok(tokens)
            }
            Decoder::Replace(pattern, content) => {
                let replaced = |token: String| {
                    let stretches = pattern.stretches(&token)?;
                    let part = |(range, matched): (std::ops::Range<usize>, bool)| match matched {
                        true => content.as_str(),
                        false => token.get(range).unwrap_or_default(),
                    };
                    Ok(stretches.into_iter().map(part).collect::<String>())
                };
                tokens.into_iter().map(replaced).collect()
            }
            Decoder::SentencePiece(decoder) => Ok(vec![decoder.decode(&tokens)]),
            Decoder::Sequence(all) => all.iter().try_fold(tokens, |tokens, decoder| decoder.decode(tokens)),
            Decoder::Strip { content, start, stop } => {
                Ok(tokens.iter().map(|token| strip(token, *content, *start, *stop).to_string()).collect())
            }
            Decoder::WordPiece { prefix, cleanup } => {
                for (index, token) in tokens.iter_mut().enumerate() {
                    if index > 0 {
                        *token = match token.strip_prefix(prefix.as_str()) {
                            Some(rest) => rest.to_string(),
                            None => format!(" {token}"),
                        };
                    }
                    if *cleanup {
                        *token = cleaned_up(token);
                    }
                }
                Ok(tokens)
            }
        }
    }
}

/// Runs of tokens of bytes as text; a replacement character for each byte of a run that is no
/// UTF-8.
fn byte_fallback(tokens: Vec<String>) -> Vec<String> {
    let (mut decoded, mut bytes) = (Vec::with_capacity(tokens.len()), Vec::new());
    let flush = |bytes: &mut Vec<u8>, decoded: &mut Vec<String>| match std::str::from_utf8(bytes) {
        Ok("") => {}
        Ok(text) => decoded.push(text.to_string()),
        Err(_) => decoded.extend(bytes.iter().map(|_| char::REPLACEMENT_CHARACTER.to_string())),
    };
    for token in tokens {
        match byte_of_token(&token) {
            Some(byte) => bytes.push(byte),
            None => {
                flush(&mut bytes, &mut decoded);
                bytes.clear();
                decoded.push(token);
            }
        }
    }
    flush(&mut bytes, &mut decoded);
    decoded
}

/// Characters of the alphabet of bytes as bytes; a token with other characters is text.
fn byte_level(tokens: &[String]) -> String {
    let bytes: Vec<u8> = tokens
        .iter()
        .flat_map(|token| {
            token.chars().map(byte_of).collect::<Option<Vec<u8>>>().unwrap_or_else(|| token.as_bytes().to_vec())
        })
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Text without the spaces that splitting put into English.
fn cleaned_up(text: &str) -> String {
    const SPACED: [(&str, &str); 11] = [
        (" .", "."),
        (" ?", "?"),
        (" !", "!"),
        (" ,", ","),
        (" ' ", "'"),
        (" n't", "n't"),
        (" 'm", "'m"),
        (" do not", " don't"),
        (" 's", "'s"),
        (" 've", "'ve"),
        (" 're", "'re"),
    ];
    SPACED.iter().fold(text.to_string(), |text, (spaced, joined)| text.replace(spaced, joined))
}

/// A token without a character at its start and end, where it is removed at most `start` and `stop`
/// times.
fn strip(token: &str, content: char, start: usize, stop: usize) -> &str {
    let mut rest = token;
    for _ in 0..start {
        let Some(next) = rest.strip_prefix(content) else { break };
        rest = next;
    }
    for _ in 0..stop {
        let Some(next) = rest.strip_suffix(content) else { break };
        rest = next;
    }
    rest
}

impl SentencePieceDecoder {
    /// The text of pieces. Pieces of control are not among them.
    fn decode(&self, pieces: &[String]) -> String {
        let (mut text, mut bytes) = (String::new(), Vec::new());
        let (mut is_front, mut had_space) = (true, false);
        for piece in pieces {
            if let Some(byte) = byte_of_token(piece) {
                bytes.push(byte);
                continue;
            }
            flush(&mut bytes, &mut text);
            is_front &= !had_space && text.is_empty();
            if *piece == self.unknown.0 {
                text.push_str(&self.unknown.1);
                continue;
            }
            let mut rest = piece.as_str();
            if is_front && (self.add_dummy_prefix || self.remove_extra_whitespaces) {
                let without = rest.strip_prefix('▁');
                had_space = without.is_some() && !self.remove_extra_whitespaces;
                rest = without.unwrap_or(rest);
            }
            text.push_str(&rest.replace('▁', " "));
        }
        flush(&mut bytes, &mut text);
        text
    }
}

/// Bytes as text; a replacement character for each byte that is no part of a character.
fn flush(bytes: &mut Vec<u8>, text: &mut String) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    bytes.clear();
}
