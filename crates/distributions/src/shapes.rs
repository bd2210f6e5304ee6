//! Shapes of distributions and of their samples.

use crate::host::ints;
use lanthorn_tensor::{Error, Result, Tensor};

/// The two parts of the shape of one sample of a distribution.
///
/// The batch shape has the parameters' independent distributions, and the event shape is the shape
/// of a sample of one of them.
#[derive(Clone, Debug)]
pub struct Shapes {
    batch: Vec<usize>,
    event: Vec<usize>,
}

impl Shapes {
    /// The shapes of a batch and of an event.
    pub fn new(batch: &[usize], event: &[usize]) -> Shapes {
        Shapes { batch: batch.to_vec(), event: event.to_vec() }
    }

    /// The batch shape.
    pub fn batch(&self) -> &[usize] {
        &self.batch
    }

    /// The event shape.
    pub fn event(&self) -> &[usize] {
        &self.event
    }

    /// The shape of samples: `sample_shape`, the batch shape and the event shape.
    pub fn extend(&self, sample_shape: &[usize]) -> Vec<usize> {
        concat(&concat(sample_shape, &self.batch), &self.event)
    }

    /// The same events in another batch shape.
    pub fn with_batch(&self, batch: &[usize]) -> Shapes {
        Shapes::new(batch, &self.event)
    }
}

/// One list after the other.
pub(crate) fn concat(first: &[usize], second: &[usize]) -> Vec<usize> {
    let mut all = first.to_vec();
    all.extend_from_slice(second);
    all
}

/// Whether two shapes are equal.
pub(crate) fn same_shape(a: &[usize], b: &[usize]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    for i in 0..a.len() {
        if a[i] != b[i] {
            return false;
        }
    }
    true
}

/// The shape to which two shapes broadcast.
///
/// # Errors
/// `shape` if they do not.
pub(crate) fn broadcast_shapes(op: &str, a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    let rank = a.len().max(b.len());
    let mut shape = vec![];
    for d in 0..rank {
        let left = if d + a.len() >= rank { a[d + a.len() - rank] } else { 1 };
        let right = if d + b.len() >= rank { b[d + b.len() - rank] } else { 1 };
        if left != right && left != 1 && right != 1 {
            return Err(Error::shape(op, format!("shapes {a:?} and {b:?} do not broadcast together")));
        }
        shape.push(if left == 1 { right } else { left });
    }
    Ok(shape)
}

/// The product of the sizes.
pub(crate) fn elements(shape: &[usize]) -> usize {
    let mut product = 1;
    for size in shape {
        product *= size;
    }
    product
}

/// The last `count` dimensions, as negative numbers.
pub(crate) fn last_dims(count: usize) -> Vec<i64> {
    let mut dims = vec![];
    for d in 0..count {
        dims.push(-1 - d as i64);
    }
    dims
}

/// The sum over the last `count` dimensions.
pub(crate) fn sum_rightmost(x: &Tensor, count: usize) -> Result<Tensor> {
    if count == 0 {
        return Ok(x.clone());
    }
    x.sum(last_dims(count), false)
}

/// The tensor expanded to a batch shape before its last `count` dimensions.
pub(crate) fn expand_batch(x: &Tensor, batch: &[usize], count: usize) -> Result<Tensor> {
    let rank = x.rank();
    let event = x.shape()[rank - count..].to_vec();
    x.expand(ints(&concat(batch, &event)))
}

/// The tensor with `count` dimensions of size 1 before its last `event` dimensions.
pub(crate) fn insert_dims(x: &Tensor, count: usize, event: usize) -> Result<Tensor> {
    let rank = x.rank();
    let shape = concat(&x.shape()[..rank - event], &vec![1; count]);
    let last = x.shape()[rank - event..].to_vec();
    x.reshape(ints(&concat(&shape, &last)))
}
