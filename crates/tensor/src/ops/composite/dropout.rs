//! Dropout.

use crate::{DType, Error, Result, Tensor, ops::Op, samples};
use lanthorn_macros::op;

/// Refuses a probability out of range, and an input that is not floating point.
pub(super) fn check_probability(op: &str, x: &Tensor, p: f64) -> Result<()> {
    if !(0.0..=1.0).contains(&p) {
        return Err(Error::argument(op, format!("p is a probability from 0 to 1, not {p}")));
    }
    if !x.dtype().is_floating_point() {
        return Err(Error::dtype(op, format!("the input must be floating point, not {}", x.dtype())));
    }
    Ok(())
}

/// Dropout, as `torch.nn.functional.dropout`: if `train` is true, each element is set to 0 with
/// probability `p` and otherwise divided by `1 - p`; else `self` itself.
///
/// Shapes: the result has the shape of `self`. The random numbers come from the generator of the
/// device.
///
/// Errors: `argument` if `p` is not from 0 to 1; `dtype` if `self` is not floating point.
///
/// Source: Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting"
/// (2014).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let y = Tensor::ones([100])?.dropout(0.5, true)?;
/// assert!(pollster::block_on(y.to_vec::<f32>())?.iter().all(|&y| y == 0.0 || y == 2.0));
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "dropout(Tensor self, float p=0.5, bool train=True) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -2.0, 2.0)],
        vec![samples::real(&[300], -2.0, 2.0), samples::float(0.1)],
        vec![samples::real(&[9], -2.0, 2.0), samples::float(1.0)],
        vec![samples::real(&[9], -2.0, 2.0), samples::float(0.5), samples::flag(false)],
    ])
)]
fn dropout(x: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    check_probability("dropout", x, p)?;
    if !train || p == 0.0 {
        return Ok(x.clone());
    }
    let stays = Tensor::rand_with(x.shape(), DType::F32, Some(x.device()))?.ge(p)?.to(x.dtype())?;
    // For p = 1 no element stays, and there is nothing to scale.
    x.mul(stays.mul(if p < 1.0 { 1.0 / (1.0 - p) } else { 1.0 })?)
}

pub(crate) static OPS: &[&Op] = &[&DROPOUT];
