//! Norms of differences, and scaling by a norm.

use super::linalg::norm::vector;
use crate::{
    CdistMode, Error, Result, Scalar, Tensor,
    autograd::{Derivative, attach, is_grad_enabled, no_grad},
    ops::Op,
    samples::{self, SampleArg},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// The p-norm over dimensions `dims`, or over all dimensions. The extremes of an empty dimension
/// count as 0.
fn norm(op: &'static str, x: &Tensor, p: f64, dims: &[i64], keepdim: bool) -> Result<Tensor> {
    if p.is_nan() {
        return Err(Error::argument(op, "p must not be NaN"));
    }
    if p.is_infinite() && x.numel() == 0 {
        return x.sum(dims, keepdim);
    }
    vector(op, x, p, dims, keepdim)
}

/// The square root, with gradient 0 at 0.
fn root(x: &Tensor) -> Result<Tensor> {
    let zeros = x.eq(0)?;
    Tensor::r#where(&zeros, 0, Tensor::r#where(&zeros, 1, x)?.sqrt()?)
}

/// The p-norms of the rows of differences, with the derivatives of PyTorch's kernels of `cdist` and
/// `pdist`: each of several largest magnitudes has the whole derivative, the length of coincident
/// points has the gradient 0, and NaN stays NaN.
pub(crate) fn lengths(op: &'static str, x: &Tensor, p: f64) -> Result<Tensor> {
    if p == 2.0 || x.numel() == 0 {
        return norm(op, x, p, &[-1], false);
    }
    let length = no_grad(|| match p {
        0.0 => x.abs()?.ceil()?.clamp_max(1)?.sum(-1, true),
        _ => vector(op, x, p, &[-1], true),
    })?;
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let x = &saved[0];
        if p == 0.0 {
            return Ok(vec![Some(x.zeros_like()?)]);
        }
        let length = if is_grad_enabled() { lengths(op, x, p)?.unsqueeze(-1)? } else { saved[1].clone() };
        let sign = Tensor::r#where(&x.isnan()?, x, x.sign()?)?;
        let gradient = match p {
            1.0 => sign.mul(grad)?,
            f64::INFINITY => sign.mul(x.abs()?.sub(length)?.abs()?.ceil()?.clamp_max(1)?.rsub(1)?)?.mul(grad)?,
            _ => {
                let slope = sign.mul(x.abs()?.pow(p - 1.0)?)?.mul(grad)?.div(length.pow(p - 1.0)?)?;
                let flat = length.eq(0)?;
                let flat = if p < 1.0 { flat.logical_or(&x.eq(0)?)? } else { flat };
                Tensor::r#where(&flat, 0, slope)?
            }
        };
        Ok(vec![Some(gradient)])
    });
    attach(op, &length, &[x], &[x, &length.detach()], derivative);
    length.squeeze(-1)
}

fn real(shape: &[i64]) -> SampleArg {
    samples::real(shape, -1.0, 1.0)
}

/// The distances by the p-norm of every row of `x1` from every row of `x2`, as `torch.cdist`.
///
/// Shapes: `x1: [*, m, k]`, `x2: [*, n, k]`, `result: [*, m, n]`; the leading dimensions broadcast.
///
/// `compute_mode` selects whether Euclidean distances are computed by a matrix product, which is
/// faster and loses precision for close rows: `"use_mm_for_euclid_dist_if_necessary"` (with more
/// than 25 rows on a side), `"use_mm_for_euclid_dist"` or `"donot_use_mm_for_euclid_dist"`.
///
/// Errors: `shape` if a tensor has fewer than two dimensions or the rows differ in length; `dtype`
/// if both do not have one floating-point type; `argument` if `p` is negative or NaN, or
/// `compute_mode` is another string.
///
/// Gradient: 0 for rows at distance 0.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{CdistMode, Tensor};
/// let x = Tensor::from_slice(&[0.0f32, 0.0, 3.0, 4.0], [2, 2], &device)?;
/// let distances = Tensor::cdist(&x, &x, 2.0, CdistMode::MatmulIfLarge)?;
/// assert_eq!(pollster::block_on(distances.to_vec::<f32>())?, [0.0, 5.0, 5.0, 0.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "cdist(Tensor x1, Tensor x2, float p=2.0, str{use_mm_for_euclid_dist_if_necessary|use_mm_for_euclid_dist|donot_use_mm_for_euclid_dist} compute_mode=\"use_mm_for_euclid_dist_if_necessary\") -> Tensor",
    autocast = widen,
    opmath,
    samples = || samples::calls([
        vec![real(&[3, 4]), real(&[2, 4])],
        vec![real(&[2, 1, 3, 4]), real(&[2, 5, 4]), samples::float(1.0)],
        vec![real(&[3, 4]), real(&[2, 4]), samples::float(2.0), samples::text("use_mm_for_euclid_dist")],
        vec![real(&[3, 4]), real(&[2, 4]), samples::float(1.5)],
        vec![real(&[3, 4]), real(&[2, 4]), samples::float(f64::INFINITY)],
    ])
)]
fn cdist(x1: &Tensor, x2: &Tensor, p: f64, compute_mode: CdistMode) -> Result<Tensor> {
    let op = "cdist";
    let fits = x1.rank() >= 2 && x2.rank() >= 2 && x1.shape()[x1.rank() - 1] == x2.shape()[x2.rank() - 1];
    if !fits {
        return Err(Error::shape(
            op,
            format!("takes rows of one length, not shapes {} and {}", x1.shape(), x2.shape()),
        ));
    }
    if x1.dtype() != x2.dtype() || !x1.dtype().is_floating_point() {
        return Err(Error::dtype(op, format!("takes one floating-point type, not {} and {}", x1.dtype(), x2.dtype())));
    }
    if p.is_nan() || p < 0.0 {
        return Err(Error::argument(op, format!("p must not be negative, but is {p}")));
    }
    let rows = x1.shape()[x1.rank() - 2].max(x2.shape()[x2.rank() - 2]);
    let by_product = match compute_mode {
        CdistMode::Matmul => true,
        CdistMode::Differences => false,
        CdistMode::MatmulIfLarge => rows > 25,
    };
    if p == 2.0 && by_product {
        let squares = x1.square()?.sum(-1, true)?.add(x2.square()?.sum(-1, true)?.transpose(-2, -1)?);
        let products = x1.matmul(&x2.transpose(-2, -1)?);
        let squared = squares.and_then(|squares| squares.sub_with(products?, 2)).map_err(|error| error.in_op(op))?;
        return root(&squared.clamp_min(0)?);
    }
    let difference = x1.unsqueeze(-2)?.sub(x2.unsqueeze(-3)?).map_err(|error| error.in_op(op))?;
    lengths(op, &difference, p)
}

