//! Every kernel kind compared with its naive form, on every layout of an operand.

use crate::common::*;
use lanthorn_ir::{
    Backend, DType, Kernel, Layout,
    backend::{Launch, Read},
    expr::{Constant, Expr, Program, Type},
    kernel::{Contract, Copy, Epilogue, Gather, Map, Operand, Reduce, ReduceOp, Scatter, ScatterOp, identity},
};
use lanthorn_kernel_tests::rotation;
use lanthorn_wgpu::{Contraction, Options, Reduction, Tuning, WgpuBackend};

fn check_map(backend: &WgpuBackend, map: Map, inputs: &[&[f64]], params: &[Constant]) {
    let typed: Vec<(DType, &[f64])> =
        map.inputs.iter().zip(inputs).map(|(input, values)| (input.dtype(), *values)).collect();
    let want = reference::map(&map, inputs, params);
    let got = run(backend, &Kernel::Map(map), &typed, params, None);
    for (got, want) in got.iter().zip(&want) {
        assert_close(got, want);
    }
}

/// Layouts of shape [3, 4, 5] and the elements that they need.
fn layouts() -> Vec<(Layout, usize)> {
    let s = shape(&[3, 4, 5]);
    vec![
        (contiguous(&[3, 4, 5]), 60),
        (contiguous(&[5, 4, 3]).permute(&[2, 1, 0]), 60),
        (contiguous(&[4, 3, 5]).permute(&[1, 0, 2]), 60),
        (contiguous(&[]).expand("test", &s).unwrap(), 1),
        (contiguous(&[4, 1]).expand("test", &s).unwrap(), 4),
        (contiguous(&[3, 1, 1]).expand("test", &s).unwrap(), 3),
        (contiguous(&[6, 4, 10]).slice(0, 1, 3, 2).slice(2, 3, 5, 1), 240),
        (Layout::new(s.clone(), [20, -5, 1], 15), 60),
        (Layout::new(s, [20, 5, 1], 7), 67),
    ]
}

#[test]
fn map_reads_operands_of_any_layout() {
    let backend = backend();
    let (x, y) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
    let program = Program::new(&[&x * 2.0 + &y, (&x - &y).gt(0.25)]);
    for (a, n) in layouts() {
        for (b, m) in layouts() {
            let map = Map {
                indices: vec![],
                shape: shape(&[3, 4, 5]),
                inputs: vec![operand(DType::F32, a.clone()), operand(DType::F32, b)],
                params: vec![],
                program: program.clone(),
                dtypes: vec![DType::F32, DType::Bool],
            };
            check_map(&backend, map, &[&numbers(n, 1, 1.0), &numbers(m, 2, 1.0)], &[]);
        }
    }
}

#[test]
fn map_of_no_element_one_element_and_many_ranks() {
    let backend = backend();
    let program =
        Program::new(&[Expr::input(0, Type::F32) + Expr::index().cast(Type::F32) * Expr::param(0, Type::F32)]);
    let params = [Constant::new(0.5, Type::F32)];
    for dims in [vec![], vec![0], vec![3, 0, 2], vec![1, 1], vec![2; 8], vec![1; 16]] {
        let n = dims.iter().product();
        let mut order: Vec<usize> = (0..dims.len()).collect();
        order.reverse();
        let map = Map {
            indices: vec![],
            shape: shape(&dims),
            inputs: vec![operand(DType::F32, contiguous(&dims).permute(&order))],
            params: vec![Type::F32],
            program: program.clone(),
            dtypes: vec![DType::F32],
        };
        check_map(&backend, map, &[&numbers(n, 3, 1.0)], &params);
    }
}

