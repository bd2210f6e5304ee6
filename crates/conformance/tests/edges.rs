//! Limits, extremes and deviations at NaN, infinity and the ends of float32 on every backend,
//! against PyTorch 2.15's answers.
#![cfg(not(target_arch = "wasm32"))]

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
    check(device, &[1.0, INFINITY], |x| x.std(()), &[NAN], &[NAN, NAN])
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
