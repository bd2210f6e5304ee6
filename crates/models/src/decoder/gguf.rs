//! Models in GGUF files: their metadata as a `config.json`, and Hugging Face's names of their
//! tensors.

use super::{
    config::{DecoderConfig, is_same, read_fields, unknown_fields},
    family::{Family, is_bound, role},
    host::{ints, table},
};
use lanthorn_macros::record;
use lanthorn_tensor::{Error, Result, Tensor};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The number of layers of Gemma 2 with 27 billion parameters, whose scores have another scale.
const GEMMA2_27B_LAYERS: f64 = 46.0;

fn refuse(message: String) -> Error {
    Error::file("GGUF", message)
}

/// The name of a role's tensor in GGUF.
fn short_name(role: &str) -> String {
    table().gguf_names.get(role).cloned().unwrap_or(String::new())
}

fn family_of(architecture: &Value) -> Result<&'static Family> {
    let name = architecture.as_str().unwrap_or("");
    let mut known = vec![];
    for family in table().families.iter() {
        if let Some(gguf) = &family.gguf {
            if gguf == name {
                return Ok(family);
            }
            known.push(gguf.clone());
        }
    }
    Err(refuse(format!("the architecture {architecture} is not known; there are {}", known.join(", "))))
}

/// The tensors of a file, by GGUF's names.
pub(crate) struct Tensors {
    /// The shape of each.
    shapes: BTreeMap<String, Vec<usize>>,
    /// Factors of frequencies, which are tensors in these files; not of those in blocks.
    factors: BTreeMap<String, Vec<f64>>,
}

impl Tensors {
    pub fn new(shapes: BTreeMap<String, Vec<usize>>, factors: BTreeMap<String, Vec<f64>>) -> Tensors {
        Tensors { shapes, factors }
    }

    fn has(&self, name: &str) -> bool {
        self.shapes.contains_key(&format!("{name}.weight"))
    }

    /// The factors of frequencies of a tensor.
    fn factors_of(&self, name: &str) -> Result<Value> {
        let name = format!("{name}.weight");
        let Some(factors) = self.factors.get(&name) else {
            return Err(refuse(format!("the factors {name} are quantized")));
        };
        Ok(Value::from(factors.clone()))
    }
}

/// The metadata of a file's architecture.
struct Metadata {
    all: Map<String, Value>,
    /// `llama.`.
    prefix: String,
    family: Family,
}

impl Metadata {
    fn get(&self, key: &str) -> &Value {
        self.all.get(&format!("{}{key}", self.prefix)).unwrap_or(&Value::Null)
    }

    /// A number that is not 0, which says nothing.
    fn number(&self, key: &str) -> Result<Option<f64>> {
        let value = self.get(key);
        if value.is_null() {
            return Ok(None);
        }
        let Some(number) = value.as_f64() else {
            return Err(self.refuse(key, &value.to_string(), "is no number"));
        };
        Ok(if number == 0.0 { None } else { Some(number) })
    }

    fn refuse(&self, key: &str, value: &str, what: &str) -> Error {
        refuse(format!("{}{key} is {value}, which {what}", self.prefix))
    }

    /// A value of the architecture's own field; a list for each layer counts where all are the
    /// same.
    fn field(&self, key: &str) -> Result<Value> {
        let value = self.get(key);
        let Some(layers) = value.as_array() else { return Ok(value.clone()) };
        if layers.is_empty() || layers.iter().any(|layer| *layer != layers[0]) {
            return Err(self.refuse(key, &value.to_string(), "differs by layer, and is not supported"));
        }
        Ok(layers[0].clone())
    }

    /// Whether the family reads a value.
    fn is_read(&self, key: &str) -> bool {
        if key.starts_with("rope.") && self.family.rope.is_none() {
            return true;
        }
        if let Some(field) = table().gguf_fields.get(key)
            && self.family.fields.contains_key(field)
        {
            return true;
        }
        if table().gguf_ignored.iter().any(|other| other == key) {
            return true;
        }
        let is_pattern = key == "attention.sliding_window_pattern";
        table().gguf_read.iter().any(|other| other == key) && (!is_pattern || self.family.window.is_some())
    }

    /// Refuses a part of a model, values that are not supported and, if `strict`, those that are
    /// not known.
    fn check(&self, strict: bool) -> Result<()> {
        let count = self.all.get("split.count").unwrap_or(&Value::Null).as_f64().unwrap_or(1.0);
        if count > 1.0 {
            let message = format!("split.count is {count}: the file is a part of a model; merge the parts first");
            return Err(refuse(message));
        }
        let mut unknown = vec![];
        for (name, value) in self.all.iter() {
            let key = name.strip_prefix(&self.prefix).unwrap_or("");
            if !name.starts_with(&self.prefix) || self.is_read(key) {
                continue;
            }
            match table().gguf_without_effect.get(key) {
                None => unknown.push(name.clone()),
                Some(allowed) => {
                    if !allowed.iter().any(|other| is_same(other, value)) {
                        let what = format!("is not supported for {}", self.family.name);
                        return Err(self.refuse(key, &value.to_string(), &what));
                    }
                }
            }
        }
        if strict && !unknown.is_empty() {
            return Err(refuse(unknown_fields(&unknown, &self.family)));
        }
        Ok(())
    }

