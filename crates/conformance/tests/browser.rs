//! Ops in the page: on the CPU in WebAssembly, and on the browser's WebGPU. Without an adapter the
//! tests fail. Each run tests one op in four, in rotation. The tests of the npm package test all of
//! them.
#![cfg(target_arch = "wasm32")]

use lanthorn_conformance::{gradcheck, samples};
use lanthorn_cpu::CpuBackend;
use lanthorn_kernel_tests::{blocks, rotation};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

fn is_taken(op: &str) -> bool {
    rotation::takes_name(op, 4)
}

#[wasm_bindgen_test]
async fn samples_on_the_cpu() {
    samples::check(&lanthorn::cpu(), &lanthorn::cpu(), &samples::LAYOUTS, is_taken).await.assert_all();
}

#[wasm_bindgen_test]
async fn samples_on_webgpu() {
    let device = lanthorn::wgpu().await.expect("this test needs a browser with a WebGPU adapter");
    // A layout that is not contiguous has the most code in a shader. The native tests of WebGPU
    // cover all layouts.
    let layouts = [samples::MemoryLayout::Transposed];
    samples::check(&device, &lanthorn::cpu(), &layouts, is_taken).await.assert_all();
}

#[wasm_bindgen_test]
async fn derivatives() {
    gradcheck::check(&lanthorn::cpu(), is_taken).await.assert_all();
}

/// Separate WebAssembly instructions read blocks.
#[wasm_bindgen_test]
async fn blocks_on_the_cpu() {
    let backend = CpuBackend::poisoned();
    blocks::products_async(&backend, &|_| {}).await;
    blocks::maps_async(&backend, &|_| {}).await;
}
