//! Transforms that consist of other transforms, or of a distribution.

use super::{Transform, pointwise::AffineTransform};
use crate::{
    Constraint, Distribution,
    constraint::independent,
    host::{Param, ints, zeros},
    shapes::{concat, elements, same_shape, sum_rightmost},
};
use lanthorn_tensor::{Error, Result, Tensor};
use std::rc::Rc;

/// The identity: a [`ComposeTransform`] of no parts.
pub fn identity_transform() -> ComposeTransform {
    ComposeTransform { parts: vec![] }
}

/// Transforms one after another.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{AffineTransform, ComposeTransform, ExpTransform, Transform};
/// use std::rc::Rc;
/// let affine = AffineTransform::new(1.0, 2.0, 0)?;
/// let both = ComposeTransform::new(vec![Rc::new(ExpTransform), Rc::new(affine)]);
/// let y = both.forward(&Tensor::zeros([])?)?;
/// assert_eq!(pollster::block_on(y.item())?, 3.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct ComposeTransform {
    parts: Vec<Rc<dyn Transform>>,
}

impl ComposeTransform {
    /// The transforms of `parts`, of which the first comes first.
    pub fn new(parts: Vec<Rc<dyn Transform>>) -> ComposeTransform {
        ComposeTransform { parts }
    }
}

impl Transform for ComposeTransform {
    fn name(&self) -> &'static str {
        "ComposeTransform"
    }

    fn domain(&self) -> Constraint {
        if self.parts.is_empty() {
            return Constraint::Real;
        }
        let count = self.parts.len();
        let first = self.parts[0].domain();
        let mut event_dim = self.parts[count - 1].codomain().event_dim();
        for i in 0..count {
            let part = &self.parts[count - 1 - i];
            let own = part.domain().event_dim();
            event_dim = (event_dim + own - part.codomain().event_dim()).max(own);
        }
        let extra = event_dim - first.event_dim();
        independent(first, extra)
    }

    fn codomain(&self) -> Constraint {
        if self.parts.is_empty() {
            return Constraint::Real;
        }
        let count = self.parts.len();
        let last = self.parts[count - 1].codomain();
        let mut event_dim = self.parts[0].domain().event_dim();
        for part in &self.parts {
            let own = part.codomain().event_dim();
            event_dim = (event_dim + own - part.domain().event_dim()).max(own);
        }
        let extra = event_dim - last.event_dim();
        independent(last, extra)
    }

    fn is_bijective(&self) -> bool {
        for part in &self.parts {
            if !part.is_bijective() {
                return false;
            }
        }
        true
    }

    fn parts(&self) -> Vec<Rc<dyn Transform>> {
        self.parts.clone()
    }

    fn sign(&self) -> Result<Param> {
        let mut sign: Param = 1.0.into();
        for part in &self.parts {
            sign = sign.times(&part.sign()?)?;
        }
        Ok(sign)
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut value = x.clone();
        for part in &self.parts {
            value = part.forward(&value)?;
        }
        Ok(value)
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        let count = self.parts.len();
        let mut value = y.clone();
        for i in 0..count {
            value = self.parts[count - 1 - i].inverse(&value)?;
        }
        Ok(value)
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        let count = self.parts.len();
        if count == 0 {
            return x.zeros_like();
        }
        let mut event_dim = self.domain().event_dim();
        let mut total = zeros(&[], x)?;
        let mut start = x.clone();
        for i in 0..count {
            let part = &self.parts[i];
            let end = if i == count - 1 { y.clone() } else { part.forward(&start)? };
            let domain_dim = part.domain().event_dim();
            let term = part.log_abs_det_jacobian(&start, &end)?;
            total = (&total + sum_rightmost(&term, event_dim - domain_dim)?)?;
            event_dim = event_dim + part.codomain().event_dim() - domain_dim;
            start = end;
        }
        Ok(total)
    }

    fn forward_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        let mut result = shape.to_vec();
        for part in &self.parts {
            result = part.forward_shape(&result)?;
        }
        Ok(result)
    }

    fn inverse_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        let count = self.parts.len();
        let mut result = shape.to_vec();
        for i in 0..count {
            result = self.parts[count - 1 - i].inverse_shape(&result)?;
        }
        Ok(result)
    }
}

