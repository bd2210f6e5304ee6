//! Tensors put together.

use crate::{
    DType, Error, Result, Tensor,
    autograd::{Derivative, attach},
    ops::{Op, pointwise::common_device},
    samples,
};
use lanthorn_ir::{Kernel, Layout, Shape, kernel};
use lanthorn_macros::op;
use std::rc::Rc;

/// The tensors one after another along dimension `dim`; their other sizes must agree, and their types are promoted.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let (a, b) = (Tensor::zeros([2, 3])?, Tensor::ones([1, 3])?);
/// assert_eq!(Tensor::cat(&[a, b], 0)?.shape().to_vec(), [3, 3]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "cat(Tensor[] tensors, int dim=0) -> Tensor",
    aliases = ["concat", "concatenate"],
    samples = || {
        let x = |shape: &[i64]| samples::spec(shape, DType::F32, -2.0, 2.0);
        samples::calls([
            vec![samples::SampleArg::Tensors(vec![x(&[2, 3]), x(&[1, 3]), x(&[4, 3])])],
            vec![samples::SampleArg::Tensors(vec![x(&[2, 3, 2]), x(&[2, 1, 2])]), samples::int(-2)],
            vec![samples::SampleArg::Tensors(vec![x(&[5]), x(&[0]), x(&[2])])],
            vec![samples::SampleArg::Tensors(vec![samples::spec(&[3], DType::I32, -5.0, 5.0), x(&[2])])],
        ])
    }
)]
fn cat(tensors: &[Tensor], dim: i64) -> Result<Tensor> {
    let Some(first) = tensors.first() else { return Err(Error::argument("cat", "expected at least one tensor")) };
    let device = common_device("cat", tensors)?;
    let dtype = tensors.iter().map(Tensor::dtype).fold(DType::Bool, DType::promote);
    // As in PyTorch, an empty vector fits anything.
    let counts = |tensor: &&Tensor| tensor.shape()[..] != [0];
    let model = tensors.iter().find(counts).unwrap_or(first);
    if model.rank() == 0 {
        return Err(Error::shape("cat", "0-d tensors have no dimension to join along; use stack"));
    }
    let dim = model.shape().dim("cat", dim)?;
    let parts: Vec<Tensor> = tensors.iter().filter(counts).map(|tensor| tensor.to(dtype)).collect::<Result<_>>()?;
    let mut sizes = model.shape().to_i64();
    sizes[dim] = 0;
    for part in &parts {
        let agrees = part.rank() == model.rank() && (0..model.rank()).all(|d| d == dim || part.shape()[d] == model.shape()[d]);
        if !agrees {
            let message = format!("sizes must agree except in dimension {dim}: {} and {}", model.shape(), part.shape());
            return Err(Error::shape("cat", message));
        }
        sizes[dim] += part.shape()[dim] as i64;
    }
    let shape = Shape::new("cat", &sizes)?;
    if shape.elements() == 0 {
        return Tensor::zeros_with(&shape, dtype, Some(&device));
    }
    let whole = Layout::contiguous(shape.clone());
    let (mut start, mut value) = (0, None);
    for part in parts.iter().filter(|part| part.numel() > 0) {
        let length = part.shape()[dim];
        let copy = kernel::Copy { dtype, source: part.layout().clone(), target: whole.slice(dim, start, length, 1) };
        value = Some(match value {
            None => device.record_part("cat", copy, part.value(), shape.elements()),
            Some(base) => {
                let mut outputs = device.record("cat", Kernel::Copy(copy), Some(base), vec![part.value()], vec![]);
                outputs.pop().expect("a copy has one output")
            }
        });
        start += length;
    }
    let value = value.ok_or_else(|| Error::shape("cat", "nothing to join"))?;
    let output = Tensor::from_value(&device, value, shape);
    let lengths: Vec<usize> = parts.iter().map(|part| part.shape()[dim]).collect();
    let derivative: Derivative = Rc::new(move |grad, _| {
        let mut start = 0;
        let pieces = lengths.iter().map(|&length| {
            start += length;
            grad.narrow(dim as i64, (start - length) as i64, length as i64).map(Some)
        });
        pieces.collect()
    });
    attach("cat", &output, &parts.iter().collect::<Vec<_>>(), &[], derivative);
    Ok(output)
}

pub(crate) static OPS: &[&Op] = &[&CAT];
