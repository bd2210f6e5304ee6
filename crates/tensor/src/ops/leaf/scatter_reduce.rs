//! Scatter with a reduction: the elements that an index sends to one position are reduced there.
//! The gradients are PyTorch's.

use super::index::{as_index, scattered};
use crate::{
    DType, Error, IndexReduction, Result, Scalar, ScatterReduction, Tensor,
    autograd::{Derivative, attach, no_grad},
    ops::{Op, pointwise::record},
    samples::{self, Sample},
};
use lanthorn_ir::{
    Shape,
    expr::{Expr, Type},
    kernel::ScatterOp,
};
use lanthorn_macros::op;
use std::rc::Rc;

impl ScatterReduction {
    fn kernel(self) -> ScatterOp {
        match self {
            ScatterReduction::Sum | ScatterReduction::Mean => ScatterOp::Add,
            ScatterReduction::Prod => ScatterOp::Mul,
            ScatterReduction::Amax => ScatterOp::Max,
            ScatterReduction::Amin => ScatterOp::Min,
        }
    }

    /// The identity of the reduction.
    fn identity(self, dtype: DType) -> Scalar {
        let [low, high] = dtype.range();
        let identity = match self {
            ScatterReduction::Sum | ScatterReduction::Mean => 0.0,
            ScatterReduction::Prod => 1.0,
            ScatterReduction::Amax => low,
            ScatterReduction::Amin => high,
        };
        if dtype.is_floating_point() { Scalar::Float(identity) } else { Scalar::Int(identity as i64) }
    }
}

/// A scatter with a reduction: everything except the tensors that receive a gradient.
#[derive(Clone)]
struct Positions {
    op: &'static str,
    dim: i64,
    /// The target of each element of the source, in its shape.
    index: Tensor,
    include_self: bool,
    reduction: ScatterReduction,
}

impl Positions {
    /// The result, without a derivative.
    fn reduce(&self, x: &Tensor, src: &Tensor) -> Result<Tensor> {
        no_grad(|| {
            let base = match self.include_self {
                true => x.clone(),
                false => x.scatter(self.dim, &self.index, self.reduction.identity(x.dtype()))?,
            };
            // Types of one byte are multiplied and compared as int32.
            let how = self.reduction.kernel();
            let reduced = if how != ScatterOp::Add && matches!(x.dtype(), DType::Bool | DType::U8) {
                let wide = |x: &Tensor| x.to(DType::I32);
                scattered(self.op, &wide(&base)?, self.dim, &self.index, &wide(src)?, how)?.to(x.dtype())?
            } else {
                scattered(self.op, &base, self.dim, &self.index, src, how)?
            };
            if self.reduction == ScatterReduction::Mean {
                quotient(self.op, &reduced, &self.counts(x)?)
            } else {
                Ok(reduced)
            }
        })
    }

    /// The number of elements that the mean of each position has; 1 for none.
    fn counts(&self, x: &Tensor) -> Result<Tensor> {
        let start = if self.include_self { x.ones_like()? } else { x.zeros_like()? };
        let ones = Tensor::ones_with(self.index.shape(), x.dtype(), Some(x.device()))?;
        start.scatter_add(self.dim, &self.index, &ones)?.clamp_min(1)
    }

    /// The element of `x` at the target position of each source element.
    fn of_source(&self, x: &Tensor) -> Result<Tensor> {
        x.gather(self.dim, &self.index)
    }

    fn gradients(&self, grad: &Tensor, x: &Tensor, src: &Tensor) -> Result<Vec<Option<Tensor>>> {
        let (of_self, of_src) = match self.reduction {
            ScatterReduction::Sum => (grad.clone(), self.of_source(grad)?),
            ScatterReduction::Mean => {
                let share = grad.div(self.counts(x)?)?;
                (share.clone(), self.of_source(&share)?)
            }
            ScatterReduction::Prod => self.gradients_of_product(grad, x, src)?,
            ScatterReduction::Amax | ScatterReduction::Amin => {
                // All elements equal to the extreme share its gradient.
                let extreme = self.reduce(x, src)?;
                let is_self = x.eq(&extreme)?.to(grad.dtype())?;
                let is_src = src.eq(self.of_source(&extreme)?)?.to(grad.dtype())?;
                let share = grad.div(is_self.scatter_add(self.dim, &self.index, &is_src)?)?;
                (is_self.mul(&share)?, is_src.mul(self.of_source(&share)?)?)
            }
        };
        let of_self = if self.include_self { of_self } else { of_self.scatter(self.dim, &self.index, 0)? };
        Ok(vec![Some(of_self), Some(of_src)])
    }

