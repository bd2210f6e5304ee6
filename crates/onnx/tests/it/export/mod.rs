//! Writes programs as ONNX models.

mod blocks;
mod calls;
mod support;
mod upgrades;
