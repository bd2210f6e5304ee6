//! Rust's operators on tensors are the ops of their names.

use crate::common::*;

#[test]
fn operators_take_references_tensors_numbers_and_results() -> Result<()> {
    let _device = device();
    let (x, y) = (tensor(&[1.0, -2.0], &[2]), tensor(&[3.0, 4.0], &[2]));
    assert_eq!(read(&(&x + &y)?), [4.0, 2.0]);
    assert_eq!(read(&(&x - y.clone())?), [-2.0, -6.0]);
    assert_eq!(read(&(x.clone() * 2)?), [2.0, -4.0]);
    assert_eq!(read(&(&x + &y * &y)?), [10.0, 14.0]);
    assert_eq!(read(&((&x + 1.0)? / &y)?), [2.0 / 3.0, -0.25]);
    assert_eq!(read(&(&x % &y)?), [1.0, 2.0]);
    assert_eq!(read(&(-&x)?), [-1.0, 2.0]);
    Ok(())
}

#[test]
fn a_number_stands_on_either_side() -> Result<()> {
    let _device = device();
    let x = tensor(&[1.0, -2.0], &[2]);
    assert_eq!(read(&(1 + &x)?), [2.0, -1.0]);
    assert_eq!(read(&(1.0 - &x)?), [0.0, 3.0]);
    assert_eq!(read(&(3 * x.clone())?), [3.0, -6.0]);
    assert_eq!(read(&(1.0 / &x)?), [1.0, -0.5]);
    Ok(())
}

#[test]
fn a_number_promotes_as_the_argument_of_an_op_does() -> Result<()> {
    let device = device();
    let x = Tensor::from_slice(&[1, 2], [2], &device)?;
    assert_eq!((&x * 2)?.dtype(), DType::I32);
    assert_eq!((2 * &x)?.dtype(), DType::I32);
    assert_eq!((&x * 2.0)?.dtype(), DType::F32);
    assert_eq!((2 / &x)?.dtype(), DType::F32);
    Ok(())
}

#[test]
fn an_error_in_an_expression_is_that_of_the_first_op_that_fails() {
    let _device = device();
    let (x, y) = (tensor(&[1.0, 2.0], &[2]), tensor(&[1.0, 2.0, 3.0], &[3]));
    let error = (&x + &x * &y).unwrap_err();
    assert!(error.is_shape(), "{error}");
    assert!(error.to_string().starts_with("mul:"), "{error}");
}

#[test]
fn operators_have_gradients() -> Result<()> {
    let _device = device();
    let x = tensor(&[1.0, -2.0], &[2]).requires_grad_(true)?;
    ((1.0 / &x)? + &x * 3.0)?.sum_all()?.backward()?;
    assert_eq!(read(&x.grad().unwrap()), [2.0, 2.75]);
    assert_eq!(read(&x.detach().mean_all()?), [-0.5]);
    Ok(())
}
