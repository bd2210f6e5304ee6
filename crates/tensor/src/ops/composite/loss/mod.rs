//! Losses, with the arguments of `torch.nn.functional`.
//!
//! The loss of an element is one expression, so that a loss is one kernel and a reduction, however
//! many terms it has.

pub(crate) mod classification;
pub(crate) mod ctc;
pub(crate) mod distance;
pub(crate) mod margin;
pub(crate) mod regression;

use crate::{
    Error, Reduction, Result, Tensor,
    samples::{self, Sample, SampleArg},
};

/// The losses after their reduction.
fn reduced(losses: &Tensor, reduction: Reduction) -> Result<Tensor> {
    match reduction {
        Reduction::None => Ok(losses.clone()),
        Reduction::Mean => losses.mean((), false),
        Reduction::Sum => losses.sum((), false),
    }
}

/// The losses times `weight`, if given.
fn weighted(op: &str, losses: Tensor, weight: Option<&Tensor>) -> Result<Tensor> {
    match weight {
        Some(weight) => losses.mul(weight).map_err(|error| error.in_op(op)),
        None => Ok(losses),
    }
}

/// Checks that input and target have one shape.
fn check_same_shape(op: &str, input: &Tensor, target: &Tensor) -> Result<()> {
    if input.shape() == target.shape() {
        return Ok(());
    }
    Err(Error::shape(op, format!("input and target must have one shape, not {} and {}", input.shape(), target.shape())))
}

/// Samples of a prediction and a target with each reduction.
fn pairs(input: (f64, f64), target: (f64, f64)) -> Vec<Sample> {
    let pair = |shape: &[i64], rest: &[SampleArg]| {
        let mut args = vec![samples::real(shape, input.0, input.1), samples::real(shape, target.0, target.1)];
        args.extend_from_slice(rest);
        Sample { args }
    };
    vec![pair(&[4, 3], &[]), pair(&[5], &[samples::text("sum")]), pair(&[2, 3, 2], &[samples::text("none")])]
}
