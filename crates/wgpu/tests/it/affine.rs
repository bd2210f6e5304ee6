//! Affine indices: every kind of kernel that has them computes with the numbers of their
//! definition, and no shape compiles a pipeline.

use crate::common::*;
use lanthorn_ir::Backend;
use lanthorn_kernel_tests::corpus::affine::kernels;

#[test]
fn every_kind_computes_with_the_numbers_of_the_definition() {
    for backend in
        [open(Default::default()), open(lanthorn_wgpu::Options { default_limits: true, ..Default::default() })]
    {
        // By elements, by vec4s, and rows of both kinds.
        for of in [[3, 5], [6, 8], [1, 1], [70, 12], [4, 1030]] {
            let values = numbers(of[0] * of[1], 1, 8.0);
            for kernel in kernels(of) {
                check_kernel(&backend, &kernel, &[&values], &[]);
            }
        }
    }
}

#[test]
fn a_shape_makes_no_pipeline() {
    let backend = open(Default::default());
    for of in [[5, 9], [6, 10], [7, 11], [9, 14]] {
        let before = backend.counters().pipelines;
        kernels(of).iter().for_each(|kernel| drop(backend.compile("test", kernel, &[]).unwrap()));
        let values = numbers(of[0] * of[1], 1, 8.0);
        kernels(of).iter().for_each(|kernel| check_kernel(&backend, kernel, &[&values], &[]));
        assert!(of == [5, 9] || backend.counters().pipelines == before, "{of:?}");
    }
}
