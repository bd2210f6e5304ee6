//! The configuration of a decoder, read from the text of a `config.json`.

pub use crate::decoder::config::DecoderConfig;
use crate::decoder::{config::read_fields, family::Family, role};
use lanthorn_tensor::{Error, Result};
use serde_json::Value;

impl DecoderConfig {
    /// Reads the content of a `config.json`, in the form of any version of transformers. `strict`
    /// says whether a field that is not known is an error.
    ///
    /// # Errors
    ///
    /// `file`, naming the architecture or the fields that are not known, or the field whose value
    /// is not supported.
    ///
    /// ```
    /// let json = r#"{ "architectures": ["LlamaForCausalLM"], "vocab_size": 96, "hidden_size": 32,
    ///     "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4 }"#;
    /// let config = lanthorn::models::DecoderConfig::from_json(json, true)?;
    /// assert_eq!((config.head_dim, config.kv_heads), (8, 4));
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn from_json(text: &str, strict: bool) -> Result<DecoderConfig> {
        let refuse = |message: String| Error::file("config.json", message);
        let json: Value = serde_json::from_str(text).map_err(|error| refuse(format!("is no JSON: {error}")))?;
        match json {
            Value::Object(json) => read_fields(&json, strict),
            _ => Err(refuse("takes an object".into())),
        }
    }
}

impl Family {
    /// The name of a role in Hugging Face's files, if the family has it.
    pub(crate) fn role(&self, name: &str) -> Option<&str> {
        role(self, name)
    }

    /// Whether weights of linear layers are `[in, out]`.
    pub(crate) fn has_columns(&self) -> bool {
        self.linear == "columns"
    }
}
