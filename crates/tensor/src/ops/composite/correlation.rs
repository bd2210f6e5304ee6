//! Covariance and correlation.

use crate::{
    DType, Error, Result, Scalar, Tensor,
    ops::{Op, pointwise::launch},
    samples,
};
use lanthorn_ir::expr::{BinaryOp, Expr, Type};
use lanthorn_macros::op;

/// Checks weights of observations: a vector with one for each.
fn check_weights(name: &str, weights: &Tensor, observations: usize) -> Result<()> {
    if weights.rank() <= 1 && weights.numel() == observations {
        return Ok(());
    }
    let message = format!(
        "{name} must be a vector of {observations}, one for each observation, not of shape {}",
        weights.shape()
    );
    Err(Error::shape("cov", message))
}

/// Counts of observations as int32. A negative one fails the launch.
fn checked_counts(counts: &Tensor) -> Result<Tensor> {
    let counts = counts.to(DType::I32)?;
    let limit = Expr::constant(f64::from(i32::MAX), Type::I32);
    let checked = Expr::input(0, Type::I32).binary(BinaryOp::CheckIndex, limit);
    launch("cov", &checked, std::slice::from_ref(&counts), &[], DType::I32, counts.shape(), counts.device())
}

/// The covariance matrix of variables in rows and observations in columns, as `torch.cov`.
///
/// Shapes: `self: [v, n]`, `result: [v, v]`; a vector is one variable, and its result is a 0-d
/// tensor. `fweights: [n]`, integers, are the numbers of repetitions of the observations, and
/// `aweights: [n]`, floating point, their weights. `correction` is subtracted from the number of
/// observations. Integers become float32.
///
/// Errors: `shape` if `self` has more than two dimensions, or weights do not fit; `dtype` if `self`
/// is bool, `fweights` is not an integer tensor or `aweights` not floating point; `index` when
/// the result is read if an element of `fweights` is negative.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 3.0, 2.0, -2.0], [2, 2], &device)?;
/// assert_eq!(pollster::block_on(x.cov()?.to_vec::<f32>())?, [2.0, -4.0, -4.0, 8.0]);
/// assert_eq!(pollster::block_on(x.select(0, 0)?.cov()?.item())?, 2.0);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
    opmath,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        let counts = || samples::tensor(&[5], DType::I32, 1.0, 4.0);
        samples::calls([
            vec![x(&[3, 5])],
            vec![x(&[5]), samples::int(0)],
            vec![x(&[2, 5]), samples::int(1), counts(), samples::real(&[5], 0.5, 1.0)],
        ])
    }
)]
fn cov(x: &Tensor, correction: i64, fweights: Option<&Tensor>, aweights: Option<&Tensor>) -> Result<Tensor> {
    let op = "cov";
    if x.dtype() == DType::Bool {
        return Err(Error::dtype(op, "bool tensors have no covariance; convert with to"));
    }
    if x.rank() > 2 {
        return Err(Error::shape(op, format!("takes at most 2 dimensions, not shape {}", x.shape())));
    }
    let x = if x.rank() < 2 { x.reshape([1, -1])? } else { x.clone() };
    let observations = x.shape()[1];
    let mut weights = None;
    if let Some(counts) = fweights {
        check_weights("fweights", counts, observations)?;
        if counts.dtype().is_floating_point() || counts.dtype() == DType::Bool {
            return Err(Error::dtype(op, format!("fweights must be whole numbers, not {}", counts.dtype())));
        }
        weights = Some(checked_counts(counts)?);
    }
    if let Some(importance) = aweights {
        check_weights("aweights", importance, observations)?;
        if !importance.dtype().is_floating_point() {
            return Err(Error::dtype(op, format!("aweights must be floating point, not {}", importance.dtype())));
        }
        weights = Some(match weights {
            Some(weights) => weights.mul(importance)?,
            None => importance.clone(),
        });
    }
    let Some(weights) = weights else {
        let x = if x.dtype().is_floating_point() { x } else { x.to(DType::F32)? };
        let centered = x.sub(x.mean(1, true)?)?;
        let freedom = (observations as f64 - correction as f64).max(0.0);
        return centered.mm(&centered.transpose(0, 1)?)?.div(freedom)?.squeeze(());
    };
    let total = weights.sum((), false)?;
    let centered = x.sub(x.mul(&weights)?.sum(1, true)?.div(&total)?)?;
    let lost = match aweights {
        Some(importance) if correction != 0 => {
            weights.mul(importance)?.sum((), false)?.div(&total)?.mul(Scalar::Int(correction))?
        }
        _ => Tensor::full_with([], correction, total.dtype(), Some(total.device()))?,
    };
    let freedom = total.sub(lost)?.clamp_min(0)?;
    let weighted = centered.mul(&weights)?;
    let centered = centered.to(weighted.dtype())?;
    centered.mm(&weighted.transpose(0, 1)?)?.div(freedom)?.squeeze(())
}

/// The matrix of Pearson's correlation coefficients of variables in rows and observations in
/// columns, as `torch.corrcoef`: covariances divided by both standard deviations.
///
/// Shapes: `self: [v, n]`, `result: [v, v]`; the result of a vector is a 0-d tensor.
///
/// Errors: `shape` if `self` has more than two dimensions; `dtype` if it is bool.
#[op(
    composite,
    "corrcoef(Tensor self) -> Tensor",
    opmath,
    samples = || samples::calls([vec![samples::real(&[3, 5], -2.0, 2.0)], vec![samples::real(&[5], -2.0, 2.0)]])
)]
fn corrcoef(x: &Tensor) -> Result<Tensor> {
    let covariances = x.cov().map_err(|error| error.in_op("corrcoef"))?;
    if covariances.rank() == 0 {
        return covariances.div(&covariances);
    }
    let deviations = Tensor::einsum("ii->i", std::slice::from_ref(&covariances))?.sqrt()?;
    covariances.div(deviations.unsqueeze(1)?)?.div(deviations)?.clamp(Some(Scalar::Int(-1)), Some(Scalar::Int(1)))
}

pub(crate) static OPS: &[&Op] = &[&COV, &CORRCOEF];
