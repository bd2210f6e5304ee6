//! Products and maps of operands in blocks.

use crate::CpuBackend;
use lanthorn_kernel_tests::blocks;

#[test]
fn products() {
    blocks::products(&CpuBackend::poisoned(), &|_| {});
}

#[test]
fn maps() {
    blocks::maps(&CpuBackend::poisoned(), &|_| {});
}
