//! Adafactor.

use crate::{group::Update, options::optimizer, table::non_negative};
use lanthorn_tensor::{DType, Error, Result, Tensor};

optimizer! {
    /// Adafactor (Shazeer and Stern, 2018), as `torch.optim.Adafactor`: the second moment of a
    /// matrix is stored as row and column means.
    "Adafactor" as Adafactor, row ADAFACTOR, check |options, _| check(options), update update;
    AdafactorOptions as AdafactorValues {
        /// The maximum relative step size, and the factor of the weight decay.
        lr: f64 = 1e-2,
        /// The exponent of the step in the decay rate of the mean squares.
        beta2_decay: f64 = -0.8,
        /// The minimum mean square (default: the precision of the type), and the minimum root mean
        /// square of the parameters.
        eps: (Option<f64>, f64) = (None, 1e-3),
        /// The root mean square beyond which an update is scaled down.
        d: f64 = 1.0,
        /// Decoupled weight decay: a step subtracts `lr * weight_decay * parameter`.
        weight_decay: f64 = 0.0,
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
    }
}

fn check(options: &AdafactorOptions) -> Result<()> {
    let &AdafactorOptions { lr, beta2_decay, eps, d, weight_decay, .. } = options;
    let numbers = [("lr", lr), ("weight_decay", weight_decay), ("eps[0]", eps.0.unwrap_or(0.0)), ("eps[1]", eps.1)];
    non_negative("Adafactor", &numbers)?;
    if beta2_decay.is_nan() || beta2_decay > 0.0 {
        return Err(Error::argument("Adafactor", format!("beta2_decay must not be above 0: {beta2_decay}")));
    }
    if d.is_nan() || d < 1.0 {
        return Err(Error::argument("Adafactor", format!("d must not be below 1: {d}")));
    }
    Ok(())
}

/// The machine epsilon of a type.
fn precision(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::EPSILON,
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        _ => f64::from(f32::EPSILON),
    }
}

/// The root mean square of all elements: [].
fn size(x: &Tensor) -> Result<Tensor> {
    x.square()?.mean((), false)?.sqrt()
}

fn update(options: &AdafactorValues, update: Update<'_>) -> Result<()> {
    let &AdafactorValues { lr, beta2_decay, eps, d, weight_decay, maximize } = options;
    let parameter = update.parameter;
    let least = eps.0.unwrap_or_else(|| precision(parameter.dtype()).into());
    let grad = update.signed_grad(maximize)?;
    let step = update.state.count();
    let weight = step.powf(beta2_decay);
    let rate = size(parameter)?.clamp_min(eps.1)?.mul(lr.min(1.0 / step.sqrt()))?;
    let shrunk = if weight_decay != 0.0 { &parameter.mul(1.0 - lr * weight_decay)? } else { parameter };
    let square = grad.square()?;
    let variance = if grad.rank() > 1 {
        let mut along = |name: &str, dim: i64| -> Result<Tensor> {
            let mean = square.mean(dim, true)?;
            let mean = update.state.tensor(name, || mean.zeros_like())?.lerp(&mean, weight)?;
            update.state.set_tensor(name, &mean)?;
            Ok(mean)
        };
        let (rows, columns) = (along("row_var", -1)?, along("col_var", -2)?);
        rows.mul(columns)?.div(rows.mean(-2, true)?.clamp_min(least)?)?
    } else {
        let variance = update.zeros("variance")?.lerp(&square, weight)?;
        update.state.set_tensor("variance", &variance)?;
        variance
    };
    let direction = variance.clamp_min(least * least)?.rsqrt()?.mul(&grad)?;
    let excess = size(&direction)?.div(d)?.clamp_min(1.0)?;
    parameter.copy_(&shrunk.sub(direction.mul(rate.div(excess)?)?)?)
}
