//! Attention on every device, also within WebGPU's default limits.

use crate::common::{
    attention::{CASE, Case},
    *,
};
use lanthorn_ir::{DType, Kernel, kernel::AttentionPass};
use lanthorn_wgpu::{Options, Tuning, WgpuBackend};

/// The kernels for software, for a GPU, and within WebGPU's default limits.
fn backends() -> Vec<WgpuBackend> {
    vec![
        backend(),
        open_tuned(Tuning { software: Some(false), ..Tuning::default() }),
        open(Options { default_limits: true, ..Options::default() }),
    ]
}

#[test]
fn tiles_and_edges_of_every_size() {
    backends().iter().for_each(|backend| attention::edges(backend, &validate_shaders(backend)));
}

#[test]
fn the_widest_heads_fill_the_workgroups_memory() {
    let backend = open(Options { default_limits: true, ..Options::default() });
    for queries in [3, 70] {
        let case = Case { extents: [1, queries, 37, 128, 128], ..CASE };
        attention::check_forward(&backend, &validate_shaders(&backend), case);
    }
}

#[test]
fn masks_leave_pairs_and_whole_rows_out() {
    backends().iter().for_each(|backend| attention::masks(backend, &validate_shaders(backend)));
}

#[test]
fn large_logits_do_not_overflow() {
    backends().iter().for_each(|backend| attention::large_logits(backend, &validate_shaders(backend)));
}

#[test]
fn only_filled_keys_take_part() {
    backends().iter().for_each(|backend| attention::lengths(backend, &validate_shaders(backend)));
}

#[test]
fn windows_and_soft_caps_with_masks_and_lengths() {
    backends().iter().for_each(|backend| attention::options(backend, &validate_shaders(backend)));
}

#[test]
fn random_sizes_and_options() {
    let backend = backend();
    attention::random(&backend, &validate_shaders(&backend), 0..24);
}

#[test]
fn what_does_not_fit_is_refused() {
    let backend = backend();
    attention::empty_heads_are_refused(&backend);
    attention::inconsistent_options_are_refused(&backend);
    let kernel = Case { extents: [1, 2, 2, 4, 300], ..CASE }.kernel(DType::F32, |_| AttentionPass::Forward);
    assert!(backend.shaders("test", &Kernel::Attention(Box::new(kernel))).unwrap_err().is_limit());
}
