//! Products of vectors and matrices: [`matmul`](Tensor::matmul) for operands of fixed ranks, with
//! an addition, or of several factors.

use super::einsum::evaluate;
use crate::{
    DType, Error, Result, Scalar, Tensor,
    ops::{Op, leaf::contract::Term},
    samples::{self, Sample, SampleArg},
};
use lanthorn_macros::op;

fn real(shape: &[i64]) -> SampleArg {
    samples::real(shape, -1.0, 1.0)
}

/// Checks that each tensor has the given number of dimensions.
fn require_ranks(op: &str, tensors: &[(&Tensor, usize)]) -> Result<()> {
    if tensors.iter().all(|(tensor, rank)| tensor.rank() == *rank) {
        return Ok(());
    }
    let wanted: Vec<String> = tensors.iter().map(|(_, rank)| rank.to_string()).collect();
    let shapes: Vec<String> = tensors.iter().map(|(tensor, _)| tensor.shape().to_string()).collect();
    Err(Error::shape(
        op,
        format!("takes tensors of {} dimensions, not shapes {}", wanted.join(" and "), shapes.join(" and ")),
    ))
}

/// The matrix product of two tensors of `ranks` dimensions.
fn product(op: &str, a: &Tensor, b: &Tensor, ranks: (usize, usize)) -> Result<Tensor> {
    require_ranks(op, &[(a, ranks.0), (b, ranks.1)])?;
    a.matmul(b).map_err(|error| error.in_op(op))
}

/// The product of two matrices, as `torch.mm`.
///
/// `self: [n, k]` and `mat2: [k, m]` give `[n, m]`. Nothing is broadcast, and types are not
/// promoted.
///
/// Errors: `shape` if a tensor is not a matrix or the inner sizes differ; `dtype` if the types
/// differ.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let a = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [2, 2], &device)?;
/// let b = Tensor::from_slice(&[1.0f32, -1.0], [2, 1], &device)?;
/// assert_eq!(pollster::block_on(a.mm(&b)?.to_vec::<f32>())?, [-1.0, -1.0]);
/// assert!(b.mm(&a).unwrap_err().is_shape());
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "mm(Tensor self, Tensor mat2) -> Tensor", autocast = lower, samples = || samples::calls([vec![real(&[3, 4]), real(&[4, 5])]]))]
fn mm(a: &Tensor, mat2: &Tensor) -> Result<Tensor> {
    product("mm", a, mat2, (2, 2))
}

/// The products of two batches of matrices, as `torch.bmm`.
///
/// `self: [b, n, k]` and `mat2: [b, k, m]` give `[b, n, m]`. Nothing is broadcast, and types are
/// not promoted.
///
/// Errors: `shape` if a tensor does not have three dimensions, or the batch or inner sizes differ;
/// `dtype` if the types differ.
#[op(composite, "bmm(Tensor self, Tensor mat2) -> Tensor", autocast = lower, samples = || samples::calls([vec![real(&[2, 3, 4]), real(&[2, 4, 5])]]))]
fn bmm(a: &Tensor, mat2: &Tensor) -> Result<Tensor> {
    batches("bmm", a, mat2)
}

fn batches(op: &str, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    require_ranks(op, &[(a, 3), (b, 3)])?;
    if a.shape()[0] != b.shape()[0] {
        return Err(Error::shape(op, format!("the batches differ: {} x {}", a.shape(), b.shape())));
    }
    product(op, a, b, (3, 3))
}

/// The product of a matrix and a vector, as `torch.mv`.
///
/// `self: [n, k]` and `vec: [k]` give `[n]`. Types are not promoted.
///
/// Errors: `shape` if the tensors are not a matrix and a vector, or the inner sizes differ; `dtype`
/// if the types differ.
#[op(composite, "mv(Tensor self, Tensor vec) -> Tensor", autocast = lower, samples = || samples::calls([vec![real(&[3, 4]), real(&[4])]]))]
fn mv(a: &Tensor, vec: &Tensor) -> Result<Tensor> {
    product("mv", a, vec, (2, 1))
}

