//! ONNX: models are read into programs, run on the op table, and written.

pub mod external;
pub mod proto;
pub mod tensor;
