//! Transforms of vectors and matrices.

use super::Transform;
use crate::{
    Constraint,
    host::{arange, index_tensor, ints, ones, tiny},
    logits::log_one_plus_exp,
    shapes::concat,
};
use lanthorn_tensor::{Error, Result, Tensor};
use std::f64::consts::LN_2;

/// The softmax of vectors. It is not bijective; the inverse is the logarithm.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{SoftmaxTransform, Transform};
/// let y = SoftmaxTransform.forward(&Tensor::zeros([3])?)?;
/// assert_eq!(y.shape()[..], [3]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct SoftmaxTransform;

impl Transform for SoftmaxTransform {
    fn name(&self) -> &'static str {
        "SoftmaxTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::RealVector
    }

    fn codomain(&self) -> Constraint {
        Constraint::Simplex
    }

    fn is_bijective(&self) -> bool {
        false
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.softmax(-1)
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        y.log()
    }
}

/// Vectors of length `k` as vectors of positive numbers of length `k + 1` with the sum 1.
///
/// Each number is a part, by the logistic function, of the part of 1 that those before it leave;
/// zeros are mapped to equal numbers. Source: Stan Reference Manual, "Unit simplex".
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{StickBreakingTransform, Transform};
/// let y = StickBreakingTransform.forward(&Tensor::zeros([3])?)?;
/// assert_eq!(y.shape()[..], [4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct StickBreakingTransform;

impl Transform for StickBreakingTransform {
    fn name(&self) -> &'static str {
        "StickBreakingTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::RealVector
    }

    fn codomain(&self) -> Constraint {
        Constraint::Simplex
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let log_rest = log_counts(x, x.shape()[x.rank() - 1])?;
        let part = (x - &log_rest)?.sigmoid()?;
        let rest = (1.0 - &part)?.cumprod(-1)?;
        part.constant_pad_nd([0, 1], 1.0)? * rest.constant_pad_nd([1, 0], 1.0)?
    }

    fn forward_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        let last = last_size("StickBreakingTransform", shape)?;
        Ok(concat(&shape[..shape.len() - 1], &[last + 1]))
    }

    fn inverse_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        let last = last_size("StickBreakingTransform", shape)?;
        Ok(concat(&shape[..shape.len() - 1], &[last - 1]))
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        let size = y.shape()[y.rank() - 1];
        let head = y.narrow(-1, 0, size as i64 - 1)?;
        let rest = (1.0 - head.cumsum(-1)?)?.clamp_min(tiny(y))?;
        (head.log()? - rest.log()?)? + log_counts(y, size - 1)?
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        let size = x.shape()[x.rank() - 1];
        let shifted = (x - log_counts(x, size)?)?;
        let head = y.narrow(-1, 0, size as i64)?;
        (head.log()? - log_one_plus_exp(&shifted)?)?.sum(-1, false)
    }
}

/// The logarithms of `size, size - 1, .., 1`.
fn log_counts(like: &Tensor, size: usize) -> Result<Tensor> {
    (size as f64 - arange(size, like)?)?.log()
}

/// The size of the last dimension, which must be 1 or more.
fn last_size(op: &str, shape: &[usize]) -> Result<usize> {
    if shape.is_empty() || shape[shape.len() - 1] == 0 {
        return Err(Error::shape(op, format!("takes vectors, not shape {shape:?}")));
    }
    Ok(shape[shape.len() - 1])
}

/// Matrices as lower triangular matrices with a positive diagonal, by the exponential of the
/// diagonal. The elements above the diagonal are left out.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{LowerCholeskyTransform, Transform};
/// let y = LowerCholeskyTransform.forward(&Tensor::zeros([2, 2])?)?;
/// assert_eq!(y.shape()[..], [2, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct LowerCholeskyTransform;

impl Transform for LowerCholeskyTransform {
    fn name(&self) -> &'static str {
        "LowerCholeskyTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::Independent(Box::new(Constraint::Real), 2)
    }

    fn codomain(&self) -> Constraint {
        Constraint::LowerCholesky
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.tril(-1)? + x.diagonal(0, -2, -1)?.exp()?.diag_embed(0, -2, -1)?
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        y.tril(-1)? + y.diagonal(0, -2, -1)?.log()?.diag_embed(0, -2, -1)?
    }
}

/// Matrices as symmetric matrices with positive eigenvalues: `L L^T` of the
/// [`LowerCholeskyTransform`].
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{PositiveDefiniteTransform, Transform};
/// let y = PositiveDefiniteTransform.forward(&Tensor::zeros([2, 2])?)?;
/// assert_eq!(y.shape()[..], [2, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct PositiveDefiniteTransform;

