//! Views: other shapes, strides and offsets of one storage. No element is copied, and a write
//! through a view changes its base.

use crate::{
    Error, Result, Tensor,
    autograd::attach,
    batch,
    ops::Op,
    samples,
    scalar::{Ints, OptionalInts},
};
use lanthorn_ir::{Kernel, Layout, Shape, kernel};
use lanthorn_macros::op;
use std::rc::Rc;

/// A view of `x` with another layout of its storage.
pub(crate) fn alias(
    op: &'static str,
    x: &Tensor,
    layout: Layout,
    derivative: impl Fn(&Tensor) -> Result<Tensor> + 'static,
) -> Tensor {
    let root = x.0.base.as_ref().unwrap_or(x);
    // Writes are propagated through a base that covers its storage; a detached part of one has no
    // base.
    let base = (x.dtype().is_floating_point() && root.layout().covers(root.0.storage.elements)).then(|| root.clone());
    let output = Tensor::build(x.0.storage.clone(), layout, base);
    attach(op, &output, &[x], &[], Rc::new(move |grad, _| Ok(vec![Some(derivative(grad)?)])));
    output
}

/// A slice of one dimension: every `step`-th index from `start` on.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    pub dim: usize,
    pub start: usize,
    pub length: usize,
    pub step: usize,
}

impl Cut {
    fn of(&self, layout: &Layout) -> Layout {
        layout.slice(self.dim, self.start, self.length, self.step)
    }

    /// The slice of `x`, as a view.
    fn view(self, op: &'static str, x: &Tensor) -> Tensor {
        let shape = x.shape().clone();
        alias(op, x, self.of(x.layout()), move |grad| self.put_back(grad, &shape))
    }

    /// `source` at the slice of a tensor of `shape`, as an operand that is out of bounds elsewhere.
    pub fn embed(self, source: &Tensor, shape: &Shape) -> kernel::Operand {
        let layout = source.layout();
        let strides = layout.strides().iter().enumerate().map(|(d, &stride)| if d == self.dim { 0 } else { stride });
        let window = kernel::BoundedIndex {
            steps: (0..shape.rank()).map(|d| isize::from(d == self.dim)).collect(),
            start: -(self.start as isize),
            divisor: self.step,
            size: self.length,
            stride: layout.strides()[self.dim],
        };
        let layout = Layout::new(shape.clone(), strides, layout.offset());
        kernel::Operand { bounded: vec![window], ..kernel::Operand::new(source.dtype(), layout) }
    }

    /// A tensor of `shape` with `source` at the slice and zeros elsewhere, which is not stored if a
    /// kernel can read it in place.
    fn put_back(self, source: &Tensor, shape: &Shape) -> Result<Tensor> {
        let op = "slice_backward";
        let operand = self.embed(source, shape);
        let output = load(op, source, operand);
        attach(op, &output, &[source], &[], Rc::new(move |grad, _| Ok(vec![Some(self.view("slice", grad))])));
        Ok(output)
    }
}

/// A tensor of the elements that `operand` reads from `source`, without a derivative.
pub(crate) fn load(op: &'static str, source: &Tensor, operand: kernel::Operand) -> Tensor {
    let (shape, dtype) = (operand.shape().clone(), source.dtype());
    let program = kernel::identity(dtype.into());
    let map = kernel::Map {
        indices: vec![],
        shape: shape.clone(),
        inputs: vec![operand],
        params: vec![],
        program,
        dtypes: vec![dtype],
    };
    let mut outputs = batch::record(source.device(), op, Kernel::Map(map), None, vec![source.value()], vec![]);
    Tensor::from_value(source.device(), outputs.pop().expect("a map with one expression has one output"), shape)
}

/// The elements in row-major order with another shape. One size may be -1 and is inferred. A view
/// if the strides allow it, else a copy.
///
/// Shapes: the result is of shape `shape`, which has as many elements as `self`.
///
/// Errors: `shape` if the number of elements differs, or a size cannot be inferred.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// assert_eq!(Tensor::zeros([2, 6])?.reshape([3, -1])?.shape().to_vec(), [3, 4]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "reshape(Tensor self, int[] shape) -> Tensor",
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        samples::calls([
            vec![x(&[4, 6]), samples::ints(&[3, -1])],
            vec![x(&[2, 3, 4]), samples::ints(&[6, 4])],
            vec![x(&[1]), samples::ints(&[])],
            vec![x(&[0, 3]), samples::ints(&[3, 0])],
        ])
    }
)]
fn reshape(x: &Tensor, shape: &Ints) -> Result<Tensor> {
    let shape = infer("reshape", x.shape(), shape)?;
    let (x, layout) = match x.layout().reshape(&shape) {
        Some(layout) => (x.clone(), layout),
        None => (x.contiguous()?, Layout::contiguous(shape)),
    };
    let from = x.shape().clone();
    Ok(alias("reshape", &x, layout, move |grad| grad.reshape(&from)))
}