/// A transform whose last batch dimensions belong to one value: their Jacobians are summed.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{ExpTransform, IndependentTransform, Transform};
/// use std::rc::Rc;
/// let x = Tensor::ones([2, 3])?;
/// let transform = IndependentTransform::new(Rc::new(ExpTransform), 1);
/// assert_eq!(transform.log_abs_det_jacobian(&x, &x)?.shape()[..], [2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct IndependentTransform {
    base: Rc<dyn Transform>,
    reinterpreted_batch_ndims: usize,
}

impl IndependentTransform {
    /// The transform `base` with a number of further dimensions in one value.
    pub fn new(base: Rc<dyn Transform>, reinterpreted_batch_ndims: usize) -> IndependentTransform {
        IndependentTransform { base, reinterpreted_batch_ndims }
    }
}

impl Transform for IndependentTransform {
    fn name(&self) -> &'static str {
        "IndependentTransform"
    }

    fn domain(&self) -> Constraint {
        independent(self.base.domain(), self.reinterpreted_batch_ndims)
    }

    fn codomain(&self) -> Constraint {
        independent(self.base.codomain(), self.reinterpreted_batch_ndims)
    }

    fn is_bijective(&self) -> bool {
        self.base.is_bijective()
    }

    fn parameters(&self) -> Vec<Param> {
        let count = self.reinterpreted_batch_ndims as f64;
        vec![count.into()]
    }

    fn parts(&self) -> Vec<Rc<dyn Transform>> {
        vec![self.base.clone()]
    }

    fn sign(&self) -> Result<Param> {
        self.base.sign()
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.base.forward(x)
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        self.base.inverse(y)
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        sum_rightmost(&self.base.log_abs_det_jacobian(x, y)?, self.reinterpreted_batch_ndims)
    }

    fn forward_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        self.base.forward_shape(shape)
    }

    fn inverse_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        self.base.inverse_shape(shape)
    }
}

/// The last dimensions in another shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{ReshapeTransform, Transform};
/// let y = ReshapeTransform::new(&[6], &[2, 3])?.forward(&Tensor::ones([4, 6])?)?;
/// assert_eq!(y.shape()[..], [4, 2, 3]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct ReshapeTransform {
    in_shape: Vec<usize>,
    out_shape: Vec<usize>,
}

impl ReshapeTransform {
    /// Values of `in_shape` as values of `out_shape`.
    ///
    /// # Errors
    /// `shape` if the numbers of elements differ.
    pub fn new(in_shape: &[usize], out_shape: &[usize]) -> Result<ReshapeTransform> {
        if elements(in_shape) != elements(out_shape) {
            let message = format!("in_shape {in_shape:?} and out_shape {out_shape:?} have other numbers of elements");
            return Err(Error::shape("ReshapeTransform", message));
        }
        Ok(ReshapeTransform { in_shape: in_shape.to_vec(), out_shape: out_shape.to_vec() })
    }
}

/// A shape whose end `from` is replaced by `to`.
fn with_end(shape: &[usize], from: &[usize], to: &[usize]) -> Result<Vec<usize>> {
    let kept = shape.len().max(from.len()) - from.len();
    if shape.len() < from.len() || !same_shape(&shape[kept..], from) {
        return Err(Error::shape("ReshapeTransform", format!("takes shapes that end in {from:?}, not {shape:?}")));
    }
    Ok(concat(&shape[..kept], to))
}

impl Transform for ReshapeTransform {
    fn name(&self) -> &'static str {
        "ReshapeTransform"
    }

    fn domain(&self) -> Constraint {
        independent(Constraint::Real, self.in_shape.len())
    }

    fn codomain(&self) -> Constraint {
        independent(Constraint::Real, self.out_shape.len())
    }

    fn parameters(&self) -> Vec<Param> {
        let mut sizes = vec![];
        for size in &concat(&self.in_shape, &self.out_shape) {
            let size = *size as f64;
            sizes.push(size.into());
        }
        sizes
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.reshape(ints(&with_end(x.shape(), &self.in_shape, &self.out_shape)?))
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        y.reshape(ints(&with_end(y.shape(), &self.out_shape, &self.in_shape)?))
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, _y: &Tensor) -> Result<Tensor> {
        zeros(&with_end(x.shape(), &self.in_shape, &[])?, x)
    }

    fn forward_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        with_end(shape, &self.in_shape, &self.out_shape)
    }

    fn inverse_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        with_end(shape, &self.out_shape, &self.in_shape)
    }
}

