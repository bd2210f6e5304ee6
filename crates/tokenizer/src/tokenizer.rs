//! The tokenizer: normalize, split, tokenize, post-process; and back.

use crate::added::{AddedToken, AddedTokens};
use crate::chat::ChatTemplates;
use crate::decoder::Decoder;
use crate::encoding::{Encoding, Padding, Spaces, Truncation};
use crate::json::Part;
use crate::model::{Model, PieceKind, Token};
use crate::normalizer::Normalizer;
use crate::piece::Piece;
use crate::post_processor::{PostProcessor, knows};
use crate::pre_tokenizer::PreTokenizer;
use crate::stream::DecodeStream;
use crate::{Error, Result};
use serde_json::Value;

/// Text to ids and back.
///
/// A tokenizer is read from `tokenizer.json` ([`Tokenizer::from_json`]), from SentencePiece's
/// `.model` ([`Tokenizer::from_sentence_piece`]) or from the metadata of a GGUF file
/// ([`Tokenizer::from_gguf`]). It does not change while it encodes, so threads can share it.
///
/// ```
/// # mod lanthorn { pub use lanthorn_tokenizer as tokenizer; }
/// use lanthorn::tokenizer::Tokenizer;
/// let json = r###"{
///     "pre_tokenizer": {"type": "BertPreTokenizer"},
///     "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "un": 1, "##able": 2, "!": 3}},
///     "decoder": {"type": "WordPiece"}
/// }"###;
/// let tokenizer = Tokenizer::from_json(json.as_bytes())?;
/// let encoding = tokenizer.encode("unable!", &Default::default())?;
/// assert_eq!(encoding.ids, [1, 2, 3]);
/// assert_eq!(tokenizer.decode(&encoding.ids, true)?, "unable!");
/// # Ok::<(), lanthorn::tokenizer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tokenizer {
    pub(crate) normalizer: Option<Normalizer>,
    pub(crate) pre_tokenizer: Option<PreTokenizer>,
    pub(crate) model: Model,
    pub(crate) post_processor: Option<PostProcessor>,
    pub(crate) decoder: Option<Decoder>,
    pub(crate) added: AddedTokens,
    pub(crate) truncation: Option<Truncation>,
    pub(crate) padding: Option<Padding>,
    pub(crate) chat: ChatTemplates,
}

/// How texts are encoded.
///
/// ```
/// # mod lanthorn { pub use lanthorn_tokenizer as tokenizer; }
/// use lanthorn::tokenizer::{EncodeOptions, Truncation};
/// let options = EncodeOptions { truncation: Some(Truncation::new(512)), ..EncodeOptions::default() };
/// assert!(options.add_special_tokens);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeOptions {
    /// Whether the post-processor adds its tokens, as `[CLS]`. They are unless told otherwise.
    pub add_special_tokens: bool,
    /// How encodings are shortened; as the file says if `None`. [`Truncation::off`] shortens none.
    pub truncation: Option<Truncation>,
    /// How encodings are made equally long; as the file says if `None`. [`Padding::off`] leaves
    /// their lengths.
    pub padding: Option<Padding>,
}

impl Default for EncodeOptions {
    fn default() -> EncodeOptions {
        EncodeOptions { add_special_tokens: true, truncation: None, padding: None }
    }
}

impl Tokenizer {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// The bytes are no such file, its parts do not fit together, or it has a part that is not
    /// known: the message has the part's path.
    pub fn from_json(bytes: &[u8]) -> Result<Tokenizer> {
        Tokenizer::read_json(bytes).map_err(|error| error.within("tokenizer.json"))
    }

    fn read_json(bytes: &[u8]) -> Result<Tokenizer> {
        let text = std::str::from_utf8(bytes).map_err(|error| Error::malformed(format!("no UTF-8: {error}")))?;
        let value: Value = serde_json::from_str(text).map_err(|error| Error::malformed(format!("no JSON: {error}")))?;
        let file = Part::new(&value, "");
        if let Some(version) = file.get("version") {
            match version.str()? {
                "1.0" => {}
                other => return Err(Error::unsupported(format!("the version {other:?}"))),
            }
        }
        let model = file.get("model").ok_or_else(|| Error::malformed("the file has no \"model\""))?;
        let model = Model::from_json(&model)?;
        let normalizer = file.get("normalizer").map(|part| Normalizer::from_json(&part)).transpose()?;
        let added = match file.get("added_tokens") {
            Some(part) => AddedTokens::from_json(&part, model.vocabulary(), normalizer.as_ref())?,
            None => AddedTokens::default(),
        };
        let post_processor = file
            .get("post_processor")
            .map(|part| PostProcessor::from_json(&part, &knows(model.vocabulary(), &added)))
            .transpose()?;
        Ok(Tokenizer {
            normalizer,
            pre_tokenizer: file.get("pre_tokenizer").map(|part| PreTokenizer::from_json(&part)).transpose()?,
            post_processor,
            decoder: file.get("decoder").map(|part| Decoder::from_json(&part)).transpose()?,
            truncation: file.get("truncation").map(|part| Truncation::from_json(&part)).transpose()?,
            padding: file.get("padding").map(|part| Padding::from_json(&part)).transpose()?,
            chat: ChatTemplates::default(),
            model,
            added,
        })
    }

