//! Splits of a tensor along a dimension. Every part is a view: writing to it writes to the tensor.

use crate::{
    Error, Result, Tensor,
    ops::{Op, leaf},
    samples::{self, SampleArg},
    scalar::Ints,
};
use lanthorn_macros::op;

/// The dimension to split along, and its size.
fn dim_and_size(op: &str, x: &Tensor, dim: i64) -> Result<(i64, i64)> {
    let d = x.shape().dim(op, dim)?;
    match x.shape().get(d) {
        Some(&size) => Ok((d as i64, size as i64)),
        None => Err(Error::index(op, format!("a 0-d tensor has no dimension {dim}"))),
    }
}

/// Consecutive parts of these sizes.
fn parts(x: &Tensor, dim: i64, sizes: impl Iterator<Item = i64>) -> Result<Vec<Tensor>> {
    let mut start = 0;
    let part = |size: i64| {
        start += size;
        x.narrow(dim, start - size, size)
    };
    sizes.map(part).collect()
}

fn matrix() -> SampleArg {
    samples::real(&[5, 3], -2.0, 2.0)
}

/// Parts of size `split_size` along `dim`, as `torch.split`: views, the last of which may be
/// smaller.
///
/// `self: [*, n, *]` becomes `ceil(n / split_size)` tensors `[*, split_size, *]`.
///
/// Errors: `index` if `dim` is out of range or `self` is 0-d; `argument` if `split_size` is
/// negative, or 0 for a dimension that has elements.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::zeros([5])?;
/// let parts = x.split(2, 0)?;
/// parts[2].add_(1.0)?;
/// assert_eq!(pollster::block_on(x.to_vec::<f32>())?, [0.0, 0.0, 0.0, 0.0, 1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "split(Tensor self, int split_size, int dim=0) -> Tensor[]",
    aliases = ["unsafe_split"],
    samples = || samples::calls([vec![matrix(), samples::int(2)], vec![matrix(), samples::int(7), samples::int(-1)]])
)]
fn split(x: &Tensor, split_size: i64, dim: i64) -> Result<Vec<Tensor>> {
    let (dim, size) = dim_and_size("split", x, dim)?;
    if split_size < 0 || (split_size == 0 && size > 0) {
        return Err(Error::argument(
            "split",
            format!("parts of {split_size} elements do not make up a size of {size}"),
        ));
    }
    let count = if split_size == 0 { 1 } else { size.saturating_add(split_size - 1) / split_size }.max(1);
    parts(x, dim, (0..count).map(|part| split_size.min(size - part * split_size)))
}

/// Parts of the given sizes along `dim`, as `torch.split_with_sizes`: views.
///
/// `self: [*, n, *]` becomes tensors `[*, split_sizes_i, *]`.
///
/// Errors: `index` if `dim` is out of range or `self` is 0-d; `shape` if the sizes do not add up to
/// `n` or one is negative.
#[op(
    composite,
    "split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]",
    aliases = ["unsafe_split_with_sizes"],
    samples = || samples::calls([
        vec![matrix(), samples::ints(&[1, 4, 0])],
        vec![matrix(), samples::ints(&[2, 1]), samples::int(-1)],
    ])
)]
fn split_with_sizes(x: &Tensor, split_sizes: &Ints, dim: i64) -> Result<Vec<Tensor>> {
    let (dim, size) = dim_and_size("split_with_sizes", x, dim)?;
    let total = split_sizes.iter().fold(0i64, |total, &part| total.saturating_add(part));
    if total != size || split_sizes.iter().any(|&part| part < 0) {
        let message = format!("sizes {:?} do not make up dimension {dim} of shape {}", &split_sizes[..], x.shape());
        return Err(Error::shape("split_with_sizes", message));
    }
    parts(x, dim, split_sizes.iter().copied())
}

/// [`split_with_sizes`](Tensor::split_with_sizes) under the name `split`.
#[op(
    composite,
    "split.sizes(Tensor self, int[] split_size, int dim=0) -> Tensor[]",
    samples = || samples::calls([vec![matrix(), samples::ints(&[2, 3])]])
)]
fn split_sizes(x: &Tensor, split_size: &Ints, dim: i64) -> Result<Vec<Tensor>> {
    x.split_with_sizes(split_size, dim).map_err(|error| error.in_op("split"))
}

