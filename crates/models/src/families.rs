//! The table of model families, `families.json`, which the npm package has, too.

use crate::config::Activation;
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Map, Value};
use std::{collections::BTreeMap, sync::LazyLock};

/// A flag, or the name of the configuration's field that has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Flag {
    Fixed(bool),
    Field(String),
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct NormRow {
    pub kind: String,
    pub eps: String,
    pub offset: f64,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Biases {
    pub qkv: Flag,
    pub output: Flag,
    pub mlp: Flag,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RopeRow {
    pub theta: String,
    pub sliding_theta: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SoftCaps {
    pub attention: String,
    #[serde(rename = "final")]
    pub logits: String,
}

/// A number, or the name of the field that has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Period {
    Fixed(usize),
    Field(String),
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct WindowRow {
    pub size: String,
    pub period: Option<Period>,
    #[serde(rename = "if")]
    pub condition: Option<String>,
    pub from: Option<String>,
}

/// A row of the table: which parts a decoder has, and what its files call them.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Family {
    pub name: String,
    pub architectures: Vec<String>,
    pub gguf: Option<String>,
    #[serde(default)]
    pub gguf_permuted: bool,
    /// Values of metadata that files of the family may lack, where they differ from the table's.
    #[serde(default)]
    pub gguf_defaults: Map<String, Value>,
    #[serde(default)]
    pub optional_prefix: String,
    #[serde(default)]
    pub renamed: Map<String, Value>,
    pub fields: Map<String, Value>,
    #[serde(default)]
    pub fixed: Map<String, Value>,
    pub norm: NormRow,
    pub activation: String,
    pub gated: bool,
    pub linear: String,
    pub biases: Biases,
    pub rope: Option<RopeRow>,
    pub scale: Option<String>,
    #[serde(default)]
    pub embedding_scale: bool,
    pub soft_caps: Option<SoftCaps>,
    pub window: Option<WindowRow>,
    pub names: Map<String, Value>,
}

impl Family {
    /// The name of a role in Hugging Face's files, if the family has it.
    pub fn role(&self, role: &str) -> Option<&str> {
        self.names.get(role).and_then(Value::as_str)
    }

    /// Whether a field is a bound, of a window or of a soft cap, which null removes.
    pub fn is_bound(&self, field: &str) -> bool {
        let caps = self.soft_caps.iter().flat_map(|caps| [&caps.attention, &caps.logits]);
        self.window.iter().map(|window| &window.size).chain(caps).any(|bound| bound == field)
    }

    /// Whether weights of linear layers are `[in, out]`.
    pub fn has_columns(&self) -> bool {
        self.linear == "columns"
    }
}

/// The table.
#[derive(Deserialize)]
pub(crate) struct Table {
    pub ignored: Vec<String>,
    /// The fields of `config.json` by the metadata of GGUF, whose names begin with the
    /// architecture.
    pub gguf_fields: Map<String, Value>,
    /// Metadata of these that a file has to have, if the family has the field.
    pub gguf_required: Vec<String>,
    /// Values of these that llama.cpp takes where a file has none, if the family has the field.
    pub gguf_defaults: Map<String, Value>,
    /// Metadata that no field has, and that is read.
    pub gguf_read: Vec<String>,
    /// Metadata that changes no number.
    pub gguf_ignored: Vec<String>,
    /// Metadata that changes numbers, with the values that do not.
    pub gguf_without_effect: Map<String, Value>,
    pub gguf_names: Map<String, Value>,
    /// Tensors of GGUF that only the rotary embedding reads.
    pub gguf_factors: Vec<String>,
    /// The roles of tensors within attention, and within the MLP.
    pub in_attention: Vec<String>,
    pub in_mlp: Vec<String>,
    /// Activations by their names in files.
    pub activations: BTreeMap<String, Activation>,
    /// The rows in the order of the table, with the fields that they inherit.
    #[serde(deserialize_with = "complete_rows")]
    pub families: Vec<Family>,
}

type Row = Map<String, Value>;

/// A row with the fields that it inherits from another.
fn complete(rows: &[Row], row: &Row) -> Row {
    let base = row.get("extends").and_then(|base| rows.iter().find(|other| other.get("name") == Some(base)));
    let Some(base) = base else { return row.clone() };
    let mut all = complete(rows, base);
    for (key, value) in row {
        match (key.as_str(), all.get_mut(key), value) {
            ("fields" | "names", Some(Value::Object(known)), Value::Object(own)) => known.extend(own.clone()),
            _ => {
                all.insert(key.clone(), value.clone());
            }
        }
    }
    all
}

fn complete_rows<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Vec<Family>, D::Error> {
    let rows = Vec::<Row>::deserialize(deserializer)?;
    let family = |row: &Row| serde_json::from_value(Value::Object(complete(&rows, row))).map_err(D::Error::custom);
    rows.iter().map(family).collect()
}

/// The table, which is part of the crate: that it can be read is tested.
pub(crate) static TABLE: LazyLock<Table> =
    LazyLock::new(|| serde_json::from_str(include_str!("../families.json")).expect("the table is read by the tests"));
