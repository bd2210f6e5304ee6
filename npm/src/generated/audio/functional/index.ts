// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Sound as functions of tensors, as `torchaudio.functional`. */
export {
  createDct, linearFbanks, melscaleFbanks, type DctNorm, type MelNorm, type MelScaleKind,
} from '../functional/banks.js';
export { muLawDecoding, muLawEncoding } from '../functional/coding.js';
export {
  computeDeltas, detectPitchFrequency, maskAlongAxis, maskAlongAxisIid, slidingWindowCmn,
} from '../functional/features.js';
export { type SpectrogramNorm } from '../functional/frames.js';
export { amplitudeToDb, dbToAmplitude } from '../functional/level.js';
export { resample, type ResamplingMethod } from '../functional/resampling.js';
export {
  griffinlim, inverseSpectrogram, spectralCentroid, spectrogram,
} from '../functional/spectrum.js';
export { whisperLogMel } from '../functional/whisper.js';
export { editDistance } from '../../../audio/host.js';