/// A view with another shape. One size may be -1 and is inferred.
///
/// Shapes: the result is of shape `size`, which has as many elements as `self`.
///
/// Errors: `shape` if the number of elements differs, or if the strides do not allow a view, as
/// after a transpose; [`reshape`](Tensor::reshape) then copies.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::zeros([2, 6])?;
/// assert!(x.view([3, 4])?.shares_storage_with(&x));
/// assert!(x.t()?.view([12]).unwrap_err().is_shape());
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "view(Tensor self, int[] size) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[7], -2.0, 2.0), samples::ints(&[7, 1])]])
)]
fn view(x: &Tensor, size: &Ints) -> Result<Tensor> {
    let shape = infer("view", x.shape(), size)?;
    let Some(layout) = x.layout().reshape(&shape) else {
        let message = format!(
            "a tensor of shape {} with strides {:?} has no view of shape {shape}; use reshape",
            x.shape(),
            x.stride()
        );
        return Err(Error::shape("view", message));
    };
    let from = x.shape().clone();
    Ok(alias("view", x, layout, move |grad| grad.reshape(&from)))
}

/// A shape with its -1 replaced by the size that the number of elements implies.
fn infer(op: &str, from: &Shape, wanted: &[i64]) -> Result<Shape> {
    let unknown = wanted.iter().filter(|&&size| size == -1).count();
    let known = wanted.iter().filter(|&&size| size != -1);
    let product =
        known.map(|&size| size as i128).try_fold(1i128, |product, size| product.checked_mul(size)).unwrap_or(-1);
    let elements = from.elements() as i128;
    let fits = match unknown {
        0 => product == elements,
        1 => product > 0 && elements % product == 0,
        _ => false,
    };
    if !fits || wanted.iter().any(|&size| size < -1) {
        return Err(Error::shape(
            "reshape",
            format!("shape {from} has {elements} elements and does not take the shape {wanted:?}"),
        ));
    }
    let sizes: Vec<i64> =
        wanted.iter().map(|&size| if size == -1 { (elements / product) as i64 } else { size }).collect();
    Shape::new(op, &sizes)
}

/// A view with the dimensions in another order: dimension `i` of the result is dimension `dims[i]`
/// of `self`.
///
/// Errors: `index` if a dimension is out of range; `argument` if one appears twice or is missing.
#[op(
    leaf,
    "permute(Tensor self, int[] dims) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::ints(&[2, 0, 1])],
        vec![samples::real(&[2, 3, 4, 5], -2.0, 2.0), samples::ints(&[0, -1, 1, 2])],
        vec![samples::real(&[], -2.0, 2.0), samples::ints(&[])],
    ])
)]
fn permute(x: &Tensor, dims: &Ints) -> Result<Tensor> {
    let mut order = Vec::with_capacity(dims.len());
    for &dim in dims.iter() {
        let dim = x.shape().dim("permute", dim)?;
        if order.contains(&dim) {
            return Err(Error::argument("permute", format!("dimension {dim} appears twice in {:?}", &dims[..])));
        }
        order.push(dim);
    }
    if order.len() != x.rank() {
        return Err(Error::argument(
            "permute",
            format!("{:?} does not name every dimension of shape {}", &dims[..], x.shape()),
        ));
    }
    let mut inverse = vec![0i64; order.len()];
    for (to, &from) in order.iter().enumerate() {
        inverse[from] = to as i64;
    }
    Ok(alias("permute", x, x.layout().permute(&order), move |grad| grad.permute(inverse.clone())))
}

/// A view with dimensions `dim0` and `dim1` exchanged.
///
/// Errors: `index` if a dimension is out of range.
#[op(
    composite,
    "transpose(Tensor self, int dim0, int dim1) -> Tensor",
    in_place = view,
    samples = || samples::calls([
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::int(0), samples::int(1)],
        vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::int(-1), samples::int(0)],
    ]),
    aliases = ["swapaxes", "swapdims"]
)]
fn transpose(x: &Tensor, dim0: i64, dim1: i64) -> Result<Tensor> {
    let (a, b) = (x.shape().dim("transpose", dim0)?, x.shape().dim("transpose", dim1)?);
    let mut order: Vec<usize> = (0..x.rank()).collect();
    if !order.is_empty() {
        order.swap(a, b);
    }
    Ok(alias("transpose", x, x.layout().permute(&order), move |grad| grad.transpose(dim0, dim1)))
}

