//! Products and maps of block-quantized operands.

use crate::CpuBackend;
use lanthorn_kernel_tests::{blocks, horizontal};

#[test]
fn products() {
    blocks::products(&CpuBackend::poisoned(), &|_| {});
}

#[test]
fn maps() {
    blocks::maps(&CpuBackend::poisoned(), &|_| {});
}

#[test]
fn products_of_a_launch() {
    horizontal::products(&CpuBackend::poisoned(), &|_| {});
    horizontal::blocks(&CpuBackend::poisoned(), &|_| {});
}
