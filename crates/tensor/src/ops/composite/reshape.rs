//! Other shapes for the same elements, expansion and repetition.

use crate::{
    Error, Indexing, Result, Shape, Tensor,
    ops::{Op, leaf},
    samples,
    scalar::Ints,
};
use lanthorn_macros::op;

fn every_rank() -> Vec<samples::Sample> {
    samples::calls([
        vec![samples::real(&[], -2.0, 2.0)],
        vec![samples::real(&[3], -2.0, 2.0)],
        vec![samples::real(&[2, 3], -2.0, 2.0)],
        vec![samples::real(&[2, 1, 3, 2], -2.0, 2.0)],
    ])
}

fn list_of_every_rank() -> Vec<samples::Sample> {
    let specs = [&[][..], &[3], &[2, 3]].map(|shape| samples::spec(shape, crate::DType::F32, -2.0, 2.0));
    samples::calls([vec![samples::SampleArg::Tensors(specs.into())]])
}

fn like_another() -> Vec<samples::Sample> {
    samples::calls([
        vec![samples::real(&[4, 6], -2.0, 2.0), samples::tensor(&[3, 8], crate::DType::I32, 0.0, 2.0)],
        vec![samples::real(&[1], -2.0, 2.0), samples::tensor(&[], crate::DType::I32, 0.0, 2.0)],
    ])
}

/// All elements in one dimension, as `torch.ravel`; a view where the strides allow it.
#[op(composite, "ravel(Tensor self) -> Tensor", samples = every_rank)]
fn ravel(x: &Tensor) -> Result<Tensor> {
    x.reshape([-1])
}

/// [`reshape`](Tensor::reshape) to the shape of `other`.
///
/// Errors: `shape` if the numbers of elements differ.
#[op(composite, "reshape_as(Tensor self, Tensor other) -> Tensor", samples = like_another)]
fn reshape_as(x: &Tensor, other: &Tensor) -> Result<Tensor> {
    x.reshape(other.shape())
}

/// [`view`](Tensor::view) with the shape of `other`.
///
/// Errors: `shape` if the numbers of elements differ or the strides allow no view.
#[op(
    composite,
    "view_as(Tensor self, Tensor other) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[6], -2.0, 2.0), samples::tensor(&[6], crate::DType::I32, 0.0, 2.0)]])
)]
fn view_as(x: &Tensor, other: &Tensor) -> Result<Tensor> {
    x.view(other.shape())
}

/// [`expand`](Tensor::expand) to `size`: a view.
///
/// Errors: `shape` if `self` does not broadcast to `size`.
#[op(
    composite,
    "broadcast_to(Tensor self, int[] size) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[3, 1], -2.0, 2.0), samples::ints(&[2, 3, 4])]])
)]
fn broadcast_to(x: &Tensor, size: &Ints) -> Result<Tensor> {
    x.expand(size)
}

/// [`expand`](Tensor::expand) to the shape of `other`: a view.
///
/// Errors: `shape` if `self` does not broadcast to it.
#[op(
    composite,
    "expand_as(Tensor self, Tensor other) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[3, 1], -2.0, 2.0), samples::tensor(&[2, 3, 4], crate::DType::I32, 0.0, 2.0)]])
)]
fn expand_as(x: &Tensor, other: &Tensor) -> Result<Tensor> {
    x.expand(other.shape())
}

/// The tensor itself, or a 0-d tensor as `[1]`, as `torch.atleast_1d`.
#[op(composite, "atleast_1d(Tensor tensor) -> Tensor", samples = every_rank)]
fn atleast_1d(x: &Tensor) -> Result<Tensor> {
    if x.rank() == 0 { x.reshape([1]) } else { Ok(x.clone()) }
}

/// The tensor itself, or a vector `[n]` as `[1, n]` and a 0-d tensor as `[1, 1]`, as
/// `torch.atleast_2d`.
#[op(composite, "atleast_2d(Tensor tensor) -> Tensor", samples = every_rank)]
fn atleast_2d(x: &Tensor) -> Result<Tensor> {
    match x.rank() {
        0 => x.reshape([1, 1]),
        1 => x.unsqueeze(0),
        _ => Ok(x.clone()),
    }
}