/// Transforms of the parts of a dimension, which have given lengths.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{CatTransform, ExpTransform, Transform, identity_transform};
/// use std::rc::Rc;
/// let parts: Vec<Rc<dyn Transform>> = vec![Rc::new(ExpTransform), Rc::new(identity_transform())];
/// let both = CatTransform::new(parts, -1, &[1, 2])?;
/// let y = both.forward(&Tensor::zeros([3])?)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [1.0, 0.0, 0.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct CatTransform {
    parts: Vec<Rc<dyn Transform>>,
    dim: i64,
    lengths: Vec<usize>,
}

impl CatTransform {
    /// The transforms of parts of the dimension `dim`.
    ///
    /// Defaults: dim = 0.
    ///
    /// # Errors
    /// `argument` if there are not as many lengths as transforms.
    pub fn new(parts: Vec<Rc<dyn Transform>>, dim: i64, lengths: &[usize]) -> Result<CatTransform> {
        if parts.len() != lengths.len() {
            let message = format!("{} transforms and {} lengths", parts.len(), lengths.len());
            return Err(Error::argument("CatTransform", message));
        }
        Ok(CatTransform { parts, dim, lengths: lengths.to_vec() })
    }

    /// The parts of a value.
    fn split(&self, value: &Tensor) -> Result<Vec<Tensor>> {
        let mut parts = vec![];
        let mut start = 0;
        for i in 0..self.lengths.len() {
            parts.push(value.narrow(self.dim, start, self.lengths[i] as i64)?);
            start += self.lengths[i] as i64;
        }
        Ok(parts)
    }
}

impl Transform for CatTransform {
    fn name(&self) -> &'static str {
        "CatTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::Cat(domains(&self.parts), self.dim, self.lengths.clone())
    }

    fn codomain(&self) -> Constraint {
        Constraint::Cat(codomains(&self.parts), self.dim, self.lengths.clone())
    }

    fn is_bijective(&self) -> bool {
        all_bijective(&self.parts)
    }

    fn parameters(&self) -> Vec<Param> {
        let mut sizes = vec![];
        for size in &self.lengths {
            let size = *size as f64;
            sizes.push(size.into());
        }
        sizes
    }

    fn parts(&self) -> Vec<Rc<dyn Transform>> {
        self.parts.clone()
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let values = self.split(x)?;
        let mut results = vec![];
        for i in 0..values.len() {
            results.push(self.parts[i].forward(&values[i])?);
        }
        Tensor::cat(&results, self.dim)
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        let values = self.split(y)?;
        let mut results = vec![];
        for i in 0..values.len() {
            results.push(self.parts[i].inverse(&values[i])?);
        }
        Tensor::cat(&results, self.dim)
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        let starts = self.split(x)?;
        let ends = self.split(y)?;
        let event_dim = self.domain().event_dim();
        let mut results = vec![];
        for i in 0..starts.len() {
            let term = self.parts[i].log_abs_det_jacobian(&starts[i], &ends[i])?;
            results.push(sum_rightmost(&term, event_dim - self.parts[i].domain().event_dim())?);
        }
        // A dimension of a value is summed, and one of the batch is joined again.
        let rank = x.rank() as i64;
        let from_end = if self.dim < 0 { self.dim } else { self.dim - rank };
        if from_end + event_dim as i64 >= 0 {
            let mut total = results[0].clone();
            for result in &results[1..] {
                total = (&total + result)?;
            }
            return Ok(total);
        }
        Tensor::cat(&results, from_end + event_dim as i64)
    }
}