    /// The gradients of a product, correct also for elements that are 0.
    fn gradients_of_product(&self, grad: &Tensor, x: &Tensor, src: &Tensor) -> Result<(Tensor, Tensor)> {
        let product = |x: &Tensor, src: &Tensor| reduce_into(self, x, src);
        let safe_self = Tensor::r#where(&x.eq(0)?, 1.0, x)?;
        let of_self = grad.mul(product(&safe_self, src)?)?.div(&safe_self)?;
        let is_zero = src.eq(0)?;
        let zeros = x.zeros_like()?.scatter_add(self.dim, &self.index, &is_zero.to(x.dtype())?)?;
        // The only zero of a position is left out of its product. With several zeros the product
        // without one of them is 0 too.
        let is_only_zero = is_zero.logical_and(&self.of_source(&zeros)?.eq(1)?)?;
        let without = product(x, &Tensor::r#where(&is_only_zero, 1.0, src)?)?;
        let divided = self.of_source(&grad.mul(product(x, src)?)?)?.div(Tensor::r#where(&is_zero, 1.0, src)?)?;
        let of_src = Tensor::r#where(&is_only_zero, self.of_source(&grad.mul(without)?)?, divided)?;
        Ok((of_self, of_src))
    }
}

/// The quotient, rounded down for integers.
fn quotient(op: &'static str, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    if x.dtype().is_floating_point() {
        return x.div(y);
    }
    let ty = Type::from(x.dtype());
    let (a, b) = (Expr::input(0, ty), Expr::input(1, ty));
    let down = (&a - a.remainder(&b)) / b;
    record(op, down, &[x.clone(), y.clone()], &[], x.dtype())
}

/// The reduction with its derivative.
fn reduce_into(positions: &Positions, x: &Tensor, src: &Tensor) -> Result<Tensor> {
    let output = positions.reduce(x, src)?;
    let kept = positions.clone();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let positions = Positions { index: saved[2].clone(), ..kept.clone() };
        positions.gradients(grad, &saved[0], &saved[1])
    });
    attach(positions.op, &output, &[x, src], &[x, src, &positions.index], derivative);
    Ok(output)
}

/// The leading part of `src` that an index of `shape` covers.
fn crop(op: &str, src: &Tensor, shape: &Shape) -> Result<Tensor> {
    if src.rank() != shape.rank() || shape.iter().zip(src.shape().iter()).any(|(index, src)| index > src) {
        return Err(Error::shape(op, format!("an index of shape {shape} is larger than src of shape {}", src.shape())));
    }
    (0..shape.rank()).try_fold(src.clone(), |src, d| src.narrow(d as i64, 0, shape[d] as i64))
}

fn every_reduction() -> Vec<Sample> {
    let call = |reduce: &str, include_self: bool| {
        let (x, src) = (samples::real(&[3, 4], 0.5, 2.0), samples::real(&[5, 4], 0.5, 2.0));
        vec![x, samples::int(0), samples::index(&[5, 3], 3), src, samples::text(reduce), samples::flag(include_self)]
    };
    samples::calls([
        call("sum", false),
        call("prod", true),
        call("mean", true),
        call("mean", false),
        call("amax", true),
        call("amin", false),
    ])
}

/// `self` with the elements of `src` reduced into it at the positions that `index` holds along
/// `dim`: `src[i][j]` goes to `[index[i][j]][j]` for `dim` 0 of a matrix.
///
/// Shapes: as of [`scatter_add`](Tensor::scatter_add). `reduce` is `"sum"`, `"prod"`, `"mean"`,
/// `"amax"` or `"amin"`. Without `include_self` the elements of `self` at those positions take no
/// part; elsewhere they stay.
///
/// Errors: `argument` if `reduce` is another string; `shape` if `index` does not fit `self` or
/// `src`; `dtype` if `self` and `src` differ in type or `index` is not an integer tensor; `index`
/// if `dim` is out of range, or when the result is read if an element of `index` is out of range.
///
/// Gradient: shared evenly among the elements that equal an extreme; of a product it is correct
/// beside zeros.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{ScatterReduction, Tensor};
/// let index = Tensor::from_slice(&[0, 0, 1], [3], &device)?;
/// let src = Tensor::from_slice(&[1.0f32, 5.0, 2.0], [3], &device)?;
/// let y = Tensor::full([2], 3.0)?.scatter_reduce(0, &index, &src, ScatterReduction::Amax)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [5.0, 3.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str{sum|prod|mean|amax|amin} reduce, *, bool include_self=True) -> Tensor",
    in_place,
    samples = every_reduction
)]
fn scatter_reduce(
    x: &Tensor,
    dim: i64,
    index: &Tensor,
    src: &Tensor,
    reduce: ScatterReduction,
    include_self: bool,
) -> Result<Tensor> {
    let op = "scatter_reduce";
    let index = as_index(op, index)?;
    let positions = Positions { op, dim, index: index.clone(), include_self, reduction: reduce };
    reduce_into(&positions, x, &crop(op, src, index.shape())?)
}

