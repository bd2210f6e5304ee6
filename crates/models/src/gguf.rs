//! Models in GGUF files: their metadata as a `config.json`, and their tensors by Hugging Face's
//! names.

use crate::{
    DecoderConfig,
    config::unknown_fields,
    families::{Family, Period, TABLE},
    weight::{State, Weight},
};
use lanthorn_io as io;
use lanthorn_tensor::{DType, Device, Error, QuantizedTensor, Result, Tensor, TensorUpload};
use serde_json::{Map, Value, json};
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

/// The bytes of a file that are first read to find its header; a header that is longer is looked
/// for in twice as many.
const FIRST: u64 = 1 << 20;
/// The pieces in which blocks go to the device.
const PIECE: u64 = 1 << 20;

/// The number of layers of Gemma 2 with 27 billion parameters, whose scores have another scale.
const GEMMA2_27B_LAYERS: u64 = 46;

fn refuse(message: String) -> Error {
    Error::file("GGUF", message)
}

fn short_name(role: &str) -> &'static str {
    TABLE.gguf_names.get(role).and_then(Value::as_str).unwrap_or_default()
}

fn header_of(file: &mut File, length: u64) -> Result<io::gguf::Header> {
    let mut start = vec![];
    for most in (0..).map(|doublings| FIRST << doublings) {
        let more = most - start.len() as u64;
        Read::take(&mut *file, more).read_to_end(&mut start).map_err(|error| refuse(error.to_string()))?;
        match io::gguf::Header::parse_start(&start, length) {
            Err(error) if !error.is_malformed() || start.len() as u64 == length => {
                return Err(refuse(error.to_string()));
            }
            Err(_) => {}
            Ok(header) => return Ok(header),
        }
    }
    Err(refuse("the file has no end".into()))
}

fn weight_of(file: &mut File, entry: &io::gguf::Entry, device: &Device) -> Result<Weight> {
    let failed = |error: std::io::Error| refuse(format!("{}: {error}", entry.name));
    let length = entry.range.end - entry.range.start;
    file.seek(SeekFrom::Start(entry.range.start)).map_err(failed)?;
    let io::gguf::Kind::Quantized(format) = entry.kind else {
        let mut bytes = vec![0; length as usize];
        file.read_exact(&mut bytes).map_err(failed)?;
        let data = entry.dequantized(&bytes).map_err(|error| refuse(error.to_string()))?;
        return Ok(Weight::Dense(lanthorn_serialization::tensor_of(&entry.name, data, device)?));
    };
    let (row, outer) = entry.shape.split_last().ok_or_else(|| refuse(format!("{} has no dimension", entry.name)))?;
    let shape: Vec<i64> = outer.iter().chain([&format.bytes_of(*row)]).map(|&size| size as i64).collect();
    let mut upload = TensorUpload::new(DType::U8, shape, device)?;
    let mut piece = vec![0; PIECE.min(length) as usize];
    for start in (0..length).step_by(PIECE as usize) {
        let piece = &mut piece[..PIECE.min(length - start) as usize];
        file.read_exact(piece).map_err(failed)?;
        upload.push(piece)?;
    }
    Ok(Weight::Quantized(QuantizedTensor::new(upload.finish()?, format)?))
}

/// A file's header, and its tensors on a device, by GGUF's names; tensors in blocks stay in blocks.
pub(crate) fn read(path: &Path, device: &Device) -> Result<(io::gguf::Header, State)> {
    let concerning = |error: std::io::Error| refuse(format!("{}: {error}", path.display()));
    let mut file = File::open(path).map_err(concerning)?;
    let length = file.metadata().map_err(concerning)?.len();
    let header = header_of(&mut file, length)?;
    let tensors = header.tensors.iter().map(|entry| Ok((entry.name.clone(), weight_of(&mut file, entry, device)?)));
    let tensors = tensors.collect::<Result<State>>()?;
    Ok((header, tensors))
}

/// The metadata without the tokenizer's.
fn plain(metadata: &[(String, io::Value<()>)]) -> Map<String, Value> {
    fn json_of(value: &io::Value<()>) -> Option<Value> {
        match value {
            io::Value::Bool(value) => Some(json!(value)),
            io::Value::Int(value) => Some(json!(value)),
            io::Value::Float(value) => Some(json!(value)),
            io::Value::Str(value) => Some(json!(value)),
            io::Value::List(values) => values.iter().map(json_of).collect(),
            _ => None,
        }
    }
    let is_list = |entry: &io::Value<()>| matches!(entry, io::Value::List(_));
    let own = metadata.iter().filter(|(name, entry)| !(name.starts_with("tokenizer.") && is_list(entry)));
    own.filter_map(|(name, entry)| Some((name.clone(), json_of(entry)?))).collect()
}

