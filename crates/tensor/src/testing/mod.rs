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
pub fn leaves(args: &[Arg]) -> Result<Vec<Tensor>> {
    let mut leaves = Vec::new();
    let mut mark = |tensor: &Tensor| -> Result<()> {
        if tensor.dtype().is_floating_point() {
            leaves.push(tensor.requires_grad_(true)?);
        }
        Ok(())
    };
    for arg in args {
        match arg {
            Arg::Tensor(tensor) => mark(tensor)?,
            Arg::Tensors(tensors) => tensors.iter().try_for_each(&mut mark)?,
            Arg::OptionalTensors(tensors) => tensors.iter().flatten().try_for_each(&mut mark)?,
            _ => {}
        }
    }
    Ok(leaves)
}

/// A gradient to start from: fixed numbers of the output's shape, from -1 to 1.
pub fn cotangent(output: &Tensor, float: DType) -> Result<Tensor> {
    let spec = TensorSpec { shape: output.shape().to_i64(), dtype: DType::F32, low: -1.0, high: 1.0 };
    spec.make(97, float, output.device())
}
