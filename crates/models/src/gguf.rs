//! Models in GGUF files: their metadata as a `config.json`, and their tensors by Hugging Face's names.

use crate::{
    DecoderConfig,
    families::{Family, TABLE},
    weight::{State, Weight},
};
use lanthorn::{DType, Device, Error, QuantizedTensor, Result, Tensor, TensorUpload, io};
use serde_json::{Map, Value, json};
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

/// The bytes of a file that are first read to find its header; a header that is longer is looked for in twice
/// as many.
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
        return Ok(Weight::Dense(lanthorn::tensor_of(&entry.name, data, device)?));
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

/// A file's header, and its tensors on a device, by GGUF's names; what is in blocks stays in blocks.
pub(crate) fn read(path: &Path, device: &Device) -> Result<(io::gguf::Header, State)> {
    let concerning = |error: std::io::Error| refuse(format!("{}: {error}", path.display()));
    let mut file = File::open(path).map_err(concerning)?;
    let length = file.metadata().map_err(concerning)?.len();
    let header = header_of(&mut file, length)?;
    let tensors = header.tensors.iter().map(|entry| Ok((entry.name.clone(), weight_of(&mut file, entry, device)?)));
    let tensors = tensors.collect::<Result<State>>()?;
    Ok((header, tensors))
}

/// Numbers, texts and flags of the metadata; lists are the tokenizer's.
fn simple(metadata: &[(String, io::Value<()>)]) -> Map<String, Value> {
    let value = |value: &io::Value<()>| match value {
        io::Value::Bool(value) => Some(json!(value)),
        io::Value::Int(value) => Some(json!(value)),
        io::Value::Float(value) => Some(json!(value)),
        io::Value::Str(value) => Some(json!(value)),
        _ => None,
    };
    metadata.iter().filter_map(|(name, entry)| Some((name.clone(), value(entry)?))).collect()
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
    let read = |factors: &Weight| Ok(json!(pollster::block_on(factors.numbers()?.to_vec::<f32>())?));
    tensors.get(name).map(read)
}

fn rope_scaling(metadata: &Map<String, Value>, prefix: &str, tensors: &State) -> Result<Value> {
    let get = |key: &str| metadata.get(&format!("{prefix}rope.scaling.{key}")).cloned().unwrap_or(Value::Null);
    let original = get("original_context_length");
    if let (Some(long), Some(short)) =
        (factors(tensors, "rope_factors_long.weight"), factors(tensors, "rope_factors_short.weight"))
    {
        return Ok(json!({ "rope_type": "longrope", "original_max_position_embeddings": original,
            "attention_factor": get("attn_factor"), "long_factor": long?, "short_factor": short? }));
    }
    if let Some(factors) = factors(tensors, "rope_freqs.weight") {
        return Ok(json!({ "rope_type": "factors", "factors": factors? }));
    }
    Ok(match get("type").as_str() {
        None | Some("none") => Value::Null,
        Some("yarn") => {
            json!({ "rope_type": "yarn", "factor": get("factor"), "original_max_position_embeddings": original })
        }
        Some(kind) => json!({ "rope_type": kind, "factor": get("factor") }),
    })
}

/// llama.cpp scales by the width of a head, but for one model.
fn score_scale(family: &Family, fields: &Map<String, Value>) -> f64 {
    let number = |name: &str| fields.get(name).and_then(Value::as_f64);
    let width = number("hidden_size").unwrap_or(0.0) / number("num_attention_heads").unwrap_or(1.0);
    let is_27b =
        family.name == "gemma2" && fields.get("num_hidden_layers").and_then(Value::as_u64) == Some(GEMMA2_27B_LAYERS);
    if is_27b { width } else { number("head_dim").unwrap_or(width) }
}