/// At most `chunks` parts of equal size along `dim`, as `torch.chunk`: views, the last of which may
/// be smaller.
///
/// `self: [*, n, *]` becomes tensors `[*, ceil(n / chunks), *]`.
///
/// Errors: `index` if `dim` is out of range or `self` is 0-d; `argument` if `chunks` is not
/// positive.
#[op(
    composite,
    "chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
    aliases = ["unsafe_chunk"],
    samples = || samples::calls([vec![matrix(), samples::int(2)], vec![matrix(), samples::int(4), samples::int(1)]])
)]
fn chunk(x: &Tensor, chunks: i64, dim: i64) -> Result<Vec<Tensor>> {
    let (dim, size) = dim_and_size("chunk", x, dim)?;
    if chunks <= 0 || chunks > i64::from(i32::MAX) {
        return Err(Error::argument("chunk", format!("takes a positive number of chunks, not {chunks}")));
    }
    if size == 0 {
        return parts(x, dim, std::iter::repeat_n(0, chunks as usize));
    }
    x.split((size + chunks - 1) / chunks, dim)
}

/// `sections` parts along `dim` whose sizes differ by at most one, as `torch.tensor_split`: views,
/// the larger parts first.
///
/// Errors: `index` if `dim` is out of range or `self` is 0-d; `argument` if `sections` is not
/// positive.
#[op(
    composite,
    "tensor_split(Tensor self, int sections, int dim=0) -> Tensor[]",
    samples = || samples::calls([vec![matrix(), samples::int(3)], vec![matrix(), samples::int(4), samples::int(-1)]])
)]
fn tensor_split(x: &Tensor, sections: i64, dim: i64) -> Result<Vec<Tensor>> {
    let (dim, size) = dim_and_size("tensor_split", x, dim)?;
    if sections <= 0 || sections > i64::from(i32::MAX) {
        return Err(Error::argument("tensor_split", format!("takes a positive number of sections, not {sections}")));
    }
    parts(x, dim, (0..sections).map(|part| size / sections + i64::from(part < size % sections)))
}

/// The parts along `dim` between the given indices, as `torch.tensor_split`: with `[a, b]` they are
/// the slices `:a`, `a:b` and `b:` of Python. Views.
///
/// Errors: `index` if `dim` is out of range or `self` is 0-d.
#[op(
    composite,
    "tensor_split.indices(Tensor self, int[] indices, int dim=0) -> Tensor[]",
    samples = || samples::calls([vec![matrix(), samples::ints(&[1, 3])], vec![matrix(), samples::ints(&[2, 1, 9]), samples::int(1)]])
)]
fn tensor_split_indices(x: &Tensor, indices: &Ints, dim: i64) -> Result<Vec<Tensor>> {
    let (dim, _) = dim_and_size("tensor_split", x, dim)?;
    let starts = std::iter::once(0).chain(indices.iter().copied());
    let ends = indices.iter().copied().map(Some).chain([None]);
    starts.zip(ends).map(|(start, end)| x.slice(dim, start, end, 1)).collect()
}

/// [`tensor_split`](Tensor::tensor_split) with a 0-d tensor as the number of sections or a vector
/// as the indices. It is read, and the result is awaited.
///
/// Errors: as of `tensor_split`; `dtype` if the tensor is not of an integer type; `argument` if it
/// has more than one dimension.
#[op(
    composite,
    "tensor_split.tensor(Tensor self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor[]",
    samples = || samples::calls([vec![matrix(), samples::index(&[2], 5)]])
)]
async fn tensor_split_tensor(x: &Tensor, tensor_indices_or_sections: &Tensor, dim: i64) -> Result<Vec<Tensor>> {
    let positions = leaf::index::as_index("tensor_split", tensor_indices_or_sections)?;
    if positions.rank() > 1 {
        return Err(Error::argument(
            "tensor_split",
            format!("takes a number or a vector, not shape {}", positions.shape()),
        ));
    }
    let values: Vec<i64> = positions.to_vec::<i32>().await?.into_iter().map(i64::from).collect();
    match (positions.rank(), &values[..]) {
        (0, &[sections]) => x.tensor_split(sections, dim),
        _ => x.tensor_split_indices(values, dim),
    }
}

/// Refuses a tensor of fewer dimensions than `least`, and a number of sections that does not divide
/// the size of `dim`.
fn check_sections(op: &str, x: &Tensor, least: usize, dim: i64, sections: Option<i64>) -> Result<()> {
    if x.rank() < least {
        let message = format!("takes a tensor of {least} dimensions or more, not shape {}", x.shape());
        return Err(Error::shape(op, message));
    }
    let size = dim_and_size(op, x, dim)?.1;
    match sections {
        Some(sections) if sections <= 0 || size % sections != 0 => {
            Err(Error::argument(op, format!("{sections} sections do not divide {size}, the size of dimension {dim}")))
        }
        _ => Ok(()),
    }
}

/// The dimension that `hsplit` divides: the last one of a vector, and the second of others.
fn columns(x: &Tensor) -> i64 {
    i64::from(x.rank() > 1)
}

