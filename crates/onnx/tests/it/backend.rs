//! Runs ONNX's own backend tests, and compares operators with ONNX Runtime's answers, on the CPU.
//!
//! `tests/onnx/cases.py` writes the backend tests into the folder that the variable
//! `LANTHORN_ONNX_CASES` names. `tests/onnx/unsupported.tsv` lists the tests that need not pass,
//! each with its reason. The answers are in `tests/onnx/contrib.safetensors`, which
//! `tests/onnx/contrib.py` writes.

use lanthorn_cpu::CpuBackend;
use lanthorn_io::{DType, TensorData};
use lanthorn_onnx::{Model, load, proto::TensorProto};
use lanthorn_program::{Dispatch, Native, Value};
use lanthorn_tensor::{Device, Tensor, no_grad};
use prost::Message;
use std::{
    collections::{BTreeMap, HashMap},
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

#[derive(Clone, PartialEq, Message)]
struct SequenceProto {
    #[prost(message, repeated, tag = "3")]
    tensors: Vec<TensorProto>,
}

#[derive(Clone, PartialEq, Message)]
struct OptionalProto {
    #[prost(message, optional, tag = "3")]
    tensor: Option<TensorProto>,
    #[prost(message, optional, tag = "5")]
    sequence: Option<SequenceProto>,
}

/// The files of tests by path.
type Files = dyn Fn(&str) -> Option<Vec<u8>>;

/// Reads a value of a data set.
fn value(name: &str, bytes: &[u8], native: &Native) -> Result<Value<Tensor>, String> {
    let text = |error: lanthorn_program::Error| error.to_string();
    let tensor = |proto: &TensorProto| -> Result<Value<Tensor>, String> {
        Ok(Value::Tensor(native.tensor(proto.data().map_err(text)?).map_err(text)?))
    };
    let sequence = |proto: &SequenceProto| -> Result<Value<Tensor>, String> {
        Ok(Value::List(proto.tensors.iter().map(tensor).collect::<Result<_, _>>()?))
    };
    let decoded = |error: prost::DecodeError| error.to_string();
    if name.ends_with(".seq.pb") {
        return sequence(&SequenceProto::decode(bytes).map_err(decoded)?);
    }
    if name.ends_with(".opt.pb") {
        let optional = OptionalProto::decode(bytes).map_err(decoded)?;
        return match (&optional.tensor, &optional.sequence) {
            (Some(proto), _) => tensor(proto),
            (None, Some(proto)) => sequence(proto),
            (None, None) => Ok(Value::None),
        };
    }
    tensor(&TensorProto::decode(bytes).map_err(decoded)?)
}

/// Reads the inputs or the outputs of a data set in order.
fn values(files: &Files, data: &str, side: &str, native: &Native) -> Result<Vec<Value<Tensor>>, String> {
    let suffixes = ["pb", "seq.pb", "opt.pb"];
    let found = |index: usize| {
        let names = suffixes.iter().map(|suffix| format!("{data}/{side}_{index}.{suffix}"));
        names.into_iter().find_map(|name| files(&name).map(|bytes| (name, bytes)))
    };
    (0..).map_while(found).map(|(name, bytes)| value(&name, &bytes, native)).collect()
}

fn floats(data: &TensorData<'_>) -> Vec<f64> {
    let values = lanthorn_program::value::elements::<()>(data).unwrap();
    let number = |value: &Value<()>| match value {
        Value::Bool(value) => f64::from(u8::from(*value)),
        value => value.as_float().unwrap_or(f64::NAN),
    };
    values.iter().map(number).collect()
}

fn compare(found: &Value<Tensor>, wanted: &Value<Tensor>, native: &Native, rtol: f64, atol: f64) -> Result<(), String> {
    match (found, wanted) {
        (Value::Tensor(found), Value::Tensor(wanted)) => {
            let read = |tensor: &Tensor| pollster::block_on(native.read(tensor)).map_err(|error| error.to_string());
            let (found, wanted) = (read(found)?, read(wanted)?);
            if found.shape() != wanted.shape() {
                return Err(format!("the shape {:?}, not {:?}", found.shape(), wanted.shape()));
            }
            if (found.dtype() == DType::Bool) != (wanted.dtype() == DType::Bool) {
                return Err(format!("{}, not {}", found.dtype(), wanted.dtype()));
            }
            let (x, y) = (floats(&found), floats(&wanted));
            let close = |x: f64, y: f64| {
                x == y || (x.is_nan() && y.is_nan()) || ((x - y).abs() <= atol + rtol * y.abs() && y.is_finite())
            };
            match x.iter().zip(&y).find(|&(&x, &y)| !close(x, y)) {
                Some((x, y)) => Err(format!("{x}, not {y}")),
                None => Ok(()),
            }
        }
        (Value::List(found), Value::List(wanted)) if found.len() == wanted.len() => {
            found.iter().zip(wanted).try_for_each(|(found, wanted)| compare(found, wanted, native, rtol, atol))
        }
        (Value::None, Value::None) => Ok(()),
        (found, wanted) => Err(format!(
            "{}, not {}",
            lanthorn_program::value::describe(found),
            lanthorn_program::value::describe(wanted)
        )),
    }
}

/// Calls a model with the same random numbers each time.
fn call(model: &Model, inputs: &[Value<Tensor>], device: &Device) -> Result<Vec<Value<Tensor>>, String> {
    device.manual_seed(1);
    no_grad(|| pollster::block_on(model.call_flat(inputs.to_vec()))).map_err(|error| error.to_string())
}

/// Whether values are equal to the bit.
fn has_same_bits(a: &[Value<Tensor>], b: &[Value<Tensor>]) -> bool {
    let bytes = |tensor: &Tensor| pollster::block_on(tensor.to_bytes()).unwrap();
    let is_same = |(a, b): (&Value<Tensor>, &Value<Tensor>)| match (a, b) {
        (Value::Tensor(a), Value::Tensor(b)) => a.shape() == b.shape() && bytes(a) == bytes(b),
        (Value::List(a), Value::List(b)) => has_same_bits(a, b),
        (Value::None, Value::None) => true,
        _ => false,
    };
    a.len() == b.len() && a.iter().zip(b).all(is_same)
}

/// Runs a test. Returns the number of parts of the model that were replayed, and of others.
fn run(files: &Files, folder: &str, rtol: f64, atol: f64, device: &Device) -> Result<[usize; 2], String> {
    let bytes = files(&format!("{folder}/model.onnx")).ok_or("no model")?;
    let model: Model = load(bytes, device).map_err(|error| error.to_string())?;
    let native = Native::new(device);
    let mut sets = 0;
    loop {
        let data = format!("{folder}/test_data_set_{sets}");
        let (inputs, outputs) = (values(files, &data, "input", &native)?, values(files, &data, "output", &native)?);
        if outputs.is_empty() {
            let parts = model.explain().parts;
            let replayed = parts.iter().filter(|part| part.replays > 0).count();
            return if sets == 0 { Err("no data set".to_string()) } else { Ok([replayed, parts.len() - replayed]) };
        }
        sets += 1;
        let results = call(&model, &inputs, device)?;
        // The second call is recorded, and the third one replays it.
        for _ in 0..2 {
            if !has_same_bits(&call(&model, &inputs, device)?, &results) {
                return Err(format!("a replay computes other bits than the interpreter: {}", model.explain()));
            }
        }
        if results.len() != outputs.len() {
            return Err(format!("{} results, not {}", results.len(), outputs.len()));
        }
        for (index, (found, wanted)) in results.iter().zip(&outputs).enumerate() {
            let compared = compare(found, wanted, &native, rtol, atol);
            compared.map_err(|error| if index == 0 { error } else { format!("result {index}: {error}") })?;
        }
    }
}

/// Returns the tests that need not pass, with the reasons.
fn unsupported() -> HashMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/onnx/unsupported.tsv");
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    rows.map(|(name, reason)| (name.to_string(), reason.to_string())).collect()
}

