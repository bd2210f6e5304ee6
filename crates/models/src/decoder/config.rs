//! The configuration of a decoder, read from Hugging Face's `config.json`.

use super::{
    family::{Activation, Family, is_bound},
    fields::{Fields, refuse},
    host::{float_type, table},
    rope::{Rope, Which, read_rope},
};
use lanthorn_macros::record;
use lanthorn_tensor::{DType, Result};
use serde_json::{Map, Value};

/// A layer's attention: its window, and its rotary embedding.
#[record]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerAttention {
    /// The number of the last positions that a query sees, its own included; none for all.
    pub window: Option<usize>,
    /// The index of the rotary embedding in `ropes`; none where positions are learned.
    pub rope: Option<usize>,
}

/// Which linear layers have biases.
#[record]
#[derive(Clone, Copy, Debug)]
pub struct HasBias {
    pub qkv: bool,
    pub output: bool,
    pub mlp: bool,
}

/// The configuration of a decoder.
#[record]
#[derive(Clone, Debug)]
pub struct DecoderConfig {
    /// The family, a row of the table.
    pub(crate) family: Family,
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
    /// The activation function between linear layers.
    pub(crate) activation: Activation,
    /// Added to a variance before its root is taken.
    pub(crate) eps: f64,
    /// Which linear layers have biases.
    pub(crate) biases: HasBias,
    /// The factor of attention scores.
    pub(crate) scale: f64,
    /// The factor of embeddings.
    pub(crate) embedding_scale: f64,
    /// The bound of scores, as `cap * tanh(x / cap)`; none for no bound.
    pub(crate) attention_soft_cap: Option<f64>,
    /// The bound of logits; none for no bound.
    pub(crate) final_soft_cap: Option<f64>,
    /// The rotary embeddings.
    pub(crate) ropes: Vec<Rope>,
    /// The attention of each layer.
    pub(crate) layers: Vec<LayerAttention>,
    /// Whether the output layer has the embedding's weights.
    pub tie_word_embeddings: bool,
    /// The ids that end a text.
    pub eos_token_ids: Vec<i64>,
    /// The type of the weights that `config.json` names; none where it names none.
    pub(crate) dtype: Option<DType>,
}

/// The bound of the number of layers: a file may name any.
const MAX_LAYERS: usize = 10000;

/// The family of a configuration.
fn family_for(json: &Map<String, Value>) -> Result<&'static Family> {
    let families = &table().families;
    let model_type = json.get("model_type").unwrap_or(&Value::Null);
    let names = json.get("architectures").unwrap_or(&Value::Null).as_array().cloned().unwrap_or_default();
    let is_named = |family: &Family| {
        if names.is_empty() {
            let name = model_type.as_str().unwrap_or("");
            return family.name == name.strip_suffix("_text").unwrap_or(name);
        }
        family.architectures.iter().any(|known| names.iter().any(|name| name.as_str().unwrap_or("") == known))
    };
    let Some(family) = families.iter().find(|family| is_named(family)) else {
        let texts: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let given = if names.is_empty() {
            format!("the model type {model_type}")
        } else {
            format!("the architecture {}", texts.join(", "))
        };
        let known: Vec<String> = families.iter().flat_map(|family| family.architectures.clone()).collect();
        return Err(refuse(format!("{given} is not known; there are {}", known.join(", "))));
    };
    Ok(family)
}

/// Whether values are equal, numbers of any type.
pub(crate) fn is_same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// The values by the table's names.
fn rename_fields(family: &Family, json: &Map<String, Value>) -> Map<String, Value> {
    let mut values = Map::new();
    for (name, value) in json.iter() {
        values.insert(family.renamed.get(name).unwrap_or(name).clone(), value.clone());
    }
    values
}

