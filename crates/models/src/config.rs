//! The configuration of a decoder, read from Hugging Face's `config.json`.

use crate::{
    families::{Family, Flag, Period, TABLE},
    rope::{self, Rope, Which},
};
use lanthorn_tensor::{DType, Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The error of a configuration.
pub(crate) fn refuse(message: impl Into<String>) -> Error {
    Error::file("config.json", message)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Activation {
    Silu,
    Gelu,
    GeluTanh,
    Relu,
}

/// A layer's attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LayerAttention {
    /// The number of the last positions that a query sees, its own included; none for all.
    pub window: Option<usize>,
    /// The index of the rotary embedding; none where positions are learned.
    pub rope: Option<usize>,
}

/// Which linear layers have biases.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HasBias {
    pub qkv: bool,
    pub output: bool,
    pub mlp: bool,
}

/// The configuration of a decoder: [`DecoderConfig::from_json`] reads a `config.json`.
#[derive(Clone, Debug)]
pub struct DecoderConfig {
    /// The number of tokens.
    pub vocab_size: usize,
    /// The width of the residual stream.
    pub hidden_size: usize,
    /// The width of the layers between attentions.
    pub intermediate_size: usize,
    /// The number of attention heads.
    pub heads: usize,
    /// The number of key and value heads, which attention heads share.
    pub kv_heads: usize,
    /// The width of a head.
    pub head_dim: usize,
    /// The number of positions that the model was made for.
    pub max_positions: usize,
    /// The ids that end a text.
    pub eos_token_ids: Vec<i64>,
    /// Whether the output layer has the embedding's weights.
    pub tie_word_embeddings: bool,
    /// The type of the weights that `config.json` names.
    pub(crate) dtype: Option<DType>,
    pub(crate) family: Family,
    pub(crate) activation: Activation,
    pub(crate) eps: f64,
    pub(crate) biases: HasBias,
    pub(crate) scale: f64,
    pub(crate) embedding_scale: f64,
    pub(crate) attention_soft_cap: Option<f64>,
    pub(crate) final_soft_cap: Option<f64>,
    pub(crate) ropes: Vec<Rope>,
    pub(crate) layers: Vec<LayerAttention>,
}

/// The largest integer of a configuration that float64 represents exactly, as all smaller ones.
const MAX_COUNT: f64 = 9_007_199_254_740_991.0;

/// The fields of a configuration, with defaults, and errors that name them.
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    pub fn get(&self, name: &str) -> &Value {
        self.0.get(name).unwrap_or(&Value::Null)
    }

    pub fn optional(&self, name: &str) -> Result<Option<f64>> {
        let value = self.get(name);
        if value.is_null() {
            return Ok(None);
        }
        value.as_f64().ok_or_else(|| refuse(format!("{name} is {value}, not a number"))).map(Some)
    }

    pub fn number(&self, name: &str) -> Result<f64> {
        self.optional(name)?.ok_or_else(|| refuse(format!("{name} is null, not a number")))
    }

    /// A positive integer; `otherwise` where there is none.
    fn count_or(&self, name: &str, otherwise: Option<usize>) -> Result<usize> {
        match self.optional(name)?.or(otherwise.map(|count| count as f64)) {
            None => Err(refuse(format!("{name} is null, not a number"))),
            Some(value) if value < 1.0 || value.fract() != 0.0 || value > MAX_COUNT => {
                Err(refuse(format!("{name} is {value}, not a positive integer")))
            }
            Some(value) => Ok(value as usize),
        }
    }

    fn count(&self, name: &str) -> Result<usize> {
        self.count_or(name, None)
    }

    fn optional_count(&self, name: &str) -> Result<Option<usize>> {
        if self.get(name).is_null() { Ok(None) } else { self.count(name).map(Some) }
    }

    fn flag(&self, name: &str) -> Result<bool> {
        match self.get(name) {
            Value::Null => Ok(false),
            Value::Bool(value) => Ok(*value),
            value => Err(refuse(format!("{name} is {value}, not true or false"))),
        }
    }

    fn either(&self, flag: &Flag) -> Result<bool> {
        match flag {
            Flag::Fixed(value) => Ok(*value),
            Flag::Field(name) => self.flag(name),
        }
    }
}

