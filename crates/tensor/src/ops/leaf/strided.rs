//! Views with explicit sizes and strides, and regions of a storage: reading, writing and the
//! gradients of both.

use super::view::alias;
use crate::{
    DType, Error, Result, Tensor,
    autograd::{Derivative, attach},
    batch,
    ops::Op,
    samples,
    scalar::Ints,
};
use lanthorn_ir::{Kernel, Layout, Shape, kernel};
use lanthorn_macros::op;
use std::rc::Rc;

/// The region `layout` of a contiguous tensor.
pub(crate) fn region_read(x: &Tensor, layout: &Layout) -> Result<Tensor> {
    let (x, shape) = (super::cast::covering(x)?, x.shape().clone());
    let window = layout.clone();
    Ok(alias("as_strided", &x, layout.clone(), move |grad| region_sum(grad, &window, &shape)))
}

/// `base` with its region `layout` (of the contiguous tensor) replaced by `source`. The region
/// contains no element twice.
pub(crate) fn region_write(base: &Tensor, layout: &Layout, source: &Tensor) -> Result<Tensor> {
    let device = base.device();
    let (from, target) = (source.layout().clone(), layout.clone());
    let copy = Kernel::Copy(kernel::Copy { dtype: base.dtype(), source: from, target });
    let mut outputs =
        batch::record(device, "region_write", copy, Some(base.materialized()?), vec![source.value()], vec![]);
    let output = Tensor::from_value(device, outputs.pop().expect("a copy has one output"), base.shape().clone());
    let layout = layout.clone();
    let derivative: Derivative = Rc::new(move |grad, _| {
        let zeros = Tensor::zeros_with(layout.shape(), grad.dtype(), Some(grad.device()))?;
        Ok(vec![Some(region_write(grad, &layout, &zeros)?), Some(region_read(grad, &layout)?)])
    });
    attach("region_write", &output, &[base, source], &[], derivative);
    Ok(output)
}

/// Zeros of `shape` with `source` in the region `layout`. An element that the region contains
/// several times gets the sum.
pub(crate) fn region_sum(source: &Tensor, layout: &Layout, shape: &Shape) -> Result<Tensor> {
    let zeros = Tensor::zeros_with(shape, source.dtype(), Some(source.device()))?;
    let repeated = layout.shape().iter().zip(layout.strides()).enumerate();
    let repeated: Vec<usize> =
        repeated.filter(|(_, (size, stride))| **size > 1 && **stride == 0).map(|(d, _)| d).collect();
    if !repeated.is_empty() {
        let source = source.sum(repeated.iter().map(|&d| d as i64).collect::<Vec<_>>(), true)?;
        let layout = repeated.iter().fold(layout.clone(), |layout, &d| layout.slice(d, 0, 1, 1));
        return region_sum(&source, &layout, shape);
    }
    if !layout.overlaps_itself() {
        return region_write(&zeros, layout, source);
    }
    // The region of a tensor of linear indices holds the target of each element.
    let positions = Tensor::arange_with(0, shape.elements() as i64, 1, DType::I32, Some(source.device()))?;
    let positions = region_read(&positions, layout)?.reshape([-1])?;
    zeros.reshape([-1])?.scatter_add(0, &positions, &source.reshape([-1])?)?.reshape(shape)
}

/// A view of the storage of `self` with the given sizes and strides, beginning at `storage_offset`,
/// or at the first element of `self`.
///
/// Shapes: the result is of shape `size`. Strides and offset count elements. A view in which
/// elements overlap can be read, but not written in place.
///
/// Errors: `argument` if `size` and `stride` differ in length, or if a stride or the offset is
/// negative; `shape` if the view reaches out of the storage.
///
/// Gradient: elements that overlap get the sum of their gradients.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::arange(0, 9, 1)?;
/// assert_eq!(pollster::block_on(x.as_strided([2, 2], [1, 2], 1)?.to_vec::<i32>())?, [1, 3, 2, 4]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
    in_place = view,
    samples = || samples::calls([
        vec![samples::real(&[9], -2.0, 2.0), samples::ints(&[2, 2]), samples::ints(&[1, 2]), samples::int(1)],
        vec![samples::real(&[9], -2.0, 2.0), samples::ints(&[2, 3, 2]), samples::ints(&[2, 0, 1])],
        vec![samples::real(&[9], -2.0, 2.0), samples::ints(&[3, 2, 2]), samples::ints(&[1, 1, 3]), samples::int(0)],
    ])
)]
fn as_strided(x: &Tensor, size: &Ints, stride: &Ints, storage_offset: Option<i64>) -> Result<Tensor> {
    let layout = check_layout("as_strided", x, size, stride, storage_offset)?;
    let (window, from, elements) = (layout.clone(), x.layout().clone(), Shape::from_dims([x.0.storage.elements]));
    Ok(alias("as_strided", x, layout, move |grad| {
        let whole = region_sum(grad, &window, &elements)?;
        let mine = region_read(&whole, &from)?;
        if !from.overlaps_itself() {
            return Ok(mine);
        }
        // Elements of x that share memory share its gradient.
        let ones = Tensor::ones_with(from.shape(), grad.dtype(), Some(grad.device()))?;
        mine.div(region_read(&region_sum(&ones, &from, &elements)?, &from)?)
    }))
}

/// The layout that a call names, checked against the bounds of the storage of `x`.
fn check_layout(op: &str, x: &Tensor, size: &[i64], stride: &[i64], offset: Option<i64>) -> Result<Layout> {
    let offset = offset.unwrap_or(x.storage_offset() as i64);
    if size.len() != stride.len() {
        return Err(Error::argument(op, format!("takes as many strides as sizes, not {stride:?} for {size:?}")));
    }
    if offset < 0 || stride.iter().any(|&stride| stride < 0) {
        return Err(Error::argument(op, format!("strides {stride:?} and offset {offset} must not be negative")));
    }
    let shape = Shape::new(op, size)?;
    let reach = size.iter().zip(stride).map(|(&size, &stride)| (size as i128 - 1) * stride as i128).sum::<i128>();
    let elements = x.0.storage.elements;
    if shape.elements() > 0 && reach + offset as i128 >= elements as i128 {
        let message = format!(
            "sizes {size:?}, strides {stride:?} and offset {offset} reach out of a storage of {elements} elements"
        );
        return Err(Error::shape(op, message));
    }
    // A view without elements may have any strides and offset.
    if shape.elements() == 0 {
        return Ok(Layout::contiguous(shape));
    }
    Ok(Layout::new(shape, stride.iter().map(|&stride| stride as isize), offset as usize))
}

pub(crate) static OPS: &[&Op] = &[&AS_STRIDED];
