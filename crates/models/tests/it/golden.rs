//! Small models with random weights: logits and greedy tokens equal transformers'
//! (`tests/models/lm/make.py`).

use lanthorn::{
    BlockFormat, DType, Device, Tensor,
    nn::{Module, state_dict},
};
use lanthorn_kernel_tests::rotation;
use lanthorn_models::{
    CausalLm, GenerationConfig, KvCache, PretrainedOptions, from_pretrained, from_pretrained_with, generate,
};
use pollster::block_on;
use serde_json::Value;
use std::{path::PathBuf, rc::Rc};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/lm")
}

/// Every model: the folders with a configuration, and the GGUF files.
pub fn models() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let is_model = |name: &String| name.ends_with(".gguf") || folder().join(name).join("config.json").is_file();
    let mut names: Vec<String> = entries.filter(is_model).collect();
    names.sort();
    assert!(names.len() >= 14, "{names:?}");
    names
}

pub fn read_expected(name: &str) -> Value {
    let short = name.trim_end_matches(".gguf");
    let beside = folder().join(format!("{short}.json"));
    let path = if beside.is_file() { beside } else { folder().join(short).join("expected.json") };
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn ids(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect()
}

pub fn rows(value: &Value) -> Vec<Vec<i64>> {
    value.as_array().unwrap().iter().map(ids).collect()
}

pub fn load(name: &str, device: &Device) -> CausalLm {
    from_pretrained(folder().join(name), device).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn tensor(ids: &[i64], device: &Device) -> Tensor {
    let ids: Vec<i32> = ids.iter().map(|&id| id as i32).collect();
    Tensor::from_slice(&ids, [1, ids.len() as i64], device).unwrap()
}

/// The largest difference of logits `[1, L, vocab]` to rows of numbers.
fn distance(logits: &Tensor, expected: &Value) -> f64 {
    let found = block_on(logits.to_vec::<f32>()).unwrap();
    let wanted: Vec<f64> = expected
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row.as_array().unwrap())
        .map(|x| x.as_f64().unwrap())
        .collect();
    assert_eq!(found.len(), wanted.len());
    found.iter().zip(&wanted).map(|(found, wanted)| (f64::from(*found) - wanted).abs()).fold(0.0, f64::max)
}

/// The tokens of each row.
fn tokens(model: &CausalLm, prompts: &[Vec<i64>], config: GenerationConfig) -> Vec<Vec<i64>> {
    let mut made = vec![vec![]; prompts.len()];
    for token in generate(model, prompts, config, None).unwrap() {
        let token = token.unwrap();
        made[token.row].push(token.token);
    }
    made
}

pub fn greedy(count: usize) -> GenerationConfig {
    GenerationConfig { max_new_tokens: count, eos_token_ids: Some(vec![]), prefill_chunk: 5, ..Default::default() }
}

/// Compares the models with transformers, of which a rotation takes one in `every`.
fn agrees(device: &Device, every: usize) {
    for (_, name) in models().iter().enumerate().filter(|(index, _)| rotation::takes(*index, every)) {
        let (expected, model) = (read_expected(name), load(name, device));
        let prompts = rows(&expected["prompts"]);
        for (row, prompt) in prompts.iter().enumerate() {
            let far = distance(&model.forward(&tensor(prompt, device)).unwrap(), &expected["logits"][row]);
            assert!(far <= 1e-4, "{name}, prompt {row}: logits are {far:e} apart");
        }
        assert_eq!(tokens(&model, &prompts, greedy(50)), rows(&expected["tokens"]), "{name}");
    }
}

#[test]
fn logits_and_greedy_tokens_are_those_of_transformers_on_the_cpu() {
    agrees(&lanthorn::cpu(), 1);
}

#[test]
fn logits_and_greedy_tokens_are_those_of_transformers_on_webgpu() {
    agrees(&block_on(lanthorn::wgpu()).expect("there is an adapter"), 3);
}

#[test]
fn a_state_dict_has_the_names_of_the_file() {
    let device = lanthorn::cpu();
    for name in ["gpt2", "llama2", "gemma3", "phi3"] {
        let path = folder().join(name);
        let whole = path.join("model.safetensors");
        let file = if whole.is_file() { whole } else { path.join("model.safetensors.index.json") };
        let mut written: Vec<String> =
            lanthorn::state_dict_of(&lanthorn::load_with(file, &device).unwrap()).unwrap().into_keys().collect();
        written.sort();
        assert_eq!(state_dict(&load(name, &device)).into_keys().collect::<Vec<_>>(), written, "{name}");
    }
}

/// Weights in blocks stay in blocks: a model takes hardly more memory than its file.
#[test]
fn weights_in_blocks_stay_in_blocks() {
    let device = lanthorn::cpu();
    for name in ["llama_q4.gguf", "gpt2_q8.gguf"] {
        let (file, model) = (std::fs::metadata(folder().join(name)).unwrap().len() as usize, load(name, &device));
        assert!(model.weight_bytes() < file, "{name}: {} of {file} bytes", model.weight_bytes());
        let options = PretrainedOptions { dtype: Some(DType::F32), ..PretrainedOptions::default() };
        let numbers = from_pretrained_with(folder().join(name), &device, &options).unwrap();
        assert!(numbers.weight_bytes() > 2 * model.weight_bytes(), "{name}");
        let prompts = rows(&read_expected(name)["prompts"]);
        assert_eq!(tokens(&numbers, &prompts, greedy(50)), rows(&read_expected(name)["tokens"]), "{name}");
    }
}

/// The numbers of blocks are rounded, by an amount that the format determines, and gradients pass
/// through them.
#[test]
fn a_model_is_quantized_in_place() {
    let device = lanthorn::cpu();
    for name in ["llama_q4.gguf", "gpt2_q8.gguf"] {
        let options = PretrainedOptions { dtype: Some(DType::F32), ..PretrainedOptions::default() };
        let mut model = from_pretrained_with(folder().join(name), &device, &options).unwrap();
        let prompt = tensor(&rows(&read_expected(name)["prompts"])[0], &device);
        let before = model.forward(&prompt).unwrap();
        let taken = tokens(&model, &[vec![5, 17]], greedy(3));
        block_on(model.quantize(BlockFormat::Q8_0)).unwrap();
        let after = model.forward(&prompt).unwrap();
        let norm = |x: Tensor| block_on(x.square().unwrap().mean(None, false).unwrap().sqrt().unwrap().item()).unwrap();
        let far = norm(after.sub(&before).unwrap()) / norm(before);
        assert!(far > 0.0 && far < 0.1, "{name}: {far}");
        // Recorded calls have the new weights, too.
        assert_eq!(tokens(&model, &[vec![5, 17]], greedy(3)).len(), taken.len());
        after.sum(None, false).unwrap().backward().unwrap();
        let norm =
            model.named_parameters().into_iter().find(|(name, _)| name.contains("norm") || name.contains("ln_1"));
        assert!(norm.unwrap().1.grad().is_some(), "{name}");
        let error = block_on(model.quantize(BlockFormat::Q6_K)).unwrap_err().to_string();
        assert!(error.contains("q6_k"), "{error}");
    }
}

#[test]
fn rows_that_have_not_whole_blocks_are_named_and_nothing_changes() {
    let device = lanthorn::cpu();
    // Its MLP has 40 rows, and a row of the last layer 40 numbers.
    let mut model = load("llama3", &device);
    let bytes = model.weight_bytes();
    let error = block_on(model.quantize(BlockFormat::Q4_0)).unwrap_err();
    assert!(error.to_string().contains("layer 0: down_proj"), "{error}");
    assert_eq!(model.weight_bytes(), bytes);
}

#[test]
fn a_cache_gives_the_logits_without_one_and_keeps_a_conversation() {
    let device = lanthorn::cpu();
    let model = load("gemma2", &device);
    let prompt = &rows(&read_expected("gemma2")["prompts"])[0];
    let whole = model.forward(&tensor(prompt, &device)).unwrap();
    let cache = KvCache::new(model.config(), 1, 40, model.dtype(), &device).unwrap();
    for (start, end) in [(0, 6), (6, 13)] {
        let part = model.forward_cached(&tensor(&prompt[start..end], &device), &cache).unwrap();
        let same = whole.narrow(1, start as i64, (end - start) as i64).unwrap();
        let far = block_on(part.sub(&same).unwrap().abs().unwrap().max().unwrap().item()).unwrap();
        assert!(far < 1e-5, "{far:e}");
    }
    assert_eq!(*cache.lengths(), [13]);
    cache.reset().unwrap();
    let cache = Rc::new(cache);
    let run = |prompt: Vec<i64>| -> Vec<i64> {
        let made = generate(&model, &[prompt], greedy(5), Some(cache.clone())).unwrap();
        made.map(|token| token.unwrap().token).collect()
    };
    let begun = run(prompt.clone());
    let went = run(vec![begun[4], 33, 44]);
    let all = prompt.iter().copied().chain(begun).chain([33, 44]).collect();
    assert_eq!(tokens(&model, &[all], greedy(5)), [went]);
}

#[test]
fn a_token_makes_no_plan_no_buffer_and_no_bind_group() {
    let sampled = || GenerationConfig {
        do_sample: true,
        top_p: 0.9,
        min_p: 0.01,
        repetition_penalty: 1.2,
        frequency_penalty: 0.1,
        ..greedy(40)
    };
    for device in [lanthorn::cpu(), block_on(lanthorn::wgpu()).unwrap()] {
        let model = load("llama3", &device);
        for config in [greedy(40), sampled()] {
            let mut made = generate(&model, &[vec![5, 17, 42]], config, None).unwrap();
            made.by_ref().take(12).for_each(|token| assert!(token.is_ok()));
            let before = device.inspect().stats();
            made.by_ref().take(20).for_each(|token| assert!(token.is_ok()));
            let after = device.inspect().stats();
            assert!(after.submissions > before.submissions);
            let made = |stats: &lanthorn::Stats| {
                let api = &stats.api;
                [
                    stats.plan_misses,
                    stats.plan_resizes,
                    stats.memory.buffers_created,
                    api.pipelines,
                    api.buffers,
                    api.bind_groups,
                ]
            };
            assert_eq!(made(&after), made(&before), "{}", device.capabilities().name);
        }
    }
}

/// A layer: two norms, queries with keys and values, their rotation with both writes of the cache,
/// attention, its output, gate with up, down. Before and after the layers: the token's row, its
/// positions and rotations, a norm, the head, the choice. With WebGPU's default limits, the
/// rotation and the writes are more buffers than a kernel binds.
#[test]
fn a_token_is_few_launches() {
    for (default_limits, a_layer) in [(false, 8), (true, 9)] {
        let options = lanthorn::WgpuOptions { default_limits, poison: true, ..Default::default() };
        let device = block_on(lanthorn::wgpu_with(options)).unwrap();
        let model = load("llama3", &device);
        let mut made = generate(&model, &[vec![5, 17, 42]], greedy(10), None).unwrap();
        made.by_ref().take(4).for_each(|token| assert!(token.is_ok()));
        let before = device.inspect().stats();
        made.by_ref().take(3).for_each(|token| assert!(token.is_ok()));
        let launches = (device.inspect().stats().launches - before.launches) / 3;
        assert_eq!(launches, 2 * a_layer + 6, "default limits: {default_limits}");
    }
}

/// Some random numbers, penalties and a function change the choice.
fn choices() -> Vec<GenerationConfig> {
    let sampled =
        || GenerationConfig { do_sample: true, top_k: 20, top_p: 0.9, temperature: 2.0, seed: 7, ..greedy(40) };
    let penalized = || GenerationConfig { repetition_penalty: 1.3, frequency_penalty: 0.2, ..sampled() };
    let processor: lanthorn_models::LogitsProcessor = Box::new(|_, logits| logits.mul(1.5));
    vec![
        greedy(40),
        sampled(),
        GenerationConfig { do_sample: false, ..penalized() },
        GenerationConfig { logits_processors: vec![processor], top_k: 0, ..penalized() },
    ]
}

#[test]
fn candidates_change_no_token() {
    // The last choice has a part of all.
    for (device, first) in [(lanthorn::cpu(), 0), (block_on(lanthorn::wgpu()).unwrap(), 3)] {
        let model = Rc::new(load("llama3", &device));
        let other = Rc::new(load("llama2", &device));
        let prompt = [rows(&read_expected("llama3")["prompts"])[0].clone()];
        for (index, plain) in choices().into_iter().enumerate().skip(first) {
            let wanted = tokens(&model, &prompt, plain);
            let with = |change: &dyn Fn(&mut GenerationConfig)| {
                let mut config = choices().remove(index);
                change(&mut config);
                assert_eq!(tokens(&model, &prompt, config), wanted, "choice {index}");
            };
            with(&|config| config.prompt_lookup_num_tokens = 4);
            with(&|config| (config.prompt_lookup_num_tokens, config.max_matching_ngram_size) = (3, 1));
            with(&|config| config.assistant_model = Some(model.clone()));
            with(&|config| (config.assistant_model, config.num_assistant_tokens) = (Some(other.clone()), 3));
        }
    }
}

/// Longer texts than 6 have other frequencies, and padding is no text.
#[test]
fn padding_makes_no_text_longer_than_it_is() {
    let device = lanthorn::cpu();
    let model = load("phi3", &device);
    let logits = |capacity: Option<usize>| {
        let last = Rc::new(std::cell::RefCell::new(vec![]));
        let kept = last.clone();
        let keeps: lanthorn_models::LogitsProcessor = Box::new(move |_, logits| {
            *kept.borrow_mut() = block_on(logits.to_vec::<f32>())?;
            Ok(logits.clone())
        });
        let config = GenerationConfig { logits_processors: vec![keeps], ..greedy(4) };
        let config = GenerationConfig { prefill_chunk: 256, ..config };
        let cache = capacity
            .map(|capacity| Rc::new(KvCache::new(model.config(), 1, capacity, model.dtype(), &device).unwrap()));
        assert_eq!(generate(&model, &[vec![5, 17, 42]], config, cache).unwrap().count(), 4);
        last.take()
    };
    let far = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let (own, short, long) = (logits(None), logits(Some(6)), logits(Some(7)));
    assert!(far(&own, &short) < 1e-5 && far(&own, &long) > 1e-3);
}

/// Of a text with a period, five tokens come with a call of the model.
#[test]
fn candidates_are_checked_in_one_call() {
    let device = lanthorn::cpu();
    let model = load("llama3", &device);
    let launches = |candidates| {
        let forced = Tensor::eye_with(6, Some(96), None, Some(&device)).unwrap();
        let forced = move |ids: &[Vec<i64>], logits: &Tensor| {
            logits.mul(0.0)?.add(&forced.narrow(0, (ids[0].len() % 6) as i64, 1)?)
        };
        let config = GenerationConfig {
            logits_processors: vec![Box::new(forced)],
            prompt_lookup_num_tokens: candidates,
            ..greedy(40)
        };
        let before = device.inspect().stats().launches;
        let made = tokens(&model, &[vec![5, 17, 42]], config);
        (made, device.inspect().stats().launches - before)
    };
    let (slow, fast) = (launches(0), launches(4));
    assert_eq!(fast.0, slow.0);
    assert!(10 * fast.1 < 7 * slow.1, "{} launches, and {} without candidates", fast.1, slow.1);
}

#[test]
fn a_cache_has_the_tokens_that_were_read() {
    let device = lanthorn::cpu();
    let model = load("qwen3", &device);
    let (prompts, wanted) = (rows(&read_expected("qwen3")["prompts"]), &rows(&read_expected("qwen3")["tokens"])[0]);
    let prompt = &prompts[0];
    let cache = Rc::new(KvCache::new(model.config(), 1, 80, model.dtype(), &device).unwrap());
    for count in [1, 4, 7] {
        cache.reset().unwrap();
        let config = GenerationConfig { prompt_lookup_num_tokens: 4, ..greedy(45) };
        let made = generate(&model, std::slice::from_ref(prompt), config, Some(cache.clone())).unwrap();
        assert_eq!(made.take(count).count(), count);
        assert_eq!(*cache.lengths(), [prompt.len() + count - 1]);
    }
    let rest = generate(&model, &[vec![wanted[6]]], greedy(20), Some(cache)).unwrap();
    assert_eq!(rest.map(|token| token.unwrap().token).collect::<Vec<_>>(), wanted[7..27]);
}

#[test]
fn likely_tokens_alone_are_the_greedy_ones_and_seeds_repeat() {
    let device = lanthorn::cpu();
    let (model, expected) = (load("qwen3", &device), read_expected("qwen3"));
    let prompts = rows(&expected["prompts"]);
    let wanted: Vec<Vec<i64>> = rows(&expected["tokens"]).into_iter().map(|row| row[..10].to_vec()).collect();
    let sampled = || GenerationConfig { do_sample: true, seed: 1, ..greedy(10) };
    for config in [
        GenerationConfig { top_k: 1, ..sampled() },
        GenerationConfig { top_p: 1e-6, ..sampled() },
        GenerationConfig { top_p: 1e-6, top_k: 0, ..sampled() },
        GenerationConfig { min_p: 1.0, ..sampled() },
    ] {
        assert_eq!(tokens(&model, &prompts, config), wanted);
    }
    let hot = |seed| tokens(&model, &prompts, GenerationConfig { temperature: 2.0, seed, ..sampled() });
    assert_eq!(hot(11), hot(11));
    assert_ne!(hot(11), hot(12));
}