/// The p-norm of `self - other`, broadcast, as a 0-d tensor.
///
/// Errors: `shape` if the shapes do not broadcast; `dtype` if the difference is not floating point;
/// `argument` if `p` is NaN.
#[op(
    composite,
    "dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
    autocast = widen,
    opmath,
    samples = || samples::calls([
        vec![real(&[2, 3]), real(&[3])],
        vec![real(&[2, 3]), real(&[]), samples::int(4)],
        vec![real(&[4]), real(&[4]), samples::float(0.5)],
    ])
)]
fn dist(x: &Tensor, other: &Tensor, p: Scalar) -> Result<Tensor> {
    let difference = x.sub(other).map_err(|error| error.in_op("dist"))?;
    if !difference.dtype().is_floating_point() {
        return Err(Error::dtype("dist", format!("takes floating-point tensors, not {}", difference.dtype())));
    }
    norm("dist", &difference, p.to_f64(), &[], false)
}

/// `self` with each slice along `dim` whose p-norm exceeds `maxnorm` scaled to that norm.
///
/// Shapes: the result has the shape of `self`, which has at least two dimensions.
///
/// Errors: `shape` if `self` has fewer than two dimensions; `dtype` if it is not floating point;
/// `argument` if `p` is not positive or `maxnorm` is negative; `index` if `dim` is out of range.
#[op(
    composite,
    "renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor",
    autocast = widen,
    in_place,
    opmath,
    samples = || samples::calls([
        vec![real(&[3, 4, 2]), samples::int(2), samples::int(1), samples::float(1.5)],
        vec![real(&[3, 4]), samples::int(1), samples::int(-1), samples::int(1)],
        vec![real(&[3, 4]), samples::float(f64::INFINITY), samples::int(0), samples::float(0.5)],
    ])
)]
fn renorm(x: &Tensor, p: Scalar, dim: i64, maxnorm: Scalar) -> Result<Tensor> {
    let op = "renorm";
    let (p, most) = (p.to_f64(), maxnorm.to_f64());
    let dim = x.shape().dim(op, dim)?;
    if !x.dtype().is_floating_point() {
        return Err(Error::dtype(op, format!("takes a floating-point tensor, not {}", x.dtype())));
    }
    if x.rank() < 2 {
        return Err(Error::shape(op, format!("takes at least 2 dimensions, not shape {}", x.shape())));
    }
    if p.is_nan() || p <= 0.0 || most.is_nan() || most < 0.0 {
        let message = format!("p must be positive and maxnorm not negative, not {p} and {most}");
        return Err(Error::argument(op, message));
    }
    let others: Vec<i64> = (0..x.rank()).filter(|&d| d != dim).map(|d| d as i64).collect();
    let norm = norm(op, x, p, &others, true)?;
    // PyTorch's guard against a scaled norm that rounds to above the limit.
    let scale = norm.add(1e-7)?.reciprocal()?.mul(most)?;
    x.mul(Tensor::r#where(&norm.gt(most)?, scale, 1)?)
}

pub(crate) static OPS: &[&Op] = &[&CDIST, &DIST, &RENORM];
