//! Rust and JavaScript must read configurations, cut texts and draft tokens alike: the cases of
//! `tests/models/shared.json`, which `tests/models/shared.test.mjs` reads as well.
//!
//! A case is written by hand with its `given`. `LANTHORN_RECORD=1 cargo test -p lanthorn-models`
//! writes the answers.

use crate::{
    DecoderConfig, candidates,
    decoder::{
        config::read_fields,
        family::Activation,
        generation,
        gguf::{is_factor, name_tensor},
        host::table,
    },
    gguf, prefill,
    stop_strings::{Piece, StopStrings},
    weight::{State, Weight},
};
use lanthorn_io as io;
use lanthorn_tensor::{DType, Result, Tensor};
use serde_json::{Map, Value, json};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/models/shared.json");

/// The value, or the error as a page shows it.
fn answer<T>(result: Result<T>, to_json: impl Fn(T) -> Value) -> Value {
    result.map(to_json).unwrap_or_else(|error| json!({ "error": error.to_string() }))
}

/// `base` with the fields of `changes`, of which null removes one.
fn merge(base: &Value, changes: &Value) -> Map<String, Value> {
    let mut all = base.as_object().unwrap().clone();
    all.extend(changes.as_object().unwrap().clone());
    all
}

fn name_of(activation: Activation) -> &'static str {
    match activation {
        Activation::Silu => "silu",
        Activation::Gelu => "gelu",
        Activation::GeluTanh => "gelu_tanh",
        Activation::Relu => "relu",
    }
}

fn describe(config: DecoderConfig) -> Value {
    let ropes = config.ropes.iter().map(|rope| {
        json!({ "short": rope.inverse_frequencies, "long": rope.long_inverse_frequencies, "original_length": rope.original_length,
            "attention_factor": rope.attention_factor })
    });
    let layers = config.layers.iter().map(|layer| json!([layer.window, layer.rope]));
    json!({
        "family": config.family.name,
        "sizes": [config.vocab_size, config.hidden_size, config.intermediate_size, config.heads, config.kv_heads,
            config.head_dim, config.max_positions],
        "activation": name_of(config.activation),
        "biases": [config.biases.qkv, config.biases.output, config.biases.mlp],
        "numbers": [config.eps, config.scale, config.embedding_scale],
        "soft_caps": [config.attention_soft_cap, config.final_soft_cap],
        "ropes": ropes.collect::<Vec<_>>(),
        "layers": layers.collect::<Vec<_>>(),
        "tie_word_embeddings": config.tie_word_embeddings,
        "eos_token_ids": config.eos_token_ids,
        "dtype": config.dtype.map(DType::name),
    })
}

fn read_config(base: &Value, given: &Value) -> Value {
    answer(read_fields(&merge(&base["config"], given), true), describe)
}

fn metadata_of(value: &Value) -> io::Value<()> {
    match value {
        Value::Bool(value) => io::Value::Bool(*value),
        Value::String(value) => io::Value::Str(value.clone()),
        Value::Array(values) => io::Value::List(values.iter().map(metadata_of).collect()),
        value => value.as_i64().map_or_else(|| io::Value::Float(value.as_f64().unwrap()), io::Value::Int),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn ids(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect()
}

/// Factors of frequencies are given by their numbers, other tensors by their shapes.
fn tensor_of(name: &str, given: &Value) -> Weight {
    let device = lanthorn::cpu();
    let tensor = match name.starts_with("rope_") {
        true => {
            let factors: Vec<f32> = numbers(given).iter().map(|&factor| factor as f32).collect();
            Tensor::from_slice(&factors, [factors.len() as i64], &device)
        }
        false => Tensor::zeros_with(ids(given), DType::F32, Some(&device)),
    };
    Weight::Dense(tensor.unwrap())
}

fn read_gguf(base: &Value, given: &Value) -> Value {
    let architecture = given["architecture"].as_str().unwrap();
    let own = base["metadata"].as_object().unwrap().iter();
    let own = own.map(|(key, value)| (format!("{architecture}.{key}"), value.clone()));
    let mut own: Map<String, Value> = own.collect();
    own.insert("general.architecture".into(), json!(architecture));
    let metadata = merge(&Value::Object(own), &given["metadata"]);
    let metadata: Vec<(String, io::Value<()>)> = metadata
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.clone(), metadata_of(value)))
        .collect();
    let tensors = merge(&base["tensors"], &given["tensors"]);
    let tensors: State = tensors.iter().map(|(name, given)| (name.clone(), tensor_of(name, given))).collect();
    answer(gguf::config(&metadata, &tensors, true), describe)
}

