//! The tokenizer of a model, and the files that define how prompts begin and answers end.

use crate::text::{TextStream, TextTokenizer};
use lanthorn_tensor::{Error, Result};
use lanthorn_tokenizer::{
    ChatOptions, EncodeOptions, GGUF_METADATA_LIMIT, Padding, StreamState, Tokenizer, Truncation,
};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    rc::Rc,
};

const OP: &str = "ModelTokenizer";

impl TextTokenizer for Tokenizer {
    fn vocab_size(&self) -> usize {
        Tokenizer::vocab_size(self)
    }

    fn text_stream(self: Rc<Self>) -> Box<dyn TextStream> {
        Box::new(Stream { tokenizer: self, state: StreamState::new(true) })
    }
}

/// A decoder that owns its tokenizer.
struct Stream {
    tokenizer: Rc<Tokenizer>,
    state: StreamState,
}

fn refuse_text(error: lanthorn_tokenizer::Error) -> Error {
    Error::data(OP, error.to_string())
}

impl TextStream for Stream {
    fn push(&mut self, id: i64) -> Result<String> {
        // No tokenizer has a token with the largest id.
        let id = u32::try_from(id).unwrap_or(u32::MAX);
        match self.state.push(&self.tokenizer, id) {
            Err(error) if error.is_unknown_id() => Ok(String::new()),
            text => Ok(text.map_err(refuse_text)?.unwrap_or_default()),
        }
    }

    fn finish(&mut self) -> Result<String> {
        Ok(self.state.finish(&self.tokenizer).map_err(refuse_text)?.unwrap_or_default())
    }
}

/// A model's tokenizer, its chat template and the ids that end its answers.
///
/// ```no_run
/// use lanthorn::models::{GenerationConfig, ModelTokenizer, from_pretrained, generate};
/// let model = from_pretrained("models/Qwen3-0.6B", &lanthorn::cpu())?;
/// let tokenizer = ModelTokenizer::from_pretrained("models/Qwen3-0.6B")?;
/// let tokenizer = tokenizer.expect("the folder has a tokenizer.json");
/// let prompt = tokenizer.encode_message("Hi")?;
/// let ends = [model.config().eos_token_ids.clone(), tokenizer.eos_token_ids(true)].concat();
/// let config = GenerationConfig {
///     tokenizer: Some(tokenizer.tokenizer()),
///     eos_token_ids: Some(ends),
///     ..GenerationConfig::default()
/// };
/// for token in generate(&model, &[prompt], config, None)? {
///     print!("{}", token?.text);
/// }
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct ModelTokenizer {
    tokenizer: Rc<Tokenizer>,
    path: PathBuf,
    /// The id before a text of a SentencePiece model, whose tokenizer adds none.
    bos: Option<u32>,
    /// The chat template of `chat_template.jinja`.
    template: Option<String>,
    /// The ids of `generation_config.json` that end a text.
    eos: Vec<i64>,
}

fn refuse(path: &Path, reason: impl std::fmt::Display) -> Error {
    Error::file(OP, format!("{}: {reason}", path.display()))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| refuse(path, error))
}

/// The beginning of a file. The vocabulary of a GGUF file is in it.
fn read_start(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    let file = File::open(path).map_err(|error| refuse(path, error))?;
    file.take(GGUF_METADATA_LIMIT as u64).read_to_end(&mut bytes).map_err(|error| refuse(path, error))?;
    Ok(bytes)
}

/// The content of a JSON file, if there is one.
fn read_json(path: &Path) -> Result<Option<Value>> {
    if !path.is_file() {
        return Ok(None);
    }
    serde_json::from_slice(&read(path)?).map(Some).map_err(|error| refuse(path, format!("no JSON: {error}")))
}

impl ModelTokenizer {
    /// Reads the tokenizer in a GGUF file, or `tokenizer.json` or `tokenizer.model` in a folder.
    /// Returns `None` if the folder has neither.
    ///
    /// # Errors
    ///
    /// `file`, naming the path, if a file cannot be read.
    pub fn from_pretrained(model: impl AsRef<Path>) -> Result<Option<ModelTokenizer>> {
        let model = model.as_ref();
        if model.is_file() {
            if !read_start(model)?.starts_with(b"GGUF") {
                return Err(refuse(model, "it is no GGUF file, and no folder with a config.json"));
            }
            return ModelTokenizer::from_file(model).map(Some);
        }
        let paths = ["tokenizer.json", "tokenizer.model"].map(|name| model.join(name));
        paths.iter().find(|path| path.is_file()).map(ModelTokenizer::from_file).transpose()
    }

