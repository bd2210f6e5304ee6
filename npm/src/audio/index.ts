/** Sound, by the names of `torchaudio`. */
export * from '../generated/audio/index.js';
