//! Selection and replacement of elements by index tensors and masks, in the forms that are a gather
//! or a scatter along one dimension.

use crate::{
    DType, Error, Operand, Result, Tensor,
    ops::{Op, leaf::index::wrapped},
    samples::{self, SampleArg},
    scalar::Ints,
};
use lanthorn_macros::op;

/// The elements at the positions `index` of the flattened tensor, as `torch.take`.
///
/// `self: [*]`, `index` of any shape and integer type; the result has the shape of `index` and the
/// type of `self`. A negative position counts from the end.
///
/// Errors: `dtype` if `index` is not of an integer type; `index`, when the result is read, if a
/// position is out of range.
#[op(
    composite,
    "take(Tensor self, Tensor index) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::tensor(&[2, 3], DType::I32, -12.0, 12.0)],
        vec![samples::real(&[], -2.0, 2.0), samples::index(&[1], 1)],
    ])
)]
fn take(x: &Tensor, index: &Tensor) -> Result<Tensor> {
    let positions = wrapped("take", index, x.numel())?.reshape([-1])?;
    x.reshape([-1])?.index_select(0, &positions)?.reshape(index.shape()).map_err(|error| error.in_op("take"))
}

/// A copy of `self` with the elements of `source` written to the positions `index` of the flattened
/// tensor, or added there with `accumulate`, as `torch.put`.
///
/// `index` and `source` have equally many elements and any shapes; the result has the shape of
/// `self`. A negative position counts from the end. Where a position occurs several times, the last
/// element is kept.
///
/// Errors: `shape` if `index` and `source` have different numbers of elements; `dtype` if `index`
/// is not of an integer type or `source` not of the type of `self`; `index`, when the result is
/// read, if a position is out of range.
#[op(
    composite,
    "put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::tensor(&[1, 1], DType::I32, -12.0, 0.0), samples::real(&[1], -2.0, 2.0)],
        vec![samples::real(&[3], -2.0, 2.0), samples::index(&[5], 3), samples::real(&[5], -2.0, 2.0), samples::flag(true)],
    ])
)]
fn put(x: &Tensor, index: &Tensor, source: &Tensor, accumulate: bool) -> Result<Tensor> {
    if index.numel() != source.numel() {
        let message = format!("{} indices take as many elements, not {}", index.numel(), source.numel());
        return Err(Error::shape("put", message));
    }
    let positions = wrapped("put", index, x.numel())?.reshape([-1])?;
    let (flat, source) = (x.reshape([-1])?, source.reshape([-1])?);
    let result =
        if accumulate { flat.scatter_add(0, &positions, &source) } else { flat.scatter(0, &positions, source) };
    result.map_err(|error| error.in_op("put"))?.reshape(x.shape())
}

/// The elements at `indices` along `dim`, as `torch.take_along_dim`: [`gather`](Tensor::gather)
/// with broadcasting and with indices that may count from the end.
///
/// `self: [*, n, *]` and `indices: [*, k, *]`, an integer type, broadcast in all dimensions except
/// `dim`; the result has the broadcast shape with size `k` at `dim`. Without `dim` both tensors are
/// flattened, and the result is `[k]`.
///
/// Errors: `index` if `dim` is out of range; `shape` if the tensors have different numbers of
/// dimensions, or none, or do not broadcast; `dtype` if `indices` is not of an integer type;
/// `index`, when the result is read, if an index is out of range.
#[op(
    composite,
    "take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::index(&[1, 2], 4), samples::int(1)],
        vec![samples::real(&[1, 4], -2.0, 2.0), samples::tensor(&[3, 2], DType::I32, -4.0, 4.0), samples::int(-1)],
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::index(&[2, 2], 12)],
    ])
)]
fn take_along_dim(x: &Tensor, indices: &Tensor, dim: Option<i64>) -> Result<Tensor> {
    let op = "take_along_dim";
    let Some(dim) = dim else { return x.reshape([-1])?.take_along_dim(&indices.reshape([-1])?, 0) };
    let d = x.shape().dim(op, dim)?;
    if x.rank() != indices.rank() || x.rank() == 0 {
        return Err(Error::shape(
            op,
            format!("takes tensors of one number of dimensions, not {} and {}", x.shape(), indices.shape()),
        ));
    }
    // Dimension `dim` takes no part in broadcasting.
    let one = |shape: &crate::Shape| {
        crate::Shape::from_dims(shape.iter().enumerate().map(|(other, &size)| if other == d { 1 } else { size }))
    };
    let common = one(x.shape()).broadcast(op, &one(indices.shape()))?.to_i64();
    let sized = |tensor: &Tensor| {
        let mut sizes = common.clone();
        sizes[d] = tensor.shape()[d] as i64;
        tensor.expand(sizes)
    };
    sized(x)?.gather(dim, &sized(&wrapped(op, indices, x.shape()[d])?)?)
}

