//! Models as converters write them: unordered nodes, names of dimensions without guarantees, labels
//! of classifiers, metadata, and files of other formats.

use lanthorn_cpu::CpuBackend;
use lanthorn_onnx::{
    Model, load,
    proto::{
        AttributeProto, AttributeType, Bytes, DimensionProto, DimensionValue, GraphProto, ModelProto, NodeProto,
        OperatorSetIdProto, StringStringEntryProto, TensorShapeProto, TensorTypeProto, TypeProto, TypeValue,
        ValueInfoProto,
    },
    save,
};
use lanthorn_program::{Error, Value};
use lanthorn_tensor::{Device, Tensor};
use prost::Message;

thread_local! {
    static DEVICE: Device = Device::new(CpuBackend::new());
}

fn device() -> Device {
    let device = DEVICE.with(Clone::clone);
    device.set_default();
    device
}

/// A float32 value with sizes and names of dimensions.
fn value(name: &str, dims: &[&str]) -> ValueInfoProto {
    let dim = |dim: &&str| {
        let size = dim.parse().map_or_else(|_| DimensionValue::Symbol((*dim).to_string()), DimensionValue::Size);
        DimensionProto { value: Some(size) }
    };
    let shape = Some(TensorShapeProto { dim: dims.iter().map(dim).collect() });
    let tensor = TypeValue::Tensor(TensorTypeProto { elem_type: Some(1), shape });
    ValueInfoProto { name: Some(name.to_string()), r#type: Some(TypeProto { value: Some(tensor) }) }
}

fn node(domain: &str, op: &str, input: &[&str], output: &[&str], attribute: Vec<AttributeProto>) -> NodeProto {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_string()).collect();
    NodeProto {
        domain: Some(domain.to_string()),
        op_type: Some(op.to_string()),
        input: owned(input),
        output: owned(output),
        attribute,
        ..NodeProto::default()
    }
}

fn model(node: Vec<NodeProto>, input: Vec<ValueInfoProto>, output: &[&str]) -> ModelProto {
    let opset = |domain: &str, version: i64| OperatorSetIdProto { domain: Some(domain.into()), version: Some(version) };
    let named = |name: &&str| ValueInfoProto { name: Some((*name).to_string()), ..ValueInfoProto::default() };
    let graph = GraphProto { node, input, output: output.iter().map(named).collect(), ..GraphProto::default() };
    ModelProto {
        ir_version: Some(8),
        opset_import: vec![opset("", 17), opset("ai.onnx.ml", 3)],
        graph: Some(graph),
        ..ModelProto::default()
    }
}

fn load_model(model: &ModelProto) -> Model {
    load(model.encode_to_vec(), &device()).unwrap()
}

fn call(model: &Model, args: Vec<Value<Tensor>>) -> Result<Value<Tensor>, Error> {
    pollster::block_on(model.call(args, vec![]))
}

fn numbers(value: &Value<Tensor>) -> (Vec<usize>, Vec<f32>) {
    let tensor = value.as_tensor().unwrap_or_else(|| panic!("{}", lanthorn_program::value::describe(value)));
    (tensor.shape().to_vec(), pollster::block_on(tensor.to_vec()).unwrap())
}

fn tensor(values: &[f32], shape: &[usize]) -> Value<Tensor> {
    let shape: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
    Value::Tensor(Tensor::from_slice(values, shape, &device()).unwrap())
}

#[test]
fn nodes_run_in_the_order_of_their_results() {
    let nodes = [("Relu", "b", "y"), ("Neg", "a", "b"), ("Abs", "x", "a")];
    let nodes = nodes.map(|(op, input, output)| node("", op, &[input], &[output], vec![]));
    let model = load_model(&model(nodes.into(), vec![value("x", &["n"])], &["y"]));
    assert_eq!(numbers(&call(&model, vec![tensor(&[1.0, -2.0], &[2])]).unwrap()).1, [0.0, 0.0]);
}

#[test]
fn names_of_dimensions_promise_nothing_and_one_number_has_any_form() {
    let sum = node("", "ReduceSum", &["x"], &["s"], vec![]);
    let scaled = node("", "Mul", &["s", "scale"], &["y"], vec![]);
    let inputs = vec![value("x", &["?", "?"]), value("scale", &[])];
    let two = load_model(&model(vec![sum, scaled], inputs, &["y"]));
    let x = || tensor(&[1.0; 6], &[2, 3]);
    for scale in [tensor(&[2.0], &[]), tensor(&[2.0], &[1]), Value::Int(2), Value::Float(2.0)] {
        assert_eq!(numbers(&call(&two, vec![x(), scale]).unwrap()).1, [12.0]);
    }
    let error = call(&two, vec![x(), tensor(&[1.0, 2.0], &[2])]).unwrap_err().to_string();
    assert!(error.contains("scale: takes 0 dimensions, not the shape [2]"), "{error}");
    for (dims, given) in [(["1"], Value::Float(3.0)), (["n"], tensor(&[3.0], &[]))] {
        let one = load_model(&model(vec![node("", "Neg", &["x"], &["y"], vec![])], vec![value("x", &dims)], &["y"]));
        assert_eq!(numbers(&call(&one, vec![given]).unwrap()), (vec![1], vec![-3.0]));
    }
}

