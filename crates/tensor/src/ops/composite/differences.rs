//! Finite differences, and integrals by the trapezoidal rule.

use crate::{
    DType, Error, Result, Scalar, Tensor,
    ops::{Op, composite::like::floating},
    samples::{self, Sample},
};
use lanthorn_macros::op;

/// The elements along `dim` without the first, and without the last.
fn neighbours(x: &Tensor, dim: usize) -> Result<(Tensor, Tensor)> {
    let count = (x.shape()[dim] as i64 - 1).max(0);
    let start = x.shape()[dim] as i64 - count;
    Ok((x.narrow(dim as i64, start, count)?, x.narrow(dim as i64, 0, count)?))
}

/// The `n`-th finite difference along `dim`, of `self` with `prepend` before and `append` after its
/// elements: each element minus the previous one. Of bools: whether they differ.
///
/// Shapes: `self: [*, m, *]`, `result: [*, m - n, *]` (at least size 0), where `m` includes the
/// elements of `prepend` and `append`.
///
/// Errors: `shape` if `self` is 0-d, or `prepend` or `append` does not fit; `argument` if `n` is
/// negative; `index` if `dim` is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 3.0, 2.0], [3], &device)?;
/// assert_eq!(pollster::block_on(x.diff(1, 0, None, None)?.to_vec::<f32>())?, [2.0, -1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0)],
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::int(2), samples::int(0), samples::real(&[1, 4], -2.0, 2.0), samples::real(&[2, 4], -2.0, 2.0)],
        vec![samples::tensor(&[7], DType::Bool, 0.0, 2.0)],
        vec![samples::tensor(&[7], DType::I32, -9.0, 9.0), samples::int(9)],
    ])
)]
fn diff(x: &Tensor, n: i64, dim: i64, prepend: Option<&Tensor>, append: Option<&Tensor>) -> Result<Tensor> {
    if x.rank() == 0 {
        return Err(Error::shape("diff", "takes at least one dimension; a 0-d tensor has no neighbours"));
    }
    if n < 0 {
        return Err(Error::argument("diff", format!("order must be non-negative but got {n}")));
    }
    let dim = x.shape().dim("diff", dim)?;
    let parts: Vec<Tensor> = prepend.into_iter().chain([x]).chain(append).cloned().collect();
    let mut result = match parts.len() {
        _ if n == 0 => return x.clone_tensor(),
        1 => x.clone(),
        _ => Tensor::cat(&parts, dim as i64).map_err(|error| error.in_op("diff"))?,
    };
    for _ in 0..n.min(result.shape()[dim].max(1) as i64) {
        let (later, earlier) = neighbours(&result, dim)?;
        result = if result.dtype() == DType::Bool { later.ne(earlier)? } else { later.sub(earlier)? };
    }
    Ok(result)
}

/// Twice the mean height of each step along `dim`, and the width of the step from `x`. A vector `x`
/// varies along `dim`.
fn trapezoids(op: &str, y: &Tensor, x: &Tensor, dim: usize) -> Result<(Tensor, Tensor)> {
    let count = y.shape()[dim];
    let x = match x.rank() {
        1 if x.shape()[0] != count => {
            let message = format!("{} coordinates for dimension {dim} of shape {}", x.shape()[0], y.shape());
            return Err(Error::shape(op, message));
        }
        1 => x.reshape((0..y.rank()).map(|d| if d == dim { count as i64 } else { 1 }).collect::<Vec<_>>())?,
        rank if rank < y.rank() => {
            let lead = std::iter::repeat_n(1, y.rank() - rank);
            x.reshape(lead.chain(x.shape().to_i64()).collect::<Vec<_>>())?
        }
        _ => x.clone(),
    };
    let (later, earlier) = neighbours(y, dim)?;
    // If `x` has more dimensions than `y`, the dimension is the same counted from the last.
    let (end, start) = neighbours(&x, dim + x.rank() - y.rank())?;
    Ok((later.add(earlier)?, end.sub(start)?))
}

/// The dimension of integration; a 0-d tensor has none.
fn check_dim(op: &str, y: &Tensor, dim: i64) -> Result<usize> {
    if y.rank() == 0 {
        return Err(Error::shape(op, "takes at least one dimension; a 0-d tensor has nothing to integrate along"));
    }
    y.shape().dim(op, dim)
}

