//! Reversal of dimensions.

use super::view::load;
use crate::{
    Error, Result, Tensor,
    autograd::{Derivative, attach},
    ops::Op,
    samples,
    scalar::Ints,
};
use lanthorn_ir::{Layout, kernel::Operand};
use lanthorn_macros::op;
use std::rc::Rc;

/// The elements in reverse order along the dimensions `dims`. The result has the shape of `self`.
///
/// The result is a copy, as in PyTorch, which has no negative strides. A kernel that consumes it
/// reads `self` with negative strides instead.
///
/// Errors: `index` if a dimension is out of range; `argument` if one appears twice.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// assert_eq!(pollster::block_on(Tensor::arange(0, 3, 1)?.flip([0])?.to_vec::<i32>())?, [2, 1, 0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "flip(Tensor self, int[] dims) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::ints(&[1])],
        vec![samples::real(&[3, 2, 4], -2.0, 2.0), samples::ints(&[0, -1])],
        vec![samples::tensor(&[5, 3], crate::DType::I32, -9.0, 9.0), samples::ints(&[0])],
        vec![samples::real(&[0, 3], -2.0, 2.0), samples::ints(&[0, 1])],
    ])
)]
fn flip(x: &Tensor, dims: &Ints) -> Result<Tensor> {
    let mut flipped = vec![false; x.rank()];
    for &dim in dims.iter() {
        let dim = x.shape().dim("flip", dim)?;
        // A 0-d tensor takes dimension 0 and has nothing to reverse.
        let Some(flag) = flipped.get_mut(dim) else { continue };
        if std::mem::replace(flag, true) {
            return Err(Error::argument("flip", format!("dimension {dim} appears twice in {:?}", &dims[..])));
        }
    }
    let mut offset = x.storage_offset() as isize;
    let mut strides: Vec<isize> = x.stride().to_vec();
    for d in (0..x.rank()).filter(|&d| flipped[d] && x.numel() > 0) {
        offset += strides[d] * (x.shape()[d] as isize - 1);
        strides[d] = -strides[d];
    }
    let layout = Layout::new(x.shape().clone(), strides, offset as usize);
    let output = load("flip", x, Operand::new(x.dtype(), layout));
    let dims = dims.clone();
    let derivative: Derivative = Rc::new(move |grad, _| Ok(vec![Some(grad.flip(&dims)?)]));
    attach("flip", &output, &[x], &[], derivative);
    Ok(output)
}

pub(crate) static OPS: &[&Op] = &[&FLIP];