/// The dot product of two vectors, as `torch.dot`.
///
/// `self: [n]` and `tensor: [n]` give `[]`. Types are not promoted.
///
/// Errors: `shape` if a tensor is not a vector or the sizes differ; `dtype` if the types differ.
#[op(
    composite,
    "dot(Tensor self, Tensor tensor) -> Tensor",
    aliases = ["vdot"],
    samples = || samples::calls([vec![real(&[7]), real(&[7])], vec![real(&[0]), real(&[0])]])
)]
fn dot(a: &Tensor, tensor: &Tensor) -> Result<Tensor> {
    product("dot", a, tensor, (1, 1))
}

/// The sums of products over the last dimension of both tensors, as `torch.inner`.
///
/// For `self: [*, k]` and `other: [**, k]` the result is `[*, **]`: the leading dimensions of
/// `self`, then of `other`. If either is 0-d, the tensors are multiplied. Types are not promoted,
/// except by a 0-d tensor.
///
/// Errors: `shape` if the last sizes differ; `dtype` if the types differ.
#[op(
    composite,
    "inner(Tensor self, Tensor other) -> Tensor",
    samples = || samples::calls([vec![real(&[2, 3, 4]), real(&[5, 4])], vec![real(&[]), real(&[3])]])
)]
fn inner(a: &Tensor, other: &Tensor) -> Result<Tensor> {
    let op = "inner";
    if a.rank() == 0 || other.rank() == 0 {
        return a.mul(other).map_err(|error| error.in_op(op));
    }
    if a.shape()[a.rank() - 1] != other.shape()[other.rank() - 1] {
        return Err(Error::shape(op, format!("the last dimensions differ: {} and {}", a.shape(), other.shape())));
    }
    a.tensordot(other, -1, -1).map_err(|error| error.in_op(op))
}

/// The outer product of two vectors, as `torch.outer`.
///
/// `self: [n]` and `vec2: [m]` give `[n, m]`. Types are promoted.
///
/// Errors: `shape` if a tensor is not a vector.
#[op(
    composite,
    "outer(Tensor self, Tensor vec2) -> Tensor",
    aliases = ["ger"],
    samples = || samples::calls([vec![real(&[3]), real(&[4])]])
)]
fn outer(a: &Tensor, vec2: &Tensor) -> Result<Tensor> {
    require_ranks("outer", &[(a, 1), (vec2, 1)])?;
    a.unsqueeze(1)?.mul(vec2).map_err(|error| error.in_op("outer"))
}

/// `beta * base + alpha * product`, the base broadcast to the product. If `beta` is 0 the base is
/// ignored, even if it is NaN.
fn add(op: &str, base: &Tensor, product: Result<Tensor>, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    let product = product.map_err(|error| error.in_op(op))?;
    if base.dtype() != product.dtype() {
        let message =
            format!("the types differ: {} and a product of {}; convert one with to()", base.dtype(), product.dtype());
        return Err(Error::dtype(op, message));
    }
    let base = base.expand(product.shape()).map_err(|error| error.in_op(op))?;
    let one = |scalar: Scalar| scalar.to_f64() == 1.0;
    let scaled = if one(alpha) { product } else { scale(op, &product, alpha)? };
    if beta.to_f64() == 0.0 {
        // The base stays part of the graph, with a gradient of 0.
        return Tensor::r#where(&base.zeros_like_with(crate::DType::Bool)?, base, scaled);
    }
    scaled.add_with(base, beta).map_err(|error| error.in_op(op))
}

/// `product * alpha`; an integer tensor takes integers only.
fn scale(op: &str, product: &Tensor, alpha: Scalar) -> Result<Tensor> {
    let scaled = product.mul(alpha)?;
    if scaled.dtype() == product.dtype() {
        return Ok(scaled);
    }
    Err(Error::dtype(
        op,
        format!("the number {} is floating point, the tensors are {}", alpha.to_f64(), product.dtype()),
    ))
}