fn with_coordinates() -> Vec<Sample> {
    let y = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
    samples::calls([
        vec![y(&[3, 4]), y(&[3, 4])],
        vec![y(&[3, 4]), y(&[3]), samples::int(0)],
        vec![samples::tensor(&[3, 4], DType::I32, -9.0, 9.0), samples::tensor(&[1, 4], DType::I32, -9.0, 9.0)],
    ])
}

fn over_steps() -> Vec<Sample> {
    samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0)],
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::float(0.5), samples::int(0)],
    ])
}

/// The integral of `y` at the points `x` along `dim`, by the trapezoidal rule, as
/// `torch.trapezoid`.
///
/// Shapes: `y: [*, n, *]`, `x: [n]` or a shape that broadcasts with `y`, `result: [*, *]` without
/// `dim`. Integers become float32.
///
/// Errors: `shape` if `y` is 0-d or `x` does not fit; `index` if `dim` is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let y = Tensor::from_slice(&[1.0f32, 3.0, 5.0], [3], &device)?;
/// let x = Tensor::from_slice(&[0.0f32, 1.0, 3.0], [3], &device)?;
/// assert_eq!(pollster::block_on(Tensor::trapezoid_x(&y, &x)?.item())?, 10.0);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", samples = with_coordinates)]
fn trapezoid_x(y: &Tensor, x: &Tensor, dim: i64) -> Result<Tensor> {
    let dim = check_dim("trapezoid", y, dim)?;
    let (heights, widths) = trapezoids("trapezoid", y, x, dim)?;
    let areas = floating(&heights.mul(widths)?)?;
    let dim = dim + areas.rank() - y.rank();
    areas.sum(dim as i64, false)?.div(2.0)
}

/// The integral of `y` at points of distance `dx` along `dim`, by the trapezoidal rule, as
/// `torch.trapezoid`.
///
/// Shapes: `y: [*, n, *]`, `result: [*, *]` without `dim`. Integers become float32.
///
/// Errors: `shape` if `y` is 0-d; `index` if `dim` is out of range.
#[op(composite, "trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", samples = over_steps, aliases = ["trapz"])]
fn trapezoid(y: &Tensor, dx: Scalar, dim: i64) -> Result<Tensor> {
    let dim = check_dim("trapezoid", y, dim)?;
    let (later, earlier) = neighbours(&floating(y)?, dim)?;
    later.add(earlier)?.sum(dim as i64, false)?.mul(dx.to_f64() / 2.0)
}

/// The integrals of `y` at the points `x` along `dim` from the first point to each other one, by
/// the trapezoidal rule, as `torch.cumulative_trapezoid`.
///
/// Shapes: `y: [*, n, *]`, `x: [n]` or a shape that broadcasts with `y`, `result: [*, n - 1, *]`.
/// Integers become float32.
///
/// Errors: `shape` if `y` is 0-d or `x` does not fit; `index` if `dim` is out of range.
#[op(composite, "cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", samples = with_coordinates)]
fn cumulative_trapezoid_x(y: &Tensor, x: &Tensor, dim: i64) -> Result<Tensor> {
    let dim = check_dim("cumulative_trapezoid", y, dim)?;
    let (heights, widths) = trapezoids("cumulative_trapezoid", y, x, dim)?;
    let areas = floating(&heights.mul(widths)?)?;
    let dim = dim + areas.rank() - y.rank();
    areas.cumsum(dim as i64)?.div(2.0)
}

/// The integrals of `y` at points of distance `dx` along `dim` from the first point to each other
/// one, by the trapezoidal rule, as `torch.cumulative_trapezoid`.
///
/// Shapes: `y: [*, n, *]`, `result: [*, n - 1, *]`. Integers become float32.
///
/// Errors: `shape` if `y` is 0-d; `index` if `dim` is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let y = Tensor::from_slice(&[1.0f32, 3.0, 5.0], [3], &device)?;
/// assert_eq!(pollster::block_on(Tensor::cumulative_trapezoid(&y)?.to_vec::<f32>())?, [2.0, 6.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "cumulative_trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", samples = over_steps)]
fn cumulative_trapezoid(y: &Tensor, dx: Scalar, dim: i64) -> Result<Tensor> {
    let dim = check_dim("cumulative_trapezoid", y, dim)?;
    let (later, earlier) = neighbours(&floating(y)?, dim)?;
    later.add(earlier)?.cumsum(dim as i64)?.mul(dx.to_f64() / 2.0)
}

pub(crate) static OPS: &[&Op] = &[&DIFF, &TRAPEZOID, &TRAPEZOID_X, &CUMULATIVE_TRAPEZOID, &CUMULATIVE_TRAPEZOID_X];
