//! Limits, extremes and deviations at NaN, infinity and the ends of float32 on every backend,
//! compared with PyTorch 2.15's answers, and errors that depend on elements. `edge` samples of
//! `tests/golden/ops` have such calls of all other ops. These tests have the calls whose answers
//! differ from PyTorch's, or are not exact.

use lanthorn::{CudaHostOptions, Device, Result, Scalar, Tensor};
use pollster::block_on;

const NAN: f32 = f32::NAN;
const INFINITY: f32 = f32::INFINITY;

#[track_caller]
fn close(got: &Tensor, want: &[f32]) {
    let got = block_on(got.to_vec::<f32>()).unwrap();
    let near = |(got, want): (&f32, &f32)| {
        got == want || (got.is_nan() && want.is_nan()) || (got - want).abs() <= 2e-6 * want.abs().max(got.abs())
    };
    assert!(got.len() == want.len() && got.iter().zip(want).all(near), "{got:?}, expected {want:?}");
}

/// The value of a function and its gradient.
#[track_caller]
fn check(
    device: &Device,
    x: &[f32],
    call: impl Fn(&Tensor) -> Result<Tensor>,
    value: &[f32],
    gradient: &[f32],
) -> Result<()> {
    let x = Tensor::from_slice(x, [x.len() as i64], device)?.requires_grad_(true)?;
    let y = call(&x)?;
    close(&y, value);
    y.sum((), false)?.backward()?;
    close(&x.grad().expect("a gradient"), gradient);
    Ok(())
}

fn edges(device: &Device) -> Result<()> {
    device.set_default();
    let (low, high) = (Some(Scalar::Int(-1)), Some(Scalar::Int(1)));
    let x = [-INFINITY, -1.0, 0.5, 1.0, INFINITY, NAN];
    check(device, &x, |x| x.clamp(low, high), &[-1.0, -1.0, 0.5, 1.0, 1.0, NAN], &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0])?;
    check(device, &x, |x| x.clamp(Some(Scalar::Float(f64::NAN)), high), &[NAN; 6], &[0.0; 6])?;
    let (least, most) = (Tensor::full([], -1.0)?, Tensor::full([], 1.0)?);
    let between = |x: &Tensor| x.clamp_tensor(Some(&least), Some(&most));
    check(device, &x, between, &[-1.0, -1.0, 0.5, 1.0, 1.0, NAN], &[0.0, 0.5, 1.0, 0.5, 0.0, 1.0])?;
    check(device, &[1.0, NAN, 2.0, NAN], |x| x.max(), &[NAN], &[0.0, 0.5, 0.0, 0.5])?;
    check(device, &[1.0, NAN, 2.0, NAN], |x| x.amin((), false), &[NAN], &[NAN; 4])?;
    let half = std::f32::consts::FRAC_1_SQRT_2;
    check(device, &[1e20, 2e20, 3e20], |x| x.std(()), &[1e20], &[-0.5, 0.0, 0.5])?;
    check(device, &[1e-30, 2e-30], |x| x.std(()), &[half * 1e-30], &[-half, half])?;
    check(device, &[1e20, 1e20], |x| x.std(()), &[0.0], &[0.0, 0.0])?;
    check(device, &[1.0, INFINITY], |x| x.std(()), &[NAN], &[NAN, NAN])?;
    // The cosine of a vector and itself is 1, however large the squares. PyTorch returns 0 once
    // their sum overflows.
    for size in [1e19, 3e38] {
        let x = Tensor::full([5], size)?;
        close(&Tensor::cosine_similarity(&x, &x, 0, 1e-8)?, &[1.0]);
    }
    // If as many samples are drawn as there are factors above 0, exactly these are drawn.
    let weights = Tensor::from_slice(&[0.0f32, 2.0, 0.0, 1.0], [4], device)?;
    let drawn = block_on(weights.multinomial(2, false)?.sort(0, false)?.0.to_vec::<i32>())?;
    assert_eq!(drawn, [1, 3]);
    let drawn = block_on(weights.multinomial(64, true)?.to_vec::<i32>())?;
    assert!(drawn.iter().all(|index| [1, 3].contains(index)), "{drawn:?}");
    let refused = [
        (weights.multinomial(3, false)?, "multinomial: a row has fewer weights above 0 than samples are drawn"),
        (weights.mul(0.0)?.multinomial(1, true)?, "multinomial: a row has no weight above 0"),
        (weights.sub(1.0)?.multinomial(1, true)?, "multinomial: a weight is negative, infinite or NaN"),
        (weights.bernoulli()?, "bernoulli: a probability is not from 0 to 1"),
        (Tensor::normal(0.0, &weights.neg()?)?, "normal: a standard deviation is negative or NaN"),
        (
            weights.binary_cross_entropy(&weights, None)?,
            "binary_cross_entropy: an element of the input is not from 0 to 1",
        ),
    ];
    for (result, message) in refused {
        let error = block_on(result.to_bytes()).expect_err(message);
        assert!(error.to_string().starts_with(message), "{error}, expected {message}");
        assert!(error.is_argument());
    }
    assert_eq!(block_on(weights.to_vec::<f32>())?, [0.0, 2.0, 0.0, 1.0]);
    Ok(())
}

#[test]
fn on_the_cpu() -> Result<()> {
    edges(&lanthorn::cpu())
}

#[test]
fn on_webgpu() -> Result<()> {
    edges(&block_on(lanthorn::wgpu()).expect("this test needs a WebGPU adapter; lavapipe will do"))
}

#[test]
fn on_the_emulated_cuda_device() -> Result<()> {
    edges(&lanthorn::cuda_host(CudaHostOptions::default())?)
}