#[test]
fn map_converts_between_all_types() {
    let backend = backend();
    let types = [DType::Bool, DType::U8, DType::I32, DType::F32];
    for from in types {
        let values: Vec<f64> = match from {
            DType::Bool => vec![0.0, 1.0],
            DType::U8 => (0..256).map(f64::from).collect(),
            DType::I32 => vec![0.0, 1.0, -1.0, 255.0, 256.0, -257.0, 2147483647.0, -2147483648.0, 16777217.0],
            _ => vec![
                0.0,
                -0.0,
                0.5,
                -0.5,
                1.9,
                -1.9,
                255.6,
                300.0,
                -1.0,
                3e9,
                -3e9,
                5e9,
                -5e9,
                9.1e12,
                -9.1e18,
                9.3e18,
                2147483520.0,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                f64::from(1e-40f32),
            ],
        };
        let n = values.len();
        let x = Expr::input(0, Type::from(from));
        let map = Map {
            indices: vec![],
            shape: shape(&[n]),
            inputs: vec![operand(from, contiguous(&[n]))],
            params: vec![],
            // Each conversion, by the program and by the store.
            program: Program::new(
                &types
                    .iter()
                    .map(|&to| x.cast(Type::from(to)))
                    .chain(types.iter().map(|_| x.clone()))
                    .collect::<Vec<_>>(),
            ),
            dtypes: types.iter().chain(&types).copied().collect(),
        };
        // Eight outputs and an input exceed the bindings of the smallest device, so these are two
        // kernels.
        for half in [0..4, 4..8] {
            let mut map = map.clone();
            map.program.outputs = map.program.outputs[half.clone()].to_vec();
            map.dtypes = map.dtypes[half].to_vec();
            check_map(&backend, map, &[&values], &[]);
        }
    }
}

#[test]
fn params_of_every_type_reach_the_kernel() {
    let backend = backend();
    let tys = [Type::Bool, Type::U8, Type::I32, Type::F32, Type::U32];
    let params = [
        Constant::Bool(true),
        Constant::U8(200),
        Constant::I32(-7),
        Constant::new(f64::INFINITY, Type::F32),
        Constant::U32(u32::MAX),
    ];
    let sum = tys[..4]
        .iter()
        .enumerate()
        .map(|(slot, &ty)| Expr::param(slot, ty).cast(Type::F32))
        .reduce(|a, b| a + b)
        .unwrap();
    let map = Map {
        indices: vec![],
        shape: shape(&[3]),
        inputs: vec![],
        params: tys.to_vec(),
        program: Program::new(&[sum, Expr::param(4, Type::U32).cast(Type::I32)]),
        dtypes: vec![DType::F32, DType::I32],
    };
    check_map(&backend, map, &[], &params);
}

#[test]
fn more_than_65535_workgroups() {
    for software in [false, true] {
        let backend = open_tuned(Tuning { software: Some(software), ..Tuning::default() });
        let n = 65_536 * 256 + 1;
        let map = Map {
            indices: vec![],
            shape: shape(&[n]),
            inputs: vec![],
            params: vec![],
            program: Program::new(&[Expr::index().cast(Type::I32)]),
            dtypes: vec![DType::I32],
        };
        let got = run(&backend, &Kernel::Map(map), &[], &[], None);
        for at in [0, 1, 255, 256, 65_535 * 256, n - 2, n - 1] {
            assert_eq!(got[0][at], at as f64);
        }
        assert!(got[0].iter().enumerate().all(|(i, &v)| v == i as f64));
    }
}

#[test]
fn more_than_65535_workgroups_in_a_gather() {
    let backend = backend();
    let n = 65_536 * 256 + 1;
    let gather = Gather {
        shape: shape(&[n]),
        dtype: DType::I32,
        source: Layout::new(shape(&[n]), [0], 0),
        stride: 1,
        extent: 3,
        index: Layout::new(shape(&[n]), [0], 1),
    };
    let got =
        run(&backend, &Kernel::Gather(gather), &[(DType::I32, &[7.0, 8.0, 9.0]), (DType::I32, &[0.0, 2.0])], &[], None);
    assert!(got[0].iter().all(|&v| v == 9.0));
}

fn check_reduce(backend: &WgpuBackend, reduce: Reduce, inputs: &[&[f64]], params: &[Constant]) {
    let typed: Vec<(DType, &[f64])> =
        reduce.inputs.iter().zip(inputs).map(|(input, values)| (input.dtype(), *values)).collect();
    let want = reference::reduce(&reduce, inputs, params);
    let label = format!("{:?} of {} over {}", reduce.op, reduce.outer, reduce.inner);
    let got = run(backend, &Kernel::Reduce(reduce), &typed, params, None);
    eprintln!("{label}");
    assert_close(&got[0], &want[0]);
}

