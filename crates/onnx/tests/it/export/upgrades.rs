//! Writes models of old versions of ONNX by the operators in force, and compares the results.

use super::support::{cpu, difference, read, tensor};
use lanthorn_io::{DType, TensorData};
use lanthorn_onnx::{
    OPSET, load,
    proto::{
        AttributeProto, AttributeType, Bytes, DimensionProto, DimensionValue, GraphProto, ModelProto, NodeProto,
        OperatorSetIdProto, TensorProto, TensorShapeProto, TensorTypeProto, TypeProto, TypeValue, ValueInfoProto,
    },
    read as read_model, save,
};
use lanthorn_program::{Dispatch, Native, Value};
use lanthorn_tensor::Device;
use prost::Message;
use std::collections::HashMap;

/// The operator, its version, its inputs and its attributes. An input `=1,2` is a constant of
/// int64, and `~1,2` of float32.
const CALLS: [(&str, i64, &[&str], &[&str]); 22] = [
    ("Softmax", 11, &["f32[2, 3, 4]"], &["axis=1"]),
    ("LogSoftmax", 11, &["f32[2, 3]"], &[]),
    ("Squeeze", 11, &["f32[2, 1, 3]"], &["axes=[1]"]),
    ("Unsqueeze", 11, &["f32[2, 3]"], &["axes=[1]"]),
    ("Slice", 9, &["f32[4, 6]"], &["starts=[1, 0]", "ends=[3, -1]", "axes=[0, 1]"]),
    ("Pad", 10, &["f32[2, 3]"], &["pads=[0, 1, 1, 0]", "value=0.5"]),
    ("Clip", 10, &["f32[2, 3]"], &["min=-0.5", "max=0.5"]),
    ("Clip", 10, &["f32[2, 3]"], &["max=0.5"]),
    ("ReduceMean", 13, &["f32[2, 3]"], &["axes=[1]", "keepdims=0"]),
    ("ReduceSum", 11, &["f32[2, 3]"], &["axes=[1]"]),
    ("ReduceMax", 13, &["f32[2, 3]"], &[]),
    ("Upsample", 7, &["f32[1, 2, 3, 3]"], &["scales=[1.0, 1.0, 2.0, 2.0]"]),
    ("Dropout", 10, &["f32[2, 3]"], &["ratio=0.3"]),
    ("BatchNormalization", 9, &["f32[2, 3, 4]", "f32[3]", "f32[3]", "f32[3]", "pos[3]"], &["epsilon=0.01"]),
    ("GridSample", 16, &["f32[1, 2, 3, 4]", "f32[1, 2, 2, 2]"], &["mode=bilinear"]),
    ("GroupNormalization", 18, &["f32[2, 4, 3]", "f32[2]", "f32[2]"], &["num_groups=2"]),
    ("DFT", 17, &["f32[2, 4, 1]"], &["onesided=1"]),
    ("Scatter", 10, &["f32[3]", "=2,0", "f32[2]"], &[]),
    ("Split", 13, &["f32[4, 3]"], &[]),
    ("Concat", 13, &["f32[2, 3]", "f32[2, 3]"], &["axis=-1"]),
    ("Transpose", 13, &["f32[2, 3]"], &["perm=[1, 0]"]),
    ("Resize", 10, &["f32[1, 1, 2, 2]", "~1,1,2,3"], &[]),
];

fn attribute(text: &str) -> AttributeProto {
    let (name, value) = text.split_once('=').unwrap();
    let mut attribute = AttributeProto { name: Some(name.to_string()), ..AttributeProto::default() };
    let list = value.trim_matches(['[', ']']).split(',').map(str::trim);
    let kind = match (value.starts_with('['), value.parse::<i64>(), value.contains('.')) {
        (true, _, true) => {
            attribute.floats = list.map(|item| item.parse().unwrap()).collect();
            AttributeType::Floats
        }
        (true, ..) => {
            attribute.ints = list.map(|item| item.parse().unwrap()).collect();
            AttributeType::Ints
        }
        (_, Ok(number), _) => {
            attribute.i = Some(number);
            AttributeType::Int
        }
        (_, _, true) => {
            attribute.f = Some(value.parse().unwrap());
            AttributeType::Float
        }
        _ => {
            attribute.s = Some(Bytes::from(value.as_bytes().to_vec()));
            AttributeType::String
        }
    };
    attribute.r#type = Some(kind as i32);
    attribute
}