fn long_name(_: &Value, given: &Value) -> Value {
    let family = table().families.iter().find(|family| given["family"] == json!(family.name)).unwrap();
    let name = given["name"].as_str().unwrap();
    if is_factor(name) { Value::Null } else { answer(name_tensor(name, family), |named| json!(named.long)) }
}

fn cut_text(_: &Value, given: &Value) -> Value {
    let texts = |name: &str| -> Vec<String> { serde_json::from_value(given[name].clone()).unwrap() };
    let mut stops = StopStrings::new(&texts("stops"));
    let mut pieces: Vec<Piece> = texts("texts").iter().map(|text| stops.push(text)).collect();
    if !pieces.last().is_some_and(|piece| piece.is_stopped) {
        pieces.push(stops.finish(given["rest"].as_str().unwrap()));
    }
    pieces.into_iter().map(|Piece { text, is_stopped }| json!([text, is_stopped])).collect()
}

fn count_of(given: &Value, name: &str) -> usize {
    given[name].as_u64().unwrap() as usize
}

fn look_up(_: &Value, given: &Value) -> Value {
    json!(generation::look_up(&ids(&given["ids"]), count_of(given, "count"), count_of(given, "size")))
}

fn pause(_: &Value, given: &Value) -> Value {
    let accepted = ids(&given["accepted"]);
    json!(candidates::pauses(count_of(given, "count"), accepted.iter().map(|&count| count as usize)))
}

fn cut_prompt(_: &Value, given: &Value) -> Value {
    let [chunk, left, room] = ["chunk", "left", "room"].map(|name| count_of(given, name));
    json!(prefill::chunks(chunk, left, room))
}

fn pad(_: &Value, given: &Value) -> Value {
    json!(generation::padding_of(count_of(given, "chunk")))
}

/// Whether values are equal, except for the last digits of numbers.
fn is_close(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-12 * a.abs()
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_close(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| is_close(a, b)))
        }
        _ => a == b,
    }
}

type Part = fn(&Value, &Value) -> Value;

const PARTS: &[(&str, Part)] = &[
    ("config", read_config),
    ("gguf", read_gguf),
    ("names", long_name),
    ("stop_strings", cut_text),
    ("lookup", look_up),
    ("pauses", pause),
    ("chunks", cut_prompt),
    ("padding", pad),
];

#[test]
fn shared_cases_have_the_answers_of_javascript() {
    let mut shared: Map<String, Value> = serde_json::from_str(&std::fs::read_to_string(PATH).unwrap()).unwrap();
    assert_eq!(shared.len(), PARTS.len() + 1);
    let base = shared["base"].clone();
    let is_recorded = std::env::var_os("LANTHORN_RECORD").is_some();
    for (name, part) in PARTS {
        for case in shared[*name].as_array_mut().unwrap() {
            let found = part(&base, &case["given"]);
            if is_recorded {
                case["answer"] = found;
            } else {
                assert!(is_close(&found, &case["answer"]), "{name}: {}\n{found}\n{}", case["given"], case["answer"]);
            }
        }
    }
    if is_recorded {
        let lines = |cases: &Value| match cases.as_array() {
            Some(cases) => format!("[\n{}\n]", cases.iter().map(Value::to_string).collect::<Vec<_>>().join(",\n")),
            None => cases.to_string(),
        };
        let parts = shared.iter().map(|(name, cases)| format!("{}:{}", json!(name), lines(cases)));
        std::fs::write(PATH, format!("{{\n{}\n}}\n", parts.collect::<Vec<_>>().join(",\n"))).unwrap();
    }
}
