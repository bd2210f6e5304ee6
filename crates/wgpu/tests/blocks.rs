//! Operands in blocks on WebGPU.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

mod common;

use common::*;
use lanthorn_kernel_tests::blocks;

#[test]
fn products() {
    let backend = backend();
    blocks::products(&backend, &validate_shaders(&backend));
}

#[test]
fn maps() {
    let backend = backend();
    blocks::maps(&backend, &validate_shaders(&backend));
}
