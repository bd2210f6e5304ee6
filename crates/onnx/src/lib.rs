//! ONNX: models are read into programs, run on the op table, and written.

mod convert;
pub mod external;
pub mod hosted;
pub mod operators;
pub mod proto;
pub mod tensor;

pub use convert::convert;
