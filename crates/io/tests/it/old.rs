//! Checkpoints of PyTorch before version 1.6, and checkpoints with values of other classes besides
//! tensors. `tests/pytorch/old.py` writes them.

use lanthorn_io::{DType, Format, Result, TensorData, Value, detect, inspect, load, pytorch};
use std::{fs, path::Path};

fn file(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pytorch/old").join(name)).unwrap()
}

/// The float32 numbers of a tensor at a path, with its shape.
fn floats(value: &Value<TensorData>, path: &str) -> (Vec<usize>, Vec<f32>) {
    let found = path.split('.').fold(value, |value, key| value.get(key).unwrap_or_else(|| panic!("{path}")));
    let tensor = found.as_tensor().unwrap();
    assert_eq!(tensor.dtype(), DType::F32, "{path}");
    let numbers = tensor.bytes().as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
    (tensor.shape().to_vec(), numbers.collect())
}

#[test]
fn files_from_before_1_6_are_read_with_numbers_of_numpy() {
    for name in ["training.pt", "training4.pt"] {
        let bytes = file(name);
        assert_eq!(detect(&bytes), Some(Format::PyTorch), "{name}");
        let value = load(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(floats(&value, "model.weight"), (vec![2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        // The transpose of the same storage.
        assert_eq!(floats(&value, "model.turned"), (vec![3, 2], vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
        // Two elements from the second of a part that begins with the third.
        assert_eq!(floats(&value, "model.part"), (vec![2], vec![4.0, 5.0]));
        assert_eq!(floats(&value, "mean"), (vec![2, 2], vec![1.0, 2.0, 3.0, 4.0]));
        let state = value.get("optimizer").and_then(|optimizer| optimizer.get("state")).unwrap();
        let step = state.as_dict().unwrap()[0].1.get("step").and_then(Value::as_tensor).unwrap();
        assert_eq!((step.shape(), step.bytes()), (&[][..], &7i64.to_le_bytes()[..]));
        let counts = value.get("counts").and_then(Value::as_tensor).unwrap();
        assert_eq!((counts.dtype(), counts.bytes()), (DType::I16, &[5, 0, 0xfa, 0xff][..]));
        for (key, expected) in [
            ("best", Value::Float(0.75)),
            ("epoch", Value::Int(-3)),
            ("done", Value::Bool(true)),
            ("half", Value::Float(0.5)),
            ("big", Value::Int(4_000_000_000)),
        ] {
            assert_eq!(value.get(key), Some(&expected), "{name} {key}");
        }
        assert_eq!(inspect(&bytes).unwrap().tensors.len(), 7);
    }
    let python2 = file("python2.pt");
    let value = load(&python2).unwrap();
    let bias = value.get("fc.bias").and_then(Value::as_tensor).unwrap();
    assert_eq!(bias.bytes(), [0.5f32, 1.5].map(f32::to_le_bytes).concat());
    assert_eq!(value.get("note"), Some(&Value::Bytes(vec![0xff])));
}

#[test]
fn values_of_other_classes_are_an_error_or_left_out() {
    for name in ["objects.pt", "objects_legacy.pt"] {
        let bytes = file(name);
        let error = load(&bytes).unwrap_err();
        assert!(error.is_unsupported(), "{error}");
        assert!(error.to_string().contains("the checkpoint holds a argparse.Namespace (args)"), "{error}");
        let (value, left) = pytorch::load_tensors_only(&bytes).unwrap();
        assert_eq!(floats(&value, "model.weight").1, [1.0, 2.0]);
        assert_eq!(floats(&value, "model.tagged").1, [1.0]);
        let keys: Vec<String> = value.as_dict().unwrap().iter().map(|(key, _)| key.short()).collect();
        assert_eq!(keys, ["model", "classes", "groups", "counter", "names", "frozen", "raw", "lr"]);
        let items = [Value::None, Value::Str("a".into()), Value::None, Value::Int(3)];
        assert_eq!(value.get("classes").and_then(Value::as_list), Some(&items[..]));
        assert_eq!(value.get("groups").and_then(|groups| groups.get("a")), Some(&Value::List(vec![Value::Int(1)])));
        assert_eq!(value.get("counter").and_then(|counter| counter.get("a")), Some(&Value::Int(2)));
        assert_eq!(value.get("names"), Some(&Value::List(vec![Value::Str("x".into())])));
        assert_eq!(value.get("raw"), Some(&Value::Bytes(vec![0, 0xff])));
        let left: Vec<(&str, &str)> = left.iter().map(|left| (left.path.as_str(), left.class.as_str())).collect();
        let linear = "torch.nn.modules.linear.Linear";
        assert_eq!(left[..3], [("args", "argparse.Namespace"), ("when", "datetime.date"), ("module", linear)]);
        assert!(left[3].0 == "classes.0" && left[3].1.starts_with("__builtin__."), "{left:?}");
        assert_eq!(left[4], ("classes.2", linear));
        assert!(left[5].1.ends_with(".complex") && left[6].0 == "labels" && left[7].0 == "text", "{left:?}");
        assert_eq!((left.len(), left[8]), (9, ("", "datetime.date")));
    }
    let plain = file("training.pt");
    assert_eq!(pytorch::load_tensors_only(&plain).unwrap(), (load(&plain).unwrap(), vec![]));
}

#[test]
fn damaged_old_files_are_errors() {
    let bytes = file("training.pt");
    let is_typed = |result: Result<()>| {
        result.err().is_none_or(|error| error.is_malformed() || error.is_unsupported() || error.is_too_large())
    };
    let read = |bytes: &[u8]| load(bytes).map(|_| ());
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "{end} bytes");
    }
    for (name, at) in ["training.pt", "objects_legacy.pt", "python2.pt"].iter().flat_map(|name| {
        let length = file(name).len();
        (0..length).map(move |at| (*name, at))
    }) {
        let mut changed = file(name);
        changed[at] ^= 1 << (at % 8);
        assert!(detect(&changed) != Some(Format::PyTorch) || is_typed(read(&changed)), "{name} {at}");
        let _ = pytorch::load_tensors_only(&changed);
    }
    // A storage whose size differs from the pickle.
    let position = bytes.windows(8).rposition(|window| window == 1i64.to_le_bytes()).unwrap();
    let mut other = bytes.clone();
    other[position] = 2;
    assert!(load(&other).unwrap_err().to_string().contains("has 2 elements"));
    // The archive of the first versions.
    let mut tar = vec![0; 1024];
    tar[..8].copy_from_slice(b"sys_info");
    tar[257..262].copy_from_slice(b"ustar");
    assert!(load(&tar).unwrap_err().to_string().contains("tar archive, as PyTorch before 0.1.10 wrote"));
}

#[test]
fn a_text_that_is_made_into_bytes_again_and_again_is_refused() {
    // _codecs.encode of one text of a megabyte, thirty thousand times.
    let text = [&b"X"[..], &(1u32 << 20).to_le_bytes(), &vec![b'a'; 1 << 20]].concat();
    let mut pickle = [&b"\x80\x02"[..], &text, b"q\0c_codecs\nencode\nq\x01X\x06\0\0\0latin1q\x02("].concat();
    for _ in 0..30_000 {
        pickle.extend(b"h\x01h\0h\x02\x86R0");
    }
    pickle.extend(b"t.");
    let storage = TensorData::new(DType::F32, vec![2], vec![0; 8]).unwrap();
    let file = pytorch::save_with_pickle(&Value::Tensor(storage), &pickle).unwrap();
    assert!(load(&file).unwrap_err().is_too_large());
}
