//! Kernels over rows: softmax, layer norm, cross entropy and other combinations of reductions.

use crate::common::{
    fused_reductions::{one, row, softmax, x},
    *,
};
use lanthorn_ir::{
    DType, Kernel, Layout,
    expr::{BinaryOp, Constant, Expr, Program, Type},
    kernel::{BoundedIndex, FusedReduction, Operand, ReduceOp},
};
use lanthorn_wgpu::{Options, Rows, Tuning, WgpuBackend};

fn backends() -> Vec<WgpuBackend> {
    let forced = |rows| open_tuned(Tuning { rows: Some(rows), ..Tuning::default() });
    vec![forced(Rows::Thread), forced(Rows::Workgroup), open(Options { default_limits: true, ..Options::default() })]
}

#[test]
fn softmax_of_any_length_and_layout() {
    for backend in backends() {
        for (rows, length) in [(1, 1), (3, 5), (70, 8), (5, 1000), (2, 1027), (9, 64), (1, 20_000), (4, 0), (0, 4)] {
            let values = numbers(rows * length, 1, 8.0);
            check_kernel(
                &backend,
                &Kernel::FusedReduction(softmax(rows, length, contiguous(&[rows, length]))),
                &[&values],
                &[],
            );
            let columns = softmax(rows, length, contiguous(&[length, rows]).permute(&[1, 0]));
            check_kernel(&backend, &Kernel::FusedReduction(columns), &[&values], &[]);
            // The result in the order of the columns.
            let target = contiguous(&[length, rows]).permute(&[1, 0]);
            let placed = FusedReduction { target, ..softmax(rows, length, contiguous(&[rows, length])) };
            check_kernel(&backend, &Kernel::FusedReduction(placed), &[&values], &[]);
        }
    }
}

#[test]
fn layer_norm_with_its_statistics() {
    let params = [Constant::new(1e-5, Type::F32), Constant::new(1.0 / 48.0, Type::F32)];
    for backend in backends() {
        for (outer, inner) in [([3, 2], [6, 8]), ([1, 5], [4, 12]), ([2, 2], [16, 3])] {
            let dims = [outer[0], outer[1], inner[0], inner[1]];
            let whole = shape(&dims);
            let weight = contiguous(&inner).expand("test", &whole).unwrap();
            let scale = contiguous(&[outer[0], 1, 1, 1]).expand("test", &whole).unwrap();
            let image = contiguous(&[outer[0], inner[0], inner[1], outer[1]]).permute(&[0, 3, 1, 2]);
            let (count, eps) = (Expr::param(1, Type::F32), Expr::param(0, Type::F32));
            let (sum, squares) = (x(3), x(4));
            let mean = &sum * &count;
            let variance = squares * &count;
            let inverse = 1.0 / (&variance + eps).sqrt();
            let normal = (x(0) - &mean) * &inverse;
            let kernel = FusedReduction {
                params: vec![Type::F32, Type::F32],
                reductions: vec![
                    (ReduceOp::Sum, Program::new(&[x(0)])),
                    (ReduceOp::Sum, Program::new(&[(x(0) - &mean).square()])),
                ],
                rows: Program::new(&[
                    mean.clone(),
                    inverse.clone() * x(2),
                    inverse.gt(Expr::index().cast(Type::F32) * 0.01),
                ]),
                row_dtypes: vec![DType::F32, DType::F32, DType::Bool],
                elements: Program::new(&[normal * x(1) + Expr::index().cast(Type::F32)]),
                element_dtypes: vec![DType::F32],
                target: image.clone(),
                ..row(
                    &outer,
                    &inner,
                    vec![operand(DType::F32, image), operand(DType::F32, weight), operand(DType::F32, scale)],
                )
            };
            let inputs =
                [dims.iter().product(), inner[0] * inner[1], outer[0]].map(|count| numbers(count, count as u32, 2.0));
            check_kernel(&backend, &Kernel::FusedReduction(kernel), &inputs.each_ref().map(Vec::as_slice), &params);
        }
    }
}

