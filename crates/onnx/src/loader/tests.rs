//! Tests of models that arrive in chunks.

use super::*;
use crate::{
    hosted::{Hosted, Tensor},
    proto::{GraphProto, NodeProto, OperatorSetIdProto, StringStringEntryProto, TensorProto, ValueInfoProto},
};
use lanthorn_program::{Limits, Native, Value, value::elements};
use lanthorn_tensor::Device;
use prost::Message;

/// A tensor with elements outside of the file.
fn outside(name: &str, location: &str, offset: usize, data_type: i32, dims: &[i64]) -> TensorProto {
    let entry = |key: &str, value: &str| StringStringEntryProto { key: Some(key.into()), value: Some(value.into()) };
    TensorProto {
        name: Some(name.into()),
        dims: dims.to_vec(),
        data_type: Some(data_type),
        data_location: Some(1),
        external_data: vec![entry("location", location), entry("offset", &offset.to_string())],
        ..TensorProto::default()
    }
}

/// A model that adds its initializers.
fn sum_of(initializer: Vec<TensorProto>) -> Vec<u8> {
    let named = |name: &str| ValueInfoProto { name: Some(name.into()), ..ValueInfoProto::default() };
    let node = NodeProto {
        op_type: Some("Sum".into()),
        input: initializer.iter().map(|tensor| tensor.name().to_string()).collect(),
        output: vec!["y".into()],
        ..NodeProto::default()
    };
    let graph = GraphProto { initializer, node: vec![node], output: vec![named("y")], ..GraphProto::default() };
    let opset_import = vec![OperatorSetIdProto { version: Some(21), ..OperatorSetIdProto::default() }];
    let model = ModelProto { ir_version: Some(10), graph: Some(graph), opset_import, ..ModelProto::default() };
    model.encode_to_vec()
}

fn bytes(values: impl Iterator<Item = f32>) -> Vec<u8> {
    values.flat_map(f32::to_le_bytes).collect()
}

fn dispatch() -> Hosted<Native> {
    Hosted::new(Native::new(&Device::new(lanthorn_cpu::CpuBackend::new())))
}

/// Loads a model with one other file in chunks of a size, and runs it.
fn run(file: &[u8], beside: &[u8], piece: usize) -> Result<(usize, Vec<f64>)> {
    let dispatch = dispatch();
    let mut loader = Loader::new(dispatch.clone());
    file.chunks(piece).try_for_each(|piece| loader.push(piece))?;
    for extent in loader.finish_file()? {
        loader.begin(&extent)?;
        let found = &beside[extent.offset as usize..][..extent.length];
        found.chunks(piece).try_for_each(|piece| loader.bytes(piece))?;
        loader.end()?;
    }
    let (program, uploaded) = loader.program()?;
    let state = program.upload(&dispatch, &uploaded)?;
    let results = pollster::block_on(program.call_flat(&dispatch, &state, vec![], Limits::default(), None))?;
    let Some(Value::Tensor(sum)) = results.first() else { panic!("a tensor, not {}", results.len()) };
    let data = pollster::block_on(dispatch.read(sum))?;
    Ok((uploaded.len(), elements::<Tensor<()>>(&data)?.iter().filter_map(Value::as_float).collect()))
}

#[test]
fn weights_in_the_file_and_outside_of_it_are_uploaded_in_pieces() {
    let here = TensorProto {
        name: Some("here".into()),
        dims: vec![2500],
        data_type: Some(1),
        raw_data: Some(bytes((0..2500).map(|index| index as f32)).into()),
        ..TensorProto::default()
    };
    let tensors = [
        here,
        outside("large", "w", 4, 1, &[2500]),
        outside("tied", "w", 4, 1, &[2500]),
        outside("small", "w", 0, 1, &[1]),
    ];
    let beside = bytes(std::iter::once(0.5).chain((0..2500).map(|index| index as f32 * 2.0)));
    let expected: Vec<f64> = (0..2500).map(|index| f64::from(index) * 5.0 + 0.5).collect();
    for piece in [7, 256, 4096, 100_000] {
        assert_eq!(run(&sum_of(tensors.to_vec()), &beside, piece).unwrap(), (2, expected.clone()), "pieces of {piece}");
    }
}

#[test]
fn types_that_the_device_lacks_are_converted_piece_by_piece() {
    // With 4-bit elements, a chunk may end between the two elements of a byte.
    let tensor = outside("w", "w", 0, crate::proto::DataType::Int4 as i32, &[33_333]);
    let cast = NodeProto {
        op_type: Some("Cast".into()),
        input: vec!["w".into()],
        output: vec!["y".into()],
        attribute: vec![crate::proto::AttributeProto {
            name: Some("to".into()),
            i: Some(1),
            r#type: Some(2),
            ..Default::default()
        }],
        ..NodeProto::default()
    };
    let mut model = ModelProto::decode(&sum_of(vec![tensor])[..]).unwrap();
    model.graph.as_mut().unwrap().node = vec![cast];
    let beside: Vec<u8> = (0..16_667).map(|index| (index * 37 % 256) as u8).collect();
    let nibble = |index: usize| i64::from(beside[index / 2] >> (index % 2 * 4) & 15);
    let expected: Vec<f64> =
        (0..33_333).map(|index| (if nibble(index) > 7 { nibble(index) - 16 } else { nibble(index) }) as f64).collect();
    for piece in [5, 1000, 20_000] {
        assert_eq!(run(&model.encode_to_vec(), &beside, piece).unwrap(), (1, expected.clone()), "pieces of {piece}");
    }
}

#[test]
fn an_extent_of_another_length_is_refused() {
    let file = sum_of(vec![outside("w", "w", 0, 1, &[2500])]);
    let mut loader = Loader::new(dispatch());
    loader.push(&file).unwrap();
    let extents = loader.finish_file().unwrap();
    loader.begin(&extents[0]).unwrap();
    loader.bytes(&[0; 9999]).unwrap();
    assert!(loader.end().is_err());
    assert!(loader.begin(&extents[0]).is_err());
    assert!(loader.program().is_err());
    let mut loader = Loader::new(dispatch());
    loader.push(&file).unwrap();
    loader.finish_file().unwrap();
    loader.begin(&extents[0]).unwrap();
    assert!(loader.bytes(&[0; 10_001]).is_err());
}