/// A view with dimensions of size 1 repeated. New dimensions are prepended, and -1 keeps a size.
///
/// Shapes: `self: [*]` broadcasts to `size`, the shape of the result.
///
/// Errors: `shape` if `self` does not broadcast to `size`, or a new dimension has size -1.
#[op(
    leaf,
    "expand(Tensor self, int[] size) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3, 1], -2.0, 2.0), samples::ints(&[2, 3, 4])],
        vec![samples::real(&[1, 4], -2.0, 2.0), samples::ints(&[3, -1])],
        vec![samples::real(&[], -2.0, 2.0), samples::ints(&[2, 2])],
    ])
)]
fn expand(x: &Tensor, size: &Ints) -> Result<Tensor> {
    let lead = size.len().saturating_sub(x.rank());
    let sizes: Vec<i64> = size
        .iter()
        .enumerate()
        .map(|(d, &wanted)| match d.checked_sub(lead) {
            Some(d) if wanted == -1 => x.shape().get(d).map_or(-1, |&size| size as i64),
            _ => wanted,
        })
        .collect();
    let layout = x.layout().expand("expand", &Shape::new("expand", &sizes)?)?;
    let from = x.shape().clone();
    Ok(alias("expand", x, layout, move |grad| grad.sum_to_size(&from)))
}

/// A view with a new dimension of size 1 at `dim`, which counts from the end of the result if
/// negative.
///
/// Shapes: `self: [*]`, `result: [*, 1, *]`.
///
/// Errors: `index` if `dim` is out of range for the result.
#[op(
    leaf,
    "unsqueeze(Tensor self, int dim) -> Tensor",
    in_place = view,
    samples = || samples::calls([
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::int(1)],
        vec![samples::real(&[], -2.0, 2.0), samples::int(-1)],
    ])
)]
fn unsqueeze(x: &Tensor, dim: i64) -> Result<Tensor> {
    let rank = x.rank() as i64 + 1;
    if dim < -rank || dim >= rank {
        return Err(Error::index("unsqueeze", format!("dimension {dim} is out of range for shape {}", x.shape())));
    }
    let mut sizes = x.shape().to_i64();
    sizes.insert(dim.rem_euclid(rank) as usize, 1);
    let layout = x.layout().reshape(&Shape::new("unsqueeze", &sizes)?);
    // A dimension of size 1 fits any strides.
    let layout = layout.ok_or_else(|| Error::shape("unsqueeze", "the layout does not take a new dimension"))?;
    let from = x.shape().clone();
    Ok(alias("unsqueeze", x, layout, move |grad| grad.reshape(&from)))
}

/// A view without dimensions of size 1: those among `dim`, or all of them. Other dimensions of
/// `dim` stay.
///
/// Errors: `index` if a dimension is out of range.
#[op(
    leaf,
    "squeeze(Tensor self, int[]? dim=None) -> Tensor",
    in_place = view,
    samples = || samples::calls([
        vec![samples::real(&[2, 1, 3, 1], -2.0, 2.0)],
        vec![samples::real(&[2, 1, 3, 1], -2.0, 2.0), samples::int(1)],
        vec![samples::real(&[2, 1], -2.0, 2.0), samples::ints(&[0, -1])],
    ])
)]
fn squeeze(x: &Tensor, dim: &OptionalInts) -> Result<Tensor> {
    let named = match dim.as_slice() {
        None => (0..x.rank()).collect(),
        Some(dims) => dims.iter().map(|&dim| x.shape().dim("squeeze", dim)).collect::<Result<Vec<_>>>()?,
    };
    let goes = |d: usize| x.shape()[d] == 1 && named.contains(&d);
    let layout = (0..x.rank()).rev().filter(|&d| goes(d)).fold(x.layout().clone(), |layout, d| layout.select(d, 0));
    let from = x.shape().clone();
    Ok(alias("squeeze", x, layout, move |grad| grad.reshape(&from)))
}

/// A view of the indices `start..end` of dimension `dim` in steps of `step`. Negative bounds count
/// from the end, and both are limited to the size of the dimension.
///
/// Shapes: `self: [*, n, *]`, `result: [*, ceil((end - start) / step), *]` with the limited bounds,
/// or size 0 if `end` is not above `start`.
///
/// Errors: `shape` if `self` is 0-d; `argument` if `step` is not positive; `index` if `dim` is out
/// of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::arange(0, 6, 1)?;
/// assert_eq!(pollster::block_on(x.slice(0, 1, -1, 2)?.to_vec::<i32>())?, [1, 3]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "slice(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[7, 3], -2.0, 2.0), samples::int(0), samples::int(1), samples::int(6), samples::int(2)],
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(-1), samples::int(-3)],
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(0), samples::int(3), samples::int(1)],
    ])
)]
fn slice(x: &Tensor, dim: i64, start: Option<i64>, end: Option<i64>, step: i64) -> Result<Tensor> {
    if x.rank() == 0 {
        return Err(Error::shape("slice", "a 0-d tensor has no dimension to slice"));
    }
    if step <= 0 {
        return Err(Error::argument("slice", format!("the step must be positive, not {step}")));
    }
    let dim = x.shape().dim("slice", dim)?;
    let size = x.shape()[dim] as i64;
    let limit = |position: i64| if position < 0 { position + size } else { position }.clamp(0, size);
    let (start, end) = (limit(start.unwrap_or(0)), limit(end.unwrap_or(size)));
    let length = (end - start).max(0).unsigned_abs().div_ceil(step.unsigned_abs());
    // A step larger than the dimension is never taken, so it is limited to avoid overflow.
    let (start, length, step) = (start as usize, length as usize, step.min(size.max(1)) as usize);
    Ok(Cut { dim, start, length, step }.view("slice", x))
}

