//! Norms of vectors and matrices, and the condition number.

use crate::{
    DType, Error, MatrixNorm, Result, Scalar, Tensor,
    autograd::{Derivative, attach, is_grad_enabled, no_grad},
    ops::{Op, leaf::linalg::require_matrix},
    samples::{self, graded_matrix},
    scalar::{Ints, OptionalInts},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// The order of a norm.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Number(f64),
    Frobenius,
    Nuclear,
}

impl From<MatrixNorm> for Order {
    fn from(norm: MatrixNorm) -> Order {
        match norm {
            MatrixNorm::Frobenius => Order::Frobenius,
            MatrixNorm::Nuclear => Order::Nuclear,
        }
    }
}

/// `x` converted to `dtype`, if given; it must be floating point.
fn floating(op: &str, x: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    let dtype = dtype.unwrap_or(x.dtype());
    if dtype.is_floating_point() {
        return x.to(dtype);
    }
    Err(Error::dtype(
        op,
        format!("the norm of {dtype} is not defined; convert with to(), or name a floating-point dtype"),
    ))
}

/// The norm of order `p` over `dims`, or of all elements if there are none.
pub(crate) fn vector(op: &'static str, x: &Tensor, p: f64, dims: &[i64], keepdim: bool) -> Result<Tensor> {
    let all: Vec<i64> = (0..x.rank() as i64).collect();
    let dims = if dims.is_empty() { &all[..] } else { dims };
    let positions = dims.iter().map(|&dim| x.shape().dim(op, dim)).collect::<Result<Vec<usize>>>()?;
    let empty = positions.iter().any(|&d| x.shape().get(d) == Some(&0));
    if empty && (p < 0.0 || p.is_infinite()) {
        let message = format!(
            "the norm of order {p} of nothing is not defined: shape {}; take another order, or dimensions with elements",
            x.shape()
        );
        return Err(Error::argument(op, message));
    }
    let norm = keepdim_norm(op, x, p, dims)?;
    if keepdim { Ok(norm) } else { norm.squeeze(dims) }
}

/// [`vector`] with its dimensions kept. Where the norm is not differentiable the gradient is
/// PyTorch's: 0 at 0, and an even share among equal extremes.
fn keepdim_norm(op: &'static str, x: &Tensor, p: f64, dims: &[i64]) -> Result<Tensor> {
    let norm = no_grad(|| {
        let magnitudes = x.abs()?;
        match p {
            f64::INFINITY => magnitudes.amax(dims, true),
            f64::NEG_INFINITY => magnitudes.amin(dims, true),
            0.0 => x.ne(0.0)?.to(x.dtype())?.sum(dims, true),
            1.0 => magnitudes.sum(dims, true),
            2.0 => x.square()?.sum(dims, true)?.sqrt(),
            _ => magnitudes.pow(p)?.sum(dims, true)?.pow(1.0 / p),
        }
    });
    let norm = norm.map_err(|error| error.in_op(op))?;
    let named = dims.to_vec();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let x = &saved[0];
        if p == 0.0 {
            return Ok(vec![None]);
        }
        let norm = if is_grad_enabled() { keepdim_norm(op, x, p, &named)? } else { saved[1].clone() };
        let unless_zero = |of: &Tensor, value: Tensor| Tensor::r#where(&of.eq(0.0)?, 0.0, &value);
        let gradient = match p {
            1.0 => x.sign()?.mul(grad)?,
            2.0 => grad.mul(unless_zero(&norm, x.div(&norm)?)?)?,
            _ if p.is_infinite() => {
                let magnitudes = x.abs()?;
                let hits = magnitudes.eq(&norm)?.logical_or(&magnitudes.isnan()?)?.to(x.dtype())?;
                x.sign()?.mul(grad.div(hits.sum(&named[..], true)?)?.mul(&hits)?)?
            }
            _ if p < 1.0 => {
                let scaled = x.sign()?.mul(unless_zero(x, x.abs()?.pow(p - 1.0)?)?)?;
                scaled.mul(grad)?.mul(norm.pow(1.0 - p)?)?
            }
            _ => {
                let scaled =
                    if p < 2.0 { x.sign()?.mul(x.abs()?.pow(p - 1.0)?)? } else { x.mul(x.abs()?.pow(p - 2.0)?)? };
                scaled.mul(unless_zero(&norm, grad.div(norm.pow(p - 1.0)?)?)?)?
            }
        };
        Ok(vec![Some(gradient)])
    });
    attach(op, &norm, &[x], &[x, &norm.detach()], derivative);
    Ok(norm)
}

