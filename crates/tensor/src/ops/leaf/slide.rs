//! What convolution and pooling share: a window of places that slides along the spatial dimensions of a tensor.
//!
//! Along each dimension, input place = output place * stride + kernel place * dilation - padding. Padding is not copied: places outside of the
//! input are those that an operand's window does not hit.

use crate::{Error, Ints, Result, Shape, Tensor};
use lanthorn_ir::kernel::BoundedIndex;

/// How a window slides along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slide {
    /// The size of what it slides over.
    pub input: usize,
    /// Its places.
    pub kernel: usize,
    /// How often it is laid down.
    pub output: usize,
    /// The distance of two neighbouring outputs' windows.
    pub stride: usize,
    /// How far before the input the first one begins.
    pub padding: usize,
    /// The distance of two places of one window.
    pub dilation: usize,
}

impl Slide {
    /// How far a window reaches.
    pub fn reach(&self) -> usize {
        self.dilation * (self.kernel - 1) + 1
    }

    /// The coordinate of the input in an iteration space where dimension `output` walks the outputs and `kernel` the places of the window;
    /// neighbours of the input lie `stride` apart.
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

    /// The coordinate of the output whose window has, at its place `kernel`, the place `input` of the input.
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

/// An argument with one whole number a spatial dimension, or one for all of them, none below `least`.
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

/// Runs `f` on an input of a batch, a channel and `spatial` dimensions; one without the batch is given one, which the result then loses.
pub(crate) fn batched(op: &str, x: &Tensor, spatial: usize, f: impl FnOnce(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
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

/// The input with a batch, and whether it had none.
fn with_batch(op: &str, x: &Tensor, spatial: usize) -> Result<(Tensor, bool)> {
    match x.rank().checked_sub(spatial) {
        Some(2) => Ok((x.clone(), false)),
        Some(1) => Ok((x.unsqueeze(0)?, true)),
        _ => {
            let (single, batch) = (spatial + 1, spatial + 2);
            let message =
                format!("expected an input of {single} (unbatched) or {batch} (batched) dimensions, not of shape {}", x.shape());
            Err(Error::shape(op, message))
        }
    }
}