fn plain(op: ReduceOp, dtype: DType, layout: Layout, outer: usize) -> Reduce {
    let ty = Type::from(dtype);
    let (kept, reduced) = (layout.shape()[..outer].to_vec(), layout.shape()[outer..].to_vec());
    let epilogue = if op.is_index() { Epilogue::store(Type::I32, DType::I32) } else { Epilogue::store(ty, dtype) };
    Reduce {
        indices: vec![],
        outer: shape(&kept),
        inner: shape(&reduced),
        inputs: vec![operand(dtype, layout)],
        params: vec![],
        prologue: identity(ty),
        op,
        epilogue,
    }
}

const REDUCTIONS: [ReduceOp; 6] =
    [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::ArgMax, ReduceOp::ArgMin];

fn reductions() -> Vec<WgpuBackend> {
    let variants = [Some(Reduction::Thread), Some(Reduction::Tree), None];
    variants
        .into_iter()
        .map(|reduce| {
            open_tuned(Tuning { reduce, software: Some(reduce != Some(Reduction::Tree)), ..Tuning::default() })
        })
        .collect()
}

/// Each run tests one case in `EVERY` of the products of options and shapes, in rotation.
const EVERY: usize = 3;

#[test]
fn reduce_by_every_op_type_and_layout() {
    let mut cases = 0..;
    for backend in reductions() {
        for op in REDUCTIONS {
            for dtype in [DType::Bool, DType::U8, DType::I32, DType::F32] {
                // Except for a mask, bytes take the same code paths as other types, so a few
                // layouts suffice.
                let some = if matches!(dtype, DType::F32 | DType::I32) { 9 } else { 2 };
                for (layout, n) in layouts().into_iter().take(some) {
                    for outer in 0..=3 {
                        let values = match dtype {
                            DType::F32 => numbers(n, 5, 1.5),
                            DType::I32 => integers(n, 5, -9, 9),
                            DType::U8 => integers(n, 5, 0, 256),
                            _ => integers(n, 5, 0, 2),
                        };
                        let is_overflowing = op == ReduceOp::Prod && dtype == DType::F32 && outer == 0;
                        if is_overflowing || !cases.next().is_some_and(|case| rotation::takes(case, EVERY)) {
                            continue;
                        }
                        check_reduce(&backend, plain(op, dtype, layout.clone(), outer), &[&values], &[]);
                    }
                }
            }
        }
    }
}

#[test]
fn reduce_of_nothing_gives_the_identity() {
    for backend in reductions() {
        for op in &REDUCTIONS[..4] {
            for dtype in [DType::Bool, DType::U8, DType::I32, DType::F32] {
                check_reduce(&backend, plain(*op, dtype, contiguous(&[3, 0]), 1), &[&[]], &[]);
                check_reduce(&backend, plain(*op, dtype, contiguous(&[0, 3]), 1), &[&[]], &[]);
            }
        }
    }
}

#[test]
fn reduce_keeps_nan_and_infinity() {
    for backend in reductions() {
        let mut values = numbers(4 * 5000, 6, 1.0);
        values[1234] = f64::NAN;
        values[4321] = f64::NAN;
        values[5000 + 77] = f64::INFINITY;
        values[10_000 + 4999] = f64::NEG_INFINITY;
        for op in REDUCTIONS {
            if op != ReduceOp::Prod && op != ReduceOp::Sum {
                check_reduce(&backend, plain(op, DType::F32, contiguous(&[4, 5000]), 1), &[&values], &[]);
                check_reduce(
                    &backend,
                    plain(op, DType::F32, contiguous(&[5000, 4]).permute(&[1, 0]), 1),
                    &[&values],
                    &[],
                );
            }
        }
        let infinities = vec![f64::NEG_INFINITY; 300];
        check_reduce(&backend, plain(ReduceOp::ArgMax, DType::F32, contiguous(&[300]), 0), &[&infinities], &[]);
        check_reduce(&backend, plain(ReduceOp::Sum, DType::F32, contiguous(&[300]), 0), &[&infinities], &[]);
    }
}