fn family_of(architecture: &Value) -> Result<&'static Family> {
    let known = || TABLE.families.iter().filter(|family| family.gguf.is_some());
    known().find(|family| family.gguf.as_deref() == architecture.as_str()).ok_or_else(|| {
        let names: Vec<&str> = known().filter_map(|family| family.gguf.as_deref()).collect();
        refuse(format!("the architecture {architecture} is not known; there are {}", names.join(", ")))
    })
}

/// Factors of frequencies, which are tensors in these files.
fn factors(tensors: &State, name: &str) -> Option<Result<Value>> {
    let read = |factors: &Weight| match factors {
        Weight::Dense(tensor) => Ok(json!(pollster::block_on(tensor.to_vec::<f32>())?)),
        Weight::Quantized(_) => Err(refuse(format!("the factors {name} are quantized"))),
    };
    tensors.get(name).map(read)
}

/// The metadata of a file's architecture.
struct Metadata<'m> {
    all: &'m Map<String, Value>,
    /// `llama.`.
    prefix: String,
    family: &'static Family,
}

impl Metadata<'_> {
    fn get(&self, key: &str) -> Option<&Value> {
        self.all.get(&format!("{}{key}", self.prefix))
    }

    /// A number that is not 0, which says nothing.
    fn number(&self, key: &str) -> Result<Option<f64>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let number = value.as_f64().ok_or_else(|| self.refuse(key, value, "is no number"))?;
        Ok(Some(number).filter(|&number| number != 0.0))
    }

    fn refuse(&self, key: &str, value: impl std::fmt::Display, what: &str) -> Error {
        refuse(format!("{}{key} is {value}, which {what}", self.prefix))
    }

    /// A value of the architecture's own field; a list for each layer counts where all are the
    /// same.
    fn field(&self, key: &str) -> Result<Option<Value>> {
        match self.get(key) {
            Some(value @ Value::Array(layers)) => match layers.split_first() {
                Some((first, others)) if others.iter().all(|other| other == first) => Ok(Some(first.clone())),
                _ => Err(self.refuse(key, value, "differs by layer, and is not supported")),
            },
            value => Ok(value.cloned()),
        }
    }

    /// Whether the family reads a value.
    fn is_read(&self, key: &str) -> bool {
        let is_rope = key.starts_with("rope.");
        let field = TABLE.gguf_fields.get(key).and_then(Value::as_str);
        let is_listed = |keys: &[String]| keys.iter().any(|listed| listed == key);
        (is_rope && self.family.rope.is_none())
            || field.is_some_and(|field| self.family.fields.contains_key(field))
            || (is_listed(&TABLE.gguf_read)
                && (key != "attention.sliding_window_pattern" || self.family.window.is_some()))
            || is_listed(&TABLE.gguf_ignored)
    }

    /// Refuses a part of a model, values that are not supported and, if `strict`, those that are
    /// not known.
    fn check(&self, strict: bool) -> Result<()> {
        if let Some(count) = self.all.get("split.count").and_then(Value::as_f64).filter(|&count| count > 1.0) {
            let message = format!("split.count is {count}: the file is a part of a model; merge the parts first");
            return Err(refuse(message));
        }
        let mut unknown = vec![];
        for (name, value) in self.all {
            let Some(key) = name.strip_prefix(&self.prefix).filter(|key| !self.is_read(key)) else { continue };
            match TABLE.gguf_without_effect.get(key).and_then(Value::as_array) {
                Some(allowed) if allowed.iter().any(|allowed| is_same(allowed, value)) => {}
                Some(_) => return Err(self.refuse(key, value, &format!("is not supported for {}", self.family.name))),
                None => unknown.push(name.as_str()),
            }
        }
        if strict && !unknown.is_empty() {
            return Err(refuse(unknown_fields(&unknown, self.family)));
        }
        Ok(())
    }

    /// The fields of `config.json` that the table names.
    fn fields(&self) -> Result<Map<String, Value>> {
        let mut fields = Map::new();
        for (key, field) in &TABLE.gguf_fields {
            let field = field.as_str().unwrap_or_default();
            if !self.family.fields.contains_key(field) {
                continue;
            }
            let default = || self.family.gguf_defaults.get(key).or_else(|| TABLE.gguf_defaults.get(key));
            let is_required = TABLE.gguf_required.contains(key);
            match self.field(key)? {
                // Files have 0 for no window and no soft cap.
                Some(value) if self.family.is_bound(field) && is_same(&value, &json!(0)) => {
                    fields.insert(field.into(), Value::Null)
                }
                Some(value) => fields.insert(field.into(), value),
                None if is_required => return Err(refuse(format!("there is no {}{key}", self.prefix))),
                None => default().and_then(|default| fields.insert(field.into(), default.clone())),
            };
        }
        Ok(fields)
    }

    /// The width of heads, which keys and values share.
    fn head_dim(&self, fields: &Map<String, Value>) -> Result<f64> {
        let number = |name: &str| fields.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        let usual = (number("hidden_size") / number("num_attention_heads")).floor();
        let own = self.number("attention.key_length")?.unwrap_or(usual);
        if own != usual && !self.family.fields.contains_key("head_dim") {
            return Err(self.refuse("attention.key_length", own, &format!("is not supported: heads have {usual}")));
        }
        let values = self.number("attention.value_length")?.unwrap_or(usual);
        if values != own {
            let what = format!("is not supported: keys have {own}");
            return Err(self.refuse("attention.value_length", values, &what));
        }
        Ok(own)
    }

    /// Which layers have a window, by a period or by a list of flags.
    fn window_pattern(&self, fields: &mut Map<String, Value>) -> Result<()> {
        let key = "attention.sliding_window_pattern";
        let Some(window) = &self.family.window else { return Ok(()) };
        match (self.get(key), &window.period) {
            (None, _) => {}
            (Some(Value::Array(flags)), _) => {
                let kind = |flag: &Value| if flag == &json!(true) || flag == &json!(1) { "sliding" } else { "full" };
                let kinds: Vec<String> = flags.iter().map(|flag| format!("{}_attention", kind(flag))).collect();
                fields.insert("layer_types".into(), json!(kinds));
            }
            (Some(period), Some(Period::Field(name))) => {
                fields.insert(name.clone(), period.clone());
            }
            (Some(period), Some(Period::Fixed(fixed))) if is_same(period, &json!(fixed)) => {}
            (Some(period), _) => return Err(self.refuse(key, period, "is not supported")),
        }
        Ok(())
    }

    /// A dictionary `rope_scaling` of the metadata and the tensors of factors.
    fn rope_scaling(&self, tensors: &State) -> Result<Value> {
        let get = |key: &str| self.number(&format!("rope.scaling.{key}"));
        let factor = get("factor")?.or(self.number("rope.scale_linear")?);
        let original = get("original_context_length")?;
        let attention = get("attn_factor")?.unwrap_or(1.0) * get("yarn_attn_factor")?.unwrap_or(1.0);
        let [long, short, one] = ["rope_factors_long", "rope_factors_short", "rope_freqs"]
            .map(|name| factors(tensors, &format!("{name}.weight")));
        // Without a kind, llama.cpp divides positions by the factor.
        let usual = if long.is_some() { "longrope" } else { "linear" };
        let kind = self.get("rope.scaling.type").map_or(Some(usual), Value::as_str).unwrap_or_default();
        let kind =
            if kind != "none" && factor.is_none_or(|factor| factor == 1.0) && kind == "linear" { "none" } else { kind };
        let has_factors = one.is_some() || long.is_some() || short.is_some();
        let (kinds, scales) = (["none", "linear", "yarn", "longrope"], factor.is_some_and(|factor| factor != 1.0));
        let problem = match kind {
            kind if !kinds.contains(&kind) => format!("rope.scaling.type is not known; there are {}", kinds.join(", ")),
            "longrope" if long.is_none() || short.is_none() => "longrope has no rope_factors_long and _short".into(),
            "longrope" if scales => "longrope with rope.scaling.factor is not supported".into(),
            "yarn" if factor.is_none() => "yarn has no rope.scaling.factor".into(),
            "yarn" | "linear" if has_factors => format!("{kind} with factors of frequencies is not supported"),
            "none" | "linear" if attention != 1.0 => {
                format!("rope.scaling.attn_factor {attention} needs yarn or longrope")
            }
            _ => String::new(),
        };
        if !problem.is_empty() {
            return Err(refuse(problem));
        }
        Ok(match (kind, one) {
            ("longrope", _) => json!({ "rope_type": "longrope", "original_max_position_embeddings": original,
                "attention_factor": attention, "long_factor": long.transpose()?, "short_factor": short.transpose()? }),
            ("yarn", _) => {
                let factor = factor.unwrap_or(1.0);
                let grown = if factor <= 1.0 { 1.0 } else { 0.1 * factor.ln() + 1.0 };
                json!({ "rope_type": "yarn", "factor": factor, "original_max_position_embeddings": original,
                    "attention_factor": attention * grown, "beta_fast": get("yarn_beta_fast")?,
                    "beta_slow": get("yarn_beta_slow")? })
            }
            ("linear", _) => json!({ "rope_type": "linear", "factor": factor }),
            (_, Some(factors)) => json!({ "rope_type": "factors", "factors": factors? }),
            _ => Value::Null,
        })
    }
}

