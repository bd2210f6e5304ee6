//! Transforms: functions with a known derivative, which map the samples of a distribution.

mod combined;
mod inverse;
mod matrix;
mod pointwise;
mod registry;

pub use combined::{
    CatTransform, ComposeTransform, CumulativeDistributionTransform, IndependentTransform, ReshapeTransform,
    StackTransform, identity_transform,
};
pub use inverse::InverseTransform;
pub use matrix::{
    CorrCholeskyTransform, LowerCholeskyTransform, PositiveDefiniteTransform, SoftmaxTransform, StickBreakingTransform,
};
pub use pointwise::{
    AbsTransform, AffineTransform, ExpTransform, PowerTransform, SigmoidTransform, SoftplusTransform, TanhTransform,
};
pub use registry::{biject_to, transform_to};

use crate::{
    Constraint,
    distribution::not_implemented,
    host::{ErasedTransform, Param},
};
use lanthorn_macros::property;
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// A function with an inverse and a Jacobian, as `torch.distributions.Transform`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{ExpTransform, Transform};
/// let x = Tensor::full([], 2.0)?;
/// let y = ExpTransform.forward(&x)?;
/// let log_derivative = ExpTransform.log_abs_det_jacobian(&x, &y)?;
/// assert_eq!(pollster::block_on(log_derivative.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub trait Transform: ErasedTransform {
    /// The name of the type.
    #[property]
    fn name(&self) -> &'static str;

    /// The set of arguments.
    #[property]
    fn domain(&self) -> Constraint;

    /// The set of results.
    #[property]
    fn codomain(&self) -> Constraint;

    /// Whether every result has one argument.
    #[property]
    fn is_bijective(&self) -> bool {
        true
    }

    /// The tensors and numbers of the transform, by which two transforms are compared.
    fn parameters(&self) -> Vec<Param> {
        vec![]
    }

    /// The transforms that the transform consists of, by which two transforms are compared.
    fn parts(&self) -> Vec<Rc<dyn Transform>> {
        vec![]
    }

    /// 1 or -1: the sign of the derivative of a monotonic function of numbers.
    ///
    /// # Errors
    /// `argument` for other transforms.
    #[property]
    fn sign(&self) -> Result<Param> {
        Err(not_implemented(self.name(), "sign"))
    }

    /// The function.
    ///
    /// # Errors
    /// `shape` if the argument has too few dimensions.
    fn forward(&self, x: &Tensor) -> Result<Tensor>;

    /// The inverse of the function.
    ///
    /// # Errors
    /// `shape` if the result has too few dimensions.
    fn inverse(&self, y: &Tensor) -> Result<Tensor>;

    /// The logarithm of the absolute value of the determinant of the Jacobian at `x`, with `y` the
    /// result of the function.
    ///
    /// # Errors
    /// `argument` if the transform is not bijective, or has no formula for it.
    fn log_abs_det_jacobian(&self, _x: &Tensor, _y: &Tensor) -> Result<Tensor> {
        Err(not_implemented(self.name(), "log_abs_det_jacobian"))
    }

    /// The shape of results for arguments of a shape.
    ///
    /// # Errors
    /// `shape` if there are no arguments of the shape.
    fn forward_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        Ok(shape.to_vec())
    }

    /// The shape of arguments for results of a shape.
    ///
    /// # Errors
    /// `shape` if there are no results of the shape.
    fn inverse_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        Ok(shape.to_vec())
    }

    /// The inverse as a transform.
    #[property]
    fn inv(&self) -> Rc<dyn Transform> {
        Rc::new(InverseTransform::new(self.to_rc()))
    }
}

/// Whether two transforms are of the same type with the same numbers and tensors.
pub(crate) fn same_transform(a: &dyn Transform, b: &dyn Transform) -> bool {
    let left = a.parameters();
    let right = b.parameters();
    if a.name() != b.name() || left.len() != right.len() {
        return false;
    }
    for i in 0..left.len() {
        if !left[i].is_same(&right[i]) {
            return false;
        }
    }
    same_transforms(&a.parts(), &b.parts())
}

/// Whether the transforms of two lists are the same.
pub(crate) fn same_transforms(left: &[Rc<dyn Transform>], right: &[Rc<dyn Transform>]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    for i in 0..left.len() {
        if !same_transform(left[i].as_ref(), right[i].as_ref()) {
            return false;
        }
    }
    true
}
