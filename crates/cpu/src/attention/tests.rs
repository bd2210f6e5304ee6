//! Attention compared with its definition, at sizes around this backend's blocks.

use crate::{
    CpuBackend,
    test_util::{bytes, run},
};
use lanthorn_ir::{
    DType, Kernel, Layout, Shape,
    expr::Constant,
    kernel::{Attention, AttentionPass, Operand},
};
use lanthorn_kernel_tests::{
    attention::{self, CASE, Case},
    numbers,
};
use proptest::prelude::*;

#[test]
fn blocks_and_edges_of_every_size() {
    let backend = CpuBackend::poisoned();
    attention::edges(&backend, &|_| {});
    for extents in [[1, 200, 130, 64, 64], [1, 1, 300, 128, 128], [2, 3, 200, 20, 8], [1, 230, 410, 12, 20]] {
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
fn only_filled_keys_take_part() {
    attention::lengths(&CpuBackend::poisoned(), &|_| {});
}

#[test]
fn windows_and_soft_caps_with_masks_and_lengths() {
    attention::options(&CpuBackend::poisoned(), &|_| {});
}

#[test]
fn random_sizes_and_options() {
    attention::random(&CpuBackend::poisoned(), &|_| {}, 0..40);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn any_lengths_windows_and_caps(
        extents in (1usize..4, prop_oneof![Just(1usize), 1usize..80], prop_oneof![1usize..20, 150usize..450],
            1usize..20, 1usize..20),
        lengths in prop::option::of([-1i32..500, 0i32..20, 0i32..400]),
        (causal, window) in prop_oneof![
            Just((false, None)),
            Just((true, None)),
            (1i32..450).prop_map(|window| (true, Some(window))),
        ],
        soft_cap in prop::option::of(0.2f64..40.0),
        mask in prop::sample::select(vec![None, Some(DType::Bool), Some(DType::F32)]),
        permuted: bool,
    ) {
        let (batch, m, n, d, e) = extents;
        let case = Case {
            extents: [batch, m, n, d, e], lengths, causal, window, soft_cap, mask, permuted, ..CASE
        };
        attention::check(&CpuBackend::poisoned(), &|_| {}, case);
    }
}

#[test]
fn a_head_of_no_width_is_refused() {
    attention::empty_heads_are_refused(&CpuBackend::poisoned());
}

#[test]
fn inconsistent_options_are_refused() {
    attention::inconsistent_options_are_refused(&CpuBackend::poisoned());
}

/// Three heads of queries for each of two heads of keys, and a mask of keys for all queries.
fn run_grouped(m: usize, expanded: bool) -> Vec<Vec<u8>> {
    let (heads, group, n, d, e) = (2, 3, 230, 8, 4);
    let of = |count: usize, seed| numbers(count, seed, 1.0).into_iter().map(|x| x as f32).collect::<Vec<f32>>();
    let repeated = |elements: Vec<f32>, times: usize, length: usize| -> Vec<f32> {
        let times = if expanded { times } else { 1 };
        elements.chunks(length).flat_map(|chunk| chunk.repeat(times)).collect()
    };
    let inputs = [
        of(heads * group * m * d, 1),
        repeated(of(heads * n * d, 2), group, n * d),
        repeated(of(heads * n * e, 3), group, n * e),
        repeated(of(n, 4), heads * group * m, n),
    ];
    let operand = |rows: usize, columns: usize, [head, of_group, row]: [usize; 3]| {
        let shape = Shape::from_dims([heads, group, rows, columns]);
        let strides = [head, of_group, row, 1].map(|stride| stride as isize);
        let dense = Layout::contiguous(shape.clone());
        Operand::new(DType::F32, if expanded { dense } else { Layout::new(shape, strides, 0) })
    };
    let kernel = Attention {
        pass: AttentionPass::Forward,
        batch: Shape::from_dims([heads, group]),
        query: operand(m, d, [group * m * d, m * d, d]),
        key: operand(n, d, [n * d, 0, d]),
        value: operand(n, e, [n * e, 0, e]),
        mask: Some(operand(m, n, [0, 0, 0])),
        lengths: None,
        causal: false,
        windowed: false,
        capped: false,
    };
    let scale = Constant::F32(0.5f32.to_bits());
    run(&Kernel::Attention(Box::new(kernel)), &inputs.map(|input| bytes(&input)), &[scale]).unwrap()
}

#[test]
fn grouped_heads_have_the_bits_of_heads_with_their_own_keys() {
    for m in [2, 50] {
        assert_eq!(run_grouped(m, false), run_grouped(m, true));
    }
}