/// The norm of the matrices over two dimensions.
fn matrix(op: &'static str, x: &Tensor, order: Order, dims: [i64; 2], keepdim: bool) -> Result<Tensor> {
    require_matrix(op, x)?;
    let [row, column] = dims;
    let positions = [x.shape().dim(op, row)?, x.shape().dim(op, column)?];
    if positions[0] == positions[1] {
        return Err(Error::argument(op, format!("the dimensions of a matrix must differ, not both be {row}")));
    }
    if order == Order::Frobenius {
        return vector(op, x, 2.0, &dims, keepdim);
    }
    let others = (0..x.rank()).filter(|d| !positions.contains(d));
    let x = x.permute(others.chain(positions).map(|d| d as i64).collect::<Vec<_>>())?;
    let values = || x.linalg_svdvals();
    // None of the magnitudes is below 0, so that the largest of none is 0.
    let largest = |of: Tensor| if of.shape().last() == Some(&0) { of.sum(-1, false) } else { of.amax(-1, false) };
    let norm = match order {
        Order::Number(1.0) => largest(x.abs()?.sum(-2, false)?),
        Order::Number(-1.0) => x.abs()?.sum(-2, false)?.amin(-1, false),
        Order::Number(f64::INFINITY) => largest(x.abs()?.sum(-1, false)?),
        Order::Number(f64::NEG_INFINITY) => x.abs()?.sum(-1, false)?.amin(-1, false),
        Order::Number(2.0) => largest(values()?),
        Order::Number(-2.0) => values()?.amin(-1, false),
        Order::Number(other) => {
            let message =
                format!("the order of a norm of matrices is 1, -1, 2, -2, infinite, \"fro\" or \"nuc\", not {other}");
            Err(Error::argument(op, message))
        }
        Order::Frobenius | Order::Nuclear => values()?.sum(-1, false),
    };
    let norm = norm.map_err(|error| error.in_op(op))?;
    if !keepdim {
        return Ok(norm);
    }
    let mut kept = positions;
    kept.sort_unstable();
    norm.unsqueeze(kept[0] as i64)?.unsqueeze(kept[1] as i64)
}

/// The norm of vectors or of matrices that the arguments of `torch.linalg.norm` and `torch.norm`
/// select.
fn either(op: &'static str, x: &Tensor, order: Option<Order>, dim: Option<&[i64]>, keepdim: bool) -> Result<Tensor> {
    match (order, dim, x.rank()) {
        (None, dim, _) => vector(op, x, 2.0, dim.unwrap_or(&[]), keepdim),
        (Some(Order::Number(p)), Some(&[dim]), _) => vector(op, x, p, &[dim], keepdim),
        (Some(order), Some(&[row, column]), _) => matrix(op, x, order, [row, column], keepdim),
        (Some(Order::Number(p)), None, 0 | 1) => vector(op, x, p, &[], keepdim),
        (Some(order), None, 2) => matrix(op, x, order, [0, 1], keepdim),
        (Some(order), dim, _) => {
            let message = format!(
                "{order:?} over dimensions {dim:?} of shape {} is no norm of vectors or matrices; name one or two",
                x.shape()
            );
            Err(Error::argument(op, message))
        }
    }
}

fn real(shape: &[i64]) -> samples::SampleArg {
    samples::real(shape, -2.0, 2.0)
}

