//! The sets of values that parameters and samples belong to.

use crate::{
    host::{Param, epsilon, number_of},
    shapes::last_dims,
};
use lanthorn_macros::property;
use lanthorn_tensor::{MatrixTriangle, Result, Tensor};

/// A set of values, as in `torch.distributions.constraints`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::Constraint;
/// let x = Tensor::from_slice(&[-1.0f32, 0.5], [2], &device)?;
/// let holds = Constraint::UnitInterval.check(&x)?.int()?;
/// assert_eq!(pollster::block_on(holds.to_vec::<i32>())?, [0, 1]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Constraint {
    /// Depends on other values, and is not checked.
    Dependent,
    /// 0 or 1.
    Boolean,
    /// Vectors with one 1 and otherwise 0.
    OneHot,
    /// Integers from 0.
    NonnegativeInteger,
    /// Integers from 1.
    PositiveInteger,
    /// All numbers except NaN.
    Real,
    /// Vectors of numbers.
    RealVector,
    /// Numbers above 0.
    Positive,
    /// Numbers from 0.
    Nonnegative,
    /// Numbers from 0 to 1.
    UnitInterval,
    /// Vectors of numbers from 0 with the sum 1.
    Simplex,
    /// Square matrices.
    Square,
    /// Symmetric matrices.
    Symmetric,
    /// Symmetric matrices without a negative eigenvalue.
    PositiveSemidefinite,
    /// Symmetric matrices whose eigenvalues are positive.
    PositiveDefinite,
    /// Lower triangular matrices.
    LowerTriangular,
    /// Lower triangular matrices with a positive diagonal.
    LowerCholesky,
    /// Lower triangular matrices with a positive diagonal and rows of length 1: factors of matrices
    /// of correlations.
    CorrCholesky,
    /// Integers from the first bound to the second.
    IntegerInterval(Param, Param),
    /// Numbers above a bound.
    GreaterThan(Param),
    /// Numbers from a bound.
    GreaterThanEq(Param),
    /// Numbers below a bound.
    LessThan(Param),
    /// Numbers from the first bound to the second.
    Interval(Param, Param),
    /// Numbers from the first bound up to the second, which is excluded.
    HalfOpenInterval(Param, Param),
    /// Vectors of integers from 0 whose sum is at most a bound.
    Multinomial(Param),
    /// A constraint on all values along a number of the last dimensions.
    Independent(Box<Constraint>, usize),
    /// Constraints on parts of a dimension, which have the given lengths.
    Cat(Vec<Constraint>, i64, Vec<usize>),
    /// A constraint for each index of a dimension.
    Stack(Vec<Constraint>, i64),
    /// The constraint on samples of a mixture, whose bounds have a dimension for the components.
    Mixture(Box<Constraint>),
}

impl Constraint {
    /// The number of dimensions of one value.
    #[property]
    pub fn event_dim(&self) -> usize {
        match self {
            Constraint::OneHot | Constraint::RealVector | Constraint::Simplex | Constraint::Multinomial(_) => 1,
            Constraint::Square
            | Constraint::Symmetric
            | Constraint::PositiveSemidefinite
            | Constraint::PositiveDefinite
            | Constraint::LowerTriangular
            | Constraint::LowerCholesky
            | Constraint::CorrCholesky => 2,
            Constraint::Independent(base, count) => base.event_dim() + count,
            Constraint::Cat(parts, _, _) => largest_event_dim(parts),
            Constraint::Stack(parts, dim) => {
                let event_dim = largest_event_dim(parts);
                let is_event = *dim < 0 && ((event_dim as i64) + dim) >= 0;
                if is_event { event_dim + 1 } else { event_dim }
            }
            Constraint::Mixture(base) => base.event_dim(),
            _ => 0,
        }
    }

    /// Whether the values are discrete.
    #[property]
    pub fn is_discrete(&self) -> bool {
        match self {
            Constraint::Boolean
            | Constraint::OneHot
            | Constraint::NonnegativeInteger
            | Constraint::PositiveInteger
            | Constraint::IntegerInterval(_, _)
            | Constraint::Multinomial(_) => true,
            Constraint::Independent(base, _) => base.is_discrete(),
            Constraint::Mixture(base) => base.is_discrete(),
            Constraint::Cat(parts, _, _) => has_discrete(parts),
            Constraint::Stack(parts, _) => has_discrete(parts),
            _ => false,
        }
    }