    /// The default of a value of metadata; null without one.
    fn default_of(&self, key: &str) -> Option<&Value> {
        let own = self.family.gguf_defaults.get(key);
        if own.is_some() { own } else { table().gguf_defaults.get(key) }
    }

    /// The fields of `config.json` that the table names.
    fn fields(&self) -> Result<Map<String, Value>> {
        let mut fields = Map::new();
        for (key, field) in table().gguf_fields.iter() {
            if !self.family.fields.contains_key(field) {
                continue;
            }
            let value = self.field(key)?;
            if value.is_null() {
                if table().gguf_required.contains(key) {
                    return Err(refuse(format!("there is no {}{key}", self.prefix)));
                }
                if let Some(default) = self.default_of(key) {
                    fields.insert(field.clone(), default.clone());
                }
                continue;
            }
            // Files have 0 for no window and no soft cap.
            let is_none = is_bound(&self.family, field) && is_same(&value, &Value::from(0));
            fields.insert(field.clone(), if is_none { Value::Null } else { value });
        }
        Ok(fields)
    }

    /// The width of heads, which keys and values share.
    fn head_dim(&self, fields: &Map<String, Value>) -> Result<f64> {
        let usual = score_width(fields).floor();
        let own = self.number("attention.key_length")?.unwrap_or(usual);
        if own != usual && !self.family.fields.contains_key("head_dim") {
            let what = format!("is not supported: heads have {usual}");
            return Err(self.refuse("attention.key_length", &own.to_string(), &what));
        }
        let values = self.number("attention.value_length")?.unwrap_or(usual);
        if values != own {
            let what = format!("is not supported: keys have {own}");
            return Err(self.refuse("attention.value_length", &values.to_string(), &what));
        }
        Ok(own)
    }

    /// The field and the value of the layers with a window, by a period or by a list of flags.
    fn window_pattern(&self) -> Result<Option<(String, Value)>> {
        let key = "attention.sliding_window_pattern";
        let pattern = self.get(key);
        let Some(window) = &self.family.window else { return Ok(None) };
        if pattern.is_null() {
            return Ok(None);
        }
        if let Some(flags) = pattern.as_array() {
            let is_sliding = |flag: &Value| flag.as_bool().unwrap_or(false) || is_same(flag, &Value::from(1));
            let kind = |flag: &Value| if is_sliding(flag) { "sliding_attention" } else { "full_attention" };
            let kinds: Vec<&str> = flags.iter().map(kind).collect();
            return Ok(Some(("layer_types".to_string(), Value::from(kinds))));
        }
        if let Some(name) = window.period.as_str() {
            return Ok(Some((name.to_string(), pattern.clone())));
        }
        if !is_same(pattern, &window.period) {
            return Err(self.refuse(key, &pattern.to_string(), "is not supported"));
        }
        Ok(None)
    }

    fn scaling_number(&self, key: &str) -> Result<Option<f64>> {
        self.number(&format!("rope.scaling.{key}"))
    }

