//! Models and calls that are wrong: errors that name what, and the model works on.

use lanthorn::{DType, Device, Error, Tensor};
use lanthorn_models::{
    CausalLm, DecoderConfig, GenerationConfig, KvCache, PretrainedOptions, from_pretrained, from_pretrained_with,
    generate,
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/lm")
}

fn load(name: &str, device: &Device) -> CausalLm {
    from_pretrained(folder().join(name), device).unwrap()
}

/// A separate folder with a model's files and a changed configuration.
fn copy_with_change(name: &str, change: &Value, number: usize) -> PathBuf {
    let path = std::env::temp_dir().join(format!("lanthorn-models-{}-{number}", std::process::id()));
    fs::create_dir_all(&path).unwrap();
    let mut config: Value =
        serde_json::from_slice(&fs::read(folder().join(name).join("config.json")).unwrap()).unwrap();
    config.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    fs::write(path.join("config.json"), config.to_string()).unwrap();
    fs::copy(folder().join(name).join("model.safetensors"), path.join("model.safetensors")).unwrap();
    path
}

fn refusal(result: Result<CausalLm, Error>) -> String {
    let Err(error) = result else { panic!("it was read") };
    assert!(error.is_file(), "{error}");
    error.to_string()
}

#[test]
fn a_configuration_that_is_not_known_is_an_error_that_names_what() {
    let device = lanthorn::cpu();
    let cases = [
        ("llama3", json!({ "architectures": ["MambaForCausalLM"] }), "\"MambaForCausalLM\" is not known; there are"),
        ("llama3", json!({ "flash_windows": 3, "other": 1 }), "flash_windows, other are not known for llama"),
        ("llama3", json!({ "quantization_config": { "bits": 4 } }), "quantization_config"),
        ("llama3", json!({ "rope_scaling": { "rope_type": "spiral" } }), "\"spiral\" is not known; there are default"),
        (
            "llama3",
            json!({ "rope_scaling": { "rope_type": "llama3", "factor": "two" } }),
            "factor \"two\", not a number",
        ),
        ("llama3", json!({ "hidden_act": "mish" }), "hidden_act is \"mish\""),
        ("llama3", json!({ "hidden_size": -3 }), "hidden_size is -3, not a positive integer"),
        ("llama3", json!({ "num_key_value_heads": 3 }), "4 attention heads cannot share 3"),
        ("llama3", json!({ "num_hidden_layers": null }), "num_hidden_layers is null"),
        ("qwen2", json!({ "layer_types": ["full_attention", "linear"] }), "layer_types has to name"),
        ("gpt2", json!({ "scale_attn_by_inverse_layer_idx": true }), "which is not supported for gpt2"),
        ("llama3", json!({ "vocab_size": 97 }), "model.embed_tokens.weight is [96, 32], and has to be [97, 32]"),
        ("llama3", json!({ "num_hidden_layers": 3 }), "missing: model.layers.2."),
        ("llama3", json!({ "num_hidden_layers": 1 }), "not known for llama: model.layers.1."),
    ];
    for (number, (name, change, message)) in cases.iter().enumerate() {
        let path = copy_with_change(name, change, number);
        let error = refusal(from_pretrained(&path, &device));
        assert!(error.contains(message), "{error}");
        fs::remove_dir_all(path).unwrap();
    }
    let path = copy_with_change("llama3", &json!({ "flash_windows": 3 }), 100);
    let options = PretrainedOptions { strict: false, dtype: Some(DType::F16), ..Default::default() };
    assert_eq!(from_pretrained_with(&path, &device, &options).unwrap().dtype(), DType::F16);
    fs::remove_dir_all(path).unwrap();
    assert!(DecoderConfig::from_json("{", true).unwrap_err().is_file());
}

#[test]
fn files_that_are_missing_are_errors() {
    let device = lanthorn::cpu();
    assert!(refusal(from_pretrained("nowhere", &device)).contains("config.json"));
    let weights = Some("other.safetensors".to_string());
    let options = PretrainedOptions { weights, ..Default::default() };
    let found = from_pretrained_with(folder().join("llama3"), &device, &options);
    assert!(refusal(found).contains("other.safetensors"));
    assert!(refusal(from_pretrained(Path::new(file!()).file_name().unwrap(), &device)).contains("bad_input.rs"));
}

