//! Indexing by several tensors at once: `x[i, :, j]`, and the assignment to it.
//!
//! The indexed dimensions are moved to the front and merged into one, and the indices are combined
//! into linear indices of that dimension. The rest is a gather or a scatter along it.

use crate::{
    DType, Error, Index, Operand, Result, Shape, Tensor,
    ops::{Op, composite::index::ranks, leaf::index::wrapped},
    samples::{self, SampleArg},
};
use lanthorn_macros::op;

/// The elements of a tensor that several index tensors name.
struct Indexed {
    /// The dimensions that have an index, then the others.
    order: Vec<i64>,
    /// The sizes of the indexed dimensions.
    sizes: Vec<i64>,
    /// The sizes of the other dimensions.
    rest: Vec<i64>,
    /// The shape of the indices, broadcast.
    shape: Vec<i64>,
    /// A linear index of the merged dimension for each element of `shape`.
    positions: Tensor,
    /// The number of other dimensions before the index's dimensions in the result.
    before: usize,
}

impl Indexed {
    fn new(op: &'static str, x: &Tensor, indices: &[Option<Tensor>]) -> Result<Indexed> {
        if indices.len() > x.rank() {
            return Err(Error::index(op, format!("{} indices for shape {}", indices.len(), x.shape())));
        }
        let named: Vec<(usize, &Tensor)> =
            indices.iter().enumerate().filter_map(|(d, index)| Some((d, index.as_ref()?))).collect();
        let (Some(&(first, _)), Some(&(last, _))) = (named.first(), named.last()) else {
            return Err(Error::argument(op, "expected at least one index tensor"));
        };
        if let Some((_, mask)) = named.iter().find(|(_, index)| index.dtype() == DType::Bool) {
            let message = format!(
                "how much a mask of shape {} selects is known once it is read; await its nonzero_numpy",
                mask.shape()
            );
            return Err(Error::dtype(op, message));
        }
        let shape = named.iter().try_fold(Shape::default(), |shape, (_, index)| shape.broadcast(op, index.shape()))?;
        let mut positions: Option<Tensor> = None;
        for &(d, index) in &named {
            let size = x.shape()[d];
            if size == 0 && shape.elements() > 0 {
                return Err(Error::index(op, format!("dimension {d} of shape {} has no element to index", x.shape())));
            }
            let position = wrapped(op, index, size)?;
            positions = Some(match positions {
                None => position,
                Some(before) => before.mul(size as i64)?.add(position)?,
            });
        }
        // At least one index was found above.
        let positions =
            positions.ok_or_else(|| Error::argument(op, "expected at least one index tensor"))?.expand(&shape)?;
        let is_named = |d: &usize| named.iter().any(|(other, _)| other == d);
        let others: Vec<usize> = (0..x.rank()).filter(|d| !is_named(d)).collect();
        let sizes = |dims: &[usize]| dims.iter().map(|&d| x.shape()[d] as i64).collect::<Vec<_>>();
        let dims: Vec<usize> = named.iter().map(|&(d, _)| d).collect();
        Ok(Indexed {
            order: dims.iter().chain(&others).map(|&d| d as i64).collect(),
            sizes: sizes(&dims),
            rest: sizes(&others),
            shape: shape.to_i64(),
            positions: positions.reshape([-1])?,
            // The dimensions of indices that are not adjacent come first.
            before: if last - first + 1 == named.len() { first } else { 0 },
        })
    }

    /// `x` with the indexed dimensions merged into its first one.
    fn flat(&self, x: &Tensor) -> Result<Tensor> {
        let count: i64 = self.sizes.iter().product();
        x.permute(self.order.clone())?.reshape([&[count], &self.rest[..]].concat())
    }

    /// The permutation that moves the dimensions of the index from the front to their position in
    /// the result.
    fn final_order(&self) -> Vec<i64> {
        let (index, rest) = (self.shape.len() as i64, self.rest.len() as i64);
        let before = self.before as i64;
        (index..index + before).chain(0..index).chain(index + before..index + rest).collect()
    }
}

fn inverse(order: &[i64]) -> Vec<i64> {
    let mut inverse = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, &from)| inverse[from as usize] = to as i64);
    inverse
}

fn pair(first: &[i64], second: &[i64], high: f64) -> SampleArg {
    SampleArg::Tensors(vec![
        samples::spec(first, DType::I32, -high, high),
        samples::spec(second, DType::I32, -high, high),
    ])
}

