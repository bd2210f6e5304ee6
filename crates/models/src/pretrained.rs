//! Models read from files.

use crate::{
    CausalLm, DecoderConfig, gguf,
    layers::Style,
    weight::{State, Weight},
};
use lanthorn_serialization::{load_with, state_dict_of};
use lanthorn_tensor::{DType, Device, Error, Result};
use std::{collections::BTreeSet, fs, path::Path};

const OP: &str = "from_pretrained";

/// Options of [`from_pretrained_with`].
#[derive(Clone, Debug)]
pub struct PretrainedOptions {
    /// The type of the weights. By default the files' type; where a folder mixes types, the type in
    /// its `config.json`, as in transformers. The matrices of a GGUF file with float32 norms stay
    /// in 16 bits, and the computation is in float32, as in llama.cpp. Weights of GGUF files in
    /// blocks of low-bit integers stay in blocks by default, and are dequantized with any type.
    pub dtype: Option<DType>,
    /// Whether fields of `config.json`, or metadata of a GGUF file, that are not known are an
    /// error, which is the default.
    pub strict: bool,
    /// The name of the file of weights, or of its index; by default `model.safetensors`, or else
    /// its index.
    pub weights: Option<String>,
}

impl Default for PretrainedOptions {
    fn default() -> PretrainedOptions {
        PretrainedOptions { dtype: None, strict: true, weights: None }
    }
}

/// Whether a tensor of a file is computed, and no weight: rotary frequencies, and the masks of
/// GPT-2.
fn is_computed(name: &str) -> bool {
    [".rotary_emb.inv_freq", ".attn.bias", ".attn.masked_bias"].iter().any(|end| name.ends_with(end))
}

/// A model with the weights of a state.
fn build(config: &DecoderConfig, state: &State, device: &Device) -> Result<CausalLm> {
    let Some(first) = state.values().next() else { return Err(Error::file(OP, "the file has no tensors")) };
    let optional = config.family.optional_prefix.as_str();
    let prefix = if state.keys().any(|name| name.starts_with(optional)) { "" } else { optional };
    let (mut taken, mut missing, mut problems) = (BTreeSet::new(), vec![], vec![]);
    let mut weights = |name: &str, shape: &[usize], style: Style| {
        let short = name.strip_prefix(prefix).unwrap_or(name).to_string();
        let found = state.get(&short);
        match found {
            None => missing.push(short.clone()),
            Some(weight) => {
                let mut wanted = shape.to_vec();
                if style.columns && weight.is_quantized() {
                    wanted.reverse();
                }
                if weight.shape()[..] != wanted {
                    problems.push(format!("{short} is {}, and has to be {wanted:?}", weight.shape()));
                }
            }
        }
        taken.insert(short);
        // With a problem the model is not used.
        Ok(found.unwrap_or(first).clone())
    };
    let model = CausalLm::with_weights(config, device, &mut weights)?;
    let head = format!("{}.weight", config.family.role("head").unwrap_or_default());
    let is_tied = |name: &str| config.tie_word_embeddings && name == head;
    let is_left = |name: &&String| !(taken.contains(*name) || is_computed(name) || is_tied(name));
    let left: Vec<&str> = state.keys().filter(is_left).map(String::as_str).collect();
    if !missing.is_empty() {
        problems.insert(0, format!("missing: {}", missing.join(", ")));
    }
    if !left.is_empty() {
        problems.push(format!("not known for {}: {}", config.family.name, left.join(", ")));
    }
    if !problems.is_empty() {
        let message = format!("the tensors do not fit the configuration: {}", problems.join("; "));
        return Err(Error::file(OP, message));
    }
    Ok(model)
}

fn dequantize_state(state: State) -> Result<State> {
    state.into_iter().map(|(name, weight)| Ok((name, Weight::Dense(weight.numbers()?)))).collect()
}

/// Whether floating-point weights have several types.
fn is_mixed(state: &State) -> bool {
    let mut dtypes = state.iter().filter(|(name, _)| !is_computed(name)).map(|(_, weight)| weight.dtype());
    let first = dtypes.next();
    dtypes.any(|dtype| Some(dtype) != first)
}

fn convert_state(state: State, dtype: Option<DType>) -> Result<State> {
    let Some(dtype) = dtype else { return Ok(state) };
    let convert = |weight: Weight| Ok(Weight::Dense(weight.numbers()?.to(dtype)?));
    state.into_iter().map(|(name, weight)| Ok((name, convert(weight)?))).collect()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| Error::file(OP, format!("{}: {error}", path.display())))
}

fn from_gguf(path: &Path, device: &Device, options: &PretrainedOptions) -> Result<CausalLm> {
    let (header, tensors) = gguf::read(path, device)?;
    // Only blocks have an orientation of their own, so they are dequantized before tensors get
    // their names.
    let tensors = if options.dtype.is_some() { dequantize_state(tensors)? } else { tensors };
    let config = gguf::config(&header.metadata, &tensors, options.strict)?;
    let state = convert_state(gguf::state(tensors, &config)?, options.dtype)?;
    build(&config, &state, device)
}

/// Reads a model onto a device: a folder as `save_pretrained` writes it (`config.json` and
/// safetensors, in one file or several with an index), or a GGUF file, which is read tensor by
/// tensor and whose weights in blocks of low-bit integers stay in blocks.
///
/// # Errors
///
/// `file`, naming the architecture or the fields that are not known, the tensors that are missing,
/// not known or of another shape, or the file that is not there.
///
/// ```no_run
/// let device = lanthorn::cpu();
/// let model = lanthorn::models::from_pretrained("models/Qwen3-0.6B", &device)?;
/// println!("{} layers", lanthorn::nn::state_dict(&model).len());
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn from_pretrained(path: impl AsRef<Path>, device: &Device) -> Result<CausalLm> {
    from_pretrained_with(path, device, &PretrainedOptions::default())
}

/// [`from_pretrained`] with options.
///
/// # Errors
///
/// As [`from_pretrained`].
pub fn from_pretrained_with(path: impl AsRef<Path>, device: &Device, options: &PretrainedOptions) -> Result<CausalLm> {
    let path = path.as_ref();
    if path.is_file() {
        return from_gguf(path, device, options);
    }
    let json = read(&path.join("config.json"))?;
    let config = DecoderConfig::from_json(&String::from_utf8_lossy(&json), options.strict)?;
    let whole = "model.safetensors";
    let weights = options
        .weights
        .clone()
        .unwrap_or_else(|| if path.join(whole).is_file() { whole.to_string() } else { format!("{whole}.index.json") });
    let state = state_dict_of(&load_with(path.join(weights), device)?)?;
    let state: State = state.into_iter().map(|(name, tensor)| (name, Weight::Dense(tensor))).collect();
    let dtype = options.dtype.or_else(|| config.dtype.filter(|_| is_mixed(&state)));
    build(&config, &convert_state(state, dtype)?, device)
}