/// A view of the indices `start..start + length` of dimension `dim`. A negative `start` counts from
/// the end.
///
/// Shapes: `self: [*, n, *]`, `result: [*, length, *]`.
///
/// Errors: `index` if `dim` or the indices are out of range, or `self` is 0-d.
#[op(
    composite,
    "narrow(Tensor self, int dim, int start, int length) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[7, 3], -2.0, 2.0), samples::int(0), samples::int(2), samples::int(4)],
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(1), samples::int(-2), samples::int(2)],
    ])
)]
fn narrow(x: &Tensor, dim: i64, start: i64, length: i64) -> Result<Tensor> {
    let dim = x.shape().dim("narrow", dim)?;
    let size = x.shape().get(dim).map_or(0, |&size| size as i64);
    let first = if start < 0 { start.saturating_add(size) } else { start };
    if x.rank() == 0 || first < 0 || length < 0 || first.saturating_add(length) > size {
        let message = format!("{length} indices from {start} on do not lie in dimension {dim} of shape {}", x.shape());
        return Err(Error::index("narrow", message));
    }
    Ok(Cut { dim, start: first as usize, length: length as usize, step: 1 }.view("narrow", x))
}

/// [`narrow`](Tensor::narrow) with `start` in a 0-d integer tensor, which is not read on the host.
/// The result is a copy.
///
/// Errors: `argument` if `start` has dimensions; `dtype` if it is not an integer tensor; `index` if
/// `dim` or `length` is out of range, or when the result is read if `start` is.
#[op(
    composite,
    "narrow.tensor(Tensor self, int dim, Tensor start, int length) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(1), samples::index(&[], 3), samples::int(2)]])
)]
fn narrow_tensor(x: &Tensor, dim: i64, start: &Tensor, length: i64) -> Result<Tensor> {
    let d = x.shape().dim("narrow", dim)?;
    let size = x.shape().get(d).map_or(0, |&size| size as i64);
    let start = &super::index::as_index("narrow", start)?;
    if start.rank() > 0 {
        return Err(Error::argument("narrow", format!("start must be a 0-d tensor, not of shape {}", start.shape())));
    }
    if x.rank() == 0 || length < 0 || length > size {
        let message = format!("{length} indices do not lie in dimension {dim} of shape {}", x.shape());
        return Err(Error::index("narrow", message));
    }
    let first = Tensor::r#where(&start.lt(0)?, start.add(size)?, start)?;
    x.index_select(dim, &first.add(Tensor::arange_with(0, length, 1, None, Some(x.device()))?)?)
}

/// A view of the elements at `index` of dimension `dim`, without that dimension. A negative `index`
/// counts from the end.
///
/// Shapes: `self: [*, n, *]`, `result: [*, *]`.
///
/// Errors: `shape` if `self` is 0-d; `index` if `dim` or `index` is out of range.
#[op(
    leaf,
    "select(Tensor self, int dim, int index) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[4, 3], -2.0, 2.0), samples::int(0), samples::int(-1)],
        vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::int(1), samples::int(2)],
    ])
)]
fn select(x: &Tensor, dim: i64, index: i64) -> Result<Tensor> {
    if x.rank() == 0 {
        return Err(Error::shape("select", "a 0-d tensor has no dimension to select from"));
    }
    let dim = x.shape().dim("select", dim)?;
    let size = x.shape()[dim] as i64;
    if index < -size || index >= size {
        let message = format!("index {index} is out of range for dimension {dim} of shape {}", x.shape());
        return Err(Error::index("select", message));
    }
    let index = index.rem_euclid(size) as usize;
    let (cut, shape) = (Cut { dim, start: index, length: 1, step: 1 }, x.shape().clone());
    Ok(alias("select", x, x.layout().select(dim, index), move |grad| {
        cut.put_back(&grad.unsqueeze(dim as i64)?, &shape)
    }))
}

pub(crate) static OPS: &[&Op] =
    &[&RESHAPE, &VIEW, &PERMUTE, &TRANSPOSE, &EXPAND, &UNSQUEEZE, &SQUEEZE, &SLICE, &NARROW, &NARROW_TENSOR, &SELECT];
