//! The tokenizer of a model: found beside it or in it, with what surrounds a prompt.

use super::OP;
use lanthorn::tokenizer::{ChatOptions, EncodeOptions, GGUF_METADATA_LIMIT, Padding, Tokenizer, Truncation};
use lanthorn::{Error, Result};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// A tokenizer, and what the files beside it say.
pub struct Vocabulary {
    tokenizer: Tokenizer,
    /// Its file, for errors.
    path: PathBuf,
    /// The id that begins a text of SentencePiece, which adds none itself.
    first: Option<u32>,
    /// The chat template of `chat_template.jinja`, if there is one.
    template: Option<String>,
    /// The ids of `generation_config.json` that end a text.
    ends: Vec<i64>,
}

fn refuse(path: &Path, reason: impl std::fmt::Display) -> Error {
    Error::file(OP, format!("{}: {reason}", path.display()))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| refuse(path, error))
}

/// The beginning of a GGUF file, which has its vocabulary.
fn beginning(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    let file = File::open(path).map_err(|error| refuse(path, error))?;
    file.take(GGUF_METADATA_LIMIT as u64).read_to_end(&mut bytes).map_err(|error| refuse(path, error))?;
    Ok(bytes)
}

/// The content of a JSON file beside the model, if it is there.
fn json_beside(folder: &Path, name: &str) -> Result<Option<(PathBuf, Value)>> {
    let path = folder.join(name);
    if !path.is_file() {
        return Ok(None);
    }
    let value = serde_json::from_slice(&read(&path)?).map_err(|error| refuse(&path, format!("no JSON: {error}")))?;
    Ok(Some((path, value)))
}

impl Vocabulary {
    /// The tokenizer that was named, or that of the model; none if it is not `needed` and there is none.
    ///
    /// # Errors
    /// `file`, with the path: it cannot be read, or there is none.
    pub fn find(model: &Path, named: Option<&Path>, needed: bool) -> Result<Option<Vocabulary>> {
        if named.is_none() && !needed {
            // Ids need no tokenizer; where there is one, it gives the text.
            return Ok(Vocabulary::of(model).unwrap_or_default());
        }
        let found = match named {
            Some(path) => Some(Vocabulary::from_file(path, path.parent().unwrap_or(Path::new(".")))?),
            None => Vocabulary::of(model)?,
        };
        match found {
            Some(vocabulary) => Ok(Some(vocabulary)),
            None if !model.exists() => Err(refuse(model, "there is no such file or folder")),
            None => {
                let reason = "there is no tokenizer.json or tokenizer.model; name one with --tokenizer, or give --ids";
                Err(refuse(model, reason))
            }
        }
    }

    fn of(model: &Path) -> Result<Option<Vocabulary>> {
        if model.is_file() {
            if !beginning(model)?.starts_with(b"GGUF") {
                return Err(refuse(model, "it is no GGUF file, and no folder with a config.json"));
            }
            return Vocabulary::from_file(model, model.parent().unwrap_or(Path::new("."))).map(Some);
        }
        let paths = ["tokenizer.json", "tokenizer.model"].map(|name| model.join(name));
        let path = paths.into_iter().find(|path| path.is_file());
        path.map(|path| Vocabulary::from_file(&path, model)).transpose()
    }

    /// Reads a tokenizer, and the files in the folder that concern it. A GGUF file has all in itself.
    fn from_file(path: &Path, folder: &Path) -> Result<Vocabulary> {
        let bytes = beginning(path)?;
        let refused = |error: lanthorn::tokenizer::Error| refuse(path, error);
        let alone = |tokenizer| Vocabulary { tokenizer, path: path.into(), first: None, template: None, ends: vec![] };
        if bytes.starts_with(b"GGUF") {
            return Ok(alone(Tokenizer::from_gguf(&bytes).map_err(refused)?));
        }
        let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
        let bytes = read(path)?;
        let read_bytes = if is_json { Tokenizer::from_json } else { Tokenizer::from_sentence_piece };
        let mut found = alone(read_bytes(&bytes).map_err(refused)?);
        let config = json_beside(folder, "tokenizer_config.json")?;
        if let Some((path, config)) = &config {
            let set = found.tokenizer.set_config(config.to_string().as_bytes());
            set.map_err(|error| refuse(path, error))?;
        }
        let adds = config.is_none_or(|(_, config)| config["add_bos_token"] != json!(false));
        if !is_json && adds {
            let token = found.tokenizer.token_of_role("bos_token").unwrap_or("<s>");
            found.first = found.tokenizer.token_to_id(token);
        }
        let template = folder.join("chat_template.jinja");
        if template.is_file() {
            found.template = Some(String::from_utf8_lossy(&read(&template)?).into_owned());
        }
        if let Some((_, config)) = json_beside(folder, "generation_config.json")? {
            let ids = &config["eos_token_id"];
            let one = std::slice::from_ref(ids);
            found.ends = ids.as_array().map_or(one, Vec::as_slice).iter().filter_map(Value::as_i64).collect();
        }
        Ok(found)
    }

    /// Refuses a tokenizer that has more tokens than the model.
    pub fn check(&self, model_size: usize) -> Result<()> {
        let size = self.tokenizer.vocab_size();
        if size > model_size {
            let reason = format!("the tokenizer has {size} tokens, and the model's embedding {model_size}");
            return Err(refuse(&self.path, reason));
        }
        Ok(())
    }

    fn ids(&self, text: &str, add_special_tokens: bool) -> Result<Vec<i64>> {
        // Padding and truncation of the file are of training.
        let (truncation, padding) = (Some(Truncation::off()), Some(Padding::off()));
        let options = EncodeOptions { add_special_tokens, truncation, padding };
        let encoding = self.tokenizer.encode(text, &options).map_err(|error| Error::data(OP, error.to_string()))?;
        Ok(encoding.ids.into_iter().map(i64::from).collect())
    }

    /// The ids of a text to continue.
    pub fn encode(&self, text: &str) -> Result<Vec<i64>> {
        Ok(self.first.map(i64::from).into_iter().chain(self.ids(text, true)?).collect())
    }

    /// The ids of a user's message, up to where the answer begins.
    pub fn message(&self, text: &str) -> Result<Vec<i64>> {
        let messages = json!([{ "role": "user", "content": text }]).to_string();
        let options =
            ChatOptions { template: self.template.clone(), add_generation_prompt: true, ..ChatOptions::default() };
        let written = self.tokenizer.apply_chat_template(&messages, &options);
        let written = written.map_err(|error| refuse(&self.path, format!("--chat: {error}")))?;
        self.ids(&written, false)
    }

    /// The ids that end a text beside those of the model.
    pub fn ends(&self, is_chat: bool) -> Vec<i64> {
        let role = self.tokenizer.token_of_role("eos_token").filter(|_| is_chat);
        let id = role.and_then(|token| self.tokenizer.token_to_id(token));
        self.ends.iter().copied().chain(id.map(i64::from)).collect()
    }

    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }
}
