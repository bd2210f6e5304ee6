//! The derivative of a function that is known at points, by finite differences.

use crate::{
    Error, OptionalInts, Result, Scalar, Tensor,
    ops::{Op, composite::like::floating},
    samples,
};
use lanthorn_macros::op;

/// The distances of neighbouring points along a dimension.
enum Spacing<'a> {
    Even(f64),
    /// The points.
    Points(&'a Tensor),
}

/// The elements of `x` at `start`, `start + 1` and so on along `dim`.
fn part(x: &Tensor, dim: i64, start: i64, count: i64) -> Result<Tensor> {
    x.narrow(dim, start, count)
}

/// The derivative at points of equal distance `h`.
fn even(x: &Tensor, dim: i64, n: i64, h: f64, edge_order: i64) -> Result<Tensor> {
    let at = |index: i64| part(x, dim, index, 1);
    let inner = part(x, dim, 2, n - 2)?.sub(part(x, dim, 0, n - 2)?)?.div(2.0 * h)?;
    let (first, last) = if edge_order == 1 {
        (at(1)?.sub(at(0)?)?.div(h)?, at(n - 1)?.sub(at(n - 2)?)?.div(h)?)
    } else {
        let edge =
            |a: i64, b: i64, c: i64, h: f64| at(a)?.mul(-1.5)?.add(at(b)?.mul(2.0)?)?.sub(at(c)?.mul(0.5)?)?.div(h);
        (edge(0, 1, 2, h)?, edge(n - 1, n - 2, n - 3, -h)?)
    };
    Tensor::cat(&[first, inner, last], dim)
}

/// The derivative at the end of three points: by the parabola through them, whose distances from
/// the end inwards are `near` and `far`.
fn parabola(values: [Tensor; 3], near: &Tensor, far: &Tensor) -> Result<Tensor> {
    let [end, second, third] = values;
    let sum = near.add(far)?;
    let a = near.mul(2.0)?.add(far)?.neg()?.div(near.mul(&sum)?)?;
    let b = sum.div(near.mul(far)?)?;
    let c = near.neg()?.div(far.mul(&sum)?)?;
    a.mul(end)?.add(b.mul(second)?)?.add(c.mul(third)?)
}

/// The derivative at points of any distance.
fn uneven(x: &Tensor, dim: i64, n: i64, points: &Tensor, edge_order: i64) -> Result<Tensor> {
    // The distances have a dimension for each dimension of `x` from `dim` on.
    let mut sizes = vec![1; x.rank() - dim as usize];
    sizes[0] = n - 1;
    let distances = floating(&points.diff(1, -1, None, None)?)?.reshape(sizes)?;
    let gap = |start: i64, count: i64| part(&distances, 0, start, count);
    let at = |index: i64| part(x, dim, index, 1);
    let (before, after) = (gap(0, n - 2)?, gap(1, n - 2)?);
    let sum = before.add(&after)?;
    let a = after.neg()?.div(before.mul(&sum)?)?;
    let b = after.sub(&before)?.div(before.mul(&after)?)?;
    let c = before.div(after.mul(&sum)?)?;
    let near = |start: i64| part(x, dim, start, n - 2);
    let inner = a.mul(near(0)?)?.add(b.mul(near(1)?)?)?.add(c.mul(near(2)?)?)?;
    let (first, last) = if edge_order == 1 {
        (at(1)?.sub(at(0)?)?.div(gap(0, 1)?)?, at(n - 1)?.sub(at(n - 2)?)?.div(gap(n - 2, 1)?)?)
    } else {
        let first = parabola([at(0)?, at(1)?, at(2)?], &gap(0, 1)?, &gap(1, 1)?)?;
        let last = parabola([at(n - 1)?, at(n - 2)?, at(n - 3)?], &gap(n - 2, 1)?, &gap(n - 3, 1)?)?;
        (first, last.neg()?)
    };
    Tensor::cat(&[first, inner, last], dim)
}

/// The dimensions of a call: those that it names, or all.
fn dimensions(x: &Tensor, dim: &OptionalInts) -> Result<Vec<i64>> {
    let named = dim.as_slice().map(<[i64]>::to_vec).unwrap_or((0..x.rank() as i64).collect());
    let mut dims = Vec::new();
    for dim in named {
        if x.rank() == 0 {
            return Err(Error::index("gradient", format!("dimension {dim} of a tensor without dimensions")));
        }
        let dim = x.shape().dim("gradient", dim)? as i64;
        if dims.contains(&dim) {
            return Err(Error::argument("gradient", format!("dimension {dim} is named twice")));
        }
        dims.push(dim);
    }
    Ok(dims)
}

