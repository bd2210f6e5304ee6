//! Search in sorted sequences by bisection: one gather for each binary digit of the length.

use crate::{
    DType, Error, Operand, Result, Scalar, Side, Tensor,
    ops::{Op, pointwise::common_device},
    promote::result_type,
    samples::{self, Sample},
};
use lanthorn_macros::op;

/// For each of `values: [*, m]`, the number of elements of the sorted `sequence: [*, n]` for which
/// `before` holds. The leading dimensions agree.
fn positions(sequence: &Tensor, values: &Tensor, before: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
    let count = sequence.shape()[sequence.rank() - 1] as i64;
    let mut position = values.zeros_like_with(DType::I32)?;
    if count == 0 {
        return Ok(position);
    }
    let mut step = 1i64 << (63 - count.leading_zeros());
    while step > 0 {
        let end = position.add(step)?;
        let element = sequence.gather(-1, &end.clamp_max(count)?.sub(1)?)?;
        position = Tensor::r#where(&end.le(count)?.logical_and(&before(&element)?)?, &end, &position)?;
        step /= 2;
    }
    Ok(position)
}

/// The operand as a tensor, on the device of `like` if it is a number.
fn tensor_of(operand: &Operand, like: &Tensor) -> Result<Tensor> {
    match operand {
        Operand::Tensor(tensor) => Ok(tensor.clone()),
        Operand::Scalar(scalar) => Tensor::full_with([], *scalar, scalar.dtype(), Some(like.device())),
    }
}

/// [`searchsorted`](Tensor::searchsorted) with its side resolved.
fn search(op: &'static str, sequence: &Tensor, values: &Tensor, right: bool) -> Result<Tensor> {
    common_device(op, &[sequence.clone(), values.clone()])?;
    let dtype = result_type([&Operand::from(sequence), &Operand::from(values)]);
    let (sequence, values) = (sequence.to(dtype)?.detach(), values.to(dtype)?.detach());
    // The negated comparison, as in PyTorch, sorts NaN after every number.
    let found = |values: &Tensor| {
        positions(&sequence, values, |element| {
            (if right { element.gt(values)? } else { element.ge(values)? }).logical_not()
        })
    };
    if sequence.rank() == 1 {
        return found(&values.reshape([-1])?)?.reshape(values.shape());
    }
    let fits = sequence.rank() == values.rank()
        && sequence.rank() > 0
        && sequence.shape()[..sequence.rank() - 1] == values.shape()[..values.rank() - 1];
    if !fits {
        let message = format!(
            "sequences of shape {} and values of shape {}: all dimensions but the last must agree, or the sequence be a vector",
            sequence.shape(),
            values.shape()
        );
        return Err(Error::shape(op, message));
    }
    found(&values)
}

/// The sequences are not sorted: every backend bisects in the same way.
fn sequences() -> Vec<Sample> {
    let sorted = || samples::real(&[7], -1.0, 2.0);
    samples::calls([
        vec![sorted(), samples::real(&[3, 4], -1.0, 2.0)],
        vec![sorted(), samples::float(0.5), samples::flag(false), samples::flag(true)],
        vec![samples::tensor(&[2, 7], DType::I32, 0.0, 6.0), samples::tensor(&[2, 9], DType::I32, 0.0, 6.0)],
        vec![
            samples::tensor(&[2, 7], DType::I32, 0.0, 6.0),
            samples::tensor(&[2, 9], DType::I32, 0.0, 6.0),
            samples::flag(false),
            samples::NONE,
            samples::text("right"),
        ],
        vec![samples::real(&[0], 0.0, 1.0), samples::real(&[4], -1.0, 2.0)],
    ])
}

/// The positions at which values would be inserted into sorted sequences, as `torch.searchsorted`:
/// the number of elements below the value, or, with `right` or the `side` `"right"`, not above it.
///
/// `sorted_sequence: [n]` for `input` of any shape, or `[*, n]` for `input: [*, m]`; the result has
/// the shape of `input`, in int32 (PyTorch: int64, or int32 with `out_int32`). `sorter` has the
/// positions that sort the sequences. Types are promoted; NaN counts as larger than every number.
/// There is no gradient.
///
/// Errors: `shape` if the leading sizes differ or `sorter` does not have the shape of the
/// sequences; `argument` if `side` is unknown or `"left"` together with `right`; `dtype` if
/// `sorter` is not of an integer type.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let sequence = Tensor::from_slice(&[1.0f32, 3.0, 5.0], [3], &device)?;
/// let values = Tensor::from_slice(&[3.0f32, 4.0, 9.0], [3], &device)?;
/// assert_eq!(pollster::block_on(Tensor::searchsorted(&sequence, &values)?.to_vec::<i32>())?, [1, 2, 3]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "searchsorted(Tensor sorted_sequence, Tensor|Scalar input, *, bool out_int32=False, bool right=False, str{left|right}? side=None, Tensor? sorter=None) -> Tensor",
    samples = sequences
)]
fn searchsorted(
    sorted_sequence: &Tensor,
    input: &Operand,
    _out_int32: bool,
    right: bool,
    side: Option<Side>,
    sorter: Option<&Tensor>,
) -> Result<Tensor> {
    let right = match side {
        Some(Side::Right) => true,
        Some(Side::Left) if !right => false,
        Some(Side::Left) => {
            return Err(Error::argument(
                "searchsorted",
                "side and right can't be set to opposites, got side of left while right was True",
            ));
        }
        None => right,
    };
    let values = tensor_of(input, sorted_sequence)?;
    let sequence = match sorter {
        None => sorted_sequence.clone(),
        Some(sorter) if sorter.shape() == sorted_sequence.shape() => sorted_sequence.gather(-1, sorter)?,
        Some(sorter) => {
            let (sorter, sequence) = (sorter.shape(), sorted_sequence.shape());
            return Err(Error::shape(
                "searchsorted",
                format!("a sorter of shape {sorter} for sequences of shape {sequence}"),
            ));
        }
    };
    search("searchsorted", &sequence, &values, right)
}