#[test]
fn cross_entropy_picks_the_target_and_checks_it() {
    for backend in backends() {
        for (rows, classes) in [(6, 10), (33, 12), (2, 1000)] {
            let target = contiguous(&[rows, 1]).expand("test", &shape(&[rows, classes])).unwrap();
            let inputs = vec![operand(DType::F32, contiguous(&[rows, classes])), operand(DType::I32, target)];
            let class = Expr::index().binary(BinaryOp::Rem, Expr::constant(classes as f64, Type::U32)).cast(Type::I32);
            let limit = Expr::constant(classes as f64, Type::I32);
            let label = Expr::input(1, Type::I32).binary(BinaryOp::CheckIndex, &limit);
            let hit = class.binary(BinaryOp::Eq, &label);
            let picked = hit.select(x(0), Expr::constant(0.0, Type::F32));
            let shifted = (x(0) - x(2)).exp();
            let kernel = FusedReduction {
                reductions: vec![
                    (ReduceOp::Max, Program::new(&[x(0)])),
                    (ReduceOp::Sum, one(&shifted)),
                    (ReduceOp::Sum, Program::new(&[picked])),
                    (ReduceOp::ArgMax, Program::new(&[x(0)])),
                    (ReduceOp::ArgMin, Program::new(&[x(0)])),
                ],
                rows: Program::new(&[x(3).log() + x(2) - x(4), Expr::input(5, Type::I32), Expr::input(6, Type::I32)]),
                row_dtypes: vec![DType::F32, DType::I32, DType::I32],
                elements: Program::new(&[shifted / x(3) - hit.cast(Type::F32)]),
                element_dtypes: vec![DType::F32],
                ..row(&[rows], &[classes], inputs)
            };
            let labels = integers(rows, 2, 0, classes as i32);
            check_kernel(&backend, &Kernel::FusedReduction(kernel), &[&numbers(rows * classes, 1, 4.0), &labels], &[]);
        }
    }
}

#[test]
fn rows_of_windows_and_of_every_type() {
    for backend in backends() {
        for dtype in [DType::Bool, DType::U8, DType::I32, DType::F32] {
            for length in [6, 8] {
                let ty = Type::from(dtype);
                let padded = Operand {
                    layout: Layout::new(shape(&[5, length]), [4, 0], 0),
                    bounded: vec![BoundedIndex {
                        steps: [0, 1].as_slice().into(),
                        start: -1,
                        divisor: 1,
                        size: 4,
                        stride: 1,
                    }],
                    outside: Constant::new(1.0, ty),
                    ..Operand::new(dtype, contiguous(&[0]))
                };
                let value = Expr::input(0, ty);
                let kernel = FusedReduction {
                    reductions: vec![
                        (ReduceOp::Max, one(&value)),
                        (ReduceOp::Min, one(&value)),
                        (ReduceOp::ArgMax, one(&value)),
                    ],
                    rows: Program::new(&[Expr::input(1, ty), Expr::input(3, Type::I32)]),
                    row_dtypes: vec![dtype, DType::I32],
                    elements: Program::new(&[value.binary(BinaryOp::Eq, Expr::input(2, ty))]),
                    element_dtypes: vec![DType::Bool],
                    ..row(&[5], &[length], vec![padded])
                };
                let values = if dtype == DType::F32 { numbers(20, 1, 3.0) } else { integers(20, 1, 0, 2) };
                check_kernel(&backend, &Kernel::FusedReduction(kernel), &[&values], &[]);
            }
        }
    }
}

#[test]
fn a_long_row_of_ones_sums_exactly() {
    for backend in backends() {
        let length = 4_000_000;
        let ones = contiguous(&[1]).expand("test", &shape(&[1, length])).unwrap();
        let kernel = FusedReduction {
            reductions: vec![(ReduceOp::Sum, Program::new(&[x(0)]))],
            rows: Program::new(&[x(1)]),
            row_dtypes: vec![DType::F32],
            ..row(&[1], &[length], vec![operand(DType::F32, ones)])
        };
        assert_eq!(
            run(&backend, &Kernel::FusedReduction(kernel), &[(DType::F32, &[1.0])], &[], None)[0],
            [4_000_000.0]
        );
    }
}

#[test]
fn rows_keep_nan_and_infinity() {
    for backend in backends() {
        let mut values = numbers(4 * 12, 6, 1.0);
        (values[3], values[17], values[29]) = (f64::NAN, f64::INFINITY, f64::NEG_INFINITY);
        let kernel = FusedReduction {
            reductions: vec![(ReduceOp::Max, Program::new(&[x(0)])), (ReduceOp::ArgMin, Program::new(&[x(0)]))],
            rows: Program::new(&[x(1), Expr::input(2, Type::I32)]),
            row_dtypes: vec![DType::F32, DType::I32],
            elements: Program::new(&[x(0).max(x(1))]),
            element_dtypes: vec![DType::F32],
            ..row(&[4], &[12], vec![operand(DType::F32, contiguous(&[4, 12]))])
        };
        check_kernel(&backend, &Kernel::FusedReduction(kernel), &[&values], &[]);
    }
}
