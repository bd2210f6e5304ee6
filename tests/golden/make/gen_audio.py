"""Answers of torchaudio and librosa for lanthorn's audio library: tests/golden/audio.json.

A case has the name of a function or of a transform, its arguments in order, and the result. An
argument that is a string with a dollar is one of the inputs. Transforms have the arguments of the
constructor and of forward.
"""
import json
import math
from pathlib import Path

import librosa
import numpy
import torch
import torchaudio.functional as F
import torchaudio.transforms as T

torch.manual_seed(5)
torch.set_default_dtype(torch.float32)

RATE = 8000
time = torch.arange(240) / RATE
speech = torch.stack([0.4 * torch.sin(2 * math.pi * 300 * time), 0.3 * torch.sin(2 * math.pi * (500 + 4000 * time) * time)])
speech = (speech + 0.05 * torch.randn(2, 240)).clamp(-1, 1)
speech = (speech).round(decimals=3)
inputs = {
    "speech": speech,
    "noise": ((torch.randn(2, 240) * 0.1).round(decimals=3)),
    "hann": torch.hann_window(32),
    "hamming": torch.hamming_window(24),
    "features": (torch.randn(2, 6, 9)).round(decimals=3),
    "codes": torch.arange(0, 256, 17),
    "snr": torch.tensor([10.0, 3.0]),
    "lengths": torch.tensor([240, 125]),
    "a": torch.tensor([1.0, -0.6, 0.3, -0.1]),
    "b": torch.tensor([0.4, 0.2, -0.1, 0.05]),
    "a2": torch.tensor([[1.0, -0.9, 0.5], [2.0, 0.4, 0.2]]),
    "b2": torch.tensor([[0.5, 0.1, 0.0], [1.0, -0.5, 0.3]]),
    "short": speech[:, :60].contiguous(),
    "kernel": (torch.randn(2, 11)).round(decimals=3),
}
complex_spectrum = F.spectrogram(speech[0], 0, inputs["hann"], 32, 16, 32, None, False)
inputs["spectrum"] = (torch.view_as_real(complex_spectrum)).round(decimals=3)
inputs["power"] = (complex_spectrum.abs() ** 2).round(decimals=3)
inputs["advance"] = torch.linspace(0, math.pi * 16, 17)[..., None]


def to_list(tensor):
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    assert tensor.double().isfinite().all(), "an answer that is not finite"
    numbers = [float(f"{number:.6g}") for number in tensor.double().flatten().tolist()]
    return {"shape": list(tensor.shape), "data": [int(number) if number == int(number) else number for number in numbers]}


cases = []


def value_of(value):
    return inputs[value[1:]] if isinstance(value, str) and value.startswith("$") else value


def add(name, args, result, **more):
    cases.append({"name": name, "args": args, **({"result": to_list(result)} if result is not None else {}), **more})


def function(name, args, call, of=None, **more):
    values = [value_of(value) for value in args]
    if not of:
        return add(name, args, call(*values), **more)
    # The gradients of the sum of the result times a ramp.
    leaves = [value.detach().clone().requires_grad_() if isinstance(value, torch.Tensor) and value.is_floating_point() else value for value in values]
    result = call(*leaves)
    flat = result.flatten()
    (flat * torch.linspace(0.5, 1.5, len(flat))).sum().backward()
    grads = [to_list(leaf.grad) if isinstance(leaf, torch.Tensor) and leaf.requires_grad and leaf.grad is not None else None for leaf in leaves]
    add(name, args, result.detach(), grads=grads[:of], **more)


def pairs(z):
    return torch.view_as_complex(z.contiguous())


def normalized(kind):
    return False if kind == "none" else kind


def spectrogram(*args):
    args = list(args)
    args[7] = normalized(args[7])
    return F.spectrogram(*args)


