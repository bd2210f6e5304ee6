//! Embeddings: rows of a table, and reductions of bags of rows.

use super::linalg::norm::vector;
use crate::{
    BagMode, Choice, DType, Error, Result, Tensor, no_grad,
    ops::{Op, leaf::index::as_index},
    samples,
};
use lanthorn_macros::op;

/// The arguments that embeddings share, except the indices.
struct Table<'a> {
    op: &'static str,
    weight: &'a Tensor,
    /// The row that gets no gradient.
    padding: Option<i64>,
    by_frequency: bool,
}

impl Table<'_> {
    /// Checks the arguments, and scales the rows that will be read to a norm of at most `max_norm`,
    /// in place.
    fn new<'a>(
        op: &'static str,
        (weight, indices): (&'a Tensor, &Tensor),
        padding_idx: Option<i64>,
        (max_norm, norm_type): (Option<f64>, f64),
        by_frequency: bool,
    ) -> Result<Table<'a>> {
        if weight.rank() != 2 {
            return Err(Error::shape(op, format!("the weight must be a matrix, not of shape {}", weight.shape())));
        }
        as_index(op, indices)?;
        let rows = weight.shape()[0] as i64;
        if let Some(padding) = padding_idx.filter(|padding| !(-rows..rows).contains(padding)) {
            return Err(Error::index(
                op,
                format!("padding_idx {padding} is no row of a weight of shape {}", weight.shape()),
            ));
        }
        let table = Table { op, weight, padding: padding_idx.map(|padding| padding.rem_euclid(rows)), by_frequency };
        if let Some(max_norm) = max_norm {
            no_grad(|| {
                let norms = vector(op, weight, norm_type, &[1], true)?;
                let read = table.frequencies(&indices.reshape([-1])?)?.gt(0)?.unsqueeze(1)?;
                let too_long = read.logical_and(&norms.gt(max_norm)?)?;
                // PyTorch's epsilon, which keeps the factor of a row of norm 0 finite.
                let shorter = weight.mul(norms.add(1e-7)?.reciprocal()?.mul(max_norm)?)?;
                weight.copy_(&Tensor::r#where(&too_long, shorter, weight)?)
            })?;
        }
        Ok(table)
    }

    /// The number of times that a vector of indices contains each row, in the type of the table.
    fn frequencies(&self, indices: &Tensor) -> Result<Tensor> {
        let (dtype, device) = (self.weight.dtype(), self.weight.device());
        let zeros = Tensor::zeros_with([self.weight.shape()[0] as i64], dtype, Some(device))?;
        zeros.scatter_add(0, indices, &Tensor::ones_with(indices.shape(), dtype, Some(device))?)
    }

    /// The rows that a vector of indices selects.
    fn rows(&self, indices: &Tensor) -> Result<Tensor> {
        let mut rows = self.weight.index_select(0, indices).map_err(|error| error.in_op(self.op))?;
        if self.by_frequency {
            let times = self.frequencies(indices)?.index_select(0, indices)?.unsqueeze(1)?;
            // The same values, with a gradient divided by the number of times.
            let values = rows.detach();
            rows = values.add(rows.sub(&values)?.div(times)?)?;
        }
        let Some(padding) = self.padding else { return Ok(rows) };
        Tensor::r#where(&indices.unsqueeze(1)?.eq(padding)?, rows.detach(), &rows)
    }
}

/// The rows of `weight` that `indices` select, as `torch.nn.functional.embedding`.
///
/// Shapes: `weight: [n, E]`, `indices: [*]` (int32, int64 or uint8), `result: [*, E]`. Row
/// `padding_idx`, which counts from the end if negative, gets no gradient. With `max_norm`, rows
/// that are read are first scaled in place to a `norm_type`-norm of at most `max_norm`. With
/// `scale_grad_by_freq` the gradient of a row is divided by the number of times that `indices`
/// contains it.
///
/// Errors: `shape` if `weight` is not a matrix; `dtype` if `indices` is not an integer tensor;
/// `index` if `padding_idx` is out of range, or when the result is read if an element of `indices`
/// is.
#[op(
    composite,
    "embedding(Tensor weight, Tensor indices, *, int? padding_idx=None, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[6, 3], -1.0, 1.0), samples::index(&[2, 4], 6)]])
)]
fn embedding(
    weight: &Tensor,
    indices: &Tensor,
    padding_idx: Option<i64>,
    max_norm: Option<f64>,
    norm_type: f64,
    scale_grad_by_freq: bool,
) -> Result<Tensor> {
    let table = Table::new("embedding", (weight, indices), padding_idx, (max_norm, norm_type), scale_grad_by_freq)?;
    let mut shape = indices.shape().to_i64();
    shape.push(weight.shape()[1] as i64);
    table.rows(&indices.reshape([-1])?)?.reshape(shape)
}

