//! Writes tensors of a device to files and reads them, on every backend.

use lanthorn::{
    DType, Device, Error, Tensor, Value, io, load_with,
    nn::{self, Layer, Module},
    save, state_dict_of, to_bytes,
};
use pollster::block_on;
use std::path::{Path, PathBuf};

fn devices() -> Vec<Device> {
    vec![lanthorn::cpu(), block_on(lanthorn::wgpu()).unwrap()]
}

/// A folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("lanthorn-files-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn made_by_pytorch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pytorch/files").join(name)
}

fn bits(tensor: &Tensor) -> (DType, Vec<usize>, Vec<u8>) {
    (tensor.dtype(), tensor.shape().to_vec(), block_on(tensor.to_bytes()).unwrap())
}

#[test]
fn every_format_gives_back_what_it_was_given() {
    let folder = Folder::new("formats");
    for device in devices() {
        let x = Tensor::from_slice(&(0..12).map(|i| i as f32 / 7.0).collect::<Vec<_>>(), [3, 4], &device).unwrap();
        let state = nn::StateDict::from([
            ("a.weight".to_string(), x.clone()),
            ("a.transposed".to_string(), x.transpose(0, 1).unwrap()),
            ("half".to_string(), x.to(DType::F16).unwrap()),
            ("flags".to_string(), x.gt(0.5).unwrap()),
            ("ints".to_string(), x.to(DType::I32).unwrap()),
        ]);
        for ending in ["safetensors", "npz", "pt"] {
            let path = folder.0.join(format!("state.{ending}"));
            block_on(save(&path, &state)).unwrap();
            let loaded = state_dict_of(&load_with(&path, &device).unwrap()).unwrap();
            assert_eq!(loaded.len(), state.len(), "{ending}");
            for (name, tensor) in &state {
                assert_eq!(bits(&loaded[name]), bits(tensor), "{name} in {ending} on {}", device.name());
            }
        }
        let path = folder.0.join("x.npy");
        block_on(save(&path, Value::Tensor(x.clone()))).unwrap();
        assert_eq!(bits(load_with(&path, &device).unwrap().as_tensor().unwrap()), bits(&x));
    }
    // Only complete files are left: four extensions.
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 4);
}

#[test]
fn types_that_a_device_has_not_become_those_that_it_has() {
    for device in devices() {
        let wide = device.capabilities().dtypes.contains(&DType::I64);
        let views = load_with(made_by_pytorch("views.pt"), &device).unwrap();
        let dtype = |name: &str| views.get(name).and_then(Value::as_tensor).unwrap().dtype();
        assert_eq!(dtype("int64"), if wide { DType::I64 } else { DType::I32 });
        assert_eq!(dtype("float64"), if wide { DType::F64 } else { DType::F32 });
        assert_eq!([dtype("int8"), dtype("int16"), dtype("bfloat16")], [DType::I32, DType::I32, DType::BF16]);
        for name in ["int8", "int16", "int64", "float64", "float16", "uint8"] {
            let numbers = views.get(name).and_then(Value::as_tensor).unwrap().to(DType::F32).unwrap();
            assert_eq!(block_on(numbers.to_vec::<f32>()).unwrap(), [0.0, 1.0, 2.0, 100.0], "{name}");
        }
        let large = load_with(made_by_pytorch("int64.npy"), &device);
        match large {
            Ok(value) => {
                assert_eq!(block_on(value.as_tensor().unwrap().to_vec::<i64>()).unwrap(), [-(1 << 62), 1 << 62])
            }
            Err(error) => {
                assert!(!wide && error.is_dtype() && error.to_string().contains("load it on the CPU"), "{error}")
            }
        }
    }
}

