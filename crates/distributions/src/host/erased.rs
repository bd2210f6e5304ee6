//! Distributions and transforms whose type is known at run time only.

use crate::{Distribution, Transform};
use lanthorn_tensor::{Error, Result};
use std::{any::Any, rc::Rc};

/// Conversions of a distribution that every type with `Clone` has.
pub trait ErasedDistribution {
    /// The distribution as a value of any type.
    fn as_any(&self) -> &dyn Any;

    /// A shared copy.
    fn to_rc(&self) -> Rc<dyn Distribution>;
}

impl<T: Distribution + Clone + 'static> ErasedDistribution for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn to_rc(&self) -> Rc<dyn Distribution> {
        Rc::new(self.clone())
    }
}

/// Conversions of a transform that every type with `Clone` has.
pub trait ErasedTransform {
    /// A shared copy.
    fn to_rc(&self) -> Rc<dyn Transform>;
}

impl<T: Transform + Clone + 'static> ErasedTransform for T {
    fn to_rc(&self) -> Rc<dyn Transform> {
        Rc::new(self.clone())
    }
}

/// The distribution as its own type.
///
/// # Errors
/// `argument` if a distribution has another type's name.
pub(crate) fn downcast<T: 'static>(distribution: &dyn Distribution) -> Result<&T> {
    distribution
        .as_any()
        .downcast_ref()
        .ok_or_else(|| Error::argument("kl_divergence", format!("{} is the name of another type", distribution.name())))
}