/// Samples of a base, with its full shape and 0-d, and of two factors.
fn sums(base: &[i64], a: &[i64], b: &[i64]) -> Vec<Sample> {
    samples::calls([
        vec![real(base), real(a), real(b)],
        vec![real(&[]), real(a), real(b), samples::float(0.2), samples::float(0.6)],
        vec![real(base), real(a), real(b), samples::int(0), samples::float(2.0)],
    ])
}

/// `beta * self + alpha * (mat1 @ mat2)`, as `torch.addmm`.
///
/// `mat1: [n, k]`, `mat2: [k, m]`; `self` broadcasts to the result, `[n, m]`. Where `beta` is 0,
/// NaN and infinities in `self` are ignored, and its gradient is 0. Types are not promoted.
///
/// Errors: `shape` if a factor is not a matrix, the inner sizes differ or `self` does not expand to
/// the result; `dtype` if the types differ, or integers meet a fractional `alpha` or `beta`.
#[op(
    composite,
    "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    autocast = lower,
    in_place,
    opmath,
    samples = || sums(&[3, 5], &[3, 4], &[4, 5])
)]
fn addmm(base: &Tensor, mat1: &Tensor, mat2: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    add("addmm", base, product("addmm", mat1, mat2, (2, 2)), beta, alpha)
}

/// `beta * self + alpha * (mat @ vec)`, as `torch.addmv`.
///
/// `mat: [n, k]`, `vec: [k]`; `self` broadcasts to the result, `[n]`. `beta`, types and errors are
/// as in [`addmm`](Tensor::addmm).
#[op(
    composite,
    "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    autocast = lower,
    in_place,
    opmath,
    samples = || sums(&[3], &[3, 4], &[4])
)]
fn addmv(base: &Tensor, mat: &Tensor, vec: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    add("addmv", base, product("addmv", mat, vec, (2, 1)), beta, alpha)
}

/// `beta * self + alpha * outer(vec1, vec2)`, as `torch.addr`.
///
/// `vec1: [n]`, `vec2: [m]`; `self` broadcasts to the result, `[n, m]`. `beta` and errors are as in
/// [`addmm`](Tensor::addmm); `self` has the type that the vectors are promoted to.
#[op(
    composite,
    "addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    autocast = lower,
    in_place,
    opmath,
    samples = || sums(&[3, 5], &[3], &[5])
)]
fn addr(base: &Tensor, vec1: &Tensor, vec2: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    add("addr", base, vec1.outer(vec2), beta, alpha)
}

/// `beta * self + alpha * bmm(batch1, batch2)`, as `torch.baddbmm`.
///
/// `batch1: [b, n, k]`, `batch2: [b, k, m]`; `self` broadcasts to the result, `[b, n, m]`. `beta`,
/// types and errors are as in [`addmm`](Tensor::addmm) and [`bmm`](Tensor::bmm).
#[op(
    composite,
    "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    autocast = lower,
    in_place,
    opmath,
    samples = || sums(&[2, 3, 5], &[2, 3, 4], &[2, 4, 5])
)]
fn baddbmm(base: &Tensor, batch1: &Tensor, batch2: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    add("baddbmm", base, batches("baddbmm", batch1, batch2), beta, alpha)
}

/// `beta * self + alpha * sum(bmm(batch1, batch2), 0)`, as `torch.addbmm`.
///
/// `batch1: [b, n, k]`, `batch2: [b, k, m]`; `self` broadcasts to the result, `[n, m]`. The sum
/// over the batch is part of the same contraction as the sum over `k`. `beta`, types and errors are
/// as in [`addmm`](Tensor::addmm) and [`bmm`](Tensor::bmm).
#[op(
    composite,
    "addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    autocast = lower,
    in_place,
    samples = || sums(&[3, 5], &[2, 3, 4], &[2, 4, 5])
)]
fn addbmm(base: &Tensor, batch1: &Tensor, batch2: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    let op = "addbmm";
    require_ranks(op, &[(batch1, 3), (batch2, 3)])?;
    let (a, b) = (batch1.shape(), batch2.shape());
    if a[0] != b[0] || a[2] != b[1] {
        return Err(Error::shape(op, format!("the batches or inner dimensions differ: {a} x {b}")));
    }
    let [batch, m, k, n] = [0, 1, 2, 3];
    let terms = vec![
        Term { tensor: batch1.clone(), names: vec![batch, m, k] },
        Term { tensor: batch2.clone(), names: vec![batch, k, n] },
    ];
    add(op, base, evaluate(op, terms, &[m, n], None), beta, alpha)
}