/// The elements at the positions that index tensors give, one tensor or `None` for each dimension:
/// `self[i, :, j]` in Python, with the rules of NumPy and PyTorch.
///
/// `indices` has at most as many entries as `self` has dimensions. The tensors, of an integer type,
/// broadcast to a shape `B`; a negative index counts from the end. Where the indexed dimensions are
/// adjacent, `B` replaces them in the shape of the result; otherwise `B` comes first and the other
/// dimensions follow. [`Tensor::index`] takes ranges, `None` and `...` too.
///
/// Errors: `index` if there are more indices than dimensions or an indexed dimension is empty;
/// `argument` if no tensor is given; `dtype` for a mask (use `index`, which reads it) or a type
/// that is not an integer; `shape` if the indices do not broadcast; `index`, when the result is
/// read, if an index is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::arange(0, 6, 1)?.reshape([2, 3])?;
/// let i = Tensor::from_slice(&[1, 0], [2], &device)?;
/// let j = Tensor::from_slice(&[-1, 0], [2], &device)?;
/// let picked = x.index_tensors(&[Some(i), Some(j)])?;
/// assert_eq!(pollster::block_on(picked.to_vec::<i32>())?, [5, 0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "index_tensors(Tensor self, Tensor?[] indices) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), pair(&[2, 2], &[2], 3.0)],
        vec![samples::real(&[3, 3, 2], -2.0, 2.0), pair(&[4], &[4], 3.0)],
    ])
)]
fn index_tensors(x: &Tensor, indices: &[Option<Tensor>]) -> Result<Tensor> {
    let indexed = Indexed::new("index", x, indices)?;
    let picked = indexed.flat(x)?.index_select(0, &indexed.positions).map_err(|error| error.in_op("index"))?;
    picked.reshape([&indexed.shape[..], &indexed.rest].concat())?.permute(indexed.final_order())
}

/// [`index_tensors`](Tensor::index_tensors) that also takes masks: ATen's `index`.
///
/// A bool tensor of `k` dimensions stands for the `k` index tensors of its
/// [`nonzero_numpy`](Tensor::nonzero_numpy). Masks are read, and the result is awaited.
///
/// Errors: as of `index_tensors`, and `index` if a mask does not have the sizes of the dimensions
/// that it indexes, or has no dimension.
#[op(
    composite,
    "index(Tensor self, Tensor?[] indices) -> Tensor",
    method = index_async,
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), SampleArg::Tensors(vec![samples::spec(&[3], DType::Bool, 0.0, 2.0)])],
        vec![samples::real(&[3, 4], -2.0, 2.0), pair(&[2, 2], &[2], 3.0)],
    ])
)]
async fn index_async(x: &Tensor, indices: &[Option<Tensor>]) -> Result<Tensor> {
    let mut known: Vec<Option<Tensor>> = Vec::new();
    for index in indices {
        match index {
            Some(mask) if mask.dtype() == DType::Bool => {
                let sizes = x.shape().get(known.len()..).unwrap_or_default();
                if mask.rank() == 0 || sizes.get(..mask.rank()) != Some(&mask.shape()[..]) {
                    let message = format!(
                        "a mask of shape {} at dimension {} does not fit shape {}",
                        mask.shape(),
                        known.len(),
                        x.shape()
                    );
                    return Err(Error::index("index", message));
                }
                known.extend(mask.nonzero_numpy().await?.into_iter().map(Some));
            }
            index => known.push(index.clone()),
        }
    }
    x.index_tensors(&known)
}

/// A copy of `self` with `values` written to the elements that `indices` name, or added to them
/// with `accumulate`, as `torch.Tensor.index_put`.
///
/// The indices are as in [`index_tensors`](Tensor::index_tensors), and `values` broadcasts to the
/// shape that `index_tensors` would return. Where an element is named several times, the last value
/// is kept. A mask is taken if it is the only index: `values` then broadcasts to `self`, or is `[N,
/// *]` with a row for each true element. A mask is not read.
///
/// Errors: `dtype` if the types of `self` and `values` differ; `shape` if `values` does not
/// broadcast; `index` if a mask does not fit; otherwise as of `index_tensors`. Too few values for a
/// mask are an `index` error when the result is read.
#[op(
    composite,
    "index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), pair(&[2, 2], &[2], 3.0), samples::real(&[2], -2.0, 2.0)],
        vec![samples::real(&[3, 3, 2], -2.0, 2.0), pair(&[4], &[4], 3.0), samples::real(&[4, 2], -2.0, 2.0), samples::flag(true)],
    ])
)]
fn index_put(x: &Tensor, indices: &[Option<Tensor>], values: &Tensor, accumulate: bool) -> Result<Tensor> {
    let op = "index_put";
    if x.dtype() != values.dtype() {
        return Err(Error::dtype(op, format!("the types differ: {} and {}", x.dtype(), values.dtype())));
    }
    if let [Some(mask)] = indices
        && mask.dtype() == DType::Bool
    {
        return put_masked(op, x, mask, values, accumulate);
    }
    let indexed = Indexed::new(op, x, indices)?;
    let settled = indexed.final_order();
    let result: Vec<i64> = {
        let sizes = [&indexed.shape[..], &indexed.rest].concat();
        settled.iter().map(|&d| sizes[d as usize]).collect()
    };
    let rows = [&[indexed.positions.numel() as i64], &indexed.rest[..]].concat();
    let values =
        values.expand(result).map_err(|error| error.in_op(op))?.permute(inverse(&settled))?.reshape(rows.clone())?;
    let column: Vec<i64> = std::iter::once(-1).chain(indexed.rest.iter().map(|_| 1)).collect();
    let positions = indexed.positions.reshape(column)?.expand(rows)?;
    let flat = indexed.flat(x)?;
    let written =
        if accumulate { flat.scatter_add(0, &positions, &values) } else { flat.scatter(0, &positions, values) };
    let parts = [&indexed.sizes[..], &indexed.rest].concat();
    written.map_err(|error| error.in_op(op))?.reshape(parts)?.permute(inverse(&indexed.order))
}

