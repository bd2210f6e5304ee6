//! Answers of torchaudio and librosa, `tests/golden/audio.json`: values and gradients on the CPU,
//! and values on WebGPU.

use lanthorn_audio::functional::*;
use lanthorn_audio::transforms::*;
use lanthorn_tensor::{DType, Device, PadMode, Result, Tensor};
use pollster::block_on;
use serde_json::Value;
use std::path::Path;

fn answers() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/audio.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f32> {
    value["data"].as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect()
}

fn sizes(value: &Value) -> Vec<i64> {
    value["shape"].as_array().unwrap().iter().map(|size| size.as_i64().unwrap()).collect()
}

/// The arguments of a case.
struct Args<'a> {
    list: &'a [Value],
    tensors: Vec<Option<Tensor>>,
}

impl<'a> Args<'a> {
    fn new(device: &'a Device, inputs: &'a Value, list: &'a Value) -> Args<'a> {
        let list = list.as_array().unwrap().as_slice();
        let tensor = |value: &Value| {
            let name = value.as_str()?.strip_prefix('$')?;
            let input = &inputs[name];
            let tensor = Tensor::from_slice(&numbers(input), sizes(input), device).unwrap();
            Some(if input["integer"] == true { tensor.int().unwrap() } else { tensor.requires_grad_(true).unwrap() })
        };
        Args { list, tensors: list.iter().map(tensor).collect() }
    }

    fn tensor(&self, index: usize) -> &Tensor {
        self.tensors[index].as_ref().unwrap()
    }

    fn float(&self, index: usize) -> f64 {
        self.list[index].as_f64().unwrap()
    }

    fn size(&self, index: usize) -> usize {
        self.list[index].as_u64().unwrap() as usize
    }

    fn flag(&self, index: usize) -> bool {
        self.list[index].as_bool().unwrap()
    }

    fn text(&self, index: usize) -> &str {
        self.list[index].as_str().unwrap()
    }

    fn maybe_float(&self, index: usize) -> Option<f64> {
        self.list[index].as_f64()
    }

    fn maybe_size(&self, index: usize) -> Option<usize> {
        self.list[index].as_u64().map(|size| size as usize)
    }

    fn normalized(&self, index: usize) -> SpectrogramNorm {
        match self.text(index) {
            "none" => SpectrogramNorm::None,
            "window" => SpectrogramNorm::Window,
            other => (other == "frame_length").then_some(SpectrogramNorm::FrameLength).unwrap(),
        }
    }

    fn pad_mode(&self, index: usize) -> PadMode {
        self.text(index).parse().unwrap()
    }

    fn mel_norm(&self, index: usize) -> Option<MelNorm> {
        self.list[index].as_str().map(|_| MelNorm::Slaney)
    }

    fn mel_scale(&self, index: usize) -> MelScaleKind {
        if self.text(index) == "htk" { MelScaleKind::Htk } else { MelScaleKind::Slaney }
    }

    fn dct_norm(&self, index: usize) -> Option<DctNorm> {
        self.list[index].as_str().map(|_| DctNorm::Ortho)
    }

    fn convolve_mode(&self, index: usize) -> ConvolveMode {
        match self.text(index) {
            "full" => ConvolveMode::Full,
            "valid" => ConvolveMode::Valid,
            _ => ConvolveMode::Same,
        }
    }

    fn method(&self, index: usize) -> ResamplingMethod {
        match self.text(index) {
            "sinc_interp_hann" => ResamplingMethod::SincInterpHann,
            _ => ResamplingMethod::SincInterpKaiser,
        }
    }
}

fn spectra(name: &str, a: &Args) -> Option<Result<Tensor>> {
    Some(match name {
        "spectrogram" => spectrogram(
            a.tensor(0),
            a.size(1),
            a.tensor(2),
            a.size(3),
            a.size(4),
            a.size(5),
            a.maybe_float(6),
            a.normalized(7),
            a.flag(8),
            a.pad_mode(9),
            a.flag(10),
        ),
        "inverse_spectrogram" => inverse_spectrogram(
            a.tensor(0),
            a.maybe_size(1),
            a.size(2),
            a.tensor(3),
            a.size(4),
            a.size(5),
            a.size(6),
            a.normalized(7),
            a.flag(8),
            a.pad_mode(9),
            a.flag(10),
        ),
        "griffinlim" => griffinlim(
            a.tensor(0),
            a.tensor(1),
            a.size(2),
            a.size(3),
            a.size(4),
            a.float(5),
            a.size(6),
            a.float(7),
            a.maybe_size(8),
            a.flag(9),
        ),
        "spectral_centroid" => {
            spectral_centroid(a.tensor(0), a.size(1), a.size(2), a.tensor(3), a.size(4), a.size(5), a.size(6))
        }
        "amplitude_to_db" => amplitude_to_db(a.tensor(0), a.float(1), a.float(2), a.float(3), a.maybe_float(4)),
        "db_to_amplitude" => db_to_amplitude(a.tensor(0), a.float(1), a.float(2)),
        "melscale_fbanks" => {
            let (norm, scale) = (a.mel_norm(5), a.mel_scale(6));
            melscale_fbanks(a.size(0), a.float(1), a.float(2), a.size(3), a.size(4), norm, scale)
        }
        "linear_fbanks" => linear_fbanks(a.size(0), a.float(1), a.float(2), a.size(3), a.size(4)),
        "create_dct" => create_dct(a.size(0), a.size(1), a.dct_norm(2)),
        "compute_deltas" => compute_deltas(a.tensor(0), a.size(1), a.pad_mode(2)),
        "sliding_window_cmn" => sliding_window_cmn(a.tensor(0), a.size(1), a.size(2), a.flag(3), a.flag(4)),
        "detect_pitch_frequency" => {
            detect_pitch_frequency(a.tensor(0), a.size(1), a.float(2), a.size(3), a.size(4), a.size(5))
        }
        "mu_law_encoding" => mu_law_encoding(a.tensor(0), a.size(1)),
        "mu_law_decoding" => mu_law_decoding(a.tensor(0), a.size(1)),
        "resample" => resample(a.tensor(0), a.size(1), a.size(2), a.size(3), a.float(4), a.method(5), a.maybe_float(6)),
        "whisper_log_mel" => whisper_log_mel(a.tensor(0), a.size(1), a.size(2)),
        _ => return filters(name, a),
    })
}

fn filters(name: &str, a: &Args) -> Option<Result<Tensor>> {
    type Filter = fn(&Tensor, usize, f64, f64) -> Result<Tensor>;
    let plain: Option<Filter> = match name {
        "allpass_biquad" => Some(allpass_biquad),
        "bandreject_biquad" => Some(bandreject_biquad),
        "highpass_biquad" => Some(highpass_biquad),
        "lowpass_biquad" => Some(lowpass_biquad),
        _ => None,
    };
    if let Some(filter) = plain {
        return Some(filter(a.tensor(0), a.size(1), a.float(2), a.float(3)));
    }
    Some(match name {
        "lfilter" => lfilter(a.tensor(0), a.tensor(1), a.tensor(2), a.flag(3), a.flag(4)),
        "filtfilt" => filtfilt(a.tensor(0), a.tensor(1), a.tensor(2), a.flag(3)),
        "biquad" => biquad(a.tensor(0), a.float(1), a.float(2), a.float(3), a.float(4), a.float(5), a.float(6)),
        "band_biquad" => band_biquad(a.tensor(0), a.size(1), a.float(2), a.float(3), a.flag(4)),
        "bandpass_biquad" => bandpass_biquad(a.tensor(0), a.size(1), a.float(2), a.float(3), a.flag(4)),
        "bass_biquad" => bass_biquad(a.tensor(0), a.size(1), a.float(2), a.float(3), a.float(4)),
        "equalizer_biquad" => equalizer_biquad(a.tensor(0), a.size(1), a.float(2), a.float(3), a.float(4)),
        "treble_biquad" => treble_biquad(a.tensor(0), a.size(1), a.float(2), a.float(3), a.float(4)),
        "deemph_biquad" => deemph_biquad(a.tensor(0), a.size(1)),
        "riaa_biquad" => riaa_biquad(a.tensor(0), a.size(1)),
        "preemphasis" => preemphasis(a.tensor(0), a.float(1)),
        "deemphasis" => deemphasis(a.tensor(0), a.float(1)),
        "loudness" => loudness(a.tensor(0), a.size(1)),
        "add_noise" => add_noise(a.tensor(0), a.tensor(1), a.tensor(2), Some(a.tensor(3))),
        "convolve" => convolve(a.tensor(0), a.tensor(1), a.convolve_mode(2)),
        "fftconvolve" => fftconvolve(a.tensor(0), a.tensor(1), a.convolve_mode(2)),
        _ => return effects(name, a),
    })
}

fn effects(name: &str, a: &Args) -> Option<Result<Tensor>> {
    Some(match name {
        "contrast" => contrast(a.tensor(0), a.float(1)),
        "dcshift" => dcshift(a.tensor(0), a.float(1), a.maybe_float(2)),
        "gain" => gain(a.tensor(0), a.float(1)),
        "dither" => dither(a.tensor(0), DensityFunction::Tpdf, a.flag(2)),
        "overdrive" => overdrive(a.tensor(0), a.float(1), a.float(2)),
        "phaser" => {
            phaser(a.tensor(0), a.size(1), a.float(2), a.float(3), a.float(4), a.float(5), a.float(6), a.flag(7))
        }
        "flanger" => {
            let modulation = match a.text(8) {
                "sinusoidal" => Modulation::Sinusoidal,
                _ => Modulation::Triangular,
            };
            let interpolation = match a.text(9) {
                "linear" => DelayInterpolation::Linear,
                _ => DelayInterpolation::Quadratic,
            };
            flanger(
                a.tensor(0),
                a.size(1),
                a.float(2),
                a.float(3),
                a.float(4),
                a.float(5),
                a.float(6),
                a.float(7),
                modulation,
                interpolation,
            )
        }
        "phase_vocoder" => phase_vocoder(a.tensor(0), a.float(1), a.tensor(2)),
        "speed" => speed(a.tensor(0), a.size(1), a.float(2), None).map(|(faster, _)| faster),
        "pitch_shift" => {
            let (win_length, hop_length) = (a.maybe_size(5), a.maybe_size(6));
            pitch_shift(a.tensor(0), a.size(1), a.float(2), a.size(3), a.size(4), win_length, hop_length, None)
        }
        _ => return None,
    })
}

fn transform(name: &str, i: &Args, a: &Args) -> Option<Result<Tensor>> {
    Some(match name {
        "Spectrogram" => Spectrogram::new(
            i.size(0),
            i.maybe_size(1),
            i.maybe_size(2),
            i.size(3),
            None,
            i.maybe_float(5),
            i.normalized(6),
            i.flag(7),
            i.pad_mode(8),
            i.flag(9),
        )
        .and_then(|transform| transform.forward(a.tensor(0))),
        "InverseSpectrogram" => InverseSpectrogram::new(
            i.size(0),
            i.maybe_size(1),
            i.maybe_size(2),
            i.size(3),
            None,
            i.normalized(5),
            i.flag(6),
            i.pad_mode(7),
            i.flag(8),
        )
        .and_then(|transform| transform.forward(a.tensor(0), a.maybe_size(1))),
        "GriffinLim" => GriffinLim::new(
            i.size(0),
            i.size(1),
            i.maybe_size(2),
            i.maybe_size(3),
            None,
            i.float(5),
            i.float(6),
            i.maybe_size(7),
            i.flag(8),
        )
        .and_then(|transform| transform.forward(a.tensor(0))),
        "SpectralCentroid" => {
            SpectralCentroid::new(i.size(0), i.size(1), i.maybe_size(2), i.maybe_size(3), i.size(4), None)
                .and_then(|transform| transform.forward(a.tensor(0)))
        }
        "MelScale" => {
            MelScale::new(i.size(0), i.size(1), i.float(2), i.maybe_float(3), i.size(4), i.mel_norm(5), i.mel_scale(6))
                .and_then(|transform| transform.forward(a.tensor(0)))
        }
        "MelSpectrogram" => MelSpectrogram::new(
            i.size(0),
            i.size(1),
            i.maybe_size(2),
            i.maybe_size(3),
            i.float(4),
            i.maybe_float(5),
            i.size(6),
            i.size(7),
            None,
            i.float(9),
            i.normalized(10),
            i.flag(11),
            i.pad_mode(12),
            i.mel_norm(13),
            i.mel_scale(14),
        )
        .and_then(|transform| transform.forward(a.tensor(0))),
        "InverseMelScale" => InverseMelScale::new(
            i.size(0),
            i.size(1),
            i.size(2),
            i.float(3),
            i.maybe_float(4),
            i.mel_norm(5),
            i.mel_scale(6),
        )
        .and_then(|transform| transform.forward(a.tensor(0))),
        "MFCC" => MFCC::new(i.size(0), i.size(1), i.size(2), i.dct_norm(3), i.flag(4), None)
            .and_then(|transform| transform.forward(a.tensor(0))),
        "LFCC" => LFCC::new(
            i.size(0),
            i.size(1),
            i.float(2),
            i.maybe_float(3),
            i.size(4),
            i.size(5),
            i.dct_norm(6),
            i.flag(7),
            None,
        )
        .and_then(|transform| transform.forward(a.tensor(0))),
        _ => return small_transforms(name, i, a),
    })
}

fn small_transforms(name: &str, i: &Args, a: &Args) -> Option<Result<Tensor>> {
    Some(match name {
        "AmplitudeToDB" => {
            AmplitudeToDB::new(DbKind::Magnitude, i.maybe_float(1)).and_then(|transform| transform.forward(a.tensor(0)))
        }
        "Resample" => Resample::new(i.size(0), i.size(1), i.method(2), i.size(3), i.float(4), i.maybe_float(5))
            .and_then(|transform| transform.forward(a.tensor(0))),
        "Fade" => {
            let shape = match i.text(2) {
                "linear" => FadeShape::Linear,
                "exponential" => FadeShape::Exponential,
                "logarithmic" => FadeShape::Logarithmic,
                "quarter_sine" => FadeShape::QuarterSine,
                _ => FadeShape::HalfSine,
            };
            Fade::new(i.size(0), i.size(1), shape).forward(a.tensor(0))
        }
        "TimeStretch" => TimeStretch::new(i.maybe_size(0), i.size(1), i.maybe_float(2))
            .and_then(|transform| transform.forward(a.tensor(0), None)),
        "Vol" => {
            let kind = if i.text(1) == "db" { GainType::Db } else { GainType::Power };
            Vol::new(i.float(0), kind).and_then(|transform| transform.forward(a.tensor(0)))
        }
        _ => return None,
    })
}

fn host(x: &Tensor) -> Vec<f32> {
    block_on(x.to(DType::F32).unwrap().contiguous().unwrap().to_vec::<f32>()).unwrap()
}

/// The first difference to an answer, relative to its largest number.
fn difference(got: &Tensor, want: &Value, tolerance: f32) -> Option<String> {
    if got.shape().to_i64() != sizes(want) {
        return Some(format!("shape {} instead of {:?}", got.shape(), sizes(want)));
    }
    let want = numbers(want);
    let largest = want.iter().fold(1e-3f32, |largest, number| largest.max(number.abs()));
    let is_close = |(got, want): (f32, &f32)| (got - want).abs() <= tolerance * largest;
    let wrong = host(got).into_iter().zip(&want).position(|pair| !is_close(pair));
    wrong.map(|at| format!("{} instead of {} at {at} (up to {largest})", host(got)[at], want[at]))
}

/// The voice that is left of a recording: torchaudio's number of samples, at its end.
fn vad_failure(name: &str, case: &Value, a: &Args) -> String {
    if name != "vad" {
        return format!("there is no test of {name}\n");
    }
    let float = |index| a.float(index);
    let voice = block_on(vad(
        a.tensor(0),
        a.size(1),
        float(2),
        float(3),
        float(4),
        float(5),
        float(6),
        float(7),
        float(8),
        float(9),
        float(10),
        float(11),
        a.maybe_float(12),
        float(13),
        float(14),
        float(15),
        float(16),
        float(17),
    ));
    let length = voice.unwrap().shape()[1];
    if case["tail"] == length { String::new() } else { format!("vad: {length} instead of {}\n", case["tail"]) }
}

/// Runs all cases; returns their number.
fn check(device: &Device, tolerance: f32, has_gradients: bool) -> usize {
    let answers = answers();
    let inputs = &answers["inputs"];
    let (mut failures, mut count) = (String::new(), 0);
    for case in answers["cases"].as_array().unwrap() {
        let args = Args::new(device, inputs, &case["args"]);
        let name = case["name"].as_str().or(case["transform"].as_str()).unwrap();
        let result = match case["init"].is_array() {
            true => transform(name, &Args::new(device, inputs, &case["init"]), &args),
            false => spectra(name, &args),
        };
        let Some(result) = result else {
            failures += &vad_failure(name, case, &args);
            continue;
        };
        count += 1;
        let got = match result {
            Ok(got) => got,
            Err(error) => {
                failures += &format!("{name}: {error}\n");
                continue;
            }
        };
        if let Some(text) = difference(&got, &case["result"], tolerance) {
            failures += &format!("{name} {}: {text}\n", case["args"]);
        }
        if !has_gradients || !case["grads"].is_array() {
            continue;
        }
        let ramp = Tensor::linspace(0.5, 1.5, got.numel() as i64).unwrap();
        got.flatten(0, -1).unwrap().mul(&ramp).unwrap().sum((), false).unwrap().backward().unwrap();
        for (index, want) in case["grads"].as_array().unwrap().iter().enumerate().filter(|(_, want)| !want.is_null()) {
            let grad = args.tensor(index).grad().unwrap();
            if let Some(text) = difference(&grad, want, tolerance) {
                failures += &format!("{name} {}, gradient of {index}: {text}\n", case["args"]);
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    count
}

#[test]
fn answers_and_gradients_are_those_of_torchaudio_on_the_cpu() {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    assert!(check(&device, 3e-5, true) >= 80);
}

#[test]
fn answers_are_those_of_torchaudio_on_webgpu() {
    let backend = block_on(lanthorn_wgpu::WgpuBackend::new(lanthorn_wgpu::Options::default())).unwrap();
    let device = Device::new(backend);
    assert!(check(&device, 2e-4, false) >= 80);
}