    /// Reads a `tokenizer.json`, a SentencePiece model or a GGUF file. With the first two it reads
    /// `tokenizer_config.json`, `chat_template.jinja` and `generation_config.json` in the folder.
    ///
    /// # Errors
    ///
    /// `file`, naming the path, if a file cannot be read.
    pub fn from_file(path: impl AsRef<Path>) -> Result<ModelTokenizer> {
        let path = path.as_ref();
        let start = read_start(path)?;
        let refuse_here = |error: lanthorn_tokenizer::Error| refuse(path, error);
        if start.starts_with(b"GGUF") {
            let tokenizer = Rc::new(Tokenizer::from_gguf(&start).map_err(refuse_here)?);
            return Ok(ModelTokenizer { tokenizer, path: path.into(), bos: None, template: None, eos: vec![] });
        }
        let is_json = start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
        let parse = if is_json { Tokenizer::from_json } else { Tokenizer::from_sentence_piece };
        let mut tokenizer = parse(&read(path)?).map_err(refuse_here)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let config_path = folder.join("tokenizer_config.json");
        let config = read_json(&config_path)?;
        if let Some(config) = &config {
            tokenizer.set_config(config.to_string().as_bytes()).map_err(|error| refuse(&config_path, error))?;
        }
        let template = folder.join("chat_template.jinja");
        let template = template.is_file().then(|| read(&template)).transpose()?;
        Ok(ModelTokenizer {
            bos: if is_json { None } else { find_bos(&tokenizer, config.as_ref()) },
            template: template.map(|template| String::from_utf8_lossy(&template).into_owned()),
            eos: find_eos(read_json(&folder.join("generation_config.json"))?),
            tokenizer: Rc::new(tokenizer),
            path: path.into(),
        })
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> Rc<Tokenizer> {
        self.tokenizer.clone()
    }

    /// The file of the tokenizer.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The ids of a text to continue.
    ///
    /// # Errors
    ///
    /// `data` if the text cannot be encoded.
    pub fn encode(&self, text: &str) -> Result<Vec<i64>> {
        Ok(self.bos.map(i64::from).into_iter().chain(self.encode_with(text, true)?).collect())
    }

    /// The ids of a user's message by the chat template, up to the beginning of the answer.
    ///
    /// # Errors
    ///
    /// `data` if there is no chat template, or the template or the text cannot be used.
    pub fn encode_message(&self, text: &str) -> Result<Vec<i64>> {
        let messages = json!([{ "role": "user", "content": text }]).to_string();
        let options =
            ChatOptions { template: self.template.clone(), add_generation_prompt: true, ..ChatOptions::default() };
        let prompt = self.tokenizer.apply_chat_template(&messages, &options).map_err(refuse_text)?;
        self.encode_with(&prompt, false)
    }

    /// The ids that end a text, besides the ids in `config.json`: the ids of
    /// `generation_config.json` and, for a chat, the tokenizer's end token.
    pub fn eos_token_ids(&self, is_chat: bool) -> Vec<i64> {
        let token = self.tokenizer.token_of_role("eos_token").filter(|_| is_chat);
        let id = token.and_then(|token| self.tokenizer.token_to_id(token));
        self.eos.iter().copied().chain(id.map(i64::from)).collect()
    }

    fn encode_with(&self, text: &str, add_special_tokens: bool) -> Result<Vec<i64>> {
        // Padding and truncation of the file are for training.
        let (truncation, padding) = (Some(Truncation::off()), Some(Padding::off()));
        let options = EncodeOptions { add_special_tokens, truncation, padding };
        let encoding = self.tokenizer.encode(text, &options).map_err(refuse_text)?;
        Ok(encoding.ids.into_iter().map(i64::from).collect())
    }
}

/// The id before a text, unless the configuration says that there is none.
fn find_bos(tokenizer: &Tokenizer, config: Option<&Value>) -> Option<u32> {
    if config.is_some_and(|config| config["add_bos_token"] == json!(false)) {
        return None;
    }
    tokenizer.token_to_id(tokenizer.token_of_role("bos_token").unwrap_or("<s>"))
}

/// The ids of a `generation_config.json`, which has one or several.
fn find_eos(config: Option<Value>) -> Vec<i64> {
    let Some(config) = config else { return vec![] };
    let ids = &config["eos_token_id"];
    ids.as_array().map_or(std::slice::from_ref(ids), Vec::as_slice).iter().filter_map(Value::as_i64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_of_several_tokens_is_given_whole() {
        let json = br#"{"model": {"type": "BPE", "vocab": {"a": 0, "<0xC3>": 1, "<0xA9>": 2}, "merges": []},
            "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]}}"#;
        let mut stream = Rc::new(Tokenizer::from_json(json).unwrap()).text_stream();
        assert_eq!([0, 1, 2].map(|id| stream.push(id).unwrap()), ["a", "", "é"]);
        assert_eq!([3, -1].map(|id| stream.push(id).unwrap()), ["", ""], "ids without a token");
        assert_eq!((stream.push(1).unwrap(), stream.finish().unwrap()), (String::new(), "\u{fffd}".into()));
    }
}
