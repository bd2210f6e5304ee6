//! naga accepts every shader that can be printed. A few shaders are stored as snapshots, so that a
//! review shows changes to them.

use crate::common::*;
use lanthorn_ir::{
    DType, Kernel, Layout,
    backend::Tuner,
    expr::{BinaryOp, Expr, Program, Type, UnaryOp},
    kernel::{
        Contract, Copy, Epilogue, Gather, Map, Reduce, ReduceOp, Scan, ScanOp, Scatter, ScatterOp, Sort, identity,
    },
};
use lanthorn_wgpu::{Contraction, Tuning, WgpuBackend};

fn pointwise(program: &Program, inputs: &[Type]) -> Kernel {
    let dtype = |ty: Type| match ty {
        Type::Bool => DType::Bool,
        Type::U8 => DType::U8,
        Type::F32 => DType::F32,
        _ => DType::I32,
    };
    Kernel::Map(Map {
        indices: vec![],
        shape: shape(&[3, 4]),
        inputs: inputs.iter().map(|&ty| operand(dtype(ty), contiguous(&[4, 3]).permute(&[1, 0]))).collect(),
        params: vec![Type::F32, Type::Bool],
        program: program.clone(),
        dtypes: program.outputs.iter().map(|&o| dtype(program.ty(o))).collect(),
    })
}

/// The epilogue that stores one float32.
fn epilogue(result: Expr) -> Epilogue {
    Epilogue { inputs: vec![], program: Program::new(&[result]), dtypes: vec![DType::F32] }
}

fn check(backend: &WgpuBackend, kernel: &Kernel) -> usize {
    let shaders = backend.shaders("test", kernel).unwrap();
    shaders.iter().for_each(|source| validate(source));
    shaders.len()
}

#[test]
fn every_function_of_every_type() {
    let backend = backend();
    let types = [Type::Bool, Type::U8, Type::I32, Type::F32];
    let mut printed = 0;
    for ty in types {
        let (x, y) = (Expr::input(0, ty), Expr::input(1, ty));
        for &op in BinaryOp::ALL.iter().filter(|op| !matches!(op, BinaryOp::Normal | BinaryOp::CheckIndex)) {
            let kernel = pointwise(&Program::new(&[x.binary(op, &y)]), &[ty, ty]);
            printed += backend
                .shaders("test", &kernel)
                .map_or(0, |shaders| shaders.iter().map(|source| validate(source)).count());
        }
        for to in types {
            check(&backend, &pointwise(&Program::new(&[x.cast(to), x.cast(Type::U32).cast(to)]), &[ty]));
        }
        check(&backend, &pointwise(&Program::new(&[x.is_nan().select(&x, &y)]), &[ty, ty]));
    }
    assert!(printed > 4 * 12);
    for &op in UnaryOp::ALL.iter().filter(|op| !matches!(op, UnaryOp::Not | UnaryOp::IsNan)) {
        let root = Expr::input(0, Type::F32).unary(op);
        check(&backend, &pointwise(&Program::new(&[root]), &[Type::F32]));
    }
}

