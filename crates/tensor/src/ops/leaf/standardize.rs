//! The core of the normalizations: a mean of 0 and a variance of 1 over some dimensions.
//!
//! The derivative is not composed of the derivatives of the formula's parts. The gradient `g` and
//! the result `y` are centered before `g` is projected on `y`, so that large terms cancel exactly:
//! of two elements only `eps / (variance + eps)` of the gradient is left, and the parts' sums and
//! products would round to more than that. The mean of the rounded `y` is not exactly 0.

use crate::{
    Result, Tensor,
    autograd::{JointDerivative, attach_joint},
    no_grad,
};
use std::rc::Rc;

/// Elements standardized over dimensions, with the statistics that did it.
pub(crate) struct Standardized {
    /// `(x - mean) * rstd`.
    pub output: Tensor,
    /// The mean, with its dimensions kept.
    pub mean: Tensor,
    /// The variance that divides by `n`, with its dimensions kept. No gradient goes through it.
    pub variance: Tensor,
    /// `1 / sqrt(variance + eps)`, with its dimensions kept.
    pub rstd: Tensor,
}

/// `(x - mean) / sqrt(variance + eps)` over `dims`.
///
/// The variance is computed in two passes, the mean first, because the difference of two large sums
/// would lose precision. The planner fuses both into one kernel.
pub(crate) fn standardize(x: &Tensor, dims: &[i64], eps: f64) -> Result<Standardized> {
    let made = no_grad(|| {
        let mean = x.mean(dims, true)?;
        let centered = x.sub(&mean)?;
        let variance = centered.square()?.mean(dims, true)?;
        let rstd = variance.add(eps)?.rsqrt()?;
        Ok(Standardized { output: centered.mul(&rstd)?, mean, variance, rstd })
    })?;
    let dims = dims.to_vec();
    let derivative: JointDerivative = Rc::new(move |grads, saved| {
        let [x, mean, rstd] = saved else { unreachable!("three tensors are saved") };
        let average = |x: &Tensor| x.mean(dims.as_slice(), true);
        let count = x.numel() as f64 / mean.numel() as f64;
        let y = x.sub(mean)?.mul(rstd)?;
        let mut sum: Option<Tensor> = None;
        if let Some(grad) = &grads[0] {
            let (grad, y) = (grad.sub(average(grad)?)?, y.sub(average(&y)?)?);
            sum = Some(grad.sub(y.mul(average(&grad.mul(&y)?)?)?)?.mul(rstd)?);
        }
        // The mean depends on every element by 1 / n, `rstd` by -rstd^2 y / n.
        let of_mean = grads[1].clone();
        let of_rstd = grads[2].as_ref().map(|grad| grad.mul(rstd.square()?.neg()?)?.mul(&y)).transpose()?;
        for grad in of_mean.into_iter().chain(of_rstd) {
            let part = grad.div(count)?;
            sum = Some(sum.map_or_else(|| part.expand(x.shape()), |sum| sum.add(&part))?);
        }
        Ok(vec![sum])
    });
    // The input is saved and not the result, which an activation may overwrite.
    let outputs = [made.output.clone(), made.mean.clone(), made.rstd.clone()];
    let saved = [x.clone(), made.mean.clone(), made.rstd.clone()];
    attach_joint("standardize", &outputs, &|_| false, vec![x.grad_edge()], &saved, derivative);
    Ok(made)
}
