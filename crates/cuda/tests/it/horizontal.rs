//! Kernels that share a launch in the emulator, with CUDA's text.

use lanthorn_cuda::emulator::{Options, open};
use lanthorn_kernel_tests::horizontal;

#[test]
fn products() {
    horizontal::products(&open(Options::default()).unwrap(), &|_| {});
}

#[test]
fn blocks() {
    horizontal::blocks(&open(Options::default()).unwrap(), &|_| {});
}

#[test]
fn stores() {
    horizontal::stores(&open(Options::default()).unwrap(), &|_| {});
}

#[test]
fn inputs_of_one_buffer() {
    horizontal::repeat_inputs(&open(Options::default()).unwrap());
}