#[test]
fn every_kernel_kind_and_variant() {
    let variants = [
        Tuning::default(),
        Tuning { software: Some(false), ..Tuning::default() },
        Tuning { contract: Some(Contraction::Tiled), ..Tuning::default() },
        Tuning { contract: Some(Contraction::Wide), ..Tuning::default() },
        Tuning { contract: Some(Contraction::Register), ..Tuning::default() },
        Tuning { contract: Some(Contraction::Quad), ..Tuning::default() },
    ];
    for tuning in variants {
        let backend = open_tuned(tuning);
        for dtype in [DType::Bool, DType::U8, DType::I32, DType::F32] {
            let ty = Type::from(dtype);
            for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::ArgMax, ReduceOp::ArgMin]
            {
                for (outer, inner) in [(5, 7), (1, 1_000_000)] {
                    let reduce = Reduce {
                        indices: vec![],
                        outer: shape(&[outer]),
                        inner: shape(&[inner]),
                        inputs: vec![operand(dtype, contiguous(&[outer, inner]))],
                        params: vec![],
                        prologue: identity(ty),
                        op,
                        epilogue: if op.is_index() {
                            Epilogue::store(Type::I32, DType::I32)
                        } else {
                            Epilogue::store(ty, dtype)
                        },
                    };
                    assert_eq!(check(&backend, &Kernel::Reduce(reduce)), if inner == 7 { 1 } else { 2 });
                }
            }
            for op in [ScatterOp::Add, ScatterOp::Mul, ScatterOp::Max, ScatterOp::Min, ScatterOp::Set] {
                for extent in [2, 50] {
                    let layout = contiguous(&[8, 3]);
                    let scatter = Scatter {
                        shape: shape(&[8, 3]),
                        dim: 0,
                        dtype,
                        op,
                        source: layout.clone(),
                        index: layout,
                        output: shape(&[extent, 4]),
                    };
                    check(&backend, &Kernel::Scatter(scatter));
                }
            }
            for op in [ScatterOp::Add, ScatterOp::Set] {
                // Two lines that share an index take a sort of runs, two merges and the scatter. 64
                // lines with an index each take a thread a line.
                let shared = Layout::new(shape(&[5000, 2]), [1, 0], 0);
                for (lines, index, passes) in [(2, shared, 4), (64, contiguous(&[5000, 64]), 1)] {
                    let scatter = Scatter {
                        shape: shape(&[5000, lines]),
                        dim: 0,
                        dtype,
                        op,
                        source: contiguous(&[5000, lines]),
                        index,
                        output: shape(&[5000, lines]),
                    };
                    assert_eq!(check(&backend, &Kernel::Scatter(scatter)), passes);
                }
            }
            let walk = Layout::new(shape(&[2, 3]), [0, 1], 0);
            check(
                &backend,
                &Kernel::Gather(Gather {
                    shape: shape(&[2, 3]),
                    dtype,
                    source: walk,
                    stride: 3,
                    extent: 5,
                    index: contiguous(&[3, 2]).permute(&[1, 0]),
                }),
            );
            check(
                &backend,
                &Kernel::Copy(Copy {
                    dtype,
                    source: contiguous(&[3, 2]).permute(&[1, 0]),
                    target: contiguous(&[2, 3]),
                }),
            );
        }
        for (m, n, k) in [(100, 100, 100), (5, 5, 10_000), (1, 10, 10)] {
            let b = contiguous(&[1, k, n]).expand("test", &shape(&[2, k, n])).unwrap();
            let contract = Contract {
                epilogue: epilogue(Expr::input(0, Type::F32) * Expr::param(0, Type::F32)),
                params: vec![Type::F32],
                ..Contract::matrices(DType::F32, contiguous(&[2, m, k]), b)
            };
            check(&backend, &Kernel::Contract(contract));
        }
    }
}

#[test]
fn a_kernel_is_compiled_by_each_of_its_variants() {
    let backend = backend();
    let names = |kernel: &Kernel| {
        let variants = backend.variants(kernel);
        variants.iter().for_each(|&variant| drop(backend.compile_variant("test", kernel, &[], variant.name).unwrap()));
        variants.iter().map(|variant| variant.name).collect::<Vec<_>>()
    };
    let product = Contract::matrices(DType::F32, contiguous(&[8, 8]), contiguous(&[8, 8]));
    assert_eq!(names(&Kernel::Contract(product)), ["tiled", "wide", "register", "quad", "simple"]);
    let nothing = Contract::matrices(DType::F32, contiguous(&[0, 8]), contiguous(&[8, 8]));
    assert_eq!(names(&Kernel::Contract(nothing)), ["tiled"]);
    let doubles = Contract::matrices(DType::F64, contiguous(&[8, 8]), contiguous(&[8, 8]));
    assert!(names(&Kernel::Contract(doubles)).is_empty());
    let copy = Copy { dtype: DType::F32, source: contiguous(&[4]), target: contiguous(&[4]) };
    assert_eq!(names(&Kernel::Copy(copy)), ["only"]);
}