/// The family of a configuration.
fn family_for(json: &Map<String, Value>) -> Result<&'static Family> {
    let named = json.get("architectures").and_then(Value::as_array).filter(|names| !names.is_empty());
    let model_type = json.get("model_type").unwrap_or(&Value::Null);
    let name = model_type.as_str().unwrap_or_default();
    let is_named = |family: &&Family| match named {
        Some(names) => family.architectures.iter().any(|name| names.iter().any(|given| given.as_str() == Some(name))),
        None => family.name == name.strip_suffix("_text").unwrap_or(name),
    };
    TABLE.families.iter().find(is_named).ok_or_else(|| {
        let given = match named {
            Some(names) => {
                format!("the architecture {}", names.iter().map(Value::to_string).collect::<Vec<_>>().join(", "))
            }
            None => format!("the model type {model_type}"),
        };
        let known: Vec<&str> =
            TABLE.families.iter().flat_map(|family| family.architectures.iter().map(String::as_str)).collect();
        refuse(format!("{given} is not known; there are {}", known.join(", ")))
    })
}

fn check_fields(family: &Family, values: &Map<String, Value>, strict: bool) -> Result<()> {
    if values.get("quantization_config").is_some_and(|value| !value.is_null()) {
        return Err(refuse(
            "its weights are quantized (quantization_config), which is not supported; GGUF files may be quantized",
        ));
    }
    let is_known = |name: &String| {
        family.fields.contains_key(name) || TABLE.ignored.contains(name) || name == "quantization_config"
    };
    let unknown: Vec<&str> = values.keys().filter(|name| !is_known(name)).map(String::as_str).collect();
    if strict && !unknown.is_empty() {
        return Err(refuse(unknown_fields(&unknown, family)));
    }
    for (name, allowed) in &family.fixed {
        let given = values.get(name).filter(|value| !value.is_null());
        let value = given.or_else(|| family.fields.get(name)).unwrap_or(&Value::Null);
        if !allowed.as_array().is_some_and(|allowed| allowed.contains(value)) {
            return Err(refuse(format!("{name} is {value}, which is not supported for {}", family.name)));
        }
    }
    Ok(())
}

/// The error of fields that no row of the table has.
pub(crate) fn unknown_fields(fields: &[&str], family: &Family) -> String {
    let (fields, family) = (fields.join(", "), &family.name);
    format!("the fields {fields} are not known for {family}; with strict: false they are ignored")
}

/// The values with defaults. A null of the file means no window and no soft cap, where the default
/// is a number.
fn fields_of(family: &Family, values: &Map<String, Value>) -> Fields {
    let mut all = family.fields.clone();
    let given = values.iter().filter(|(name, value)| !value.is_null() || family.is_bound(name));
    all.extend(given.map(|(name, value)| (name.clone(), value.clone())));
    Fields(all)
}

/// Which layers have a window: those that `layer_types` names, or by the family's rule.
fn sliding_layers(family: &Family, fields: &Fields) -> Result<Vec<bool>> {
    let count = fields.count("num_hidden_layers")?;
    if count > MAX_LAYERS {
        return Err(refuse(format!("num_hidden_layers is {count}, more than {MAX_LAYERS}")));
    }
    let types = fields.get("layer_types");
    if !types.is_null() {
        let is_sliding = |kind: &Value| match kind.as_str() {
            Some("sliding_attention") => Some(true),
            Some("full_attention") => Some(false),
            _ => None,
        };
        let sliding: Option<Vec<bool>> = types.as_array().and_then(|types| types.iter().map(is_sliding).collect());
        let message = || {
            refuse(format!("layer_types has to name full_attention or sliding_attention for each of {count} layers"))
        };
        return sliding.filter(|sliding| sliding.len() == count).ok_or_else(message);
    }
    let Some(window) = &family.window else { return Ok(vec![false; count]) };
    if let Some(condition) = &window.condition
        && !fields.flag(condition)?
    {
        return Ok(vec![false; count]);
    }
    let from = window.from.as_ref().map_or(Ok(0.0), |name| fields.number(name))? as usize;
    let period = match &window.period {
        Some(Period::Field(name)) => fields.count(name)?,
        Some(Period::Fixed(period)) => *period,
        None => 0,
    };
    Ok((0..count).map(|index| index >= from && (period == 0 || (index + 1) % period != 0)).collect())
}

/// The bound of the number of layers: a file may name any.
const MAX_LAYERS: usize = 10_000;

fn layers_of(
    family: &Family,
    fields: &Fields,
    head_dim: usize,
    max_positions: usize,
) -> Result<(Vec<LayerAttention>, Vec<Rope>)> {
    let sliding = sliding_layers(family, fields)?;
    let size = family.window.as_ref().map_or(Ok(None), |window| fields.optional_count(&window.size))?;
    let window = |is_sliding: bool| size.filter(|_| is_sliding);
    let Some(row) = &family.rope else {
        let layers = sliding.into_iter().map(|is| LayerAttention { window: window(is), rope: None });
        return Ok((layers.collect(), vec![]));
    };
    let read = |kind, theta, plain| rope::read(fields, &Which { kind, theta, plain, head_dim, max_positions });
    let mut ropes = vec![read("full_attention", row.theta.as_str(), false)?];
    if let Some(theta) = &row.sliding_theta {
        ropes.push(read("sliding_attention", theta, true)?);
    }
    let last = ropes.len() - 1;
    let layer = |is| LayerAttention { window: window(is), rope: Some(if is { last } else { 0 }) };
    Ok((sliding.into_iter().map(layer).collect(), ropes))
}

