//! Kernels that share a launch on WebGPU.

use crate::common::*;
use lanthorn_ir::{
    Backend, DType, Kernel,
    kernel::{Contract, Horizontal},
};
use lanthorn_kernel_tests::horizontal;
use lanthorn_wgpu::{Tuning, WgpuBackend};

/// The kernels for software and for a GPU.
fn backends() -> [WgpuBackend; 2] {
    [backend(), open_tuned(Tuning { software: Some(false), ..Tuning::default() })]
}

#[test]
fn products() {
    backends().iter().for_each(|backend| horizontal::products(backend, &validate_shaders(backend)));
}

#[test]
fn blocks() {
    backends().iter().for_each(|backend| horizontal::blocks(backend, &validate_shaders(backend)));
}

#[test]
fn products_of_a_row_are_one_dispatch() {
    let product = |outputs| Contract::matrices(DType::F32, contiguous(&[1, 64]), contiguous(&[64, outputs]));
    let kernel = Kernel::Contracts(Horizontal::new(vec![product(48), product(16), product(16)]));
    for backend in backends() {
        assert_eq!(backend.shaders("test", &kernel).unwrap().len(), 1, "{}", backend.capabilities().description);
    }
}

#[test]
fn stores() {
    backends().iter().for_each(|backend| horizontal::stores(backend, &validate_shaders(backend)));
}

#[test]
fn a_buffer_of_several_inputs_is_bound_once() {
    backends().iter().for_each(|backend| horizontal::repeat_inputs(backend));
}
