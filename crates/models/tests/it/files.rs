//! Files whose metadata or types differ: fields of GGUF that change numbers, and matrices of 16
//! bits beside float32 norms.

use lanthorn::{DType, Device, Error, Tensor, Value, io, io::gguf::Header};
use lanthorn_models::{CausalLm, KvCache, PretrainedOptions, from_pretrained, from_pretrained_with};
use pollster::block_on;
use serde_json::{Value as Json, json};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

fn models() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/lm")
}

/// A new path that ends with a name.
fn fresh(name: &str) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("lanthorn-files-{}-{count}{name}", std::process::id()))
}

/// A GGUF file in parts: metadata, and tensors with the code of their type, their shape and bytes.
struct Gguf {
    metadata: Vec<(String, io::Value<()>)>,
    tensors: Vec<(String, u32, Vec<usize>, Vec<u8>)>,
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

fn entry(value: &io::Value<()>) -> (u32, Vec<u8>) {
    match value {
        io::Value::Bool(value) => (7, vec![u8::from(*value)]),
        io::Value::Int(value) => (11, value.to_le_bytes().to_vec()),
        io::Value::Float(value) => (12, value.to_le_bytes().to_vec()),
        io::Value::Str(value) => (8, text(value)),
        io::Value::List(values) => {
            let kind = entry(&values[0]).0;
            let count = (values.len() as u64).to_le_bytes().to_vec();
            let items = values.iter().flat_map(|value| entry(value).1);
            (9, kind.to_le_bytes().into_iter().chain(count).chain(items).collect())
        }
        _ => panic!("no such metadata"),
    }
}

impl Gguf {
    fn read(name: &str) -> Gguf {
        let bytes = fs::read(models().join(name)).unwrap();
        let header = Header::parse(&bytes).unwrap();
        let tensor = |entry: io::gguf::Entry| {
            let io::gguf::Kind::Plain(io::DType::F32) = entry.kind else { panic!("{} is no float32", entry.name) };
            let range = entry.range.start as usize..entry.range.end as usize;
            (entry.name, 0, entry.shape, bytes[range].to_vec())
        };
        Gguf { metadata: header.metadata, tensors: header.tensors.into_iter().map(tensor).collect() }
    }

    /// Sets a value of the metadata, or removes it.
    fn set(mut self, key: &str, value: &Json) -> Gguf {
        fn convert(value: &Json) -> io::Value<()> {
            match value {
                Json::Bool(value) => io::Value::Bool(*value),
                Json::String(value) => io::Value::Str(value.clone()),
                Json::Array(values) => io::Value::List(values.iter().map(convert).collect()),
                value => value.as_i64().map_or_else(|| io::Value::Float(value.as_f64().unwrap()), io::Value::Int),
            }
        }
        self.metadata.retain(|(name, _)| name != key);
        if !value.is_null() {
            self.metadata.push((key.to_string(), convert(value)));
        }
        self
    }

    /// Matrices in float16 or bfloat16, by the code of the type.
    fn halve(mut self, code: u32) -> Gguf {
        for (_, kind, shape, bytes) in self.tensors.iter_mut().filter(|(_, _, shape, _)| shape.len() == 2) {
            let dtype = if code == 1 { io::DType::F16 } else { io::DType::BF16 };
            let data = io::TensorData::new(io::DType::F32, shape.clone(), std::mem::take(bytes)).unwrap();
            (*kind, *bytes) = (code, data.convert_for_file(dtype).unwrap().into_bytes());
        }
        self
    }

    fn write(&self) -> PathBuf {
        let mut file = b"GGUF\x03\0\0\0".to_vec();
        file.extend((self.tensors.len() as u64).to_le_bytes());
        file.extend((self.metadata.len() as u64).to_le_bytes());
        for (name, value) in &self.metadata {
            let (kind, bytes) = entry(value);
            file.extend([text(name), kind.to_le_bytes().to_vec(), bytes].concat());
        }
        let mut offset = 0u64;
        for (name, code, shape, bytes) in &self.tensors {
            file.extend(text(name));
            file.extend((shape.len() as u32).to_le_bytes());
            shape.iter().rev().for_each(|&size| file.extend((size as u64).to_le_bytes()));
            file.extend(code.to_le_bytes());
            file.extend(offset.to_le_bytes());
            offset += bytes.len().next_multiple_of(32) as u64;
        }
        file.resize(file.len().next_multiple_of(32), 0);
        for (.., bytes) in &self.tensors {
            file.extend(bytes);
            file.resize(file.len().next_multiple_of(32), 0);
        }
        let path = fresh(".gguf");
        fs::write(&path, file).unwrap();
        path
    }

