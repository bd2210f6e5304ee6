//! The derivative of the normalizations: its precision, and its saved tensors.

use crate::common::*;

/// The gradient of a batch normalization of `[N, C]` in a type, as float64.
fn gradient(x: &[f32], g: &[f32], channels: usize, dtype: DType) -> Result<Vec<f64>> {
    let shape = [(x.len() / channels) as i64, channels as i64];
    let x = tensor(x, &shape).to(dtype)?.requires_grad_(true)?;
    let y = x.batch_norm(None, None, None, None, true, 0.1, 1e-5)?;
    y.mul(tensor(g, &shape).to(dtype)?)?.sum((), false)?.backward()?;
    pollster::block_on(x.grad().unwrap().to(DType::F64)?.to_vec::<f64>())
}

#[test]
fn what_a_gradient_has_in_common_cancels_without_rounding() -> Result<()> {
    let _device = device();
    // Two examples of 32 channels, close to each other, and gradients far from 0.
    let number = |of: fn(usize) -> f32| (0..32).map(of).collect::<Vec<_>>();
    let (first, step) = (number(|i| (i * 7 % 32) as f32 / 64.0), number(|i| (1 + i % 5) as f32 / 128.0));
    let second: Vec<f32> = first.iter().zip(&step).map(|(a, b)| a + b).collect();
    let x = [first, second].concat();
    let g = [number(|i| 1000.0 + (i * 5 % 17) as f32 / 8.0), number(|i| 1000.0 + (i * 11 % 13) as f32 / 8.0)].concat();
    let (found, exact) = (gradient(&x, &g, 32, DType::F32)?, gradient(&x, &g, 32, DType::F64)?);
    let largest = exact.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let error = found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(error < 2e-6 * largest, "{error} of {largest}");
    // The gradient of two examples is exactly opposite.
    assert!((0..32).all(|i| found[i] == -found[32 + i]), "{found:?}");
    Ok(())
}

#[test]
fn an_activation_may_overwrite_the_result_but_nothing_the_input() -> Result<()> {
    let _device = device();
    let x = leaf(&[1.0, 2.0, 4.0, 8.0], &[4]);
    let expected = {
        let x = leaf(&[1.0, 2.0, 4.0, 8.0], &[4]);
        x.layer_norm(4, None, None, 1e-5)?.relu()?.square()?.sum((), false)?.backward()?;
        grad_of(&x)
    };
    let y = x.layer_norm(4, None, None, 1e-5)?;
    y.relu_()?;
    y.square()?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), expected);
    let input = x.mul(2.0)?;
    let y = input.layer_norm(4, None, None, 1e-5)?;
    input.add_(1.0)?;
    refused(y.sum((), false)?.backward(), "autograd", &["changed in place"]);
    Ok(())
}

#[test]
fn gradients_go_through_the_statistics() -> Result<()> {
    let _device = device();
    // d/dx of the mean is 1 / n; of 1 / sqrt(variance + eps) it is -rstd^3 (x - mean) / n.
    let x = leaf(&[-1.0, 1.0], &[2]);
    let (_, mean, rstd) = x.native_layer_norm(2, None, None, 3.0)?;
    mean.add(rstd.mul(16.0)?)?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [1.5, -0.5]);
    Ok(())
}