/// The Kronecker product, as `torch.kron`: every element of `self` times the whole of `other`.
///
/// `self: [a_1, ..., a_r]` and `other: [b_1, ..., b_r]` give `[a_1 * b_1, ..., a_r * b_r]`; the
/// shorter shape is extended by leading ones. Types are promoted.
///
/// Errors: `shape` if the tensors have more than 8 dimensions or the result would be too large.
#[op(
    composite,
    "kron(Tensor self, Tensor other) -> Tensor",
    samples = || samples::calls([vec![real(&[2, 3]), real(&[3, 2])], vec![real(&[3]), real(&[2, 2, 1])]])
)]
fn kron(a: &Tensor, other: &Tensor) -> Result<Tensor> {
    let op = "kron";
    let rank = a.rank().max(other.rank());
    // Every dimension becomes two: the first belongs to `self`, the second to `other`.
    let spread = |x: &Tensor, position: usize| {
        let lead = rank - x.rank();
        let size = |d: usize| d.checked_sub(lead).map_or(1, |d| x.shape()[d] as i64);
        x.reshape((0..2 * rank).map(|d| if d % 2 == position { size(d / 2) } else { 1 }).collect::<Vec<_>>())
    };
    let product = spread(a, 0).and_then(|a| a.mul(spread(other, 1)?)).map_err(|error| error.in_op(op))?;
    let shape: Vec<i64> = product.shape().chunks(2).map(|pair| pair.iter().product::<usize>() as i64).collect();
    product.reshape(shape)
}

/// The product of two or more matrices, in the order that needs the fewest multiplications, as
/// `torch.linalg.multi_dot` (Cormen et al., Introduction to Algorithms, 14.2).
///
/// `[n_0, n_1]`, `[n_1, n_2]` to `[n_(k-1), n_k]` give `[n_0, n_k]`. The first tensor may be a
/// vector `[n_1]` and the last one `[n_(k-1)]`; their dimension is then missing in the result.
/// Types are not promoted.
///
/// Errors: `argument` if the list is empty; `shape` if a tensor is not a matrix, or a vector at an
/// end, or the inner sizes differ; `dtype` if the types differ.
#[op(
    composite,
    "linalg_multi_dot(Tensor[] tensors) -> Tensor",
    autocast = lower,
    aliases = ["chain_matmul"],
    samples = || {
        let call = |shapes: &[&[i64]]| {
            vec![SampleArg::Tensors(shapes.iter().map(|shape| samples::spec(shape, crate::DType::F32, -1.0, 1.0)).collect())]
        };
        samples::calls([call(&[&[2, 4], &[4, 3], &[3, 5], &[5, 2]]), call(&[&[3], &[3, 2], &[2]])])
    }
)]
fn linalg_multi_dot(tensors: &[Tensor]) -> Result<Tensor> {
    let op = "linalg_multi_dot";
    let last = tensors.len().saturating_sub(1);
    if tensors.is_empty() {
        return Err(Error::argument(op, "expected at least one tensor"));
    }
    let fits = |at: usize, rank: usize| rank == 2 || rank == 1 && last > 0 && (at == 0 || at == last);
    if let Some((_, tensor)) = tensors.iter().enumerate().find(|(at, tensor)| !fits(*at, tensor.rank())) {
        let message = format!("takes matrices, or a vector at an end, not shape {}", tensor.shape());
        return Err(Error::shape(op, message));
    }
    let matrices = tensors.iter().enumerate().map(|(at, tensor)| match tensor.rank() {
        1 => tensor.unsqueeze(if at == 0 { 0 } else { 1 }),
        _ => Ok(tensor.clone()),
    });
    let matrices: Vec<Tensor> = matrices.collect::<Result<_>>()?;
    let mut product = multiply(&matrices, &fewest(&matrices), 0, last).map_err(|error| error.in_op(op))?;
    for (end, dim) in [(last, -1), (0, 0)] {
        if tensors[end].rank() == 1 {
            product = product.squeeze(dim)?;
        }
    }
    Ok(product)
}

