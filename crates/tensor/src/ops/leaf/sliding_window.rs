//! Sliding windows along the spatial dimensions of a tensor, as convolution and pooling use them.
//!
//! Along each dimension, input position = output position * stride + kernel tap * dilation -
//! padding. Padding is not copied: positions outside of the input are out of bounds for the
//! operand.

use crate::{Error, Ints, Result, Shape, Tensor};
use lanthorn_ir::kernel::BoundedIndex;

/// The sliding window of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slide {
    /// The size of the input.
    pub input: usize,
    /// The number of taps.
    pub kernel: usize,
    /// The number of windows.
    pub output: usize,
    /// The distance of neighbouring windows.
    pub stride: usize,
    /// The number of positions before the input at which the first window begins.
    pub padding: usize,
    /// The distance of neighbouring taps of a window.
    pub dilation: usize,
}

impl Slide {
    /// The extent of a window in the input.
    pub fn reach(&self) -> usize {
        self.dilation * (self.kernel - 1) + 1
    }

    /// The input position in an iteration space with output positions in dimension `output` and
    /// taps in dimension `kernel`; neighbours of the input are `stride` apart.
    pub fn over_input(&self, rank: usize, output: usize, kernel: usize, stride: isize) -> BoundedIndex {
        let step = |d: usize| {
            if d == output {
                self.stride
            } else if d == kernel {
                self.dilation
            } else {
                0
            }
        };
        let steps = (0..rank).map(|d| step(d) as isize).collect();
        BoundedIndex { steps, start: -(self.padding as isize), divisor: 1, size: self.input, stride }
    }

    /// The position of the output whose window has the input position `input` at its tap `kernel`.
    pub fn over_output(&self, rank: usize, input: usize, kernel: usize, stride: isize) -> BoundedIndex {
        let step = |d: usize| {
            if d == input {
                1
            } else if d == kernel {
                -(self.dilation as isize)
            } else {
                0
            }
        };
        let steps = (0..rank).map(step).collect();
        BoundedIndex { steps, start: self.padding as isize, divisor: self.stride, size: self.output, stride }
    }
}

/// An argument of integers of at least `least`: one for all spatial dimensions, or one each.
pub(crate) fn per_dimension(op: &str, name: &str, values: &Ints, rank: usize, least: i64) -> Result<Vec<usize>> {
    if values.len() != 1 && values.len() != rank {
        let message = format!("{name} takes one number or {rank}, not {:?}", &values[..]);
        return Err(Error::argument(op, message));
    }
    if let Some(value) = values.iter().find(|&&value| value < least || value > Shape::MAX_ELEMENTS as i64) {
        return Err(Error::argument(op, format!("{name} must be at least {least}, not {value}")));
    }
    Ok((0..rank).map(|d| values[if values.len() == 1 { 0 } else { d }] as usize).collect())
}

/// Runs `f` on an input with batch, channel and `spatial` dimensions. An input without a batch gets
/// one, which is removed from the result.
pub(crate) fn batched(
    op: &str,
    x: &Tensor,
    spatial: usize,
    f: impl FnOnce(&Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    let (x, alone) = with_batch(op, x, spatial)?;
    let y = f(&x)?;
    if alone { y.squeeze(0) } else { Ok(y) }
}

/// [`batched`] for two results.
pub(crate) fn batched_pair(
    op: &str,
    x: &Tensor,
    spatial: usize,
    f: impl FnOnce(&Tensor) -> Result<(Tensor, Tensor)>,
) -> Result<(Tensor, Tensor)> {
    let (x, alone) = with_batch(op, x, spatial)?;
    let (a, b) = f(&x)?;
    if alone { Ok((a.squeeze(0)?, b.squeeze(0)?)) } else { Ok((a, b)) }
}

/// The input with a batch dimension, and whether it was added.
fn with_batch(op: &str, x: &Tensor, spatial: usize) -> Result<(Tensor, bool)> {
    match x.rank().checked_sub(spatial) {
        Some(2) => Ok((x.clone(), false)),
        Some(1) => Ok((x.unsqueeze(0)?, true)),
        _ => {
            let (single, batch) = (spatial + 1, spatial + 2);
            let message = format!(
                "expected an input of {single} (unbatched) or {batch} (batched) dimensions, not of shape {}",
                x.shape()
            );
            Err(Error::shape(op, message))
        }
    }
}
