//! Companding.

use crate::host::is_floating;
use lanthorn_tensor::{Error, Result, Tensor};

fn check_channels(op: &str, quantization_channels: usize) -> Result<f64> {
    if quantization_channels < 2 {
        let message = format!("quantization_channels must be at least 2, and is {quantization_channels}");
        return Err(Error::argument(op, message));
    }
    Ok(quantization_channels as f64 - 1.0)
}

/// The codes from 0 to `quantization_channels - 1` of samples from -1 to 1, by the mu law, in int32
/// (torchaudio: int64).
///
/// Source: ITU-T G.711.
///
/// # Errors
/// `argument` if there are fewer than two channels.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::mu_law_encoding};
/// let codes = mu_law_encoding(&Tensor::full([1], 1.0)?, 256)?;
/// assert_eq!(pollster::block_on(codes.sum((), false)?.item())?, 255.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mu_law_encoding(x: &Tensor, quantization_channels: usize) -> Result<Tensor> {
    let mu = check_channels("mu_law_encoding", quantization_channels)?;
    let x = if is_floating(x) { x.clone() } else { x.float()? };
    let companded = ((x.sign()? * &(x.abs()? * mu)?.log1p()?)? / mu.ln_1p())?;
    (((companded + 1.0)? * (mu / 2.0))? + 0.5)?.int()
}

/// The samples from -1 to 1 of codes from 0 to `quantization_channels - 1`, by the mu law.
///
/// Source: ITU-T G.711.
///
/// # Errors
/// `argument` if there are fewer than two channels.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::mu_law_decoding};
/// let samples = mu_law_decoding(&Tensor::full([1], 255.0)?, 256)?;
/// assert!((pollster::block_on(samples.sum((), false)?.item())? - 1.0).abs() < 1e-5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mu_law_decoding(x_mu: &Tensor, quantization_channels: usize) -> Result<Tensor> {
    let mu = check_channels("mu_law_decoding", quantization_channels)?;
    let codes = if is_floating(x_mu) { x_mu.clone() } else { x_mu.float()? };
    let x = ((codes * (2.0 / mu))? - 1.0)?;
    (x.sign()? * &(x.abs()? * mu.ln_1p())?.expm1()?)? / mu
}