fn check_fields(family: &Family, values: &Map<String, Value>, strict: bool) -> Result<()> {
    if !values.get("quantization_config").unwrap_or(&Value::Null).is_null() {
        let message =
            "its weights are quantized (quantization_config), which is not supported; GGUF files may be quantized";
        return Err(refuse(message.to_string()));
    }
    let mut unknown = vec![];
    for name in values.keys() {
        let is_known = family.fields.contains_key(name) || table().ignored.contains(name);
        if !is_known && name != "quantization_config" {
            unknown.push(name.clone());
        }
    }
    if strict && !unknown.is_empty() {
        return Err(refuse(unknown_fields(&unknown, family)));
    }
    for (name, allowed) in family.fixed.iter() {
        let given = values.get(name).unwrap_or(&Value::Null);
        let value = if given.is_null() { family.fields.get(name).unwrap_or(&Value::Null) } else { given };
        if !allowed.iter().any(|other| is_same(other, value)) {
            return Err(refuse(format!("{name} is {value}, which is not supported for {}", family.name)));
        }
    }
    Ok(())
}

/// The error of fields that no row of the table has.
pub(crate) fn unknown_fields(names: &[String], family: &Family) -> String {
    let fields = names.join(", ");
    format!("the fields {fields} are not known for {}; with strict: false they are ignored", family.name)
}

/// The values with defaults. A null of the file means no window and no soft cap, where the default
/// is a number.
fn add_defaults(family: &Family, values: &Map<String, Value>) -> Map<String, Value> {
    let mut all = family.fields.clone();
    for (name, value) in values.iter() {
        if !value.is_null() || is_bound(family, name) {
            all.insert(name.clone(), value.clone());
        }
    }
    all
}

/// Which layers have a window: those that `layer_types` names, or by the family's rule.
fn sliding_layers(family: &Family, fields: &Fields) -> Result<Vec<bool>> {
    let count = fields.count("num_hidden_layers")?;
    if count > MAX_LAYERS {
        return Err(refuse(format!("num_hidden_layers is {count}, more than {MAX_LAYERS}")));
    }
    let types = fields.get("layer_types");
    if !types.is_null() {
        let known = ["full_attention", "sliding_attention"];
        let kinds = types.as_array().cloned().unwrap_or_default();
        let kinds: Vec<String> = kinds.iter().map(|kind| kind.as_str().unwrap_or("").to_string()).collect();
        if kinds.len() != count || kinds.iter().any(|kind| !known.contains(&kind.as_str())) {
            let known = known.join(" or ");
            return Err(refuse(format!("layer_types has to name {known} for each of {count} layers")));
        }
        return Ok(kinds.iter().map(|kind| kind == "sliding_attention").collect());
    }
    let Some(window) = &family.window else { return Ok(vec![false; count]) };
    if let Some(condition) = &window.condition
        && !fields.flag(condition)?
    {
        return Ok(vec![false; count]);
    }
    let first = match &window.from {
        Some(name) => fields.number(name)?,
        None => 0.0,
    };
    let period = match window.period.as_str() {
        Some(name) => fields.count(name)?,
        None => window.period.as_f64().unwrap_or(0.0) as usize,
    };
    let is_sliding = |index: usize| index as f64 >= first && (period == 0 || (index + 1) % period != 0);
    Ok((0..count).map(is_sliding).collect())
}

/// The size of the windows, if the family has any.
fn window_size(family: &Family, fields: &Fields) -> Result<Option<usize>> {
    let Some(window) = &family.window else { return Ok(None) };
    if fields.get(&window.size).is_null() {
        return Ok(None);
    }
    Ok(Some(fields.count(&window.size)?))
}

/// The rotary embeddings: one of all layers, or one more of those with a window.
fn read_ropes(family: &Family, fields: &Fields, head_dim: usize, max_positions: usize) -> Result<Vec<Rope>> {
    let Some(row) = &family.rope else { return Ok(vec![]) };
    let which =
        Which { kind: "full_attention".to_string(), theta: row.theta.clone(), plain: false, head_dim, max_positions };
    let mut ropes = vec![read_rope(fields, &which)?];
    if let Some(theta) = &row.sliding_theta {
        let kind = "sliding_attention".to_string();
        let which = Which { kind, theta: theta.clone(), plain: true, head_dim, max_positions };
        ropes.push(read_rope(fields, &which)?);
    }
    Ok(ropes)
}

/// The attention of each layer, with a number of rotary embeddings.
fn read_layers(family: &Family, fields: &Fields, ropes: usize) -> Result<Vec<LayerAttention>> {
    let sliding = sliding_layers(family, fields)?;
    let size = window_size(family, fields)?;
    let mut layers = vec![];
    for is_sliding in sliding {
        let window = if is_sliding { size } else { None };
        let rope = if is_sliding { ropes.saturating_sub(1) } else { 0 };
        layers.push(LayerAttention { window, rope: if ropes > 0 { Some(rope) } else { None } });
    }
    Ok(layers)
}

