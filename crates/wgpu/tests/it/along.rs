//! Scans and sorts compared with their naive forms, around the sizes at which workgroups, chunks
//! and passes change.

use crate::common::*;
use lanthorn_ir::{
    DType, Kernel, Layout,
    expr::{Expr, Program, Type},
    kernel::{BoundedIndex, Scan, ScanOp, Sort, identity},
};
use lanthorn_wgpu::{Options, Rows, Tuning, WgpuBackend};

const OPS: [ScanOp; 4] = [ScanOp::Sum, ScanOp::Prod, ScanOp::Max, ScanOp::Min];

fn backends() -> Vec<WgpuBackend> {
    let forced = |rows| open_tuned(Tuning { rows: Some(rows), software: Some(false), ..Tuning::default() });
    vec![forced(Rows::Thread), forced(Rows::Workgroup), open(Options { default_limits: true, ..Options::default() })]
}

fn scan(op: ScanOp, dtype: DType, layout: Layout, dim: usize, reverse: bool) -> Scan {
    Scan {
        indices: vec![],
        shape: layout.shape().clone(),
        dim,
        reverse,
        inputs: vec![operand(dtype, layout)],
        params: vec![],
        prologue: identity(dtype.into()),
        op,
        dtype,
    }
}

/// `n` numbers: near 1 for products, otherwise small integers with many duplicates.
fn values(op: ScanOp, n: usize) -> Vec<f64> {
    let numbers = numbers(n, 5, if op == ScanOp::Prod { 0.01 } else { 40.0 });
    numbers.into_iter().map(|x| if op == ScanOp::Prod { f64::from((1.0 + x) as f32) } else { x.floor() }).collect()
}

#[test]
fn scans_of_any_length_layout_and_direction() {
    for backend in backends() {
        for (rows, length) in
            [(1, 1), (3, 5), (70, 8), (5, 64), (2, 1023), (2, 1024), (2, 1025), (1, 9000), (4, 0), (0, 4), (300, 33)]
        {
            for op in OPS {
                let data = values(op, rows * length);
                for reverse in [false, true] {
                    for (layout, dim) in [
                        (contiguous(&[rows, length]), 1),
                        (contiguous(&[length, rows]).permute(&[1, 0]), 1),
                        (contiguous(&[length, rows]), 0),
                    ] {
                        check_kernel(
                            &backend,
                            &Kernel::Scan(scan(op, DType::F32, layout, dim, reverse)),
                            &[&data],
                            &[],
                        );
                    }
                }
            }
        }
        for (op, dim) in OPS.into_iter().flat_map(|op| [0, 1, 2].map(|dim| (op, dim))) {
            let layout = contiguous(&[5, 70, 3]).permute(&[2, 0, 1]);
            check_kernel(&backend, &Kernel::Scan(scan(op, DType::F32, layout, dim, false)), &[&values(op, 1050)], &[]);
        }
    }
}

#[test]
fn scans_of_other_types_and_of_nan() {
    for backend in backends() {
        for op in OPS {
            for (dtype, data) in [
                (DType::I32, values(op, 2000).into_iter().map(|x| x.round()).collect::<Vec<_>>()),
                (DType::I32, (0..2000).map(|i| f64::from(i * 1_000_003 - 1_000_000_000)).collect()),
                (DType::U8, (0..2000).map(|i| f64::from(i % 256)).collect()),
            ] {
                check_kernel(&backend, &Kernel::Scan(scan(op, dtype, contiguous(&[2, 1000]), 1, false)), &[&data], &[]);
            }
            let mut data = values(op, 3000);
            (data[1100], data[1103], data[2500]) = (f64::NAN, f64::NAN, f64::INFINITY);
            check_kernel(
                &backend,
                &Kernel::Scan(scan(op, DType::F32, contiguous(&[2, 1500]), 1, false)),
                &[&data],
                &[],
            );
        }
        let truths: Vec<f64> = (0..50).map(|i| f64::from(i / 20 % 2)).collect();
        for op in [ScanOp::Max, ScanOp::Min] {
            check_kernel(&backend, &Kernel::Scan(scan(op, DType::Bool, contiguous(&[50]), 0, false)), &[&truths], &[]);
        }
    }
}

#[test]
fn recurrences_with_windows_and_an_index() {
    for backend in backends() {
        for (length, reverse) in [(1, false), (60, true), (3000, false), (20_000, true)] {
            // The factor is a row of the input shifted by one, with NaN outside. The first factor
            // has no effect.
            let mut input = operand(DType::F32, contiguous(&[2, length]));
            let bound = BoundedIndex {
                steps: [0, 1].into_iter().collect(),
                start: if reverse { 1 } else { -1 },
                divisor: 1,
                size: length,
                stride: 1,
            };
            input.layout = Layout::new(shape(&[2, length]), [length as isize, 0], 0);
            input.bounded = vec![bound];
            input.outside = lanthorn_ir::expr::Constant::new(f64::NAN, Type::F32);
            let kernel = Scan {
                inputs: vec![input, operand(DType::F32, contiguous(&[2, length]))],
                prologue: Program::new(&[
                    Expr::input(0, Type::F32),
                    Expr::input(1, Type::F32) + Expr::index().cast(Type::F32) * 1e-3,
                ]),
                ..scan(ScanOp::Recurrence, DType::F32, contiguous(&[2, length]), 1, reverse)
            };
            let data = numbers(2 * length, 3, 0.99);
            check_kernel(&backend, &Kernel::Scan(kernel), &[&data, &data], &[]);
        }
    }
}