function("spectrogram", ["$speech", 0, "$hann", 32, 16, 32, 2.0, "none", True, "reflect", True], spectrogram, of=1)
function("spectrogram", ["$short", 5, "$hamming", 32, 10, 24, 1.0, "window", True, "constant", True], spectrogram, of=1)
function("spectrogram", ["$short", 0, "$hamming", 26, 7, 24, None, "frame_length", False, "reflect", False], lambda *a: torch.view_as_real(spectrogram(*a)))
function("inverse_spectrogram", ["$spectrum", 230, 0, "$hann", 32, 16, 32, "none", True, "reflect", True],
         lambda z, *a: F.inverse_spectrogram(pairs(z), *[normalized(v) if v in ("none", "window") else v for v in a]), of=1)
function("inverse_spectrogram", ["$spectrum", None, 0, "$hann", 32, 16, 32, "window", True, "reflect", True],
         lambda z, *a: F.inverse_spectrogram(pairs(z), *[normalized(v) if isinstance(v, str) else v for v in a]))
function("griffinlim", ["$power", "$hann", 32, 16, 32, 2.0, 3, 0.5, 240, False], F.griffinlim)
function("spectral_centroid", ["$speech", RATE, 0, "$hann", 32, 16, 32], F.spectral_centroid)
function("amplitude_to_db", ["$power", 10.0, 1e-10, 0.3, 30.0], F.amplitude_to_DB)
function("db_to_amplitude", ["$features", 2.0, 0.5], F.DB_to_amplitude)
function("melscale_fbanks", [17, 20.0, 4000.0, 6, RATE, None, "htk"], F.melscale_fbanks)
function("melscale_fbanks", [17, 0.0, 4000.0, 6, RATE, "slaney", "slaney"], F.melscale_fbanks)
add("melscale_fbanks", [17, 0.0, 4000.0, 5, RATE, "slaney", "slaney"],
    torch.tensor(librosa.filters.mel(sr=RATE, n_fft=32, n_mels=5, fmin=0.0, fmax=4000.0).T))
function("linear_fbanks", [17, 20.0, 4000.0, 6, RATE], F.linear_fbanks)
function("create_dct", [5, 12, "ortho"], F.create_dct)
function("create_dct", [5, 12, None], F.create_dct)
function("compute_deltas", ["$features", 5, "replicate"], F.compute_deltas, of=1)
function("compute_deltas", ["$features", 3, "constant"], F.compute_deltas)
function("sliding_window_cmn", ["$features", 4, 2, False, True], F.sliding_window_cmn)
function("sliding_window_cmn", ["$features", 3, 2, True, False], F.sliding_window_cmn)
function("detect_pitch_frequency", ["$speech", RATE, 0.005, 3, 85, 3400], F.detect_pitch_frequency)
function("mu_law_encoding", ["$short", 256], F.mu_law_encoding)
function("mu_law_decoding", ["$codes", 256], F.mu_law_decoding)
function("resample", ["$speech", 8000, 6000, 6, 0.99, "sinc_interp_hann", None], F.resample, of=1)
function("resample", ["$short", 3, 7, 4, 0.9, "sinc_interp_kaiser", 8.0], F.resample)
function("phase_vocoder", ["$spectrum", 1.3, "$advance"], lambda z, rate, advance: torch.view_as_real(F.phase_vocoder(pairs(z), rate, advance)))
function("lfilter", ["$speech", "$a", "$b", False, True], F.lfilter, of=3)
function("lfilter", ["$speech", "$a2", "$b2", True, True], F.lfilter)
function("lfilter", ["$short", "$a2", "$b2", False, False], lambda w, a, b, c, d: F.lfilter(w, a, b, c, d) if True else None)
function("filtfilt", ["$speech", "$a", "$b", True], F.filtfilt)
function("biquad", ["$short", 0.2, 0.1, 0.05, 1.5, -0.4, 0.2], F.biquad)
for name, args in {
    "allpass_biquad": [1000.0, 0.707], "band_biquad": [1000.0, 0.707, False], "bandpass_biquad": [1000.0, 0.707, True],
    "bandreject_biquad": [1000.0, 0.707], "bass_biquad": [6.0, 100.0, 0.707], "equalizer_biquad": [1000.0, -5.0, 0.707],
    "highpass_biquad": [1000.0, 0.707], "lowpass_biquad": [1000.0, 0.707], "treble_biquad": [4.0, 3000.0, 0.707],
}.items():
    function(name, ["$short", RATE, *args], getattr(F, name))
