//! Fused reductions that several tests build on.

use crate::{operand, shape};
use lanthorn_ir::{
    DType, Layout, Shape,
    expr::{Expr, Program, Type},
    kernel::{FusedReduction, Operand, ReduceOp},
};

/// A float32 input.
pub fn x(slot: usize) -> Expr {
    Expr::input(slot, Type::F32)
}

/// The program with one output.
pub fn one(output: &Expr) -> Program {
    Program::new(std::slice::from_ref(output))
}

/// A fused reduction of operands, without stages and outputs.
pub fn row(outer: &[usize], inner: &[usize], inputs: Vec<Operand>) -> FusedReduction {
    let whole = Shape::from_dims(outer.iter().chain(inner).copied());
    FusedReduction {
        indices: vec![],
        outer: shape(outer),
        inner: shape(inner),
        inputs,
        params: vec![],
        reductions: vec![],
        rows: Program::new(&[]),
        row_dtypes: vec![],
        elements: Program::new(&[]),
        element_dtypes: vec![],
        target: Layout::contiguous(whole),
    }
}

/// Softmax of rows.
pub fn softmax(rows: usize, length: usize, input: Layout) -> FusedReduction {
    let shifted = (x(0) - x(1)).exp();
    FusedReduction {
        reductions: vec![(ReduceOp::Max, Program::new(&[x(0)])), (ReduceOp::Sum, one(&shifted))],
        elements: Program::new(&[shifted / x(2)]),
        element_dtypes: vec![DType::F32],
        ..row(&[rows], &[length], vec![operand(DType::F32, input)])
    }
}
