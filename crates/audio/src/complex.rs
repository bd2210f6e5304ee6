//! Complex numbers as pairs: a last dimension of size 2 with the real part first.

use lanthorn_tensor::{Error, Result, Tensor};

/// The real parts.
pub(crate) fn real(z: &Tensor) -> Result<Tensor> {
    z.select(-1, 0)
}

/// The imaginary parts.
pub(crate) fn imaginary(z: &Tensor) -> Result<Tensor> {
    z.select(-1, 1)
}

/// The squares of the absolute values.
pub(crate) fn squared_magnitude(z: &Tensor) -> Result<Tensor> {
    real(z)?.square()? + imaginary(z)?.square()?
}

/// The absolute values, whose derivative at 0 is 0.
pub(crate) fn magnitude(z: &Tensor) -> Result<Tensor> {
    let square = squared_magnitude(z)?;
    let is_zero = square.eq(0.0)?;
    let root = square.masked_fill(&is_zero, 1.0)?.sqrt()?;
    root.masked_fill(&is_zero, 0.0)
}

/// The angles in radians, from -pi to pi.
pub(crate) fn angle(z: &Tensor) -> Result<Tensor> {
    imaginary(z)?.atan2(&real(z)?)
}

/// The numbers of an absolute value and an angle.
pub(crate) fn polar(magnitude: &Tensor, angle: &Tensor) -> Result<Tensor> {
    Tensor::stack(&[(magnitude * &angle.cos()?)?, (magnitude * &angle.sin()?)?], -1)
}

/// The products of real numbers and pairs.
pub(crate) fn scale(z: &Tensor, factor: &Tensor) -> Result<Tensor> {
    z * &factor.unsqueeze(-1)?
}

/// The products of pairs.
pub(crate) fn multiply(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (a_real, a_imaginary) = (real(a)?, imaginary(a)?);
    let (b_real, b_imaginary) = (real(b)?, imaginary(b)?);
    let first = ((&a_real * &b_real)? - &(&a_imaginary * &b_imaginary)?)?;
    let second = ((&a_real * &b_imaginary)? + &(&a_imaginary * &b_real)?)?;
    Tensor::stack(&[first, second], -1)
}

/// An error unless the last dimension has size 2.
pub(crate) fn check_pairs(op: &str, param: &str, z: &Tensor) -> Result<()> {
    let shape = z.shape().to_vec();
    if shape.len() < 3 || shape[shape.len() - 1] != 2 {
        let message = format!("{param} has shape {shape:?}, and takes complex numbers as pairs: (..., freq, time, 2)");
        return Err(Error::shape(op, message));
    }
    Ok(())
}
