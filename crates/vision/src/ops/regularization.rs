//! Random parts of a network's values that are left out in training.

use crate::host::ints;
use lanthorn_tensor::{Error, PadMode, Result, Tensor};

/// Whether a whole batch is left out at once, or each of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StochasticDepthMode {
    /// The whole batch.
    Batch,
    /// Each row.
    Row,
}

/// Refuses a number that is no probability.
fn check_probability(op: &str, p: f64) -> Result<()> {
    if (0.0..=1.0).contains(&p) {
        return Ok(());
    }
    Err(Error::argument(op, format!("p must be a probability from 0 to 1, and is {p}")))
}

/// Zeros instead of the input with probability `p`, as `torchvision.ops.stochastic_depth`. The rest
/// is divided by `1 - p`.
///
/// `input` has the shape `[n, ..]`; with `mode` row the choice is made for each of `n` rows.
/// Without `training` the result is the input.
///
/// Source: Huang et al., "Deep Networks with Stochastic Depth" (2016).
///
/// # Errors
/// `argument` if `p` is not from 0 to 1.
///
/// Defaults: training = true.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::{StochasticDepthMode, stochastic_depth}};
/// let x = Tensor::ones([2, 3])?;
/// let none = stochastic_depth(&x, 1.0, StochasticDepthMode::Row, true)?;
/// assert_eq!(pollster::block_on(none.sum((), false)?.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn stochastic_depth(input: &Tensor, p: f64, mode: StochasticDepthMode, training: bool) -> Result<Tensor> {
    check_probability("stochastic_depth", p)?;
    if !training || p == 0.0 {
        return Ok(input.clone());
    }
    let rate = 1.0 - p;
    let mut size = vec![1; input.rank()];
    if mode == StochasticDepthMode::Row {
        size[0] = input.shape()[0];
    }
    let rates = Tensor::full_with(ints(&size), rate, Some(input.dtype()), Some(input.device()))?;
    let kept = rates.bernoulli()?;
    let noise = if rate > 0.0 { (kept * (1.0 / rate))? } else { kept };
    input * noise
}

/// The input with square blocks of zeros, as `torchvision.ops.drop_block2d`.
///
/// `input` has the shape `[n, c, h, w]`, and `p` is about the probability of an element to be in a
/// block of the odd side `block_size`. The rest is scaled so that the mean stays. Without
/// `training` the result is the input. `eps` prevents a division by zero.
///
/// Source: Ghiasi et al., "DropBlock" (2018).
///
/// # Errors
/// `shape` if the input does not have four dimensions; `argument` if `p` is not from 0 to 1, or if
/// `block_size` is even.
///
/// Defaults: eps = 1e-6, training = true.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::drop_block2d};
/// let x = Tensor::ones([1, 1, 4, 4])?;
/// let y = drop_block2d(&x, 0.5, 3, 1e-6, false)?;
/// assert_eq!(pollster::block_on(y.sum((), false)?.item())?, 16.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn drop_block2d(input: &Tensor, p: f64, block_size: usize, eps: f64, training: bool) -> Result<Tensor> {
    drop_blocks("drop_block2d", input, p, block_size, eps, training, 4)
}

/// The input with cubic blocks of zeros, as `torchvision.ops.drop_block3d`: [`drop_block2d`] of the
/// shape `[n, c, d, h, w]`.
///
/// # Errors
/// `shape` if the input does not have five dimensions; `argument` if `p` is not from 0 to 1, or if
/// `block_size` is even.
///
/// Defaults: eps = 1e-6, training = true.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::drop_block3d};
/// let x = Tensor::ones([1, 1, 2, 4, 4])?;
/// let y = drop_block3d(&x, 0.0, 1, 1e-6, true)?;
/// assert_eq!(pollster::block_on(y.sum((), false)?.item())?, 32.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn drop_block3d(input: &Tensor, p: f64, block_size: usize, eps: f64, training: bool) -> Result<Tensor> {
    drop_blocks("drop_block3d", input, p, block_size, eps, training, 5)
}

#[allow(clippy::too_many_arguments)]
fn drop_blocks(
    op: &str,
    input: &Tensor,
    p: f64,
    block_size: usize,
    eps: f64,
    training: bool,
    rank: usize,
) -> Result<Tensor> {
    check_probability(op, p)?;
    if input.rank() != rank {
        return Err(Error::shape(op, format!("input must have {rank} dimensions, and has {}", input.rank())));
    }
    if !training || p == 0.0 {
        return Ok(input.clone());
    }
    let shape = input.shape().to_vec();
    let mut block = block_size;
    for size in &shape[2..] {
        block = block.min(*size);
    }
    if block % 2 == 0 {
        return Err(Error::argument(op, format!("block_size must be odd, and is {block}")));
    }
    let mut rate = p;
    let mut positions = shape[..2].to_vec();
    let mut padding = vec![];
    for size in &shape[2..] {
        let room = size - block + 1;
        rate *= *size as f64 / (block as f64 * room as f64);
        positions.push(room);
        padding.push(block as i64 / 2);
        padding.push(block as i64 / 2);
    }
    let rates = Tensor::full_with(ints(&positions), rate.min(1.0), Some(input.dtype()), Some(input.device()))?;
    let seeds = rates.bernoulli()?.pad(padding, PadMode::Constant, None)?;
    let (size, half) = (block as i64, block as i64 / 2);
    let dropped = if rank == 4 {
        seeds.max_pool2d([size, size], [1, 1], [half, half], [1, 1], false)?
    } else {
        seeds.max_pool3d([size, size, size], [1, 1, 1], [half, half, half], [1, 1, 1], false)?
    };
    let kept = (1.0 - &dropped)?;
    let count = kept.numel() as f64;
    let scale = ((kept.sum_all()? + eps)?.reciprocal()? * count)?;
    (input * &kept)? * scale
}
