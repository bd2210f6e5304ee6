//! The transforms from unconstrained values to the values of a constraint.

use super::{
    Transform,
    combined::{CatTransform, IndependentTransform, StackTransform, affine_after, identity_transform},
    matrix::{
        CorrCholeskyTransform, LowerCholeskyTransform, PositiveDefiniteTransform, SoftmaxTransform,
        StickBreakingTransform,
    },
    pointwise::{ExpTransform, SigmoidTransform},
};
use crate::Constraint;
use lanthorn_tensor::{Error, Result};
use std::rc::Rc;

/// A bijective transform from unconstrained values to the values of a constraint, for Hamiltonian
/// Monte Carlo.
///
/// # Errors
/// `argument` if there is none for the constraint.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Constraint, biject_to};
/// let y = biject_to(&Constraint::Positive)?.forward(&Tensor::zeros([])?)?;
/// assert_eq!(pollster::block_on(y.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn biject_to(constraint: &Constraint) -> Result<Rc<dyn Transform>> {
    find("biject_to", constraint, true)
}

/// A transform from unconstrained values to the values of a constraint, for optimizers: it need not
/// be bijective.
///
/// # Errors
/// `argument` if there is none for the constraint.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Constraint, transform_to};
/// let y = transform_to(&Constraint::Simplex)?.forward(&Tensor::zeros([2])?)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [0.5, 0.5]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn transform_to(constraint: &Constraint) -> Result<Rc<dyn Transform>> {
    find("transform_to", constraint, false)
}

fn find(op: &str, constraint: &Constraint, is_bijective: bool) -> Result<Rc<dyn Transform>> {
    match constraint {
        Constraint::Real => Ok(Rc::new(identity_transform())),
        Constraint::RealVector => Ok(Rc::new(IndependentTransform::new(Rc::new(identity_transform()), 1))),
        Constraint::Positive | Constraint::Nonnegative => Ok(Rc::new(ExpTransform)),
        Constraint::GreaterThan(lower) => affine_after(Rc::new(ExpTransform), lower, 1.0),
        Constraint::GreaterThanEq(lower) => affine_after(Rc::new(ExpTransform), lower, 1.0),
        Constraint::LessThan(upper) => affine_after(Rc::new(ExpTransform), upper, -1.0),
        Constraint::UnitInterval => Ok(Rc::new(SigmoidTransform)),
        Constraint::Interval(lower, upper) => affine_after(Rc::new(SigmoidTransform), lower, &upper.minus(lower)?),
        Constraint::HalfOpenInterval(lower, upper) => {
            affine_after(Rc::new(SigmoidTransform), lower, &upper.minus(lower)?)
        }
        Constraint::Simplex => {
            if is_bijective {
                return Ok(Rc::new(StickBreakingTransform));
            }
            Ok(Rc::new(SoftmaxTransform))
        }
        Constraint::LowerCholesky => Ok(Rc::new(LowerCholeskyTransform)),
        Constraint::PositiveDefinite | Constraint::PositiveSemidefinite => Ok(Rc::new(PositiveDefiniteTransform)),
        Constraint::CorrCholesky => Ok(Rc::new(CorrCholeskyTransform)),
        Constraint::Independent(base, count) => {
            Ok(Rc::new(IndependentTransform::new(find(op, base, is_bijective)?, *count)))
        }
        Constraint::Cat(parts, dim, lengths) => {
            Ok(Rc::new(CatTransform::new(find_all(op, parts, is_bijective)?, *dim, lengths)?))
        }
        Constraint::Stack(parts, dim) => Ok(Rc::new(StackTransform::new(find_all(op, parts, is_bijective)?, *dim)?)),
        _ => {
            Err(Error::argument(op, format!("there is no transform to values that must be {}", constraint.describe())))
        }
    }
}

fn find_all(op: &str, constraints: &[Constraint], is_bijective: bool) -> Result<Vec<Rc<dyn Transform>>> {
    let mut transforms = vec![];
    for constraint in constraints {
        transforms.push(find(op, constraint, is_bijective)?);
    }
    Ok(transforms)
}
