//! Operations that change which elements a tensor has: another size of its memory, and its
//! diagonal.

use crate::{Error, Result, Scalar, Shape, Tensor, ops::Op, samples, scalar::Ints};
use lanthorn_macros::op;

/// The elements of the memory of `self`, from its first one, in the shape `size`; the form in place
/// changes the shape of the tensor, as `torch.Tensor.resize_`.
///
/// If the memory has too few elements, the result has new memory, with the old elements in
/// front and zeros behind, and other views of the old memory keep it (in PyTorch they see the
/// larger memory, whose new elements have any value).
///
/// Errors: `shape` if a size is negative; `autograd`, of the form in place, for a leaf that
/// requires gradients.
#[op(
    composite,
    "resize(Tensor self, int[] size) -> Tensor",
    in_place = view,
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::ints(&[2, 3])],
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::ints(&[4, 5])],
        vec![samples::tensor(&[5], crate::DType::I32, -2.0, 2.0), samples::ints(&[])],
    ])
)]
fn resize(x: &Tensor, size: &Ints) -> Result<Tensor> {
    let shape = Shape::new("resize", size)?;
    let (wanted, offset) = (shape.elements(), x.storage_offset());
    let held = x.0.storage.elements.saturating_sub(offset);
    if wanted <= held {
        return x.as_strided(size, contiguous_strides(size), None);
    }
    let old = x.as_strided([held as i64], [1], None)?;
    let new = Tensor::zeros_with([(wanted - held) as i64], x.dtype(), Some(x.device()))?;
    Tensor::cat(&[old, new], 0)?.reshape(size)
}

fn contiguous_strides(size: &[i64]) -> Vec<i64> {
    (0..size.len()).map(|dim| size[dim + 1..].iter().map(|&size| size.max(1)).product()).collect()
}

/// [`resize`](Tensor::resize) to the shape of `the_template`, as `torch.Tensor.resize_as_`.
///
/// Errors: as of `resize`.
#[op(
    composite,
    "resize_as(Tensor self, Tensor the_template) -> Tensor",
    in_place = view,
    samples = || samples::calls([vec![samples::real(&[3, 4], -2.0, 2.0), samples::real(&[2, 3], -2.0, 2.0)]])
)]
fn resize_as(x: &Tensor, the_template: &Tensor) -> Result<Tensor> {
    x.resize(the_template.shape())
}

/// `self` with `fill_value` on the main diagonal; `fill_diagonal_` writes it there.
///
/// With `wrap`, the diagonal of a matrix with more rows than columns begins again after a row that
/// it leaves out. In more than two dimensions the diagonal has the elements whose indices are all
/// equal.
///
/// Errors: `shape` if `self` has fewer than two dimensions, or more than two whose sizes differ;
/// `argument` if the type of `self` cannot hold the number.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let y = Tensor::zeros([2, 2])?.fill_diagonal(3.0, false)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [3.0, 0.0, 0.0, 3.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "fill_diagonal(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::float(0.5)],
        vec![samples::real(&[7, 2], -2.0, 2.0), samples::float(0.5), samples::flag(true)],
        vec![samples::real(&[7, 2], -2.0, 2.0), samples::float(0.5)],
        vec![samples::tensor(&[3, 3, 3], crate::DType::I32, -9.0, 9.0), samples::int(4)],
    ])
)]
fn fill_diagonal(x: &Tensor, fill_value: Scalar, wrap: bool) -> Result<Tensor> {
    let sizes = x.shape().to_i64();
    let Some((&height, rest)) = sizes.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        let message = format!("takes a tensor of two dimensions or more, not shape {}", x.shape());
        return Err(Error::shape("fill_diagonal", message));
    };
    if rest.len() > 1 && rest.iter().any(|&size| size != height) {
        let message = format!("all sizes of a tensor of more than two dimensions must be equal, not {}", x.shape());
        return Err(Error::shape("fill_diagonal", message));
    }
    // The distance of neighbours on the diagonal, in row-major order.
    let step: i64 = contiguous_strides(&sizes).iter().sum();
    let count = if wrap && rest.len() == 1 { i64::MAX / step.max(1) } else { height.min(rest[0]) };
    let index = Tensor::arange_with(0, x.numel() as i64, 1, crate::DType::I32, Some(x.device()))?;
    let mut on_diagonal = index.remainder(step.max(1))?.eq(0)?;
    if count.saturating_mul(step) < x.numel() as i64 {
        on_diagonal = on_diagonal.logical_and(&index.lt(count * step)?)?;
    }
    x.masked_fill(&on_diagonal.reshape(x.shape())?, fill_value)
}

pub(crate) static OPS: &[&Op] = &[&RESIZE, &RESIZE_AS, &FILL_DIAGONAL];
