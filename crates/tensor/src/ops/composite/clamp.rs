//! Limits of both sides.

use crate::{
    Error, Result, Scalar, Tensor,
    ops::{
        Op,
        pointwise::{self, Argument, Rule},
    },
    samples,
};
use lanthorn_ir::special;
use lanthorn_macros::op;

/// `min(max(self, min), max)`; either limit may be `None`. NaN stays NaN.
///
/// The gradient passes where `self` lies between the limits, and not where it equals one or is NaN.
///
/// Errors: `argument` if neither limit is given.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{Scalar, Tensor};
/// let x = Tensor::from_slice(&[-2.0f32, 0.5, 2.0], [3], &device)?;
/// let y = x.clamp(Some(Scalar::Int(-1)), Some(Scalar::Int(1)))?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [-1.0, 0.5, 1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
    in_place,
    aliases = ["clip"],
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0), samples::float(-1.0), samples::float(1.5)],
        vec![samples::real(&[9], -3.0, 3.0), samples::NONE, samples::float(0.5)],
        vec![samples::tensor(&[9], crate::DType::I32, -5.0, 5.0), samples::int(-2)],
    ])
)]
fn clamp(x: &Tensor, min: Option<Scalar>, max: Option<Scalar>) -> Result<Tensor> {
    match (min, max) {
        (None, None) => Err(Error::argument("clamp", "give min or max")),
        (Some(min), None) => x.clamp_min(min),
        (None, Some(max)) => x.clamp_max(max),
        (Some(min), Some(max)) => x.clamp_min(min)?.clamp_max(max),
    }
    .map_err(|error| error.in_op("clamp"))
}

/// `min(max(self, min), max)` with limits that broadcast; either may be `None`. NaN stays NaN.
///
/// Where `self` equals a limit, each gets half of the gradient; NaN keeps its gradient.
///
/// Errors: `argument` if neither limit is given; `shape` if the shapes do not broadcast.
#[op(
    pointwise,
    "clamp.tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0), samples::real(&[7], -2.0, -0.5), samples::real(&[5, 1], 0.5, 2.0)],
        vec![samples::real(&[9], -3.0, 3.0), samples::NONE, samples::real(&[9], -1.0, 1.0)],
    ])
)]
fn clamp_tensor(x: &Tensor, min: Option<&Tensor>, max: Option<&Tensor>) -> Result<Tensor> {
    match (min, max) {
        (None, None) => Err(Error::argument("clamp", "give min or max")),
        (Some(min), None) => x.clamp_min(min),
        (None, Some(max)) => x.clamp_max(max),
        (Some(min), Some(max)) => {
            let arguments = [Argument::tensor(x), Argument::tensor(min), Argument::tensor(max)];
            pointwise::apply(&CLAMP_TENSOR, Rule::Same, &arguments, |values| {
                special::CLAMP.call(&[&values[0], &values[1], &values[2]])
            })
        }
    }
    .map_err(|error| error.in_op("clamp"))
}

pub(crate) static OPS: &[&Op] = &[&CLAMP, &CLAMP_TENSOR];
