//! Tools that hold an operation to its declaration: [`opcheck`] an op of one's own, [`gradcheck`]
//! its derivatives.
//!
//! The feature `reference` includes them, so that no page loads them. The conformance tests of the
//! built-in ops use the same checks.

pub mod compare;
mod gradcheck;
mod opcheck;
mod report;

pub use gradcheck::{GradcheckOptions, gradcheck, gradgradcheck};
pub use opcheck::opcheck;
pub use report::Report;

use crate::{DType, Result, Tensor, ops::Arg, samples::TensorSpec};

/// The float tensors among arguments, made leaves that require gradients.
///
/// # Errors
///
/// `autograd` for a tensor that is not a leaf.
pub fn leaves(args: &[Arg]) -> Result<Vec<Tensor>> {
    let floats = args.iter().flat_map(Arg::tensors).filter(|tensor| tensor.dtype().is_floating_point());
    floats.map(|tensor| tensor.requires_grad_(true)).collect()
}

/// A gradient to start from: fixed numbers of the output's shape, from -1 to 1.
///
/// # Errors
///
/// The error of the device.
pub fn cotangent(output: &Tensor, float: DType) -> Result<Tensor> {
    let spec = TensorSpec { shape: output.shape().to_i64(), dtype: DType::F32, low: -1.0, high: 1.0 };
    spec.make(97, float, output.device())
}
