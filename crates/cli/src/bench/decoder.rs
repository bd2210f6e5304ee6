//! Workloads of language models: one token and one prompt, with random weights in float32 and in
//! blocks of low-bit integers. One model is the one in `tests/bench/llama`, with 28.8 million
//! parameters. The other has the sizes of Llama 3.2 1B, for a GPU.

use super::{Arithmetic::Float32, Run, Task, Workload, gpu::Shrink};
use lanthorn::models::{CausalLm, DecoderConfig, GenerationConfig, KvCache, generate};
use lanthorn::{BlockFormat, Device, Result, Tensor};
use std::rc::Rc;

/// Every workload.
pub(super) static WORKLOADS: &[Workload] = &[
    workload("token", |shrink| token(SMALL, None, shrink)),
    workload("tokenQ8_0", |shrink| token(SMALL, Some(BlockFormat::Q8_0), shrink)),
    workload("tokenQ4_0", |shrink| token(SMALL, Some(BlockFormat::Q4_0), shrink)),
    workload("prompt512", |shrink| prompt(SMALL, None, shrink)),
    workload("prompt512Q8_0", |shrink| prompt(SMALL, Some(BlockFormat::Q8_0), shrink)),
    workload("prompt512Q4_0", |shrink| prompt(SMALL, Some(BlockFormat::Q4_0), shrink)),
    workload("token1B", |shrink| token(BILLION, None, shrink)),
    workload("token1BQ8_0", |shrink| token(BILLION, Some(BlockFormat::Q8_0), shrink)),
    workload("token1BQ4_0", |shrink| token(BILLION, Some(BlockFormat::Q4_0), shrink)),
    workload("token1BQ4_0Long", |shrink| token(Llama { before: 4096, ..BILLION }, Some(BlockFormat::Q4_0), shrink)),
    workload("prompt1B512", |shrink| prompt(BILLION, None, shrink)),
    workload("prompt1B512Q4_0", |shrink| prompt(BILLION, Some(BlockFormat::Q4_0), shrink)),
];

const fn workload(name: &'static str, make: fn(Shrink) -> Result<Task>) -> Workload {
    Workload { name, arithmetic: Float32, make: super::Constructor::Counted(make) }
}

/// The sizes of a Llama whose head and embedding are separate matrices.
#[derive(Clone, Copy)]
struct Llama {
    layers: i64,
    width: i64,
    hidden: i64,
    vocabulary: i64,
    /// The number of query heads for each head of keys and values.
    group: i64,
    /// The number of tokens in the cache before the measurement.
    before: i64,
}

const SMALL: Llama = Llama { layers: 6, width: 512, hidden: 1536, vocabulary: 8192, group: 1, before: 0 };

/// The sizes of Llama 3.2 1B.
const BILLION: Llama = Llama { layers: 16, width: 2048, hidden: 8192, vocabulary: 128_256, group: 4, before: 0 };

/// The size of a head. It is a multiple of the 32 numbers of a block.
const HEAD: i64 = 64;

/// The number of measured tokens after which the conversation restarts.
const ANSWER: usize = 256;

/// A model on the default device.
struct Model {
    model: CausalLm,
    /// Multiplications and additions in the matrix products of a token.
    operations: f64,
    /// Bytes that decoding a token reads: all weights except the embedding table.
    bytes: f64,
}

fn model(llama: Llama, format: Option<BlockFormat>, shrink: Shrink) -> Result<Model> {
    let size = |size: i64| (shrink.of(size) as u64).next_multiple_of(HEAD as u64) as i64;
    let (width, hidden, vocabulary) = (size(llama.width), size(llama.hidden), size(llama.vocabulary));
    let (layers, heads) = (llama.layers, width / HEAD);
    let key_heads = (heads / llama.group).max(1);
    let config = format!(
        r#"{{ "architectures": ["LlamaForCausalLM"], "vocab_size": {vocabulary}, "hidden_size": {width}, "intermediate_size": {hidden},
        "num_hidden_layers": {layers}, "num_attention_heads": {heads}, "num_key_value_heads": {key_heads},
        "max_position_embeddings": 8192, "tie_word_embeddings": false }}"#
    );
    let mut model = CausalLm::random(&DecoderConfig::from_json(&config, true)?, &Device::default_device()?)?;
    if let Some(format) = format {
        pollster::block_on(model.quantize(format))?;
    }
    let table = vocabulary * width;
    let products = layers * (2 * width * (width + key_heads * HEAD) + 3 * width * hidden) + table;
    // The table and the head have equal sizes.
    let bytes = model.weight_bytes() as f64 * products as f64 / (products + table) as f64;
    Ok(Model { model, operations: 2.0 * products as f64, bytes })
}

/// Returns the most likely next token as a tensor.
fn next(model: &CausalLm, ids: &[i64], cache: &Rc<KvCache>) -> Result<Tensor> {
    let defaults = GenerationConfig::default();
    let prefill_chunk = ids.len().min(defaults.prefill_chunk);
    let config = GenerationConfig { max_new_tokens: 1, prefill_chunk, eos_token_ids: Some(vec![]), ..defaults };
    let mut tokens = generate(model, &[ids.to_vec()], config, Some(cache.clone()))?;
    let token = tokens.next().transpose()?.map_or(-1, |token| token.token);
    Tensor::from_slice(&[token as f32], [1], model.device())
}

/// Decodes a token after [`Llama::before`] tokens and up to 255 others.
fn token(llama: Llama, format: Option<BlockFormat>, shrink: Shrink) -> Result<Task> {
    let Model { model, operations, bytes } = model(llama, format, shrink)?;
    let before = ids(if llama.before == 0 { 0 } else { shrink.of(llama.before) });
    let capacity = before.len() + ANSWER;
    let cache = Rc::new(KvCache::new(model.config(), 1, capacity, model.dtype(), model.device())?);
    let run: Run = Box::new(move || {
        if cache.lengths()[0] == capacity {
            cache.reset()?;
        }
        if cache.lengths()[0] < before.len() {
            next(&model, &before, &cache)?;
        }
        next(&model, &[7], &cache)
    });
    Ok(Task { run, bytes, operations })
}

/// Returns `length` token ids.
fn ids(length: i64) -> Vec<i64> {
    (0..length).map(|at| at % 64).collect()
}

/// Processes a prompt of 512 tokens in chunks of the default size, and returns the next token.
fn prompt(llama: Llama, format: Option<BlockFormat>, shrink: Shrink) -> Result<Task> {
    let Model { model, operations, bytes } = model(llama, format, shrink)?;
    let ids = ids(shrink.of(512));
    let length = ids.len();
    let cache = Rc::new(KvCache::new(model.config(), 1, length, model.dtype(), model.device())?);
    let run: Run = Box::new(move || {
        cache.reset()?;
        next(&model, &ids, &cache)
    });
    Ok(Task { run, bytes, operations: operations * length as f64 })
}
