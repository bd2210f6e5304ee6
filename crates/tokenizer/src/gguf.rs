//! The tokenizers of GGUF files: `tokenizer.ggml.*` of their metadata, as llama.cpp writes and
//! reads it.

use crate::added::{AddedToken, AddedTokens};
use crate::chat::ChatTemplates;
use crate::decoder::{Decoder, UNKNOWN_SURFACE};
use crate::model::{Algorithm, Bpe, Model, PieceKind, WordPiece};
use crate::normalizer::{BertNormalizer, Charsmap, Normalizer, SentencePieceNormalizer};
use crate::post_processor::PostProcessor;
use crate::pre_tokenizer::{GPT2, PreTokenizer};
use crate::sentence_piece::{Parts, assemble};
use crate::vocabulary::Vocabulary;
use crate::{Error, Result, Tokenizer};
use lanthorn_io::{Value, gguf};
use std::borrow::Cow;

const WORDS: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const WORDS_AND_DIGITS: &str =
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const MARKED_WORDS: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const CASED_WORDS: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const CASED_CONTRACTIONS: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const SIGNED_WORDS: &str = r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##;

/// The splits of a pre-tokenizer of llama.cpp, one after the other, and whether words that are
/// tokens are not merged.
fn splits(name: &str) -> Option<(&'static [&'static str], bool)> {
    Some(match name {
        "default" => (&[r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"], false),
        "llama3" | "llama-v3" | "llama-bpe" | "falcon3" | "pixtral" => (&[WORDS], true),
        "dbrx" | "smaug-bpe" | "chatglm-bpe" | "glm4" => (&[WORDS], false),
        "qwen2" | "deepseek-r1-qwen" | "stablelm2" | "hunyuan" | "megrez" | "grok-2" => (&[WORDS_AND_DIGITS], false),
        "qwen35" => (&[MARKED_WORDS], false),
        "gpt-2" | "phi-2" | "jina-es" | "jina-de" | "jina-v1-en" | "jina-v2-es" | "jina-v2-de" | "jina-v2-code"
        | "roberta-bpe" | "gigachat" | "mpt" | "olmo" | "jais" | "trillion" | "exaone4" | "a.x-4.0" | "mellum"
        | "modern-bert" => (&[GPT2], false),
        "starcoder" | "refact" | "command-r" | "smollm" | "codeshell" | "exaone" | "minerva-7b" => {
            (&[r"\p{N}", GPT2], false)
        }
        "falcon" => (&[r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"], false),
        "deepseek-v3" | "hunyuan-dense" => (&[r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", SIGNED_WORDS], false),
        "deepseek-coder" => (&[r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+", r"\p{N}"], false),
        "tekken" => (&[CASED_WORDS], true),
        "gpt-4o" | "llama4" => (&[CASED_CONTRACTIONS], false),
        "bloom" | "poro-chat" | "gpt3-finnish" => (&[" ?[^(\\s|.,!?…。，、।۔،)]+"], false),
        "viking" => (&[" ?[^(\\s|.,!?…。，、।۔،)]+", r"\p{N}"], false),
        _ => return None,
    })
}

/// The metadata of a file.
struct Metadata(Vec<(String, Value<()>)>);

impl Metadata {
    fn get(&self, name: &str) -> Option<&Value<()>> {
        self.0.iter().find(|(key, _)| key.strip_prefix("tokenizer.") == Some(name)).map(|(_, value)| value)
    }

    fn wrong(name: &str, expected: &str) -> Error {
        Error::malformed(format!("tokenizer.{name} is no {expected}"))
    }

    fn str(&self, name: &str) -> Result<Option<&str>> {
        let read = |value: &'_ Value<()>| value.as_str().is_some();
        match self.get(name) {
            Some(value) if !read(value) => Err(Metadata::wrong(name, "text")),
            value => Ok(value.and_then(Value::as_str)),
        }
    }

    fn bool_or(&self, name: &str, default: bool) -> Result<bool> {
        self.get(name).map_or(Ok(default), |value| value.as_bool().ok_or_else(|| Metadata::wrong(name, "truth value")))
    }

    fn list(&self, name: &str) -> Result<Option<&[Value<()>]>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::List(values)) => Ok(Some(values)),
            Some(_) => Err(Metadata::wrong(name, "list")),
        }
    }

    fn strs(&self, name: &str) -> Result<Option<Vec<&str>>> {
        let read = |value: &'_ Value<()>| value.as_str().is_some();
        let Some(values) = self.list(name)? else { return Ok(None) };
        if !values.iter().all(read) {
            return Err(Metadata::wrong(name, "list of texts"));
        }
        Ok(Some(values.iter().filter_map(Value::as_str).collect()))
    }

    /// The id of a token with a role, which the vocabulary has to have.
    fn token(&self, name: &str, count: usize) -> Result<Option<u32>> {
        let name = format!("ggml.{name}_token_id");
        let Some(value) = self.get(&name) else { return Ok(None) };
        // Writers say -1 where there is none.
        let id = value.as_int().ok_or_else(|| Metadata::wrong(&name, "whole number"))?;
        match u32::try_from(id) {
            Ok(id) if (id as usize) < count => Ok(Some(id)),
            Err(_) | Ok(u32::MAX) if id == -1 || id == i64::from(u32::MAX) => Ok(None),
            _ => Err(Error::malformed(format!("tokenizer.{name} is {id}, and the vocabulary has {count} tokens"))),
        }
    }
}

/// A vocabulary with what GGUF says of its tokens.
struct Tokens<'a> {
    texts: Vec<&'a str>,
    kinds: Vec<PieceKind>,
}

impl<'a> Tokens<'a> {
    fn read(metadata: &'a Metadata) -> Result<Tokens<'a>> {
        let texts = metadata.strs("ggml.tokens")?.filter(|texts| !texts.is_empty());
        let texts = texts.ok_or_else(|| Error::malformed("the file has no tokenizer.ggml.tokens"))?;
        let kinds = match metadata.list("ggml.token_type")? {
            None => vec![PieceKind::Normal; texts.len()],
            Some(codes) => codes.iter().map(kind).collect::<Result<_>>()?,
        };
        if kinds.len() != texts.len() {
            let message = format!("{} tokens have {} types in tokenizer.ggml.token_type", texts.len(), kinds.len());
            return Err(Error::malformed(message));
        }
        Ok(Tokens { texts, kinds })
    }

    /// The tokens that are found in the text: control tokens, which are special, and tokens that
    /// users defined.
    fn added_tokens(&self, model: &Vocabulary) -> Result<AddedTokens> {
        let mut added = AddedTokens::default();
        for (id, (text, kind)) in (0..).zip(self.texts.iter().zip(&self.kinds)) {
            let special = *kind == PieceKind::Control;
            if (special || *kind == PieceKind::UserDefined) && !text.is_empty() && model.id(text) == Some(id) {
                added.add(AddedToken { special, ..AddedToken::special(*text) }, Some(id), model, None)?;
            }
        }
        Ok(added)
    }
}

fn kind(code: &Value<()>) -> Result<PieceKind> {
    let number = code.as_int().and_then(|code| u64::try_from(code).ok());
    // Writers have 0 for tokens of which they know nothing.
    let kind = number.and_then(|code| PieceKind::from_code(code.max(1)));
    kind.ok_or_else(|| Error::malformed("tokenizer.ggml.token_type has a type that is none"))
}

impl Tokenizer {
    /// Reads the tokenizer of a GGUF file, with its chat template. The file's beginning is enough,
    /// up to the end of its metadata ([`crate::GGUF_METADATA_LIMIT`]).
    ///
    /// `tokenizer.ggml.model` is `gpt2` (byte-level BPE, split as `tokenizer.ggml.pre` names),
    /// `llama` (SentencePiece's BPE), `t5` (its Unigram) or `bert` (WordPiece).
    ///
    /// # Errors
    /// The bytes are no GGUF, have no tokenizer, or one that is not known, which the message names.
    ///
    /// ```
    /// # mod lanthorn { pub use lanthorn_tokenizer as tokenizer; }
    /// use lanthorn::tokenizer::Tokenizer;
    /// assert!(Tokenizer::from_gguf(b"GGUF\x03\0\0\0").unwrap_err().is_malformed());
    /// ```
    pub fn from_gguf(bytes: &[u8]) -> Result<Tokenizer> {
        let metadata = gguf::metadata(bytes).map_err(|error| Error::malformed(error.to_string()))?;
        read(&Metadata(metadata)).map_err(|error| error.within("GGUF"))
    }
}

fn read(metadata: &Metadata) -> Result<Tokenizer> {
    let model = metadata.str("ggml.model")?;
    let tokens = Tokens::read(metadata)?;
    let mut tokenizer = match model {
        Some("gpt2") => bpe(metadata, &tokens)?,
        Some("llama") => pieces(metadata, &tokens, Algorithm::Bpe)?,
        Some("t5") => pieces(metadata, &tokens, Algorithm::Unigram)?,
        Some("bert") => bert(metadata, &tokens)?,
        Some(other) => return Err(Error::unsupported(format!("tokenizer.ggml.model {other:?}"))),
        None => return Err(Error::malformed("the file has no tokenizer.ggml.model")),
    };
    let count = tokens.texts.len();
    let (bos, eos) = (metadata.token("bos", count)?, metadata.token("eos", count)?);
    for (role, id) in [("bos_token", bos), ("eos_token", eos), ("pad_token", metadata.token("padding", count)?)] {
        if let Some(id) = id {
            tokenizer.chat.set_token(role, tokens.texts[id as usize]);
        }
    }
    if let Some(template) = metadata.str("chat_template")? {
        tokenizer.chat.set_template("default", template);
    }
    if tokenizer.post_processor.is_none() {
        let default_bos = model == Some("llama") || metadata.str("ggml.pre")? == Some("tekken");
        let bos = bos.filter(|_| metadata.bool_or("ggml.add_bos_token", default_bos).unwrap_or(default_bos));
        let default_eos = model == Some("t5");
        let eos = eos.filter(|_| metadata.bool_or("ggml.add_eos_token", default_eos).unwrap_or(default_eos));
        tokenizer.post_processor = Some(PostProcessor::around(bos, eos));
    }
    Ok(tokenizer)
}

fn bpe(metadata: &Metadata, tokens: &Tokens) -> Result<Tokenizer> {
    let name = metadata.str("ggml.pre")?.unwrap_or("default");
    let (splits, ignore_merges) =
        splits(name).ok_or_else(|| Error::unsupported(format!("tokenizer.ggml.pre {name:?}")))?;
    let merges =
        metadata.strs("ggml.merges")?.ok_or_else(|| Error::malformed("the file has no tokenizer.ggml.merges"))?;
    let vocabulary = Vocabulary::from_list(tokens.texts.iter().copied());
    let added = tokens.added_tokens(&vocabulary)?;
    let mut all = splits.iter().map(|split| PreTokenizer::isolate(split)).collect::<Result<Vec<_>>>()?;
    all.push(PreTokenizer::byte_level(metadata.bool_or("ggml.add_space_prefix", false)?, false)?);
    Ok(Tokenizer {
        normalizer: None,
        pre_tokenizer: Some(PreTokenizer::Sequence(all)),
        model: Model::Bpe(Bpe::new(vocabulary, merges.into_iter(), ignore_merges)?),
        post_processor: None,
        decoder: Some(Decoder::ByteLevel),
        added,
        truncation: None,
        padding: None,
        chat: ChatTemplates::default(),
    })
}

fn pieces(metadata: &Metadata, tokens: &Tokens, algorithm: Algorithm) -> Result<Tokenizer> {
    let scores =
        metadata.list("ggml.scores")?.ok_or_else(|| Error::malformed("the file has no tokenizer.ggml.scores"))?;
    if scores.len() != tokens.texts.len() {
        let (tokens, scores) = (tokens.texts.len(), scores.len());
        return Err(Error::malformed(format!("{tokens} tokens have {scores} scores in tokenizer.ggml.scores")));
    }
    let score = |score: &Value<()>| score.as_float().ok_or_else(|| Metadata::wrong("ggml.scores", "list of numbers"));
    let scores = scores.iter().map(score).collect::<Result<Vec<_>>>()?;
    let charsmap = metadata.list("ggml.precompiled_charsmap")?.map(charsmap).transpose()?;
    let is_unigram = algorithm == Algorithm::Unigram;
    let normalizer = SentencePieceNormalizer {
        charsmap,
        add_dummy_prefix: metadata.bool_or("ggml.add_space_prefix", true)?,
        remove_extra_whitespaces: metadata.bool_or("ggml.remove_extra_whitespaces", is_unigram)?,
        escape_whitespaces: true,
        ..SentencePieceNormalizer::default()
    };
    let all = tokens.texts.iter().zip(&tokens.kinds).zip(scores);
    let pieces = all.map(|((text, kind), score)| (text.to_string(), score as f32, *kind)).collect();
    let byte_fallback = tokens.kinds.contains(&PieceKind::Byte);
    let unknown_surface = UNKNOWN_SURFACE.to_string();
    let mut tokenizer = assemble(Parts { pieces, algorithm, byte_fallback, unknown_surface, normalizer })?;
    tokenizer.added = tokens.added_tokens(tokenizer.model.vocabulary())?;
    Ok(tokenizer)
}

fn charsmap(values: &[Value<()>]) -> Result<Charsmap> {
    let byte = |value: &Value<()>| value.as_int().map(|byte| byte as u8);
    let bytes: Option<Vec<u8>> = values.iter().map(byte).collect();
    let bytes = bytes.ok_or_else(|| Metadata::wrong("ggml.precompiled_charsmap", "list of bytes"))?;
    Charsmap::parse(&bytes).map_err(|error| Error::malformed(error.to_string()))
}

/// BERT's vocabulary, in which llama.cpp marks tokens that begin a word instead of the others.
fn bert(metadata: &Metadata, tokens: &Tokens) -> Result<Tokenizer> {
    let original = |(text, kind): (&&str, &PieceKind)| -> Cow<'static, str> {
        match text.strip_prefix('▁') {
            Some(first) => first.to_string().into(),
            None if *kind == PieceKind::Normal => format!("##{text}").into(),
            None => text.to_string().into(),
        }
    };
    let texts: Vec<Cow<str>> = tokens.texts.iter().zip(&tokens.kinds).map(original).collect();
    let vocabulary = Vocabulary::from_list(texts.iter().map(|text| &**text));
    let count = tokens.texts.len();
    let unknown = match metadata.token("unknown", count)? {
        Some(id) => id,
        None => vocabulary.need("[UNK]", "unknown token")?,
    };
    // The name of the separator is misspelled in the format.
    let sep = metadata.token("seperator", count)?.or(metadata.token("separator", count)?);
    let cls = metadata.token("cls", count)?.or(metadata.token("bos", count)?);
    let added = tokens.added_tokens(&vocabulary)?;
    Ok(Tokenizer {
        normalizer: Some(Normalizer::Bert(BertNormalizer {
            clean_text: true,
            handle_chinese_chars: true,
            strip_accents: true,
            lowercase: true,
        })),
        pre_tokenizer: Some(PreTokenizer::Bert),
        model: Model::WordPiece(WordPiece::new(vocabulary, unknown, "##", 100)),
        post_processor: cls.zip(sep).map(|(cls, sep)| PostProcessor::bert(cls, sep)),
        decoder: Some(Decoder::WordPiece { prefix: "##".to_string(), cleanup: true }),
        added,
        truncation: None,
        padding: None,
        chat: ChatTemplates::default(),
    })
}