/// Whether values are equal, numbers of any type.
fn is_same(a: &Value, b: &Value) -> bool {
    a == b || a.as_f64().is_some_and(|number| b.as_f64() == Some(number))
}

/// llama.cpp scales by the width of a head, except in one model.
fn score_width(family: &Family, fields: &Map<String, Value>, head_dim: f64) -> f64 {
    let number = |name: &str| fields.get(name).and_then(Value::as_f64);
    let is_27b =
        family.name == "gemma2" && fields.get("num_hidden_layers").and_then(Value::as_u64) == Some(GEMMA2_27B_LAYERS);
    if is_27b { number("hidden_size").unwrap_or(0.0) / number("num_attention_heads").unwrap_or(1.0) } else { head_dim }
}

/// The ids that end a text, a turn or a message.
fn ends(all: &Map<String, Value>) -> Vec<Value> {
    let id = |role: &str| all.get(&format!("tokenizer.ggml.{role}_token_id")).cloned();
    let mut ends = vec![];
    for id in ["eos", "eot", "eom"].into_iter().filter_map(id) {
        if !ends.contains(&id) {
            ends.push(id);
        }
    }
    ends
}

/// The configuration of a file with these tensors. `strict` says whether metadata that is not known
/// is an error.
pub(crate) fn config(metadata: &[(String, io::Value<()>)], tensors: &State, strict: bool) -> Result<DecoderConfig> {
    let all = plain(metadata);
    let family = family_of(all.get("general.architecture").unwrap_or(&Value::Null))?;
    let prefix = format!("{}.", family.gguf.as_deref().unwrap_or_default());
    let metadata = Metadata { all: &all, prefix, family };
    metadata.check(strict)?;
    let embedding = format!("{}.weight", short_name("embedding"));
    let embedding = tensors.get(&embedding).ok_or_else(|| refuse(format!("there is no tensor {embedding}")))?;
    let mut fields = metadata.fields()?;
    fields.insert("architectures".into(), json!([family.architectures[0]]));
    fields.insert("vocab_size".into(), json!(embedding.shape().first()));
    let head = format!("{}.weight", short_name("head"));
    fields.insert("tie_word_embeddings".into(), json!(!tensors.contains_key(&head)));
    fields.insert("eos_token_id".into(), json!(ends(&all)));
    let head_dim = metadata.head_dim(&fields)?;
    if family.fields.contains_key("head_dim") {
        fields.insert("head_dim".into(), json!(head_dim));
    }
    if family.rope.is_some() {
        fields.insert("rope_scaling".into(), metadata.rope_scaling(tensors)?);
        let rotated = metadata.number("rope.dimension_count")?.unwrap_or(head_dim);
        if rotated > head_dim {
            let what = format!("is not supported: heads have {head_dim}");
            return Err(metadata.refuse("rope.dimension_count", rotated, &what));
        }
        fields.insert("partial_rotary_factor".into(), json!(rotated / head_dim));
    }
    metadata.window_pattern(&mut fields)?;
    if let Some(scale) = &family.scale {
        fields.insert(scale.clone(), json!(score_width(family, &fields, head_dim)));
    }
    let biases = &family.biases;
    for (flag, role) in [(&biases.qkv, "query"), (&biases.output, "output"), (&biases.mlp, "down")] {
        if let crate::families::Flag::Field(name) = flag {
            let has = tensors.contains_key(&format!("blk.0.{}.bias", short_name(role)));
            fields.insert(name.clone(), json!(has));
        }
    }
    let config = DecoderConfig::from_fields(&fields, true)?;
    let scale = metadata.number("attention.scale")?.unwrap_or(config.scale);
    Ok(DecoderConfig { scale, ..config })
}

