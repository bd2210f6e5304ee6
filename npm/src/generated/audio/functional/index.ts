// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Sound as functions of tensors, as `torchaudio.functional`. */
export {
  createDct, linearFbanks, melscaleFbanks, type DctNorm, type MelNorm, type MelScaleKind,
} from '../functional/banks.js';
export {
  allpassBiquad, bandBiquad, bandpassBiquad, bandrejectBiquad, bassBiquad, deemphBiquad,
  equalizerBiquad, highpassBiquad, lowpassBiquad, riaaBiquad, trebleBiquad,
} from '../functional/biquads.js';
export { muLawDecoding, muLawEncoding } from '../functional/coding.js';
export { addNoise, convolve, fftconvolve, type ConvolveMode } from '../functional/convolution.js';
export {
  contrast, dcshift, dither, flanger, gain, overdrive, phaser, type DelayInterpolation,
  type DensityFunction, type Modulation,
} from '../functional/effects.js';
export {
  computeDeltas, detectPitchFrequency, maskAlongAxis, maskAlongAxisIid, slidingWindowCmn,
} from '../functional/features.js';
export { biquad, deemphasis, filtfilt, lfilter, preemphasis } from '../functional/filtering.js';
export type { SpectrogramNorm } from '../functional/frames.js';
export { amplitudeToDb, dbToAmplitude } from '../functional/level.js';
export { loudness } from '../functional/loudness.js';
export { resample, type ResamplingMethod } from '../functional/resampling.js';
export {
  griffinlim, inverseSpectrogram, spectralCentroid, spectrogram,
} from '../functional/spectrum.js';
export { phaseVocoder, pitchShift, speed } from '../functional/time.js';
export { vad } from '../functional/voice.js';
export { whisperLogMel } from '../functional/whisper.js';
export { editDistance } from '../../../audio/host.js';
