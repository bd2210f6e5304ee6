//! Round trips with PyTorch, safetensors and NumPy: with files that they wrote
//! (`tests/pytorch/files`), and, where a Python with torch is installed, with files that it writes,
//! reads back and compares during the test. `LANTHORN_PYTHON` names an interpreter other than
//! `python3`.

use lanthorn_io::{TensorData, Value, detect, inspect, load, npy, npz, pytorch, safetensors};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pytorch")
}

/// Every tensor of a file by its path: element type, shape and the CRC of its bytes.
type Rows = BTreeMap<String, (String, Vec<usize>, u32)>;

fn manifest(folder: &Path) -> BTreeMap<String, Rows> {
    serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap()
}

fn rows(value: &Value<TensorData>) -> Rows {
    let mut rows = Rows::new();
    value.for_each_leaf(&mut |path, leaf| {
        if let Value::Tensor(tensor) = leaf {
            let row = (tensor.dtype().to_string(), tensor.shape().to_vec(), crc32fast::hash(tensor.bytes()));
            rows.insert(path.to_string(), row);
        }
    });
    rows
}

/// Reads every file of the manifest, and returns the number of tensors compared.
fn read_all(folder: &Path) -> usize {
    let mut compared = 0;
    for (name, expected) in manifest(folder) {
        let bytes = fs::read(folder.join(&name)).unwrap();
        let value = load(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(rows(&value), expected, "{name}");
        let listing = inspect(&bytes).unwrap();
        assert_eq!(listing.tensors.len(), expected.len(), "{name}");
        compared += expected.len();
    }
    compared
}

#[test]
fn reads_what_pytorch_safetensors_numpy_and_gguf_wrote() {
    assert!(read_all(&folder().join("files")) > 150);
}

#[test]
fn reads_the_plain_values_of_a_checkpoint() {
    let bytes = fs::read(folder().join("files/training.pt")).unwrap();
    let value = pytorch::load(&bytes).unwrap();
    assert_eq!(value.get("epoch"), Some(&Value::Int(3)));
    assert_eq!(value.get("best"), Some(&Value::Float(0.25)));
    assert_eq!(value.get("big"), Some(&Value::Int(1 << 40)));
    assert_eq!(value.get("note").and_then(Value::as_str), Some("three steps – größer"));
    assert_eq!(value.get("bytes"), Some(&Value::Bytes((0..=255).collect())));
    let flags = [
        Value::Bool(true),
        Value::Bool(false),
        Value::None,
        Value::Tuple(vec![Value::Int(1), Value::Str("a".to_string())]),
    ];
    assert_eq!(value.get("flags").and_then(Value::as_list), Some(&flags[..]));
    let groups =
        value.get("optimizer").and_then(|optimizer| optimizer.get("param_groups")).and_then(Value::as_list).unwrap();
    assert_eq!(groups[0].get("params"), Some(&Value::List((0..4).map(Value::Int).collect())));
    assert_eq!(groups[0].get("betas"), Some(&Value::Tuple(vec![Value::Float(0.9), Value::Float(0.999)])));
    let state = value.get("optimizer").and_then(|optimizer| optimizer.get("state")).and_then(Value::as_dict).unwrap();
    assert_eq!(state[0].0, Value::Int(0));
    assert_eq!(state[0].1.get("exp_avg").and_then(Value::as_tensor).unwrap().shape(), [8, 4]);
}

#[test]
fn refuses_by_name_what_is_no_tensor_and_no_plain_container() {
    let read = |name: &str| fs::read(folder().join("files").join(name)).unwrap();
    let refused = read("refused.pt");
    let error = pytorch::load(&refused).unwrap_err();
    assert!(error.is_unsupported());
    assert!(error.to_string().contains("pathlib.PurePosixPath"), "{error}");
    let objects = read("objects.npy");
    let error = npy::load(&objects).unwrap_err();
    assert!(error.is_unsupported() && error.to_string().contains("\"|O\""), "{error}");
}

/// Writes every file of a folder whose format can be written again, into its folder `back`.
fn write_all(folder: &Path) {
    let back = folder.join("back");
    fs::create_dir_all(&back).unwrap();
    for name in manifest(folder).into_keys() {
        let bytes = fs::read(folder.join(&name)).unwrap();
        let value = load(&bytes).unwrap();
        let tensors = || -> Vec<(String, TensorData)> {
            let entries = value.as_dict().unwrap().iter();
            entries
                .map(|(key, value)| (key.as_str().unwrap().to_string(), value.as_tensor().unwrap().clone()))
                .collect()
        };
        let written = match name.rsplit_once('.').unwrap().1 {
            "pt" => pytorch::save(&value),
            "safetensors" => safetensors::save(&tensors(), &[("format".to_string(), "pt".to_string())]),
            "npz" => npz::save(&tensors()),
            "npy" => npy::save(value.as_tensor().unwrap()),
            _ => continue,
        };
        let written = written.unwrap();
        assert_eq!(detect(&written), detect(&bytes), "{name}");
        assert_eq!(rows(&load(&written).unwrap()), rows(&value), "{name}");
        fs::write(back.join(&name), written).unwrap();
    }
}

fn python() -> Option<PathBuf> {
    let python = std::env::var_os("LANTHORN_PYTHON").map_or("python3".into(), PathBuf::from);
    // Outside of the working folder, whose files Python could import as modules.
    let runs = Command::new(&python)
        .args(["-P", "-c", "import torch, safetensors, numpy"])
        .output()
        .is_ok_and(|run| run.status.success());
    runs.then_some(python)
}

fn run(python: &Path, command: &str, folder: &Path) {
    let script = self::folder().join("files.py");
    let run = Command::new(python).arg("-P").arg(script).arg(command).arg(folder).output().unwrap();
    let output = [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(run.status.success(), "{command}: {}{}", output[0], output[1]);
}

#[test]
fn pytorch_reads_what_is_written() {
    let made = std::env::temp_dir().join(format!("lanthorn-pytorch-{}", std::process::id()));
    fs::create_dir_all(&made).unwrap();
    match python() {
        Some(python) => {
            run(&python, "make", &made);
            read_all(&made);
            write_all(&made);
            run(&python, "check", &made);
        }
        // Without PyTorch: its recorded files are written again and read back here.
        None => {
            for file in fs::read_dir(folder().join("files")).unwrap() {
                let file = file.unwrap();
                fs::copy(file.path(), made.join(file.file_name())).unwrap();
            }
            write_all(&made);
        }
    }
    fs::remove_dir_all(&made).unwrap();
}