impl Transform for PositiveDefiniteTransform {
    fn name(&self) -> &'static str {
        "PositiveDefiniteTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::Independent(Box::new(Constraint::Real), 2)
    }

    fn codomain(&self) -> Constraint {
        Constraint::PositiveDefinite
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let factor = LowerCholeskyTransform.forward(x)?;
        factor.matmul(&factor.mt()?)
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        LowerCholeskyTransform.inverse(&y.linalg_cholesky()?)
    }
}

/// Vectors of length `n (n - 1) / 2` as Cholesky factors of matrices of correlations of `n`
/// numbers.
///
/// Source: Lewandowski, Kurowicka and Joe, "Generating random correlation matrices based on vines
/// and extended onion method" (2009); Stan Reference Manual, "Cholesky factors of correlation
/// matrices".
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{CorrCholeskyTransform, Transform};
/// let y = CorrCholeskyTransform.forward(&Tensor::zeros([3])?)?;
/// assert_eq!(y.shape()[..], [3, 3]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct CorrCholeskyTransform;

impl Transform for CorrCholeskyTransform {
    fn name(&self) -> &'static str {
        "CorrCholeskyTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::RealVector
    }

    fn codomain(&self) -> Constraint {
        Constraint::CorrCholesky
    }

    fn forward_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        let size = matrix_size(last_size("CorrCholeskyTransform", shape)?)?;
        Ok(concat(&shape[..shape.len() - 1], &[size, size]))
    }

    fn inverse_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        let size = last_size("CorrCholeskyTransform", shape)?;
        let mut count = 0;
        for row in 0..size {
            count += row;
        }
        Ok(concat(&shape[..shape.len() - 2], &[count]))
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let partial = below_diagonal(&x.tanh()?)?;
        let rest = (1.0 - partial.square()?)?.sqrt()?.cumprod(-1)?;
        let size = partial.shape()[partial.rank() - 1] as i64;
        let shifted = rest.narrow(-1, 0, size - 1)?.constant_pad_nd([1, 0], 1.0)?;
        let diagonal = ones(&partial.shape()[partial.rank() - 1..], x)?.diag_embed(0, -2, -1)?;
        (&partial + &diagonal)? * &shifted
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        let size = y.shape()[y.rank() - 1] as i64;
        let rest = (1.0 - y.square()?.cumsum(-1)?)?;
        let shifted = rest.narrow(-1, 0, size - 1)?.constant_pad_nd([1, 0], 1.0)?;
        let partial = (vector_below_diagonal(y)? / vector_below_diagonal(&shifted)?.sqrt()?)?;
        partial.atanh()
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        let rest = (1.0 - y.square()?.cumsum(-1)?)?;
        let size = y.shape()[y.rank() - 1];
        let lower = ones(&[size, size], y)?.tril(-2)?;
        let filled = Tensor::r#where(&lower.eq(0.0)?, 1.0, &rest)?;
        let breaking = (filled.log()?.sum([-2, -1], false)? * 0.5)?;
        let tanh = ((LN_2 - x)? - log_one_plus_exp(&(x * -2.0)?)?)?;
        &breaking + &(tanh.sum(-1, false)? * 2.0)?
    }
}

/// The size of a matrix with a number of elements below its diagonal.
fn matrix_size(count: usize) -> Result<usize> {
    let mut size = 1;
    let mut held = 0;
    while held < count {
        held += size;
        size += 1;
    }
    if held != count {
        let message = format!("takes vectors of n (n - 1) / 2 numbers, which {count} is not for any n");
        return Err(Error::shape("CorrCholeskyTransform", message));
    }
    Ok(size)
}

/// The matrix with the elements of a vector below its diagonal, row by row, and otherwise 0.
pub(crate) fn below_diagonal(vector: &Tensor) -> Result<Tensor> {
    let size = matrix_size(vector.shape()[vector.rank() - 1])?;
    let mut positions = vec![];
    let mut start = 0;
    for row in 0..size {
        for column in 0..size {
            positions.push(if column < row { start + column } else { 0 });
        }
        start += row;
    }
    let rows = vector.index_select(-1, &index_tensor(&positions, vector)?)?;
    let shape = concat(&vector.shape()[..vector.rank() - 1], &[size, size]);
    rows.reshape(ints(&shape))?.tril(-1)
}

/// The elements below the diagonal of a matrix, row by row.
pub(crate) fn vector_below_diagonal(matrix: &Tensor) -> Result<Tensor> {
    let rank = matrix.rank();
    let size = matrix.shape()[rank - 1];
    let mut positions = vec![];
    for row in 0..size {
        for column in 0..row {
            positions.push(row * size + column);
        }
    }
    let shape = concat(&matrix.shape()[..rank - 2], &[size * size]);
    matrix.reshape(ints(&shape))?.index_select(-1, &index_tensor(&positions, matrix)?)
}
