//! Filters beside plain loops, and errors of arguments.

use lanthorn_audio::functional::*;
use lanthorn_audio::transforms::*;
use lanthorn_tensor::{Device, PadMode, Tensor};
use pollster::block_on;

/// The difference equation, sample by sample.
fn filter_by_loop(x: &[f64], a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut y: Vec<f64> = vec![];
    for t in 0..x.len() {
        let input: f64 = (0..b.len()).filter(|&m| m <= t).map(|m| b[m] * x[t - m]).sum();
        let output: f64 = (1..a.len()).filter(|&m| m <= t).map(|m| a[m] * y[t - m]).sum();
        y.push((input - output) / a[0]);
    }
    y
}

#[test]
fn a_filter_of_any_order_and_length_is_its_difference_equation() {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    for (order, time) in [(0, 5), (1, 1), (2, 64), (2, 65), (5, 1000), (80, 300)] {
        let coefficient =
            |index: usize, scale: f64| scale * ((index * 7 % 11) as f64 - 5.0) / 11.0 / (order + 1) as f64;
        let a: Vec<f64> = (0..=order).map(|index| if index == 0 { 2.0 } else { coefficient(index, 1.9) }).collect();
        let b: Vec<f64> = (0..=order).map(|index| coefficient(index + 3, 1.0)).collect();
        let x: Vec<f64> = (0..time).map(|index| ((index * index % 37) as f64 - 18.0) / 18.0).collect();
        let tensor = |values: &[f64]| Tensor::from_slice(values, [values.len() as i64], &device).unwrap();
        let y = lfilter(&tensor(&x), &tensor(&a), &tensor(&b), false, true).unwrap();
        let got: Vec<f64> = block_on(y.to_vec()).unwrap();
        for (index, (got, want)) in got.iter().zip(filter_by_loop(&x, &a, &b)).enumerate() {
            assert!((got - want).abs() < 1e-9, "order {order}, sample {index}: {got} instead of {want}");
        }
    }
}

#[test]
fn arguments_that_are_wrong_are_named() {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    let x = Tensor::zeros([2, 100]).unwrap();
    let window = Tensor::hann_window(16, true).unwrap();
    let (none, reflect) = (SpectrogramNorm::None, PadMode::Reflect);
    let failures = [
        spectrogram(&x, 0, &window, 32, 8, 32, None, none, true, reflect, true).err(),
        spectrogram(&x, 0, &window, 16, 0, 16, None, none, true, reflect, true).err(),
        inverse_spectrogram(&x, None, 0, &window, 16, 8, 16, none, true, reflect, true).err(),
        griffinlim(&x, &window, 16, 8, 16, 2.0, 1, 1.0, None, false).err(),
        resample(&x, 0, 8000, 6, 0.99, ResamplingMethod::SincInterpHann, None).err(),
        compute_deltas(&x, 2, reflect).err(),
        mask_along_axis(&x, 4, 0.0, 2, 1.0).err(),
        mask_along_axis_iid(&x, 4, 0.0, 1, 1.0).err(),
        lfilter(&x, &window, &x, true, true).err(),
        highpass_biquad(&x, 0, 100.0, 0.7).err(),
        riaa_biquad(&x, 8000).err(),
        contrast(&x, 101.0).err(),
        flanger(
            &Tensor::zeros([5, 8]).unwrap(),
            8000,
            0.0,
            2.0,
            0.0,
            71.0,
            0.5,
            25.0,
            Modulation::Sinusoidal,
            DelayInterpolation::Linear,
        )
        .err(),
        phase_vocoder(&x, 2.0, &window).err(),
        convolve(&x, &window, ConvolveMode::Full).err(),
        add_noise(&x, &x, &x, None).err(),
        loudness(&window, 8000).err(),
        mu_law_encoding(&x, 1).err(),
        whisper_log_mel(&x, 80, 0).err(),
        MelScale::new(10, 16000, 9000.0, Some(8000.0), 201, None, MelScaleKind::Htk).err(),
        MFCC::new(16000, 200, 2, None, false, None).err(),
        AmplitudeToDB::new(DbKind::Power, Some(-1.0)).err(),
        TimeMasking::new(4, false, 2.0).err(),
        SpeedPerturbation::new(16000, &[]).err(),
    ];
    let found: Vec<String> = failures.into_iter().map(|error| error.unwrap().to_string()).collect();
    let names = [
        "spectrogram: window has",
        "spectrogram: n_fft and hop_length",
        "inverse_spectrogram: spectrogram has",
        "griffinlim: momentum",
        "resample: orig_freq",
        "compute_deltas: win_length",
        "mask_along_axis: axis",
        "mask_along_axis_iid: specgram",
        "lfilter: a_coeffs",
        "highpass_biquad: sample_rate",
        "riaa_biquad: sample_rate",
        "contrast: enhancement_amount",
        "flanger: waveform",
        "phase_vocoder: complex_specgrams",
        "convolve: x and y",
        "add_noise: the leading",
        "loudness: waveform",
        "mu_law_encoding: quantization_channels",
        "spectrogram: the waveform",
        "MelScale: f_min",
        "MFCC: n_mfcc",
        "AmplitudeToDB: top_db",
        "TimeMasking: p",
        "SpeedPerturbation: factors",
    ];
    for (message, name) in found.iter().zip(names) {
        assert!(message.starts_with(name), "{message:?} instead of {name:?}");
    }
    assert_eq!(found.len(), names.len());
    drop(device);
}

#[test]
fn masks_and_random_choices_follow_the_seed() {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    let x = Tensor::ones([3, 20, 30]).unwrap();
    let draw = || {
        device.manual_seed(11);
        let masked = mask_along_axis_iid(&x, 9, 0.0, 2, 0.2).unwrap();
        let speed = SpeedPerturbation::new(100, &[0.5, 1.0, 2.0]).unwrap();
        let lengths: Vec<usize> = (0..6).map(|_| speed.forward(&x, None).unwrap().0.shape()[2]).collect();
        (block_on(masked.to_vec::<f32>()).unwrap(), lengths)
    };
    let (mask, lengths) = draw();
    assert_eq!((&mask, &lengths), (&draw().0, &draw().1));
    assert!(lengths.iter().any(|length| *length != lengths[0]), "{lengths:?}");
    // A band has up to 6 of 30 frames, and is the same for all frequencies.
    for example in mask.chunks(600) {
        let zeros = example[..30].iter().filter(|value| **value == 0.0).count();
        assert!(zeros <= 6 && example.chunks(30).all(|row| row == &example[..30]));
    }
}