/// At `[i][j]`, for the product of matrices `i` to `j`: the smallest number of multiplications, and
/// the last matrix of the left factor (Cormen et al., Introduction to Algorithms, 14.2).
fn fewest(matrices: &[Tensor]) -> Vec<Vec<(f64, usize)>> {
    let count = matrices.len();
    let (rows, columns) = (|i: usize| matrices[i].shape()[0] as f64, |j: usize| matrices[j].shape()[1] as f64);
    let mut best = vec![vec![(0.0, 0); count]; count];
    for length in 1..count {
        for i in 0..count - length {
            let j = i + length;
            let cost = |at: usize| best[i][at].0 + best[at + 1][j].0 + rows(i) * columns(at) * columns(j);
            let costs = (i..j).map(|at| (cost(at), at)).min_by(|a, b| a.0.total_cmp(&b.0));
            best[i][j] = costs.unwrap_or((0.0, i));
        }
    }
    best
}

fn multiply(matrices: &[Tensor], best: &[Vec<(f64, usize)>], i: usize, j: usize) -> Result<Tensor> {
    if i == j {
        return Ok(matrices[i].clone());
    }
    let at = best[i][j].1;
    multiply(matrices, best, i, at)?.mm(&multiply(matrices, best, at + 1, j)?)
}

/// The `n`-th power of square matrices, as `torch.linalg.matrix_power`: by repeated squaring, for a
/// negative `n` of the inverse, and the identity for 0.
///
/// `self: [*, m, m]`; the result has the same shape.
///
/// Errors: `shape` if the matrices are not square; `dtype` if `n` is negative and `self` neither
/// float32 nor float64; `linalg`, when the result is read, if `n` is negative and a matrix is
/// singular.
#[op(
    composite,
    "linalg_matrix_power(Tensor self, int n) -> Tensor",
    aliases = ["matrix_power"],
    samples = || samples::calls([
        vec![real(&[2, 3, 3]), samples::int(5)],
        vec![samples::real(&[2, 2], 1.0, 2.0), samples::int(-2)],
        vec![real(&[3, 3]), samples::int(0)],
    ])
)]
fn linalg_matrix_power(x: &Tensor, n: i64) -> Result<Tensor> {
    let op = "linalg_matrix_power";
    let size = match x.shape()[..] {
        [.., rows, columns] if rows == columns => rows,
        _ => return Err(Error::shape(op, format!("takes square matrices, not shape {}", x.shape()))),
    };
    if !x.dtype().is_floating_point() && n < 0 {
        return Err(Error::dtype(op, format!("the inverse of {} is not defined; convert with to()", x.dtype())));
    }
    let mut square = if n < 0 { x.linalg_inv().map_err(|error| error.in_op(op))? } else { x.clone() };
    let mut power: Option<Tensor> = None;
    let mut left = n.unsigned_abs();
    while left > 0 {
        if left % 2 == 1 {
            power =
                Some(power.map_or(Ok(square.clone()), |power| power.matmul(&square)).map_err(|error| error.in_op(op))?);
        }
        left /= 2;
        if left > 0 {
            square = square.matmul(&square).map_err(|error| error.in_op(op))?;
        }
    }
    match power {
        Some(power) => Ok(power),
        None => Tensor::eye_with(size as i64, None, x.dtype(), Some(x.device()))?.expand(x.shape())?.clone_tensor(),
    }
}

