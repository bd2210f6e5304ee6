//! The integration tests of `lanthorn-conformance`: one binary, because linking takes seconds.
#![cfg(not(target_arch = "wasm32"))]

mod cpu;
mod cuda;
mod custom;
mod custom_kernels;
mod decoding;
mod edges;
mod empties;
mod export;
mod garbage;
mod golden;
mod golden_runner;
mod golden_training;
mod growing;
mod packed;
mod quotients;
mod shapes;
mod wgpu;