#[test]
fn reduce_over_long_ranges_in_chunks() {
    for backend in reductions() {
        for (outer, inner) in [(1, 100_003), (3, 40_001), (700, 300), (2, 9000), (1, 1)] {
            for op in [ReduceOp::Sum, ReduceOp::ArgMax, ReduceOp::Min] {
                let values = integers(outer * inner, 8, -50_000, 50_000);
                check_reduce(&backend, plain(op, DType::I32, contiguous(&[outer, inner]), 1), &[&values], &[]);
                check_reduce(
                    &backend,
                    plain(op, DType::I32, contiguous(&[inner, outer]).permute(&[1, 0]), 1),
                    &[&values],
                    &[],
                );
            }
        }
    }
}

#[test]
fn reduce_with_prologue_epilogue_and_params() {
    let (x, y) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
    for backend in reductions() {
        for (rows, columns) in [(7, 33), (2, 5000)] {
            let reduce = Reduce {
                indices: vec![],
                outer: shape(&[rows]),
                inner: shape(&[columns]),
                inputs: vec![
                    operand(DType::F32, contiguous(&[rows, columns])),
                    operand(DType::F32, contiguous(&[columns]).expand("test", &shape(&[rows, columns])).unwrap()),
                ],
                params: vec![Type::F32, Type::F32],
                prologue: Program::new(&[(&x - Expr::param(1, Type::F32)) * &y + Expr::index().cast(Type::F32) * 1e-6]),
                op: ReduceOp::Sum,
                epilogue: epilogue(
                    (Expr::input(0, Type::F32) * Expr::param(0, Type::F32)).tanh() + Expr::index().cast(Type::F32),
                ),
            };
            let params = [Constant::new(0.01, Type::F32), Constant::new(0.3, Type::F32)];
            check_reduce(&backend, reduce, &[&numbers(rows * columns, 9, 1.0), &numbers(columns, 10, 1.0)], &params);
        }
    }
}

#[test]
fn the_sum_of_twenty_million_ones_is_exact() {
    for software in [true, false] {
        let backend = open_tuned(Tuning { software: Some(software), ..Tuning::default() });
        let n = 20_000_000;
        let ones = contiguous(&[1]).expand("test", &shape(&[n])).unwrap();
        let got = run(
            &backend,
            &Kernel::Reduce(plain(ReduceOp::Sum, DType::F32, ones, 0)),
            &[(DType::F32, &[1.0])],
            &[],
            None,
        );
        assert_eq!(got[0], [20_000_000.0]);
    }
}

/// The epilogue that stores one float32.
fn epilogue(result: Expr) -> Epilogue {
    Epilogue { inputs: vec![], program: Program::new(&[result]), dtypes: vec![DType::F32] }
}

fn check_contract(backend: &WgpuBackend, a: Layout, b: Layout, sizes: [usize; 2]) {
    let epilogue = epilogue((Expr::input(0, Type::F32) + Expr::param(0, Type::F32)).max(Expr::param(1, Type::F32)));
    let contract = Contract { epilogue, params: vec![Type::F32, Type::F32], ..Contract::matrices(DType::F32, a, b) };
    let params = [Constant::new(0.5, Type::F32), Constant::new(-1.0, Type::F32)];
    let (x, y) = (numbers(sizes[0], 11, 1.0), numbers(sizes[1], 12, 1.0));
    eprintln!("{} x {}", contract.a.shape(), contract.b.shape());
    let want = reference::contract(&contract, &[&x, &y], &params).swap_remove(0);
    let k = contract.extents()[3] as f64;
    let got = run(backend, &Kernel::Contract(contract), &[(DType::F32, &x), (DType::F32, &y)], &params, None);
    assert_within(&got[0], &want, 1.3e-6, 1e-5 + 1e-7 * k.sqrt());
}