/// Checks that a mask is bool.
fn check_mask(op: &str, mask: &Tensor) -> Result<()> {
    if mask.dtype() == DType::Bool {
        return Ok(());
    }
    Err(Error::dtype(op, format!("the mask must be bool, not {}", mask.dtype())))
}

/// A number, or a 0-d tensor, in the type of `x`.
fn one_value(op: &str, x: &Tensor, value: &Operand) -> Result<Tensor> {
    match value {
        Operand::Scalar(number) => {
            Tensor::full_with([], *number, x.dtype(), Some(x.device())).map_err(|error| error.in_op(op))
        }
        Operand::Tensor(value) if value.rank() == 0 => value.to(x.dtype()),
        Operand::Tensor(value) => {
            Err(Error::shape(op, format!("takes a number or a 0-d tensor, not shape {}", value.shape())))
        }
    }
}

fn mask(shape: &[i64]) -> SampleArg {
    samples::tensor(shape, DType::Bool, 0.0, 2.0)
}

/// `self` with `value` where `mask` is true, as `torch.Tensor.masked_fill`.
///
/// `self` and `mask`, a bool tensor, broadcast to the shape of the result; `value` is a number or a
/// 0-d tensor and is converted to the type of `self`. The gradient of `self` is 0 where `mask` is
/// true; the gradient of a tensor `value` is the sum over these elements.
///
/// Errors: `dtype` if `mask` is not bool; `shape` if `value` has dimensions or the shapes do not
/// broadcast.
#[op(
    composite,
    "masked_fill(Tensor self, Tensor mask, Tensor|Scalar value) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), mask(&[4]), samples::float(9.0)],
        vec![samples::real(&[4], -2.0, 2.0), mask(&[3, 4]), samples::real(&[], -2.0, 2.0)],
        vec![samples::tensor(&[5], DType::I32, -9.0, 9.0), mask(&[5]), samples::float(2.5)],
    ])
)]
fn masked_fill(x: &Tensor, mask: &Tensor, value: &Operand) -> Result<Tensor> {
    check_mask("masked_fill", mask)?;
    Tensor::r#where(mask, one_value("masked_fill", x, value)?, x).map_err(|error| error.in_op("masked_fill"))
}

/// `self` with `value` in the slices of dimension `dim` that `index` names, as `torch.index_fill`.
///
/// `index: [k]` or `[]`, an integer type; a negative index counts from the end. `value` is a number
/// or a 0-d tensor and is converted to the type of `self`. An index that occurs twice counts once
/// in the gradient of `value`.
///
/// Errors: `index` if `dim` is out of range; `shape` if `index` has more than one dimension or
/// `value` has any; `dtype` if `index` is not of an integer type; `index`, when the result is read,
/// if an index is out of range.
#[op(
    composite,
    "index_fill(Tensor self, int dim, Tensor index, Tensor|Scalar value) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[4, 3], -2.0, 2.0), samples::int(0), samples::tensor(&[2], DType::I32, -4.0, 4.0), samples::float(9.0)],
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::int(-1), samples::index(&[1], 3), samples::real(&[], -2.0, 2.0)],
    ])
)]
fn index_fill(x: &Tensor, dim: i64, index: &Tensor, value: &Operand) -> Result<Tensor> {
    let op = "index_fill";
    let d = x.shape().dim(op, dim)?;
    if index.rank() > 1 {
        return Err(Error::shape(op, format!("the index must be a vector, not of shape {}", index.shape())));
    }
    let size = x.shape().get(d).copied().unwrap_or(1);
    let value = one_value(op, x, value)?;
    // A mask, so that an index that occurs twice counts once in the gradient of the value.
    let nowhere = Tensor::zeros_with([size as i64], DType::Bool, Some(x.device()))?;
    let named = nowhere.scatter(0, &wrapped(op, index, size)?.reshape([-1])?, true)?;
    let along: Vec<i64> = (0..x.rank()).map(|other| if other == d { -1 } else { 1 }).collect();
    Tensor::r#where(&named.reshape(along)?, value, x).map_err(|error| error.in_op(op))
}

