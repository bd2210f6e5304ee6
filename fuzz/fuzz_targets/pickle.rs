//! Any bytes as the pickle of a checkpoint. The archive around it is valid, so that the fuzzer need
//! not guess checksums.
#![no_main]

use lanthorn_io::{DType, TensorData, Value, pytorch};

libfuzzer_sys::fuzz_target!(|pickle: &[u8]| {
    // A checkpoint with one storage, whose pickle is replaced.
    let tensor = TensorData::new(DType::F32, vec![4], vec![0; 16]);
    let Some(tensor) = tensor else { return };
    if let Ok(file) = pytorch::save_with_pickle(&Value::Tensor(tensor), pickle) {
        let _ = pytorch::load(&file);
    }
});