    /// Encodes a text. Offsets are in its bytes.
    ///
    /// # Errors
    /// The text has something that the model has no token for, a truncation has no room, or a
    /// regular expression of the file takes too long.
    pub fn encode(&self, text: &str, options: &EncodeOptions) -> Result<Encoding> {
        self.pad(self.encode_unpadded(text, None, options)?, options)
    }

    /// Encodes two texts, as a question and its context. Offsets are in the bytes of either.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn encode_pair(&self, first: &str, second: &str, options: &EncodeOptions) -> Result<Encoding> {
        self.pad(self.encode_unpadded(first, Some(second), options)?, options)
    }

    /// Encodes texts, each with a second one or without; with padding, all encodings have the same
    /// length.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`]; the message has the index of the text.
    ///
    /// ```
    /// # mod lanthorn { pub use lanthorn_tokenizer as tokenizer; }
    /// use lanthorn::tokenizer::{EncodeOptions, Padding, Tokenizer};
    /// # let json = br#"{"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "?": 2}, "unk_token": "?"},
    /// #   "pre_tokenizer": {"type": "WhitespaceSplit"}}"#;
    /// let tokenizer = Tokenizer::from_json(json)?;
    /// let options = EncodeOptions { padding: Some(Padding::longest(2)), ..EncodeOptions::default() };
    /// let batch = tokenizer.encode_batch(&[("a b", None), ("b", None)], &options)?;
    /// assert_eq!((&batch[1].ids[..], &batch[1].attention_mask[..]), (&[1, 2][..], &[1, 0][..]));
    /// # Ok::<(), lanthorn::tokenizer::Error>(())
    /// ```
    pub fn encode_batch(&self, texts: &[(&str, Option<&str>)], options: &EncodeOptions) -> Result<Vec<Encoding>> {
        let encode = |(index, (first, second)): (usize, &(&str, Option<&str>))| {
            let encoded = self.encode_unpadded(first, *second, options);
            encoded.map_err(|error| error.within(&format!("text {index}")))
        };
        let mut encodings = texts.iter().enumerate().map(encode).collect::<Result<Vec<_>>>()?;
        if let Some(padding) = options.padding.as_ref().or(self.padding.as_ref()) {
            let length = padding.target(encodings.iter().map(Encoding::len).max().unwrap_or(0))?;
            encodings.iter_mut().for_each(|encoding| encoding.pad(length, padding));
        }
        Ok(encodings)
    }

    fn pad(&self, mut encoding: Encoding, options: &EncodeOptions) -> Result<Encoding> {
        if let Some(padding) = options.padding.as_ref().or(self.padding.as_ref()) {
            encoding.pad(padding.target(encoding.len())?, padding);
        }
        Ok(encoding)
    }

    fn encode_unpadded(&self, first: &str, second: Option<&str>, options: &EncodeOptions) -> Result<Encoding> {
        let mut first = self.encode_one(first)?;
        let mut second = second.map(|second| self.encode_one(second)).transpose()?;
        if let Some(truncation) = options.truncation.as_ref().or(self.truncation.as_ref()) {
            let processor = self.post_processor.as_ref().filter(|_| options.add_special_tokens);
            let added = processor.map_or(0, |processor| processor.added_token_count(second.is_some()));
            truncation.apply(&mut first, second.as_mut(), added)?;
        }
        if let Some(second) = &mut second {
            second.set_type_id(1);
            second.text_ids.fill(1);
        }
        let mut parts: Vec<Encoding> = [first].into_iter().chain(second).collect();
        if let Some(processor) = &self.post_processor {
            parts = processor.apply(parts, options.add_special_tokens)?;
        }
        let mut encoding = Encoding::default();
        parts.into_iter().for_each(|part| encoding.append(part));
        Ok(encoding)
    }

    /// The tokens of a text, before anything is added.
    fn encode_one(&self, text: &str) -> Result<Encoding> {
        let mut encoding = Encoding::default();
        let mut word = 0;
        for (piece, id) in self.sections(text)? {
            let parts = match (&self.pre_tokenizer, id) {
                (Some(pre_tokenizer), None) => pre_tokenizer.split(piece)?,
                _ => vec![piece],
            };
            for part in parts.iter().filter(|part| !part.text().is_empty()) {
                let mut tokens = Vec::new();
                match id {
                    Some(id) => tokens.push(Token::new(id, 0..part.text().len())),
                    None => self.model.tokenize(part.text(), &mut tokens)?,
                }
                tokens.into_iter().for_each(|token| push(&mut encoding, text, part, token, word));
                word += 1;
            }
        }
        Ok(encoding)
    }

    /// The normalized text, and the added tokens in it.
    fn sections(&self, text: &str) -> Result<Vec<(Piece, Option<u32>)>> {
        let mut sections = Vec::new();
        for (mut piece, id) in self.added.split(Piece::new(text)?, false) {
            if id.is_some() {
                sections.push((piece, id));
                continue;
            }
            if let Some(normalizer) = self.normalizer.as_ref().filter(|_| !piece.text().is_empty()) {
                normalizer.apply(&mut piece)?;
            }
            sections.extend(self.added.split(piece, true));
        }
        Ok(sections)
    }

    /// The text of ids, without special tokens if they are skipped.
    ///
    /// # Errors
    /// No token has one of the ids.
    pub fn decode(&self, ids: &[u32], skip_special_tokens: bool) -> Result<String> {
        let mut tokens = Vec::with_capacity(ids.len());
        for id in ids {
            let token = self.text_of(*id)?;
            if !(skip_special_tokens && self.is_special(*id)) {
                tokens.push(token.to_string());
            }
        }
        match &self.decoder {
            Some(decoder) => Ok(decoder.decode(tokens)?.concat()),
            None => Ok(tokens.join(" ")),
        }
    }

    /// The text of a token for a decoder.
    fn text_of(&self, id: u32) -> Result<&str> {
        // SentencePiece has no text for what only controls.
        if self.is_control(id) {
            return Ok("");
        }
        let text = self.added.text(id).or_else(|| self.model.vocabulary().token(id));
        text.ok_or_else(|| Error::unknown_id(id, self.vocab_size()))
    }

    fn is_control(&self, id: u32) -> bool {
        match &self.model {
            Model::SentencePiece(model) if self.added.get(id).is_none() => {
                model.kinds.get(id as usize) == Some(&PieceKind::Control)
            }
            _ => false,
        }
    }

    /// Whether decoding may skip a token.
    pub fn is_special(&self, id: u32) -> bool {
        // A model may have the text of a special token under another id.
        self.is_control(id) || self.id_to_token(id).is_some_and(|token| self.added.is_special(token))
    }

    /// Text from ids that come one by one.
    ///
    /// ```
    /// # mod lanthorn { pub use lanthorn_tokenizer as tokenizer; }
    /// # let json = r#"{"model": {"type": "BPE", "vocab": {"Ã": 0, "©": 1}, "merges": []},
    /// #   "decoder": {"type": "ByteLevel"}}"#;
    /// let tokenizer = lanthorn::tokenizer::Tokenizer::from_json(json.as_bytes())?;
    /// let mut stream = tokenizer.decode_stream(true);
    /// assert_eq!(stream.push(0)?, None); // half of é
    /// assert_eq!(stream.push(1)?.as_deref(), Some("é"));
    /// # Ok::<(), lanthorn::tokenizer::Error>(())
    /// ```
    pub fn decode_stream(&self, skip_special_tokens: bool) -> DecodeStream<'_> {
        DecodeStream::new(self, skip_special_tokens)
    }

    /// The id of a token.
    pub fn token_to_id(&self, token: &str) -> Option<u32> {
        self.added.id(token).or_else(|| self.model.vocabulary().id(token))
    }

    /// The token of an id.
    pub fn id_to_token(&self, id: u32) -> Option<&str> {
        self.added.get(id).map(|token| &*token.content).or_else(|| self.model.vocabulary().token(id))
    }

    /// The number of tokens, with those that were added.
    pub fn vocab_size(&self) -> usize {
        self.model.vocabulary().len() + self.added.beyond(self.model.vocabulary())
    }

    /// The added tokens with their ids, in the order of the ids.
    pub fn added_tokens(&self) -> impl Iterator<Item = (u32, &AddedToken)> {
        self.added.iter()
    }

    /// Adds a token, with the id that the vocabulary has for its text, or the next. Returns the id.
    ///
    /// # Errors
    /// It has no text.
    pub fn add_token(&mut self, token: AddedToken) -> Result<u32> {
        self.added.add(token, None, self.model.vocabulary(), self.normalizer.as_ref())
    }

    /// The truncation of the file.
    pub fn truncation(&self) -> Option<&Truncation> {
        self.truncation.as_ref()
    }

    /// The padding of the file.
    pub fn padding(&self) -> Option<&Padding> {
        self.padding.as_ref()
    }
}

/// Adds a token of a part of a text.
fn push(encoding: &mut Encoding, given: &str, part: &Piece, token: Token, word: u32) {
    let origin = part.origin(token.range.clone());
    let origin = origin.0 as usize..origin.1 as usize;
    let text = part.text().get(token.range).filter(|_| token.is_text).unwrap_or_default();
    let is_space = |character: &char| *character == 'Ġ' || character.is_whitespace();
    let leading = text.chars().take_while(is_space).count();
    let trailing = text.chars().rev().take_while(is_space).count();
    // As many characters of the given text as there are spaces.
    let given = given.get(origin.clone()).unwrap_or_default();
    let front: usize = given.chars().take(leading).map(char::len_utf8).sum();
    let back: usize = given.chars().rev().take(trailing).map(char::len_utf8).sum();
    let spaces = Spaces { leading: leading as u32, front: front as u32, back: back as u32 };
    encoding.push(token.id, origin, Some(word), spaces);
}
