//! Tokens that are added around a text or two, and offsets without spaces.

use crate::encoding::Encoding;
use crate::json::Part;
use crate::vocabulary::Vocabulary;
use crate::{Error, Result};

/// A part of a template: a text, or tokens to add, with their type id.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TemplatePiece {
    Text { index: usize, type_id: u32 },
    Special { ids: Vec<u32>, type_id: u32 },
}

/// A post-processor, by its name in `tokenizer.json`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PostProcessor {
    Template {
        single: Vec<TemplatePiece>,
        pair: Vec<TemplatePiece>,
    },
    /// Spaces do not belong to the offsets of a token.
    TrimOffsets {
        add_prefix_space: bool,
    },
    /// All tokens have this type id.
    TypeId(u32),
    Sequence(Vec<PostProcessor>),
}

impl PostProcessor {
    /// The post-processor that a part of a file describes.
    ///
    /// # Errors
    /// It is not known, or names a token that the vocabulary lacks.
    pub(crate) fn from_json(part: &Part, knows: &impl Fn(u32) -> bool) -> Result<PostProcessor> {
        Ok(match part.kind()? {
            "BertProcessing" => {
                let (cls, sep) = (token(part, "cls", knows)?, token(part, "sep", knows)?);
                PostProcessor::bert(cls, sep)
            }
            "ByteLevel" => read_trimming(part, true)?,
            "RobertaProcessing" => {
                let (cls, sep) = (token(part, "cls", knows)?, token(part, "sep", knows)?);
                let text = |index| TemplatePiece::Text { index, type_id: 0 };
                let [cls, sep] = [cls, sep].map(|id| TemplatePiece::Special { ids: vec![id], type_id: 0 });
                let single = vec![cls.clone(), text(0), sep.clone()];
                let pair = vec![cls, text(0), sep.clone(), sep.clone(), text(1), sep];
                let template = PostProcessor::Template { single, pair };
                PostProcessor::Sequence(vec![read_trimming(part, true)?, template, PostProcessor::TypeId(0)])
            }
            "Sequence" => {
                let all = part.need("processors")?.list()?;
                let read = |part: &Part| PostProcessor::from_json(part, knows);
                PostProcessor::Sequence(all.iter().map(read).collect::<Result<_>>()?)
            }
            "TemplateProcessing" => {
                let tokens = part.need("special_tokens")?;
                let read = |name| template(&part.need(name)?, &tokens, knows);
                PostProcessor::Template { single: read("single")?, pair: read("pair")? }
            }
            other => return Err(part.unsupported(format!("of type {other:?}"))),
        })
    }

    /// `[CLS] A [SEP]`, and `[CLS] A [SEP] B [SEP]` with type id 1 from B on.
    pub(crate) fn bert(cls: u32, sep: u32) -> PostProcessor {
        let special = |id, type_id| TemplatePiece::Special { ids: vec![id], type_id };
        let text = |index, type_id| TemplatePiece::Text { index, type_id };
        let single = vec![special(cls, 0), text(0, 0), special(sep, 0)];
        let pair = vec![special(cls, 0), text(0, 0), special(sep, 0), text(1, 1), special(sep, 1)];
        PostProcessor::Template { single, pair }
    }

    /// Tokens before and behind each text.
    pub(crate) fn around(before: Option<u32>, behind: Option<u32>) -> PostProcessor {
        let around = |index: usize| {
            let special =
                |id: Option<u32>| id.map(|id| TemplatePiece::Special { ids: vec![id], type_id: index as u32 });
            let text = TemplatePiece::Text { index, type_id: index as u32 };
            [special(before), Some(text), special(behind)].into_iter().flatten()
        };
        PostProcessor::Template { single: around(0).collect(), pair: around(0).chain(around(1)).collect() }
    }

    /// The number of tokens that are added.
    pub(crate) fn added_token_count(&self, is_pair: bool) -> usize {
        let count = |pieces: &[TemplatePiece]| {
            let ids = |piece: &TemplatePiece| match piece {
                TemplatePiece::Special { ids, .. } => ids.len(),
                TemplatePiece::Text { .. } => 0,
            };
            pieces.iter().map(ids).sum()
        };
        match self {
            PostProcessor::Template { single, pair } => count(if is_pair { pair } else { single }),
            PostProcessor::Sequence(all) => all.iter().map(|processor| processor.added_token_count(is_pair)).sum(),
            PostProcessor::TrimOffsets { .. } | PostProcessor::TypeId(_) => 0,
        }
    }