#[test]
fn contract_by_every_variant_shape_and_layout() {
    let variants = [
        (Some(Contraction::Tiled), false),
        (Some(Contraction::Wide), false),
        (Some(Contraction::Register), true),
        (Some(Contraction::Quad), true),
        (Some(Contraction::Simple), true),
        (None, false),
        (None, true),
    ];
    let mut cases = 0..;
    for (contract, software) in variants {
        let backend = open_tuned(Tuning { contract, software: Some(software), ..Tuning::default() });
        for (m, n, k) in [
            (1, 1, 1),
            (3, 5, 7),
            (65, 63, 17),
            (64, 64, 64),
            (1, 300, 40),
            (300, 1, 40),
            (4, 4, 3000),
            (33, 2, 1025),
            (5, 6, 0),
            (0, 4, 4),
            (130, 70, 33),
        ] {
            if !cases.next().is_some_and(|case| rotation::takes(case, EVERY)) {
                continue;
            }
            let (a, b) = (contiguous(&[m, k]), contiguous(&[k, n]));
            check_contract(&backend, a.clone(), b.clone(), [m * k, k * n]);
            check_contract(
                &backend,
                contiguous(&[k, m]).permute(&[1, 0]),
                contiguous(&[n, k]).permute(&[1, 0]),
                [m * k, k * n],
            );
            // Batches: separate ones, a shared one, and two dimensions that do not merge.
            let shared =
                |layout: &Layout, dims: &[usize]| layout.expand("test", &shape(&[&[3], dims].concat())).unwrap();
            check_contract(&backend, contiguous(&[3, m, k]), shared(&b, &[k, n]), [3 * m * k, k * n]);
            let permuted = contiguous(&[2, m, 3, k]).permute(&[2, 0, 1, 3]);
            check_contract(
                &backend,
                permuted,
                contiguous(&[2, 3, k, n]).permute(&[1, 0, 2, 3]),
                [6 * m * k, 6 * k * n],
            );
        }
        // An infinity next to a partial tile must not become NaN.
        let (a, b) = (contiguous(&[2, 3]), contiguous(&[3, 5]));
        let contract = Contract::matrices(DType::F32, a, b);
        let inputs = [vec![f64::INFINITY; 6], vec![1.0; 15]];
        let got = run(
            &backend,
            &Kernel::Contract(contract),
            &[(DType::F32, &inputs[0]), (DType::F32, &inputs[1])],
            &[],
            None,
        );
        assert!(got[0].iter().all(|&v| v == f64::INFINITY));
    }
}

#[test]
fn gather_by_every_type_and_layout() {
    let backend = backend();
    for dtype in [DType::Bool, DType::U8, DType::I32, DType::F32] {
        for dim in 0..3usize {
            for reversed in [false, true] {
                let source_shape = [3usize, 4, 5];
                let index_shape: Vec<usize> =
                    (0..3).map(|d| if d == dim { 7 } else { source_shape[d] - d % 2 }).collect();
                let source =
                    if reversed { contiguous(&[5, 4, 3]).permute(&[2, 1, 0]) } else { contiguous(&source_shape) };
                let stride = source.strides()[dim];
                let walk = Layout::new(
                    shape(&index_shape),
                    source.strides().iter().enumerate().map(|(d, &s)| if d == dim { 0 } else { s }),
                    0,
                );
                let values = if dtype == DType::F32 { numbers(60, 13, 9.0) } else { integers(60, 13, 0, 2) };
                let n = index_shape.iter().product();
                let index = integers(n, 14, 0, source_shape[dim] as i32);
                let gather = Gather {
                    shape: shape(&index_shape),
                    dtype,
                    source: walk,
                    stride,
                    extent: source_shape[dim],
                    index: contiguous(&index_shape),
                };
                let want = reference::gather(&gather, &values, &index);
                let got = run(&backend, &Kernel::Gather(gather), &[(dtype, &values), (DType::I32, &index)], &[], None);
                assert_eq!(got[0], want);
            }
        }
    }
    // No elements, and one element without dimensions.
    let none = Gather {
        shape: shape(&[0]),
        dtype: DType::F32,
        source: Layout::new(shape(&[0]), [0], 0),
        stride: 1,
        extent: 0,
        index: contiguous(&[0]),
    };
    assert!(run(&backend, &Kernel::Gather(none), &[(DType::F32, &[]), (DType::I32, &[])], &[], None)[0].is_empty());
    let one = Gather {
        shape: shape(&[]),
        dtype: DType::F32,
        source: contiguous(&[]),
        stride: 1,
        extent: 1,
        index: contiguous(&[]),
    };
    assert_eq!(run(&backend, &Kernel::Gather(one), &[(DType::F32, &[2.5]), (DType::I32, &[0.0])], &[], None)[0], [2.5]);
}