/// Checks that boundaries are a vector.
fn check_boundaries(boundaries: &Tensor) -> Result<()> {
    if boundaries.rank() == 1 {
        return Ok(());
    }
    Err(Error::shape("bucketize", format!("boundaries tensor must be 1 dimension, but got dim({})", boundaries.rank())))
}

/// The bucket of each element between `boundaries`, as `torch.bucketize`: the number of boundaries
/// below the element, or, with `right`, not above it.
///
/// `self: [*]`, `boundaries: [n]`, sorted; the result is `[*]` in int32 (PyTorch: int64, or int32
/// with `out_int32`). There is no gradient.
///
/// Errors: `shape` if `boundaries` is not a vector.
#[op(
    composite,
    "bucketize(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -1.0, 2.0), samples::real(&[5], -1.0, 2.0)],
        vec![samples::tensor(&[9], DType::I32, 0.0, 6.0), samples::tensor(&[5], DType::I32, 0.0, 6.0), samples::flag(true), samples::flag(true)],
    ])
)]
fn bucketize(x: &Tensor, boundaries: &Tensor, _out_int32: bool, right: bool) -> Result<Tensor> {
    check_boundaries(boundaries)?;
    search("bucketize", boundaries, x, right)
}

/// [`bucketize`](Tensor::bucketize) of one number; the result is 0-d.
#[op(
    composite,
    "bucketize.scalar(Scalar input, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
    samples = || samples::calls([vec![samples::float(0.5), samples::real(&[5], -1.0, 2.0)]])
)]
fn bucketize_scalar(input: Scalar, boundaries: &Tensor, _out_int32: bool, right: bool) -> Result<Tensor> {
    check_boundaries(boundaries)?;
    search("bucketize", boundaries, &tensor_of(&input.into(), boundaries)?, right)
}

/// Whether each of `elements` occurs in `test_elements`, or with `invert` does not, as
/// `torch.isin`. NaN occurs in nothing.
///
/// Both are tensors of any shape or a number, not both numbers; the result is bool, in the shape of
/// `elements`. Types are promoted.
///
/// Errors: `argument` if both are numbers.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1, 2, 3, 4], [4], &device)?;
/// let y = Tensor::from_slice(&[4, 2], [2], &device)?;
/// assert_eq!(pollster::block_on(Tensor::isin(&x, &y)?.to_bytes())?, [0, 1, 0, 1]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "isin(Tensor|Scalar elements, Tensor|Scalar test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
    samples = || samples::calls([
        vec![samples::tensor(&[5, 8], DType::I32, 0.0, 9.0), samples::tensor(&[6], DType::I32, 0.0, 9.0)],
        vec![samples::tensor(&[5, 8], DType::I32, 0.0, 9.0), samples::int(3), samples::flag(false), samples::flag(true)],
        vec![samples::int(3), samples::tensor(&[5, 2], DType::I32, 0.0, 9.0)],
        vec![samples::real(&[7], 0.0, 9.0), samples::real(&[0], 0.0, 9.0)],
    ])
)]
fn isin(elements: &Operand, test_elements: &Operand, _assume_unique: bool, invert: bool) -> Result<Tensor> {
    let ((Operand::Tensor(like), _) | (_, Operand::Tensor(like))) = (elements, test_elements) else {
        return Err(Error::argument("isin", "takes at least one tensor"));
    };
    let dtype = result_type([elements, test_elements]);
    let (elements, tests) = (tensor_of(elements, like)?.to(dtype)?, tensor_of(test_elements, like)?.to(dtype)?);
    common_device("isin", &[elements.clone(), tests.clone()])?;
    let count = tests.numel() as i64;
    let found = if count == 0 {
        elements.zeros_like_with(DType::Bool)?
    } else {
        let sorted = tests.reshape([-1])?.detach().sort(0, false)?.0;
        let flat = elements.reshape([-1])?.detach();
        let position = positions(&sorted, &flat, |element| element.lt(&flat))?.clamp_max(count - 1)?;
        sorted.gather(0, &position)?.eq(&flat)?.reshape(elements.shape())?
    };
    if invert { found.logical_not() } else { Ok(found) }
}

pub(crate) static OPS: &[&Op] = &[&SEARCHSORTED, &BUCKETIZE, &BUCKETIZE_SCALAR, &ISIN];
