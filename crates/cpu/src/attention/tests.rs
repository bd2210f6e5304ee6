//! Attention compared with its definition, and sizes around this backend's blocks.

use crate::CpuBackend;
use lanthorn_kernel_tests::attention;

#[test]
fn blocks_and_edges_of_every_size() {
    let backend = CpuBackend::poisoned();
    attention::edges(&backend, &|_| {});
    for extents in [[1, 200, 130, 64, 64], [1, 1, 300, 128, 128]] {
        attention::sizes(&backend, &|_| {}, extents);
    }
}

#[test]
fn masks_leave_pairs_and_whole_rows_out() {
    attention::masks(&CpuBackend::poisoned(), &|_| {});
}

#[test]
fn large_logits_do_not_overflow() {
    attention::large_logits(&CpuBackend::poisoned(), &|_| {});
}

#[test]
fn a_head_of_no_width_is_refused() {
    attention::empty_heads_are_refused(&CpuBackend::poisoned());
}
