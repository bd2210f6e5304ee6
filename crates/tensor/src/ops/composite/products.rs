//! Products of vectors and matrices: [`matmul`](Tensor::matmul) with shapes of one kind, with something added, or several in a row.

use super::einsum::evaluate;
use crate::{
    Error, Result, Scalar, Tensor,
    ops::{Op, leaf::contract::Term},
    samples::{self, Sample, SampleArg},
};
use lanthorn_macros::op;

fn real(shape: &[i64]) -> SampleArg {
    samples::real(shape, -1.0, 1.0)
}

/// Each of `tensors` must have so many dimensions.
fn require_ranks(op: &str, tensors: &[(&Tensor, usize)]) -> Result<()> {
    if tensors.iter().all(|(tensor, rank)| tensor.rank() == *rank) {
        return Ok(());
    }
    let wanted: Vec<String> = tensors.iter().map(|(_, rank)| rank.to_string()).collect();
    let shapes: Vec<String> = tensors.iter().map(|(tensor, _)| tensor.shape().to_string()).collect();
    Err(Error::shape(op, format!("takes tensors of {} dimensions, not shapes {}", wanted.join(" and "), shapes.join(" and "))))
}

/// The matrix product of two tensors of `ranks` dimensions.
fn product(op: &str, a: &Tensor, b: &Tensor, ranks: (usize, usize)) -> Result<Tensor> {
    require_ranks(op, &[(a, ranks.0), (b, ranks.1)])?;
    a.matmul(b).map_err(|error| error.in_op(op))
}

/// The product of two matrices: `[m, k] x [k, n]` is `[m, n]`. Nothing is broadcast.
#[op(composite, "mm(Tensor self, Tensor mat2) -> Tensor", samples = || samples::calls([vec![real(&[3, 4]), real(&[4, 5])]]))]
fn mm(a: &Tensor, mat2: &Tensor) -> Result<Tensor> {
    product("mm", a, mat2, (2, 2))
}

/// The products of as many pairs of matrices: `[b, m, k] x [b, k, n]` is `[b, m, n]`. Nothing is broadcast.
#[op(composite, "bmm(Tensor self, Tensor mat2) -> Tensor", samples = || samples::calls([vec![real(&[2, 3, 4]), real(&[2, 4, 5])]]))]
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

/// A matrix by a vector: `[m, k] x [k]` is `[m]`.
#[op(composite, "mv(Tensor self, Tensor vec) -> Tensor", samples = || samples::calls([vec![real(&[3, 4]), real(&[4])]]))]
fn mv(a: &Tensor, vec: &Tensor) -> Result<Tensor> {
    product("mv", a, vec, (2, 1))
}

/// The sum of the products of two vectors' elements, 0-d.
#[op(
    composite,
    "dot(Tensor self, Tensor tensor) -> Tensor",
    aliases = ["vdot"],
    samples = || samples::calls([vec![real(&[7]), real(&[7])], vec![real(&[0]), real(&[0])]])
)]
fn dot(a: &Tensor, tensor: &Tensor) -> Result<Tensor> {
    product("dot", a, tensor, (1, 1))
}

/// The sums of products over the last dimension of both: `[.., k]` with `[.., k]` is the leading dimensions of the one, then those of the other. A 0-d tensor
/// multiplies.
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

/// The products of every element of one vector with every one of another: `[m]` with `[n]` is `[m, n]`.
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

/// `beta * base + alpha * product`, the base broadcast to the product. Where `beta` is 0 the base does not matter, be it NaN.
fn add(op: &str, base: &Tensor, product: Result<Tensor>, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    let product = product.map_err(|error| error.in_op(op))?;
    if base.dtype() != product.dtype() {
        let message = format!("the types differ: {} and a product of {}; convert one with to()", base.dtype(), product.dtype());
        return Err(Error::dtype(op, message));
    }
    let base = base.expand(product.shape()).map_err(|error| error.in_op(op))?;
    let one = |scalar: Scalar| scalar.to_f64() == 1.0;
    let scaled = if one(alpha) { product } else { scaled(op, &product, alpha)? };
    if beta.to_f64() == 0.0 {
        // Still a part of the graph, with a gradient of 0.
        return Tensor::r#where(&base.zeros_like_with(crate::DType::Bool)?, base, scaled);
    }
    scaled.add_with(base, beta).map_err(|error| error.in_op(op))
}

/// A number that an integer tensor is multiplied by must be whole.
fn scaled(op: &str, product: &Tensor, alpha: Scalar) -> Result<Tensor> {
    let scaled = product.mul(alpha)?;
    if scaled.dtype() == product.dtype() {
        return Ok(scaled);
    }
    Err(Error::dtype(op, format!("the number {} is floating point, the tensors are {}", alpha.to_f64(), product.dtype())))
}