#[test]
fn scatter_by_every_op_type_and_shape() {
    let backend = backend();
    for op in [ScatterOp::Add, ScatterOp::Mul, ScatterOp::Max, ScatterOp::Min, ScatterOp::Set] {
        for dtype in [DType::Bool, DType::U8, DType::I32, DType::F32] {
            // Few positions with many values, and many positions with few values: the two variants.
            for extent in [2usize, 6, 50] {
                for dim in 0..3usize {
                    let s: [usize; 3] = [4, 6, 5];
                    let out: Vec<usize> = (0..3).map(|d| if d == dim { extent } else { s[d] + d }).collect();
                    let n = out.iter().product();
                    let values = if dtype == DType::F32 {
                        numbers(120, 15, 9.0)
                    } else {
                        integers(120, 15, 0, if dtype == DType::Bool { 2 } else { 200 })
                    };
                    let base = if dtype == DType::F32 { numbers(n, 16, 9.0) } else { integers(n, 16, 0, 2) };
                    let expanded = dim == 1;
                    let (index_layout, index_n) = if expanded {
                        (contiguous(&[6, 1]).expand("test", &shape(&s)).unwrap(), 6)
                    } else {
                        (contiguous(&s), 120)
                    };
                    let index = integers(index_n, 17, 0, extent as i32);
                    let scatter = Scatter {
                        shape: shape(&s),
                        dim,
                        dtype,
                        op,
                        source: contiguous(&[5, 6, 4]).permute(&[2, 1, 0]),
                        index: index_layout,
                        output: shape(&out),
                    };
                    let want = reference::scatter(&scatter, &values, &index, &base);
                    let got = run(
                        &backend,
                        &Kernel::Scatter(scatter),
                        &[(dtype, &values), (DType::I32, &index)],
                        &[],
                        Some(&base),
                    );
                    assert_close(&got[0], &want);
                }
            }
        }
    }
    // Many lines with an index each: a thread a line.
    for op in [ScatterOp::Add, ScatterOp::Max, ScatterOp::Set] {
        for dtype in [DType::Bool, DType::I32, DType::F32] {
            let limit = if dtype == DType::Bool { 2 } else { 200 };
            let (values, base) = (integers(5200, 18, 0, limit), integers(60 * 131, 19, 0, 2));
            let index = integers(5200, 20, 0, 60);
            let scatter = Scatter {
                shape: shape(&[40, 130]),
                dim: 0,
                dtype,
                op,
                source: contiguous(&[130, 40]).permute(&[1, 0]),
                index: contiguous(&[40, 130]),
                output: shape(&[60, 131]),
            };
            let want = reference::scatter(&scatter, &values, &index, &base);
            let inputs = [(dtype, &values[..]), (DType::I32, &index[..])];
            let got = run(&backend, &Kernel::Scatter(scatter), &inputs, &[], Some(&base));
            assert_eq!(got[0], want, "{op:?} {dtype}");
        }
    }
    let point = Scatter {
        shape: shape(&[]),
        dim: 0,
        dtype: DType::F32,
        op: ScatterOp::Add,
        source: contiguous(&[]),
        index: contiguous(&[]),
        output: shape(&[]),
    };
    assert_eq!(
        run(&backend, &Kernel::Scatter(point), &[(DType::F32, &[2.0]), (DType::I32, &[0.0])], &[], Some(&[1.0]))[0],
        [3.0]
    );
}