#[test]
fn notes_of_the_writer_are_kept() {
    let entry = |key: &str, value: &str| StringStringEntryProto { key: Some(key.into()), value: Some(value.into()) };
    let mut model = model(vec![node("", "Neg", &["x"], &["y"], vec![])], vec![value("x", &["2"])], &["y"]);
    model.metadata_props = vec![entry("names", "{0: 'cat'}"), entry("stride", "32")];
    let wanted = [("names", "{0: 'cat'}"), ("stride", "32")].map(|(key, value)| (key.to_string(), value.to_string()));
    let first = load_model(&model);
    assert_eq!(first.exported().metadata, wanted);
    // The written file has them too.
    model.graph.as_mut().unwrap().output = vec![value("y", &["2"])];
    let again = load(save(load_model(&model).exported()).unwrap(), &device()).unwrap();
    assert_eq!(again.exported().metadata, wanted);
}

#[test]
fn classifiers_give_labels_and_scores_by_label() {
    let floats = |name: &str, floats: &[f32]| AttributeProto {
        name: Some(name.to_string()),
        r#type: Some(AttributeType::Floats as i32),
        floats: floats.to_vec(),
        ..AttributeProto::default()
    };
    let texts = |name: &str, texts: &[&'static str]| AttributeProto {
        name: Some(name.to_string()),
        r#type: Some(AttributeType::Strings as i32),
        strings: texts.iter().map(|text| Bytes::from_static(text.as_bytes())).collect(),
        ..AttributeProto::default()
    };
    let ints = |name: &str, ints: &[i64]| AttributeProto {
        name: Some(name.to_string()),
        r#type: Some(AttributeType::Ints as i32),
        ints: ints.to_vec(),
        ..AttributeProto::default()
    };
    // The comma is part of the label.
    let labels = &["a,b", "c"];
    let classify = |labels: AttributeProto, coefficients: &[f32], intercepts: &[f32]| {
        let attributes = vec![floats("coefficients", coefficients), floats("intercepts", intercepts), labels];
        node("ai.onnx.ml", "LinearClassifier", &["x"], &["label", "scores"], attributes)
    };
    let zip = |labels: AttributeProto| node("ai.onnx.ml", "ZipMap", &["scores"], &["maps"], vec![labels]);
    let x = || tensor(&[1.0, 2.0, -3.0, 0.5], &[2, 2]);
    let run = |nodes: Vec<NodeProto>| {
        let model = load_model(&model(nodes, vec![value("x", &["n", "2"])], &["label", "maps"]));
        let results = pollster::block_on(model.call_flat(vec![x()])).unwrap();
        <[Value<Tensor>; 2]>::try_from(results).unwrap_or_else(|_| panic!("two results"))
    };
    let text = |text: &str| Value::<()>::Str(text.to_string());
    // Values without tensors.
    let plain = |value: &Value<Tensor>| value.clone().try_map(&mut |_, _| Err("a tensor")).unwrap();
    // Scores x . [0.5, 0.25] and x . [-1, 1].
    let [label, maps] = run(vec![
        classify(texts("classlabels_strings", labels), &[0.5, 0.25, -1.0, 1.0], &[0.0, 0.0]),
        zip(texts("classlabels_strings", labels)),
    ]);
    assert_eq!(plain(&label), Value::List(vec![text("a,b"), text("c")]));
    let row = |first: (Value<()>, f64), second: (Value<()>, f64)| {
        Value::Dict([first, second].map(|(label, score)| (label, Value::Float(score))).into())
    };
    let wanted = vec![row((text("a,b"), 1.0), (text("c"), 1.0)), row((text("a,b"), -1.375), (text("c"), 3.5))];
    assert_eq!(plain(&maps), Value::List(wanted));
    // A single row of coefficients for two labels is the score of the second label, as in ONNX
    // Runtime.
    let [label, maps] = run(vec![
        classify(ints("classlabels_ints", &[7, 3]), &[0.5, 0.25], &[0.0]),
        zip(ints("classlabels_int64s", &[7, 3])),
    ]);
    let labels: Vec<i32> =
        pollster::block_on(label.as_tensor().unwrap().to(lanthorn_tensor::DType::I32).unwrap().to_vec()).unwrap();
    assert_eq!(labels, [3, 7]);
    let (seven, three) = (|| Value::Int(7), || Value::Int(3));
    let wanted = vec![row((seven(), 0.0), (three(), 1.0)), row((seven(), 2.375), (three(), -1.375))];
    assert_eq!(plain(&maps), Value::List(wanted));
}

#[test]
fn files_of_other_formats_are_called_by_their_names() {
    let mut graph = vec![0x0a, 0x20, 0x0a, 0x05];
    graph.extend(b"input\x12\x0bPlaceholder");
    let saved = [&[0x08, 0x01, 0x12, 0x90, 0x03, 0x0a, 0x10][..], &[0x12; 80]].concat();
    let core = [&[0x08, 0x05, 0x12, 0x20, 0x0a, 0x10][..], &[0x12; 80]].concat();
    for (bytes, name) in [
        (graph, "a frozen graph of TensorFlow"),
        (saved, "a SavedModel of TensorFlow"),
        (core, "a model of Core ML"),
        (b"node {\n  name: \"x\"\n}".to_vec(), "a graph of TensorFlow as text"),
        (b"\x1c\0\0\0TFL3\0\0\0\0".to_vec(), "a model of TensorFlow Lite"),
        (b"\x1c\0\0\0ORTM\0\0\0\0".to_vec(), "ONNX Runtime's own format"),
        (b"\x89HDF\r\n\x1a\n".to_vec(), "an HDF5 file"),
        (b"GGUF\x03\0\0\0".to_vec(), "GGUF: tensors without a program"),
    ] {
        let error = load(bytes, &device()).map(|_| ()).unwrap_err();
        assert!(matches!(&error, Error::Unsupported(message) if message.contains(name)), "{name}: {error}");
    }
}