/// [`index_put`] by a mask: pointwise, so that the mask is not read.
fn put_masked(op: &'static str, x: &Tensor, mask: &Tensor, values: &Tensor, accumulate: bool) -> Result<Tensor> {
    let Some(rest) = x.rank().checked_sub(mask.rank()).filter(|_| x.shape()[..mask.rank()] == mask.shape()[..]) else {
        return Err(Error::index(op, format!("a mask of shape {} does not fit shape {}", mask.shape(), x.shape())));
    };
    // The selected elements form one dimension before the rest.
    let values = match values.rank().checked_sub(rest) {
        Some(0) | None => values.clone(),
        Some(1) if values.shape()[0] == 1 => values.select(0, 0)?,
        Some(1) => {
            let sizes = [mask.shape().to_i64(), values.shape().to_i64()[1..].to_vec()].concat();
            values.index_select(0, &ranks(mask)?)?.reshape(sizes)?
        }
        _ => {
            return Err(Error::shape(op, format!("values of shape {} do not fit what a mask selects", values.shape())));
        }
    };
    let values = values.expand(x.shape()).map_err(|error| error.in_op(op))?;
    let wide: Vec<i64> = mask.shape().to_i64().into_iter().chain(std::iter::repeat_n(1, rest)).collect();
    let there = if accumulate { x.add(values)? } else { values };
    Tensor::r#where(&mask.reshape(wide)?, there, x)
}

/// `self[key]` in Python, with the key as text; see [`Tensor::index`].
///
/// `key` is a list of integers, ranges `start:end:step`, `None`, `...` and `T`, each `T` being the
/// next of `tensors`: `"1:4:2, None, ..., -1"`. Without tensors the result is a view.
///
/// Errors: `argument` if `key` does not parse or `tensors` has another length than `key` has `T`s;
/// `index` if there are more indices than dimensions or an integer is out of range; otherwise as of
/// [`index_tensors`](Tensor::index_tensors).
#[op(
    composite,
    "getitem(Tensor self, str key, Tensor[] tensors) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[4, 5, 2], -2.0, 2.0), samples::text("1:4:2, None, ..., -1"), SampleArg::Tensors(vec![])],
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::text("2, T"), SampleArg::Tensors(vec![samples::spec(&[3], DType::I32, -5.0, 5.0)])],
    ])
)]
fn getitem(x: &Tensor, key: &str, tensors: &[Tensor]) -> Result<Tensor> {
    x.index(&Index::parse_with(key, tensors)?)
}

/// A copy of `self` after `self[key] = value` in Python; see [`getitem`](Tensor::getitem) and
/// [`Tensor::set_index`]. `setitem_` assigns in place.
///
/// `value` is a number or a tensor that broadcasts to the selected elements, and is converted to
/// the type of `self`. A mask is taken if it is the only index.
///
/// Errors: as of `getitem`, and `shape` if `value` does not broadcast.
#[op(
    composite,
    "setitem(Tensor self, str key, Tensor[] tensors, Tensor|Scalar value) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::text("1:4:2, -1"), SampleArg::Tensors(vec![]), samples::real(&[2], -2.0, 2.0)],
        vec![
            samples::real(&[4, 5], -2.0, 2.0),
            samples::text("T"),
            SampleArg::Tensors(vec![samples::spec(&[4, 5], DType::Bool, 0.0, 2.0)]),
            samples::float(1.5),
        ],
    ])
)]
fn setitem(x: &Tensor, key: &str, tensors: &[Tensor], value: &Operand) -> Result<Tensor> {
    let copy = x.clone_tensor()?;
    copy.set_index(&Index::parse_with(key, tensors)?, value.clone())?;
    Ok(copy)
}

pub(crate) static OPS: &[&Op] = &[&INDEX_TENSORS, &INDEX, &INDEX_PUT, &GETITEM, &SETITEM];