/// The sum, the mean or the maximum of the rows of `weight` in each bag of indices, as
/// `torch.nn.functional.embedding_bag`. The result of an empty bag is 0.
///
/// Shapes: `weight: [n, E]`; `indices: [B, k]` with one bag a row, or `indices: [k]` and
/// `offsets: [B]` with the position at which each bag begins; `result: [B, E]`. With
/// `include_last_offset`, `offsets: [B + 1]` also has the end of the last bag.
/// `per_sample_weights`, in the shape of `indices`, multiply the rows of a sum.
///
/// `mode` is `"sum"`, `"mean"` or `"max"`. Row `padding_idx` belongs to no bag. `max_norm`,
/// `norm_type` and `scale_grad_by_freq` are as of [`embedding`](Tensor::embedding).
///
/// Errors: `argument` if `mode` is another string, `per_sample_weights` are given for another mode
/// than `"sum"`, a vector of indices comes without `offsets`, or a matrix with them; `shape` if
/// `weight` is not a matrix, or `indices`, `offsets` or `per_sample_weights` do not fit; `dtype` if
/// `indices` or `offsets` is not an integer tensor; `index` if `padding_idx` is out of range, or
/// when the result is read if an element of `indices` is.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let weight = Tensor::from_slice(&[1.0f32, 2.0, 4.0], [3, 1], &device)?;
/// let indices = Tensor::from_slice(&[0, 1, 2], [3], &device)?;
/// let offsets = Tensor::from_slice(&[0, 2], [2], &device)?;
/// let means = Tensor::embedding_bag(&weight, &indices, Some(&offsets))?;
/// assert_eq!(pollster::block_on(means.to_vec::<f32>())?, [1.5, 4.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "embedding_bag(Tensor weight, Tensor indices, Tensor? offsets=None, *, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, str{sum|mean|max} mode=\"mean\", Tensor? per_sample_weights=None, bool include_last_offset=False, int? padding_idx=None) -> Tensor",
    samples = || {
        let (weight, bags) = (|| samples::real(&[6, 3], -1.0, 1.0), || samples::index(&[2, 4], 6));
        let (none, no) = (|| samples::NONE, || samples::flag(false));
        let call = |mode: &str, weights| vec![weight(), bags(), none(), none(), samples::float(2.0), no(), samples::text(mode), weights, no(), samples::int(1)];
        let flat = |mode: &str| {
            // One offset, and it is 0: the first bag begins with the list.
            vec![weight(), samples::index(&[5], 6), samples::index(&[1], 1), none(), samples::float(2.0), no(), samples::text(mode)]
        };
        samples::calls([
            vec![weight(), bags()],
            call("sum", samples::real(&[2, 4], 0.5, 2.0)),
            call("mean", none()),
            call("max", none()),
            flat("mean"),
            flat("max"),
        ])
    }
)]
#[allow(clippy::too_many_arguments)]
fn embedding_bag(
    weight: &Tensor,
    indices: &Tensor,
    offsets: Option<&Tensor>,
    max_norm: Option<f64>,
    norm_type: f64,
    scale_grad_by_freq: bool,
    mode: BagMode,
    per_sample_weights: Option<&Tensor>,
    include_last_offset: bool,
    padding_idx: Option<i64>,
) -> Result<Tensor> {
    let op = "embedding_bag";
    let table = Table::new(op, (weight, indices), padding_idx, (max_norm, norm_type), scale_grad_by_freq)?;
    if let Some(weights) = per_sample_weights {
        if mode != BagMode::Sum {
            return Err(Error::argument(op, format!("per_sample_weights are for mode \"sum\", not {:?}", mode.name())));
        }
        if weights.shape() != indices.shape() {
            let message =
                format!("per_sample_weights of shape {} for indices of shape {}", weights.shape(), indices.shape());
            return Err(Error::shape(op, message));
        }
    }
    let flat = indices.reshape([-1])?;
    // The shape of the indices; a vector is one list for all bags.
    let column = if indices.rank() == 2 { indices.shape().to_i64() } else { vec![1, flat.numel() as i64] };
    let mut in_bag = bags(op, indices, offsets, include_last_offset)?;
    if let Some(padding) = table.padding {
        in_bag = in_bag.logical_and(&flat.ne(padding)?.reshape(column.clone())?)?;
    }
    let width = weight.shape()[1] as i64;
    let mut rows = table.rows(&flat)?;
    if let Some(weights) = per_sample_weights {
        rows = rows.mul(weights.reshape([-1, 1])?)?;
    }
    // [B, n, width], or with one list for all bags [1, n, width]
    let apart = || rows.reshape([&column[..], &[width]].concat());
    let count = in_bag.to(weight.dtype())?.sum(1, false)?.unsqueeze(1)?;
    if mode == BagMode::Max {
        if column[1] == 0 {
            return apart()?.sum(1, false)?.expand([in_bag.shape()[0] as i64, width]);
        }
        // The gradient goes to the first of equal elements.
        let largest = Tensor::r#where(&in_bag.unsqueeze(2)?, apart()?, f64::NEG_INFINITY)?.max_dim(1, false)?.0;
        return Tensor::r#where(&count.gt(0)?, largest, 0.0);
    }
    let sums = if indices.rank() == 2 {
        Tensor::r#where(&in_bag.unsqueeze(2)?, apart()?, 0.0)?.sum(1, false)?
    } else {
        let bag = Tensor::arange_with(0, in_bag.shape()[0] as i64, 1, None, Some(weight.device()))?.unsqueeze(1)?;
        let bag = Tensor::r#where(&in_bag, bag, 0)?.sum(0, false)?.unsqueeze(1)?.expand(rows.shape())?;
        let counted = Tensor::r#where(&in_bag.any(0, false)?.unsqueeze(1)?, &rows, 0.0)?;
        let zeros = Tensor::zeros_with([in_bag.shape()[0] as i64, width], weight.dtype(), Some(weight.device()))?;
        zeros.scatter_add(0, &bag, &counted)?
    };
    if mode == BagMode::Sum { Ok(sums) } else { sums.div(count.clamp_min(1)?) }
}

