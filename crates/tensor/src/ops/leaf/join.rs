//! Concatenation.

use crate::{
    DType, Error, Result, Tensor,
    autograd::{Derivative, attach},
    batch,
    ops::{Op, leaf::view::Cut, pointwise::common_device},
    samples,
};
use lanthorn_ir::{
    Kernel, Shape,
    expr::{Expr, Program},
    kernel::{AffineIndex, Map},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// The tensors concatenated along dimension `dim`.
///
/// Shapes: the tensors are `[*, n_i, *]` with equal sizes except in `dim`, and the result is
/// `[*, sum of n_i, *]`. A tensor of shape `[0]` fits any other and contributes nothing. The types
/// are promoted.
///
/// Errors: `argument` if the list is empty; `shape` if ranks or other sizes differ, or if the
/// tensors are 0-d; `index` if `dim` is out of range.
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
            vec![samples::SampleArg::Tensors(vec![samples::spec(&[3], DType::Bool, 0.0, 2.0), samples::spec(&[2], DType::U8, 0.0, 9.0)])],
            vec![samples::SampleArg::Tensors((0..21).map(|i| x(&[2, i % 3])).collect()), samples::int(1)],
        ])
    }
)]
fn cat(tensors: &[Tensor], dim: i64) -> Result<Tensor> {
    let Some(first) = tensors.first() else { return Err(Error::argument("cat", "expected at least one tensor")) };
    let device = common_device("cat", tensors)?;
    let dtype = tensors.iter().map(Tensor::dtype).fold(DType::Bool, DType::promote);
    // As in PyTorch, an empty vector fits a tensor of any shape.
    let counts = |tensor: &&Tensor| tensor.shape()[..] != [0];
    let model = tensors.iter().find(counts).unwrap_or(first);
    if model.rank() == 0 {
        return Err(Error::shape("cat", "0-d tensors have no dimension to join along; use stack"));
    }
    let dim = model.shape().dim("cat", dim)?;
    let parts: Vec<Tensor> = tensors.iter().map(|tensor| tensor.to(dtype)).collect::<Result<_>>()?;
    let mut sizes = model.shape().to_i64();
    sizes[dim] = 0;
    for part in parts.iter().filter(counts) {
        let agrees =
            part.rank() == model.rank() && (0..model.rank()).all(|d| d == dim || part.shape()[d] == model.shape()[d]);
        if !agrees {
            let message = format!("sizes must agree except in dimension {dim}: {} and {}", model.shape(), part.shape());
            return Err(Error::shape("cat", message));
        }
        sizes[dim] += part.shape()[dim] as i64;
    }
    let shape = Shape::new("cat", &sizes)?;
    let filled: Vec<Tensor> = parts.iter().filter(|part| part.numel() > 0).cloned().collect();
    // A longer list is joined in pieces: the number of operands of an expression and of buffers of
    // a kernel is limited.
    let most = (device.capabilities().max_bindings - 1).min(MAX_PARTS);
    if filled.len() > most {
        let piece = filled.len().div_ceil(most).next_power_of_two().max(most);
        let pieces: Result<Vec<Tensor>> = parts.chunks(piece).map(|piece| cat(piece, dim as i64)).collect();
        return cat(&pieces?, dim as i64);
    }
    let output =
        if filled.is_empty() { Tensor::zeros_with(&shape, dtype, Some(&device))? } else { join(&filled, dim, &shape) };
    // The length of each part along `dim`; none for an empty vector that only fits by its
    // emptiness.
    let lengths: Vec<Option<usize>> = parts.iter().map(|part| counts(&part).then(|| part.shape()[dim])).collect();
    let derivative: Derivative = Rc::new(move |grad, _| {
        let mut start = 0;
        let pieces = lengths.iter().map(|length| match length {
            Some(length) => {
                start += length;
                grad.narrow(dim as i64, (start - length) as i64, *length as i64).map(Some)
            }
            None => Tensor::zeros_with([0], grad.dtype(), Some(grad.device())).map(Some),
        });
        pieces.collect()
    });
    attach("cat", &output, &parts.iter().collect::<Vec<_>>(), &[], derivative);
    Ok(output)
}

/// The most parts that one expression selects among: it compares the position with the bounds of
/// all of them for every element.
const MAX_PARTS: usize = 8;

/// Records the concatenation of `parts` as one expression of the coordinate along `dim`. Each part
/// is an operand that is only in bounds at its own positions. The coordinates at which parts end
/// are affine indices, so longer parts are the same program.
fn join(parts: &[Tensor], dim: usize, shape: &Shape) -> Tensor {
    let (dtype, device) = (parts[0].dtype(), parts[0].device());
    let coordinate = Expr::affine(0);
    let mut indices = vec![AffineIndex::coordinate(shape.rank(), dim)];
    let mut start = shape[dim];
    let mut value: Option<Expr> = None;
    for (slot, part) in parts.iter().enumerate().rev() {
        start -= part.shape()[dim];
        let own = Expr::input(slot, dtype.into());
        // The parts after this one begin where it ends.
        value = Some(match value {
            None => own,
            Some(behind) => {
                indices.push(AffineIndex::number(shape.rank(), start + part.shape()[dim]));
                coordinate.lt(Expr::affine(indices.len() - 1)).select(own, behind)
            }
        });
    }
    let operand = |part: &Tensor| {
        let first = start;
        start += part.shape()[dim];
        Cut { dim, start: first, length: part.shape()[dim], step: 1 }.embed(part, shape)
    };
    let kernel = Map {
        shape: shape.clone(),
        inputs: parts.iter().map(operand).collect(),
        indices,
        params: vec![],
        program: Program::new(value.as_slice()),
        dtypes: vec![dtype],
    };
    let values = parts.iter().map(Tensor::value).collect();
    let mut outputs = batch::record(device, "cat", Kernel::Map(kernel), None, values, vec![]);
    Tensor::from_value(device, outputs.pop().expect("a map with one expression has one output"), shape.clone())
}

pub(crate) static OPS: &[&Op] = &[&CAT];