#[test]
fn more_rows_than_a_dispatch_has_workgroups_and_one_long_row() {
    for (backend, rows) in backends().into_iter().zip([100_000, 66_000, 100_000]) {
        let data = values(ScanOp::Max, rows * 2);
        check_kernel(
            &backend,
            &Kernel::Scan(scan(ScanOp::Max, DType::F32, contiguous(&[rows, 2]), 1, false)),
            &[&data],
            &[],
        );
        let n = 1_000_000;
        let ones = Kernel::Scan(scan(ScanOp::Sum, DType::F32, contiguous(&[n]), 0, false));
        check_kernel(&backend, &ones, &[&vec![1.0; n]], &[]);
        // No float32 sum of these numbers is exact.
        let tenths = vec![f64::from(0.1f32); n];
        check_kernel(&backend, &ones, &[&tenths], &[]);
    }
}

/// Elements with many duplicates, NaN, infinities and both zeros.
fn mix_values(n: usize) -> Vec<f64> {
    let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0];
    let mut values: Vec<f64> = numbers(n, 7, 300.0).into_iter().map(f64::floor).collect();
    (0..n).step_by(11).for_each(|at| values[at] = special[at / 11 % 5]);
    values
}

fn check_sort(backend: &WgpuBackend, dtype: DType, layout: Layout, dim: usize, data: &[f64]) {
    check_sort_in(backend, dtype, layout, dim, data, &[false, true]);
}

fn check_sort_in(backend: &WgpuBackend, dtype: DType, layout: Layout, dim: usize, data: &[f64], directions: &[bool]) {
    for &descending in directions {
        let kernel = Kernel::Sort(Sort { dtype, source: layout.clone(), dim, descending });
        backend.shaders("test", &kernel).unwrap().iter().for_each(|source| validate(source));
        let want = reference::outputs(&kernel, &[data], &[]);
        let got = run(backend, &kernel, &[(dtype, data)], &[], None);
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(got[1], want[1], "{layout:?} {dim} {descending}");
        // Elements move unchanged: -0 stays -0.
        assert!(bits(&got[0]) == bits(&want[0]), "{layout:?} {dim} {descending}");
    }
}

#[test]
fn sorts_of_any_length_and_layout() {
    let backend = open(Options { default_limits: true, ..Options::default() });
    for (rows, length) in [
        (1, 1),
        (3, 5),
        (700, 8),
        (5, 64),
        (2, 1000),
        (3, 2047),
        (2, 2048),
        (2, 2049),
        (2, 4096),
        (3, 5000),
        (2, 9000),
        (4, 0),
        (0, 4),
    ] {
        let data = mix_values(rows * length);
        check_sort(&backend, DType::F32, contiguous(&[rows, length]), 1, &data);
        check_sort(&backend, DType::F32, contiguous(&[length, rows]).permute(&[1, 0]), 1, &data);
        check_sort(&backend, DType::F32, contiguous(&[length, rows]), 0, &data);
    }
    check_sort(&backend, DType::F32, contiguous(&[5, 70, 3]).permute(&[2, 0, 1]), 1, &mix_values(1050));
    check_sort(
        &backend,
        DType::F32,
        contiguous(&[70, 1]).expand("test", &shape(&[2, 70, 30])).unwrap(),
        2,
        &mix_values(70),
    );
}

#[test]
fn sorts_of_other_types() {
    let backend = backend();
    let integers: Vec<f64> = (0..5000i32).map(|i| f64::from(i.wrapping_mul(1_000_003).wrapping_mul(i))).collect();
    check_sort(&backend, DType::I32, contiguous(&[5000]), 0, &integers);
    check_sort(
        &backend,
        DType::U8,
        contiguous(&[5000]),
        0,
        &integers.iter().map(|x| x.rem_euclid(256.0) + 0.0).collect::<Vec<_>>(),
    );
    check_sort(
        &backend,
        DType::Bool,
        contiguous(&[5000]),
        0,
        &integers.iter().map(|x| (x % 2.0).abs()).collect::<Vec<_>>(),
    );
}

#[test]
fn a_million_elements_and_many_rows_in_as_many_dispatches_as_planned() {
    let backend = backend();
    let dispatches = |kernel: &Kernel| backend.shaders("test", kernel).unwrap().len();
    let sort = |layout: Layout, dim| Kernel::Sort(Sort { dtype: DType::F32, source: layout, dim, descending: false });
    assert_eq!(dispatches(&sort(contiguous(&[100_000, 3]), 1)), 1);
    assert_eq!(dispatches(&sort(contiguous(&[2048]), 0)), 1);
    assert_eq!(dispatches(&sort(contiguous(&[2049]), 0)), 2);
    assert_eq!(dispatches(&sort(contiguous(&[1_000_000]), 0)), 10);
    let row = |length| Kernel::Scan(scan(ScanOp::Sum, DType::F32, contiguous(&[length]), 0, false));
    assert_eq!((dispatches(&row(1000)), dispatches(&row(1_000_000))), (1, 3));
    check_sort_in(&backend, DType::F32, contiguous(&[100_000, 3]), 1, &mix_values(300_000), &[false]);
    check_sort_in(&backend, DType::F32, contiguous(&[1_000_000]), 0, &mix_values(1_000_000), &[true]);
}
