//! Decibels.

use lanthorn_tensor::{Result, Tensor};
use std::f64::consts::LN_10;

/// A spectrogram in decibels: `multiplier * (log10(max(x, amin)) - db_multiplier)`.
///
/// `multiplier` is 10 for powers and 20 for amplitudes, and `db_multiplier` the logarithm of the
/// reference. With `top_db`, values of more than that below the largest one are raised to it; the
/// largest is taken of each `(channel, freq, time)` of a batch.
///
/// Defaults: top_db = undefined.
///
/// # Errors
/// The errors of the operations on tensors.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::amplitude_to_db};
/// let power = Tensor::full([1, 2], 100.0)?;
/// let level = amplitude_to_db(&power, 10.0, 1e-10, 0.0, Some(80.0))?;
/// assert!((pollster::block_on(level.mean((), false)?.item())? - 20.0).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn amplitude_to_db(
    x: &Tensor,
    multiplier: f64,
    amin: f64,
    db_multiplier: f64,
    top_db: Option<f64>,
) -> Result<Tensor> {
    let level = ((x.clamp_min(amin)?.log10()? * multiplier)? - multiplier * db_multiplier)?;
    let Some(top_db) = top_db else { return Ok(level) };
    let dims: Vec<i64> = if x.rank() > 2 { vec![-3, -2, -1] } else { vec![-2, -1] };
    let floor = (level.amax(dims, true)? - top_db)?;
    level.maximum(&floor)
}

/// The amplitudes or powers of levels in decibels: `reference * 10^(0.1 * power * x)`.
///
/// `power` is 1 for powers and 0.5 for amplitudes. The result has the shape of `x`.
///
/// # Errors
/// The errors of the operations on tensors.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::db_to_amplitude};
/// let levels = Tensor::full([], 0.0)?;
/// assert_eq!(pollster::block_on(db_to_amplitude(&levels, 1.0, 1.0)?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn db_to_amplitude(x: &Tensor, reference: f64, power: f64) -> Result<Tensor> {
    (x * (0.1 * power * LN_10))?.exp()? * reference
}