fn is_in(roles: &[String], role: &str) -> bool {
    roles.iter().any(|other| other == role)
}

/// A tensor's name in parts: `blk.3.attn_q.weight` is layer 3, role `query`, end `weight`.
fn parts_of<'n>(name: &'n str, family: &Family) -> Option<(Option<&'n str>, &'static str, &'n str)> {
    let (path, end) = name.rsplit_once('.').filter(|(_, end)| ["weight", "bias"].contains(end))?;
    let is_index = |layer: &str| !layer.is_empty() && layer.bytes().all(|digit| digit.is_ascii_digit());
    let in_layer = path.strip_prefix("blk.").and_then(|rest| rest.split_once('.'));
    let (layer, short) = match in_layer.filter(|(layer, _)| is_index(layer)) {
        Some((layer, short)) => (Some(layer), short),
        None => (None, path),
    };
    let is_of = |role: &&String| family.role(role).is_some() && short_name(role) == short;
    Some((layer, TABLE.gguf_names.keys().find(is_of)?, end))
}

/// The rows of queries or keys in Hugging Face's order, whose halves are rotated, from neighbouring
/// pairs. The first
/// `rotated` rows of each head are rotated.
fn unpermute(weight: &Tensor, heads: usize, rotated: usize) -> Result<Tensor> {
    let shape = weight.shape().to_i64();
    let (heads, rotated) = (heads as i64, rotated as i64);
    let (width, rest) = (shape[0] / heads, &shape[1..]);
    let sizes = |sizes: &[i64]| sizes.iter().chain(rest).copied().collect::<Vec<i64>>();
    let apart = weight.reshape(sizes(&[heads, width]))?;
    let turned = apart.narrow(1, 0, rotated)?.reshape(sizes(&[heads, rotated / 2, 2]))?.transpose(1, 2)?;
    let turned = turned.reshape(sizes(&[heads, rotated]))?;
    let all = match width == rotated {
        true => turned,
        false => Tensor::cat(&[turned, apart.narrow(1, rotated, width - rotated)?], 1)?,
    };
    all.reshape(shape)
}

