//! Every kernel that can be printed as CUDA C++ is valid C++, by g++ with a header that declares what CUDA builds in. What the kernels compute is tested where they run.
#![cfg(feature = "cuda")]
#![allow(missing_docs)]

use lanthorn_ir::{
    DType, Kernel, Layout, Shape,
    expr::{BinaryOp, Expr, Program, Type, UnaryOp},
    kernel::{
        Copy, Epilogue, Gather, Map, Maps, Operand, Reduce, ReduceOp, Row, Scan, ScanOp, Scatter, ScatterOp, Sort, Window, identity,
    },
};
use lanthorn_kernels::{Language, Target, Tuning, Variant, plan};
use std::{collections::BTreeSet, fs, process::Command};

const TARGET: Target = Target {
    language: Language::Cuda,
    software: false,
    quads: false,
    max_groups: 65_535,
    max_scratch_bytes: 64 << 20,
    max_buffer_bytes: 1 << 32,
    tuning: Tuning { contract: None, reduce: None, rows: None, software: None },
};

const TYPES: [Type; 6] = [Type::Bool, Type::U8, Type::I32, Type::I64, Type::F32, Type::F64];

/// The texts of all variants of kernels that have one.
fn texts(kernels: impl IntoIterator<Item = Kernel>) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    for kernel in kernels {
        let variants = Variant::of(&kernel, &TARGET);
        // Where there is none it must be the type's fault.
        if variants.is_empty() {
            assert!(plan("test", &kernel, &[], &TARGET).unwrap_err().is_dtype(), "{kernel:?}");
        }
        for variant in variants {
            texts.extend(
                plan("test", &kernel, &[], &TARGET.tuned(variant.tuning)).unwrap().passes.into_iter().map(|pass| pass.source),
            );
        }
    }
    texts
}