/// Runs the tests of an index that a filter selects. Tests in `listed` must fail.
fn run_all(index: &str, folder: impl Fn(&str, &str) -> String, files: &Files, listed: &HashMap<String, String>) {
    let device = Device::new(CpuBackend::new());
    device.set_default();
    let filter = env::var("LANTHORN_ONNX_FILTER").unwrap_or_default();
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let (mut failures, mut stale, mut parts) = (Vec::new(), Vec::new(), [0; 2]);
    for line in index.lines() {
        let [kind, name, rtol, atol] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        if !name.contains(&filter) {
            continue;
        }
        let (rtol, atol) = (rtol.parse().unwrap(), atol.parse().unwrap());
        let test = || run(files, &folder(kind, name), rtol, atol, &device);
        let result = catch_unwind(AssertUnwindSafe(test)).unwrap_or_else(|_| Err("it panicked".to_string()));
        counts.entry(kind).or_default()[usize::from(result.is_err())] += 1;
        match (result, listed.contains_key(name)) {
            (Err(reason), false) => failures.push(format!("{kind}\t{name}\t{reason}")),
            (Ok(_), true) => stale.push(name),
            (Ok(run), false) => parts = [parts[0] + run[0], parts[1] + run[1]],
            (Err(_), true) => {}
        }
    }
    println!("passed and not, by kind: {counts:?}; parts replayed and interpreted: {parts:?}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(!filter.is_empty() || parts[0] > 5 * parts[1], "most parts are replayed: {parts:?}");
    assert!(stale.is_empty(), "listed as unsupported, and passing: {stale:?}");
}

#[test]
fn the_backend_tests_of_onnx_pass_but_for_listed_ones() {
    let root = env::var("LANTHORN_ONNX_CASES")
        .expect("LANTHORN_ONNX_CASES names the folder that tests/onnx/cases.py wrote; pkg-scripts/test sets it");
    let index = fs::read_to_string(Path::new(&root).join("index.tsv")).unwrap();
    let files = move |name: &str| fs::read(Path::new(&root).join(name)).ok();
    run_all(&index, |kind, name| format!("{kind}/{name}"), &files, &unsupported());
}

/// Returns the index and the files of the tests with ONNX Runtime's answers.
fn contrib() -> (String, HashMap<String, Vec<u8>>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/onnx/contrib.safetensors");
    let bytes = fs::read(path).unwrap();
    let held = lanthorn_io::safetensors::load(&bytes).unwrap();
    let mut held: HashMap<String, Vec<u8>> =
        held.into_iter().map(|(name, data)| (name.to_string(), data.bytes().to_vec())).collect();
    (String::from_utf8(held.remove("index.tsv").unwrap()).unwrap(), held)
}

#[test]
fn operators_of_onnx_runtime_give_its_answers() {
    let (index, held) = contrib();
    let files = move |name: &str| held.get(name).cloned();
    run_all(&index, |_, name| name.to_string(), &files, &HashMap::new());
}

#[test]
fn operators_refuse_inputs_of_other_shapes_without_a_panic() {
    let (index, held) = contrib();
    let device = Device::new(CpuBackend::new());
    device.set_default();
    let native = Native::new(&device);
    let files = move |name: &str| held.get(name).cloned();
    let (mut refused, mut taken) = (0, 0);
    for name in index.lines().filter_map(|line| line.split('\t').nth(1)) {
        let model: Model = load(files(&format!("{name}/model.onnx")).unwrap(), &device).unwrap();
        let inputs = values(&files, &format!("{name}/test_data_set_0"), "input", &native).unwrap();
        for (position, shape) in
            (0..inputs.len()).flat_map(|position| [&[][..], &[0], &[2, 1, 3]].map(|shape| (position, shape)))
        {
            let dtype = native.dtype(inputs[position].as_tensor().unwrap());
            let bytes = vec![1; dtype.size() * shape.iter().product::<usize>()];
            let other = native.tensor(TensorData::new(dtype, shape.to_vec(), bytes).unwrap()).unwrap();
            let mut inputs = inputs.clone();
            inputs[position] = Value::Tensor(other);
            let call = || no_grad(|| pollster::block_on(model.call_flat(inputs)).map(|_| ()));
            let result = catch_unwind(AssertUnwindSafe(call));
            let result = result.unwrap_or_else(|_| panic!("{name} with input {position} of shape {shape:?}"));
            // Elementwise operators on rows accept most shapes.
            if !name.starts_with("edge_") {
                *(if result.is_err() { &mut refused } else { &mut taken }) += 1;
            }
        }
    }
    // Some shapes broadcast.
    assert!(refused > taken, "{refused} refused, {taken} taken");
}
