use super::*;
use crate::{
    check,
    proto::{AttributeProto, GraphProto, NodeProto, OperatorSetIdProto},
};
use prost::Message;

fn tensor(name: &str, floats: usize) -> TensorProto {
    let raw: Vec<u8> = (0..floats * 4).map(|index| (index * 7 + name.len()) as u8).collect();
    TensorProto {
        name: Some(name.to_string()),
        dims: vec![floats as i64],
        data_type: Some(1),
        raw_data: Some(raw.into()),
        ..TensorProto::default()
    }
}

fn model(initializer: Vec<TensorProto>) -> ModelProto {
    let attribute = vec![AttributeProto { t: Some(tensor("constant", 1500)), ..AttributeProto::default() }];
    let node = NodeProto { op_type: Some("Constant".to_string()), attribute, ..NodeProto::default() };
    ModelProto {
        ir_version: Some(10),
        opset_import: vec![OperatorSetIdProto { version: Some(21), ..OperatorSetIdProto::default() }],
        graph: Some(GraphProto { node: vec![node], initializer, ..GraphProto::default() }),
        ..ModelProto::default()
    }
}

/// Reads a file in chunks of a size. Returns the model with its uploaded data restored, and the
/// number of uploads.
fn stream(file: &[u8], chunk: usize) -> Result<(ModelProto, usize)> {
    let mut taken = vec![];
    let mut sink = Whole::new(|index, tensor: &TensorProto, bytes: Vec<u8>| {
        assert_eq!((index, tensor.raw_length()?), (taken.len(), bytes.len()));
        taken.push(bytes);
        Ok(())
    });
    let mut reader = Reader::new();
    for chunk in file.chunks(chunk) {
        reader.push(chunk, &mut sink)?;
    }
    let mut model = reader.finish()?;
    let handed = taken.len();
    for tensor in model.graph.iter_mut().flat_map(|graph| &mut graph.initializer) {
        if let Some(index) = tensor.upload() {
            tensor.restore(std::mem::take(&mut taken[index]));
        }
    }
    Ok((model, handed))
}

#[test]
fn a_model_is_the_same_in_chunks_of_any_size() {
    let initializer =
        vec![tensor("a", 2048), tensor("small", 2047), tensor("b", 2300), TensorProto::default_named("c")];
    let model = model(initializer);
    let file = model.encode_to_vec();
    let whole = check::read(file.clone()).unwrap();
    for chunk in (1..40).chain([8191, 8192, 8193, file.len()]) {
        assert_eq!(stream(&file, chunk).unwrap(), (whole.clone(), 2), "chunks of {chunk}");
    }
    let mut sink = Whole::new(|_, _, _| Ok(()));
    assert_eq!(read(&file[..], &mut sink).unwrap().graph.unwrap().initializer[2].upload(), Some(1));
}

impl TensorProto {
    fn default_named(name: &str) -> TensorProto {
        TensorProto { data_type: Some(1), float_data: vec![1.0], ..tensor(name, 0) }.without_raw()
    }

    fn without_raw(mut self) -> TensorProto {
        self.raw_data = None;
        self.dims = vec![1];
        self
    }
}

/// A field with a payload.
fn field(number: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    prost::encoding::encode_varint(payload.len() as u64, &mut bytes);
    bytes.extend(payload);
    bytes
}

/// A file whose only initializer has these fields.
fn file(fields: &[Vec<u8>]) -> Vec<u8> {
    let mut file = model(vec![]).encode_to_vec();
    // Readers merge a second graph with the first.
    file.extend(field(7, &field(5, &fields.concat())));
    file
}

#[test]
fn tensors_in_another_order_are_kept() {
    let raw = field(9, &[1; 8192]);
    let (dims, data_type, name) = (vec![0x08, 0x80, 0x10], vec![0x10, 1], field(8, b"w"));
    let orders = [
        ([&dims, &data_type, &name, &raw], 1),
        ([&data_type, &dims, &raw, &name], 1),
        ([&raw, &dims, &data_type, &name], 0),
        ([&dims, &raw, &data_type, &name], 0),
    ];
    for (order, expected) in orders {
        let file = file(&order.map(Vec::clone));
        let (model, handed) = stream(&file, 100).unwrap();
        assert_eq!((model, handed), (check::read(file).unwrap(), expected));
    }
}

#[test]
fn what_follows_raw_data_does_not_change_them() {
    let raw = field(9, &[1; 8192]);
    let start = [vec![0x08, 0x80, 0x10, 0x10, 1], field(8, b"w"), raw.clone()].concat();
    for after in [vec![0x08, 1], vec![0x10, 6], raw.clone(), field(4, &[0; 4])] {
        let error = stream(&file(&[start.clone(), after]), 1000).unwrap_err().to_string();
        assert!(error.contains("tensor `w`: after its raw data"), "{error}");
    }
    let external = stream(&file(&[start.clone(), vec![0x70, 1]]), 1000).unwrap_err().to_string();
    assert!(external.contains("both in the file and outside"), "{external}");
    // Raw data that do not match the shape are kept, and reading the tensor fails.
    let longer = [vec![0x08, 0x80, 0x10, 0x10, 1], field(8, b"w"), field(9, &[1; 8193])].concat();
    assert_eq!(stream(&file(&[longer]), 1000).unwrap().1, 0);
    let reserved = field(13, &[field(1, UPLOAD_KEY.as_bytes()), field(2, b"0")].concat());
    let forged = [field(8, b"w"), reserved, vec![0x70, 1]].concat();
    assert!(stream(&file(&[forged]), 1000).unwrap_err().to_string().contains("is reserved"));
}

#[test]
fn a_file_that_is_cut_is_refused_or_another_model() {
    let model = model(vec![tensor("a", 2048)]);
    let file = model.encode_to_vec();
    for end in (0..file.len()).filter(|end| end % 97 == 0 || file.len() - end < 60 || *end < 60) {
        let (streamed, whole) = (stream(&file[..end], 50), check::read(file[..end].to_vec()));
        assert_eq!(streamed.is_ok(), whole.is_ok(), "{end}");
        if let (Ok((streamed, _)), Ok(whole)) = (streamed, whole) {
            assert_eq!(streamed, whole);
        }
    }
}

#[test]
fn an_error_of_the_sink_ends_the_reading() {
    let file = model(vec![tensor("a", 2048), tensor("b", 2048)]).encode_to_vec();
    let mut calls = 0;
    let mut sink = Whole::new(|_, _, _| {
        calls += 1;
        Err(Error::Limit("full".to_string()))
    });
    let mut reader = Reader::new();
    assert!(reader.push(&file, &mut sink).is_err_and(|error| error.to_string().contains("full")));
    assert!(reader.push(&file, &mut sink).is_err());
    assert!(reader.finish().is_err());
    assert_eq!(calls, 1);
}
