//! The integration tests of `lanthorn-onnx`: one binary, because linking takes seconds.
#![cfg(feature = "tensor")]

mod backend;
mod export;
mod loading;