#[test]
fn many_values_scattered_to_one_element_keep_their_digits() {
    let backend = backend();
    let n = 100_000;
    let scatter = Scatter {
        shape: shape(&[n]),
        dim: 0,
        dtype: DType::F32,
        op: ScatterOp::Add,
        source: Layout::new(shape(&[n]), [0], 0),
        index: Layout::new(shape(&[n]), [0], 0),
        output: shape(&[3]),
    };
    let got = run(
        &backend,
        &Kernel::Scatter(scatter),
        &[(DType::F32, &[0.1]), (DType::I32, &[1.0])],
        &[],
        Some(&[1.0, 2.0, 3.0]),
    );
    assert_close(&got[0], &[1.0, 2.0 + f64::from(0.1f32) * n as f64, 3.0]);
}

#[test]
fn a_long_index_is_scattered_in_order() {
    let backend = backend();
    let n = 20_000;
    for (op, extent) in [(ScatterOp::Add, 30), (ScatterOp::Set, 30), (ScatterOp::Add, 30_000), (ScatterOp::Set, 30_000)]
    {
        let scatter = Scatter {
            shape: shape(&[n, 2]),
            dim: 0,
            dtype: DType::I32,
            op,
            source: contiguous(&[2, n]).permute(&[1, 0]),
            index: contiguous(&[n, 2]),
            output: shape(&[extent, 3]),
        };
        let (values, index, base) =
            (integers(2 * n, 20, -99, 99), integers(2 * n, 21, 0, extent as i32), integers(3 * extent, 22, -99, 99));
        let want = reference::scatter(&scatter, &values, &index, &base);
        assert_eq!(
            run(&backend, &Kernel::Scatter(scatter), &[(DType::I32, &values), (DType::I32, &index)], &[], Some(&base))
                [0],
            want
        );
    }
}

#[test]
fn indices_that_are_sorted_first_keep_their_order() {
    let backend = backend();
    // One index for all columns, one for each pair of columns, and one that needs several merges.
    for (n, columns, shared) in [(1500, 8, true), (1500, 4, false), (40_000, 1, true)] {
        for op in [ScatterOp::Add, ScatterOp::Max, ScatterOp::Set] {
            let extent = 700;
            let index_layout = if shared {
                contiguous(&[n, 1]).expand("test", &shape(&[n, columns])).unwrap()
            } else {
                contiguous(&[n, columns])
            };
            let scatter = Scatter {
                shape: shape(&[n, columns]),
                dim: 0,
                dtype: DType::I32,
                op,
                source: contiguous(&[columns, n]).permute(&[1, 0]),
                index: index_layout,
                output: shape(&[extent, columns + 1]),
            };
            let values = integers(columns * n, 20, -99, 99);
            let index = integers(if shared { n } else { n * columns }, 21, 0, extent as i32);
            let base = integers((columns + 1) * extent, 22, -99, 99);
            let want = reference::scatter(&scatter, &values, &index, &base);
            let buffers = [(DType::I32, &values[..]), (DType::I32, &index)];
            assert_eq!(
                run(&backend, &Kernel::Scatter(scatter), &buffers, &[], Some(&base))[0],
                want,
                "{n} {columns} {op:?}"
            );
        }
    }
}

#[test]
fn a_product_over_a_very_long_dimension() {
    for contract in
        [Contraction::Register, Contraction::Quad, Contraction::Tiled, Contraction::Wide, Contraction::Simple]
    {
        let backend = open_tuned(Tuning { contract: Some(contract), ..Tuning::default() });
        let k = 200_000;
        let operands = [Layout::new(shape(&[3, k]), [0, 0], 0), Layout::new(shape(&[k, 4]), [0, 0], 0)];
        let [a, b] = operands;
        let contract = Contract::matrices(DType::F32, a, b);
        let got = run(&backend, &Kernel::Contract(contract), &[(DType::F32, &[1.0]), (DType::F32, &[1.0])], &[], None);
        assert_eq!(got[0], [200_000.0; 12]);
    }
}

