//! Tensors of the type and device of another tensor.

use lanthorn_tensor::{DType, Result, Tensor};

/// Sizes as an op takes them.
pub(crate) fn ints(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&size| size as i64).collect()
}

/// The distance from 1 to the next larger number of the type.
pub(crate) fn epsilon(x: &Tensor) -> f64 {
    match x.dtype() {
        DType::F64 => f64::EPSILON,
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        _ => f64::from(f32::EPSILON),
    }
}

/// The smallest positive normal number of the type.
pub(crate) fn tiny(x: &Tensor) -> f64 {
    match x.dtype() {
        DType::F64 => f64::MIN_POSITIVE,
        DType::F16 => 2f64.powi(-14),
        _ => f64::from(f32::MIN_POSITIVE),
    }
}

pub(crate) fn full(shape: &[usize], value: f64, like: &Tensor) -> Result<Tensor> {
    Tensor::full_with(ints(shape), value, Some(like.dtype()), Some(like.device()))
}

pub(crate) fn zeros(shape: &[usize], like: &Tensor) -> Result<Tensor> {
    full(shape, 0.0, like)
}

pub(crate) fn ones(shape: &[usize], like: &Tensor) -> Result<Tensor> {
    full(shape, 1.0, like)
}

/// The numbers from 0 up to `end`, which is excluded.
pub(crate) fn arange(end: usize, like: &Tensor) -> Result<Tensor> {
    Tensor::arange_with(0, end as i64, 1, Some(like.dtype()), Some(like.device()))
}

/// Indices as a tensor of int32.
pub(crate) fn index_tensor(indices: &[usize], like: &Tensor) -> Result<Tensor> {
    let indices: Vec<i32> = indices.iter().map(|&index| index as i32).collect();
    Tensor::from_slice(&indices, [indices.len() as i64], like.device())
}

pub(crate) fn standard_normal(shape: &[usize], like: &Tensor) -> Result<Tensor> {
    Tensor::randn_with(ints(shape), Some(like.dtype()), Some(like.device()))
}

/// Uniform numbers from 2^-25 to 1 - 2^-24, so that logarithms of them and of their complements are
/// finite.
pub(crate) fn standard_uniform(shape: &[usize], like: &Tensor) -> Result<Tensor> {
    Tensor::rand_with(ints(shape), Some(like.dtype()), Some(like.device()))?.clamp_min(2f64.powi(-25))
}