fn read_activation(family: &Family, fields: &Fields) -> Result<Activation> {
    let own = fields.get(&family.activation);
    // Gemma's older configurations have `hidden_act`, and the newer field is null.
    let value = if own.is_null() { fields.get("hidden_act") } else { own };
    let Some(activation) = table().activations.get(value.as_str().unwrap_or("")) else {
        let names: Vec<String> = table().activations.keys().cloned().collect();
        return Err(refuse(format!("{} is {value}; there are {}", family.activation, names.join(", "))));
    };
    Ok(*activation)
}

fn read_eos(json: &Map<String, Value>) -> Result<Vec<i64>> {
    let value = json.get("eos_token_id").unwrap_or(&Value::Null);
    if value.is_null() {
        return Ok(vec![]);
    }
    let ids = value.as_array().cloned().unwrap_or(vec![value.clone()]);
    if ids.iter().any(|id| id.as_i64().is_none()) {
        return Err(refuse(format!("eos_token_id is {value}, not an id or several")));
    }
    Ok(ids.iter().map(|id| id.as_i64().unwrap_or(0)).collect())
}

/// The type that `dtype`, or `torch_dtype` in older files, names.
fn read_dtype(json: &Map<String, Value>) -> Option<DType> {
    let named = json.get("dtype").unwrap_or(&Value::Null);
    let named = if named.is_null() { json.get("torch_dtype").unwrap_or(&Value::Null) } else { named };
    let name = named.as_str().unwrap_or("");
    float_type(name.strip_prefix("torch.").unwrap_or(name))
}

/// A soft cap, if the family has the field.
fn read_cap(fields: &Fields, name: Option<&str>) -> Result<Option<f64>> {
    match name {
        Some(name) => fields.optional(name),
        None => Ok(None),
    }
}

/// The configuration of the fields of a `config.json`.
pub(crate) fn read_fields(json: &Map<String, Value>, strict: bool) -> Result<DecoderConfig> {
    let family = family_for(json)?;
    let values = rename_fields(family, json);
    check_fields(family, &values, strict)?;
    let fields = Fields::new(add_defaults(family, &values));
    let hidden_size = fields.count("hidden_size")?;
    let heads = fields.count("num_attention_heads")?;
    let head_dim = fields.count_or("head_dim", hidden_size / heads)?;
    let kv_heads = fields.count_or("num_key_value_heads", heads)?;
    if heads % kv_heads != 0 {
        return Err(refuse(format!("{heads} attention heads cannot share {kv_heads} key and value heads")));
    }
    let max_positions = fields.count("max_position_embeddings")?;
    let width = match &family.scale {
        Some(name) => fields.number(name)?,
        None => head_dim as f64,
    };
    let ropes = read_ropes(family, &fields, head_dim, max_positions)?;
    let caps = family.soft_caps.as_ref();
    Ok(DecoderConfig {
        family: family.clone(),
        vocab_size: fields.count("vocab_size")?,
        hidden_size,
        intermediate_size: fields.count_or("intermediate_size", 4 * hidden_size)?,
        heads,
        kv_heads,
        head_dim,
        max_positions,
        activation: read_activation(family, &fields)?,
        eps: fields.number(&family.norm.eps)?,
        biases: HasBias {
            qkv: fields.either(&family.biases.qkv)?,
            output: fields.either(&family.biases.output)?,
            mlp: fields.either(&family.biases.mlp)?,
        },
        scale: 1.0 / width.sqrt(),
        embedding_scale: if family.embedding_scale { (hidden_size as f64).sqrt() } else { 1.0 },
        attention_soft_cap: read_cap(&fields, caps.map(|caps| caps.attention.as_str()))?,
        final_soft_cap: read_cap(&fields, caps.map(|caps| caps.logits.as_str()))?,
        layers: read_layers(family, &fields, ropes.len())?,
        ropes,
        tie_word_embeddings: fields.flag("tie_word_embeddings")?,
        eos_token_ids: read_eos(json)?,
        dtype: read_dtype(json),
    })
}