function("band_biquad", ["$short", RATE, 700.0, 1.2, True], F.band_biquad)
function("deemph_biquad", ["$short", 44100], F.deemph_biquad)
function("riaa_biquad", ["$short", 96000], F.riaa_biquad)
function("contrast", ["$short", 75.0], F.contrast)
function("dcshift", ["$short", 0.6, 0.05], lambda w, *a: F.dcshift(w.clone(), *a))
function("dcshift", ["$short", -0.7, 0.05], lambda w, *a: F.dcshift(w.clone(), *a))
function("dcshift", ["$short", 0.9, None], lambda w, *a: F.dcshift(w.clone(), *a))
function("gain", ["$short", 3.0], F.gain)
function("dither", ["$short", "TPDF", True], F.dither)
function("overdrive", ["$short", 20.0, 20.0], F.overdrive)
function("phaser", ["$speech", RATE, 0.6, 0.74, 3.0, 0.4, 60.0, False], F.phaser)
function("flanger", ["$speech", RATE, 0.5, 2.0, 40.0, 71.0, 50.0, 25.0, "sinusoidal", "linear"], F.flanger)
function("flanger", ["$speech", RATE, 0.0, 2.0, 0.0, 71.0, 30.0, 25.0, "triangular", "quadratic"], F.flanger)
function("convolve", ["$short", "$kernel", "full"], F.convolve)
function("convolve", ["$kernel", "$short", "same"], F.convolve)
function("fftconvolve", ["$short", "$kernel", "valid"], F.fftconvolve)
function("add_noise", ["$speech", "$noise", "$snr", "$lengths"], F.add_noise)
function("preemphasis", ["$short", 0.9], F.preemphasis)
function("deemphasis", ["$short", 0.9], F.deemphasis)
function("speed", ["$speech", 8000, 1.25], lambda *a: F.speed(*a)[0])
function("pitch_shift", ["$speech", RATE, 3, 12, 32, None, None], F.pitch_shift)


def whisper_log_mel(audio, n_mels, padding):
    # The published definition: whisper/audio.py, log_mel_spectrogram, with librosa's filter bank.
    audio = torch.nn.functional.pad(audio, (0, padding))
    stft = torch.stft(audio, 400, 160, window=torch.hann_window(400), return_complex=True)
    bank = torch.tensor(librosa.filters.mel(sr=16000, n_fft=400, n_mels=n_mels))
    level = torch.clamp(bank @ stft[..., :-1].abs() ** 2, min=1e-10).log10()
    level = torch.maximum(level, level.max() - 8.0)
    return (level + 4.0) / 4.0


inputs["row"] = speech[0].contiguous()
function("whisper_log_mel", ["$row", 80, 100], whisper_log_mel)


def transform(name, init, args, result, **more):
    cases.append({"transform": name, "init": init, "args": args, "result": to_list(result), **more})


transform("Spectrogram", [32, 24, 10, 3, None, 1.0, "window", True, "reflect", True], ["$speech"],
          T.Spectrogram(32, 24, 10, 3, power=1.0, normalized="window")(speech))
transform("InverseSpectrogram", [32, None, None, 0, None, "none", True, "reflect", True], ["$spectrum", 240],
          T.InverseSpectrogram(32)(pairs(inputs["spectrum"]), 240))
