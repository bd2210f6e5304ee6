//! The von Mises distribution.

use crate::{
    Constraint, Distribution,
    constants::HALF_LN_TAU,
    host::{Arg, Param, broadcast_args, ints, standard_uniform, zeros},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::{f64::consts::PI, rc::Rc};

/// The von Mises distribution of angles, of density `exp(concentration cos(x - loc)) / (2 pi
/// I0(concentration))`.
///
/// Samples are from -pi to pi. Source: Best and Fisher, "Efficient Simulation of the von Mises
/// Distribution" (1979).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, VonMises};
/// let angles = VonMises::new(0.5, 4.0)?;
/// assert_eq!(pollster::block_on(angles.mean()?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct VonMises {
    loc: Tensor,
    concentration: Tensor,
    shapes: Shapes,
}

impl VonMises {
    /// The distribution of `loc`, `concentration`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(loc: impl Into<Param>, concentration: impl Into<Param>) -> Result<VonMises> {
        let loc = Arg::new("loc", loc, Constraint::Real);
        let concentration = Arg::new("concentration", concentration, Constraint::Positive);
        let values = broadcast_args("VonMises", &[loc, concentration])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(VonMises { loc: values[0].clone(), concentration: values[1].clone(), shapes })
    }

    /// The angle of the largest density, in radians.
    pub fn loc(&self) -> &Tensor {
        &self.loc
    }

    /// The concentration.
    pub fn concentration(&self) -> &Tensor {
        &self.concentration
    }
}

impl Distribution for VonMises {
    fn name(&self) -> &'static str {
        "VonMises"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let loc = Arg::new("loc", &self.loc, Constraint::Real);
        let concentration = Arg::new("concentration", &self.concentration, Constraint::Positive);
        Ok(vec![loc, concentration])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Real)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(VonMises {
            loc: self.loc.expand(ints(batch_shape))?,
            concentration: self.concentration.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        let like = self.loc.detach().expand(ints(&shape))?;
        let concentration = self.concentration.detach().expand(ints(&shape))?;
        let proposal = proposal_of(&concentration)?;
        let mut cosine = zeros(&shape, &like)?;
        let mut is_open = cosine.eq(0.0)?;
        for _ in 0..ROUNDS {
            let turn = (standard_uniform(&shape, &like)? * PI)?.cos()?;
            let candidate = (((&proposal * &turn)? + 1.0)? / &(&proposal + &turn)?)?;
            let c = (&concentration * &(&proposal - &candidate)?)?;
            let u = standard_uniform(&shape, &like)?;
            let is_below = (&c * &(2.0 - &c)?)?.gt(&u)?;
            let is_accepted = is_below.logical_or(&((&c / &u)?.log()? + 1.0)?.ge(&c)?)?;
            let is_taken = is_open.logical_and(&is_accepted)?;
            cosine = Tensor::r#where(&is_taken, &candidate, &cosine)?;
            is_open = is_open.logical_and(&is_accepted.logical_not()?)?;
        }
        let angle = cosine.clamp_min(-1.0)?.clamp_max(1.0)?.acos()?;
        let sign = (standard_uniform(&shape, &like)? - 0.5)?.sign()?;
        let turned = ((&angle * &sign)? + &like)?;
        ((&turned + PI)?.remainder(2.0 * PI)? - PI)?.to(like.dtype())
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let cosine = (value - &self.loc)?.cos()?;
        let log_bessel = (self.concentration.special_i0e()?.log()? + &self.concentration)?;
        ((&self.concentration * &cosine)? - &log_bessel)? - 2.0 * HALF_LN_TAU
    }

    fn mean(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn mode(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn variance(&self) -> Result<Tensor> {
        1.0 - &(self.concentration.special_i1e()? / &self.concentration.special_i0e()?)?
    }
}

/// The rounds of rejection. A round accepts at least 65 % of the candidates, so that all of them
/// reject one sample in 10^14.
const ROUNDS: usize = 32;

/// Best and Fisher's parameter of the proposals, a wrapped Cauchy distribution; its expansion below
/// a concentration of 1e-3, where the formula cancels.
fn proposal_of(concentration: &Tensor) -> Result<Tensor> {
    let tau = (((concentration.square()? * 4.0)? + 1.0)?.sqrt()? + 1.0)?;
    let rho = ((&tau - &(&tau * 2.0)?.sqrt()?)? / &(concentration * 2.0)?)?;
    let exact = ((rho.square()? + 1.0)? / &(&rho * 2.0)?)?;
    let expansion = (concentration.reciprocal()? + concentration)?;
    Tensor::r#where(&concentration.lt(1e-3)?, &expansion, &exact)
}
