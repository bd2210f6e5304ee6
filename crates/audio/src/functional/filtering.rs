//! Filters with feedback.

use crate::{
    host::floats_like,
    shapes::{check_rank, length},
};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};

/// The number of samples that one product of matrices computes.
const BLOCK: usize = 64;

/// The matrix of shifted rows of coefficients `[filters, order + 1]`: row i and column j have the
/// coefficient `order + i - j`, `[filters, block, block + order]`.
fn shifted_rows(coefficients: &Tensor, block: usize) -> Result<Tensor> {
    let order = length(coefficients) - 1;
    let padded = coefficients.pad([block as i64 - 1, block as i64 - 1], PadMode::Constant, None)?;
    padded.flip([-1])?.unfold(-1, (block + order) as i64, 1)?.flip([-2])
}

/// The states `s[k] = step * s[k - 1] + inputs[k]` of `inputs: [batch, filters, count, order]`,
/// where `step: [filters, order, order]`: the sums of ever longer runs, in `log2(count)` products.
///
/// Source: Hillis and Steele, "Data Parallel Algorithms", 1986.
fn states(step: &Tensor, inputs: &Tensor) -> Result<Tensor> {
    let count = inputs.shape()[2];
    let mut power = step.transpose(-1, -2)?.unsqueeze(0)?;
    let mut sums = inputs.clone();
    let mut run = 1;
    while run < count {
        let earlier = sums.narrow(2, 0, (count - run) as i64)?.matmul(&power)?;
        sums = (&sums + &earlier.pad([0, 0, run as i64, 0], PadMode::Constant, None)?)?;
        power = power.matmul(&power)?;
        run *= 2;
    }
    Ok(sums)
}

/// The filter of the feedback coefficients alone, whose first is 1, of `x: [batch, filters, time]`:
/// `y[t] = x[t] - sum(a[m] * y[t - m])`.
///
/// The samples of a block are products with the inverse of a triangular matrix, and a block
/// passes its last `order` samples on to the next one, by a linear recurrence. Rejected: a loop
/// over samples, which launches kernels for each one.
fn recursive(x: &Tensor, a: &Tensor) -> Result<Tensor> {
    let order = length(a) - 1;
    if order == 0 {
        return Ok(x.clone());
    }
    let block = BLOCK.max(order);
    let time = length(x);
    let count = time.div_ceil(block).max(1);
    let shape = x.shape().to_vec();
    let padded = x.pad([0, (count * block - time) as i64], PadMode::Constant, None)?;
    let blocks = padded.reshape([shape[0] as i64, shape[1] as i64, count as i64, block as i64])?;
    let rows = shifted_rows(a, block)?;
    let (size, kept) = (block as i64, order as i64);
    let triangle = rows.narrow(-1, kept, size)?;
    let unit =
        Tensor::eye_with(size, None, Some(x.dtype()), Some(x.device()))?.expand([shape[1] as i64, size, size])?;
    let inverse = triangle.linalg_solve_triangular_with(&unit, false, true, true)?;
    // The last samples of the block before subtract this from the block.
    let carry = inverse.matmul(&rows.narrow(-1, 0, kept)?)?;
    let own = blocks.matmul(&inverse.transpose(-1, -2)?.unsqueeze(0)?)?;
    if count == 1 {
        return own.reshape([shape[0] as i64, shape[1] as i64, -1])?.narrow(2, 0, time as i64);
    }
    let step = (-carry.narrow(1, size - kept, kept)?)?;
    let ends = states(&step, &own.narrow(3, size - kept, kept)?)?;
    let before = ends.narrow(2, 0, count as i64 - 1)?.pad([0, 0, 1, 0], PadMode::Constant, None)?;
    let all = (own - &before.matmul(&carry.transpose(-1, -2)?.unsqueeze(0)?)?)?;
    all.reshape([shape[0] as i64, shape[1] as i64, -1])?.narrow(2, 0, time as i64)
}

/// The filter of the coefficients of the input alone, of `x: [batch, filters, time]`.
fn transversal(x: &Tensor, b: &Tensor) -> Result<Tensor> {
    let order = length(b) as i64 - 1;
    let kernel = b.flip([-1])?.unsqueeze(1)?;
    x.pad([order, 0], PadMode::Constant, None)?.conv1d(&kernel, None, 1, 0, 1, b.shape()[0] as i64)
}