/// Transforms of the indices of a dimension.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{ExpTransform, StackTransform, Transform, identity_transform};
/// use std::rc::Rc;
/// let both = StackTransform::new(vec![Rc::new(ExpTransform), Rc::new(identity_transform())], 0)?;
/// let y = both.forward(&Tensor::zeros([2])?)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [1.0, 0.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct StackTransform {
    parts: Vec<Rc<dyn Transform>>,
    dim: i64,
}

impl StackTransform {
    /// The transforms of the indices of the dimension `dim`.
    ///
    /// Defaults: dim = 0.
    ///
    /// # Errors
    /// `argument` without a transform.
    pub fn new(parts: Vec<Rc<dyn Transform>>, dim: i64) -> Result<StackTransform> {
        if parts.is_empty() {
            return Err(Error::argument("StackTransform", "takes at least one transform"));
        }
        Ok(StackTransform { parts, dim })
    }
}

impl Transform for StackTransform {
    fn name(&self) -> &'static str {
        "StackTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::Stack(domains(&self.parts), self.dim)
    }

    fn codomain(&self) -> Constraint {
        Constraint::Stack(codomains(&self.parts), self.dim)
    }

    fn is_bijective(&self) -> bool {
        all_bijective(&self.parts)
    }

    fn parts(&self) -> Vec<Rc<dyn Transform>> {
        self.parts.clone()
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut results = vec![];
        for i in 0..self.parts.len() {
            results.push(self.parts[i].forward(&x.select(self.dim, i as i64)?)?);
        }
        Tensor::stack(&results, self.dim)
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        let mut results = vec![];
        for i in 0..self.parts.len() {
            results.push(self.parts[i].inverse(&y.select(self.dim, i as i64)?)?);
        }
        Tensor::stack(&results, self.dim)
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        let mut results = vec![];
        for i in 0..self.parts.len() {
            let start = x.select(self.dim, i as i64)?;
            let end = y.select(self.dim, i as i64)?;
            results.push(self.parts[i].log_abs_det_jacobian(&start, &end)?);
        }
        Tensor::stack(&results, self.dim)
    }
}

fn domains(parts: &[Rc<dyn Transform>]) -> Vec<Constraint> {
    let mut constraints = vec![];
    for part in parts {
        constraints.push(part.domain());
    }
    constraints
}

fn codomains(parts: &[Rc<dyn Transform>]) -> Vec<Constraint> {
    let mut constraints = vec![];
    for part in parts {
        constraints.push(part.codomain());
    }
    constraints
}

fn all_bijective(parts: &[Rc<dyn Transform>]) -> bool {
    for part in parts {
        if !part.is_bijective() {
            return false;
        }
    }
    true
}

/// The cumulative distribution function of a distribution of numbers.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{CumulativeDistributionTransform, Transform, Uniform};
/// use std::rc::Rc;
/// let transform = CumulativeDistributionTransform::new(Rc::new(Uniform::new(0.0, 4.0)?));
/// assert_eq!(pollster::block_on(transform.forward(&Tensor::ones([])?)?.item())?, 0.25);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct CumulativeDistributionTransform {
    distribution: Rc<dyn Distribution>,
}

impl CumulativeDistributionTransform {
    /// The function of a distribution with [`cdf`](Distribution::cdf) and
    /// [`icdf`](Distribution::icdf).
    pub fn new(distribution: Rc<dyn Distribution>) -> CumulativeDistributionTransform {
        CumulativeDistributionTransform { distribution }
    }
}

impl Transform for CumulativeDistributionTransform {
    fn name(&self) -> &'static str {
        "CumulativeDistributionTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::Real
    }

    fn codomain(&self) -> Constraint {
        Constraint::UnitInterval
    }

    fn sign(&self) -> Result<Param> {
        Ok(1.0.into())
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.distribution.cdf(x)
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        self.distribution.icdf(y)
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, _y: &Tensor) -> Result<Tensor> {
        self.distribution.log_prob(x)
    }
}

/// The function `loc + scale x` after another transform.
pub(crate) fn affine_after(
    first: Rc<dyn Transform>,
    loc: impl Into<Param>,
    scale: impl Into<Param>,
) -> Result<Rc<dyn Transform>> {
    Ok(Rc::new(ComposeTransform::new(vec![first, Rc::new(AffineTransform::new(loc, scale, 0)?)])))
}
