// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Transforms as objects, as `torchaudio.transforms`.
 *
 * An object holds its window, filters and options, and `forward` applies it.
 */
export {
  ComputeDeltas, FrequencyMasking, SlidingWindowCmn, TimeMasking,
} from '../transforms/features.js';
export {
  AddNoise, Convolve, Deemphasis, FFTConvolve, Loudness, Preemphasis, Vad,
} from '../transforms/filters.js';
export {
  AmplitudeToDB, Fade, MuLawDecoding, MuLawEncoding, Vol, type DbKind, type FadeShape,
  type GainType,
} from '../transforms/level.js';
export { InverseMelScale, LFCC, MFCC, MelScale, MelSpectrogram } from '../transforms/mel.js';
export { Resample } from '../transforms/resampling.js';
export {
  GriffinLim, InverseSpectrogram, SpectralCentroid, Spectrogram,
} from '../transforms/spectrogram.js';
export { PitchShift, Speed, SpeedPerturbation, TimeStretch } from '../transforms/time.js';
