//! Tensors of the type and device of another tensor.

use lanthorn_tensor::{DType, Error, Operand, Result, Tensor};

/// Sizes as an op takes them.
pub(crate) fn ints(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&size| size as i64).collect()
}

/// Whether the elements are floating-point numbers.
pub(crate) fn is_float(x: &Tensor) -> bool {
    x.dtype().is_floating_point()
}

/// A tensor of one number.
pub(crate) fn full(shape: &[usize], value: f64, like: &Tensor) -> Result<Tensor> {
    Tensor::full_with(ints(shape), value, Some(like.dtype()), Some(like.device()))
}

/// A tensor of zeros.
pub(crate) fn zeros(shape: &[usize], like: &Tensor) -> Result<Tensor> {
    full(shape, 0.0, like)
}

/// The numbers from 0 up to `end`, which is excluded, as int32.
pub(crate) fn index_tensor(end: usize, like: &Tensor) -> Result<Tensor> {
    Tensor::arange_with(0, end as i64, 1, Some(DType::I32), Some(like.device()))
}

/// The thresholds of a binned curve: a vector, or that many numbers from 0 to 1.
///
/// # Errors
/// `argument` for fewer than 2 thresholds, or a tensor that is no vector.
pub(crate) fn threshold_tensor(op: &str, thresholds: &Operand, like: &Tensor) -> Result<Tensor> {
    let tensor = match thresholds {
        Operand::Tensor(tensor) => tensor.to(DType::F32)?,
        Operand::Scalar(count) => {
            let count = count.to_f64();
            if count < 2.0 || count.fract() != 0.0 {
                let message = format!("thresholds must be an integer from 2 or a vector, and is {count}");
                return Err(Error::argument(op, message));
            }
            Tensor::linspace_with(0, 1, count as i64, Some(DType::F32), Some(like.device()))?
        }
    };
    if tensor.rank() != 1 {
        return Err(Error::argument(op, format!("thresholds must be a vector, and has {} dimensions", tensor.rank())));
    }
    Ok(tensor)
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

/// The words of a text, between white space.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

/// The characters of a text.
pub(crate) fn characters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

/// A number as a float32 tensor of the default device.
pub(crate) fn number_tensor(value: f64) -> Result<Tensor> {
    Tensor::full([], value)
}