/// The derivative along one dimension.
fn along(x: &Tensor, dim: i64, spacing: &Spacing<'_>, edge_order: i64) -> Result<Tensor> {
    let n = x.shape()[dim as usize] as i64;
    if !(1..=2).contains(&edge_order) {
        return Err(Error::argument("gradient", format!("edge_order is 1 or 2, not {edge_order}")));
    }
    if n < edge_order + 1 {
        let message = format!("takes {} points or more along dimension {dim}, not {n}", edge_order + 1);
        return Err(Error::shape("gradient", message));
    }
    match spacing {
        Spacing::Even(h) => even(x, dim, n, *h, edge_order),
        Spacing::Points(points) if points.rank() == 1 && points.numel() as i64 == n => {
            uneven(x, dim, n, points, edge_order)
        }
        Spacing::Points(points) => {
            let message = format!("the points along dimension {dim} must have shape [{n}], not {}", points.shape());
            Err(Error::shape("gradient", message))
        }
    }
}

/// The derivatives along dimensions whose points have these distances, one for each.
fn along_each(x: &Tensor, dims: &[i64], distances: &[f64], edge_order: i64) -> Result<Vec<Tensor>> {
    let each = dims.iter().zip(distances);
    each.map(|(&dim, &distance)| along(x, dim, &Spacing::Even(distance), edge_order)).collect()
}

/// The partial derivatives of a function with the values `self` at the points of a grid, as
/// `torch.gradient`: one tensor for each dimension of `dim`, or for each dimension of `self`.
///
/// Inside, the derivative is of the parabola through three neighbours. At the ends it is of the
/// line through two points, or with `edge_order` 2 of the parabola through three. `spacing` is the
/// distance of neighbouring points, 1 by default. Integers become floats.
///
/// Shapes: each result has the shape of `self`.
///
/// Errors: `shape` if a dimension has fewer than `edge_order + 1` points; `argument` if
/// `edge_order` is not 1 or 2 or a dimension is named twice; `index` if one is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[0.0f32, 1.0, 4.0, 9.0], [4], &device)?;
/// let slopes = &x.gradient()?[0];
/// assert_eq!(pollster::block_on(slopes.to_vec::<f32>())?, [1.0, 2.0, 4.0, 5.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "gradient(Tensor self, *, Scalar? spacing=None, int[]? dim=None, int edge_order=1) -> Tensor[]",
    samples = || samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0)],
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::float(0.5), samples::ints(&[-1]), samples::int(2)],
        vec![samples::tensor(&[4, 3], crate::DType::I32, -9.0, 9.0), samples::int(2)],
    ])
)]
fn gradient(x: &Tensor, spacing: Option<Scalar>, dim: &OptionalInts, edge_order: i64) -> Result<Vec<Tensor>> {
    let (x, dims) = (floating(x)?, dimensions(x, dim)?);
    let distance = spacing.map_or(1.0, Scalar::to_f64);
    along_each(&x, &dims, &vec![distance; dims.len()], edge_order)
}

/// [`gradient`](Tensor::gradient) with the distance of neighbouring points for each dimension.
///
/// Errors: as of `gradient`; `argument` if there are not as many distances as dimensions.
#[op(
    composite,
    "gradient.array(Tensor self, *, float[] spacing, int[]? dim=None, int edge_order=1) -> Tensor[]",
    samples = || samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::floats(&[0.5, 2.0])],
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::floats(&[0.5]), samples::ints(&[0])],
    ])
)]
fn gradient_array(x: &Tensor, spacing: &[f64], dim: &OptionalInts, edge_order: i64) -> Result<Vec<Tensor>> {
    let (x, dims) = (floating(x)?, dimensions(x, dim)?);
    check_count(spacing.len(), dims.len(), "distances")?;
    along_each(&x, &dims, spacing, edge_order)
}

/// Refuses a list of another length than there are dimensions.
fn check_count(given: usize, dims: usize, what: &str) -> Result<()> {
    if given == dims {
        return Ok(());
    }
    Err(Error::argument("gradient", format!("spacing has {given} {what} for {dims} dimensions")))
}

/// [`gradient`](Tensor::gradient) at points of any distance: `spacing` has the coordinates of the
/// points, a vector for each dimension.
///
/// Errors: as of `gradient`; `shape` if a vector has not as many points as the dimension.
#[op(
    composite,
    "gradient.coordinates(Tensor self, *, Tensor[] spacing, int[]? dim=None, int edge_order=1) -> Tensor[]",
    samples = || samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0), points(&[4, 5])],
        vec![samples::real(&[4, 5], -2.0, 2.0), points(&[4]), samples::ints(&[0]), samples::int(2)],
    ])
)]
fn gradient_coordinates(x: &Tensor, spacing: &[Tensor], dim: &OptionalInts, edge_order: i64) -> Result<Vec<Tensor>> {
    let (x, dims) = (floating(x)?, dimensions(x, dim)?);
    check_count(spacing.len(), dims.len(), "vectors")?;
    dims.iter().zip(spacing).map(|(&dim, points)| along(&x, dim, &Spacing::Points(points), edge_order)).collect()
}

/// Vectors of coordinates for a sample.
fn points(counts: &[i64]) -> samples::SampleArg {
    let vector = |&count: &i64| samples::spec(&[count], crate::DType::F32, -4.0, 4.0);
    samples::SampleArg::Tensors(counts.iter().map(vector).collect())
}

pub(crate) static OPS: &[&Op] = &[&GRADIENT, &GRADIENT_ARRAY, &GRADIENT_COORDINATES];
