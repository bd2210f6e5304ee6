//! The inverse of a transform.

use super::Transform;
use crate::{Constraint, host::Param};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The inverse of a transform, which [`Transform::inv`] returns.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{ExpTransform, Transform};
/// let y = ExpTransform.inv().forward(&Tensor::full([], 1.0)?)?;
/// assert_eq!(pollster::block_on(y.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct InverseTransform {
    base: Rc<dyn Transform>,
}

impl InverseTransform {
    /// The inverse of `base`.
    pub fn new(base: Rc<dyn Transform>) -> InverseTransform {
        InverseTransform { base }
    }
}

impl Transform for InverseTransform {
    fn name(&self) -> &'static str {
        "InverseTransform"
    }

    fn domain(&self) -> Constraint {
        self.base.codomain()
    }

    fn codomain(&self) -> Constraint {
        self.base.domain()
    }

    fn is_bijective(&self) -> bool {
        self.base.is_bijective()
    }

    fn parts(&self) -> Vec<Rc<dyn Transform>> {
        vec![self.base.clone()]
    }

    fn sign(&self) -> Result<Param> {
        self.base.sign()
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.base.inverse(x)
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        self.base.forward(y)
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        self.base.log_abs_det_jacobian(y, x)?.neg()
    }

    fn forward_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        self.base.inverse_shape(shape)
    }

    fn inverse_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        self.base.forward_shape(shape)
    }

    fn inv(&self) -> Rc<dyn Transform> {
        self.base.clone()
    }
}