    fn load(&self, device: &Device, options: &PretrainedOptions) -> Result<CausalLm, Error> {
        let path = self.write();
        let model = from_pretrained_with(&path, device, options);
        fs::remove_file(path).unwrap();
        model
    }
}

/// A folder's configuration with changes, and its tensors as a function makes them.
fn folder(name: &str, changes: &Json, change: impl Fn(&Tensor) -> Tensor, device: &Device) -> PathBuf {
    let (from, path) = (models().join(name), fresh(""));
    fs::create_dir_all(&path).unwrap();
    let mut config: Json = serde_json::from_slice(&fs::read(from.join("config.json")).unwrap()).unwrap();
    config.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    config.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    fs::write(path.join("config.json"), config.to_string()).unwrap();
    let state = lanthorn::load_with(from.join("model.safetensors"), device).unwrap();
    let state = lanthorn::state_dict_of(&state).unwrap();
    let state = state.into_iter().map(|(name, tensor)| (name, change(&tensor)));
    block_on(lanthorn::save(path.join("model.safetensors"), Value::tensors(state))).unwrap();
    path
}

fn load(path: &Path, device: &Device) -> CausalLm {
    let model = from_pretrained(path, device).unwrap();
    fs::remove_dir_all(path).unwrap();
    model
}

fn logits(model: &CausalLm, device: &Device) -> Vec<f32> {
    let ids = Tensor::from_slice(&[5i32, 17, 42, 3, 9, 8, 1, 60, 33, 2], [1, 10], device).unwrap();
    let logits = model.forward(&ids).unwrap().to(DType::F32).unwrap();
    block_on(logits.to_vec::<f32>()).unwrap()
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// A key of the metadata, and its value.
type Field<'k> = (&'k str, Json);

#[test]
fn fields_of_gguf_change_numbers_as_in_a_folder() {
    let device = lanthorn::cpu();
    device.set_default();
    let linear = || json!({ "rope_scaling": { "rope_type": "linear", "factor": 2.0 } });
    let heads = [("qwen3.attention.head_count_kv", json!([2, 2]))];
    let same: [(&str, &[Field], Json); 8] = [
        ("qwen3", &[], json!({})),
        ("qwen3", &heads, json!({})),
        ("qwen3", &[("qwen3.rope.dimension_count", json!(8))], json!({ "partial_rotary_factor": 0.5 })),
        (
            "qwen3",
            &[("qwen3.rope.scaling.yarn_beta_fast", json!(8.0)), ("qwen3.rope.scaling.yarn_beta_slow", json!(0.05))],
            json!({ "rope_parameters": null, "rope_theta": 1e6, "rope_scaling": { "rope_type": "yarn", "factor": 4.0,
                "original_max_position_embeddings": 32, "beta_fast": 8.0, "beta_slow": 0.05 } }),
        ),
        // The factor of scores is the inverse root of the field.
        ("gemma2", &[("gemma2.attention.scale", json!(0.25))], json!({ "query_pre_attn_scalar": 16 })),
        ("gemma2", &[("gemma2.rope.scaling.factor", json!(2.0))], linear()),
        ("gemma2", &[("gemma2.rope.scale_linear", json!(2.0))], linear()),
        (
            "gemma2",
            &[("gemma2.attention.sliding_window_pattern", json!([false, true]))],
            json!({ "layer_types": ["full_attention", "sliding_attention"] }),
        ),
    ];
    let plain = ["qwen3", "gemma2"].map(|name| logits(&load_gguf(name, &[], &device), &device));
    for (name, fields, changes) in same {
        let expected = logits(&load(&folder(name, &changes, Tensor::clone, &device), &device), &device);
        let found = logits(&load_gguf(name, fields, &device), &device);
        assert!(distance(&found, &expected) < 1e-4, "{name} {fields:?}");
        let changed = distance(&found, &plain[usize::from(name == "gemma2")]) > 1e-4;
        assert_eq!(changed, !changes.as_object().unwrap().is_empty(), "{name} {fields:?}");
    }
}

fn load_gguf(name: &str, fields: &[Field], device: &Device) -> CausalLm {
    let file = Gguf::read(&format!("{name}.gguf"));
    let file = fields.iter().fold(file, |file, (key, value)| file.set(key, value));
    file.load(device, &PretrainedOptions::default()).unwrap()
}

#[test]
fn fields_of_gguf_that_cannot_be_used_are_errors_that_name_them() {
    let device = lanthorn::cpu();
    let load = |key: &str, value: &Json, strict: bool| {
        let file = Gguf::read("qwen3.gguf").set(key, value);
        file.load(&device, &PretrainedOptions { strict, ..PretrainedOptions::default() })
    };
    for (key, value, message) in [
        ("qwen3.attention.layer_norm_rms_epsilon", json!(null), "there is no qwen3.attention.layer_norm_rms_epsilon"),
        ("qwen3.context_length", json!(null), "there is no qwen3.context_length"),
        (
            "qwen3.attention.value_length",
            json!(8),
            "qwen3.attention.value_length is 8, which is not supported: keys have 16",
        ),
        (
            "qwen3.rope.dimension_count",
            json!(32),
            "qwen3.rope.dimension_count is 32, which is not supported: heads have 16",
        ),
        ("qwen3.expert_count", json!(8), "qwen3.expert_count is 8, which is not supported for qwen3"),
        ("qwen3.attention.causal", json!(false), "qwen3.attention.causal is false"),
        ("qwen3.logit_scale", json!(0.5), "qwen3.logit_scale is 0.5"),
        (
            "qwen3.attention.head_count_kv",
            json!([2, 1]),
            "qwen3.attention.head_count_kv is [2,1], which differs by layer",
        ),
        ("qwen3.rope.scaling.type", json!("spiral"), "rope.scaling.type is not known; there are none, linear"),
        ("qwen3.rope.scaling.factor", json!("four"), "qwen3.rope.scaling.factor is \"four\", which is no number"),
        ("split.count", json!(2), "split.count is 2: the file is a part of a model"),
        ("qwen3.mystery", json!(1), "the fields qwen3.mystery are not known for qwen3"),
    ] {
        let error = load(key, &value, true).err().unwrap_or_else(|| panic!("{key} was read"));
        assert!(error.is_file() && error.to_string().contains(message), "{error}");
    }
    assert!(load("qwen3.mystery", &json!(1), false).is_ok());
    for (key, value) in [("qwen3.expert_count", json!(0)), ("split.count", json!(1)), ("other.mystery", json!(1))] {
        assert!(load(key, &value, true).is_ok(), "{key}");
    }
}

#[test]
fn matrices_of_16_bits_beside_float32_norms_compute_in_float32() {
    let device = lanthorn::cpu();
    device.set_default();
    for (dtype, code) in [(DType::F16, 1), (DType::BF16, 30)] {
        let half = |tensor: &Tensor| if tensor.rank() == 2 { tensor.to(dtype).unwrap() } else { tensor.clone() };
        let in_one_file = |name: &String| models().join(name).join("model.safetensors").is_file();
        for name in crate::golden::models().iter().filter(|name| in_one_file(name)) {
            let nameless = json!({ "torch_dtype": null, "dtype": null });
            // The same numbers, in float32.
            let wide = |tensor: &Tensor| half(tensor).to(DType::F32).unwrap();
            let expected = logits(&load(&folder(name, &nameless, wide, &device), &device), &device);
            let model = load(&folder(name, &nameless, half, &device), &device);
            assert_eq!(model.dtype(), DType::F32, "{name}");
            assert!(distance(&logits(&model, &device), &expected) < 1e-5, "{name} {dtype}");
            // As in transformers, a folder that names a type has it everywhere.
            let named = json!({ "dtype": dtype.name(), "torch_dtype": null });
            let model = load(&folder(name, &named, half, &device), &device);
            assert_eq!(model.dtype(), dtype, "{name}");
            // A cache of another type than the model stores and reads by conversion.
            let cache = KvCache::new(model.config(), 1, 16, DType::F32, &device).unwrap();
            let ids = Tensor::from_slice(&[5i32, 17, 42], [1, 3], &device).unwrap();
            assert_eq!(model.forward_cached(&ids, &cache).unwrap().dtype(), dtype);
            let found = logits(&model, &device);
            let mean = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).sum::<f32>() / found.len() as f32;
            assert!(mean < 0.05, "{name} {dtype}: {mean}");
        }
        for name in ["llama3", "qwen3", "gemma2"] {
            let file = || Gguf::read(&format!("{name}.gguf")).halve(code);
            let load =
                |dtype| file().load(&device, &PretrainedOptions { dtype, ..PretrainedOptions::default() }).unwrap();
            let (mixed, wide) = (load(None), load(Some(DType::F32)));
            assert_eq!((mixed.dtype(), wide.dtype()), (DType::F32, DType::F32));
            assert!(mixed.weight_bytes() < wide.weight_bytes() * 3 / 5, "{name}");
            assert!(distance(&logits(&mixed, &device), &logits(&wide, &device)) < 1e-5, "{name} {dtype}");
        }
    }
}