/// The indices of the elements that are not 0, one row each, in row-major order, as
/// `torch.nonzero`.
///
/// `self: [*]`; the result is `[N, rank]` in int32 (PyTorch: int64). `N` depends on the elements,
/// so that the op reads them and the result is awaited. There is no gradient.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[0, 5, 7, 0], [2, 2], &device)?;
/// let indices = pollster::block_on(x.nonzero())?;
/// assert_eq!(pollster::block_on(indices.to_vec::<i32>())?, [0, 1, 1, 0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "nonzero(Tensor self) -> Tensor",
    aliases = ["argwhere"],
    samples = || samples::calls([
        vec![mask(&[3, 4])],
        vec![samples::tensor(&[9], DType::I32, -1.0, 2.0)],
        vec![samples::real(&[], 1.0, 2.0)],
        vec![samples::real(&[0, 2], 1.0, 2.0)],
    ])
)]
async fn nonzero(x: &Tensor) -> Result<Tensor> {
    let positions = positions(x).await?;
    let sizes = x.shape().clone();
    let mut coordinates = Vec::with_capacity(positions.len() * sizes.rank());
    for &position in &positions {
        let (mut rest, start) = (position as usize, coordinates.len());
        coordinates.extend(sizes.iter().rev().map(|&size| {
            let coordinate = rest % size;
            rest /= size;
            coordinate as i32
        }));
        coordinates[start..].reverse();
    }
    Tensor::from_slice(&coordinates, [positions.len() as i64, sizes.rank() as i64], x.device())
}

/// The positions of the elements of the flattened tensor that are not 0.
async fn positions(x: &Tensor) -> Result<Vec<i32>> {
    let counts = x.ne(0)?.to_vec::<u8>().await?;
    Ok(counts.iter().enumerate().filter(|(_, counts)| **counts != 0).map(|(position, _)| position as i32).collect())
}

/// The indices of the elements that are not 0, one vector for each dimension: `torch.nonzero` with
/// `as_tuple`.
///
/// Each result is `[N]` in int32; a 0-d tensor counts as `[1]`. The op reads the elements, and the
/// result is awaited.
#[op(composite, "nonzero_numpy(Tensor self) -> Tensor[]", samples = || samples::calls([vec![mask(&[3, 4])], vec![samples::real(&[], 1.0, 2.0)]]))]
async fn nonzero_numpy(x: &Tensor) -> Result<Vec<Tensor>> {
    // As in PyTorch, a 0-d tensor counts as a vector of one element.
    Tensor::atleast_1d(x)?.nonzero().await?.unbind(1)
}

/// The indices of the true elements of `condition`: `torch.where` with one argument, which is
/// [`nonzero_numpy`](Tensor::nonzero_numpy).
#[op(composite, "where.condition(Tensor condition) -> Tensor[]", samples = || samples::calls([vec![mask(&[3, 4])]]))]
async fn where_condition(condition: &Tensor) -> Result<Vec<Tensor>> {
    condition.nonzero_numpy().await
}

/// The elements of `self` where `mask` is true, in row-major order, as `torch.masked_select`.
///
/// `self` and `mask`, a bool tensor, broadcast together; the result is `[N]`. The op reads `mask`,
/// and the result is awaited.
///
/// Errors: `dtype` if `mask` is not bool; `shape` if the shapes do not broadcast.
#[op(
    composite,
    "masked_select(Tensor self, Tensor mask) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), mask(&[4])],
        vec![samples::real(&[4], -2.0, 2.0), mask(&[3, 4])],
        vec![samples::real(&[], -2.0, 2.0), mask(&[])],
    ])
)]
async fn masked_select(x: &Tensor, mask: &Tensor) -> Result<Tensor> {
    check_mask("masked_select", mask)?;
    let shape = x.shape().broadcast("masked_select", mask.shape())?;
    let chosen = positions(&mask.expand(&shape)?).await?;
    let chosen = Tensor::from_slice(&chosen, [chosen.len() as i64], x.device())?;
    x.expand(&shape)?.reshape([-1])?.index_select(0, &chosen)
}