/// The norm of order `ord` over dimensions `dim`, or of all elements, as
/// `torch.linalg.vector_norm`: `sum(|x|^ord)^(1 / ord)`, the largest or smallest `|x|` for an
/// infinite order, and the number of elements that are not 0 for order 0.
///
/// The dimensions are removed, or with `keepdim` have size 1. With `dtype`, `self` is converted
/// first. The gradient is 0 where the norm is 0; equal extremes share it.
///
/// Errors: `dtype` if neither `self` nor `dtype` is floating point; `index` if a dimension is out
/// of range; `argument` if one appears twice, or if one is empty and `ord` is negative or infinite.
#[op(
    leaf,
    "linalg_vector_norm(Tensor self, Scalar ord=2, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    samples = || samples::calls([
        vec![real(&[3, 4])],
        vec![real(&[3, 4]), samples::float(3.0), samples::ints(&[1])],
        vec![real(&[2, 3, 4]), samples::float(1.0), samples::ints(&[0, 2]), samples::flag(true)],
        vec![real(&[3, 4]), samples::float(f64::INFINITY), samples::ints(&[0])],
        vec![real(&[3, 4]), samples::float(0.5), samples::ints(&[-1])],
        vec![real(&[3, 4]), samples::int(0)],
    ])
)]
fn linalg_vector_norm(
    x: &Tensor,
    ord: Scalar,
    dim: &OptionalInts,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    let op = "linalg_vector_norm";
    vector(op, &floating(op, x, dtype)?, ord.to_f64(), dim.as_slice().unwrap_or(&[]), keepdim)
}

fn pair(op: &str, dim: &Ints) -> Result<[i64; 2]> {
    <[i64; 2]>::try_from(&dim[..])
        .map_err(|_| Error::argument(op, format!("a matrix has two dimensions, not {:?}", &dim[..])))
}

/// The norm of order `ord` of the matrices over dimensions `dim`, as `torch.linalg.matrix_norm`:
/// the largest (1) or smallest (-1) sum of a column's magnitudes, the same for rows (infinite
/// orders), or the largest (2) or smallest (-2) singular value. The largest of none is 0.
///
/// `self: [*, n, m]`, the matrices in any two dimensions; the result is `[*]`, with `keepdim` these
/// dimensions have size 1. With `dtype`, `self` is converted first.
///
/// Errors: `dtype` if the type is neither float32 nor float64; `shape` if `self` has fewer than two
/// dimensions or there is nothing to take the smallest of; `index` if a dimension is out of range;
/// `argument` if `dim` is not two different dimensions or the order is another one; `linalg`, when
/// the result is read, for singular values of a matrix that is not finite.
#[op(
    composite,
    "linalg_matrix_norm.ord(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    samples = || samples::calls([
        vec![real(&[3, 4]), samples::int(1)],
        vec![real(&[3, 2, 4]), samples::float(f64::INFINITY), samples::ints(&[2, 0]), samples::flag(true)],
        vec![graded_matrix(&[3, 3]), samples::int(2)],
        vec![graded_matrix(&[3, 3]), samples::int(-2)],
    ])
)]
fn linalg_matrix_norm_ord(x: &Tensor, ord: Scalar, dim: &Ints, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    let op = "linalg_matrix_norm";
    matrix(op, &floating(op, x, dtype)?, Order::Number(ord.to_f64()), pair(op, dim)?, keepdim)
}

/// The norm `"fro"` (the root of the sum of squares) or `"nuc"` (the sum of the singular values) of
/// the matrices over dimensions `dim`, as `torch.linalg.matrix_norm`.
///
/// Shapes and errors are as of the overload with a number as `ord`, `linalg_matrix_norm.ord`.
#[op(
    composite,
    "linalg_matrix_norm(Tensor self, str{fro|nuc} ord=\"fro\", int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    samples = || samples::calls([
        vec![real(&[2, 3, 4])],
        vec![graded_matrix(&[3, 3]), samples::text("nuc"), samples::ints(&[-1, 0]), samples::flag(true)],
    ])
)]
fn linalg_matrix_norm(x: &Tensor, ord: MatrixNorm, dim: &Ints, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    let op = "linalg_matrix_norm";
    matrix(op, &floating(op, x, dtype)?, ord.into(), pair(op, dim)?, keepdim)
}

