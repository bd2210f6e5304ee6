//! Distances and angles of vectors.

use crate::{
    Error, Result, Scalar, Tensor,
    ops::{
        Op,
        composite::{distance::lengths, like, linalg::norm::vector, statistics::power_of_two},
        pointwise::{Argument, Rule, apply},
    },
    samples,
};
use lanthorn_ir::special;
use lanthorn_macros::op;

/// The cosine of the angle between vectors, as `torch.nn.functional.cosine_similarity`:
/// `sum(x1 * x2) / (max(norm(x1), eps) * max(norm(x2), eps))` along `dim`.
///
/// `x1` and `x2` broadcast together; the result has their shape without `dim`. Integers are
/// converted to float32. The gradient ignores the limit `eps`. No square overflows or underflows.
///
/// Errors: `shape` if the shapes do not broadcast; `index` if `dim` is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let (a, b) = (Tensor::from_slice(&[3.0f32, 4.0], [2], &device)?, Tensor::from_slice(&[4.0f32, 3.0], [2], &device)?);
/// let cosine = Tensor::cosine_similarity(&a, &b, 0, 1e-8)?;
/// assert!((pollster::block_on(cosine.item())? - 24.0 / 25.0).abs() < 1e-6);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        samples::calls([
            vec![x(&[4, 3]), x(&[4, 3])],
            vec![x(&[1, 2, 3]), x(&[2, 1, 3]), samples::int(-1)],
            vec![x(&[5]), x(&[5]), samples::int(0), samples::float(0.5)],
        ])
    }
)]
fn cosine_similarity(x1: &Tensor, x2: &Tensor, dim: i64, eps: f64) -> Result<Tensor> {
    let op = "cosine_similarity";
    let shape = x1.shape().broadcast(op, x2.shape())?;
    shape.dim(op, dim)?;
    let unit = |x: &Tensor| {
        let x = like::floating(x)?.expand(&shape)?;
        // Divided by a power of two, so that no square overflows.
        let scale = power_of_two(op, &x, &dim.into())?;
        let x = x.div(&scale)?;
        let norm = vector(op, &x, 2.0, &[dim], true)?;
        let arguments = [Argument::tensor(&norm), Argument::tensor(&scale), Argument::parameter(Scalar::Float(eps))];
        let divisor = apply(&COSINE_SIMILARITY, Rule::Same, &arguments, |values| {
            special::AT_LEAST.call(&[&values[0], &(&values[2] / &values[1])])
        })?;
        x.div(divisor)
    };
    unit(x1)?.mul(&unit(x2)?)?.sum(dim, false)
}

/// The p-norm of the differences of vectors, as `torch.nn.functional.pairwise_distance`:
/// `norm(x1 - x2 + eps)`.
///
/// `x1` and `x2`: `[*, D]`, which broadcast together; the result is `[*]`, or `[*, 1]` with
/// `keepdim`. Integers are converted to float32.
///
/// Errors: `shape` if the shapes do not broadcast or both are 0-d.
#[op(
    composite,
    "pairwise_distance(Tensor x1, Tensor x2, float p=2.0, float eps=1e-06, bool keepdim=False) -> Tensor",
    opmath,
    samples = || {
        let (x, y) = (|| samples::real(&[4, 3], -2.0, 2.0), || samples::real(&[3], 3.0, 4.0));
        samples::calls([
            vec![x(), x()],
            vec![x(), y(), samples::float(1.0), samples::float(1e-6), samples::flag(true)],
            vec![x(), y(), samples::float(-1.0)],
            vec![x(), y(), samples::float(5.0), samples::float(1.0)],
        ])
    }
)]
fn pairwise_distance(x1: &Tensor, x2: &Tensor, p: f64, eps: f64, keepdim: bool) -> Result<Tensor> {
    let op = "pairwise_distance";
    let difference = like::floating(&x1.sub(x2).map_err(|error| error.in_op(op))?)?.add(eps)?;
    if difference.rank() == 0 {
        return Err(Error::shape(op, "vectors are needed, not 0-d tensors"));
    }
    vector("pairwise_distance", &difference, p, &[-1], keepdim)
}

/// The p-norms of the differences of all pairs of rows, as `torch.nn.functional.pdist`, in the
/// order (0, 1), (0, 2), and so on to the last two rows.
///
/// `self: [N, D]`; the result is `[N * (N - 1) / 2]`.
///
/// Errors: `shape` if `self` is not a matrix; `argument` if `p` is negative.
#[op(
    composite,
    "pdist(Tensor self, float p=2.0) -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = |rows| samples::real(&[rows, 3], -2.0, 2.0);
        samples::calls([vec![x(4)], vec![x(3), samples::float(3.0)], vec![x(1)]])
    }
)]
fn pdist(x: &Tensor, p: f64) -> Result<Tensor> {
    if x.rank() != 2 {
        return Err(Error::shape("pdist", format!("a matrix is needed, not shape {}", x.shape())));
    }
    if p.is_nan() || p < 0.0 {
        return Err(Error::argument("pdist", format!("p must not be negative, not {p}")));
    }
    let rows = i32::try_from(x.shape()[0]).unwrap_or(i32::MAX);
    let pairs = || (0..rows).flat_map(|first| (first + 1..rows).map(move |second| (first, second)));
    let pick = |indices: Vec<i32>| {
        let index = Tensor::from_slice(&indices, [indices.len() as i64], x.device())?;
        x.index_select(0, &index)
    };
    let (first, second) = (pick(pairs().map(|pair| pair.0).collect())?, pick(pairs().map(|pair| pair.1).collect())?);
    if first.numel() == 0 {
        // Without pairs or without elements: an empty sum, which is part of the graph.
        return first.sub(&second)?.sum(-1, false);
    }
    lengths("pdist", &first.sub(&second)?, p)
}

pub(crate) static OPS: &[&Op] = &[&COSINE_SIMILARITY, &PAIRWISE_DISTANCE, &PDIST];
