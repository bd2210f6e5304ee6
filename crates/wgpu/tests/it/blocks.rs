//! Block-quantized operands on WebGPU.

use crate::common::*;
use lanthorn_kernel_tests::blocks;
use lanthorn_wgpu::{Tuning, WgpuBackend};

/// The kernels for software and for a GPU.
fn backends() -> [WgpuBackend; 2] {
    [backend(), open_tuned(Tuning { software: Some(false), ..Tuning::default() })]
}

#[test]
fn products() {
    backends().iter().for_each(|backend| blocks::products(backend, &validate_shaders(backend)));
}

#[test]
fn maps() {
    backends().iter().for_each(|backend| blocks::maps(backend, &validate_shaders(backend)));
}