#[test]
fn copy_between_any_layouts() {
    let backend = backend();
    for (source, n) in layouts() {
        for (target, m) in layouts() {
            if target.overlaps_itself() {
                continue;
            }
            let copy = Copy { dtype: DType::F32, source: source.clone(), target };
            let (values, base) = (numbers(n, 18, 1.0), numbers(m, 19, 1.0));
            let want = reference::copy(&copy, &values, &base);
            assert_eq!(run(&backend, &Kernel::Copy(copy), &[(DType::F32, &values)], &[], Some(&base))[0], want);
        }
    }
}

#[test]
fn a_copy_keeps_the_bits_of_nan_and_subnormals() {
    let backend = backend();
    let values = [f64::from(f32::from_bits(1)), -0.0, f64::from(f32::from_bits(0x007f_ffff)), f64::INFINITY];
    let copy = Copy { dtype: DType::F32, source: contiguous(&[4]), target: contiguous(&[4]) };
    let got = run_bytes(&backend, &Kernel::Copy(copy), &[(DType::F32, &values)], &[], Some(&[0.0; 4]));
    assert_eq!(got[0].1, to_bytes(DType::F32, &values));
}

#[test]
fn one_buffer_may_be_read_twice() {
    let backend = backend();
    let (x, y) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
    let inputs: Vec<Operand> = (0..2).map(|_| operand(DType::F32, contiguous(&[4]))).collect();
    let map = Map {
        indices: vec![],
        shape: shape(&[4]),
        inputs,
        params: vec![],
        program: Program::new(&[x * y]),
        dtypes: vec![DType::F32],
    };
    let kernel = backend.compile("mul", &Kernel::Map(map), &[]).unwrap();
    let buffer = upload(&backend, DType::F32, &[1.0, 2.0, 3.0, 4.0]);
    let output = backend.allocate(16).unwrap();
    let launch = Launch {
        op: "mul",
        kernel,
        inputs: vec![buffer, buffer].into(),
        outputs: vec![output].into(),
        params: vec![].into(),
    };
    let submission = backend.submit(&[launch], &[Read { buffer: output, dtype: DType::F32, offset: 0, elements: 4 }]);
    let bytes = pollster::block_on(submission.reads.into_iter().next().unwrap()).unwrap();
    assert_eq!(from_bytes(DType::F32, &bytes), [1.0, 4.0, 9.0, 16.0]);
}

#[test]
fn everything_runs_under_the_default_limits() {
    let backend = open(Options { default_limits: true, ..Options::default() });
    assert_eq!(backend.capabilities().max_bindings, 7);
    let x = Expr::input(0, Type::F32);
    let sum = (1..6).fold(x, |sum, slot| sum + Expr::input(slot, Type::F32));
    let inputs: Vec<Operand> = (0..6).map(|_| operand(DType::F32, contiguous(&[100]))).collect();
    let map = Map {
        indices: vec![],
        shape: shape(&[100]),
        inputs,
        params: vec![],
        program: Program::new(&[sum]),
        dtypes: vec![DType::F32],
    };
    let values: Vec<Vec<f64>> = (0..6).map(|seed| numbers(100, seed, 1.0)).collect();
    check_map(&backend, map, &values.iter().map(Vec::as_slice).collect::<Vec<_>>(), &[]);
    check_contract(&backend, contiguous(&[70, 90]), contiguous(&[90, 80]), [6300, 7200]);
}

#[test]
fn types_of_64_bits_are_refused() {
    let backend = backend();
    for dtype in [DType::F64, DType::I64] {
        let map = Map {
            indices: vec![],
            shape: shape(&[1]),
            inputs: vec![operand(dtype, contiguous(&[1]))],
            params: vec![],
            program: identity(Type::from(dtype)),
            dtypes: vec![dtype],
        };
        let error = backend.compile("neg", &Kernel::Map(map), &[]).map(|_| ()).unwrap_err();
        assert!(error.is_dtype() && error.op() == "neg" && error.message().contains(dtype.name()), "{error}");
    }
}
