//! The triangles of matrices.

use crate::{
    DType, Device, Error, Result, Shape, Tensor,
    ops::{Op, pointwise::launch},
    samples::{self, Sample},
};
use lanthorn_ir::expr::{BinaryOp, Constant, Expr, Type};
use lanthorn_macros::op;

/// Where a matrix of `rows` and `columns` lies on or below a diagonal: true where `column - row <= diagonal`.
pub(crate) fn below(op: &'static str, rows: usize, columns: usize, diagonal: i64, device: &Device) -> Result<Tensor> {
    let width = Expr::constant(columns as f64, Type::U32);
    let (row, column) = (Expr::index() / &width, Expr::index().binary(BinaryOp::Rem, width));
    let lies = (column.cast(Type::I32) - row.cast(Type::I32)).le(Expr::param(0, Type::I32));
    // No matrix has a diagonal further out.
    let diagonal = diagonal.clamp(-i64::from(i32::MAX), i64::from(i32::MAX)) as i32;
    let shape = Shape::from_dims([rows, columns]);
    launch(op, &lies, &[], &[Constant::I32(diagonal)], DType::Bool, &shape, device)
}

fn below_of(op: &'static str, x: &Tensor, diagonal: i64) -> Result<Tensor> {
    match x.shape()[..] {
        [.., rows, columns] => below(op, rows, columns, diagonal, x.device()),
        _ => Err(Error::shape(op, format!("takes a matrix or several, not shape {}", x.shape()))),
    }
}

fn triangles() -> Vec<Sample> {
    samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0)],
        vec![samples::real(&[2, 5, 3], -2.0, 2.0), samples::int(1)],
        vec![samples::real(&[3, 3], -2.0, 2.0), samples::int(-1)],
        vec![samples::tensor(&[3, 4], DType::I32, -9.0, 9.0)],
    ])
}

/// The matrices with 0 above a diagonal: `diagonal` counts from the main one upwards.
#[op(leaf, "tril(Tensor self, int diagonal=0) -> Tensor", in_place, samples = triangles)]
fn tril(x: &Tensor, diagonal: i64) -> Result<Tensor> {
    Tensor::r#where(&below_of("tril", x, diagonal)?, x, false)
}

/// The matrices with 0 below a diagonal: `diagonal` counts from the main one upwards.
#[op(leaf, "triu(Tensor self, int diagonal=0) -> Tensor", in_place, samples = triangles)]
fn triu(x: &Tensor, diagonal: i64) -> Result<Tensor> {
    Tensor::r#where(&below_of("triu", x, diagonal.saturating_sub(1))?, false, x)
}

pub(crate) static OPS: &[&Op] = &[&TRIL, &TRIU];