/// The number of true elements before each element of a mask. For a false element it is the number
/// of an earlier true one, or 0.
pub(crate) fn ranks(mask: &Tensor) -> Result<Tensor> {
    mask.reshape([-1])?.to(DType::I32)?.cumsum(0)?.sub(1)?.clamp_min(0)
}

/// `self` with the elements of `source`, in row-major order, where `mask` is true, as
/// `torch.Tensor.masked_scatter`.
///
/// `self` and `mask`, a bool tensor, broadcast to the shape of the result; `source` has any shape
/// with at least as many elements as `mask` has true ones, and at least one.
///
/// Errors: `dtype` if `mask` is not bool or the types of `self` and `source` differ; `shape` if the
/// shapes do not broadcast; `index`, when the result is read, if `source` has too few elements.
#[op(
    composite,
    "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), mask(&[3, 4]), samples::real(&[4, 3], -2.0, 2.0)],
        vec![samples::real(&[4], -2.0, 2.0), mask(&[2, 4]), samples::real(&[9], -2.0, 2.0)],
    ])
)]
fn masked_scatter(x: &Tensor, mask: &Tensor, source: &Tensor) -> Result<Tensor> {
    let op = "masked_scatter";
    check_mask(op, mask)?;
    if x.dtype() != source.dtype() {
        return Err(Error::dtype(op, format!("the types differ: {} and {}", x.dtype(), source.dtype())));
    }
    let shape = x.shape().broadcast(op, mask.shape())?;
    let mask = mask.expand(&shape)?;
    let arriving = source.reshape([-1])?.index_select(0, &ranks(&mask)?).map_err(|error| error.in_op(op))?;
    Tensor::r#where(&mask, arriving.reshape(&shape)?, x)
}

/// Positions in a flat tensor as one index for each dimension of `shape`, as `torch.unravel_index`.
///
/// Shapes: each of the results has the shape of `indices`; positions count in row-major order.
///
/// Errors: `dtype` if `indices` are not integers; `shape` if a size is negative.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let positions = Tensor::from_slice(&[1, 5], [2], &device)?;
/// let index = Tensor::unravel_index(&positions, [2, 3])?;
/// assert_eq!(pollster::block_on(index[0].to_vec::<i32>())?, [0, 1]);
/// assert_eq!(pollster::block_on(index[1].to_vec::<i32>())?, [1, 2]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "unravel_index(Tensor indices, int[] shape) -> Tensor[]",
    samples = || samples::calls([
        vec![samples::index(&[5], 24), samples::ints(&[4, 2, 3])],
        vec![samples::index(&[2, 3], 7), samples::ints(&[7])],
    ])
)]
fn unravel_index(indices: &Tensor, shape: &Ints) -> Result<Vec<Tensor>> {
    let op = "unravel_index";
    if indices.dtype().is_floating_point() || indices.dtype() == DType::Bool {
        return Err(Error::dtype(op, format!("indices are integers, not {}", indices.dtype())));
    }
    if let Some(odd) = shape.iter().find(|&&size| size < 0) {
        return Err(Error::shape(op, format!("a size must not be negative, and one is {odd}")));
    }
    let index = |dim: usize| {
        let step: i64 = shape[dim + 1..].iter().product();
        indices.floor_divide(step)?.remainder(shape[dim])
    };
    (0..shape.len()).map(index).collect()
}

pub(crate) static OPS: &[&Op] = &[
    &TAKE,
    &PUT,
    &TAKE_ALONG_DIM,
    &MASKED_FILL,
    &INDEX_FILL,
    &NONZERO,
    &NONZERO_NUMPY,
    &WHERE_CONDITION,
    &MASKED_SELECT,
    &MASKED_SCATTER,
    &UNRAVEL_INDEX,
];
