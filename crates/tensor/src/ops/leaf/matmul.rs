//! Matrix products.

use super::contract::{Term, contract};
use crate::{Error, Result, Tensor, ops::Op, samples};
use lanthorn_ir::Shape;
use lanthorn_macros::op;

/// The matrix product, with the rules of `torch.matmul`.
///
/// Shapes: `self: [*, m, k]`, `other: [*, k, n]`, `result: [*, m, n]`; the leading dimensions
/// broadcast. A vector on the left is a row and on the right a column, and the result does not have
/// that dimension; two vectors give a 0-d tensor. The types are not promoted.
///
/// Errors: `dtype` if the types differ; `shape` if the inner sizes differ, the leading dimensions
/// do not broadcast, or a tensor is 0-d.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let a = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [2, 2], &device)?;
/// assert_eq!(pollster::block_on(a.matmul(&a)?.to_vec::<f32>())?, [7.0, 10.0, 15.0, 22.0]);
/// let error = a.matmul(&Tensor::ones([3, 2])?).unwrap_err();
/// assert_eq!(error.to_string(), "matmul: inner dimensions differ: [2, 2] x [3, 2]");
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "matmul(Tensor self, Tensor other) -> Tensor",
    autocast = lower,
    aliases = ["linalg_matmul"],
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
        samples::calls([
            vec![x(&[3, 4]), x(&[4, 5])],
            vec![x(&[4]), x(&[4])],
            vec![x(&[4]), x(&[4, 5])],
            vec![x(&[3, 4]), x(&[4])],
            vec![x(&[2, 3, 4]), x(&[4, 5])],
            vec![x(&[2, 1, 3, 4]), x(&[5, 4, 2])],
            vec![x(&[33, 65]), x(&[65, 70])],
            vec![x(&[2, 70, 35]), x(&[2, 35, 129])],
            vec![x(&[3, 0]), x(&[0, 2])],
            vec![x(&[0, 3]), x(&[3, 2])],
            vec![samples::tensor(&[3, 4], crate::DType::I32, -5.0, 5.0), samples::tensor(&[4, 2], crate::DType::I32, -5.0, 5.0)],
        ])
    }
)]
fn matmul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.dtype() != b.dtype() {
        return Err(Error::dtype(
            "matmul",
            format!("the types differ: {} x {}; convert one with to()", a.dtype(), b.dtype()),
        ));
    }
    if a.rank() == 0 || b.rank() == 0 {
        return Err(Error::shape(
            "matmul",
            format!("both must have a dimension: {} x {}; use mul", a.shape(), b.shape()),
        ));
    }
    let inner = (a.shape()[a.rank() - 1], b.shape()[b.rank().saturating_sub(2)]);
    if inner.0 != inner.1 {
        return Err(Error::shape("matmul", format!("inner dimensions differ: {} x {}", a.shape(), b.shape())));
    }
    match (a.rank(), b.rank()) {
        (1, 1) => matmul(&a.unsqueeze(0)?, &b.unsqueeze(1)?)?.reshape([]),
        (1, _) => matmul(&a.unsqueeze(0)?, b)?.squeeze(-2),
        (_, 1) => matmul(a, &b.unsqueeze(1)?)?.squeeze(-1),
        // One matrix on the right multiplies every row of the left: a single product, not one a
        // batch.
        (3.., 2) => {
            let (k, n) = (b.shape()[0] as i64, b.shape()[1] as i64);
            let mut shape = a.shape().to_i64();
            let rows: i64 = shape[..shape.len() - 1].iter().product();
            shape[a.rank() - 1] = n;
            product(&a.reshape([rows, k])?, b)?.reshape(shape)
        }
        _ => product(a, b),
    }
}

/// The product of two batches of matrices, of at least two dimensions each: a [`contract`] over the
/// inner dimension, with the batch dimensions broadcast.
fn product(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let batch_of = |x: &Tensor| Shape::from_dims(x.shape()[..x.rank() - 2].iter().copied());
    let batch = batch_of(a).broadcast("matmul", &batch_of(b))?;
    let (m, n, k) = (batch.rank(), batch.rank() + 1, batch.rank() + 2);
    // Dimension names: the batch dimensions count up from 0.
    let names = |last: [usize; 2]| -> Vec<usize> { (0..batch.rank()).chain(last).collect() };
    let term = |x: &Tensor, matrix: [usize; 2]| -> Result<Term> {
        let tensor = if batch_of(x) == batch {
            x.clone()
        } else {
            x.expand(batch.to_i64().into_iter().chain([-1, -1]).collect::<Vec<_>>())?
        };
        Ok(Term { tensor, names: names(matrix) })
    };
    contract("matmul", &term(a, [m, k])?, &term(b, [k, n])?, &names([m, n]))
}

pub(crate) static OPS: &[&Op] = &[&MATMUL];