/// The configuration of a file with these tensors.
pub(crate) fn config(metadata: &[(String, io::Value<()>)], tensors: &State) -> Result<DecoderConfig> {
    let metadata = simple(metadata);
    let family = family_of(metadata.get("general.architecture").unwrap_or(&Value::Null))?;
    let prefix = format!("{}.", family.gguf.as_deref().unwrap_or_default());
    let embedding = format!("{}.weight", short_name("embedding"));
    let embedding = tensors.get(&embedding).ok_or_else(|| refuse(format!("there is no tensor {embedding}")))?;
    let mut fields = Map::new();
    fields.insert("architectures".into(), json!([family.architectures[0]]));
    for (key, field) in &TABLE.gguf_fields {
        let field = field.as_str().unwrap_or_default();
        if let Some(value) = metadata.get(&format!("{prefix}{key}")).filter(|_| family.fields.contains_key(field)) {
            fields.insert(field.into(), value.clone());
        }
    }
    fields.insert("vocab_size".into(), json!(embedding.shape().first()));
    let head = format!("{}.weight", short_name("head"));
    fields.insert("tie_word_embeddings".into(), json!(!tensors.contains_key(&head)));
    if let Some(eos) = metadata.get("tokenizer.ggml.eos_token_id") {
        fields.insert("eos_token_id".into(), eos.clone());
    }
    if family.rope.is_some() {
        fields.insert("rope_scaling".into(), rope_scaling(&metadata, &prefix, tensors)?);
    }
    if let Some(scale) = &family.scale {
        fields.insert(scale.clone(), json!(score_scale(family, &fields)));
    }
    let biases = &family.biases;
    for (flag, role) in [(&biases.qkv, "query"), (&biases.output, "output"), (&biases.mlp, "down")] {
        if let crate::families::Flag::Field(name) = flag {
            let has = tensors.contains_key(&format!("blk.0.{}.bias", short_name(role)));
            fields.insert(name.clone(), json!(has));
        }
    }
    DecoderConfig::from_fields(&fields, true)
}

const IN_ATTENTION: &[&str] = &["query", "key", "value", "qkv", "output", "query_norm", "key_norm"];
const IN_MLP: &[&str] = &["gate", "up", "gate_up", "down"];

/// A tensor's name in parts: `blk.3.attn_q.weight` is layer 3, role `query`, end `weight`.
fn parts_of<'n>(name: &'n str, family: &Family) -> Option<(Option<&'n str>, &'static str, &'n str)> {
    let (path, end) = name.rsplit_once('.').filter(|(_, end)| ["weight", "bias"].contains(end))?;
    let (layer, short) = match path.strip_prefix("blk.").and_then(|rest| rest.split_once('.')) {
        Some((layer, short)) => (Some(layer), short),
        None => (None, path),
    };
    let is_of = |role: &&String| family.role(role).is_some() && short_name(role) == short;
    Some((layer, TABLE.gguf_names.keys().find(is_of)?, end))
}

/// The rows of queries or keys in Hugging Face's order, whose halves are rotated, from neighbouring pairs.
fn unpermuted(weight: &Tensor, heads: usize) -> Result<Tensor> {
    let shape = weight.shape().to_i64();
    let heads = heads as i64;
    let split: Vec<i64> = [heads, shape[0] / heads / 2, 2].into_iter().chain(shape[1..].iter().copied()).collect();
    weight.reshape(split)?.transpose(1, 2)?.reshape(shape)
}

/// A weight as Hugging Face's folder has it.
fn converted(role: &str, value: &Weight, config: &DecoderConfig) -> Result<Weight> {
    let family = &config.family;
    let is_linear = IN_ATTENTION.contains(&role) || IN_MLP.contains(&role);
    match role {
        "query" if family.gguf_permuted => value.map_rows(|rows| unpermuted(rows, config.heads)),
        "key" if family.gguf_permuted => value.map_rows(|rows| unpermuted(rows, config.kv_heads)),
        _ if family.norm.offset != 0.0 && role.ends_with("norm") => {
            Ok(Weight::Dense(value.numbers()?.sub(family.norm.offset)?))
        }
        _ if family.has_columns() && is_linear && value.shape().rank() == 2 && !value.is_quantized() => {
            Ok(Weight::Dense(value.numbers()?.t()?.contiguous()?))
        }
        _ => Ok(value.clone()),
    }
}

/// The tensors of a file by Hugging Face's names, as its folders have them.
pub(crate) fn state(tensors: State, config: &DecoderConfig) -> Result<State> {
    let family = &config.family;
    let is_weight = |name: &String| !name.starts_with("rope_");
    let tensors = tensors.into_iter().filter(|(name, _)| is_weight(name)).map(|(name, value)| {
        let unknown = || refuse(format!("the tensor {name} is not known for {}", family.name));
        let (layer, role, end) = parts_of(&name, family).ok_or_else(unknown)?;
        let own = family.role(role).unwrap_or_default();
        let value = converted(role, &value, config)?;
        let Some(layer) = layer else { return Ok((format!("{own}.{end}"), value)) };
        let part = if IN_ATTENTION.contains(&role) {
            family.role("attention")
        } else if IN_MLP.contains(&role) {
            family.role("mlp")
        } else {
            None
        };
        let part = part.map(|part| format!("{part}.")).unwrap_or_default();
        Ok((format!("{}.{layer}.{part}{own}.{end}", family.role("layers").unwrap_or_default()), value))
    });
    tensors.collect()
}