    /// The dictionary of scaled rotary embeddings, of the metadata and the tensors of factors.
    fn rope_scaling(&self, tensors: &Tensors) -> Result<Value> {
        let factor = self.scaling_number("factor")?.or(self.number("rope.scale_linear")?);
        let original = self.scaling_number("original_context_length")?;
        let own_attention = self.scaling_number("attn_factor")?.unwrap_or(1.0);
        let attention = own_attention * self.scaling_number("yarn_attn_factor")?.unwrap_or(1.0);
        let has_long = tensors.has("rope_factors_long");
        let has_short = tensors.has("rope_factors_short");
        let scales = factor.unwrap_or(1.0) != 1.0;
        // Without a kind, llama.cpp divides positions by the factor.
        let usual = if has_long { "longrope" } else { "linear" };
        let named = self.get("rope.scaling.type");
        let named = if named.is_null() { usual } else { named.as_str().unwrap_or("") };
        let kind = if named == "linear" && !scales { "none" } else { named };
        let kinds = ["none", "linear", "yarn", "longrope"];
        if !kinds.contains(&kind) {
            return Err(refuse(format!("rope.scaling.type is not known; there are {}", kinds.join(", "))));
        }
        if kind == "longrope" {
            if !has_long || !has_short {
                return Err(refuse("longrope has no rope_factors_long and _short".to_string()));
            }
            if scales {
                return Err(refuse("longrope with rope.scaling.factor is not supported".to_string()));
            }
            return Ok(object(&[
                ("rope_type", Value::from("longrope")),
                ("original_max_position_embeddings", Value::from(original)),
                ("attention_factor", Value::from(attention)),
                ("long_factor", tensors.factors_of("rope_factors_long")?),
                ("short_factor", tensors.factors_of("rope_factors_short")?),
            ]));
        }
        let has_factors = has_long || has_short || tensors.has("rope_freqs");
        if kind == "yarn" && factor.is_none() {
            return Err(refuse("yarn has no rope.scaling.factor".to_string()));
        }
        if kind != "none" && has_factors {
            return Err(refuse(format!("{kind} with factors of frequencies is not supported")));
        }
        if kind != "yarn" && attention != 1.0 {
            return Err(refuse(format!("rope.scaling.attn_factor {attention} needs yarn or longrope")));
        }
        if kind == "yarn" {
            let factor = factor.unwrap_or(1.0);
            let grown = if factor <= 1.0 { 1.0 } else { 0.1 * factor.ln() + 1.0 };
            return Ok(object(&[
                ("rope_type", Value::from("yarn")),
                ("factor", Value::from(factor)),
                ("original_max_position_embeddings", Value::from(original)),
                ("attention_factor", Value::from(attention * grown)),
                ("beta_fast", Value::from(self.scaling_number("yarn_beta_fast")?)),
                ("beta_slow", Value::from(self.scaling_number("yarn_beta_slow")?)),
            ]));
        }
        if kind == "linear" {
            return Ok(object(&[("rope_type", Value::from("linear")), ("factor", Value::from(factor))]));
        }
        if !tensors.has("rope_freqs") {
            return Ok(Value::Null);
        }
        Ok(object(&[("rope_type", Value::from("factors")), ("factors", tensors.factors_of("rope_freqs")?)]))
    }
}

fn object(entries: &[(&str, Value)]) -> Value {
    let mut object = Map::new();
    for (name, value) in entries.iter() {
        object.insert(name.to_string(), value.clone());
    }
    Value::from(object)
}

/// The width of the residual stream for each head.
fn score_width(fields: &Map<String, Value>) -> f64 {
    let hidden_size = fields.get("hidden_size").unwrap_or(&Value::Null).as_f64().unwrap_or(0.0);
    hidden_size / fields.get("num_attention_heads").unwrap_or(&Value::Null).as_f64().unwrap_or(0.0)
}

/// The ids that end a text, a turn or a message.
fn ends(all: &Map<String, Value>) -> Vec<Value> {
    let mut ends: Vec<Value> = vec![];
    for role in ["eos", "eot", "eom"] {
        if let Some(id) = all.get(&format!("tokenizer.ggml.{role}_token_id"))
            && !ends.contains(id)
        {
            ends.push(id.clone());
        }
    }
    ends
}

/// The configuration of a file with these tensors. `strict` says whether metadata that is not known
/// is an error.
pub(crate) fn read_metadata(all: &Map<String, Value>, tensors: &Tensors, strict: bool) -> Result<DecoderConfig> {
    let family = family_of(all.get("general.architecture").unwrap_or(&Value::Null))?;
    let prefix = format!("{}.", family.gguf.as_deref().unwrap_or(""));
    let metadata = Metadata { all: all.clone(), prefix, family: family.clone() };
    metadata.check(strict)?;
    let embedding = format!("{}.weight", short_name("embedding"));
    let Some(shape) = tensors.shapes.get(&embedding) else {
        return Err(refuse(format!("there is no tensor {embedding}")));
    };
    let mut fields = metadata.fields()?;
    fields.insert("architectures".to_string(), Value::from(vec![family.architectures[0].clone()]));
    fields.insert("vocab_size".to_string(), Value::from(shape[0]));
    fields.insert("tie_word_embeddings".to_string(), Value::from(!tensors.has(&short_name("head"))));
    fields.insert("eos_token_id".to_string(), Value::from(ends(all)));
    let head_dim = metadata.head_dim(&fields)?;
    if family.fields.contains_key("head_dim") {
        fields.insert("head_dim".to_string(), Value::from(head_dim));
    }
    if family.rope.is_some() {
        fields.insert("rope_scaling".to_string(), metadata.rope_scaling(tensors)?);
        let rotated = metadata.number("rope.dimension_count")?.unwrap_or(head_dim);
        if rotated > head_dim {
            let what = format!("is not supported: heads have {head_dim}");
            return Err(metadata.refuse("rope.dimension_count", &rotated.to_string(), &what));
        }
        fields.insert("partial_rotary_factor".to_string(), Value::from(rotated / head_dim));
    }
    if let Some((field, pattern)) = metadata.window_pattern()? {
        fields.insert(field, pattern);
    }
    if let Some(scale) = &family.scale {
        // llama.cpp scales by the width of a head, except in one model.
        let layers = fields.get("num_hidden_layers").unwrap_or(&Value::Null).as_f64().unwrap_or(0.0);
        let is_27b = family.name == "gemma2" && layers == GEMMA2_27B_LAYERS;
        let width = if is_27b { score_width(&fields) } else { head_dim };
        fields.insert(scale.clone(), Value::from(width));
    }
    let flags = [&family.biases.qkv, &family.biases.output, &family.biases.mlp];
    for (flag, part) in flags.iter().zip(["query", "output", "down"]) {
        if let Some(name) = flag.as_str() {
            let has_bias = tensors.shapes.contains_key(&format!("blk.0.{}.bias", short_name(part)));
            fields.insert(name.to_string(), Value::from(has_bias));
        }
    }
    let config = read_fields(&fields, true)?;
    let scale = metadata.number("attention.scale")?.unwrap_or(config.scale);
    Ok(DecoderConfig { scale, ..config })
}