/// The dot products of the vectors along `dim`, as `torch.linalg.vecdot`.
///
/// `x` and `y` broadcast together; the result has their shape without `dim`.
///
/// Errors: `dtype` if the types differ or are not floating point; `shape` if a tensor is 0-d or the
/// shapes do not broadcast; `index` if `dim` is out of range.
#[op(
    composite,
    "linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor",
    samples = || samples::calls([vec![real(&[2, 4]), real(&[3, 1, 4])], vec![real(&[5, 3]), real(&[5, 3]), samples::int(0)]])
)]
fn linalg_vecdot(x: &Tensor, y: &Tensor, dim: i64) -> Result<Tensor> {
    let op = "linalg_vecdot";
    if x.dtype() != y.dtype() || !x.dtype().is_floating_point() {
        let message = format!("takes tensors of one floating-point type, not {} and {}", x.dtype(), y.dtype());
        return Err(Error::dtype(op, message));
    }
    if x.rank() == 0 || y.rank() == 0 {
        return Err(Error::shape(op, format!("both must have a dimension: {} and {}", x.shape(), y.shape())));
    }
    x.mul(y).and_then(|product| product.sum(dim, false)).map_err(|error| error.in_op(op))
}

/// [`mm`](Tensor::mm) computed in the type `out_dtype`, which the result has.
///
/// Errors: as of `mm`.
#[op(
    composite,
    "mm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor",
    samples = || samples::calls([vec![real(&[3, 4]), real(&[4, 5]), samples::dtype(DType::F32)]])
)]
fn mm_dtype(a: &Tensor, mat2: &Tensor, out_dtype: DType) -> Result<Tensor> {
    a.to(out_dtype)?.mm(&mat2.to(out_dtype)?)?.to(out_dtype)
}

/// [`bmm`](Tensor::bmm) computed in the type `out_dtype`, which the result has.
///
/// Errors: as of `bmm`.
#[op(
    composite,
    "bmm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor",
    samples = || samples::calls([vec![real(&[2, 3, 4]), real(&[2, 4, 5]), samples::dtype(DType::F32)]])
)]
fn bmm_dtype(a: &Tensor, mat2: &Tensor, out_dtype: DType) -> Result<Tensor> {
    a.to(out_dtype)?.bmm(&mat2.to(out_dtype)?)?.to(out_dtype)
}

/// [`addmm`](Tensor::addmm) computed in the type `out_dtype`, which the result has.
///
/// Errors: as of `addmm`.
#[op(
    composite,
    "addmm.dtype(Tensor self, Tensor mat1, Tensor mat2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    samples = || samples::calls([vec![real(&[3, 5]), real(&[3, 4]), real(&[4, 5]), samples::dtype(DType::F32)]])
)]
fn addmm_dtype(
    base: &Tensor,
    mat1: &Tensor,
    mat2: &Tensor,
    out_dtype: DType,
    beta: Scalar,
    alpha: Scalar,
) -> Result<Tensor> {
    base.to(out_dtype)?.addmm_with(&mat1.to(out_dtype)?, &mat2.to(out_dtype)?, beta, alpha)?.to(out_dtype)
}

/// [`baddbmm`](Tensor::baddbmm) computed in the type `out_dtype`, which the result has.
///
/// Errors: as of `baddbmm`.
#[op(
    composite,
    "baddbmm.dtype(Tensor self, Tensor batch1, Tensor batch2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    samples = || samples::calls([vec![real(&[2, 3, 5]), real(&[2, 3, 4]), real(&[2, 4, 5]), samples::dtype(DType::F32)]])
)]
fn baddbmm_dtype(
    base: &Tensor,
    batch1: &Tensor,
    batch2: &Tensor,
    out_dtype: DType,
    beta: Scalar,
    alpha: Scalar,
) -> Result<Tensor> {
    base.to(out_dtype)?.baddbmm_with(&batch1.to(out_dtype)?, &batch2.to(out_dtype)?, beta, alpha)?.to(out_dtype)
}

pub(crate) static OPS: &[&Op] = &[
    &MM,
    &MM_DTYPE,
    &BMM,
    &BMM_DTYPE,
    &MV,
    &DOT,
    &INNER,
    &OUTER,
    &ADDMM,
    &ADDMM_DTYPE,
    &ADDMV,
    &ADDR,
    &BADDBMM,
    &BADDBMM_DTYPE,
    &ADDBMM,
    &KRON,
    &LINALG_MATRIX_POWER,
    &LINALG_MULTI_DOT,
    &LINALG_VECDOT,
];
