//! Distinct elements and their counts. The size of the result depends on the elements, so that one
//! number is read.

use super::rank::run_starts;
use crate::{DType, Error, Result, Tensor, ops::Op, samples};
use lanthorn_macros::op;

/// Rows in which equal ones are adjacent: their original positions, `[n]`, or `None` if the rows
/// were not moved, and whether each starts a run.
struct Runs {
    order: Option<Tensor>,
    starts: Tensor,
}

/// The options: which results besides the rows, and along which dimension.
struct Wanted {
    inverse: bool,
    counts: bool,
    dim: Option<i64>,
}

/// The inverse permutation of `order` along the first dimension.
fn inverse(order: &Tensor) -> Result<Tensor> {
    order.argsort(0, false)
}

/// The slices of `dim` as rows, or the elements as rows of one element.
fn rows(op: &str, x: &Tensor, dim: Option<i64>) -> Result<Tensor> {
    let Some(dim) = dim else { return x.reshape([-1, 1]) };
    let axis = x.shape().dim(op, dim)?;
    let x = if x.rank() == 0 { x.reshape([1])? } else { x.movedim(axis as i64, 0)? };
    let (count, rest) = (x.shape()[0] as i64, x.shape()[1..].iter().product::<usize>() as i64);
    if rest == 0 && count > 0 {
        let message = format!(
            "there are 0 sized dimensions in shape {}, and they aren't selected: its slices are all alike",
            x.shape()
        );
        return Err(Error::shape(op, message));
    }
    x.reshape([count, rest.max(1)])
}

/// Sorts rows `[n, m]` lexicographically: columns are ranked, then pairs of columns by both ranks,
/// and so on, with one sort of all elements for each doubling.
fn sorted_runs(x: &Tensor) -> Result<Runs> {
    let (sorted, mut order) = x.sort(0, false)?;
    let mut starts = run_starts(&sorted, 0)?;
    while starts.shape()[1] > 1 {
        // The rank of each row's run, in the original order.
        let ranks = starts.cumsum(0)?.gather(0, &inverse(&order)?)?;
        let width = starts.shape()[1] as i64;
        let (first, second) = (ranks.slice(1, None, None, 2)?, ranks.slice(1, Some(1), None, 2)?);
        let paired = second.shape()[1] as i64;
        // By the second rank, then by the first: sorting is stable.
        let by_second = second.argsort(0, false)?;
        let (_, by_first) = first.narrow(1, 0, paired)?.gather(0, &by_second)?.sort(0, false)?;
        let both = by_second.gather(0, &by_first)?;
        let begins = |ranks: &Tensor| run_starts(&ranks.gather(0, &both)?, 0);
        let mut next = (both.clone(), begins(&first.narrow(1, 0, paired)?)?.logical_or(&begins(&second)?)?);
        if width % 2 == 1 {
            // An unpaired column is kept.
            let alone = |x: &Tensor| x.narrow(1, width - 1, 1);
            next = (Tensor::cat(&[next.0, alone(&order)?], 1)?, Tensor::cat(&[next.1, alone(&starts)?], 1)?);
        }
        (order, starts) = next;
    }
    Ok(Runs { order: Some(order.reshape([-1])?), starts: starts.reshape([-1])? })
}

/// Rows in their original order.
fn consecutive_runs(x: &Tensor) -> Result<Runs> {
    let starts = run_starts(x, 0)?.any(1, false)?;
    Ok(Runs { order: None, starts })
}

