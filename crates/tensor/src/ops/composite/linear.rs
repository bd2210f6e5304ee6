//! Affine maps and one-hot encodings.

use super::loss::classification::is_class;
use crate::{
    DType, Error, Result, Shape, Tensor,
    ops::{Op, leaf},
    samples,
};
use lanthorn_macros::op;

/// The affine map `self @ weight.T + bias`, as `torch.nn.functional.linear`.
///
/// `self: [*, in]`, `weight: [out, in]`, `bias: [out]`; the result is `[*, out]`. With
/// `weight: [in]` the result is `[*]`.
///
/// Errors: `shape` if the last sizes of `self` and `weight` differ, `self` is 0-d, `weight` has not
/// one or two dimensions, or `bias` does not broadcast; `dtype` if the types of `self` and `weight`
/// differ.
#[op(
    composite,
    "linear(Tensor self, Tensor weight, Tensor? bias=None) -> Tensor",
    autocast = lower,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
        samples::calls([
            vec![x(&[5, 3]), x(&[4, 3]), x(&[4])],
            vec![x(&[2, 5, 3]), x(&[4, 3])],
            vec![x(&[3]), x(&[4, 3]), x(&[4])],
            vec![x(&[2, 3]), x(&[3])],
        ])
    }
)]
fn linear(input: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    if !(1..=2).contains(&weight.rank()) || input.rank() == 0 || input.shape().last() != weight.shape().last() {
        let message = format!("an input of shape {} does not fit a weight of shape {}", input.shape(), weight.shape());
        return Err(Error::shape("linear", message));
    }
    let product = input.matmul(&weight.t()?).map_err(|error| error.in_op("linear"))?;
    match bias {
        Some(bias) => product.add(bias).map_err(|error| error.in_op("linear")),
        None => Ok(product),
    }
}

/// The one-hot encoding of class indices, as `torch.nn.functional.one_hot`.
///
/// `self: [*]`, an integer type; the result is `[*, num_classes]` in int32 (PyTorch: int64), 1 at
/// the class and 0 elsewhere. Without `num_classes` the number of classes is the largest index plus
/// 1: the indices are read, and the result is awaited.
///
/// Errors: `argument` if `num_classes` is not positive; `dtype` if `self` is not of an integer
/// type; `index`, when the result is read, if an index is negative or not below `num_classes`.
#[op(
    composite,
    "one_hot(Tensor self, int num_classes) -> Tensor",
    samples = || samples::calls([
        vec![samples::index(&[7], 5), samples::int(5)],
        vec![samples::index(&[2, 3], 4), samples::int(6)],
    ])
)]
fn one_hot(indices: &Tensor, num_classes: i64) -> Result<Tensor> {
    if num_classes <= 0 {
        let message = format!(
            "num_classes must be positive, not {num_classes}; leave it out to count the classes, and await the result"
        );
        return Err(Error::argument("one_hot", message));
    }
    let indices = &leaf::index::as_index("one_hot", indices)?;
    let mut sizes = indices.shape().to_i64();
    sizes.push(num_classes);
    is_class("one_hot", indices, &Shape::new("one_hot", &sizes)?, -1)?.to(DType::I32)
}

/// [`one_hot`](Tensor::one_hot) with one class more than the largest index, which is read.
///
/// `self: [*]`; the result is `[*, largest + 1]` in int32, and is awaited.
///
/// Errors: `argument` if `self` is empty; `dtype` if it is not of an integer type; `index`, when
/// the result is read, if an index is negative.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1, 0], [2], &device)?;
/// assert_eq!(pollster::block_on(pollster::block_on(x.one_hot_counted())?.to_vec::<i32>())?, [0, 1, 1, 0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "one_hot.counted(Tensor self) -> Tensor",
    samples = || samples::calls([vec![samples::index(&[7], 5)], vec![samples::index(&[2, 3], 4)]])
)]
async fn one_hot_counted(indices: &Tensor) -> Result<Tensor> {
    let indices = leaf::index::as_index("one_hot", indices)?;
    if indices.numel() == 0 {
        return Err(Error::argument(
            "one_hot",
            "an empty tensor does not say how many classes there are; name num_classes",
        ));
    }
    let largest = indices.amax((), false)?.to_vec::<i32>().await?;
    // If all are negative, the check against one class fails.
    indices.one_hot(largest.iter().map(|&index| i64::from(index) + 1).fold(1, i64::max))
}

pub(crate) static OPS: &[&Op] = &[&LINEAR, &ONE_HOT, &ONE_HOT_COUNTED];
