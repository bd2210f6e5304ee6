//! `log(cosh(x))`, a smooth absolute value, as a function with its own derivative.

use lanthorn::{
    Result, Tensor,
    autograd::{Context, Function, Gradients, apply},
};

/// The function. Its derivative is `tanh(x)`, which the derivative of the formula below would not
/// be at 0.
struct LogCosh;

impl Function for LogCosh {
    fn forward(&self, ctx: &Context, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let x = &inputs[0];
        ctx.save_for_backward(&[x]);
        // cosh(x) overflows where its logarithm does not: |x| + log(1 + exp(-2 |x|)) - log 2.
        let magnitude = x.abs()?;
        Ok(vec![magnitude.add(&magnitude.mul(-2.0)?.exp()?.log1p()?)?.sub(std::f64::consts::LN_2)?])
    }

    fn backward(&self, ctx: &Context, grads: &Gradients) -> Result<Vec<Option<Tensor>>> {
        Ok(vec![Some(grads.at(0)?.mul(&ctx.saved(0)?.tanh()?)?)])
    }
}

/// `log(cosh(x))` of each element.
pub fn log_cosh(x: &Tensor) -> Result<Tensor> {
    Ok(apply(LogCosh, std::slice::from_ref(x))?.remove(0))
}