/// Holds texts to C++, and asserts that there are `at_least` so many different ones.
fn compile(name: &str, kernels: impl IntoIterator<Item = Kernel>, at_least: usize) {
    let texts = texts(kernels);
    assert!(texts.len() >= at_least, "{name}: {} texts", texts.len());
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // Left from an earlier run, if it is there.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let files: Vec<_> = (0..texts.len()).map(|at| folder.join(format!("{at}.cpp"))).collect();
    texts.iter().zip(&files).for_each(|(text, file)| fs::write(file, text).unwrap());
    for files in files.chunks(50) {
        let mut compiler = Command::new("g++");
        let compiler =
            compiler.args(["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-unknown-pragmas"]);
        let header = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cuda.h");
        let output = compiler.args(["-include", header]).args(files).output().expect("g++");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn shape(dims: &[usize]) -> Shape {
    Shape::from_dims(dims.iter().copied())
}

fn contiguous(dims: &[usize]) -> Layout {
    Layout::contiguous(shape(dims))
}

fn dtype(ty: Type) -> DType {
    match ty {
        Type::Bool => DType::Bool,
        Type::U8 => DType::U8,
        Type::I64 => DType::I64,
        Type::F32 => DType::F32,
        Type::F64 => DType::F64,
        Type::I32 | Type::U32 => DType::I32,
    }
}

/// A map over a transposed matrix, so that each element is read by itself.
fn pointwise(program: Program, inputs: &[DType]) -> Kernel {
    Kernel::Map(Map {
        shape: shape(&[3, 4]),
        inputs: inputs.iter().map(|&dtype| Operand::new(dtype, contiguous(&[4, 3]).permute(&[1, 0]))).collect(),
        params: vec![Type::F64, Type::Bool, Type::I64],
        dtypes: program.outputs.iter().map(|&o| dtype(program.ty(o))).collect(),
        program,
    })
}

/// A row of an image with a border, as a convolution reads it.
fn windowed(dtype: DType) -> Operand {
    let window = |divisor| Window { steps: [1, 2].into_iter().collect(), start: -1, divisor, size: 3, stride: 1 };
    Operand {
        layout: Layout::new(shape(&[4, 2]), [0, 0], 4),
        windows: vec![window(1), window(2), window(3)],
        ..Operand::new(dtype, contiguous(&[0]))
    }
}

#[test]
fn functions_of_one_value_and_conversions() {
    let mut kernels = Vec::new();
    for ty in TYPES {
        let x = Expr::input(0, ty);
        for to in TYPES.into_iter().chain([Type::U32]) {
            kernels.push(pointwise(Program::new(&[x.cast(to), x.cast(Type::U32).cast(to)]), &[dtype(ty)]));
        }
        for &op in UnaryOp::ALL {
            let node = lanthorn_ir::expr::Node::Unary(op, x.clone());
            let result = op.result(ty);
            kernels.push(pointwise(Program::new(&[Expr::from_node(node, result)]), &[dtype(ty)]));
        }
    }
    for half in [DType::F16, DType::BF16] {
        let x = Expr::input(0, Type::F32);
        let Kernel::Map(map) = pointwise(Program::new(&[x.stored(half), x.exp()]), &[half]) else { unreachable!() };
        kernels.push(Kernel::Map(Map { dtypes: vec![half, half], ..map }));
    }
    compile("unary", kernels, 100);
}

#[test]
fn functions_of_two_values() {
    let mut kernels = Vec::new();
    for ty in TYPES.into_iter().chain([Type::U32]) {
        let (x, y) = (Expr::input(0, dtype(ty).into()).cast(ty), Expr::input(1, dtype(ty).into()).cast(ty));
        for &op in BinaryOp::ALL {
            let node = lanthorn_ir::expr::Node::Binary(op, x.clone(), y.clone());
            kernels.push(pointwise(Program::new(&[Expr::from_node(node, op.result(ty))]), &[dtype(ty); 2]));
        }
        kernels.push(pointwise(Program::new(&[x.binary(BinaryOp::Eq, &y).select(&x, &y)]), &[dtype(ty); 2]));
    }
    compile("binary", kernels, 100);
}

#[test]
fn maps_of_every_walk() {
    let mut kernels = Vec::new();
    for dtype in DType::ALL {
        let ty = Type::from(dtype);
        let sum = Program::new(&[Expr::input(0, ty).binary(BinaryOp::Add, Expr::input(1, ty))]);
        let map = |inputs: [Operand; 2]| Map {
            shape: inputs[0].shape().clone(),
            inputs: inputs.to_vec(),
            params: vec![ty],
            program: sum.clone(),
            dtypes: vec![dtype],
        };
        let operand = |layout| Operand::new(dtype, layout);
        let row = contiguous(&[8]).expand("test", &shape(&[4, 8])).unwrap();
        let column = Layout::new(shape(&[4, 8]), [1, 0], 3);
        let maps = vec![
            map([operand(contiguous(&[4, 8])), operand(row)]),
            map([operand(contiguous(&[8, 4]).permute(&[1, 0])), operand(column)]),
            map([windowed(dtype), operand(contiguous(&[4, 2]))]),
        ];
        kernels.push(Kernel::Maps(Maps::new(maps.clone())));
        kernels.extend(maps.into_iter().map(Kernel::Map));
        for (source, target) in [([8, 1], [8, 1]), ([1, 4], [8, 1]), ([-8, 1], [16, 2])] {
            let layout = |strides: [isize; 2], offset| Layout::new(shape(&[4, 8]), strides, offset);
            kernels.push(Kernel::Copy(Copy { dtype, source: layout(source, 24), target: layout(target, 0) }));
        }
        kernels.push(Kernel::Gather(Gather {
            shape: shape(&[2, 3]),
            dtype,
            source: Layout::new(shape(&[2, 3]), [0, 1], 0),
            stride: 3,
            extent: 5,
            index: contiguous(&[3, 2]).permute(&[1, 0]),
        }));
    }
    compile("walks", kernels, 45);
}

#[test]
fn reductions_rows_and_scans() {
    let mut kernels = Vec::new();
    for dtype in DType::ALL {
        let ty = Type::from(dtype);
        for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::ArgMax, ReduceOp::ArgMin] {
            let epilogue = || if op.is_index() { Epilogue::store(Type::I32, DType::I32) } else { Epilogue::store(ty, dtype) };
            for (outer, inner) in [(5, 7), (5, 100), (1, 1_000_000)] {
                let along = contiguous(&[outer, inner]);
                let across = contiguous(&[inner, outer]).permute(&[1, 0]);
                kernels.extend([along, across].map(|layout| {
                    Kernel::Reduce(Reduce {
                        outer: shape(&[outer]),
                        inner: shape(&[inner]),
                        inputs: vec![Operand::new(dtype, layout)],
                        params: vec![],
                        prologue: identity(ty),
                        op,
                        epilogue: epilogue(),
                    })
                }));
            }
        }
        let x = Expr::input(0, ty);
        for length in [6, 500, 20_000] {
            kernels.push(Kernel::Row(Row {
                outer: shape(&[5]),
                inner: shape(&[length]),
                inputs: vec![Operand::new(dtype, contiguous(&[5, length]))],
                params: vec![ty],
                reductions: vec![
                    (ReduceOp::Max, identity(ty)),
                    (ReduceOp::Sum, Program::new(&[x.binary(BinaryOp::Mul, Expr::input(1, ty))])),
                    (ReduceOp::ArgMin, identity(ty)),
                ],
                rows: Program::new(&[Expr::input(2, ty), Expr::input(3, Type::I32)]),
                row_dtypes: vec![dtype, DType::I32],
                elements: Program::new(&[x.binary(BinaryOp::Mul, Expr::param(0, ty))]),
                element_dtypes: vec![dtype],
                target: contiguous(&[5, length]),
            }));
        }
        if dtype.is_half() {
            continue;
        }
        for op in [ScanOp::Sum, ScanOp::Prod, ScanOp::Max, ScanOp::Min, ScanOp::Recurrence] {
            let prologue = match op {
                ScanOp::Recurrence if !dtype.is_floating_point() => continue,
                ScanOp::Recurrence => Program::new(&[x.clone(), x.clone() * x.clone()]),
                _ => identity(ty),
            };
            for length in [20, 100_000] {
                kernels.push(Kernel::Scan(Scan {
                    shape: shape(&[length, 2]),
                    dim: 0,
                    reverse: length == 20,
                    inputs: vec![Operand::new(dtype, contiguous(&[length, 2]))],
                    params: vec![ty],
                    prologue: prologue.clone(),
                    op,
                    dtype,
                }));
            }
        }
    }
    compile("reductions", kernels, 200);
}

#[test]
fn sorts_and_scatters() {
    let mut kernels = Vec::new();
    for dtype in DType::ALL {
        for (length, descending) in [(100, false), (3000, true), (10_000, false)] {
            kernels.push(Kernel::Sort(Sort { dtype, source: contiguous(&[length, 2]), dim: 0, descending }));
        }
        for op in [ScatterOp::Add, ScatterOp::Mul, ScatterOp::Max, ScatterOp::Min, ScatterOp::Set] {
            for [length, extent] in [[8, 2], [8, 50], [10_000, 10_000]] {
                if dtype.is_half() && op != ScatterOp::Set {
                    continue;
                }
                let layout = contiguous(&[length, 3]);
                kernels.push(Kernel::Scatter(Scatter {
                    shape: shape(&[length, 3]),
                    dim: 0,
                    dtype,
                    op,
                    source: layout.clone(),
                    index: layout,
                    output: shape(&[extent, 4]),
                }));
            }
        }
    }
    compile("sorts", kernels, 100);
}
