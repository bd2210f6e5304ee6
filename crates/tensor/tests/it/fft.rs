//! Fourier transforms against their definition, for lengths of every kind, and against one another.

use crate::common::*;
use lanthorn_tensor::{DType, trace};
use std::f64::consts::PI;

/// Numbers without a pattern, in `-1..1`.
fn noise(count: usize) -> Vec<f64> {
    (0..count).map(|i| ((i as f64 * 12.9898 + 4.1).sin() * 43758.5453).fract()).collect()
}

/// The definition: pairs to pairs.
fn definition(x: &[f64], sign: f64) -> Vec<f64> {
    let n = x.len() / 2;
    let root = |power: usize| (sign * 2.0 * PI * (power % n) as f64 / n as f64).sin_cos();
    let sum = |k: usize| {
        (0..n).fold([0.0, 0.0], |[re, im], j| {
            let ((sin, cos), [a, b]) = (root(j * k), [x[2 * j], x[2 * j + 1]]);
            [re + a * cos - b * sin, im + a * sin + b * cos]
        })
    };
    (0..n).flat_map(sum).collect()
}

fn doubles(values: &[f64], shape: &[i64]) -> Result<Tensor> {
    Tensor::from_slice(values, shape.to_vec(), &device())
}

fn read_doubles(x: &Tensor) -> Vec<f64> {
    pollster::block_on(x.to_vec()).unwrap()
}

fn close(got: &[f64], want: &[f64], tolerance: f64, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (at, (got, want)) in got.iter().zip(want).enumerate() {
        assert!((got - want).abs() <= tolerance, "{what}, element {at}: {got}, expected {want}");
    }
}

#[test]
fn every_kind_of_length_agrees_with_the_definition() -> Result<()> {
    // Small ones, powers, products of small and of large primes, primes that are one product and primes that are a convolution.
    for n in (1..=33).chain([64, 65, 67, 96, 128, 134, 360, 509, 521, 1000, 1009, 1042, 4489]) {
        let x = noise(2 * n);
        let (tensor, bound) = (doubles(&x, &[n as i64, 2])?, 1e-12 * n as f64);
        close(&read_doubles(&tensor.fft_fft(None, -1, None)?), &definition(&x, -1.0), bound, &format!("fft of {n}"));
        let inverse: Vec<f64> = definition(&x, 1.0).iter().map(|value| value / n as f64).collect();
        close(&read_doubles(&tensor.fft_ifft(None, -1, None)?), &inverse, bound, &format!("ifft of {n}"));
    }
    Ok(())
}

#[test]
fn float32_keeps_its_digits_in_long_transforms() -> Result<()> {
    for n in [1 << 14, 3 * 5 * 7 * 11 * 13, 10007] {
        let x = noise(2 * n);
        let single = doubles(&x, &[n as i64, 2])?.to(DType::F32)?;
        let exact = read_doubles(&single.to(DType::F64)?.fft_fft(None, -1, None)?);
        let got = read_doubles(&single.fft_fft(None, -1, None)?.to(DType::F64)?);
        let size = exact.iter().map(|value| value * value).sum::<f64>().sqrt();
        let error = got.iter().zip(&exact).map(|(got, want)| (got - want).powi(2)).sum::<f64>().sqrt();
        assert!(error < 1e-6 * size, "{n}: {}", error / size);
    }
    Ok(())
}

