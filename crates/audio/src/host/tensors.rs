//! Tensors of the host's numbers.

use lanthorn_tensor::{DType, Device, Result, Tensor};

/// Sizes as an op takes them.
pub(crate) fn ints(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&size| size as i64).collect()
}

/// Whether the elements are floats.
pub(crate) fn is_floating(x: &Tensor) -> bool {
    x.dtype().is_floating_point()
}

/// A vector of float32 on the default device.
pub(crate) fn floats(values: &[f64]) -> Result<Tensor> {
    let narrow: Vec<f32> = values.iter().map(|&value| value as f32).collect();
    Tensor::from_slice(&narrow, [narrow.len() as i64], &Device::default_device()?)
}

/// A vector of the type and device of `like`.
pub(crate) fn floats_like(values: &[f64], like: &Tensor) -> Result<Tensor> {
    if like.dtype() == DType::F64 {
        return Tensor::from_slice(values, [values.len() as i64], like.device());
    }
    let narrow: Vec<f32> = values.iter().map(|&value| value as f32).collect();
    Tensor::from_slice(&narrow, [narrow.len() as i64], like.device())?.to(like.dtype())
}

/// A vector of int32 on the device of `like`.
pub(crate) fn indices(values: &[i64], like: &Tensor) -> Result<Tensor> {
    let narrow: Vec<i32> = values.iter().map(|&value| value as i32).collect();
    Tensor::from_slice(&narrow, [narrow.len() as i64], like.device())
}

/// One number, of the type and device of `like`.
pub(crate) fn full(shape: &[usize], value: f64, like: &Tensor) -> Result<Tensor> {
    Tensor::full_with(ints(shape), value, Some(like.dtype()), Some(like.device()))
}

/// Uniform numbers from 0 up to 1, which is excluded, of the type and device of `like`.
pub(crate) fn rand(shape: &[usize], like: &Tensor) -> Result<Tensor> {
    Tensor::rand_with(ints(shape), Some(like.dtype()), Some(like.device()))
}

/// The numbers from 0 up to `end`, which is excluded, of the type and device of `like`.
pub(crate) fn arange(end: usize, like: &Tensor) -> Result<Tensor> {
    Tensor::arange_with(0, end as i64, 1, Some(like.dtype()), Some(like.device()))
}

/// The finalizer of MurmurHash3 (Appleby, 2011), which spreads the bits of a number.
fn mix(number: u32) -> u32 {
    let number = (number ^ (number >> 16)).wrapping_mul(0x85eb_ca6b);
    let number = (number ^ (number >> 13)).wrapping_mul(0xc2b2_ae35);
    number ^ (number >> 16)
}

/// A random number below `count`, of the default device's generator.
pub(crate) fn random_index(count: usize) -> Result<usize> {
    let ([low, high], offset) = Device::default_device()?.generator().take(1);
    Ok(mix(low ^ high.rotate_left(16) ^ offset.wrapping_mul(0x9e37_79b9)) as usize % count)
}

/// The elements on the host, row by row.
pub(crate) async fn floats_of(x: &Tensor) -> Result<Vec<f64>> {
    let flat = x.detach().to(DType::F32)?.reshape([-1])?;
    Ok(flat.to_vec::<f32>().await?.into_iter().map(f64::from).collect())
}

/// The elements of integers on the host.
pub(crate) async fn sizes_of(x: &Tensor) -> Result<Vec<usize>> {
    Ok(floats_of(x).await?.into_iter().map(|value| value as usize).collect())
}