#[test]
fn the_files_of_an_index_are_one() {
    let folder = Folder::new("index");
    let device = lanthorn::cpu();
    let one =
        |name: &str, value: f32| nn::StateDict::from([(name.to_string(), Tensor::scalar(value, &device).unwrap())]);
    block_on(save(folder.0.join("1.safetensors"), &one("a", 1.0))).unwrap();
    block_on(save(folder.0.join("2.safetensors"), &one("b", 2.0))).unwrap();
    let index = folder.0.join("model.safetensors.index.json");
    std::fs::write(&index, r#"{"metadata":{},"weight_map":{"a":"1.safetensors","b":"2.safetensors"}}"#).unwrap();
    let state = state_dict_of(&load_with(&index, &device).unwrap()).unwrap();
    assert_eq!(block_on(state["b"].item()).unwrap(), 2.0);
    std::fs::write(&index, r#"{"weight_map":{"a":"1.safetensors","c":"2.safetensors"}}"#).unwrap();
    assert!(load_with(&index, &device).unwrap_err().is_file());
    std::fs::write(&index, r#"{"weight_map":{"a":"3.safetensors"}}"#).unwrap();
    assert!(load_with(&index, &device).unwrap_err().to_string().contains("3.safetensors"));
}

#[test]
fn what_cannot_be_written_or_read_is_said() {
    let folder = Folder::new("errors");
    let device = lanthorn::cpu();
    let failed = |name: &str, value: Value| -> Error { block_on(save(folder.0.join(name), value)).unwrap_err() };
    let x = Tensor::scalar(1.0f32, &device).unwrap();
    assert!(failed("x.txt", Value::Tensor(x.clone())).to_string().contains("end the name in"));
    assert!(failed("x.npy", Value::tensors([("x", x.clone())])).to_string().contains("save a dictionary as npz"));
    assert!(failed("x.safetensors", Value::dict([("step", Value::Int(1))])).to_string().contains("(.pt)"));
    assert!(failed("x.npz", Value::tensors([("x", x.to(DType::BF16).unwrap())])).to_string().contains("no bfloat16"));
    assert!(failed("absent/x.pt", Value::None).is_file());
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0);
    let error = load_with(made_by_pytorch("refused.pt"), &device).unwrap_err();
    assert!(error.is_file() && error.to_string().contains("refused.pt: PyTorch checkpoint: not supported"), "{error}");
    assert!(state_dict_of(&load_with(made_by_pytorch("training.pt"), &device).unwrap()).unwrap_err().is_file());
}

#[test]
fn a_file_holds_the_tensors_as_they_were_at_the_call() {
    for device in devices() {
        let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device).unwrap();
        let file = to_bytes(&Value::tensors([("x", x.clone())]), io::Format::Safetensors);
        x.mul_(10.0).unwrap();
        let state = state_dict_of(&lanthorn::from_bytes(&block_on(file).unwrap(), &device).unwrap()).unwrap();
        assert_eq!(block_on(state["x"].to_vec::<f32>()).unwrap(), [1.0, 2.0]);
    }
}

/// The part of `gpt.pt` whose output layer shares the embedding's weight.
#[derive(Module)]
#[module("forward(Tensor ids) -> Tensor")]
struct Tied {
    wte: nn::Embedding,
    lm_head: nn::Linear,
}

impl Tied {
    fn new() -> Tied {
        let wte = nn::Embedding::new(20, 12).unwrap();
        let mut lm_head = nn::Linear::builder(12, 20).bias(false).build().unwrap();
        let weight = wte.own_parameters().remove(0).1;
        assert!(lm_head.set_tensor("weight", weight));
        Tied { wte, lm_head }
    }

    fn forward(&self, ids: &Tensor) -> lanthorn::Result<Tensor> {
        self.lm_head.forward(&self.wte.forward(ids)?)
    }
}

#[test]
fn tied_weights_go_from_pytorch_and_back() {
    let folder = Folder::new("tied");
    for device in devices() {
        device.set_default();
        let state = state_dict_of(&load_with(made_by_pytorch("gpt.pt"), &device).unwrap()).unwrap();
        let model = Tied::new();
        assert_eq!(nn::load_matching(&model, &state).unwrap().missing, Vec::<String>::new());
        let own = nn::state_dict(&model);
        assert_eq!(own.keys().collect::<Vec<_>>(), ["lm_head.weight", "wte.weight"]);
        for (name, tensor) in &own {
            assert_eq!(bits(tensor), bits(&state[name]), "{name}");
        }
        for ending in ["pt", "safetensors"] {
            let path = folder.0.join(format!("tied.{ending}"));
            block_on(save(&path, &own)).unwrap();
            let again = Tied::new();
            nn::load_state_dict(&again, &state_dict_of(&load_with(&path, &device).unwrap()).unwrap()).unwrap();
            let weights = again.parameters();
            assert_eq!(weights.len(), 1);
            assert_eq!(bits(&weights[0]), bits(&state["wte.weight"]), "{ending}");
        }
    }
}