/// `sections` equal parts of the columns, as `torch.hsplit`: views along dimension 1, or along
/// dimension 0 of a vector.
///
/// Errors: `shape` if `self` is 0-d; `argument` if `sections` does not divide the size.
#[op(
    composite,
    "hsplit(Tensor self, int sections) -> Tensor[]",
    samples = || samples::calls([vec![matrix(), samples::int(1)], vec![samples::real(&[6], -2.0, 2.0), samples::int(3)]])
)]
fn hsplit(x: &Tensor, sections: i64) -> Result<Vec<Tensor>> {
    check_sections("hsplit", x, 1, columns(x), Some(sections))?;
    x.tensor_split(sections, columns(x))
}

/// The parts of the columns between these positions; see [`hsplit`](Tensor::hsplit).
///
/// Errors: `shape` if `self` is 0-d.
#[op(
    composite,
    "hsplit.indices(Tensor self, int[] indices) -> Tensor[]",
    samples = || samples::calls([vec![matrix(), samples::ints(&[1, 3])]])
)]
fn hsplit_indices(x: &Tensor, indices: &Ints) -> Result<Vec<Tensor>> {
    check_sections("hsplit", x, 1, columns(x), None)?;
    x.tensor_split_indices(indices, columns(x))
}

/// `sections` equal parts of the rows, as `torch.vsplit`: views along dimension 0.
///
/// Errors: `shape` if `self` has fewer than two dimensions; `argument` if `sections` does not
/// divide the size.
#[op(
    composite,
    "vsplit(Tensor self, int sections) -> Tensor[]",
    samples = || samples::calls([vec![samples::real(&[6, 2], -2.0, 2.0), samples::int(3)]])
)]
fn vsplit(x: &Tensor, sections: i64) -> Result<Vec<Tensor>> {
    check_sections("vsplit", x, 2, 0, Some(sections))?;
    x.tensor_split(sections, 0)
}

/// The parts of the rows between these positions; see [`vsplit`](Tensor::vsplit).
///
/// Errors: `shape` if `self` has fewer than two dimensions.
#[op(
    composite,
    "vsplit.indices(Tensor self, int[] indices) -> Tensor[]",
    samples = || samples::calls([vec![matrix(), samples::ints(&[1, 3])]])
)]
fn vsplit_indices(x: &Tensor, indices: &Ints) -> Result<Vec<Tensor>> {
    check_sections("vsplit", x, 2, 0, None)?;
    x.tensor_split_indices(indices, 0)
}

/// `sections` equal parts along the third dimension, as `torch.dsplit`: views.
///
/// Errors: `shape` if `self` has fewer than three dimensions; `argument` if `sections` does not
/// divide the size.
#[op(
    composite,
    "dsplit(Tensor self, int sections) -> Tensor[]",
    samples = || samples::calls([vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::int(2)]])
)]
fn dsplit(x: &Tensor, sections: i64) -> Result<Vec<Tensor>> {
    check_sections("dsplit", x, 3, 2, Some(sections))?;
    x.tensor_split(sections, 2)
}

/// The parts along the third dimension between these positions; see [`dsplit`](Tensor::dsplit).
///
/// Errors: `shape` if `self` has fewer than three dimensions.
#[op(
    composite,
    "dsplit.indices(Tensor self, int[] indices) -> Tensor[]",
    samples = || samples::calls([vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::ints(&[1, 3])]])
)]
fn dsplit_indices(x: &Tensor, indices: &Ints) -> Result<Vec<Tensor>> {
    check_sections("dsplit", x, 3, 2, None)?;
    x.tensor_split_indices(indices, 2)
}

/// The slices of dimension `dim`, without that dimension, as `torch.unbind`: views.
///
/// `self: [*, n, *]` becomes `n` tensors `[*]`.
///
/// Errors: `index` if `dim` is out of range or `self` is 0-d.
#[op(
    composite,
    "unbind(Tensor self, int dim=0) -> Tensor[]",
    samples = || samples::calls([vec![matrix()], vec![matrix(), samples::int(-1)]])
)]
fn unbind(x: &Tensor, dim: i64) -> Result<Vec<Tensor>> {
    let (dim, size) = dim_and_size("unbind", x, dim)?;
    (0..size).map(|index| x.select(dim, index)).collect()
}

pub(crate) static OPS: &[&Op] = &[
    &SPLIT,
    &SPLIT_SIZES,
    &SPLIT_WITH_SIZES,
    &CHUNK,
    &TENSOR_SPLIT,
    &TENSOR_SPLIT_INDICES,
    &TENSOR_SPLIT_TENSOR,
    &HSPLIT,
    &HSPLIT_INDICES,
    &VSPLIT,
    &VSPLIT_INDICES,
    &DSPLIT,
    &DSPLIT_INDICES,
    &UNBIND,
];
