//! Kernels of every kind, type and memory layout: generated sources are compiled from them, and
//! backends are compared on them.

pub mod affine;

use crate::{contiguous, shape};
use lanthorn_ir::{
    DType, Kernel, Layout,
    expr::{BinaryOp, Expr, Program, Type, UnaryOp},
    kernel::{
        Attention, AttentionGradient, AttentionPass, BoundedIndex, Contract, Copy, Epilogue, FusedReduction, Gather,
        Horizontal, Map, Operand, Prologue, Reduce, ReduceOp, Scan, ScanOp, Scatter, ScatterOp, Sort, identity,
    },
};

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

const TYPES: [Type; 6] = [Type::Bool, Type::U8, Type::I32, Type::I64, Type::F32, Type::F64];

/// A map over a transposed matrix, so that elements are read one by one.
fn pointwise(program: Program, inputs: &[DType]) -> Kernel {
    Kernel::Map(Map {
        indices: vec![],
        shape: shape(&[30, 8]),
        inputs: inputs.iter().map(|&dtype| Operand::new(dtype, contiguous(&[8, 30]).permute(&[1, 0]))).collect(),
        params: vec![Type::F64, Type::Bool, Type::I64],
        dtypes: program.outputs.iter().map(|&o| dtype(program.ty(o))).collect(),
        program,
    })
}

/// A row of an image with a border, as a convolution reads it.
fn window_of(dtype: DType) -> Operand {
    let bound = |divisor| BoundedIndex { steps: [1, 2].into_iter().collect(), start: -1, divisor, size: 3, stride: 1 };
    Operand {
        layout: Layout::new(shape(&[4, 2]), [0, 0], 4),
        bounded: vec![bound(1), bound(2), bound(3)],
        ..Operand::new(dtype, contiguous(&[0]))
    }
}

/// Each function of one value, and each conversion, of each type.
pub fn unary() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for ty in TYPES {
        let x = Expr::input(0, ty);
        for to in TYPES.into_iter().chain([Type::U32]) {
            kernels.push(pointwise(Program::new(&[x.cast(to), x.cast(Type::U32).cast(to)]), &[dtype(ty)]));
        }
        for &op in UnaryOp::ALL {
            if ty == Type::Bool && !matches!(op, UnaryOp::Not | UnaryOp::Abs | UnaryOp::Sign | UnaryOp::IsNan) {
                continue;
            }
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
    kernels
}

/// Each function of two values of each type.
pub fn binary() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for ty in TYPES.into_iter().chain([Type::U32]) {
        let (x, y) = (Expr::input(0, dtype(ty).into()).cast(ty), Expr::input(1, dtype(ty).into()).cast(ty));
        // A separate test checks the error of an index out of range.
        for &op in BinaryOp::ALL.iter().filter(|&&op| op != BinaryOp::CheckIndex) {
            let node = lanthorn_ir::expr::Node::Binary(op, x.clone(), y.clone());
            kernels.push(pointwise(Program::new(&[Expr::from_node(node, op.result(ty))]), &[dtype(ty); 2]));
        }
        kernels.push(pointwise(Program::new(&[x.binary(BinaryOp::Eq, &y).select(&x, &y)]), &[dtype(ty); 2]));
    }
    kernels
}

/// Elements read and moved through layouts of every kind.
pub fn layouts() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for dtype in DType::ALL {
        let ty = Type::from(dtype);
        let sum = Program::new(&[Expr::input(0, ty).binary(BinaryOp::Add, Expr::input(1, ty))]);
        let map = |inputs: [Operand; 2]| Map {
            indices: vec![],
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
            map([window_of(dtype), operand(contiguous(&[4, 2]))]),
        ];
        kernels.push(Kernel::Maps(Horizontal::of_maps(maps.clone())));
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
    kernels
}

