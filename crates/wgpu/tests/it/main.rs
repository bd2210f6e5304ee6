//! The integration tests of `lanthorn-wgpu`: one binary, because linking takes seconds.
#![cfg(not(target_arch = "wasm32"))]

mod adapter;
mod affine;
mod along;
mod attention;
mod blocks;
mod common;
mod cpu_fallback;
mod failures;
mod fused_reductions;
mod halves;
mod horizontal;
mod kernels;
mod numerics;
mod packed;
mod prologues;
mod shaders;
mod windows;