    /// Applies the processor to one text or two, or to what another one made of them.
    ///
    /// # Errors
    /// A template follows another.
    pub(crate) fn apply(&self, mut parts: Vec<Encoding>, add_special_tokens: bool) -> Result<Vec<Encoding>> {
        match self {
            PostProcessor::Template { single, pair } => {
                let pieces = match parts.len() {
                    1 => single,
                    2 => pair,
                    _ => return Err(Error::unsupported("a template behind another one")),
                };
                let filled = pieces.iter().filter_map(|piece| match piece {
                    TemplatePiece::Text { index, type_id } => {
                        let mut part = parts.get(*index).cloned().unwrap_or_default();
                        part.set_type_id(*type_id);
                        Some(part)
                    }
                    TemplatePiece::Special { ids, type_id } => {
                        add_special_tokens.then(|| Encoding::special(ids, *type_id))
                    }
                });
                Ok(filled.collect())
            }
            PostProcessor::TrimOffsets { add_prefix_space } => {
                parts.iter_mut().for_each(|part| trim(part, *add_prefix_space));
                Ok(parts)
            }
            PostProcessor::TypeId(type_id) => {
                parts.iter_mut().for_each(|part| part.set_type_id(*type_id));
                Ok(parts)
            }
            PostProcessor::Sequence(all) => {
                all.iter().try_fold(parts, |parts, processor| processor.apply(parts, add_special_tokens))
            }
        }
    }
}

/// The id of `[token, id]`.
fn token(part: &Part, name: &str, knows: &impl Fn(u32) -> bool) -> Result<u32> {
    let token = part.need(name)?;
    match &token.list()?[..] {
        [_, id] => read_known_id(id, knows),
        _ => Err(token.malformed("is no pair of a token and its id")),
    }
}

fn read_known_id(id: &Part, knows: &impl Fn(u32) -> bool) -> Result<u32> {
    let number = id.u32()?;
    if knows(number) { Ok(number) } else { Err(id.malformed(format!("no token has the id {number}"))) }
}

fn read_trimming(part: &Part, default: bool) -> Result<PostProcessor> {
    let add_prefix_space = part.bool_or("add_prefix_space", true)?;
    Ok(match part.bool_or("trim_offsets", default)? {
        true => PostProcessor::TrimOffsets { add_prefix_space },
        false => PostProcessor::Sequence(Vec::new()),
    })
}

fn template(part: &Part, tokens: &Part, knows: &impl Fn(u32) -> bool) -> Result<Vec<TemplatePiece>> {
    let piece = |part: &Part| {
        if let Some(text) = part.get("Sequence") {
            let index = match text.need("id")?.str()? {
                "A" => 0,
                "B" => 1,
                other => return Err(text.unsupported(format!("with the id {other:?}"))),
            };
            return Ok(TemplatePiece::Text { index, type_id: text.u32_or("type_id", 0)? });
        }
        let special = part.need("SpecialToken")?;
        let name = special.need("id")?.str()?;
        let token = tokens.get(name).ok_or_else(|| special.malformed(format!("special_tokens has no {name:?}")))?;
        let ids = token.need("ids")?.list()?.iter().map(|id| read_known_id(id, knows)).collect::<Result<_>>()?;
        Ok(TemplatePiece::Special { ids, type_id: special.u32_or("type_id", 0)? })
    };
    part.list()?.iter().map(piece).collect()
}

fn trim(encoding: &mut Encoding, add_prefix_space: bool) {
    for (index, (offsets, spaces)) in encoding.offsets.iter_mut().zip(&encoding.spaces).enumerate() {
        // One space at the front is the one that was added.
        let is_added = (index == 0 || offsets.start == 0) && add_prefix_space && spaces.leading == 1;
        let front = if is_added { 0 } else { spaces.front as usize };
        offsets.start = (offsets.start + front).min(offsets.end);
        offsets.end = offsets.end.saturating_sub(spaces.back as usize).max(offsets.start);
    }
}

/// The check whether a vocabulary or the added tokens have an id.
pub(crate) fn knows<'a>(model: &'a Vocabulary, added: &'a crate::added::AddedTokens) -> impl Fn(u32) -> bool + 'a {
    |id| model.token(id).is_some() || added.get(id).is_some()
}
