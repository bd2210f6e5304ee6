//! Kernels whose programs read affine indices.

use crate::{contiguous, shape};
use lanthorn_ir::{
    DType, Kernel,
    expr::{Expr, Program, Type},
    kernel::{AffineIndex, Epilogue, FusedReduction, Horizontal, Map, Operand, Reduce, ReduceOp, Scan, ScanOp},
};

/// A coordinate, the distance from a diagonal (which may be negative), a number, and the linear
/// index reversed.
fn indices([rows, columns]: [usize; 2]) -> Vec<AffineIndex> {
    let reversed = AffineIndex { steps: vec![-(columns as isize), -1], start: (rows * columns) as isize - 1 };
    vec![
        AffineIndex::coordinate(2, 1),
        AffineIndex { steps: vec![-1, 1], start: 2 - rows as isize },
        AffineIndex::number(2, columns),
        reversed,
    ]
}

/// Twice the element if the column is at least `columns - 3`, otherwise the sum of the other
/// numbers.
fn value() -> Expr {
    let [column, right, columns, reversed] = [0, 1, 2, 3].map(Expr::affine);
    let x = Expr::input(0, Type::F32);
    (&column + 3.0).ge(&columns).select(&x * 2.0, (right * 1000.0 + reversed).cast(Type::F32) + &x)
}

fn map(shape: [usize; 2]) -> Map {
    let layout = contiguous(&shape);
    Map {
        shape: layout.shape().clone(),
        inputs: vec![Operand::new(DType::F32, layout)],
        indices: indices(shape),
        params: vec![],
        program: Program::new(&[value()]),
        dtypes: vec![DType::F32],
    }
}

/// Every kind that has affine indices, over a matrix of float32.
pub fn kernels(of: [usize; 2]) -> Vec<Kernel> {
    let [rows, columns] = of;
    let (inputs, program) = (vec![Operand::new(DType::F32, contiguous(&of))], Program::new(&[value()]));
    let store = || Epilogue::store(Type::F32, DType::F32);
    let reduce = |by| Reduce {
        outer: shape(&[rows]),
        inner: shape(&[columns]),
        inputs: inputs.clone(),
        indices: indices(of),
        params: vec![],
        prologue: program.clone(),
        op: by,
        epilogue: store(),
    };
    // The rows are the columns of the matrix.
    let transposed = FusedReduction {
        outer: shape(&[columns]),
        inner: shape(&[rows]),
        inputs: vec![Operand::new(DType::F32, contiguous(&of).permute(&[1, 0]))],
        indices: indices(of).iter().map(|index| index.permute(&[1, 0])).collect(),
        params: vec![],
        reductions: vec![(ReduceOp::Max, program.clone())],
        // The column is constant along such a row.
        rows: Program::new(&[Expr::input(1, Type::F32) + Expr::affine(0).cast(Type::F32)]),
        row_dtypes: vec![DType::F32],
        elements: Program::new(&[value() - Expr::input(1, Type::F32)]),
        element_dtypes: vec![DType::F32],
        target: contiguous(&of).permute(&[1, 0]),
    };
    let scan = |dim| Scan {
        shape: shape(&of),
        dim,
        reverse: dim == 0,
        inputs: inputs.clone(),
        indices: indices(of),
        params: vec![],
        prologue: program.clone(),
        op: ScanOp::Max,
        dtype: DType::F32,
    };
    let reductions = [ReduceOp::Max, ReduceOp::ArgMin].map(|by| {
        Kernel::Reduce(Reduce {
            epilogue: if by == ReduceOp::Max { store() } else { Epilogue::store(Type::I32, DType::I32) },
            ..reduce(by)
        })
    });
    reductions
        .into_iter()
        .chain([Kernel::Map(map(of)), Kernel::FusedReduction(transposed), Kernel::Scan(scan(0)), Kernel::Scan(scan(1))])
        .collect()
}

/// [`kernels`] over elements and over vec4s, and two shapes in one launch.
pub fn all() -> Vec<Kernel> {
    let maps = Kernel::Maps(Horizontal::of_maps([map([5, 9]), map([6, 8])]));
    [[5, 9], [6, 8], [70, 12]].into_iter().flat_map(kernels).chain([maps]).collect()
}