/// The tensor itself, or a matrix `[n, m]` as `[n, m, 1]`, a vector `[n]` as `[1, n, 1]` and a 0-d
/// tensor as `[1, 1, 1]`, as `torch.atleast_3d`.
#[op(composite, "atleast_3d(Tensor tensor) -> Tensor", samples = every_rank)]
fn atleast_3d(x: &Tensor) -> Result<Tensor> {
    match x.rank() {
        0 => x.reshape([1, 1, 1]),
        1 => x.unsqueeze(0)?.unsqueeze(-1),
        2 => x.unsqueeze(-1),
        _ => Ok(x.clone()),
    }
}

/// [`atleast_1d`](Tensor::atleast_1d) of each tensor.
#[op(composite, "atleast_1d.sequence(Tensor[] tensors) -> Tensor[]", samples = list_of_every_rank)]
fn atleast_1d_sequence(tensors: &[Tensor]) -> Result<Vec<Tensor>> {
    tensors.iter().map(Tensor::atleast_1d).collect()
}

/// [`atleast_2d`](Tensor::atleast_2d) of each tensor.
#[op(composite, "atleast_2d.sequence(Tensor[] tensors) -> Tensor[]", samples = list_of_every_rank)]
fn atleast_2d_sequence(tensors: &[Tensor]) -> Result<Vec<Tensor>> {
    tensors.iter().map(Tensor::atleast_2d).collect()
}

/// [`atleast_3d`](Tensor::atleast_3d) of each tensor.
#[op(composite, "atleast_3d.sequence(Tensor[] tensors) -> Tensor[]", samples = list_of_every_rank)]
fn atleast_3d_sequence(tensors: &[Tensor]) -> Result<Vec<Tensor>> {
    tensors.iter().map(Tensor::atleast_3d).collect()
}

/// The shape to which two shapes broadcast, as `torch.broadcast_shapes`.
///
/// Errors: `shape` if they do not broadcast or a size is negative.
///
/// ```
/// # use lanthorn_tensor::Tensor;
/// assert_eq!(Tensor::broadcast_shapes([3, 1], [4])?, [3, 4]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "broadcast_shapes(int[] a, int[] b) -> int[]",
    samples = || samples::calls([vec![samples::ints(&[3, 1]), samples::ints(&[4])], vec![samples::ints(&[0, 1, 3]), samples::ints(&[10, 3])]])
)]
fn broadcast_shapes(a: &Ints, b: &Ints) -> Result<Vec<i64>> {
    let op = "broadcast_shapes";
    Ok(Shape::new(op, a)?.broadcast(op, &Shape::new(op, b)?)?.to_i64())
}

fn shape_of_all(op: &str, tensors: &[Tensor]) -> Result<Shape> {
    tensors.iter().try_fold(Shape::default(), |shape, tensor| shape.broadcast(op, tensor.shape()))
}

/// Each tensor expanded to the shape to which all of them broadcast, as `torch.broadcast_tensors`:
/// views.
///
/// Errors: `shape` if the shapes do not broadcast.
#[op(
    composite,
    "broadcast_tensors(Tensor[] tensors) -> Tensor[]",
    samples = || {
        let specs = [&[3][..], &[1, 2, 1], &[]].map(|shape| samples::spec(shape, crate::DType::F32, -2.0, 2.0));
        samples::calls([vec![samples::SampleArg::Tensors(specs.into())]])
    }
)]
fn broadcast_tensors(tensors: &[Tensor]) -> Result<Vec<Tensor>> {
    let shape = shape_of_all("broadcast_tensors", tensors)?;
    tensors.iter().map(|tensor| tensor.expand(&shape)).collect()
}