/// The first row of each run, the run of each row, and the number of rows of each run.
async fn unique_rows(
    op: &'static str,
    x: &Tensor,
    wanted: Wanted,
    runs: fn(&Tensor) -> Result<Runs>,
) -> Result<Vec<Tensor>> {
    let x = x.detach();
    let rows = rows(op, &x, wanted.dim)?;
    let count = rows.shape()[0] as i64;
    let whole = match wanted.dim {
        Some(dim) if x.rank() > 0 => x.shape().dim(op, dim)? as i64,
        _ => 0,
    };
    let slices = if wanted.dim.is_some() && x.rank() > 0 { x.clone() } else { x.reshape([-1])? };
    let inverse_shape = if wanted.dim.is_none() { x.shape().to_i64() } else { vec![count] };
    if count == 0 {
        let empty = || Tensor::zeros_with([0], DType::I32, Some(x.device()));
        let mut results = vec![slices.clone_tensor()?];
        if wanted.inverse {
            results.push(empty()?.reshape(inverse_shape)?);
        }
        if wanted.counts {
            results.push(empty()?);
        }
        return Ok(results);
    }
    let Runs { order, starts } = runs(&rows)?;
    let numbers = starts.cumsum(0)?;
    let positions = Tensor::arange_with(0, count, 1, DType::I32, Some(x.device()))?;
    // The starts of runs, sorted to the front.
    let begins = Tensor::r#where(&starts, &positions, count)?.sort(0, false)?.0;
    let found = numbers.narrow(0, count - 1, 1)?.item().await? as i64;
    let begins = begins.narrow(0, 0, found)?.contiguous()?;
    let firsts = match &order {
        Some(order) => order.gather(0, &begins)?,
        None => begins.clone(),
    };
    let mut results = vec![slices.index_select(whole, &firsts)?];
    if wanted.inverse {
        let mut numbers = numbers.sub(1)?;
        if let Some(order) = &order {
            numbers = numbers.gather(0, &inverse(order)?)?;
        }
        results.push(numbers.reshape(inverse_shape)?);
    }
    if wanted.counts {
        let end = Tensor::full_with([1], count, DType::I32, Some(x.device()))?;
        results.push(begins.diff(1, 0, None, Some(&end))?);
    }
    Ok(results)
}

/// The distinct elements in ascending order, as `torch.unique`; or, with `dim`, the distinct slices
/// of that dimension in lexicographic order. NaN is distinct from itself.
///
/// `self: [*]` becomes `[N]`, or with `dim` `[*, N, *]`. Two further results are optional, both
/// int32 (PyTorch: int64): with `return_inverse`, for each element (in the shape of `self`) or
/// slice (`[n]`) its position in the result; with `return_counts`, `[N]`, the number of its
/// occurrences. The result is sorted whether or not `sorted` is set. The elements are read, and the
/// result is awaited. There is no gradient.
///
/// Errors: `index` if `dim` is out of range; `shape` if `dim` has elements but its slices have
/// none.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[3, 1, 3], [3], &device)?;
/// let results = pollster::block_on(x.unique(true, true, true, None))?;
/// let read = |i: usize| pollster::block_on(results[i].to_vec::<i32>());
/// assert_eq!((read(0)?, read(1)?, read(2)?), (vec![1, 3], vec![1, 0, 1], vec![1, 2]));
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "unique(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False, int? dim=None) -> Tensor[]",
    samples = || samples::calls([
        vec![samples::tensor(&[5, 8], DType::I32, 0.0, 9.0), samples::flag(true), samples::flag(true), samples::flag(true)],
        vec![samples::tensor(&[9, 3], DType::I32, 0.0, 2.0), samples::flag(true), samples::flag(true), samples::flag(true), samples::int(0)],
        vec![samples::tensor(&[2, 7, 3], DType::Bool, 0.0, 2.0), samples::flag(true), samples::flag(false), samples::flag(true), samples::int(1)],
        vec![samples::real(&[40], -2.0, 2.0)],
        vec![samples::real(&[0], -2.0, 2.0), samples::flag(true), samples::flag(true), samples::flag(true)],
    ])
)]
async fn unique(
    x: &Tensor,
    _sorted: bool,
    return_inverse: bool,
    return_counts: bool,
    dim: Option<i64>,
) -> Result<Vec<Tensor>> {
    let wanted = Wanted { inverse: return_inverse, counts: return_counts, dim };
    unique_rows("unique", x, wanted, sorted_runs).await
}

/// The elements, or the slices of `dim`, with each run of equal ones reduced to one, as
/// `torch.unique_consecutive`.
///
/// The shapes, the two further results and the errors are as in [`unique`](Tensor::unique). The
/// elements are read, and the result is awaited.
#[op(
    composite,
    "unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> Tensor[]",
    samples = || samples::calls([
        vec![samples::tensor(&[5, 8], DType::I32, 0.0, 2.0), samples::flag(true), samples::flag(true)],
        vec![samples::tensor(&[9, 2], DType::I32, 0.0, 2.0), samples::flag(true), samples::flag(true), samples::int(0)],
        vec![samples::real(&[0], -2.0, 2.0), samples::flag(true), samples::flag(true)],
    ])
)]
async fn unique_consecutive(
    x: &Tensor,
    return_inverse: bool,
    return_counts: bool,
    dim: Option<i64>,
) -> Result<Vec<Tensor>> {
    let wanted = Wanted { inverse: return_inverse, counts: return_counts, dim };
    unique_rows("unique_consecutive", x, wanted, consecutive_runs).await
}

pub(crate) static OPS: &[&Op] = &[&UNIQUE, &UNIQUE_CONSECUTIVE];