transform("GriffinLim", [32, 4, None, None, None, 2.0, 0.99, 240, False], ["$power"], T.GriffinLim(32, 4, length=240, rand_init=False)(inputs["power"]))
transform("SpectralCentroid", [RATE, 32, None, None, 0, None], ["$speech"], T.SpectralCentroid(RATE, 32)(speech))
transform("MelScale", [6, RATE, 0.0, None, 17, None, "htk"], ["$power"], T.MelScale(6, RATE, 0.0, None, 17)(inputs["power"]))
mel = T.MelSpectrogram(RATE, 32, n_mels=6, norm="slaney", mel_scale="slaney")
transform("MelSpectrogram", [RATE, 32, None, None, 0.0, None, 0, 6, None, 2.0, "none", True, "reflect", "slaney", "slaney"], ["$speech"], mel(speech))
transform("MelSpectrogram", [RATE, 32, None, 12, 0.0, None, 0, 6, None, 2.0, "none", True, "constant", "slaney", "slaney"], ["$speech"],
          torch.tensor(librosa.feature.melspectrogram(y=speech.numpy(), sr=RATE, n_fft=32, hop_length=12, n_mels=6)))
inputs["mel"] = (T.MelScale(5, RATE, 0.0, None, 17)(inputs["power"])).round(decimals=3)
transform("InverseMelScale", [17, 5, RATE, 0.0, None, None, "htk"], ["$mel"], T.InverseMelScale(17, 5, RATE, driver="gelsd")(inputs["mel"]))
transform("MFCC", [RATE, 5, 2, "ortho", False, None], ["$speech"], T.MFCC(RATE, 5)(speech))
transform("MFCC", [RATE, 5, 2, "ortho", True, None], ["$speech"], T.MFCC(RATE, 5, log_mels=True)(speech))
transform("LFCC", [RATE, 20, 0.0, None, 5, 2, "ortho", False, None], ["$speech"], T.LFCC(RATE, 20, n_lfcc=5)(speech))
transform("AmplitudeToDB", ["magnitude", 40.0], ["$power"], T.AmplitudeToDB("magnitude", 40.0)(inputs["power"]))
transform("Resample", [8000, 6000, "sinc_interp_kaiser", 6, 0.99, None], ["$short"], T.Resample(8000, 6000, "sinc_interp_kaiser")(inputs["short"]))
transform("TimeStretch", [None, 17, 0.8], ["$spectrum", None], torch.view_as_real(T.TimeStretch(None, 17, 0.8)(pairs(inputs["spectrum"]))))
for shape in ["linear", "exponential", "logarithmic", "quarter_sine", "half_sine"]:
    transform("Fade", [8, 5, shape], ["$short"], T.Fade(8, 5, shape)(inputs["short"]))
transform("Vol", [3.0, "power"], ["$short"], T.Vol(3.0, "power")(inputs["short"]))
transform("Vol", [-3.0, "db"], ["$short"], T.Vol(-3.0, "db")(inputs["short"]))

# Voice activity: silence, then a voiced tone.
vad_rate = 1000
t = torch.arange(2 * vad_rate) / vad_rate
voice = sum(torch.sin(2 * math.pi * 90 * k * t) / k for k in range(1, 5)) * 0.2 * (t > 1.2)
voice = ((voice + 0.002 * torch.randn(len(t)))).round(decimals=3)
inputs["voice"] = voice[None]
voice = voice[None]
function("loudness", ["$voice", 4000], F.loudness)
vad_args = [vad_rate, 7.0, 0.25, 0.5, 0.25, 0.1, 0.35, 0.1, 0.01, 1.35, 20.0, None, 0.4, 50.0, 450.0, 40.0, 250.0]
vad_result = F.vad(voice, *vad_args)
cases.append({"name": "vad", "args": ["$voice", *vad_args], "tail": vad_result.shape[-1]})
print("vad keeps", vad_result.shape, "of", voice.shape)

path = Path(__file__).parent.parent / "audio.json"
listed_inputs = {name: to_list(value) | {"integer": True} if not value.is_floating_point() else to_list(value) for name, value in inputs.items()}
path.write_text("{\n\"inputs\": " + json.dumps(listed_inputs, separators=(",", ":")) + ",\n\"cases\": [\n"
                + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n}\n")
print(len(cases), "cases,", path.stat().st_size, "bytes")
