//! Tensors of the type and device of another tensor.

use lanthorn_tensor::{DType, Result, Tensor};

/// Sizes as an op takes them.
pub(crate) fn ints(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&size| size as i64).collect()
}

/// Whether a type is floating point.
pub(crate) fn is_float(dtype: DType) -> bool {
    dtype.is_floating_point()
}

/// A floating-point tensor as it is, and any other in float32.
pub(crate) fn to_float(x: &Tensor) -> Result<Tensor> {
    if is_float(x.dtype()) { Ok(x.clone()) } else { x.to(DType::F32) }
}

/// The floating-point type of computations with a tensor.
fn float_type(like: &Tensor) -> DType {
    if is_float(like.dtype()) { like.dtype() } else { DType::F32 }
}

/// Numbers in the floating-point type of computations with `like`, on its device.
pub(crate) fn float_tensor(values: &[f64], shape: &[i64], like: &Tensor) -> Result<Tensor> {
    let dtype = float_type(like);
    if dtype == DType::F64 {
        return Tensor::from_slice(values, shape.to_vec(), like.device());
    }
    let narrow: Vec<f32> = values.iter().map(|&value| value as f32).collect();
    Tensor::from_slice(&narrow, shape.to_vec(), like.device())?.to(dtype)
}

/// Indices as a tensor of int32.
pub(crate) fn index_tensor(indices: &[usize], like: &Tensor) -> Result<Tensor> {
    let indices: Vec<i32> = indices.iter().map(|&index| index as i32).collect();
    Tensor::from_slice(&indices, [indices.len() as i64], like.device())
}

/// The numbers from 0 up to `end`, which is excluded, in a floating-point type.
pub(crate) fn arange(end: usize, like: &Tensor) -> Result<Tensor> {
    Tensor::arange_with(0, end as i64, 1, Some(float_type(like)), Some(like.device()))
}

/// Ones in a floating-point type.
pub(crate) fn ones(shape: &[i64], like: &Tensor) -> Result<Tensor> {
    Tensor::full_with(shape, 1.0, Some(float_type(like)), Some(like.device()))
}

/// The elements of a tensor in float32, in order.
pub(crate) async fn read_numbers(x: &Tensor) -> Result<Vec<f64>> {
    let elements = x.to(DType::F32)?.to_vec::<f32>().await?;
    Ok(elements.into_iter().map(f64::from).collect())
}
