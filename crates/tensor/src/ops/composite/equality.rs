//! Whether two tensors agree. The answer is a truth value of the host, so that one element is read.

use crate::{
    DType, Error, Result, Tensor,
    ops::{Op, pointwise::common_device},
    samples,
};
use lanthorn_macros::op;

/// Whether all elements of a bool tensor are true.
async fn holds(x: &Tensor) -> Result<bool> {
    Ok(x.all(None, false)?.item().await? != 0.0)
}

/// Whether all elements are close, as `torch.allclose`: [`isclose`](Tensor::isclose) of every pair.
///
/// The tensors broadcast together. The result is read, and awaited.
///
/// Errors: as of `isclose`; `shape` if the shapes do not broadcast.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// assert!(pollster::block_on(x.allclose(&x.add(1e-7)?, 1e-5, 1e-8, false))?);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool",
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -1.0, 1.0), samples::real(&[7], -1.0, 1.0), samples::float(0.2), samples::float(9.0)],
        vec![samples::tensor(&[9], DType::I32, -2.0, 2.0), samples::tensor(&[9], DType::I32, 2.0, 4.0)],
    ])
)]
async fn allclose(x: &Tensor, other: &Tensor, rtol: f64, atol: f64, equal_nan: bool) -> Result<bool> {
    holds(&x.isclose(other, rtol, atol, equal_nan).map_err(|error| error.in_op("allclose"))?).await
}

/// Whether two tensors have one shape and the same elements, as `torch.equal`. NaN differs from
/// itself. The result is read, and awaited.
///
/// Errors: `dtype` if the types differ.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1, 2], [2], &device)?;
/// assert!(pollster::block_on(x.equal(&x.add(0)?))?);
/// assert!(!pollster::block_on(x.equal(&x.reshape([2, 1])?))?);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "equal(Tensor self, Tensor other) -> bool",
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -1.0, 1.0), samples::real(&[5, 7], -1.0, 1.0)],
        vec![samples::tensor(&[9], DType::I32, 3.0, 4.0), samples::tensor(&[9], DType::I32, 3.0, 4.0)],
        vec![samples::real(&[5], -1.0, 1.0), samples::real(&[7], -1.0, 1.0)],
    ])
)]
async fn equal(x: &Tensor, other: &Tensor) -> Result<bool> {
    common_device("equal", &[x.clone(), other.clone()])?;
    if x.dtype() != other.dtype() {
        let message = format!("both tensors must be of one type, not {} and {}", x.dtype(), other.dtype());
        return Err(Error::dtype("equal", message));
    }
    if x.shape() != other.shape() {
        return Ok(false);
    }
    holds(&x.eq(other)?).await
}

/// Whether the single element differs from 0, as `torch.is_nonzero`. The result is read, and
/// awaited.
///
/// Errors: `shape` if `self` does not have one element.
#[op(
    composite,
    "is_nonzero(Tensor self) -> bool",
    samples = || samples::calls([vec![samples::real(&[1, 1], 0.5, 1.0)], vec![samples::tensor(&[], DType::I32, 0.0, 1.0)]])
)]
async fn is_nonzero(x: &Tensor) -> Result<bool> {
    if x.numel() != 1 {
        let message =
            format!("the truth value of a tensor of shape {} is not one: it has {} elements", x.shape(), x.numel());
        return Err(Error::shape("is_nonzero", message));
    }
    Ok(x.item().await? != 0.0)
}

/// Whether the element is a real number, as `torch.isreal`: true for every element here.
#[op(composite, "isreal(Tensor self) -> Tensor", samples = || samples::unary_any(-2.0, 2.0))]
fn isreal(x: &Tensor) -> Result<Tensor> {
    x.ones_like_with(DType::Bool)
}

pub(crate) static OPS: &[&Op] = &[&ALLCLOSE, &EQUAL, &IS_NONZERO, &ISREAL];