/// A norm of vectors or matrices, as `torch.linalg.norm`.
///
/// Without `ord` it is the 2-norm of the vectors over `dim`, or of all elements. With `ord` it is
/// [`linalg_vector_norm`](Tensor::linalg_vector_norm) for one dimension or a vector, and
/// [`linalg_matrix_norm`](Tensor::linalg_matrix_norm) for two dimensions or a matrix.
///
/// Errors: as of these two, and `argument` if `ord` is given for another number of dimensions.
#[op(
    composite,
    "linalg_norm(Tensor self, Scalar? ord=None, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    samples = || samples::calls([
        vec![real(&[2, 3, 4])],
        vec![real(&[5]), samples::float(-1.0)],
        vec![real(&[3, 4]), samples::int(1)],
        vec![real(&[2, 3, 4]), samples::float(3.0), samples::ints(&[1]), samples::flag(true)],
    ])
)]
fn linalg_norm(
    x: &Tensor,
    ord: Option<Scalar>,
    dim: &OptionalInts,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    let op = "linalg_norm";
    either(op, &floating(op, x, dtype)?, ord.map(|ord| Order::Number(ord.to_f64())), dim.as_slice(), keepdim)
}

/// The norm `"fro"` or `"nuc"` of matrices, as `torch.linalg.norm`; see
/// [`linalg_matrix_norm`](Tensor::linalg_matrix_norm), whose errors it has.
///
/// `dim` is two dimensions; without it `self` must be a matrix.
#[op(
    composite,
    "linalg_norm.ord_str(Tensor self, str{fro|nuc} ord, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    samples = || samples::calls([vec![real(&[3, 4]), samples::text("fro")]])
)]
fn linalg_norm_ord_str(
    x: &Tensor,
    ord: MatrixNorm,
    dim: &OptionalInts,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    let op = "linalg_norm";
    either(op, &floating(op, x, dtype)?, Some(ord.into()), dim.as_slice(), keepdim)
}

/// The norm of order `p` over dimensions `dim`, or of all elements, as `torch.norm`; see
/// [`linalg_vector_norm`](Tensor::linalg_vector_norm), whose shapes and errors it has.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[3.0f32, -4.0], [2], &device)?;
/// assert_eq!(pollster::block_on(x.norm(2, (), false)?.item())?, 5.0);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "norm(Tensor self, Scalar p=2, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    autocast = widen,
    samples = || samples::calls([
        vec![real(&[3, 4])],
        vec![real(&[3, 4]), samples::int(1), samples::ints(&[1])],
        vec![real(&[2, 3, 4]), samples::float(1.5), samples::ints(&[-1]), samples::flag(true)],
    ])
)]
fn norm(x: &Tensor, p: Scalar, dim: &OptionalInts, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    vector("norm", &floating("norm", x, dtype)?, p.to_f64(), dim.as_slice().unwrap_or(&[]), keepdim)
}

/// The norm `"fro"`, the root of the sum of squares over any dimensions, or `"nuc"`, the sum of the
/// singular values over two, as `torch.norm`.
///
/// Errors: `dtype` if `self` is not floating point, and for `"nuc"` neither float32 nor float64;
/// `index` if a dimension is out of range; `argument` if `p` is another text, or `"nuc"` is asked
/// for over another number of dimensions than two.
#[op(
    composite,
    "norm.str(Tensor self, str{fro|nuc} p, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    autocast = widen,
    samples = || samples::calls([
        vec![real(&[2, 3, 4]), samples::text("fro")],
        vec![graded_matrix(&[3, 3]), samples::text("nuc")],
    ])
)]
fn norm_str(x: &Tensor, p: MatrixNorm, dim: &OptionalInts, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    let x = floating("norm", x, dtype)?;
    match p {
        MatrixNorm::Nuclear => either("norm", &x, Some(Order::Nuclear), dim.as_slice(), keepdim),
        MatrixNorm::Frobenius => vector("norm", &x, 2.0, dim.as_slice().unwrap_or(&[]), keepdim),
    }
}