/// The coordinates of a grid over vectors, as `torch.meshgrid`: each vector expanded to the shape
/// of the grid.
///
/// `[n_1]` to `[n_k]` give `k` tensors `[n_1, ..., n_k]`, all of them views; a 0-d tensor counts as
/// `[1]`. With `indexing` `"ij"` the `i`-th vector varies along dimension `i`; with `"xy"` the
/// first two dimensions are swapped.
///
/// Errors: `shape` if a tensor has more than one dimension; `argument` if the list is empty or
/// `indexing` is unknown.
#[op(
    composite,
    "meshgrid(Tensor[] tensors, str{ij|xy} indexing=\"ij\") -> Tensor[]",
    samples = || {
        let specs = [&[3][..], &[2], &[]].map(|shape| samples::spec(shape, crate::DType::F32, -2.0, 2.0));
        let tensors = samples::SampleArg::Tensors(specs.into());
        samples::calls([vec![tensors.clone()], vec![tensors, samples::text("xy")]])
    }
)]
fn meshgrid(tensors: &[Tensor], indexing: Indexing) -> Result<Vec<Tensor>> {
    let op = "meshgrid";
    if let Some(tensor) = tensors.iter().find(|tensor| tensor.rank() > 1) {
        return Err(Error::shape(op, format!("takes vectors, not shape {}", tensor.shape())));
    }
    if tensors.is_empty() {
        return Err(Error::argument(op, "takes at least one tensor"));
    }
    let mut order: Vec<usize> = (0..tensors.len()).collect();
    if indexing == Indexing::Xy && order.len() > 1 {
        order.swap(0, 1);
    }
    let along = |(tensor, &position): (&Tensor, &usize)| {
        tensor.reshape((0..order.len()).map(|d| if d == position { -1 } else { 1 }).collect::<Vec<_>>())
    };
    let sides = tensors.iter().zip(&order).map(along).collect::<Result<Vec<_>>>().map_err(|error| error.in_op(op))?;
    let shape = shape_of_all(op, &sides)?;
    sides.iter().map(|side| side.expand(&shape)).collect()
}

/// The tensor repeated along each dimension, as `torch.Tensor.repeat`.
///
/// `self: [n_1, ..., n_k]` becomes `[repeats_1 * n_1, ..., repeats_k * n_k]`; more numbers than
/// dimensions add dimensions in front. The result is a copy.
///
/// Errors: `argument` if there are fewer numbers than dimensions or one is negative; `shape` if the
/// result would be too large.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// assert_eq!(pollster::block_on(Tensor::arange(1, 3, 1)?.repeat([2, 2])?.to_vec::<i32>())?, [1, 2, 1, 2, 1, 2, 1, 2]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "repeat(Tensor self, int[] repeats) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::ints(&[2, 3])],
        vec![samples::real(&[3, 1], -2.0, 2.0), samples::ints(&[2, 1, 4])],
        vec![samples::real(&[2], -2.0, 2.0), samples::ints(&[0])],
        vec![samples::real(&[], -2.0, 2.0), samples::ints(&[])],
    ])
)]
fn repeat(x: &Tensor, repeats: &Ints) -> Result<Tensor> {
    let Some(lead) = repeats.len().checked_sub(x.rank()) else {
        let message = format!("takes a number for each dimension of shape {}, not {:?}", x.shape(), &repeats[..]);
        return Err(Error::argument("repeat", message));
    };
    let sizes = std::iter::repeat_n(1, lead).chain(x.shape().iter().map(|&size| size as i64));
    let (mut from, mut to, mut result) = (vec![], vec![], vec![]);
    for (&count, size) in repeats.iter().zip(sizes) {
        if count < 0 {
            return Err(Error::argument("repeat", format!("repeats must not be negative: {:?}", &repeats[..])));
        }
        // Two dimensions are used only where both sizes differ from 1, because the rank is limited.
        if count != 1 && size != 1 {
            from.extend([1, size]);
            to.extend([count, size]);
        } else {
            from.push(size);
            to.push(count.saturating_mul(size));
        }
        result.push(count.saturating_mul(size));
    }
    Shape::new("repeat", &result)?;
    x.reshape(from)?.expand(to)?.clone_tensor()?.reshape(result)
}

/// [`repeat`](Tensor::repeat), where missing leading numbers count as 1, as `torch.tile`.
///
/// Errors: `argument` if a number is negative; `shape` if the result would be too large.
#[op(
    composite,
    "tile(Tensor self, int[] dims) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::ints(&[2])],
        vec![samples::real(&[3], -2.0, 2.0), samples::ints(&[2, 2])],
    ])
)]
fn tile(x: &Tensor, dims: &Ints) -> Result<Tensor> {
    let missing = x.rank().saturating_sub(dims.len());
    let repeats: Vec<i64> = std::iter::repeat_n(1, missing).chain(dims.iter().copied()).collect();
    x.repeat(repeats).map_err(|error| error.in_op("tile"))
}