#[test]
fn a_call_that_is_wrong_changes_nothing() {
    let device = lanthorn::cpu();
    let (model, learned) = (load("llama3", &device), load("gpt2", &device));
    let new_cache = |capacity| Rc::new(KvCache::new(model.config(), 1, capacity, DType::F32, &device).unwrap());
    let cache = new_cache(10);
    let long: Vec<i64> = (1..14).collect();
    let config = |count| GenerationConfig { max_new_tokens: count, eos_token_ids: Some(vec![]), ..Default::default() };
    let message = |prompts: &[Vec<i64>], config, cache| generate(&model, prompts, config, cache).err().unwrap();
    let error = message(&[long], config(2), Some(cache.clone()));
    assert!(
        error.is_limit() && error.message().contains("row 0 would have 14 tokens, and the cache holds 10"),
        "{error}"
    );
    assert!(message(&[vec![1], vec![2]], config(2), Some(cache.clone())).is_shape());
    assert!(message(&[vec![1, 96]], config(2), None).is_index());
    for prompts in [&[][..], &[vec![]][..]] {
        assert!(message(prompts, config(2), None).is_argument());
    }
    for wrong in [
        GenerationConfig { temperature: 0.0, ..config(1) },
        GenerationConfig { top_p: 1.5, ..config(1) },
        GenerationConfig { min_p: f64::NAN, ..config(1) },
        GenerationConfig { repetition_penalty: -1.0, ..config(1) },
        GenerationConfig { prefill_chunk: 0, ..config(1) },
        GenerationConfig { max_matching_ngram_size: 0, ..config(1) },
        GenerationConfig { num_assistant_tokens: 0, ..config(1) },
        config(0),
    ] {
        assert!(message(&[vec![1]], wrong, None).is_argument());
    }
    let mut wide = model.config().clone();
    wide.vocab_size = 128;
    let [same, wide] = [model.config(), &wide].map(|config| Some(Rc::new(CausalLm::random(config, &device).unwrap())));
    let begun = new_cache(10);
    model.forward_cached(&Tensor::from_slice(&[5i32], [1, 1], &device).unwrap(), &begun).unwrap();
    let lookup = || GenerationConfig { prompt_lookup_num_tokens: 2, ..config(2) };
    for (prompts, wrong, cache, words) in [
        (vec![vec![1], vec![2]], lookup(), None, "candidates are for one prompt"),
        (vec![vec![1]], GenerationConfig { assistant_model: same.clone(), ..lookup() }, None, "not both"),
        (vec![vec![1]], GenerationConfig { assistant_model: same, ..config(2) }, Some(begun), "has not seen"),
        (
            vec![vec![1]],
            GenerationConfig { assistant_model: wide, ..config(2) },
            None,
            "has 128 tokens, and the model 96",
        ),
    ] {
        let error = message(&prompts, wrong, cache);
        assert!(error.is_argument() && error.message().contains(words), "{error}");
    }
    assert!(generate(&learned, &[vec![1, 2]], config(200), None).err().unwrap().is_limit());
    assert!(learned.forward(&Tensor::zeros_with([1, 129], DType::I32, Some(&device)).unwrap()).unwrap_err().is_limit());
    assert!(KvCache::new(learned.config(), 1, 200, DType::F32, &device).err().unwrap().is_argument());
    assert!(model.forward(&Tensor::zeros_with([3], DType::I32, Some(&device)).unwrap()).unwrap_err().is_shape());
    assert_eq!(*cache.lengths(), [0]);

    // A processor that fails ends the generation, and the model stays usable.
    let fails = GenerationConfig { logits_processors: vec![Box::new(|_, logits| logits.narrow(1, 0, 5))], ..config(3) };
    let mut failing = generate(&model, &[vec![1]], fails, None).unwrap();
    assert!(failing.next().unwrap().unwrap_err().is_shape());
    assert!(failing.next().is_none());
    let made = generate(&model, &[vec![5, 6]], config(4), Some(cache)).unwrap();
    assert_eq!(made.collect::<Result<Vec<_>, _>>().unwrap().len(), 4);
}