/// The mask `[B, n]` of the indices that belong to each bag.
fn bags(op: &str, indices: &Tensor, offsets: Option<&Tensor>, include_last_offset: bool) -> Result<Tensor> {
    let device = indices.device();
    match (indices.rank(), offsets) {
        (2, None) => Tensor::ones_with(indices.shape(), DType::Bool, Some(device)),
        (2, Some(_)) => Err(Error::argument(op, "indices [B, n] have a bag a row, and take no offsets")),
        (1, Some(offsets)) => {
            let offsets = as_index(op, offsets)?;
            let given = offsets.numel() as i64;
            if offsets.rank() != 1 || given < 1 + i64::from(include_last_offset) {
                return Err(Error::shape(
                    op,
                    format!("offsets must be a vector of where bags begin, not of shape {}", offsets.shape()),
                ));
            }
            let length = indices.numel() as i64;
            let starts = offsets.narrow(0, 0, given - i64::from(include_last_offset))?;
            let ends = match include_last_offset {
                true => offsets.narrow(0, 1, given - 1)?,
                false => Tensor::cat(
                    &[offsets.narrow(0, 1, given - 1)?, Tensor::full_with([1], length, DType::I32, Some(device))?],
                    0,
                )?,
            };
            let position = Tensor::arange_with(0, length, 1, None, Some(device))?;
            position.ge(starts.unsqueeze(1)?)?.logical_and(&position.lt(ends.unsqueeze(1)?)?)
        }
        (1, None) => Err(Error::argument(op, "a vector of indices needs offsets that say where bags begin")),
        _ => Err(Error::shape(op, format!("indices must be [B, n] or [n], not of shape {}", indices.shape()))),
    }
}

pub(crate) static OPS: &[&Op] = &[&EMBEDDING, &EMBEDDING_BAG];
