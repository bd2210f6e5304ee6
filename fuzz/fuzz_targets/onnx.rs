//! Any bytes as a model of ONNX: read at once and as a stream, and its tensors. Use the files of ONNX's
//! backend tests as the initial corpus.
#![no_main]

use lanthorn_onnx::{check, external, proto::TensorProto, stream};
use prost::Message;
use std::collections::HashMap;

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    let whole = check::read(file.to_vec());
    let streamed = read_stream(file);
    // A stream refuses elements after a tensor's raw data, which a whole file merges.
    let (Ok(whole), Ok(streamed)) = (whole, streamed) else { return };
    // As bytes, because a NaN differs from itself.
    assert!(whole.encode_to_vec() == streamed.encode_to_vec());
    let files = HashMap::from([("weights".to_string(), file)]);
    let read = |tensor: &TensorProto| {
        let Ok(data) = external::read(tensor, &files) else { return };
        // NaNs do not keep their bits, so only the sizes are compared.
        let written = TensorProto::from_data(tensor.name(), data.clone(), tensor.element_type().ok());
        if let Ok(written) = written {
            let again = written.data().unwrap_or_else(|error| panic!("{error}"));
            assert!((again.dtype(), again.shape()) == (data.dtype(), data.shape()));
        }
    };
    let visited = check::tensors(&whole, &mut |tensor| {
        read(tensor);
        Ok(())
    });
    assert!(visited.is_ok());
});

/// The model of a stream, with the bytes that were handed on.
fn read_stream(file: &[u8]) -> lanthorn_program::Result<lanthorn_onnx::proto::ModelProto> {
    let mut taken = vec![];
    let mut sink = stream::Whole::new(|_, _: &TensorProto, bytes: Vec<u8>| {
        taken.push(bytes);
        Ok(())
    });
    let mut reader = stream::Reader::new();
    // The first byte says the size of the chunks.
    let size = file.first().map_or(1, |&byte| usize::from(byte) + 1);
    for chunk in file.chunks(size) {
        reader.push(chunk, &mut sink)?;
    }
    let mut model = reader.finish()?;
    for tensor in model.graph.iter_mut().flat_map(|graph| &mut graph.initializer) {
        if let Some(index) = tensor.upload() {
            tensor.restore(std::mem::take(&mut taken[index]));
        }
    }
    Ok(model)
}
