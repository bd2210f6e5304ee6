//! ONNX: models are read into programs, run on the op table, and written.

pub mod check;
mod convert;
pub mod external;
pub mod hosted;
#[cfg(feature = "tensor")]
mod model;
pub mod operators;
pub mod proto;
pub mod stream;
pub mod tensor;

pub use convert::convert;
#[cfg(feature = "tensor")]
pub use model::{Model, load, load_with};