/// `self` with the slices of `source` along `dim` reduced into those slices that a vector of
/// indices selects.
///
/// Shapes: `self: [*, n, *]`, `index: [k]`, `source: [*, k, *]`; the result has the shape of
/// `self`. `reduce` is `"prod"`, `"mean"`, `"amax"` or `"amin"`, and `include_self` is as of
/// [`scatter_reduce`](Tensor::scatter_reduce).
///
/// Errors: `argument` if `reduce` is another string; `shape` if `index` or `source` does not fit;
/// `dtype` if `self` and `source` differ in type or `index` is not an integer tensor; `index` if
/// `dim` is out of range, or when the result is read if an element of `index` is out of range.
#[op(
    composite,
    "index_reduce(Tensor self, int dim, Tensor index, Tensor source, str{prod|mean|amax|amin} reduce, *, bool include_self=True) -> Tensor",
    in_place,
    samples = || {
        let call = |reduce: &str, include_self: bool| {
            let (x, source) = (samples::real(&[2, 3], 0.5, 2.0), samples::real(&[2, 5], 0.5, 2.0));
            vec![x, samples::int(-1), samples::index(&[5], 3), source, samples::text(reduce), samples::flag(include_self)]
        };
        samples::calls([call("prod", false), call("mean", true), call("amax", true)])
    }
)]
fn index_reduce(
    x: &Tensor,
    dim: i64,
    index: &Tensor,
    source: &Tensor,
    reduce: IndexReduction,
    include_self: bool,
) -> Result<Tensor> {
    let op = "index_reduce";
    let (positions, source) = slices(op, x, dim, index, source)?;
    let reduction = reduce.into();
    reduce_into(&Positions { op, dim, index: positions, include_self, reduction }, x, &source)
}

/// The index of slices expanded to their elements, and the source, both with at least one
/// dimension.
fn slices(op: &str, x: &Tensor, dim: i64, index: &Tensor, source: &Tensor) -> Result<(Tensor, Tensor)> {
    let index = as_index(op, index)?;
    let d = x.shape().dim(op, dim)?;
    let (mine, theirs) = (Tensor::atleast_1d(x)?, Tensor::atleast_1d(source)?);
    let fits = index.rank() <= 1
        && mine.rank() == theirs.rank()
        && (0..mine.rank())
            .all(|other| theirs.shape()[other] == if other == d { index.numel() } else { mine.shape()[other] });
    if !fits {
        let message = format!(
            "an index of shape {} and a source of shape {} do not fit into shape {}",
            index.shape(),
            source.shape(),
            x.shape()
        );
        return Err(Error::shape(op, message));
    }
    let along: Vec<i64> = (0..mine.rank()).map(|other| if other == d { -1 } else { 1 }).collect();
    Ok((index.reshape(along)?.expand(theirs.shape())?, theirs))
}

fn slices_of_two() -> Vec<Sample> {
    samples::calls([
        vec![
            samples::real(&[4, 3], -2.0, 2.0),
            samples::int(0),
            samples::index(&[3], 4),
            samples::real(&[3, 3], -2.0, 2.0),
        ],
        vec![
            samples::real(&[2, 5], -2.0, 2.0),
            samples::int(-1),
            samples::index(&[7], 5),
            samples::real(&[2, 7], -2.0, 2.0),
        ],
        vec![
            samples::tensor(&[4], DType::I32, -9.0, 9.0),
            samples::int(0),
            samples::index(&[2], 4),
            samples::tensor(&[2], DType::I32, -9.0, 9.0),
        ],
    ])
}

/// `self` with `alpha` times the slices of `source` along `dim` added to those slices that a vector
/// of indices selects.
///
/// Shapes: `self: [*, n, *]`, `index: [k]`, `source: [*, k, *]`; the result has the shape of
/// `self`.
///
/// Errors: `shape` if `index` or `source` does not fit; `dtype` if `self` and `source` differ in
/// type or `index` is not an integer tensor; `index` if `dim` is out of range, or when the result
/// is read if an element of `index` is out of range.
#[op(
    composite,
    "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
    in_place,
    samples = slices_of_two
)]
fn index_add(x: &Tensor, dim: i64, index: &Tensor, source: &Tensor, alpha: Scalar) -> Result<Tensor> {
    let (positions, source) = slices("index_add", x, dim, index, source)?;
    let source = if alpha.to_f64() == 1.0 { source } else { source.mul(alpha)?.to(x.dtype())? };
    x.scatter_add(dim, &positions, &source).map_err(|error| error.in_op("index_add"))
}

/// `self` with the slices of `source` along `dim` copied to those slices that a vector of indices
/// selects. Of several copies to one slice the last one remains.
///
/// Shapes and errors: as of [`index_add`](Tensor::index_add).
#[op(composite, "index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", in_place, samples = || samples::calls([
        vec![samples::real(&[4, 3], -2.0, 2.0), samples::int(0), samples::index(&[1], 4), samples::real(&[1, 3], -2.0, 2.0)],
        vec![samples::tensor(&[4], DType::I32, -9.0, 9.0), samples::int(0), samples::index(&[6], 4), samples::tensor(&[6], DType::I32, -9.0, 9.0)],
    ]))]
fn index_copy(x: &Tensor, dim: i64, index: &Tensor, source: &Tensor) -> Result<Tensor> {
    let (positions, source) = slices("index_copy", x, dim, index, source)?;
    x.scatter(dim, &positions, source).map_err(|error| error.in_op("index_copy"))
}

pub(crate) static OPS: &[&Op] = &[&SCATTER_REDUCE, &INDEX_REDUCE, &INDEX_ADD, &INDEX_COPY];