/// Kernels that combine elements, of each type and length.
pub fn reductions() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for dtype in DType::ALL {
        let ty = Type::from(dtype);
        for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::ArgMax, ReduceOp::ArgMin] {
            let epilogue =
                || if op.is_index() { Epilogue::store(Type::I32, DType::I32) } else { Epilogue::store(ty, dtype) };
            let along = |outer, inner| contiguous(&[outer, inner]);
            // A thread an output, a warp, blocks and a second pass; for two ops the same across
            // memory.
            let mut layouts = vec![along(5, 7), along(5, 100), along(1, 20_000)];
            if matches!(op, ReduceOp::Sum | ReduceOp::ArgMax) {
                layouts.extend([[5, 100], [1, 20_000]].map(|[outer, inner]| along(inner, outer).permute(&[1, 0])));
            }
            kernels.extend(layouts.into_iter().map(|layout| {
                Kernel::Reduce(Reduce {
                    indices: vec![],
                    outer: shape(&layout.shape()[..1]),
                    inner: shape(&layout.shape()[1..]),
                    inputs: vec![Operand::new(dtype, layout)],
                    params: vec![],
                    prologue: identity(ty),
                    op,
                    epilogue: epilogue(),
                })
            }));
        }
        let x = Expr::input(0, ty);
        for length in [6, 500, 20_000] {
            kernels.push(Kernel::FusedReduction(FusedReduction {
                indices: vec![],
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
        if dtype != dtype.computed() {
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
                    indices: vec![],
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
    kernels
}

/// Sorts and scatters of each type and length.
pub fn sorts() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for dtype in DType::ALL {
        for (length, descending) in [(100, false), (3000, true), (10_000, false)] {
            kernels.push(Kernel::Sort(Sort { dtype, source: contiguous(&[length, 2]), dim: 0, descending }));
        }
        for op in [ScatterOp::Add, ScatterOp::Mul, ScatterOp::Max, ScatterOp::Min, ScatterOp::Set] {
            for [length, extent, lines] in [[8, 2, 3], [8, 50, 3], [10_000, 10_000, 3], [100, 90, 1500]] {
                let is_moved = op == ScatterOp::Set;
                if (dtype != dtype.computed() && !is_moved) || (lines > 3 && dtype != DType::F32) {
                    continue;
                }
                let layout = contiguous(&[length, lines]);
                kernels.push(Kernel::Scatter(Scatter {
                    shape: shape(&[length, lines]),
                    dim: 0,
                    dtype,
                    op,
                    source: layout.clone(),
                    index: layout,
                    output: shape(&[extent, lines + 1]),
                }));
            }
        }
    }
    kernels
}

/// Products of each floating-point type, size and layout, and a convolution.
pub fn products() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        let ty = Type::from(dtype);
        let residual = |[batch, m, n]: [usize; 3]| Epilogue {
            inputs: vec![
                Operand::new(dtype, contiguous(&[batch, m, n])),
                Operand::new(dtype, Layout::new(shape(&[batch, m, n]), [0, 0, 1], 0)),
            ],
            program: Program::new(&[
                Expr::input(0, ty) * Expr::param(0, ty) + Expr::input(1, ty),
                Expr::input(2, ty).max(0.0),
            ]),
            dtypes: vec![dtype, dtype],
        };
        for [batch, m, n, k] in [[1, 130, 140, 36], [2, 70, 68, 19], [1, 20, 20, 1100], [1, 3, 40, 50], [3, 1, 8, 8]] {
            // Each operand is contiguous along k, or across it.
            for turned in [[false, false], [true, false], [false, true], [true, true]] {
                if dtype != DType::F32 && turned[0] == turned[1] {
                    continue;
                }
                let layout = |[rows, columns]: [usize; 2], turned| match turned {
                    true => contiguous(&[batch, columns, rows]).permute(&[0, 2, 1]),
                    false => contiguous(&[batch, rows, columns]),
                };
                let product = Contract::matrices(dtype, layout([m, k], turned[0]), layout([k, n], turned[1]));
                kernels.push(Kernel::Contract(match turned {
                    [true, false] => Contract { params: vec![ty], epilogue: residual([batch, m, n]), ..product },
                    _ => product,
                }));
            }
        }
        // Three channels of 10 x 10 with a border of one, six filters of 3 x 3, stride 2.
        let bound = |steps: [isize; 5], stride| BoundedIndex {
            steps: steps.into_iter().collect(),
            start: -1,
            divisor: 1,
            size: 10,
            stride,
        };
        let space = shape(&[3, 3, 3, 5, 5]);
        let image = Operand {
            layout: Layout::new(space, [100, 0, 0, 0, 0], 0),
            bounded: vec![bound([0, 1, 0, 2, 0], 10), bound([0, 0, 1, 0, 2], 1)],
            ..Operand::new(dtype, contiguous(&[0]))
        };
        kernels.push(Kernel::Contract(Contract {
            batch: shape(&[]),
            m: shape(&[6]),
            n: shape(&[5, 5]),
            k: shape(&[3, 3, 3]),
            a: Operand::new(dtype, contiguous(&[6, 3, 3, 3])),
            b: image,
            prologues: [None, None],
            params: vec![],
            epilogue: Epilogue::store(ty, dtype),
        }));
    }
    kernels
}

/// Products with prologues over operands with equal index expressions, operands repeated along a
/// row or a column, and bounded indices.
pub fn prologues() -> Vec<Kernel> {
    let x = |slot: usize| Expr::input(slot, Type::F32);
    let prologue =
        |inputs: Vec<Operand>, result: Expr| Some(Box::new(Prologue { inputs, program: Program::new(&[result]) }));
    let along = |operand: &Operand, dtype: DType, kept: usize| {
        let strides =
            operand.layout.strides().iter().enumerate().map(|(d, &stride)| if d == kept { stride } else { 0 });
        Operand::new(dtype, Layout::new(operand.shape().clone(), strides, 0))
    };
    let mut kernels = Vec::new();
    for [batch, m, n, k] in
        [[1, 130, 140, 36], [2, 20, 24, 19], [1, 20, 20, 1100], [1, 2, 40, 64], [2, 1, 40, 64], [1, 40, 1, 70]]
    {
        for turned in [[false, false], [true, true]] {
            let layout = |[rows, columns]: [usize; 2], turned| match turned {
                true => contiguous(&[batch, columns, rows]).permute(&[0, 2, 1]),
                false => contiguous(&[batch, rows, columns]),
            };
            let plain = Contract::matrices(DType::F32, layout([m, k], turned[0]), layout([k, n], turned[1]));
            let beside = |operand: &Operand, dtype| Operand::new(dtype, operand.layout.clone());
            let masked = |operand: &Operand| {
                prologue(
                    vec![beside(operand, DType::Bool)],
                    Expr::input(1, Type::Bool).select(x(0) * Expr::param(0, Type::F32), 0.0),
                )
            };
            kernels.push(Contract { prologues: [prologue(vec![], x(0).max(0.0)), None], ..plain.clone() });
            kernels.push(Contract { prologues: [None, masked(&plain.b)], params: vec![Type::F32], ..plain.clone() });
            kernels.push(Contract {
                prologues: [masked(&plain.a), prologue(vec![beside(&plain.b, DType::F16)], x(0) * x(1))],
                params: vec![Type::F32],
                ..plain.clone()
            });
            // A number for each row or column, and one for each step of k.
            for kept in [1, 2] {
                let [a, b] =
                    [&plain.a, &plain.b].map(|operand| prologue(vec![along(operand, DType::F32, kept)], x(0) + x(1)));
                kernels.push(Contract { prologues: [a, b], ..plain.clone() });
            }
            let flags = prologue(vec![], Expr::input(0, Type::Bool).cast(Type::F32));
            kernels.push(Contract { a: beside(&plain.a, DType::Bool), prologues: [flags, None], ..plain.clone() });
        }
    }
    for kernel in products() {
        let Kernel::Contract(plain) = kernel else { continue };
        if plain.a.encoding != DType::F32 || plain.b.is_strided() {
            continue;
        }
        // A number for each channel. Its image has no padding.
        let strides = plain.b.layout.strides().iter().map(|&stride| isize::from(stride == 100));
        let channel = Operand {
            layout: Layout::new(plain.b.shape().clone(), strides, 0),
            bounded: plain.b.bounded.iter().map(|bound| BoundedIndex { stride: 0, ..bound.clone() }).collect(),
            ..plain.b.clone()
        };
        let shifted = prologue(vec![channel], (x(0) + x(1)).max(0.5));
        kernels.push(Contract { prologues: [None, shifted], ..plain.clone() });
        // A single filter, which is a reduction elsewhere.
        let row = Contract { m: shape(&[1]), a: Operand::new(DType::F32, contiguous(&[1, 3, 3, 3])), ..plain.clone() };
        kernels.push(Contract { prologues: [None, prologue(vec![], x(0) + 1.0)], ..row });
    }
    kernels.into_iter().map(Kernel::Contract).collect()
}

/// Attention in each direction, with each kind of mask, and heads of several widths; then with key
/// lengths, windows and soft caps.
pub fn attentions() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for dtype in [DType::F32, DType::F64] {
        for ([m, n], [d, e], causal, mask, [lengths, windowed, capped]) in [
            ([70, 70], [16, 16], true, None, [false; 3]),
            ([40, 75], [64, 64], false, Some(DType::Bool), [false; 3]),
            ([33, 36], [128, 100], false, Some(dtype), [false; 3]),
            ([20, 9], [5, 7], true, Some(dtype), [false; 3]),
            ([9, 150], [80, 32], false, None, [false; 3]),
            ([1, 9], [16, 16], false, None, [true, false, false]),
            ([7, 20], [5, 7], true, Some(dtype), [true, true, false]),
            ([33, 36], [64, 16], true, None, [false, true, true]),
            ([40, 9], [16, 16], true, Some(DType::Bool), [true, false, true]),
        ] {
            let rows = |rows, width| Operand::new(dtype, contiguous(&[2, rows, width]));
            let gradient = || AttentionGradient { grad: rows(m, e), statistics: rows(m, 2) };
            for pass in [AttentionPass::Forward, AttentionPass::Queries(gradient()), AttentionPass::Keys(gradient())] {
                kernels.push(Kernel::Attention(Box::new(Attention {
                    pass,
                    batch: shape(&[2]),
                    query: rows(m, d),
                    key: rows(n, d),
                    // Keys and values in the layout of a projection's output: adjacent rows of two
                    // heads.
                    value: Operand::new(dtype, contiguous(&[n, 2, e]).permute(&[1, 0, 2])),
                    mask: mask.map(|dtype| Operand::new(dtype, contiguous(&[2, m, n]))),
                    lengths: lengths.then(|| Operand::new(DType::I32, contiguous(&[2, 1, 1]))),
                    causal,
                    windowed,
                    capped,
                })));
            }
        }
    }
    kernels
}
