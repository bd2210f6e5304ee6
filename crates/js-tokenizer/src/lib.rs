//! [`lanthorn_tokenizer`] for a page: a separate WebAssembly module, so that only pages that
//! tokenize load it. `tokenizer.ts` is its surface; options arrive here as numbers.

mod encoding;
mod error;

use encoding::{Options, to_js};
use error::Thrown;
use js_sys::{Array, Uint32Array};
use lanthorn_tokenizer::{ChatOptions, DateTime, StreamState, Tokenizer};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// A tokenizer.
#[wasm_bindgen(js_name = TokenizerHandle)]
pub struct TokenizerHandle {
    tokenizer: Tokenizer,
}

/// The first bytes of a GGUF file.
const GGUF: &[u8] = b"GGUF";

/// The tokenizer of a file; its contents tell whether it is `tokenizer.json`, GGUF or
/// SentencePiece's.
fn read(bytes: &[u8]) -> Result<Tokenizer, Thrown> {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    Ok(match first {
        None => return Err(Thrown::argument("the file is empty")),
        _ if bytes.starts_with(GGUF) => Tokenizer::from_gguf(bytes)?,
        // A model's first piece is field 1, whose key is a line feed.
        Some(b'{') if bytes.first() != Some(&b'\n') || bytes.get(1) == Some(&b'{') => Tokenizer::from_json(bytes)?,
        // Anything else that is text is read as JSON, so that the error is about that.
        Some(_) if bytes.first() != Some(&b'\n') && std::str::from_utf8(bytes).is_ok() => Tokenizer::from_json(bytes)?,
        Some(_) => Tokenizer::from_sentence_piece(bytes)?,
    })
}

#[wasm_bindgen(js_class = TokenizerHandle)]
impl TokenizerHandle {
    /// Reads a file, and the `tokenizer_config.json` in the same folder if there is one.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8], config: Option<Vec<u8>>) -> Result<TokenizerHandle, Thrown> {
        let mut tokenizer = read(bytes)?;
        if let Some(config) = config {
            tokenizer.set_config(&config)?;
        }
        Ok(TokenizerHandle { tokenizer })
    }

    /// The columns of the encoding of each text, or of each pair of texts; `options` as in
    /// [`Options`].
    pub fn encode(&self, texts: Vec<String>, pairs: Vec<String>, options: &[f64]) -> Result<Array, Thrown> {
        let options = Options::from_numbers(options)?.over(&self.tokenizer);
        let seconds = pairs.iter().map(|pair| Some(pair.as_str())).chain(std::iter::repeat(None));
        let all: Vec<(&str, Option<&str>)> = texts.iter().map(String::as_str).zip(seconds).collect();
        let encodings = self.tokenizer.encode_batch(&all, &options)?;
        Ok(encodings.iter().zip(all).map(|(encoding, texts)| JsValue::from(to_js(encoding, texts))).collect())
    }

    /// The text of ids.
    pub fn decode(&self, ids: &[u32], skip_special_tokens: bool) -> Result<String, Thrown> {
        Ok(self.tokenizer.decode(ids, skip_special_tokens)?)
    }

    /// The text of a chat. `now` has six numbers.
    #[wasm_bindgen(js_name = applyChatTemplate)]
    pub fn apply_chat_template(
        &self,
        messages: &str,
        template: Option<String>,
        add_generation_prompt: bool,
        variables: Option<String>,
        now: &[f64],
    ) -> Result<String, Thrown> {
        let now = match now {
            &[year, month, day, hour, minute, second] => Some(DateTime {
                year: year as i32,
                month: month as u32,
                day: day as u32,
                hour: hour as u32,
                minute: minute as u32,
                second: second as u32,
            }),
            _ => None,
        };
        let options = ChatOptions { template, add_generation_prompt, variables, now };
        Ok(self.tokenizer.apply_chat_template(messages, &options)?)
    }

    /// The id of a token.
    #[wasm_bindgen(js_name = tokenToId)]
    pub fn token_to_id(&self, token: &str) -> Option<u32> {
        self.tokenizer.token_to_id(token)
    }

    /// The token of an id.
    #[wasm_bindgen(js_name = idToToken)]
    pub fn id_to_token(&self, id: u32) -> Option<String> {
        self.tokenizer.id_to_token(id).map(str::to_string)
    }

    /// The number of tokens.
    #[wasm_bindgen(getter, js_name = vocabSize)]
    pub fn vocab_size(&self) -> u32 {
        self.tokenizer.vocab_size() as u32
    }

    /// The added tokens: `[id, content, special]` of each.
    #[wasm_bindgen(js_name = addedTokens)]
    pub fn added_tokens(&self) -> Array {
        let row = |(id, token): (u32, &lanthorn_tokenizer::AddedToken)| {
            JsValue::from(Array::<JsValue>::of3(&id.into(), &token.content.as_str().into(), &token.special.into()))
        };
        self.tokenizer.added_tokens().map(row).collect()
    }

    /// The text of the token with a role, as `eos_token`.
    #[wasm_bindgen(js_name = tokenOfRole)]
    pub fn token_of_role(&self, role: &str) -> Option<String> {
        self.tokenizer.token_of_role(role).map(str::to_string)
    }

    /// The chat template with a name.
    #[wasm_bindgen(js_name = chatTemplate)]
    pub fn chat_template(&self, name: &str) -> Option<String> {
        self.tokenizer.chat_template(name).map(str::to_string)
    }
}

/// Text from ids that come one by one.
#[wasm_bindgen(js_name = StreamHandle)]
pub struct StreamHandle {
    state: StreamState,
}

#[wasm_bindgen(js_class = StreamHandle)]
impl StreamHandle {
    /// The state before the first id.
    #[wasm_bindgen(constructor)]
    pub fn new(skip_special_tokens: bool) -> StreamHandle {
        StreamHandle { state: StreamState::new(skip_special_tokens) }
    }

    /// Accepts the next ids, and returns the text that they complete.
    pub fn push(&mut self, tokenizer: &TokenizerHandle, ids: &Uint32Array) -> Result<String, Thrown> {
        let mut text = String::new();
        for id in ids.to_vec() {
            text.extend(self.state.push(&tokenizer.tokenizer, id)?);
        }
        Ok(text)
    }

    /// Ends the stream, and returns the text held back so far.
    pub fn finish(&mut self, tokenizer: &TokenizerHandle) -> Result<String, Thrown> {
        Ok(self.state.finish(&tokenizer.tokenizer)?.unwrap_or_default())
    }
}