#[test]
fn real_transforms_are_half_of_the_whole_one() -> Result<()> {
    for n in [1, 2, 5, 8, 30] {
        let x = noise(3 * n);
        let tensor = doubles(&x, &[3, n as i64])?;
        let half = tensor.fft_rfft(None, -1, None)?;
        assert_eq!(half.shape().to_vec(), [3, n / 2 + 1, 2]);
        let pairs = Tensor::stack(&[tensor.clone(), tensor.zeros_like()?], -1)?;
        let whole = pairs.fft_fft(None, -1, None)?.narrow(1, 0, n as i64 / 2 + 1)?;
        close(&read_doubles(&half), &read_doubles(&whole), 1e-12, "rfft");
        close(&read_doubles(&half.fft_irfft(n as i64, -1, None)?), &x, 1e-12, "irfft");
        let ortho = tensor.fft_rfft(None, -1, FftNorm::Ortho)?.fft_irfft(n as i64, -1, FftNorm::Ortho)?;
        close(&read_doubles(&ortho), &x, 1e-12, "ortho");
        let hermitian = tensor.fft_ihfft(None, -1, None)?.fft_hfft(n as i64, -1, None)?;
        close(&read_doubles(&hermitian), &x, 1e-12, "hfft");
    }
    Ok(())
}

#[test]
fn several_dimensions_are_transforms_one_after_another() -> Result<()> {
    let x = noise(2 * 3 * 4 * 5 * 2);
    let tensor = doubles(&x, &[2, 3, 4, 5, 2])?;
    let steps = tensor.fft_fft(None, 1, None)?.fft_fft(None, 3, None)?;
    close(&read_doubles(&tensor.fft_fftn((), [1, 3], None)?), &read_doubles(&steps), 1e-12, "fftn");
    close(&read_doubles(&tensor.fft_fft2((), [-3, -1], None)?), &read_doubles(&steps), 1e-12, "fft2");
    let back = tensor.fft_fftn((), (), FftNorm::Forward)?.fft_ifftn((), (), FftNorm::Forward)?;
    close(&read_doubles(&back), &x, 1e-12, "ifftn");
    let real = doubles(&noise(3 * 4 * 7), &[3, 4, 7])?;
    let back = real.fft_rfftn((), (), None)?.fft_irfftn([3, 4, 7], (), None)?;
    close(&read_doubles(&back), &noise(3 * 4 * 7), 1e-12, "irfftn");
    // Sizes are filled up with zeros, and cut.
    let cut = real.fft_rfft2([2, 9], [0, 2], None)?;
    let padded = real.narrow(0, 0, 2)?.pad([0, 2], PadMode::Constant, None)?.fft_rfft2((), [0, 2], None)?;
    close(&read_doubles(&cut), &read_doubles(&padded), 1e-12, "sizes");
    Ok(())
}

#[test]
fn what_is_refused() -> Result<()> {
    let pairs = doubles(&noise(12), &[6, 2])?;
    refused(pairs.fft_fft(0, -1, None), "shape", &["fft_fft", "0"]);
    refused(pairs.fft_fft(None, 1, None), "argument", &["fft_fft", "dimension 1"]);
    refused(call("fft_fft", &[(&pairs).into(), Arg::Null, 0.into(), text("other")]), "argument", &["norm", "other"]);
    refused(doubles(&noise(12), &[4, 3])?.fft_fft(None, -1, None), "shape", &["pairs", "[4, 3]"]);
    refused(pairs.fft_fftn([2, 2], [0], None), "argument", &["fft_fftn"]);
    refused(pairs.narrow(0, 0, 1)?.fft_irfft(None, -1, None), "shape", &["fft_irfft", "0 points"]);
    refused(pairs.fft_fftn((), [0, 0], None), "argument", &["twice"]);
    Ok(())
}

#[test]
fn a_trace_that_does_not_note_a_transform_is_refused() -> Result<()> {
    // One product; products and twiddle factors; a convolution with a table from the host.
    for n in [8, 96, 521] {
        let x = doubles(&noise(2 * n), &[n as i64, 2])?;
        let (_, calls) = trace::trace(|_, _, _| true, || x.fft_fft(None, -1, None))?;
        assert_eq!(calls.len(), 1);
        let error = trace::trace(|op, _, _| op.name() != "fft_fft", || x.fft_fft(None, -1, None)).unwrap_err();
        assert!(error.to_string().contains("made outside of an operation"), "{error}");
    }
    Ok(())
}