#[test]
fn a_fused_map_as_text() {
    let backend = open_tuned(Tuning { software: Some(false), ..Tuning::default() });
    let (x, b) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
    let z = &x + &b;
    let silu = &z * z.sigmoid() * Expr::param(0, Type::F32);
    let s = shape(&[3, 4]);
    let map = Map {
        indices: vec![],
        shape: s.clone(),
        inputs: vec![
            operand(DType::F32, contiguous(&[3, 4])),
            operand(DType::F32, contiguous(&[4]).expand("test", &s).unwrap()),
        ],
        params: vec![Type::F32],
        program: Program::new(&[silu, z.gt(Expr::constant(f64::NEG_INFINITY, Type::F32))]),
        dtypes: vec![DType::F32, DType::Bool],
    };
    insta::assert_snapshot!(backend.shaders("silu", &Kernel::Map(map)).unwrap().join("\n----\n"));
}

#[test]
fn a_reduction_as_text() {
    let backend = open_tuned(Tuning { software: Some(false), ..Tuning::default() });
    let reduce = Reduce {
        indices: vec![],
        outer: shape(&[2]),
        inner: shape(&[100_000]),
        inputs: vec![operand(DType::F32, contiguous(&[2, 100_000]))],
        params: vec![Type::F32],
        prologue: Program::new(&[Expr::input(0, Type::F32).square()]),
        op: ReduceOp::Sum,
        epilogue: epilogue((Expr::input(0, Type::F32) * Expr::param(0, Type::F32)).sqrt()),
    };
    insta::assert_snapshot!(backend.shaders("norm", &Kernel::Reduce(reduce)).unwrap().join("\n----\n"));
}

#[test]
fn a_scan_as_text() {
    let backend = open_tuned(Tuning { software: Some(false), ..Tuning::default() });
    let scan = Scan {
        indices: vec![],
        shape: shape(&[2, 100_000]),
        dim: 1,
        reverse: true,
        inputs: vec![operand(DType::F32, contiguous(&[2, 100_000]))],
        params: vec![],
        prologue: Program::new(&[Expr::input(0, Type::F32).square()]),
        op: ScanOp::Max,
        dtype: DType::F32,
    };
    insta::assert_snapshot!(backend.shaders("cummax", &Kernel::Scan(scan)).unwrap().join("\n----\n"));
}

#[test]
fn a_sort_as_text() {
    let backend = backend();
    let sort = Sort { dtype: DType::F32, source: contiguous(&[3000, 2]), dim: 0, descending: true };
    insta::assert_snapshot!(backend.shaders("sort", &Kernel::Sort(sort)).unwrap().join("\n----\n"));
}

#[test]
fn parameters_are_no_part_of_the_text() {
    let backend = backend();
    let text = |dims: &[usize], offset: usize| {
        let map = Map {
            indices: vec![],
            shape: shape(dims),
            inputs: vec![operand(
                DType::F32,
                Layout::new(
                    shape(dims),
                    contiguous(&[dims[1], dims[0]]).permute(&[1, 0]).strides().iter().copied(),
                    offset,
                ),
            )],
            params: vec![Type::F32],
            program: Program::new(&[Expr::input(0, Type::F32) + Expr::param(0, Type::F32)]),
            dtypes: vec![DType::F32],
        };
        backend.shaders("add", &Kernel::Map(map)).unwrap()
    };
    assert_eq!(text(&[3, 4], 4), text(&[70, 1000], 12));
    assert_eq!(text(&[3, 5], 1), text(&[70, 1001], 12));
}