/// Describes an input or a result with its type.
fn info(name: &str, data: &TensorData<'_>) -> ValueInfoProto {
    let dim = |&size: &usize| DimensionProto { value: Some(DimensionValue::Size(size as i64)) };
    let shape = Some(TensorShapeProto { dim: data.shape().iter().map(dim).collect() });
    let tensor = TensorTypeProto { elem_type: Some(1), shape };
    let r#type = Some(TypeProto { value: Some(TypeValue::Tensor(tensor)) });
    ValueInfoProto { name: Some(name.to_string()), r#type }
}

fn constant(name: &str, text: &str) -> Option<TensorProto> {
    let (kind, list) = (text.chars().next()?, text.get(1..)?);
    let bytes: Vec<u8> = match kind {
        '=' => list.split(',').flat_map(|item| item.parse::<i64>().unwrap().to_le_bytes()).collect(),
        '~' => list.split(',').flat_map(|item| item.parse::<f32>().unwrap().to_le_bytes()).collect(),
        _ => return None,
    };
    let dtype = if kind == '=' { DType::I64 } else { DType::F32 };
    let data = TensorData::new(dtype, vec![list.split(',').count()], bytes).unwrap();
    Some(TensorProto::from_data(name, data, None).unwrap())
}

fn run(bytes: Vec<u8>, inputs: &[TensorData<'static>], device: &Device, native: &Native) -> Vec<TensorData<'static>> {
    let model = load(bytes, device).unwrap();
    let given = inputs.iter().map(|data| Value::Tensor(native.tensor(data.clone()).unwrap())).collect();
    let results = pollster::block_on(model.call_flat(given)).unwrap();
    results.iter().flat_map(|result| read(native, result)).collect()
}

#[test]
fn old_calls_give_the_same_numbers_in_the_version_that_is_written() {
    let (device, native) = cpu();
    for (op, version, inputs, attributes) in CALLS {
        let names: Vec<String> = (0..inputs.len()).map(|index| format!("x{index}")).collect();
        let named = || names.iter().zip(inputs);
        let given = named().filter_map(|(name, text)| Some((name, tensor(text, text.len() as u64 + 3)?)));
        let given: Vec<_> = given.collect();
        // The number of results determines the number of parts.
        let results = if op == "Split" { 2 } else { 1 };
        let node = NodeProto {
            op_type: Some(op.to_string()),
            input: names.clone(),
            output: (0..results).map(|index| format!("y{index}")).collect(),
            attribute: attributes.iter().map(|text| attribute(text)).collect(),
            ..NodeProto::default()
        };
        let output = |index: usize| ValueInfoProto { name: Some(format!("y{index}")), r#type: None };
        let graph = GraphProto {
            node: vec![node],
            name: Some("graph".to_string()),
            initializer: named().filter_map(|(name, text)| constant(name, text)).collect(),
            input: given.iter().map(|(name, data)| info(name, data)).collect(),
            output: (0..results).map(output).collect(),
            ..GraphProto::default()
        };
        let import = OperatorSetIdProto { domain: None, version: Some(version) };
        let mut model =
            ModelProto { ir_version: Some(8), graph: Some(graph), opset_import: vec![import], ..ModelProto::default() };
        let given: Vec<TensorData<'static>> = given.into_iter().map(|(_, data)| data).collect();
        let wanted = run(model.encode_to_vec(), &given, &device, &native);
        let outputs = wanted.iter().enumerate().map(|(index, data)| info(&format!("y{index}"), data));
        model.graph.as_mut().unwrap().output = outputs.collect();
        let program = read_model(model.encode_to_vec(), &HashMap::<String, Vec<u8>>::new()).unwrap();
        let refused = lanthorn_program::pt2::save(&program).unwrap_err().to_string();
        assert!(refused.contains(op) && refused.contains("it is saved as .onnx"), "{refused}");
        let bytes = save(&program).unwrap();
        let written = ModelProto::decode(&bytes[..]).unwrap();
        assert_eq!(written.opset_import[0].version, Some(OPSET), "{op}");
        for (found, wanted) in run(bytes, &given, &device, &native).iter().zip(&wanted) {
            assert_eq!(difference(found, wanted), None, "{op} of version {version}");
        }
    }
}
