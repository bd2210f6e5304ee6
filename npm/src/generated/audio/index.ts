// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Sound, as `torchaudio`: spectrograms, filters, effects, decoders and files.
 *
 * A waveform is a tensor whose last dimension is time, and a spectrogram one whose last dimensions
 * are frequency and time. Complex numbers are pairs, a further dimension of size 2 with the real
 * part first. All is written in the tensors' operations, so that it runs and is differentiated on
 * every device. The files of this crate outside of `host` keep to a subset of Rust that is printed
 * as the TypeScript of the npm package, so that each formula is written once.
 */
export * as decoder from './decoder/index.js';
export * as functional from './functional/index.js';
export * as transforms from './transforms/index.js';
export {
  AudioMetaData, decode, encode, info, load, save, type AudioEncoding,
} from '../../audio/host.js';