/// Waveforms `(..., time)` through the filter of the difference equation
/// `sum(a[m] * y[t - m]) = sum(b[m] * x[t - m])`.
///
/// Coefficients are `(order + 1)`, or `(filters, order + 1)`: with `batching` the dimension before
/// time has a filter for each channel, else every filter is applied, in a new dimension before
/// time. With `clamp` the result is limited to -1 and 1. It is differentiable by the waveform and
/// by the coefficients.
///
/// Defaults: clamp = true, batching = true.
///
/// # Errors
/// `shape` if the coefficients have different shapes, more than two dimensions, or not as many
/// filters as the waveform has channels.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::lfilter};
/// let a = Tensor::from_slice(&[1.0f32, -0.5], [2], &device)?;
/// let b = Tensor::from_slice(&[1.0f32, 0.0], [2], &device)?;
/// let waveform = Tensor::from_slice(&[0.5f32, 0.0, 0.0], [3], &device)?;
/// let echo = lfilter(&waveform, &a, &b, true, true)?;
/// assert!((pollster::block_on(echo.sum((), false)?.item())? - 0.875).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn lfilter(waveform: &Tensor, a_coeffs: &Tensor, b_coeffs: &Tensor, clamp: bool, batching: bool) -> Result<Tensor> {
    let op = "lfilter";
    check_rank(op, "waveform", waveform, 1)?;
    let (a_shape, b_shape) = (a_coeffs.shape().to_vec(), b_coeffs.shape().to_vec());
    let is_same = a_shape.len() == b_shape.len() && a_shape.iter().zip(&b_shape).all(|(a, b)| a == b);
    if !is_same || a_shape.is_empty() || a_shape.len() > 2 {
        let message =
            format!("a_coeffs and b_coeffs must have one shape, of one or two dimensions: {a_shape:?}, {b_shape:?}");
        return Err(Error::shape(op, message));
    }
    let mut x = waveform.clone();
    let mut a = a_coeffs.clone();
    let mut b = b_coeffs.clone();
    if a_shape.len() == 1 {
        a = a.unsqueeze(0)?;
        b = b.unsqueeze(0)?;
    } else if !batching {
        let mut copies = vec![];
        for _ in 0..a_shape[0] {
            copies.push(waveform.clone());
        }
        x = Tensor::stack(&copies, -2)?;
    } else if waveform.rank() < 2 || waveform.shape()[waveform.rank() - 2] != a_shape[0] {
        let shape = waveform.shape().to_vec();
        let message = format!("waveform has shape {shape:?}, and takes a channel for each of {} filters", a_shape[0]);
        return Err(Error::shape(op, message));
    }
    let time = length(&x) as i64;
    let packed = x.reshape([-1, a.shape()[0] as i64, time])?;
    let first = a.narrow(1, 0, 1)?;
    let filtered = recursive(&transversal(&packed, &(b / &first)?)?, &(a / &first)?)?;
    let filtered = if clamp { filtered.clamp(Some((-1.0).into()), Some((1.0).into()))? } else { filtered };
    filtered.reshape_as(&x)
}

/// [`lfilter`] forward and then backward, so that phases do not change.
///
/// Defaults: clamp = true.
///
/// # Errors
/// The errors of [`lfilter`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::filtfilt};
/// let a = Tensor::from_slice(&[1.0f32, -0.5], [2], &device)?;
/// let b = Tensor::from_slice(&[0.5f32, 0.0], [2], &device)?;
/// let smooth = filtfilt(&Tensor::ones([2, 8])?, &a, &b, true)?;
/// assert_eq!(smooth.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn filtfilt(waveform: &Tensor, a_coeffs: &Tensor, b_coeffs: &Tensor, clamp: bool) -> Result<Tensor> {
    let forward = lfilter(waveform, a_coeffs, b_coeffs, false, true)?;
    lfilter(&forward.flip([-1])?, a_coeffs, b_coeffs, clamp, true)?.flip([-1])
}

/// A filter of order 2, [`lfilter`] with these coefficients, limited to -1 and 1.
///
/// # Errors
/// `shape` without a dimension of time.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::biquad};
/// let filtered = biquad(&Tensor::ones([2, 8])?, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0)?;
/// assert_eq!(pollster::block_on(filtered.sum((), false)?.item())?, 8.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn biquad(waveform: &Tensor, b0: f64, b1: f64, b2: f64, a0: f64, a1: f64, a2: f64) -> Result<Tensor> {
    let a = floats_like(&[a0, a1, a2], waveform)?;
    let b = floats_like(&[b0, b1, b2], waveform)?;
    lfilter(waveform, &a, &b, true, true)
}

/// The samples with each one's part of the one before subtracted: `x[t] - coeff * x[t - 1]`.
///
/// Defaults: coeff = 0.97.
///
/// # Errors
/// `shape` without a dimension of time.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::preemphasis};
/// let sharp = preemphasis(&Tensor::ones([5])?, 0.5)?;
/// assert_eq!(pollster::block_on(sharp.sum((), false)?.item())?, 3.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn preemphasis(waveform: &Tensor, coeff: f64) -> Result<Tensor> {
    check_rank("preemphasis", "waveform", waveform, 1)?;
    let before = waveform.narrow(-1, 0, (length(waveform) - 1) as i64)?.pad([1, 0], PadMode::Constant, None)?;
    waveform - &(before * coeff)?
}

/// The inverse of [`preemphasis`], limited to -1 and 1: `y[t] = x[t] + coeff * y[t - 1]`.
///
/// Defaults: coeff = 0.97.
///
/// # Errors
/// `shape` without a dimension of time.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::deemphasis};
/// let x = Tensor::from_slice(&[0.5f32, 0.0], [2], &device)?;
/// assert_eq!(pollster::block_on(deemphasis(&x, 0.5)?.sum((), false)?.item())?, 0.75);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn deemphasis(waveform: &Tensor, coeff: f64) -> Result<Tensor> {
    let a = floats_like(&[1.0, -coeff], waveform)?;
    let b = floats_like(&[1.0, 0.0], waveform)?;
    lfilter(waveform, &a, &b, true, true)
}
