//! Cross products and Vandermonde matrices.

use crate::{Error, Result, Shape, Tensor, ops::Op, samples};
use lanthorn_macros::op;

fn products() -> Vec<samples::Sample> {
    samples::calls([
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::real(&[2, 3], -2.0, 2.0)],
        vec![samples::real(&[2, 3, 1], -2.0, 2.0), samples::real(&[1, 3, 2], -2.0, 2.0), samples::int(1)],
        vec![samples::tensor(&[3], crate::DType::I32, -9.0, 9.0), samples::tensor(&[3], crate::DType::I32, -9.0, 9.0)],
    ])
}

/// The cross products of the vectors along `dim`, as `torch.linalg.cross`.
///
/// `self` and `other`: `[*, 3, *]`, broadcast in the other dimensions; the result has the broadcast
/// shape. Types are promoted.
///
/// Errors: `shape` if the tensors have different numbers of dimensions, or none, dimension `dim`
/// does not have size 3, or the shapes do not broadcast; `index` if `dim` is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 0.0, 0.0], [3], &device)?;
/// let y = Tensor::from_slice(&[0.0f32, 1.0, 0.0], [3], &device)?;
/// assert_eq!(pollster::block_on(x.linalg_cross(&y)?.to_vec::<f32>())?, [0.0, 0.0, 1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor", samples = products)]
fn linalg_cross(x: &Tensor, other: &Tensor, dim: i64) -> Result<Tensor> {
    let op = "linalg_cross";
    if x.rank() != other.rank() || x.rank() == 0 {
        return Err(Error::shape(
            op,
            format!("takes tensors of one number of dimensions, not {} and {}", x.shape(), other.shape()),
        ));
    }
    let d = x.shape().dim(op, dim)?;
    if x.shape()[d] != 3 || other.shape()[d] != 3 {
        let message = format!(
            "takes vectors of 3 elements along dimension {dim}, not shapes {} and {}",
            x.shape(),
            other.shape()
        );
        return Err(Error::shape(op, message));
    }
    let turned = |x: &Tensor, positions: i64| x.roll(-positions, dim);
    let (forth, back) = (turned(x, 1)?.mul(turned(other, 2)?)?, turned(x, 2)?.mul(turned(other, 1)?)?);
    forth.sub(back).map_err(|error| error.in_op(op))
}

/// [`linalg_cross`](Tensor::linalg_cross) along `dim`, or along the first dimension of size 3, as
/// `torch.cross`.
///
/// Errors: as of `linalg_cross`, and `shape` if `dim` is not given and no dimension has size 3.
#[op(composite, "cross(Tensor self, Tensor other, int? dim=None) -> Tensor", samples = products)]
fn cross(x: &Tensor, other: &Tensor, dim: Option<i64>) -> Result<Tensor> {
    let first = x.shape().iter().position(|&size| size == 3).map(|d| d as i64);
    let Some(dim) = dim.or(first) else {
        return Err(Error::shape("cross", format!("no dimension of shape {} has 3 elements", x.shape())));
    };
    x.linalg_cross_with(other, dim).map_err(|error| error.in_op("cross"))
}

/// Vandermonde matrices, as `torch.linalg.vander`: the powers 0 to `N - 1` of each element.
///
/// `x: [*, n]`; the result is `[*, n, N]`. `N` is `n` where it is not given, and a 0-d tensor
/// counts as `[1]`.
///
/// Errors: `argument` if `N` is not greater than 1; `shape` if the result would be too large.
#[op(
    composite,
    "linalg_vander(Tensor x, *, int? N=None) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 3], -2.0, 2.0)],
        vec![samples::real(&[2], -2.0, 2.0), samples::int(4)],
        vec![samples::tensor(&[3], crate::DType::I32, -3.0, 3.0)],
    ])
)]
fn linalg_vander(x: &Tensor, n: Option<i64>) -> Result<Tensor> {
    let x = Tensor::atleast_1d(x)?;
    let n = n.unwrap_or(x.shape().last().map_or(0, |&size| size as i64));
    if n <= 1 {
        return Err(Error::argument("linalg_vander", format!("N must be greater than 1, not {n}")));
    }
    Shape::new("linalg_vander", &[x.shape().to_i64(), vec![n]].concat())?;
    let mut powers = vec![x.ones_like()?, x.clone()];
    for _ in 2..n {
        powers.push(powers[powers.len() - 1].mul(&x)?);
    }
    Tensor::stack(&powers, -1).map_err(|error| error.in_op("linalg_vander"))
}

/// The matrix of the powers of the elements of `x`, as `torch.vander`: `N` columns, `x^(N-1)`
/// first, or with `increasing` `x^0` first.
///
/// Shapes: `x: [n]`, the result `[n, N]`, or `[n, n]` without `N`.
///
/// Errors: `shape` if `x` is not a vector; `argument` if `N` is negative.
#[op(
    composite,
    "vander(Tensor x, int? N=None, bool increasing=False) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[4], -2.0, 2.0)],
        vec![samples::real(&[4], -2.0, 2.0), samples::int(3), samples::flag(true)],
        vec![samples::tensor(&[3], crate::DType::I32, -3.0, 3.0), samples::int(0)],
    ])
)]
fn vander(x: &Tensor, n: Option<i64>, increasing: bool) -> Result<Tensor> {
    if x.rank() != 1 {
        return Err(Error::shape("vander", format!("takes a vector, not shape {}", x.shape())));
    }
    let n = n.unwrap_or(x.numel() as i64);
    if n < 0 {
        return Err(Error::argument("vander", format!("N must not be negative, and is {n}")));
    }
    // Two columns at least, of which `linalg_vander` makes a matrix.
    let powers = Tensor::linalg_vander_with(x, Some(n.max(2)))?.narrow(1, 0, n)?;
    if increasing { Ok(powers) } else { powers.flip(1) }
}

/// The largest dimension of a multivariate gamma function, which has as many terms.
const MAX_DIMENSION: i64 = 1024;

/// The logarithm of the multivariate gamma function of dimension `p`, elementwise, as
/// `torch.mvlgamma`: `p (p - 1) / 4 log(pi)` plus the sum of `lgamma(self - i / 2)` for `i` from 0
/// to `p - 1`. Integers become floats.
///
/// Errors: `argument` if `p` is not from 1 to 1024. Where an element is not above `(p - 1) / 2` the
/// function has no value, and the result means nothing.
#[op(
    composite,
    "mvlgamma(Tensor self, int p) -> Tensor",
    in_place,
    opmath,
    samples = || samples::calls([vec![samples::real(&[5, 7], 1.5, 6.0), samples::int(3)], vec![samples::real(&[9], 0.5, 6.0), samples::int(1)]]),
    aliases = ["special_multigammaln"]
)]
fn mvlgamma(x: &Tensor, p: i64) -> Result<Tensor> {
    if !(1..=MAX_DIMENSION).contains(&p) {
        return Err(Error::argument("mvlgamma", format!("p must be from 1 to {MAX_DIMENSION}, and is {p}")));
    }
    let mut sum = x.lgamma()?;
    for i in 1..p {
        sum = sum.add(x.sub(i as f64 / 2.0)?.lgamma()?)?;
    }
    sum.add((p * (p - 1)) as f64 / 4.0 * std::f64::consts::PI.ln())
}

pub(crate) static OPS: &[&Op] = &[&LINALG_CROSS, &CROSS, &LINALG_VANDER, &VANDER, &MVLGAMMA];