/// A weight as Hugging Face's folder has it.
fn convert(role: &str, value: &Weight, config: &DecoderConfig) -> Result<Weight> {
    let family = &config.family;
    let is_linear = is_in(&TABLE.in_attention, role) || is_in(&TABLE.in_mlp, role);
    let rotated = config.ropes.first().map_or(config.head_dim, |rope| 2 * rope.short.len());
    match role {
        "query" if family.gguf_permuted => value.map_rows(|rows| unpermute(rows, config.heads, rotated)),
        "key" if family.gguf_permuted => value.map_rows(|rows| unpermute(rows, config.kv_heads, rotated)),
        _ if family.norm.offset != 0.0 && role.ends_with("norm") => {
            Ok(Weight::Dense(value.numbers()?.sub(family.norm.offset)?))
        }
        _ if family.has_columns() && is_linear && value.shape().rank() == 2 && !value.is_quantized() => {
            Ok(Weight::Dense(value.numbers()?.t()?.contiguous()?))
        }
        _ => Ok(value.clone()),
    }
}

/// The role of a tensor and Hugging Face's name for it; none for one that only the rotary embedding
/// reads.
pub(crate) fn long_name(name: &str, family: &Family) -> Result<Option<(&'static str, String)>> {
    if name.strip_suffix(".weight").is_some_and(|short| is_in(&TABLE.gguf_factors, short)) {
        return Ok(None);
    }
    let unknown = || refuse(format!("the tensor {name} is not known for {}", family.name));
    let (layer, role, end) = parts_of(name, family).ok_or_else(unknown)?;
    let own = family.role(role).unwrap_or_default();
    let Some(layer) = layer else { return Ok(Some((role, format!("{own}.{end}")))) };
    let part = if is_in(&TABLE.in_attention, role) {
        family.role("attention")
    } else if is_in(&TABLE.in_mlp, role) {
        family.role("mlp")
    } else {
        None
    };
    let part = part.map(|part| format!("{part}.")).unwrap_or_default();
    Ok(Some((role, format!("{}.{layer}.{part}{own}.{end}", family.role("layers").unwrap_or_default()))))
}

/// The tensors of a file by Hugging Face's names, as its folders have them.
pub(crate) fn state(tensors: State, config: &DecoderConfig) -> Result<State> {
    let mut state = State::new();
    for (name, value) in tensors {
        if let Some((role, long)) = long_name(&name, &config.family)? {
            state.insert(long, convert(role, &value, config)?);
        }
    }
    Ok(state)
}