/// Every element, or every slice along `dim`, repeated `repeats` times, as
/// `torch.repeat_interleave`.
///
/// `self: [*, n, *]` becomes `[*, n * repeats, *]`; without `dim` the tensor is flattened, and the
/// result is a vector. `output_size` is the resulting size along the dimension, which is checked.
///
/// Errors: `index` if `dim` is out of range; `argument` if `repeats` is negative or `output_size`
/// differs from the resulting size; `shape` if the result would be too large.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// assert_eq!(pollster::block_on(Tensor::arange(0, 3, 1)?.repeat_interleave(2, None)?.to_vec::<i32>())?, [0, 0, 1, 1, 2, 2]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "repeat_interleave(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::int(2)],
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::int(3), samples::int(0), samples::int(6)],
    ])
)]
fn repeat_interleave(x: &Tensor, repeats: i64, dim: Option<i64>, output_size: Option<i64>) -> Result<Tensor> {
    let op = "repeat_interleave";
    let (x, d) = interleave(x, dim)?;
    let size = x.shape()[d] as i64;
    if repeats < 0 {
        return Err(Error::argument(op, format!("repeats must not be negative: {repeats}")));
    }
    check_output_size(output_size, size.saturating_mul(repeats))?;
    let mut sizes = x.shape().to_i64();
    sizes[d] = size.saturating_mul(repeats);
    let result = Shape::new(op, &sizes)?;
    sizes[d] = size;
    sizes.insert(d + 1, repeats);
    x.unsqueeze(d as i64 + 1)?.expand(sizes)?.clone_tensor()?.reshape(&result)
}

/// [`repeat_interleave`](Tensor::repeat_interleave) with a number for each element or slice.
///
/// `repeats: [n]`, or one number for all, of an integer type; the size along the dimension is their
/// sum. They are read, and the result is awaited.
///
/// Errors: as of `repeat_interleave`; `dtype` if `repeats` is not of an integer type; `argument` if
/// it is neither `[n]` nor one number.
#[op(
    composite,
    "repeat_interleave.tensor(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::index(&[3], 4), samples::int(1)],
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::index(&[6], 3)],
    ])
)]
async fn repeat_interleave_tensor(
    x: &Tensor,
    repeats: &Tensor,
    dim: Option<i64>,
    output_size: Option<i64>,
) -> Result<Tensor> {
    let op = "repeat_interleave";
    let (x, d) = interleave(x, dim)?;
    let size = x.shape()[d];
    let one_for_all = repeats.numel() == 1;
    let repeats = leaf::index::as_index(op, repeats)?;
    if repeats.rank() > 1 || !(one_for_all || repeats.numel() == size) {
        let message =
            format!("repeats must be one for each of {size} or one for all, not of shape {}", repeats.shape());
        return Err(Error::argument(op, message));
    }
    let repeats = repeats.to_vec::<i32>().await?;
    let count = |position: usize| repeats[if one_for_all { 0 } else { position }];
    if let Some(negative) = repeats.iter().find(|&&count| count < 0) {
        return Err(Error::argument(op, format!("repeats must not be negative: {negative}")));
    }
    let total = (0..size).map(|position| i64::from(count(position))).sum();
    check_output_size(output_size, total)?;
    let mut sizes = x.shape().to_i64();
    sizes[d] = total;
    Shape::new(op, &sizes)?;
    let positions: Vec<i32> =
        (0..size).flat_map(|position| std::iter::repeat_n(position as i32, count(position) as usize)).collect();
    x.index_select(d as i64, &Tensor::from_slice(&positions, [total], x.device())?)
}

/// The tensor and the dimension to repeat along; without `dim`, the flattened tensor.
fn interleave(x: &Tensor, dim: Option<i64>) -> Result<(Tensor, usize)> {
    let Some(dim) = dim else { return Ok((x.reshape([-1])?, 0)) };
    Ok((Tensor::atleast_1d(x)?, x.shape().dim("repeat_interleave", dim)?))
}

fn check_output_size(given: Option<i64>, total: i64) -> Result<()> {
    match given {
        Some(size) if size != total => {
            Err(Error::argument("repeat_interleave", format!("output_size is {size}, the repeats add up to {total}")))
        }
        _ => Ok(()),
    }
}

pub(crate) static OPS: &[&Op] = &[
    &RAVEL,
    &RESHAPE_AS,
    &VIEW_AS,
    &BROADCAST_TO,
    &EXPAND_AS,
    &ATLEAST_1D,
    &ATLEAST_2D,
    &ATLEAST_3D,
    &ATLEAST_1D_SEQUENCE,
    &ATLEAST_2D_SEQUENCE,
    &ATLEAST_3D_SEQUENCE,
    &BROADCAST_SHAPES,
    &BROADCAST_TENSORS,
    &MESHGRID,
    &REPEAT,
    &TILE,
    &REPEAT_INTERLEAVE,
    &REPEAT_INTERLEAVE_TENSOR,
];