/// Samples of a base, of its shape and of one number, and of two factors.
fn sums(base: &[i64], a: &[i64], b: &[i64]) -> Vec<Sample> {
    samples::calls([
        vec![real(base), real(a), real(b)],
        vec![real(&[]), real(a), real(b), samples::float(0.2), samples::float(0.6)],
        vec![real(base), real(a), real(b), samples::int(0), samples::float(2.0)],
    ])
}

/// `beta * self + alpha * (mat1 @ mat2)`; `self` broadcasts to the product of the matrices.
#[op(
    composite,
    "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    in_place,
    opmath,
    samples = || sums(&[3, 5], &[3, 4], &[4, 5])
)]
fn addmm(base: &Tensor, mat1: &Tensor, mat2: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    add("addmm", base, product("addmm", mat1, mat2, (2, 2)), beta, alpha)
}

/// `beta * self + alpha * (mat @ vec)`; `self` broadcasts to the product.
#[op(
    composite,
    "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    in_place,
    opmath,
    samples = || sums(&[3], &[3, 4], &[4])
)]
fn addmv(base: &Tensor, mat: &Tensor, vec: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    add("addmv", base, product("addmv", mat, vec, (2, 1)), beta, alpha)
}

/// `beta * self + alpha * outer(vec1, vec2)`; `self` broadcasts to the product.
#[op(
    composite,
    "addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    in_place,
    opmath,
    samples = || sums(&[3, 5], &[3], &[5])
)]
fn addr(base: &Tensor, vec1: &Tensor, vec2: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    add("addr", base, vec1.outer(vec2), beta, alpha)
}

/// `beta * self + alpha * bmm(batch1, batch2)`; `self` broadcasts to the products.
#[op(
    composite,
    "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    in_place,
    opmath,
    samples = || sums(&[2, 3, 5], &[2, 3, 4], &[2, 4, 5])
)]
fn baddbmm(base: &Tensor, batch1: &Tensor, batch2: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    add("baddbmm", base, batches("baddbmm", batch1, batch2), beta, alpha)
}

/// `beta * self + alpha * (the sum of the products of as many pairs of matrices)`, which is one product over batch and k together.
#[op(
    composite,
    "addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
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
    let terms =
        vec![Term { tensor: batch1.clone(), names: vec![batch, m, k] }, Term { tensor: batch2.clone(), names: vec![batch, k, n] }];
    add(op, base, evaluate(op, terms, &[m, n], None), beta, alpha)
}

/// The Kronecker product: each element of `self` times all of `other`, in its place. The dimensions are multiplied; the shorter shape is led by ones.
#[op(
    composite,
    "kron(Tensor self, Tensor other) -> Tensor",
    samples = || samples::calls([vec![real(&[2, 3]), real(&[3, 2])], vec![real(&[3]), real(&[2, 2, 1])]])
)]
fn kron(a: &Tensor, other: &Tensor) -> Result<Tensor> {
    let op = "kron";
    let rank = a.rank().max(other.rank());
    // Every dimension becomes two, of which the one tensor has the first and the other the second.
    let spread = |x: &Tensor, place: usize| {
        let lead = rank - x.rank();
        let size = |d: usize| d.checked_sub(lead).map_or(1, |d| x.shape()[d] as i64);
        x.reshape((0..2 * rank).map(|d| if d % 2 == place { size(d / 2) } else { 1 }).collect::<Vec<_>>())
    };
    let product = spread(a, 0).and_then(|a| a.mul(spread(other, 1)?)).map_err(|error| error.in_op(op))?;
    let shape: Vec<i64> = product.shape().chunks(2).map(|pair| pair.iter().product::<usize>() as i64).collect();
    product.reshape(shape)
}

/// The product of two or more matrices in the order that takes the fewest multiplications. The first may be a row and the last a column, given as vectors.
#[op(
    composite,
    "linalg_multi_dot(Tensor[] tensors) -> Tensor",
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

/// For matrices `i` to `j`, at `[i][j]`: the fewest multiplications, and the last matrix of the left factor (Cormen et al., Introduction to Algorithms, 14.2).
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

/// A square matrix, or each of several, times itself: `n` factors; of a negative `n`, those of the inverse; of 0, the identity.
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
            power = Some(power.map_or(Ok(square.clone()), |power| power.matmul(&square)).map_err(|error| error.in_op(op))?);
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

/// The sums of products along `dim`, the other dimensions broadcast together.
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

pub(crate) static OPS: &[&Op] = &[
    &MM,
    &BMM,
    &MV,
    &DOT,
    &INNER,
    &OUTER,
    &ADDMM,
    &ADDMV,
    &ADDR,
    &BADDBMM,
    &ADDBMM,
    &KRON,
    &LINALG_MATRIX_POWER,
    &LINALG_MULTI_DOT,
    &LINALG_VECDOT,
];
