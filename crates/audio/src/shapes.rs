//! Batches: the leading dimensions as one, and back.

use crate::host::ints;
use lanthorn_tensor::{Error, Result, Tensor};

/// The tensor with its leading dimensions as one, before the last `kept`.
pub(crate) fn pack(x: &Tensor, kept: usize) -> Result<Tensor> {
    let shape = x.shape().to_vec();
    let mut count = 1;
    let mut sizes = vec![];
    for index in 0..shape.len() {
        if index + kept < shape.len() {
            count *= shape[index];
        } else {
            sizes.push(shape[index]);
        }
    }
    sizes.insert(0, count);
    x.reshape(ints(&sizes))
}

/// The tensor with its first dimension as the leading dimensions of `shape`, whose last `kept` are
/// replaced by the tensor's others.
pub(crate) fn unpack(x: &Tensor, shape: &[usize], kept: usize) -> Result<Tensor> {
    let own = x.shape().to_vec();
    let mut sizes = shape[..shape.len() - kept].to_vec();
    for index in 1..own.len() {
        sizes.push(own[index]);
    }
    x.reshape(ints(&sizes))
}

/// The size of the last dimension.
pub(crate) fn length(x: &Tensor) -> usize {
    x.shape()[x.rank() - 1]
}

/// An error if the tensor has fewer dimensions.
pub(crate) fn check_rank(op: &str, param: &str, x: &Tensor, rank: usize) -> Result<()> {
    if x.rank() < rank {
        let shape = x.shape().to_vec();
        return Err(Error::shape(op, format!("{param} has shape {shape:?}, and takes at least {rank} dimensions")));
    }
    Ok(())
}

/// The greatest common divisor.
pub(crate) fn gcd(a: usize, b: usize) -> usize {
    let mut larger = a;
    let mut smaller = b;
    while smaller != 0 {
        let rest = larger % smaller;
        larger = smaller;
        smaller = rest;
    }
    larger
}
