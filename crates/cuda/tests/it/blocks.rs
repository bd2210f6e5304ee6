//! Block-quantized operands in the emulator, with CUDA's text.

use lanthorn_cuda::emulator::{Options, open};
use lanthorn_kernel_tests::blocks;

#[test]
fn products() {
    blocks::products(&open(Options::default()).unwrap(), &|_| {});
}

#[test]
fn maps() {
    blocks::maps(&open(Options::default()).unwrap(), &|_| {});
}
