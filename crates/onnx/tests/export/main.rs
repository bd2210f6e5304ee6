//! Programs written as ONNX models.

#![cfg(feature = "tensor")]

mod blocks;
mod calls;
mod support;
mod upgrades;
