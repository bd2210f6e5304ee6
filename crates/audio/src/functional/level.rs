//! Decibels.

use lanthorn_tensor::{Result, Tensor};
use std::f64::consts::LN_10;

/// The amplitudes or powers of levels in decibels: `reference * 10^(0.1 * power * x)`.
///
/// `power` is 1 for powers and 0.5 for amplitudes. The result has the shape of `x`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::db_to_amplitude};
/// let levels = Tensor::full([], 0.0, &device)?;
/// assert_eq!(pollster::block_on(db_to_amplitude(&levels, 1.0, 1.0)?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn db_to_amplitude(x: &Tensor, reference: f64, power: f64) -> Result<Tensor> {
    (x * (0.1 * power * LN_10))?.exp()? * reference
}