    /// Whether each value satisfies the constraint, as a tensor of bool without the
    /// [dimensions of a value](Constraint::event_dim).
    ///
    /// # Errors
    /// `shape` if the values have fewer dimensions.
    pub fn check(&self, value: &Tensor) -> Result<Tensor> {
        match self {
            Constraint::Dependent => value.eq(value)?.logical_or(&value.ne(value)?),
            Constraint::Boolean => value.eq(0)?.logical_or(&value.eq(1)?),
            Constraint::OneHot => {
                let is_boolean = value.eq(0)?.logical_or(&value.eq(1)?)?.all(-1, false)?;
                is_boolean.logical_and(&value.sum(-1, false)?.eq(1)?)
            }
            Constraint::NonnegativeInteger => is_integer(value)?.logical_and(&value.ge(0)?),
            Constraint::PositiveInteger => is_integer(value)?.logical_and(&value.ge(1)?),
            Constraint::Real => value.eq(value),
            Constraint::RealVector => value.eq(value)?.all(-1, false),
            Constraint::Positive => value.gt(0),
            Constraint::Nonnegative => value.ge(0),
            Constraint::UnitInterval => value.ge(0)?.logical_and(&value.le(1)?),
            Constraint::Simplex => is_simplex(value),
            Constraint::Square => is_square(value),
            Constraint::Symmetric => is_symmetric(value),
            Constraint::PositiveSemidefinite => {
                let least = value.linalg_eigvalsh(MatrixTriangle::Lower)?.ge(0)?.all(-1, false)?;
                is_symmetric(value)?.logical_and(&least)
            }
            Constraint::PositiveDefinite => {
                let (_, info) = value.linalg_cholesky_ex()?;
                is_symmetric(value)?.logical_and(&info.eq(0)?)
            }
            Constraint::LowerTriangular => is_lower_triangular(value),
            Constraint::LowerCholesky => has_positive_diagonal(value)?.logical_and(&is_lower_triangular(value)?),
            Constraint::CorrCholesky => is_corr_cholesky(value),
            Constraint::IntegerInterval(lower, upper) => {
                let is_inside = value.ge(lower)?.logical_and(&value.le(upper)?)?;
                is_integer(value)?.logical_and(&is_inside)
            }
            Constraint::GreaterThan(lower) => value.gt(lower),
            Constraint::GreaterThanEq(lower) => value.ge(lower),
            Constraint::LessThan(upper) => value.lt(upper),
            Constraint::Interval(lower, upper) => value.ge(lower)?.logical_and(&value.le(upper)?),
            Constraint::HalfOpenInterval(lower, upper) => value.ge(lower)?.logical_and(&value.lt(upper)?),
            Constraint::Multinomial(total) => {
                let is_count = is_integer(value)?.logical_and(&value.ge(0)?)?.all(-1, false)?;
                is_count.logical_and(&value.sum(-1, false)?.le(total)?)
            }
            Constraint::Independent(base, count) => {
                let holds = base.check(value)?;
                if *count == 0 {
                    return Ok(holds);
                }
                holds.all(last_dims(*count), false)
            }
            Constraint::Cat(parts, dim, lengths) => {
                let mut checks = vec![];
                let mut start = 0;
                for i in 0..parts.len() {
                    let part = value.narrow(*dim, start as i64, lengths[i] as i64)?;
                    checks.push(parts[i].check(&part)?);
                    start += lengths[i];
                }
                Tensor::cat(&checks, *dim)
            }
            Constraint::Stack(parts, dim) => {
                let mut checks = vec![];
                for i in 0..parts.len() {
                    checks.push(parts[i].check(&value.select(*dim, i as i64)?)?);
                }
                Tensor::stack(&checks, *dim)
            }
            Constraint::Mixture(base) => {
                let event_dim = base.event_dim() as i64;
                base.check(&value.unsqueeze(-1 - event_dim)?)?.all(-1, false)
            }
        }
    }

    /// Whether a number satisfies the constraint. Constraints on vectors and matrices, and those
    /// with a tensor as a bound, accept every number.
    pub fn accepts(&self, number: f64) -> bool {
        match self {
            Constraint::Boolean => number == 0.0 || number == 1.0,
            Constraint::NonnegativeInteger => number >= 0.0 && number.floor() == number,
            Constraint::PositiveInteger => number >= 1.0 && number.floor() == number,
            Constraint::Real => !number.is_nan(),
            Constraint::Positive => number > 0.0,
            Constraint::Nonnegative => number >= 0.0,
            Constraint::UnitInterval => number.min(1.0) == number && number >= 0.0,
            Constraint::GreaterThan(lower) => number > limit(lower, f64::NEG_INFINITY),
            Constraint::GreaterThanEq(lower) => number >= limit(lower, f64::NEG_INFINITY),
            Constraint::LessThan(upper) => number < limit(upper, f64::INFINITY),
            Constraint::Interval(lower, upper) => {
                number >= limit(lower, f64::NEG_INFINITY) && number <= limit(upper, f64::INFINITY)
            }
            Constraint::Independent(base, _) => base.accepts(number),
            _ => !number.is_nan(),
        }
    }

