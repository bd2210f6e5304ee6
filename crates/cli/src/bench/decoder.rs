//! Workloads of a language model: a token, and a prompt. The model is that of `tests/bench/llama`, a
//! Llama of 28.8 million parameters with random weights, in float32 and in blocks of low-bit integers.

use super::{Arithmetic::Float32, Run, Task, Workload, gpu::Shrink};
use lanthorn::{BlockFormat, Device, Result, Tensor};
use lanthorn_models::{CausalLm, DecoderConfig, GenerationConfig, KvCache, generate};
use std::rc::Rc;

/// Every workload.
pub(super) static WORKLOADS: &[Workload] = &[
    workload("token", |shrink| token(None, shrink)),
    workload("tokenQ8_0", |shrink| token(Some(BlockFormat::Q8_0), shrink)),
    workload("tokenQ4_0", |shrink| token(Some(BlockFormat::Q4_0), shrink)),
    workload("prompt512", |shrink| prompt(None, shrink)),
    workload("prompt512Q8_0", |shrink| prompt(Some(BlockFormat::Q8_0), shrink)),
    workload("prompt512Q4_0", |shrink| prompt(Some(BlockFormat::Q4_0), shrink)),
];

const fn workload(name: &'static str, make: fn(Shrink) -> Result<Task>) -> Workload {
    Workload { name, arithmetic: Float32, make: super::Constructor::Counted(make) }
}

/// The width of a head; also a multiple of the 32 numbers of a block.
const HEAD: i64 = 64;

/// The tokens of a conversation, after which it begins again.
const CONTEXT: usize = 256;

/// A model on the default device.
struct Model {
    model: CausalLm,
    /// Multiplications and additions of a token's products.
    operations: f64,
    /// Bytes that a token reads: all weights but the embedding's table.
    bytes: f64,
}

fn model(format: Option<BlockFormat>, shrink: Shrink) -> Result<Model> {
    let size = |size: i64| (shrink.of(size) as u64).next_multiple_of(HEAD as u64) as i64;
    let (width, hidden, vocabulary) = (size(512), size(1536), size(8192));
    let config = format!(
        r#"{{ "architectures": ["LlamaForCausalLM"], "vocab_size": {vocabulary}, "hidden_size": {width}, "intermediate_size": {hidden},
        "num_hidden_layers": 6, "num_attention_heads": {}, "tie_word_embeddings": false }}"#,
        width / HEAD
    );
    let mut model = CausalLm::random(&DecoderConfig::from_json(&config, true)?, &Device::default_device()?)?;
    if let Some(format) = format {
        pollster::block_on(model.quantize(format))?;
    }
    let table = vocabulary * width;
    let products = 6 * (4 * width * width + 3 * width * hidden) + table;
    // The table and the head have the same size.
    let bytes = model.weight_bytes() as f64 * products as f64 / (products + table) as f64;
    Ok(Model { model, operations: 2.0 * products as f64, bytes })
}

/// The most likely token after some others, as a tensor.
fn next(model: &CausalLm, ids: &[i64], cache: &Rc<KvCache>) -> Result<Tensor> {
    let defaults = GenerationConfig::default();
    let prefill_chunk = ids.len().min(defaults.prefill_chunk);
    let config = GenerationConfig { max_new_tokens: 1, prefill_chunk, eos_token_ids: Some(vec![]), ..defaults };
    let mut tokens = generate(model, &[ids.to_vec()], config, Some(cache.clone()))?;
    let token = tokens.next().transpose()?.map_or(-1, |token| token.token);
    Tensor::from_slice(&[token as f32], [1], model.device())
}

/// A token after up to 255 others.
fn token(format: Option<BlockFormat>, shrink: Shrink) -> Result<Task> {
    let Model { model, operations, bytes } = model(format, shrink)?;
    let cache = Rc::new(KvCache::new(model.config(), 1, CONTEXT, model.dtype(), model.device())?);
    let run: Run = Box::new(move || {
        if cache.lengths()[0] == CONTEXT {
            cache.reset()?;
        }
        next(&model, &[7], &cache)
    });
    Ok(Task { run, bytes, operations })
}

/// A prompt of 512 tokens, in chunks of the default size, and the token that follows it.
fn prompt(format: Option<BlockFormat>, shrink: Shrink) -> Result<Task> {
    let Model { model, operations, bytes } = model(format, shrink)?;
    let length = shrink.of(512) as usize;
    let cache = Rc::new(KvCache::new(model.config(), 1, length, model.dtype(), model.device())?);
    let ids: Vec<i64> = (0..length as i64).map(|at| at % 64).collect();
    let run: Run = Box::new(move || {
        cache.reset()?;
        next(&model, &ids, &cache)
    });
    Ok(Task { run, bytes, operations: operations * length as f64 })
}
