//! Models in GGUF files: their metadata, and their tensors by Hugging Face's names.

use crate::{
    DecoderConfig,
    decoder::gguf::{Tensors, is_factor, is_linear, name_tensor, read_metadata, unpermute},
    weight::{State, Weight},
};
use lanthorn_io as io;
use lanthorn_tensor::{DType, Device, Error, QuantizedTensor, Result, TensorUpload};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

/// The bytes of a file that are first read to find its header; a header that is longer is looked
/// for in twice as many.
const FIRST: u64 = 1 << 20;
/// The pieces in which blocks go to the device.
const PIECE: u64 = 1 << 20;

fn refuse(message: String) -> Error {
    Error::file("GGUF", message)
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

/// The tensors whose shapes and factors the configuration is read from.
fn tensors_of(state: &State) -> Result<Tensors> {
    let shapes = state.iter().map(|(name, weight)| (name.clone(), weight.shape().to_vec())).collect();
    let mut factors = BTreeMap::new();
    for (name, weight) in state.iter().filter(|(name, _)| is_factor(name)) {
        if let Weight::Dense(tensor) = weight {
            let numbers = pollster::block_on(tensor.to_vec::<f32>())?;
            factors.insert(name.clone(), numbers.into_iter().map(f64::from).collect());
        }
    }
    Ok(Tensors::new(shapes, factors))
}

/// The configuration of a file with these tensors. `strict` says whether metadata that is not known
/// is an error.
pub(crate) fn config(metadata: &[(String, io::Value<()>)], tensors: &State, strict: bool) -> Result<DecoderConfig> {
    read_metadata(&plain(metadata), &tensors_of(tensors)?, strict)
}

/// A weight as Hugging Face's folder has it.
fn convert(role: &str, value: &Weight, config: &DecoderConfig) -> Result<Weight> {
    let family = &config.family;
    let rotated = config.ropes.first().map_or(config.head_dim, |rope| 2 * rope.inverse_frequencies.len());
    match role {
        "query" if family.gguf_permuted => value.map_rows(|rows| unpermute(rows, config.heads, rotated)),
        "key" if family.gguf_permuted => value.map_rows(|rows| unpermute(rows, config.kv_heads, rotated)),
        _ if family.norm.offset != 0.0 && role.ends_with("norm") => {
            Ok(Weight::Dense(value.numbers()?.sub(family.norm.offset)?))
        }
        _ if family.has_columns() && is_linear(role) && value.shape().rank() == 2 && !value.is_quantized() => {
            Ok(Weight::Dense(value.numbers()?.t()?.contiguous()?))
        }
        _ => Ok(value.clone()),
    }
}

/// The tensors of a file by Hugging Face's names, as its folders have them.
pub(crate) fn state(tensors: State, config: &DecoderConfig) -> Result<State> {
    let mut state = State::new();
    for (name, value) in tensors {
        if !is_factor(&name) {
            let named = name_tensor(&name, &config.family)?;
            state.insert(named.long, convert(&named.role, &value, config)?);
        }
    }
    Ok(state)
}