    /// The constraint in words that follow "must be".
    pub fn describe(&self) -> String {
        match self {
            Constraint::Boolean => "0 or 1".to_string(),
            Constraint::OneHot => "vectors with one 1 and otherwise 0".to_string(),
            Constraint::NonnegativeInteger => "an integer from 0".to_string(),
            Constraint::PositiveInteger => "an integer from 1".to_string(),
            Constraint::Positive => "greater than 0".to_string(),
            Constraint::Nonnegative => "at least 0".to_string(),
            Constraint::UnitInterval => "from 0 to 1".to_string(),
            Constraint::Simplex => "vectors of numbers from 0 with the sum 1".to_string(),
            Constraint::Square => "square matrices".to_string(),
            Constraint::Symmetric => "symmetric matrices".to_string(),
            Constraint::PositiveSemidefinite => "positive semidefinite matrices".to_string(),
            Constraint::PositiveDefinite => "positive definite matrices".to_string(),
            Constraint::LowerTriangular => "lower triangular matrices".to_string(),
            Constraint::LowerCholesky => "lower triangular matrices with a positive diagonal".to_string(),
            Constraint::CorrCholesky => "Cholesky factors of matrices of correlations".to_string(),
            Constraint::GreaterThan(lower) => format!("greater than {}", bound_text(lower)),
            Constraint::GreaterThanEq(lower) => format!("at least {}", bound_text(lower)),
            Constraint::LessThan(upper) => format!("less than {}", bound_text(upper)),
            Constraint::Interval(lower, upper) => format!("from {} to {}", bound_text(lower), bound_text(upper)),
            Constraint::HalfOpenInterval(lower, upper) => {
                format!("from {} up to {}, which is excluded", bound_text(lower), bound_text(upper))
            }
            Constraint::IntegerInterval(lower, upper) => {
                format!("an integer from {} to {}", bound_text(lower), bound_text(upper))
            }
            Constraint::Multinomial(total) => {
                format!("vectors of integers from 0 with a sum of at most {}", bound_text(total))
            }
            Constraint::Independent(base, _) => base.describe(),
            Constraint::Mixture(base) => base.describe(),
            _ => "a number other than NaN".to_string(),
        }
    }
}

/// The constraint on all values along a number of the last dimensions.
pub(crate) fn independent(base: Constraint, count: usize) -> Constraint {
    if count == 0 {
        return base;
    }
    Constraint::Independent(Box::new(base), count)
}

fn limit(param: &Param, otherwise: f64) -> f64 {
    match number_of(param) {
        Some(number) => number,
        None => otherwise,
    }
}

fn bound_text(param: &Param) -> String {
    match number_of(param) {
        Some(number) => format!("{number}"),
        None => "the element of a tensor".to_string(),
    }
}

fn largest_event_dim(parts: &[Constraint]) -> usize {
    let mut largest = 0;
    for part in parts {
        largest = largest.max(part.event_dim());
    }
    largest
}

fn has_discrete(parts: &[Constraint]) -> bool {
    for part in parts {
        if part.is_discrete() {
            return true;
        }
    }
    false
}

fn is_integer(value: &Tensor) -> Result<Tensor> {
    value.floor()?.eq(value)
}

fn is_simplex(value: &Tensor) -> Result<Tensor> {
    let is_nonnegative = value.ge(0)?.all(-1, false)?;
    let error = (value.sum(-1, false)? - 1.0)?.abs()?;
    is_nonnegative.logical_and(&error.lt(1e-6)?)
}

fn is_square(value: &Tensor) -> Result<Tensor> {
    let rank = value.rank();
    let is_square = rank >= 2 && value.shape()[rank - 1] == value.shape()[rank - 2];
    let holds = value.eq(value)?.all([-2, -1], false)?;
    let same = holds.eq(&holds)?;
    if is_square { Ok(same) } else { same.logical_not() }
}

fn is_symmetric(value: &Tensor) -> Result<Tensor> {
    value.isclose(&value.mt()?, 1e-5, 1e-6, false)?.all([-2, -1], false)
}

fn is_lower_triangular(value: &Tensor) -> Result<Tensor> {
    value.tril(0)?.eq(value)?.all([-2, -1], false)
}

fn has_positive_diagonal(value: &Tensor) -> Result<Tensor> {
    value.diagonal(0, -2, -1)?.gt(0)?.all(-1, false)
}

fn is_corr_cholesky(value: &Tensor) -> Result<Tensor> {
    let rank = value.rank();
    let size = value.shape()[rank - 1] as f64;
    let tolerance = epsilon(value) * size * 10.0;
    let length = value.square()?.sum(-1, false)?.sqrt()?;
    let is_unit = (&length - 1.0)?.abs()?.le(tolerance)?.all(-1, false)?;
    let is_triangular = is_lower_triangular(value)?.logical_and(&has_positive_diagonal(value)?)?;
    is_triangular.logical_and(&is_unit)
}