/// The condition number: the norm times the norm of the inverse.
fn condition(op: &'static str, x: &Tensor, order: Option<Order>) -> Result<Tensor> {
    require_matrix(op, x)?;
    let one = |values: &Tensor, position: i64| values.select(-1, position);
    match order {
        None | Some(Order::Number(2.0 | -2.0)) => {
            let values = x.linalg_svdvals().map_err(|error| error.in_op(op))?;
            if values.shape().last() == Some(&0) {
                return values.sum(-1, false);
            }
            let (most, least) = (one(&values, 0)?, one(&values, -1)?);
            if order == Some(Order::Number(-2.0)) { least.div(&most) } else { most.div(&least) }
        }
        // The product of two norms of nothing.
        Some(_) if x.shape()[x.rank() - 2..] == [0, 0] => x.sum([-2, -1], false),
        Some(order) => {
            let (inverse, info) = x.linalg_inv_ex().map_err(|error| error.in_op(op))?;
            let singular = info.gt(0)?.unsqueeze(-1)?.unsqueeze(-1)?;
            let inverse = Tensor::r#where(&singular, f64::INFINITY, &inverse)?;
            let product = matrix(op, x, order, [-2, -1], false)?.mul(matrix(op, &inverse, order, [-2, -1], false)?)?;
            // Also of zeros, whose norm is 0.
            Tensor::r#where(&info.gt(0)?, f64::INFINITY, product)
        }
    }
}

/// The condition number of matrices by the norm of order `p`, by default 2, as `torch.linalg.cond`:
/// `norm(A) * norm(inverse(A))`, for orders 2 and -2 the quotient of the extreme singular values.
///
/// `self: [*, n, m]`, with `n = m` except for orders 2 and -2; the result is `[*]`. It is infinite
/// for singular matrices, and NaN for zero matrices.
///
/// Errors: `dtype` if `self` is neither float32 nor float64; `shape` if it has fewer than two
/// dimensions or the matrices must be square and are not; `argument` if there is no such order;
/// `linalg`, when the result is read, if a matrix is not finite.
#[op(
    composite,
    "linalg_cond(Tensor self, Scalar? p=None) -> Tensor",
    samples = || samples::calls([
        vec![graded_matrix(&[3, 3])],
        vec![graded_matrix(&[2, 3, 3]), samples::int(1)],
        vec![samples::real(&[4, 2], -1.0, 1.0), samples::int(-2)],
    ])
)]
fn linalg_cond(x: &Tensor, p: Option<Scalar>) -> Result<Tensor> {
    condition("linalg_cond", x, p.map(|p| Order::Number(p.to_f64())))
}

/// The condition number of square matrices by the norm `"fro"` or `"nuc"`, as `torch.linalg.cond`;
/// see [`linalg_cond`](Tensor::linalg_cond), whose errors it has.
#[op(
    composite,
    "linalg_cond.p_str(Tensor self, str{fro|nuc} p) -> Tensor",
    samples = || samples::calls([vec![graded_matrix(&[3, 3]), samples::text("fro")]])
)]
fn linalg_cond_p_str(x: &Tensor, p: MatrixNorm) -> Result<Tensor> {
    condition("linalg_cond", x, Some(p.into()))
}

pub(crate) static OPS: &[&Op] = &[
    &LINALG_VECTOR_NORM,
    &LINALG_MATRIX_NORM,
    &LINALG_MATRIX_NORM_ORD,
    &LINALG_NORM,
    &LINALG_NORM_ORD_STR,
    &NORM,
    &NORM_STR,
    &LINALG_COND,
    &LINALG_COND_P_STR,
];