/// The rows of queries or keys in Hugging Face's order, whose halves are rotated, from neighbouring
/// pairs. The first `rotated` rows of each head are rotated.
pub(crate) fn unpermute(weight: &Tensor, heads: usize, rotated: usize) -> Result<Tensor> {
    let shape = weight.shape().to_vec();
    let (width, rest) = (shape[0] / heads, &shape[1..]);
    let sizes = |first: &[usize]| ints(&first.iter().chain(rest).copied().collect::<Vec<usize>>());
    let apart = weight.reshape(sizes(&[heads, width]))?;
    let turned = apart.narrow(1, 0, rotated as i64)?.reshape(sizes(&[heads, rotated / 2, 2]))?;
    let turned = turned.transpose(1, 2)?.reshape(sizes(&[heads, rotated]))?;
    if width == rotated {
        return turned.reshape(ints(&shape));
    }
    let left = apart.narrow(1, rotated as i64, (width - rotated) as i64)?;
    Tensor::cat(&[turned, left], 1)?.reshape(ints(&shape))
}

/// The meaning of a tensor's name in GGUF.
#[record]
#[derive(Clone, Debug)]
pub(crate) struct TensorName {
    /// The role: `query` of `blk.3.attn_q.weight`.
    pub role: String,
    /// Hugging Face's name.
    pub long: String,
}

/// Whether a role is of a linear layer, or of a norm of queries or keys.
pub(crate) fn is_linear(role: &str) -> bool {
    let roles = table().in_attention.iter().chain(table().in_mlp.iter());
    roles.cloned().collect::<Vec<String>>().iter().any(|other| other == role)
}

/// Whether only the rotary embedding reads a tensor.
pub(crate) fn is_factor(name: &str) -> bool {
    let short = name.strip_suffix(".weight").unwrap_or("");
    table().gguf_factors.iter().any(|factor| factor == short)
}

/// The name of a module in a layer or outside of one, for a role.
fn module_name(family: &Family, layer: Option<&str>, part: &str) -> String {
    let own = role(family, part).unwrap_or("");
    let Some(layer) = layer else { return own.to_string() };
    let layers = role(family, "layers").unwrap_or("");
    let name = format!("{layers}.{layer}");
    if table().in_attention.iter().any(|other| other == part) {
        return format!("{name}.{}.{own}", role(family, "attention").unwrap_or(""));
    }
    if table().in_mlp.iter().any(|other| other == part) {
        return format!("{name}.{}.{own}", role(family, "mlp").unwrap_or(""));
    }
    format!("{name}.{own}")
}

/// The role of a tensor and Hugging Face's name for it: `blk.3.attn_q.weight` is of layer 3 and of
/// the role `query`.
pub(crate) fn name_tensor(name: &str, family: &Family) -> Result<TensorName> {
    let parts: Vec<&str> = name.split(".").collect();
    let is_index = |text: &str| !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit());
    let layer = if parts.len() > 3 && parts[0] == "blk" && is_index(parts[1]) { Some(parts[1]) } else { None };
    let first = if layer.is_some() { 2 } else { 0 };
    let last = parts.len() - 1;
    let short = if last > first { parts[first..last].join(".") } else { String::new() };
    let end = parts[last];
    for (known, gguf) in table().gguf_names.iter() {
        if role(family, known).is_some() && *gguf == short && (end == "weight" || end == "bias") {
            let long = format!("{}.{end}", module_name(family, layer, known));
            return Ok(TensorName { role: known.clone(), long });
        }
    }
    Err(refuse(format!("the tensor {name} is not known for {}", family.name)))
}