fn activation_of(family: &Family, fields: &Fields) -> Result<Activation> {
    let own = fields.get(&family.activation);
    // Gemma's older configurations have `hidden_act`, and the newer field is null.
    let value = if own.is_null() { fields.get("hidden_act") } else { own };
    value.as_str().and_then(|name| TABLE.activations.get(name)).copied().ok_or_else(|| {
        let names: Vec<&str> = TABLE.activations.keys().map(String::as_str).collect();
        refuse(format!("{} is {value}; there are {}", family.activation, names.join(", ")))
    })
}

fn eos_of(json: &Map<String, Value>) -> Result<Vec<i64>> {
    let value = json.get("eos_token_id").unwrap_or(&Value::Null);
    let ids = match value {
        Value::Null => Some(vec![]),
        Value::Array(ids) => ids.iter().map(Value::as_i64).collect(),
        id => id.as_i64().map(|id| vec![id]),
    };
    ids.ok_or_else(|| refuse(format!("eos_token_id is {value}, not an id or several")))
}

/// The type that `dtype`, or `torch_dtype` in older files, names.
fn dtype_of(json: &Map<String, Value>) -> Option<DType> {
    let named = |field| json.get(field).filter(|value| !value.is_null());
    let name = named("dtype").or_else(|| named("torch_dtype")).and_then(Value::as_str)?;
    DType::from_name(name.strip_prefix("torch.").unwrap_or(name)).filter(|dtype| dtype.is_floating_point())
}

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
        let json: Value = serde_json::from_str(text).map_err(|error| refuse(format!("is no JSON: {error}")))?;
        match json {
            Value::Object(json) => DecoderConfig::from_fields(&json, strict),
            _ => Err(refuse("takes an object")),
        }
    }

    pub(crate) fn from_fields(json: &Map<String, Value>, strict: bool) -> Result<DecoderConfig> {
        let family = family_for(json)?;
        let name_of = |name: &String| family.renamed.get(name).and_then(Value::as_str).unwrap_or(name).to_string();
        let values: Map<String, Value> = json.iter().map(|(name, value)| (name_of(name), value.clone())).collect();
        check_fields(family, &values, strict)?;
        let fields = fields_of(family, &values);
        let (hidden_size, heads) = (fields.count("hidden_size")?, fields.count("num_attention_heads")?);
        let head_dim = fields.count_or("head_dim", Some(hidden_size / heads))?;
        let kv_heads = fields.count_or("num_key_value_heads", Some(heads))?;
        if heads % kv_heads != 0 {
            return Err(refuse(format!("{heads} attention heads cannot share {kv_heads} key and value heads")));
        }
        let max_positions = fields.count("max_position_embeddings")?;
        let (layers, ropes) = layers_of(family, &fields, head_dim, max_positions)?;
        let cap = |name: Option<&String>| name.map_or(Ok(None), |name| fields.optional(name));
        let width = family.scale.as_ref().map_or(Ok(head_dim as f64), |name| fields.number(name))?;
        Ok(DecoderConfig {
            vocab_size: fields.count("vocab_size")?,
            intermediate_size: fields.count_or("intermediate_size", Some(4 * hidden_size))?,
            activation: activation_of(family, &fields)?,
            eps: fields.number(&family.norm.eps)?,
            biases: HasBias {
                qkv: fields.either(&family.biases.qkv)?,
                output: fields.either(&family.biases.output)?,
                mlp: fields.either(&family.biases.mlp)?,
            },
            scale: 1.0 / width.sqrt(),
            embedding_scale: if family.embedding_scale { (hidden_size as f64).sqrt() } else { 1.0 },
            attention_soft_cap: cap(family.soft_caps.as_ref().map(|caps| &caps.attention))?,
            final_soft_cap: cap(family.soft_caps.as_ref().map(|caps| &caps.logits))?,
            tie_word_embeddings: fields.flag("tie_word_embeddings")?,
            eos_token_ids: eos_of(json)?,
            dtype: dtype_of(json),
            family: family.clone(),
            hidden_size,
            heads,
            kv_heads,
            head_dim,
            max_positions,
            ropes,
            layers,
        })
    }
}
