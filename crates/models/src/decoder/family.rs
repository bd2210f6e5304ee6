//! The table of model families, `families.json`.

use super::host::complete_rows;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A norm of a family.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct NormRow {
    /// `layer` or `rms`.
    pub kind: String,
    /// The field with the number that is added to a variance.
    pub eps: String,
    /// Added to the weights.
    pub offset: f64,
}

/// Which linear layers have biases: flags, or names of the configuration's fields that have them.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Biases {
    pub qkv: Value,
    pub output: Value,
    pub mlp: Value,
}

/// The fields with the bases of the rotary embeddings' frequencies.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RopeRow {
    pub theta: String,
    pub sliding_theta: Option<String>,
}

/// The fields with the bounds of scores and logits.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SoftCaps {
    pub attention: String,
    #[serde(rename = "final")]
    pub logits: String,
}

/// Which layers have a window, and of which size.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct WindowRow {
    /// The field with the size.
    pub size: String,
    /// The last layer of each period has no window: a number, or the field that has it.
    #[serde(default)]
    pub period: Value,
    /// The field with the flag without which no layer has a window.
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The field with the number of the first layer that has a window.
    pub from: Option<String>,
}

/// A row of the table: which parts a decoder has, and what its files call them.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Family {
    pub name: String,
    pub architectures: Vec<String>,
    /// The value of `general.architecture` in GGUF, if there is one for this family.
    pub gguf: Option<String>,
    /// Whether GGUF has the rows of queries and keys in the order of neighbouring pairs.
    #[serde(default)]
    pub gguf_permuted: bool,
    /// Values of metadata that files of the family may lack, where they differ from the table's.
    #[serde(default)]
    pub gguf_defaults: Map<String, Value>,
    /// A beginning of names that folders may leave out.
    #[serde(default)]
    pub optional_prefix: String,
    /// Names of fields in `config.json`, and the table's names for them.
    #[serde(default)]
    pub renamed: BTreeMap<String, String>,
    /// The known fields with their defaults.
    pub fields: Map<String, Value>,
    /// The only values of fields that are supported.
    #[serde(default)]
    pub fixed: BTreeMap<String, Vec<Value>>,
    pub norm: NormRow,
    /// The field with the name of the activation.
    pub activation: String,
    /// Whether the MLP has a gate.
    pub gated: bool,
    /// `rows`: weights are `[out, in]`; `columns`: `[in, out]`.
    pub linear: String,
    pub biases: Biases,
    pub rope: Option<RopeRow>,
    /// The field whose inverse square root scales the scores, instead of the width of a head.
    pub scale: Option<String>,
    /// Whether embeddings are multiplied by the root of their width.
    #[serde(default)]
    pub embedding_scale: bool,
    pub soft_caps: Option<SoftCaps>,
    pub window: Option<WindowRow>,
    /// The names of modules in Hugging Face's files by their roles.
    pub names: Map<String, Value>,
}

/// The table.
#[derive(Deserialize)]
pub(crate) struct Table {
    /// The known fields that change nothing.
    pub ignored: Vec<String>,
    /// The fields of `config.json` by the metadata of GGUF, whose names begin with the
    /// architecture.
    pub gguf_fields: BTreeMap<String, String>,
    /// Metadata of these that a file has to have, if the family has the field.
    pub gguf_required: Vec<String>,
    /// Values of these that llama.cpp takes where a file has none, if the family has the field.
    pub gguf_defaults: Map<String, Value>,
    /// Metadata that no field has, and that is read.
    pub gguf_read: Vec<String>,
    /// Metadata that changes no number.
    pub gguf_ignored: Vec<String>,
    /// Metadata that changes numbers, with the values that do not.
    pub gguf_without_effect: BTreeMap<String, Vec<Value>>,
    /// The names of tensors in GGUF by role.
    pub gguf_names: BTreeMap<String, String>,
    /// Tensors of GGUF that only the rotary embedding reads.
    pub gguf_factors: Vec<String>,
    /// The roles of tensors within attention.
    pub in_attention: Vec<String>,
    /// The roles of tensors within the MLP.
    pub in_mlp: Vec<String>,
    /// Activations by their names in files.
    pub activations: BTreeMap<String, Activation>,
    /// The rows in the order of the table, with the fields that they inherit.
    #[serde(deserialize_with = "complete_rows")]
    pub families: Vec<Family>,
}

/// An activation function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Activation {
    Silu,
    Gelu,
    GeluTanh,
    Relu,
}

/// The name of a role in Hugging Face's files, if the family has it.
pub(crate) fn role<'f>(family: &'f Family, name: &str) -> Option<&'f str> {
    family.names.get(name).and_then(|found| found.as_str())
}

/// Whether a field is a bound, of a window or of a soft cap, which null removes.
pub(crate) fn is_bound(family: &Family, field: &str) -> bool {
    if let Some(window) = &family.window
        && window.size == field
    {
        return true;
    }
    match &family.soft_caps {
        Some(caps) => caps.attention == field || caps.logits == field,
        None => false,
    }
}
